"""Mails in the rhythm that their reader wants, and one mail for everything that waits."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, datetime, time, timedelta
from email.message import EmailMessage
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from dewan_site.accounts.models import Player
from games import absence
from games.models import Decision, Game
from notifications import clock, notices, outbox, preferences
from notifications.models import InboundMail, OutboxMail
from tests.notifications.test_mail import kinds, text_of
from tests.people import Person, asked_person, draft, end_a_turn_that_can_be_taken_back, start_game
from tests.smtp import Sink
from tests.threads import at_once

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

Committing = Callable[..., AbstractContextManager[list[Callable[[], Any]]]]


@pytest.fixture
def travel(db: None) -> Iterator[time_machine.Traveller]:
    """A clock that stands at noon and moves when it is told to."""
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


def wants(person: Person, rhythm: str = "at_once", **others: Any) -> None:
    """Let a person choose when they get mails."""
    wanted = {"digest_at": time(8), "quiet": None} | others
    preferences.change(person.player, rhythm=rhythm, **wanted)


def settled(*people: Person, **options: Any) -> str:
    """Start a game, and let everybody get their mails until somebody is asked for a turn."""
    game = start_game(*people, **options)
    draft(game, people)
    outbox.deliver()
    return game


def mails_to(sink: Sink, person: Person) -> list[EmailMessage]:
    """Deliver what is due, and return what has come to a person since the last time."""
    outbox.deliver()
    mails = sink.to(person.player.email)
    sink.clear()
    return mails


def html_of(mail: EmailMessage) -> str:
    part = mail.get_body(("html",))
    assert part is not None
    content: str = part.get_content()
    return content


def states(person: Person) -> set[str]:
    return set(preferences.mails_to(person.player).values_list("state", flat=True))


# ---- In batches --------------------------------------------------------------------------------


@pytest.mark.usefixtures("known_chance")
def test_a_batch_is_one_mail_for_all_games(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, "batched")
    games = [start_game(ann, ben, absence=how) for how in ("move", "bot", "forfeit")]
    travel.shift(14 * MINUTE)
    assert mails_to(sink, ann) == []

    travel.shift(MINUTE)
    (mail,) = mails_to(sink, ann)

    assert mail["X-Dewan-Kind"] == "digest"
    assert "List-Unsubscribe" in mail
    text = text_of(mail)
    assert all(f"[{game}]".upper() in text for game in games)
    assert states(ann) == {"sent"}
    leading = OutboxMail.objects.get(message_id=mail["Message-ID"])
    told = preferences.mails_to(ann.player).exclude(pk=leading.pk)
    assert set(told.values_list("told_in", flat=True)) == {leading.pk}


def test_the_next_batch_keeps_its_distance(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, "batched")
    start_game(ann, ben)
    travel.shift(15 * MINUTE)
    assert len(mails_to(sink, ann)) == 1

    start_game(ann, ben)
    travel.shift(4 * HOUR - MINUTE)
    assert mails_to(sink, ann) == []
    travel.shift(MINUTE)
    assert len(mails_to(sink, ann)) == 1


def test_if_one_turn_waits_its_own_mail_comes(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = settled(ann, ben)
    asked = asked_person(game, [ann, ben])
    waiting = ben if asked is ann else ann
    wants(waiting, "batched")
    sink.clear()
    asked.choose(game)

    travel.shift(15 * MINUTE)

    (mail,) = mails_to(sink, waiting)
    assert (mail["X-Dewan-Kind"], mail["X-Dewan-Game"]) == ("turn", game)


def test_others_get_their_mails_at_once(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, "batched")
    start_game(ann, ben)
    assert "started" in kinds(mails_to(sink, ben))


# ---- Once a day --------------------------------------------------------------------------------


def test_a_daily_mail_comes_at_its_hour_where_its_reader_lives(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    Player.objects.filter(pk=ann.player.pk).update(zone="Asia/Kolkata")
    ann.player.refresh_from_db()
    wants(ann, "daily", digest_at=time(7, 30))
    games = [start_game(ann, ben) for _ in range(2)]

    travel.move_to(datetime(2026, 12, 2, 1, 59, tzinfo=UTC))
    assert mails_to(sink, ann) == []
    travel.shift(MINUTE)
    (mail,) = mails_to(sink, ann)

    assert all(game.upper() in text_of(mail) for game in games)
    assert mails_to(sink, ann) == []


def test_a_reminder_waits_for_the_daily_mail_if_that_comes_in_time(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = settled(ann, ben)
    asked = asked_person(game, [ann, ben])
    wants(asked, "daily")
    decision = Decision.objects.get(game=game, answered_at=None)
    sink.clear()

    notices.remind(game, decision.seat, decision.decision, "half")
    assert mails_to(sink, asked) == []
    travel.move_to(datetime(2026, 12, 2, 8, tzinfo=UTC))
    assert kinds(mails_to(sink, asked)) == ["reminder"]


def test_what_would_come_too_late_comes_at_once(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, "daily")
    wants(ben, "daily")
    game = start_game(ann, ben, move_time=8 * 3600)
    asked = asked_person(game, [ann, ben])

    assert len(mails_to(sink, asked)) == 1
    other = ben if asked is ann else ann
    assert states(other) == {"queued"}


def test_a_reminder_takes_the_turn_along_that_it_repeats(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = settled(ann, ben)
    mover = asked_person(game, [ann, ben])
    asked = ben if mover is ann else ann
    wants(asked, "daily")
    mover.choose(game)
    outbox.deliver()
    sink.clear()
    decision = Decision.objects.get(game=game, answered_at=None)
    travel.move_to(NOON + 71 * HOUR + 30 * MINUTE)

    notices.remind(game, decision.seat, decision.decision, "last_hour")

    assert kinds(mails_to(sink, asked)) == ["reminder"]
    turn = OutboxMail.objects.get(game=game, kind="turn", decision=decision.decision)
    assert (turn.state, turn.reason) == ("dropped", "overtaken by a younger mail: reminder")


# ---- Quiet hours -------------------------------------------------------------------------------


def test_in_quiet_hours_nothing_about_games_goes_out(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, quiet=(time(11), time(13)))
    game = start_game(ann, ben)
    assert mails_to(sink, ann) == []

    travel.shift(HOUR)

    (mail,) = mails_to(sink, ann)
    assert "The game has begun" in text_of(mail)
    assert game in mail["Subject"]


def test_after_the_quiet_hours_each_game_has_one_mail(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, quiet=(time(11), time(13)))
    wants(ben, quiet=(time(11), time(13)))
    games = {start_game(ann, ben) for _ in range(2)}
    travel.shift(HOUR)

    subjects = [mail["Subject"] for mail in mails_to(sink, ann)]

    assert len(subjects) == 2
    assert all(any(game in subject for subject in subjects) for game in games)


def test_mails_about_the_account_and_answers_never_wait(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = settled(ann, ben)
    sink.clear()
    wants(ann, "daily", quiet=(time(0), time(23)))
    preferences.stop(ann.player, stopped=True)
    seat = ann.view(game)["you"]

    notices.write_to_player(notices.SIGN_IN, ann.player)
    inbound = InboundMail.objects.create(
        digest="x", player=ann.player, game=Game.objects.get(pk=game), seat=seat, outcome="done"
    )
    notices.answer(inbound)

    assert sorted(kinds(mails_to(sink, ann))) == ["answer", "sign_in"]


# ---- One game otherwise ------------------------------------------------------------------------


def test_one_game_can_have_another_rhythm(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, "daily")
    first, second = (start_game(ann, ben) for _ in range(2))
    preferences.change_of_game(ann.player, Game.objects.get(pk=first), "at_once")

    assert {mail["X-Dewan-Game"] for mail in mails_to(sink, ann)} == {first}
    waiting = preferences.waiting_for(ann.player)
    assert set(waiting.values_list("game", flat=True)) == {second}


def test_one_game_can_be_off(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    preferences.change_of_game(ann.player, Game.objects.get(pk=game), "off")

    assert mails_to(sink, ann) == []
    reasons = set(preferences.mails_to(ann.player).values_list("reason", flat=True))
    assert reasons == {"the player has stopped the mails of this game"}


def test_who_changes_their_mind_gets_what_waits_at_once(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, "daily")
    start_game(ann, ben)
    assert mails_to(sink, ann) == []

    wants(ann, "at_once")

    assert "started" in kinds(mails_to(sink, ann))


def test_a_change_of_mind_does_not_cut_the_time_short_to_take_a_move_back(
    sink: Sink, travel: time_machine.Traveller, settings: Any, ann: Person, ben: Person
) -> None:
    settings.DEWAN_UNDO_HOLD = timedelta(seconds=120)
    game = settled(ann, ben)
    asked = ben if end_a_turn_that_can_be_taken_back(game, [ann, ben]) is ann else ann
    outbox.deliver()
    sink.clear()

    wants(asked, "at_once")
    assert mails_to(sink, asked) == []
    travel.shift(2 * MINUTE)
    assert kinds(mails_to(sink, asked)) == ["turn"]


# ---- What it says ------------------------------------------------------------------------------


def test_a_mail_for_several_games_says_all_one_needs_to_answer(
    sink: Sink, travel: time_machine.Traveller, settings: Any, ann: Person, ben: Person
) -> None:
    settings.DEWAN_REPLY_TO = "play@dewan.example"
    asked = ann
    wants(asked, "batched")
    long, short = (game_that_asks(asked, ben, days) for days in (9, 3))
    travel.shift(15 * MINUTE)

    (mail,) = mails_to(sink, asked)

    text, html = text_of(mail), html_of(mail)
    assert mail["Subject"] == "Dewan: 2 games wait for you"
    assert text.index(f"[{short}]".upper()) < text.index(f"[{long}]".upper()), "urgent ones first"
    assert text.count("You have until") == 2
    for content in (text, html):
        answers = re.findall(r"/answer/([0-9a-z]{36})/1/", content)
        assert len(set(answers)) == 2, "each game has its own links"
        replies = re.findall(r"play\+([0-9a-z]{36})@dewan\.example", content)
        assert len(set(replies)) == 2, "and its own address"
    assert mail["Reply-To"] is None, "it could serve one game only"


def game_that_asks(person: Person, other: Person, days: int) -> str:
    """Start a game of which a person has to answer a question, within some days."""
    game = start_game(person, other, move_time=days * 86400)
    if asked_person(game, [person, other]) is other:
        other.choose(game)
    return game


def test_a_digest_of_many_games_stays_small(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    wants(ann, "batched")
    games = [start_game(ann, ben) for _ in range(20)]
    travel.shift(15 * MINUTE)

    (mail,) = mails_to(sink, ann)

    assert len(mail.as_bytes()) < 100_000
    assert all(game in text_of(mail).lower() for game in games)


def test_news_of_a_game_are_told_with_its_question(
    sink: Sink, travel: time_machine.Traveller, ann: Person, ben: Person, cleo: Person
) -> None:
    people = [ann, ben, cleo]
    game = settled(*people, absence="bot")
    asked = asked_person(game, people)
    leaver, other = (person for person in people if person is not asked)
    wants(other, "batched")
    sink.clear()
    absence.leave(leaver.player, game)
    assert asked.choose(game).status_code == 201
    clock.sweep()
    from games import services  # noqa: PLC0415

    while services.play_bot(game):
        pass
    travel.shift(15 * MINUTE)

    (mail,) = mails_to(sink, other)

    if asked_person(game, people) is other:
        assert mail["X-Dewan-Kind"] == "turn"
    assert "resigned" in text_of(mail)
    assert states(other) <= {"sent", "dropped"}


# ---- Workers -----------------------------------------------------------------------------------


@pytest.mark.both_databases
@pytest.mark.usefixtures("committed")
def test_two_workers_make_one_mail_of_what_waits(settings: Any) -> None:
    with Sink() as sink:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", sink.port
        ann, ben = Person("Ann"), Person("Ben")
        wants(ann, "batched")
        for _ in range(4):
            start_game(ann, ben)
        long_ago = timezone.now() - HOUR
        OutboxMail.objects.update(due_at=long_ago)
        at_once(outbox.deliver, outbox.deliver, outbox.deliver)
        OutboxMail.objects.filter(state="queued").update(due_at=timezone.now())
        outbox.deliver()

        assert kinds(sink.to(ann.player.email)) == ["digest"]
        assert not OutboxMail.objects.exclude(state="sent").exists()
