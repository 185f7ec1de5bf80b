"""Attacks on what mails may do: by strangers, by opponents, by machines, by bad luck."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.test import Client
from django.utils import timezone

from dewan_site import sql
from dewan_site.accounts.models import Player
from games.models import Game, Seat, TableMessage
from notifications import notices, outbox, seen, tokens
from notifications.inbound import orders, service
from notifications.inbound.html_text import text_of_html
from notifications.inbound.orders import UnreadableOrder
from notifications.inbound.outcomes import Outcome
from notifications.inbound.quoting import own_lines
from notifications.models import Note, OutboxMail
from notifications.tokens import Purpose
from tests.notifications.test_replies import Correspondence
from tests.people import Person, asked_person, start_game
from tests.replies import reply, send, text_of
from tests.servers import wait_until
from tests.smtp import Sink

pytestmark = pytest.mark.both_databases


@pytest.fixture
def post(sink: Sink, settings: Any, ann: Person, ben: Person) -> Correspondence:
    settings.DEWAN_UNDO_HOLD = settings.DEWAN_UNDO_HOLD * 0
    return Correspondence(sink, ann, ben)


# ---- Mails that were to be too much for us -----------------------------------------------------


def test_tags_that_are_never_closed_take_little_time() -> None:
    began = time.process_time()
    text_of_html("<a>" * 25_000 + "</b>" * 31_000)
    assert time.process_time() - began < 2


def test_a_note_of_half_a_character_is_kept_without_it(post: Correspondence) -> None:
    mail = post.newest(post.asked)
    raw = (
        f"From: {mail['To']}\r\nTo: {mail['Reply-To']}\r\nMessage-ID: <half@example.org>\r\n"
        "Content-Type: text/plain; charset=utf-7\r\n\r\nnote one+2AA- two\r\n"
    )
    assert service.receive(raw.encode()) == Outcome.DONE
    assert Note.objects.get().text == "one two"


def test_letters_that_only_look_like_those_of_a_token_are_none(post: Correspondence) -> None:
    mail = reply(post.newest(post.asked), "1", to=tokens.reply_address())
    odd = "\N{LATIN SMALL LETTER LONG S}" * tokens.LETTERS

    outcome = service.receive(mail.as_bytes(), recipients=[tokens.reply_address(odd)])

    assert outcome == Outcome.NO_TOKEN
    assert Client().get(f"/answer/{odd}/1/").status_code == 404


# ---- Limits ------------------------------------------------------------------------------------


def test_who_holds_a_token_cannot_use_up_the_mails_of_its_player(
    post: Correspondence, settings: Any
) -> None:
    settings.DEWAN_MAILS_PER_HOUR = 3
    player = post.asked
    mail = post.newest(player)
    for _ in range(10):
        assert send(reply(mail, "1", From="mallory@example.net")) == Outcome.WRONG_SENDER

    assert send(reply(mail, "1")) == Outcome.DONE

    post.deliver()
    kinds = [mail["X-Dewan-Kind"] for mail in post.sink.to(player.player.email)]
    assert kinds.count("answer") == 4 + 1


def test_a_mail_that_is_given_again_while_the_database_fails_counts_once(
    post: Correspondence, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DEWAN_MAILS_PER_HOUR = 3
    mail = reply(post.newest(post.asked), "1")
    with monkeypatch.context() as patch:
        patch.setattr(service, "_kept", _failing)
        for _ in range(5):
            with pytest.raises(DatabaseError):
                send(mail)

    assert send(mail) == Outcome.DONE

    assert len(post.moves()) == 1


def _failing(*_: Any, **__: Any) -> None:
    raise DatabaseError("read only")


# ---- What others get to see --------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        "https://check.example/?url=https%3A%2F%2Fdewan.example%2Fanswer%2F{0}%2F2%2F&data=0",
        "https://check.example/v2/url?u=https-3A__dewan.example_answer_{0}_2_",
        "look {1}/answer/{2}\n{3}/2/",
        "{2}\N{ARABIC LETTER MARK}{3}",
        "dewan.example/errands/eyJ:1x:sig",
        "https://check.example/?url=https%3A%2F%2Fdewan.example%2Ferrands%2FeyJ%3A1x%3Asig",
    ],
)
def test_links_that_a_program_has_changed_are_not_said_either(
    post: Correspondence, settings: Any, said: str
) -> None:
    settings.DEWAN_URL = "https://dewan.example"
    seat = Seat.objects.select_related("game").get(game=post.game, player=post.asked.player)
    token = tokens.make(Purpose.LINK, seat, 1)
    text = said.format(token, settings.DEWAN_URL, token[:12], token[12:])

    assert send(reply(post.newest(post.asked), f"say {text}")) == Outcome.DONE

    heard = TableMessage.objects.get(game=post.game).text
    assert "[…]" in heard
    assert token[-16:] not in heard
    assert "eyJ" not in heard


@pytest.mark.parametrize(
    "said", ["hahahahahahahahahahaha", "I'd like to play at dewan.example again", "Grüße aus C4!"]
)
def test_what_is_no_token_is_said(post: Correspondence, settings: Any, said: str) -> None:
    settings.DEWAN_URL = "https://dewan.example"
    assert send(reply(post.newest(post.asked), f"say {said}")) == Outcome.DONE
    assert TableMessage.objects.get(game=post.game).text == said


def test_nothing_of_a_strangers_mail_is_in_ours(post: Correspondence) -> None:
    mail = post.newest(post.asked)
    theirs = reply(mail, "1", From="mallory@example.net", Message_ID="<visit.evil.example/now@x>")

    assert send(theirs) == Outcome.WRONG_SENDER

    told = post.newest(post.asked)
    assert "another address" in text_of(told)
    assert "evil" not in told.as_string()


# ---- Moves that nobody wrote -------------------------------------------------------------------

LONG = "I have thought about it for a long time and now I really think that"


@pytest.mark.parametrize("rest", ["3", "undo.", "back", "take 1-2", "help", "note that"])
@pytest.mark.parametrize("word", ["say", "note"])
def test_the_end_of_a_wrapped_line_is_no_order(word: str, rest: str) -> None:
    with pytest.raises(UnreadableOrder, match="end of the line above"):
        orders.read([f"{word} {LONG}", rest])
    assert orders.read(["say well", rest]) is not None


def test_what_an_opponent_says_is_nobodys_order_when_it_is_wrapped_early() -> None:
    quote = "> - Ben says: I shall be back, and I would say my favourite is"
    assert own_lines(f"{quote}\n3\n\nsay hello") == ("… 3", "", "say hello")


def test_a_number_of_a_digest_is_none_before_it_is_known_what_the_digest_tells(
    post: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker dies between the server's acceptance and our commit."""
    player = post.asked
    start_game(*post.people)
    player.player.rhythm = "batched"
    player.player.save()
    OutboxMail.objects.update(due_at=timezone.now() - timedelta(hours=1))
    sent = outbox._Batch._sent
    with monkeypatch.context() as patch:
        patch.setattr(outbox._Batch, "_sent", lambda *a: _killed() if a[2] else sent(*a))
        patch.setattr(outbox._Batch, "_put_back", lambda *_: None)
        with pytest.raises(SystemExit):
            outbox.deliver()
    digest = post.sink.to(player.player.email)[-1]
    assert digest["X-Dewan-Kind"] == "digest"
    assert OutboxMail.objects.get(message_id=digest["Message-ID"]).state == "inflight"

    assert send(reply(digest, "1", References="")) == Outcome.NO_TOKEN

    assert not post.moves()


def _killed() -> None:
    raise SystemExit


# ---- At once -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("committed")
def test_who_marks_notices_as_seen_holds_none_while_waiting_for_an_older_one() -> None:
    """Or a mail that comes in and a look at the page could wait for each other."""
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time")
    ann, ben = Person("Ann"), Person("Ben")
    game = Game.objects.get(pk=start_game(ann, ben))
    asked = asked_person(game.pk, (ann, ben)).player
    turn = OutboxMail.objects.get(game=game, kind="turn")
    turn.seen_at = None
    notices.remind(game.pk, turn.seat or 0, turn.decision, "half")
    OutboxMail.objects.update(seen_at=None)
    turn.save()  # now it lies behind the reminder
    reminder = OutboxMail.objects.get(game=game, kind="reminder")

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            OutboxMail.objects.select_for_update().get(pk=turn.pk)
            marking = pool.submit(_mark, game, turn.seat or 0, asked)
            wait_until(_somebody_waits_for_a_lock, "who marks")
            assert OutboxMail.objects.select_for_update(nowait=True).get(pk=reminder.pk)
        marking.result()

    assert not OutboxMail.objects.filter(game=game, decision=turn.decision, seen_at=None).exists()


def _mark(game: Game, seat: int, player: Player) -> None:
    try:
        seen.mark(game, seat, player)
    finally:
        connections.close_all()


def _somebody_waits_for_a_lock() -> None:
    (waiting,) = sql.read(("SELECT pid FROM pg_locks WHERE NOT granted", ()))
    assert waiting
