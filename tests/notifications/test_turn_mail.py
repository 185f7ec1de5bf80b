"""The turn mail: all one needs after three days away, in few bytes, and enough as text alone."""

from __future__ import annotations

import itertools
import re
from email.message import EmailMessage
from typing import Any

import pytest

from engine.hexes import DIRECTIONS
from engine.scenarios import SCENARIOS
from games import absence, services
from games.models import Game, Seat
from games.services import Submitted
from games.words import card_words
from notifications import notices, outbox, shortlists, tokens
from notifications.models import Note, OutboxMail
from notifications.tokens import Purpose
from tests.cases import with_slow
from tests.mailed import (
    decision_of,
    html_of,
    mail_of,
    pictures_of,
    play,
    play_long,
    play_out,
    state_of,
    text_of,
    turn_mail,
)
from tests.people import Person, draft, start_game
from tests.smtp import Sink

pytestmark = pytest.mark.django_db

LIMIT = 100_000
"""Bytes that a mail may have, all of its parts and their encoding included."""

COLUMNS = 78
TABLES = [(players, s.key) for s in SCENARIOS.values() for players in s.players]
SMALLEST = [(s.players[0], s.key) for s in SCENARIOS.values()]
CHOICE = re.compile(r"^([1-9])\. (\S.*)$", re.MULTILINE)


def people(number: int) -> list[Person]:
    return [Person(name) for name in ("Ann", "Ben", "Cleo", "Dora")[:number]]


def section(mail: EmailMessage, title: str) -> list[str]:
    """Return the lines below a title of the text version."""
    after = text_of(mail).split(f"\n{title.upper()}\n")[1]
    return list(itertools.takewhile(bool, after.splitlines()))


# ---- At every table ----------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "scenario"), with_slow(TABLES, often=4))
def test_late_in_any_game_it_is_small_and_its_map_is_right(players: int, scenario: str) -> None:
    game = play_long(people(players), scenario)

    mail = turn_mail(game)

    assert len(mail.as_bytes()) < LIMIT
    (picture,) = pictures_of(mail).values()
    assert picture.startswith(b"\x89PNG")
    drawn = section(mail, "The map")
    assert max(map(len, drawn)) <= COLUMNS
    board = state_of(game).board
    assert touching(drawn) == {
        frozenset({board.names[here], board.names[there]})
        for here, near in enumerate(board.neighbours)
        for there in near
    }


def test_however_much_is_said_it_stays_small_and_has_the_newest() -> None:
    sitting = people(4)
    game = play_long(sitting, "volcano")
    asked = state_of(game).questions[0].seat
    talker = sitting[asked - 1].player
    for number in range(300):
        services.say(talker, game, f"{number} " + "&😀" * 98)

    mail = turn_mail(game)

    assert len(mail.as_bytes()) < LIMIT
    news = section(mail, "Since your last move")
    assert news[0] == "- What came earlier is on the page of the game."
    assert news[-1].startswith(f"- {talker.name} says: 299 ")


def touching(drawn: list[str]) -> set[frozenset[str]]:
    """Return which spaces touch on a map in characters, by where their names stand."""
    at = {
        (found.start(), line): found[0]
        for line, text in enumerate(drawn)
        for found in re.finditer(r"\b[A-HX][0-6]\b", text)
    }
    steps = [(6 * q + 3 * r, 3 * r) for q, r in DIRECTIONS]
    return {
        frozenset({name, at[there]})
        for (column, line), name in at.items()
        for dx, dy in steps
        if (there := (column + dx, line + dy)) in at
    }


@pytest.mark.parametrize(("players", "scenario"), with_slow(SMALLEST, often=1))
def test_the_text_alone_is_enough_to_play(sink: Sink, players: int, scenario: str) -> None:
    """A whole game with nothing but numbers that were read in the text version of mails."""
    sitting = people(players)
    game = start_game(*sitting, scenario=scenario)
    seated = {person.player.email: person for person in sitting}
    for number in itertools.count():
        outbox.deliver()
        mails = [mail for mail in sink.mails if mail["X-Dewan-Kind"] == notices.TURN]
        sink.clear()
        for mail in mails:
            choices = CHOICE.findall(text_of(mail))
            chosen = choices[number % 7 == 6 and -1]
            line = shortlists.line(game, mail["X-Dewan-Decision"], int(chosen[0]))
            assert line == chosen[1]
            submit(seated[mail["To"]], game, mail["X-Dewan-Decision"], line)
        if not mails:
            break
    assert Game.objects.get(pk=game).status == Game.Status.FINISHED


def submit(person: Person, game: str, decision: str, line: str) -> None:
    version = int(decision.partition("-")[0])
    services.submit_move(
        person.player, game, Submitted(decision=decision, expected_version=version, text=line)
    )


# ---- What it says ------------------------------------------------------------------------------


def test_it_tells_how_everybody_stands_in_a_line_each(ann: Person, ben: Person) -> None:
    game = play_long([ann, ben])
    state = state_of(game)
    me = state.questions[0].seat

    mine, other, piles = sorted(
        section(turn_mail(game), "At the table"), key=lambda s: "You" not in s
    )

    tribe = state.tribes[me]
    assert mine.startswith(f"- #{me + 1} You, {('red', 'black')[me]}: ")
    assert re.search(rf" {tribe.camps_left} camps? left, {len(tribe.hand)} cards?", mine)
    assert f"#{2 - me} {(ann, ben)[1 - me].player.name}, " in other
    assert piles.startswith(f"- Round {state.round}; draw pile {len(state.pile)}")


def test_what_is_new_is_marked_on_both_maps(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    while not (placed := camps_since_my_last_move(game)):
        play(game, [ann, ben])

    mail = turn_mail(game)

    text = "\n".join(section(mail, "The map"))
    marked = set(re.findall(r"\b([A-H][0-6]) \S!", text))
    assert marked == placed
    assert "! is new since your last move." in text_of(mail)
    assert re.search(rf"New since your last move[^.]*: [^.]*{min(placed)}", html_of(mail))


def camps_since_my_last_move(game: str) -> set[str]:
    """Return where others have placed camps since the last move of whoever is asked now."""
    seat = state_of(game).questions[0].seat
    moves = list(Game.objects.get(pk=game).moves.order_by("-number"))
    others = list(itertools.takewhile(lambda move: move.seat != seat, moves))
    return {
        spaces[-1]
        for move in others
        for spaces in re.findall(r'"route":\[((?:"\w\d",?)+)\]', move.events)
        for spaces in [re.findall(r"\w\d", spaces)]
    }


def test_a_choice_says_what_it_comes_to(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    draft(game, [ann, ben])

    text = text_of(turn_mail(game))

    state = state_of(game)
    cards = [state.components.cards[card or ""] for card in state.row]
    for first, second in re.findall(r"^\d\. take (\d)-(\d)$", text, re.MULTILINE):
        comes_to = f"   {card_words(cards[int(first) - 1])}; {card_words(cards[int(second) - 1])}"
        assert f" take {first}-{second}\n{comes_to}\n" in text


def test_every_choice_is_a_link_in_html_and_the_first_one_in_text(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    draft(game, [ann, ben])

    mail = turn_mail(game)

    numbers = [number for number, _ in CHOICE.findall(text_of(mail))]
    links = re.findall(r"/answer/(\w+)/(\d)/", html_of(mail))
    assert [number for _, number in links] == numbers
    (token,) = {token for token, _ in links}
    held = tokens.read(Purpose.LINK, token)
    assert held is not None
    assert held.decision == mail["X-Dewan-Decision"] == decision_of(game)
    assert re.findall(r"/answer/(\w+)/(\d)/", text_of(mail)) == [(token, "1")]
    assert text_of(mail).count(f"/games/{game}/") == 1


def test_my_own_last_notes_are_shown_to_me_alone(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    me, other = [ann, ben] if state_of(game).questions[0].seat == 0 else [ben, ann]
    for number in range(7):
        Note.objects.create(game_id=game, player=me.player, text=f"note {number}")
    Note.objects.create(game_id=game, player=other.player, text="I want the lake")

    mail = turn_mail(game)

    assert section(mail, "Your notes") == [f"- note {number}" for number in range(2, 7)]
    assert "I want the lake" not in text_of(mail) + html_of(mail)


# ---- Replies and threads -----------------------------------------------------------------------


@pytest.fixture
def mails(ann: Person, ben: Person) -> list[tuple[OutboxMail, EmailMessage]]:
    """Mails of many kinds about one game, with their rows."""
    game = start_game(ann, ben)
    for _ in range(6):
        play(game, [ann, ben])
    rows = [notices.STARTED, notices.TURN]
    found = [(row_of(game, kind), mail_of(game, kind)) for kind in rows]
    play_out(game, [ann, ben])
    return [*found, (row_of(game, notices.GAME_OVER), mail_of(game, notices.GAME_OVER))]


def row_of(game: str, kind: str) -> OutboxMail:
    row = OutboxMail.objects.filter(game=game, kind=kind).order_by("pk").last()
    assert row is not None
    return row


def test_a_reply_to_any_mail_says_which_game_and_seat_it_is_about(
    mails: list[tuple[OutboxMail, EmailMessage]],
) -> None:
    for row, mail in mails:
        held = tokens.read(Purpose.REPLY, tokens.token_in(mail["Reply-To"]))
        assert held is not None
        assert (held.seat.game_id, held.seat.number) == (row.game_id, row.seat)


def test_a_reply_to_a_turn_mail_answers_its_decision_and_no_other(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    mail = turn_mail(game)
    held = tokens.read(Purpose.REPLY, tokens.token_in(mail["Reply-To"]))
    assert held is not None
    assert held.decision == mail["X-Dewan-Decision"]


def test_where_replies_get_lost_nobody_is_asked_for_one(
    settings: Any, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    assert "Reply with the number" in text_of(turn_mail(game))

    settings.EMAIL_URL = "smtp://127.0.0.1:25"

    mail = turn_mail(game)
    assert mail["Reply-To"] is None
    assert "Reply with the number" not in text_of(mail) + html_of(mail)
    assert section(mail, "How to answer") == ["- Open the game, and play there."]


def test_the_root_of_a_thread_cannot_be_guessed_and_is_each_players_own(
    settings: Any, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    roots = {notices.thread_root(game, seat, 1) for seat in (0, 1)}
    roots |= {notices.thread_root(game, 0, 2)}
    assert len(roots) == 3
    settings.SECRET_KEY = "another"
    assert notices.thread_root(game, 0, 1) not in roots


def test_who_sits_down_later_has_a_thread_that_begins_with_taking_over(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, absence="replacement")
    seat = leave(game, ann)

    take_over(game, seat, cleo)

    row = row_of(game, notices.TAKEN_OVER)
    mail = mail_of(game, notices.TAKEN_OVER)
    root = notices.thread_root(game, seat, cleo.player.pk)
    assert row.message_id == mail["Message-ID"] == root
    assert mail["References"] is None
    leave(game, cleo)
    take_over(game, seat, cleo)
    again = row_of(game, notices.TAKEN_OVER)
    assert again.pk != row.pk
    assert again.message_id != root
    assert mail_of(game, notices.TAKEN_OVER)["References"] == root


def leave(game: str, person: Person) -> int:
    seat = Seat.objects.get(game=game, player=person.player).number
    absence.leave(person.player, game)
    return seat


def take_over(game: str, seat: int, person: Person) -> None:
    absence.take_seat(person.player, game, seat)


# ---- Its parts ---------------------------------------------------------------------------------


def test_the_picture_belongs_to_the_html_and_the_text_comes_first(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)

    mail = turn_mail(game)

    assert mail.get_content_type() == "multipart/alternative"
    text, related = mail.iter_parts()
    assert (text.get_content_type(), related.get_content_type()) == (
        "text/plain",
        "multipart/related",
    )
    html, image = related.iter_parts()
    assert image["Content-Disposition"] == "inline"
    assert f'src="cid:{image["Content-ID"].strip("<>")}"' in html.get_content()
    assert not re.search(r'src="(?!cid:)', html.get_content())
