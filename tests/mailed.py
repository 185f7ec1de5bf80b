"""Games played far enough for their mails to have much to say, and the mails of them."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import EmailMessage, Message
from email.parser import BytesParser
from email.policy import default

from engine import bots
from engine.state import State
from engine.views import mask
from games import services, store
from games.models import Game
from games.services import Submitted
from notifications import notices
from notifications.models import OutboxMail
from notifications.render import message_for
from tests.people import Person, start_game

LINES = ("Well played!", "Es grünt so grün", "I need that lake: please go round it, will you?")
"""What is said at the table now and then."""


def state_of(game: str) -> State:
    """Return the true state of a game."""
    state = store.state_of(Game.objects.get(pk=game))
    assert state is not None
    return state


def play(game: str, people: Sequence[Person]) -> State:
    """Let whoever is asked first do what a bot would do, and say something now and then."""
    state = state_of(game)
    asked = next(q for q in state.questions if not _is_sealed(game, q.seat))
    command = bots.choose(mask(state, asked.seat), asked.seat)
    message = LINES[state.version // 3 % len(LINES)] if state.version % 3 == 0 else ""
    services.submit_move(
        people[asked.seat].player,
        game,
        Submitted(
            decision=state.decision_of(asked),
            expected_version=state.version,
            commands=(command,),
            message=message,
        ),
    )
    return state_of(game)


def _is_sealed(game: str, seat: int) -> bool:
    return Game.objects.get(pk=game).sealed_answers.filter(seat=seat).exists()


def play_long(people: Sequence[Person], scenario: str = "base", camps: int = 1) -> str:
    """Start a game and play until somebody has so few camps left and a turn begins."""
    game = start_game(*people, scenario=scenario)
    state = state_of(game)
    while (
        min(tribe.camps_left for tribe in state.tribes) > camps or state.questions[0].kind != "turn"
    ):
        state = play(game, people)
    return game


def play_out(game: str, people: Sequence[Person]) -> None:
    """Play a game to its end."""
    while not play(game, people).over:
        pass


def mail_of(game: str, kind: str, **about: object) -> EmailMessage:
    """Return the last mail of a kind as it is sent, read again from its bytes."""
    row = OutboxMail.objects.filter(game=game, kind=kind, **about).order_by("pk").last()
    assert row is not None, f"there is a {kind} mail"
    return read(message_for(row).message().as_bytes())


def turn_mail(game: str) -> EmailMessage:
    """Return the mail about what is asked now."""
    return mail_of(game, notices.TURN, decision=decision_of(game))


def decision_of(game: str) -> str:
    """Return the decision that is asked first now."""
    state = state_of(game)
    return state.decision_of(state.questions[0])


def read(mail: bytes) -> EmailMessage:
    """Return a mail from its bytes."""
    message = BytesParser(policy=default).parsebytes(mail)
    assert isinstance(message, EmailMessage)
    return message


def text_of(mail: EmailMessage) -> str:
    """Return the text version."""
    return _content(mail.get_body(("plain",))).replace("\r\n", "\n")


def html_of(mail: EmailMessage) -> str:
    """Return the HTML version."""
    return _content(mail.get_body(("related", "html")))


def pictures_of(mail: EmailMessage) -> dict[str, bytes]:
    """Return the pictures by the addresses at which the HTML shows them."""
    found = [part for part in mail.walk() if part.get_content_maintype() == "image"]
    return {f"cid:{part['Content-ID'].strip('<>')}": _bytes(part) for part in found}


def _content(part: Message | None) -> str:
    assert isinstance(part, EmailMessage)
    if part.get_content_type() == "multipart/related":
        part = next(part.iter_parts())  # type: ignore[assignment]
    assert isinstance(part, EmailMessage)
    content: str = part.get_content()
    return content


def _bytes(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    assert isinstance(content, bytes)
    return content
