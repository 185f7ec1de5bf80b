"""What players of other services have seen clocks and absence do to them: one test each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import UTC, date, datetime, timedelta
from http import HTTPStatus
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.conf import settings as site
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from dewan_site.accounts import rests
from engine import commands as c
from games import absence, consent, projections, selectors, services
from games.errors import InvalidRequest
from games.models import Decision, Game, Move, Proposal, Seat
from notifications import clock, notices, outbox, probe, tasks
from notifications.models import Heartbeat, OutboxMail, RecordedOutage
from tests.clocks import clock_of, deadline_of, open_decision
from tests.games.test_sealed import LONGEST, best
from tests.notifications.test_clock import pass_time, reminders
from tests.pages import Visitor
from tests.people import Person, asked_person, draft, start_game

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)  # a Tuesday
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ABSENCE = ["move", "bot", "replacement", "forfeit"]

Travel = time_machine.Traveller
Committing = Callable[..., AbstractContextManager[list[Callable[[], Any]]]]

pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget when other tests have swept, and do a task as soon as it is asked for."""
    monkeypatch.setattr(clock, "_own", clock._OwnSweep())
    monkeypatch.setattr(notices.app, "send_task", _do_at_once)


def _do_at_once(task: str, arguments: tuple[str, ...] = (), **_: Any) -> None:
    if task.endswith("play_bots"):
        tasks.play_bots(*arguments)


@pytest.fixture
def travel(db: None) -> Iterator[Travel]:
    """A clock that stands at noon and moves when it is told to; the sweep has just run."""
    with time_machine.travel(NOON, tick=False) as coordinates:
        clock.sweep()
        yield coordinates


@pytest.fixture
def dora(db: None) -> Person:
    """Dora, the fourth player."""
    return Person("Dora")


def go_to(travel: Travel, moment: datetime) -> None:
    """Let time pass until a moment, in which the sweep has run all along, and sweep."""
    pass_time(travel, moment - timezone.now())


def live_in(person: Person, zone: str) -> None:
    person.player.zone = zone
    person.player.save()
    rests.move_to(person.player, zone)


def answer(person: Person, game: str) -> None:
    """Answer what a person is asked: place a camp if that is possible."""
    legal = selectors.legal_of(person.player, game)
    camps = [entry for entry in legal["entries"] if entry["command"]["type"] == "camp"]
    command = c.parse((camps or legal["entries"])[0]["command"])
    submitted = services.Submitted(
        decision=legal["decision"], expected_version=legal["version"], commands=(command,)
    )
    services.submit_move(person.player, game, submitted)


def is_asked(person: Person, game: str) -> bool:
    sits = Seat.objects.filter(game=game, player=person.player).exists()
    return sits and selectors.legal_of(person.player, game)["decision"] is not None


def events(game: str, kind: str) -> list[dict[str, Any]]:
    """Return the events of a kind in a game's log, in order."""
    moves = selectors.open_export(Game.objects.get(pk=game))["moves"]
    return [event for move in moves for event in move["events"] if event["type"] == kind]


def late(decision: Decision) -> bool:
    """Tell whether the clock has done something about a decision."""
    decision.refresh_from_db()
    return decision.closed_by == Move.Actor.CLOCK or decision.missed


# ---- Clocks that are not what they seem --------------------------------------------------------


def test_a_weekend_of_rest_refills_no_clock(travel: Travel, ann: Person, ben: Person) -> None:
    for person in (ann, ben):
        rests.change(person.player, None, (6, 7))
    go_to(travel, datetime(2026, 12, 4, 20, tzinfo=UTC))  # a Friday
    game = start_game(ann, ben, move_time="P1D")
    asked, monday = open_decision(game), datetime(2026, 12, 7, tzinfo=UTC)

    for moment in (monday - 2 * DAY, monday - DAY, monday - SECOND):
        go_to(travel, moment)
        assert clock_of(asked).left == 20 * HOUR
    go_to(travel, monday + 20 * HOUR - SECOND)
    assert not late(asked)
    go_to(travel, monday + 20 * HOUR)
    assert late(asked)


def extend(travel: Travel, game: str, ann: Person, ben: Person) -> None:
    services.extend_game(game, 5 * HOUR)


def be_gone(travel: Travel, game: str, ann: Person, ben: Person) -> None:
    travel.shift(5 * HOUR)
    clock.sweep()


def pause(travel: Travel, game: str, ann: Person, ben: Person) -> None:
    agree(game, consent.propose(ann.player, game, "pause", 3 * 3600), ben)
    go_to(travel, timezone.now() + HOUR)


def miss(travel: Travel, game: str, ann: Person, ben: Person) -> None:
    go_to(travel, deadline_of(open_decision(game)))
    assert events(game, "miss_excused")


def nothing(travel: Travel, game: str, ann: Person, ben: Person) -> None:
    """The clock of a new turn."""


def agree(game: str, proposal: Proposal, *people: Person) -> None:
    for person in people:
        consent.answer(person.player, game, proposal.pk, agree=True)


@pytest.mark.parametrize("options", [{}, {"bank": "P2D", "bank_cap": "P3D"}], ids=["time", "bank"])
@pytest.mark.parametrize("befalls", [nothing, extend, be_gone, pause, miss])
def test_the_deadline_that_is_shown_is_the_one_that_counts(
    travel: Travel,
    ann: Person,
    ben: Person,
    befalls: Callable[[Travel, str, Person, Person], None],
    options: dict[str, str],
) -> None:
    for person in (ann, ben):
        live_in(person, "Asia/Kathmandu")
        rests.change(person.player, (22 * 60, 7 * 60), (6,))
    game = start_game(ann, ben, move_time="P1D", excused_misses=1, **options)
    draft(game, [ann, ben])
    befalls(travel, game, ann, ben)
    asked, person = open_decision(game), asked_person(game, [ann, ben])

    until = deadline_of(asked)
    shown = {
        person.view(game)["awaiting"][0]["deadline"],
        person.get("").json()["games"][0]["deadline"],
        *(selectors.moment(moment) for _, moment in selectors.deadlines_of(asked.game)),
    }
    assert shown == {selectors.moment(until)}
    page = Visitor(person.player).get(f"/games/{game}/").html
    times = re.findall(r'<time datetime="([^"]+)"', page)
    assert until in {datetime.fromisoformat(time) for time in times}
    assert f"{until.astimezone(ZoneInfo('Asia/Kathmandu')):%B %Y, %H:%M}" in reminder_of(asked)

    misses = len(events(game, "miss_excused"))
    go_to(travel, until - SECOND)
    assert (asked.closed_by, len(events(game, "miss_excused"))) == ("", misses)
    go_to(travel, until)
    assert late(asked)
    assert asked.closed_by or len(events(game, "miss_excused")) == misses + 1


def reminder_of(decision: Decision) -> str:
    """Send a reminder of a decision and return what it says; what has waited goes before it."""
    outbox.deliver()
    notices.remind(decision.game_id, decision.seat, decision.decision, "half")
    outbox.deliver()
    reminding = [m for m in mail.outbox if m.extra_headers["X-Dewan-Kind"] == notices.REMINDER]
    return str(reminding[-1].body)


def test_a_game_without_a_first_move_goes_on_by_the_clock(
    travel: Travel, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D")
    asked = open_decision(game)

    go_to(travel, NOON + DAY)

    assert (asked.kind, late(asked)) == ("draft", True)


def test_an_open_table_waits_for_its_players_and_is_not_purged(
    travel: Travel, ann: Person, ben: Person
) -> None:
    game = ann.open("me", "open", move_time="P1D", visibility="public")
    for _ in range(40):
        go_to(travel, timezone.now() + DAY)
    assert ann.view(game)["status"] == "open"
    assert [entry["id"] for entry in selectors.public_open_games(ben.player)] == [game]

    assert ben.post(f"/{game}/seats").status_code == HTTPStatus.CREATED

    assert deadline_of(open_decision(game)) == timezone.now() + DAY


# ---- Deadlines that do not move ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "granted"),
    [({}, DAY), ({"bank": "P2D", "bank_cap": "P3D"}, 2 * DAY + HOUR)],
    ids=["time", "bank"],
)
def test_who_decides_twice_in_a_row_has_time_for_both(
    travel: Travel, ann: Person, ben: Person, options: dict[str, str], granted: timedelta
) -> None:
    """The last to draft is the first to play."""
    people = [ann, ben]
    game = start_game(*people, move_time="P1D", **options)
    asked_person(game, people).choose(game)
    drafting, drafter = open_decision(game), asked_person(game, people)
    go_to(travel, NOON + 23 * HOUR)

    drafter.choose(game)

    playing = open_decision(game)
    assert (playing.seat, playing.kind) == (drafting.seat, "turn")
    assert clock_of(playing).granted == granted
    assert deadline_of(playing) == NOON + 23 * HOUR + granted
    assert projections.differences(game) == []


def test_who_is_next_because_another_is_skipped_has_the_whole_time(
    travel: Travel, ann: Person, ben: Person, cleo: Person
) -> None:
    people = [ann, ben, cleo]
    game = start_game(*people, move_time="P1D", absence="forfeit")
    draft(game, people)
    after = open_decision(game).seat
    absence.leave(people[(after + 1) % 3].player, game)
    for turn in range(1, 5):
        go_to(travel, NOON + turn * 20 * HOUR)
        asked_person(game, people).choose(game, "take")
        after = (after + (2 if turn % 2 else 1)) % 3
        assert (open_decision(game).seat, clock_of(open_decision(game)).left) == (after, DAY)


@pytest.mark.parametrize("options", [{}, {"bank": "P1D", "bank_cap": "P3D"}], ids=["time", "bank"])
def test_who_plays_with_bots_has_time_for_every_turn(
    travel: Travel,
    ann: Person,
    options: dict[str, str],
    django_capture_on_commit_callbacks: Committing,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        game = ann.open("me", "bot", "bot", "bot", move_time="P1D", **options)
    for turn in range(1, 5):
        go_to(travel, NOON + turn * 20 * HOUR)
        with django_capture_on_commit_callbacks(execute=True):
            asked_person(game, [ann]).choose(game)
        assert clock_of(open_decision(game)).left >= DAY
    assert projections.differences(game) == []


def test_what_is_answered_sealed_takes_nothing_from_a_bank(
    travel: Travel, ann: Person, ben: Person
) -> None:
    """When it was answered nobody may tell, least of all by the clock of the next turn."""
    people = [ann, ben]
    game = go_fishing(people)
    active = ann.view(game)["state"]["active"]
    quick, slow = people[1 - active], people[active]
    before = Decision.objects.filter(game=game, seat=1 - active).exclude(kind="fish").last()
    assert before is not None, "there were turns before"
    answer(quick, game)
    go_to(travel, timezone.now() + 2 * DAY)
    answer(slow, game)

    asked = open_decision(game)

    assert asked.seat == 1 - active
    assert asked.granted == before.granted == 3 * DAY
    assert projections.differences(game) == []


def go_fishing(people: list[Person]) -> str:
    """Play a game with banks until two seats are asked for a card at once; return its id."""
    options = {"move_time": "P1D", "bank": "P3D", "bank_cap": "P3D"}
    game = start_game(*people, scenario="lake_villages", **options)
    for _ in range(LONGEST):
        asked = people[0].view(game)["awaiting"]
        if [decision["kind"] for decision in asked] == ["fish", "fish"]:
            return game
        person = people[asked[0]["seat"]]
        text = best(person.view(game), person.legal(game)["entries"])
        assert person.answer(game, text).status_code == HTTPStatus.CREATED
    raise AssertionError("the villages never went fishing together")


# ---- Taking back -------------------------------------------------------------------------------


def undo_time_out(travel: Travel, game: str, people: list[Person]) -> None:
    """Let time be up, and agree to take back what the clock has played."""
    seat = open_decision(game).seat
    go_to(travel, deadline_of(open_decision(game)))
    agree(game, consent.propose(people[seat].player, game, "undo_time_out"), people[1 - seat])


def undo_by_consent(travel: Travel, game: str, people: list[Person]) -> None:
    """Answer in the last minute, and agree to take it back."""
    seat = open_decision(game).seat
    go_to(travel, deadline_of(open_decision(game)) - MINUTE)
    people[seat].choose(game, "take")
    agree(game, consent.propose(people[seat].player, game, "undo"), people[1 - seat])


@pytest.mark.parametrize("take_back", [undo_time_out, undo_by_consent])
@pytest.mark.parametrize(("move_time", "least"), [("PT6H", 6 * HOUR), ("P5D", DAY)])
def test_taking_back_makes_no_clock_flag(
    travel: Travel,
    ann: Person,
    ben: Person,
    take_back: Callable[[Travel, str, list[Person]], None],
    move_time: str,
    least: timedelta,
) -> None:
    game = start_game(ann, ben, move_time=move_time)
    draft(game, [ann, ben])
    before = open_decision(game)

    take_back(travel, game, [ann, ben])

    reopened, now = open_decision(game), timezone.now()
    assert (reopened.seat, reopened.kind) == (before.seat, "turn")
    assert deadline_of(reopened) == now + least
    go_to(travel, now + least - SECOND)
    assert not late(reopened)
    go_to(travel, now + least)
    assert late(reopened)
    assert projections.differences(game) == []


def test_an_undo_that_asks_several_again_gives_each_what_they_had(
    travel: Travel, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = go_fishing(people)
    before = {d.seat: d for d in Decision.objects.filter(game=game, answered_at=None)}
    active = ann.view(game)["state"]["active"]
    Decision.objects.filter(pk=before[active].pk).update(granted=30 * HOUR)
    for person in people:
        answer(person, game)
    agree(game, consent.propose(people[active].player, game, "undo"), people[1 - active])

    again = {d.seat: d.granted for d in Decision.objects.filter(game=game, answered_at=None)}

    assert again == {active: 30 * HOUR, 1 - active: before[1 - active].granted}


# ---- Vacation and pause ------------------------------------------------------------------------


def test_a_vacation_that_nobody_saw_disqualifies_nobody(
    travel: Travel, ann: Person, ben: Person
) -> None:
    for person in (ann, ben):
        rests.book(person.player, date(2026, 12, 3), date(2026, 12, 12))
    game = start_game(ann, ben, move_time="P3D", absence="forfeit")
    begins, ends = datetime(2026, 12, 3, tzinfo=UTC), datetime(2026, 12, 13, tzinfo=UTC)
    asked = open_decision(game)

    shown = {"start": selectors.moment(begins), "end": selectors.moment(ends)}
    assert [seat["vacation"] for seat in ben.view(game)["seats"]] == [shown, shown]
    for day in range(1, 12):
        go_to(travel, NOON + day * DAY)
        resting = ben.view(game)["awaiting"][0]["resting"]
        assert resting == ("vacation" if begins <= timezone.now() < ends else None)
    go_to(travel, ends + 36 * HOUR - SECOND)
    assert [seat["vacation"] for seat in ben.view(game)["seats"]] == [None, None]
    assert not events(game, "seat_forfeited")
    go_to(travel, ends + 36 * HOUR)
    assert events(game, "seat_forfeited")[0]["seat"] == asked.seat


def test_a_vacation_that_is_booked_too_late_moves_no_deadline_that_others_have_seen(
    travel: Travel, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time="P3D")
    asked, person = open_decision(game), asked_person(game, [ann, ben])
    go_to(travel, NOON + SECOND)
    rests.book(person.player, date(2026, 12, 2), date(2026, 12, 12))

    go_to(travel, NOON + 3 * DAY - SECOND)
    assert (ann.view(game)["awaiting"][0]["resting"], late(asked)) == (None, False)
    go_to(travel, NOON + 3 * DAY)
    assert late(asked)


def test_nobody_can_pause_alone_or_for_ever(travel: Travel, ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, move_time="P2D")
    longest = int(site.DEWAN_MAX_PAUSE.total_seconds())
    for seconds in (None, 3599, longest + 1):
        with pytest.raises(InvalidRequest):
            consent.propose(ann.player, game, "pause", seconds)
    asked = open_decision(game)
    proposal = consent.propose(ann.player, game, "pause", longest)
    consent.answer(ann.player, game, proposal.pk, agree=True)
    go_to(travel, NOON + DAY)
    assert ann.view(game)["paused_until"] is None

    agree(game, proposal, ben)

    end = NOON + DAY + site.DEWAN_MAX_PAUSE
    assert ann.view(game)["paused_until"] == selectors.moment(end)
    with pytest.raises(InvalidRequest):
        consent.propose(ann.player, game, "pause", longest)
    go_to(travel, end - SECOND)
    assert (late(asked), events(game, "game_resumed")) == (False, [])
    go_to(travel, end)
    assert len(events(game, "game_resumed")) == 1
    assert ann.view(game)["paused_until"] is None
    go_to(travel, end + DAY - SECOND)
    assert not late(asked)
    go_to(travel, end + DAY)
    assert late(asked)


def test_all_who_paused_can_go_on_earlier(travel: Travel, ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, move_time="P2D")
    agree(game, consent.propose(ann.player, game, "pause", 20 * 86400), ben)
    go_to(travel, NOON + 5 * DAY)

    agree(game, consent.propose(ben.player, game, "resume"), ann)

    assert ann.view(game)["paused_until"] is None
    assert deadline_of(open_decision(game)) == NOON + 7 * DAY
    assert projections.differences(game) == []


# ---- Outages -----------------------------------------------------------------------------------


class Crash(NamedTuple):
    """Two games, the first of which was about to time out when everything stopped."""

    first: Decision
    second: Decision
    stopped: datetime


@pytest.fixture
def crash(travel: Travel, ann: Person, ben: Person) -> Crash:
    first = start_game(ann, ben, move_time="P1D")
    go_to(travel, NOON + 2 * HOUR)
    second = start_game(ben, ann, move_time="P1D")
    stopped = NOON + DAY - 3 * SECOND
    go_to(travel, stopped)
    return Crash(open_decision(first), open_decision(second), stopped)


def restart(travel: Travel, monkeypatch: pytest.MonkeyPatch, after: timedelta) -> None:
    """Sweep for the first time in a new process, after a time in which nothing ran."""
    monkeypatch.setattr(clock, "_own", clock._OwnSweep())
    travel.shift(after)
    clock.sweep()


def test_after_a_short_restart_only_who_is_late_is_timed_out(
    travel: Travel, crash: Crash, monkeypatch: pytest.MonkeyPatch
) -> None:
    restart(travel, monkeypatch, 30 * SECOND)

    assert (late(crash.first), late(crash.second)) == (True, False)
    assert not RecordedOutage.objects.exists()


@pytest.mark.parametrize("hours", [1, 5, 72])
def test_after_a_long_restart_nobody_is_late_before_all_have_their_time_back(
    travel: Travel, crash: Crash, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    restart(travel, monkeypatch, hours * HOUR)

    back = crash.stopped + hours * HOUR
    assert (late(crash.first), late(crash.second)) == (False, False)
    assert deadline_of(crash.first) == back + HOUR, "the grace after an outage"
    assert deadline_of(crash.second) == NOON + 26 * HOUR + hours * HOUR
    go_to(travel, back + HOUR - SECOND)
    assert (late(crash.first), late(crash.second)) == (False, False)
    go_to(travel, back + HOUR)
    assert (late(crash.first), late(crash.second)) == (True, False)
    go_to(travel, NOON + 26 * HOUR + hours * HOUR)
    assert late(crash.second)


def test_an_outage_is_told_once_in_the_log_and_by_mail_to_who_is_asked(
    travel: Travel, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D")
    outbox.deliver()
    asked, person = open_decision(game), asked_person(game, [ann, ben])
    go_to(travel, NOON + HOUR)
    travel.shift(3 * DAY)
    clock.sweep()

    for _ in range(3):
        go_to(travel, timezone.now() + 10 * SECOND)

    (told,) = events(game, "outage_credited")
    gone = NOON + HOUR
    assert told["start"] == selectors.moment(gone)
    assert (told["end"], told["seconds"]) == (selectors.moment(gone + 3 * DAY), 3 * 86400)
    (written,) = OutboxMail.objects.filter(game=game, kind=notices.OUTAGE)
    assert written.seat == asked.seat
    outbox.deliver()
    (sent,) = [m for m in mail.outbox if m.extra_headers["X-Dewan-Kind"] == notices.OUTAGE]
    assert sent.to == [person.player.email]
    assert "You have until Saturday 5 December 2026, 12:00 UTC" in str(sent.body)


def test_while_no_moves_are_taken_no_clock_fires_and_all_have_the_time_back(
    travel: Travel, ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = start_game(ann, ben, move_time="P1D")
    asked = open_decision(game)
    go_to(travel, NOON + 23 * HOUR)
    with monkeypatch.context() as broken:
        broken.setattr(probe, "takes_moves", lambda: False)
        for _ in range(6):
            travel.shift(HOUR)
            clock.sweep()
    assert not late(asked)

    clock.sweep()

    (outage,) = RecordedOutage.objects.all()
    assert (outage.start, outage.end) == (NOON + 23 * HOUR, NOON + 29 * HOUR)
    assert not late(asked)
    assert deadline_of(asked) == NOON + 30 * HOUR
    go_to(travel, NOON + 30 * HOUR)
    assert late(asked)


@pytest.mark.usefixtures("committed")
def test_the_probe_writes_through_the_web_server_and_serves_nobody_else(settings: Any) -> None:
    server = LiveServer("127.0.0.1")
    try:
        settings.DEWAN_PROBE_URL = server.url
        assert probe.takes_moves()
        assert Heartbeat.objects.get(pk=Heartbeat.WEB).swept_at > timezone.now() - MINUTE
    finally:
        server.stop()
    assert not probe.takes_moves()


@pytest.mark.parametrize("age", [None, 7200])
def test_a_probe_that_the_sweep_has_not_just_signed_is_refused(db: None, age: int | None) -> None:
    with time_machine.travel(timezone.now() - timedelta(seconds=age or 0)):
        body = probe._signer.sign("probe") if age else "probe"

    response = Client().post("/healthz", body, content_type="text/plain")

    assert response.status_code == HTTPStatus.FORBIDDEN
    assert not Heartbeat.objects.exists()


# ---- Absence -----------------------------------------------------------------------------------


def play_out(travel: Travel, game: str, people: list[Person], committing: Committing) -> None:
    """Have those who stay answer whenever they are asked, until the game is over."""
    for _ in range(500):
        with committing(execute=True):
            asked = next((person for person in people if is_asked(person, game)), None)
            if asked:
                answer(asked, game)
            else:
                go_to(travel, timezone.now() + HOUR)
        if Game.objects.get(pk=game).over:
            return
    raise AssertionError("the game does not end")


@pytest.mark.parametrize("excused", [0, 1])
@pytest.mark.parametrize("choice", ABSENCE)
def test_a_game_whose_players_are_gone_ends_without_anybody_looking_at_it(
    travel: Travel,
    ann: Person,
    ben: Person,
    choice: str,
    excused: int,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    game = start_game(ann, ben, move_time="PT1H", absence=choice, excused_misses=excused)

    play_out(travel, game, [], django_capture_on_commit_callbacks)

    over = Game.objects.get(pk=game)
    assert over.status == Game.Status.FINISHED
    assert (over.ending == "forfeit") == (choice == "forfeit")
    assert len(events(game, "miss_excused")) == excused * (1 if choice == "forfeit" else 2)
    assert not Decision.objects.filter(game=game, answered_at=None).exists()
    assert projections.differences(game) == []


def resign(game: str, person: Person) -> None:
    absence.leave(person.player, game)


def vanish(game: str, person: Person) -> None:
    """Do not answer any more."""


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("go", [resign, vanish])
@pytest.mark.parametrize("choice", ABSENCE)
def test_after_others_leave_the_last_human_can_finish(
    travel: Travel,
    ann: Person,
    ben: Person,
    cleo: Person,
    dora: Person,
    choice: str,
    go: Callable[[str, Person], None],
    players: int,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    people = [ann, ben, cleo, dora][:players]
    game = start_game(*people, move_time="PT1H", absence=choice)
    *leaving, last = people
    for number, person in enumerate(leaving):
        for _ in range(4):  # the others play on before the next one goes
            staying = [other for other in people[number:] if is_asked(other, game)]
            if staying:
                answer(staying[0], game)
        with django_capture_on_commit_callbacks(execute=True):
            go(game, person)

    play_out(travel, game, [last], django_capture_on_commit_callbacks)

    over = Game.objects.get(pk=game)
    assert over.status == Game.Status.FINISHED
    assert (over.ending == "forfeit") == (choice == "forfeit")
    assert last.view(game)["result"]
    if choice == "forfeit":
        assert last.view(game)["result"]["winners"] == [players - 1]
    assert projections.differences(game) == []


def test_excused_misses_are_used_up_one_by_one_and_a_replacement_has_them_all(
    travel: Travel, ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D", absence="replacement", excused_misses=2)
    late_one = open_decision(game).seat

    def misses_left() -> int:
        return int(cleo_sees()["misses_left"])

    def cleo_sees() -> dict[str, Any]:
        other = [ann, ben][1 - late_one]
        seat: dict[str, Any] = other.view(game)["seats"][late_one]
        return seat

    assert misses_left() == 2
    go_to(travel, NOON + DAY)
    assert (misses_left(), events(game, "miss_excused")[-1]["left"]) == (1, 1)
    go_to(travel, NOON + 2 * DAY)
    assert (misses_left(), events(game, "miss_excused")[-1]["left"]) == (0, 0)
    go_to(travel, NOON + 3 * DAY)
    assert cleo_sees()["standing"] == "left"
    assert Seat.objects.get(game=game, number=late_one).player is None

    absence.take_seat(cleo.player, game)

    assert (misses_left(), cleo_sees()["standing"]) == (2, "playing")
    assert deadline_of(open_decision(game)) == timezone.now() + DAY


# ---- Nights in which clocks are moved ----------------------------------------------------------


def test_no_job_is_started_by_a_wall_clock() -> None:
    assert site.CELERY_TIMEZONE == "UTC"
    schedules = [entry["schedule"] for entry in site.CELERY_BEAT_SCHEDULE.values()]
    assert schedules
    assert all(isinstance(schedule, timedelta) for schedule in schedules)


CHANGES = {
    "Europe/Berlin in spring": ("Europe/Berlin", datetime(2026, 3, 29, 1, tzinfo=UTC)),
    "Europe/Berlin in autumn": ("Europe/Berlin", datetime(2026, 10, 25, 1, tzinfo=UTC)),
    "America/New_York in spring": ("America/New_York", datetime(2026, 3, 8, 7, tzinfo=UTC)),
    "America/New_York in autumn": ("America/New_York", datetime(2026, 11, 1, 6, tzinfo=UTC)),
}
"""The zone, and the moment in which its clocks are moved from or to 02:00 or 03:00."""


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("minutes", [-30, 30])
def test_what_is_due_at_half_past_two_happens_once_where_clocks_are_moved(
    travel: Travel, ann: Person, ben: Person, change: str, minutes: int
) -> None:
    zone, moved = CHANGES[change]
    for person in (ann, ben):
        live_in(person, zone)
    due = moved + minutes * MINUTE
    games = {}
    for stage, before in (("half", 12 * HOUR), ("up", 24 * HOUR)):
        go_to_any(travel, due - before)
        games[stage] = start_game(ann, ben, move_time="P1D")
    asked = open_decision(games["up"])

    go_to_any(travel, due - HOUR)
    told = []
    while timezone.now() < due + 2 * HOUR:
        told.append((len(reminders(games["half"])), late(asked)))
        go_to(travel, timezone.now() + MINUTE)

    assert told.index((1, True)) == 60, "both at the minute at which they are due"
    assert told[:60] == [(0, False)] * 60
    assert told[60:] == [(1, True)] * 120
    assert len(reminders(games["up"])) == len(set(reminders(games["up"])))
    assert Move.objects.filter(game=games["up"], actor="clock").count() == 1


def go_to_any(travel: Travel, moment: datetime) -> None:
    """Go to a moment that may lie before the one at which the clock stands."""
    travel.move_to(moment)
    Heartbeat.objects.update(swept_at=moment)
    clock._own.swept_at = None
    clock.sweep()


@pytest.mark.parametrize("hour", [3, 8, 11, 14, 17, 20])
@pytest.mark.parametrize("move_time", ["PT8H", "P1D"])
def test_no_reminder_comes_in_the_night_before_a_deadline_by_day(
    travel: Travel, ann: Person, ben: Person, hour: int, move_time: str
) -> None:
    for person in (ann, ben):
        live_in(person, "Europe/Berlin")
        rests.change(person.player, (22 * 60, 7 * 60), ())
    go_to(travel, datetime(2026, 12, 2, hour, tzinfo=UTC))
    game = start_game(ann, ben, move_time=move_time, rests=False)
    asked = open_decision(game)
    begun, until = timezone.now(), deadline_of(asked)
    while timezone.now() < until - 10 * MINUTE:
        go_to(travel, timezone.now() + 10 * MINUTE)

    sent = OutboxMail.objects.filter(game=game, kind=notices.REMINDER)
    assert sent
    for reminder in sent:
        local = reminder.created_at.astimezone(ZoneInfo("Europe/Berlin"))
        by_day = 7 <= local.hour < 22 or (local.hour, local.minute) == (22, 0)
        assert by_day or begun.hour >= 21
