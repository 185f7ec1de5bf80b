"""Deadlines, reminders, time-outs and outages, on the real services with a clock that travels."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from games import absence, projections, services
from games.models import Decision, Game, Move
from notifications import clock, notices
from notifications.models import Heartbeat, OutboxMail, RecordedOutage
from tests.clocks import clock_of, deadline_of, open_decision
from tests.people import Person, asked_person, draft, start_game

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


# ---- The sweep ---------------------------------------------------------------------------------


pytestmark = pytest.mark.both_databases


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget when other tests have swept."""
    monkeypatch.setattr(clock, "_own", clock._OwnSweep())


@pytest.fixture
def travel() -> Iterator[time_machine.Traveller]:
    """A clock that stands at noon and moves when it is told to; the sweep has just run."""
    with time_machine.travel(NOON, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def game(travel: time_machine.Traveller, ann: Person, ben: Person) -> str:
    game = start_game(ann, ben, move_time="P1D")
    clock.sweep()
    return game


def pass_time(travel: time_machine.Traveller, span: timedelta) -> None:
    """Let time pass in which the sweep has run all along, and sweep once more."""
    travel.shift(span)
    Heartbeat.objects.update(swept_at=timezone.now())
    clock.sweep()


def played_by_clock(game: str) -> bool:
    return Move.objects.filter(game=game, actor="clock").exists()


def reminders(game: str) -> list[str]:
    mails = OutboxMail.objects.filter(game=game, kind=notices.REMINDER).order_by("pk")
    return list(mails.values_list("stage", flat=True))


def test_reminders_go_out_at_half_and_at_the_last_tenth_once_each(
    game: str, travel: time_machine.Traveller
) -> None:
    pass_time(travel, 11 * HOUR)
    assert reminders(game) == []
    pass_time(travel, 2 * HOUR)
    pass_time(travel, HOUR)
    assert reminders(game) == ["half"]
    pass_time(travel, 8 * HOUR)
    pass_time(travel, timedelta(minutes=1))
    assert reminders(game) == ["half", "last_tenth"]
    pass_time(travel, HOUR)
    assert reminders(game) == ["half", "last_tenth", "last_hour"]


def test_whoever_has_answered_is_not_reminded(
    game: str, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    draft(game, [ann, ben])
    pass_time(travel, 13 * HOUR)

    mail = OutboxMail.objects.get(game=game, kind=notices.REMINDER)
    assert mail.decision == open_decision(game).decision


def test_when_time_is_up_the_clock_makes_the_bots_move_and_says_so(
    game: str, travel: time_machine.Traveller
) -> None:
    late = open_decision(game)

    pass_time(travel, DAY)

    move = Move.objects.get(game=game, number=2)
    assert (move.actor, move.seat, move.decision) == ("clock", late.seat, late.decision)
    mail = OutboxMail.objects.get(game=game, kind=notices.TIMED_OUT)
    assert (mail.seat, mail.decision) == (late.seat, late.decision)


def test_a_deadline_that_has_not_come_is_left_alone(
    game: str, travel: time_machine.Traveller
) -> None:
    pass_time(travel, DAY - timedelta(seconds=1))

    assert Game.objects.get(pk=game).version == 1


def test_a_game_nobody_looks_at_is_played_to_the_end_by_the_clock(
    game: str, travel: time_machine.Traveller
) -> None:
    for _ in range(60):
        pass_time(travel, DAY)

    over = Game.objects.get(pk=game)
    assert over.status == "finished"
    assert set(over.moves.exclude(number=1).values_list("actor", flat=True)) == {"clock"}
    assert Decision.objects.filter(game=game, answered_at=None).count() == 0
    assert OutboxMail.objects.filter(game=game, kind=notices.GAME_OVER).count() == 2


def test_a_question_in_mid_turn_shares_the_deadline_of_the_turn(
    game: str, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    draft(game, people)
    while open_decision(game).kind == "turn":
        travel.shift(HOUR)
        asked = asked_person(game, people)
        texts = [entry["text"] for entry in asked.legal(game)["entries"]]
        camps = [text for text in texts if text.startswith("camp")]
        until = deadline_of(open_decision(game))
        assert asked.answer(game, (camps or texts)[0]).status_code == 201

    assert open_decision(game).kind == "story"
    assert deadline_of(open_decision(game)) == until


def test_an_undo_resumes_the_clock_and_never_refills_it(
    game: str, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    draft(game, people)
    while not (undoable := undo_window(game, people)):
        travel.shift(HOUR)
        asked_person(game, people).choose(game)
        place_a_camp_with_known_cards(game, people)
    person, answered = undoable
    left = clock_of(answered).left
    travel.shift(5 * HOUR)

    body = {"decision": answered.decision, "expected_version": person.view(game)["version"]}
    response = person.post(f"/{game}/moves", body | {"text": "undo"})

    assert response.status_code == 201
    reopened = open_decision(game)
    assert reopened.seat == answered.seat
    assert reopened.decision != answered.decision
    assert clock_of(reopened).left == left


def place_a_camp_with_known_cards(game: str, people: list[Person]) -> None:
    """Let whoever is asked place a camp, if that is possible with cards everybody knows."""
    asked = asked_person(game, people)
    view = asked.view(game)
    other = people[1 - people.index(asked)].view(game)
    known = other["state"]["tribes"][view["you"]]["hand"]["cards"]
    for entry in asked.legal(game)["entries"]:
        cards = [paid["card"] for paid in entry["command"].get("payment", [])]
        if cards and set(cards) <= set(known):
            assert asked.answer(game, entry["text"]).status_code == 201
            return


def undo_window(game: str, people: list[Person]) -> tuple[Person, Decision] | None:
    """Return who may take back the last move, and the decision it answered."""
    for person in people:
        if number := person.view(game)["undo"]:
            move = Move.objects.get(game=game, number=number)
            return person, Decision.objects.get(game=game, decision=move.decision)
    return None


def test_whoever_wants_fewer_reminders_gets_no_others(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    for person in (ann, ben):
        person.player.reminders = ["last_hour"]
        person.player.save()
    game = start_game(ann, ben, move_time="P1D")
    clock.sweep()
    for _ in range(23):
        pass_time(travel, HOUR)

    assert reminders(game) == ["last_hour"]


def test_reminders_come_again_after_an_excused_miss(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D", excused_misses=1)
    clock.sweep()
    for _ in range(48):
        pass_time(travel, HOUR)

    stages = ["half", "last_tenth", "last_hour"]
    assert reminders(game) == [*stages, *(f"{stage}+1" for stage in stages)]
    assert played_by_clock(game)


def test_sweeping_again_changes_nothing(game: str, travel: time_machine.Traveller) -> None:
    pass_time(travel, 13 * HOUR)
    before = everything_projected(game), reminders(game)
    for _ in range(3):
        clock.sweep()

    assert (everything_projected(game), reminders(game)) == before


def test_a_decision_that_cannot_be_handled_holds_up_no_other(
    game: str,
    travel: time_machine.Traveller,
    ann: Person,
    ben: Person,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = start_game(ann, ben, move_time="P1D")
    wake = absence.wake

    def fail(game_id: str, decision_id: int) -> None:
        if game_id == game:
            raise ArithmeticError
        wake(game_id, decision_id)

    with monkeypatch.context() as broken:
        broken.setattr(absence, "wake", fail)
        pass_time(travel, DAY)
    assert (played_by_clock(game), played_by_clock(other)) == (False, True)
    assert "could not be handled" in caplog.text

    clock.sweep()

    assert played_by_clock(game)


def test_what_is_more_than_a_sweep_takes_on_is_done_by_the_next(
    game: str,
    travel: time_machine.Traveller,
    ann: Person,
    ben: Person,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = start_game(ann, ben, move_time="P2D")
    Decision.objects.filter(game=game).update(wake_at=NOON + DAY)
    Decision.objects.filter(game=other).update(wake_at=NOON + 2 * HOUR)
    monkeypatch.setattr(clock, "BATCH", 1)
    pass_time(travel, DAY)
    assert (reminders(other), played_by_clock(game)) == (["half"], False)

    clock.sweep()

    assert played_by_clock(game)


def test_a_bot_whose_nudge_was_lost_is_nudged_again(
    travel: time_machine.Traveller, ann: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    nudged: list[tuple[str, ...]] = []
    monkeypatch.setattr(notices, "after_commit", lambda *task: nudged.append(task))
    game = ann.open("me", "bot", "bot", move_time="P1D")
    while (decision := open_decision(game)).player is not None:
        ann.choose(game)
    nudged.clear()

    pass_time(travel, timedelta(seconds=4))
    assert nudged == []
    for _ in range(2):
        pass_time(travel, timedelta(seconds=5))

    assert nudged == [("play_bots", game)] * 2
    assert deadline_of(decision) > timezone.now()


def test_three_days_without_a_sweep_forfeit_nobody(
    game: str, travel: time_machine.Traveller
) -> None:
    before = deadline_of(open_decision(game))
    travel.shift(3 * DAY)

    clock.sweep()

    assert not played_by_clock(game)
    assert deadline_of(open_decision(game)) == before + 3 * DAY
    assert RecordedOutage.objects.get().start == NOON
    pass_time(travel, DAY - timedelta(seconds=1))
    assert not played_by_clock(game)
    pass_time(travel, timedelta(seconds=1))
    assert played_by_clock(game)


def test_a_minute_without_a_sweep_is_no_outage(game: str, travel: time_machine.Traveller) -> None:
    travel.shift(timedelta(seconds=60))
    clock.sweep()

    assert not RecordedOutage.objects.exists()


def test_a_clock_that_goes_back_takes_time_from_nobody(
    game: str, travel: time_machine.Traveller
) -> None:
    before = deadline_of(open_decision(game))
    travel.shift(-2 * HOUR)
    clock.sweep()
    assert deadline_of(open_decision(game)) == before
    travel.shift(3 * HOUR)  # set right again, or asleep
    clock.sweep()

    assert deadline_of(open_decision(game)) == before + HOUR


def test_a_clock_that_wavers_is_no_jump(game: str, travel: time_machine.Traveller) -> None:
    for seconds in (-60, 60, -30, 90):
        travel.shift(timedelta(seconds=seconds))
        clock.sweep()

    assert not RecordedOutage.objects.exists()
    assert Heartbeat.objects.get(pk=Heartbeat.SWEEP).swept_at == NOON + timedelta(seconds=60)


@pytest.mark.parametrize("jump", [2 * HOUR, 3650 * DAY])
def test_a_clock_that_jumps_ahead_and_back_neither_forfeits_nor_hides_outages(
    game: str, travel: time_machine.Traveller, caplog: pytest.LogCaptureFixture, jump: timedelta
) -> None:
    before = deadline_of(open_decision(game))
    travel.shift(jump)
    clock.sweep()
    assert not played_by_clock(game), "nobody is late by a wrong clock"

    travel.shift(-jump + timedelta(seconds=10))
    clock.sweep()
    assert deadline_of(open_decision(game)) == before + timedelta(seconds=10)
    assert Heartbeat.objects.get(pk=Heartbeat.SWEEP).swept_at == NOON + timedelta(seconds=10)
    assert "a clock was set back" in caplog.text

    travel.shift(3 * DAY)
    clock.sweep()
    assert deadline_of(open_decision(game)) == before + 3 * DAY + timedelta(seconds=10)
    assert not list(projections.differences(game))


def test_who_is_asked_between_the_jumps_loses_nothing(
    game: str, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    travel.shift(2 * HOUR)
    clock.sweep()
    draft(game, [ann, ben])
    travel.shift(-2 * HOUR)
    draft_again = deadline_of(open_decision(game))
    clock.sweep()

    assert draft_again > deadline_of(open_decision(game)) == NOON + DAY


def test_two_machines_whose_clocks_differ_give_no_time_again_and_again(
    game: str, travel: time_machine.Traveller, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = deadline_of(open_decision(game))
    ahead, behind = clock._OwnSweep(), clock._OwnSweep()
    for _ in range(5):
        for own, skew in ((ahead, timedelta(seconds=70)), (behind, timedelta(0))):
            monkeypatch.setattr(clock, "_own", own)
            clock.beat(timezone.now() + skew)
        travel.shift(timedelta(seconds=10))

    assert deadline_of(open_decision(game)) - before <= timedelta(seconds=70)


def test_the_operator_can_extend_and_cancel(
    game: str, travel: time_machine.Traveller, ann: Person
) -> None:
    before, until = open_decision(game), deadline_of(open_decision(game))
    services.extend_game(game, 2 * DAY)

    assert deadline_of(open_decision(game)) == until + 2 * DAY
    assert open_decision(game).decision == before.decision
    assert ann.view(game)["awaiting"][0]["since"] == 1

    services.cancel_game(game)
    assert ann.view(game)["status"] == "cancelled"
    assert ann.get(f"/{game}/export").json()["seed"]
    assert [entry["id"] for entry in ann.get("").json()["games"]] == [game]
    assert OutboxMail.objects.filter(game=game, kind=notices.CANCELLED).count() == 2


def test_projections_can_be_deleted_and_rebuilt(
    game: str, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    draft(game, people)
    for _ in range(6):
        travel.shift(HOUR)
        clock.sweep()  # each hour is an outage
        asked_person(game, people).choose(game)
    services.extend_game(game, DAY)
    before = everything_projected(game)

    Decision.objects.filter(game=game).delete()
    Game.objects.filter(pk=game).update(version=0, round=0, status="open", head_hash="")
    projections.rebuild(game)

    assert everything_projected(game) == before


def test_a_game_of_years_ago_still_is_what_its_log_says(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = start_game(*people, move_time="P1D", bank="P5D", bank_cap="P9D")
    clock.sweep()
    for _ in range(6):
        travel.shift(HOUR)
        clock.sweep()  # each hour is an outage
        asked_person(game, people).choose(game)
    services.cancel_game(game)

    travel.shift(800 * DAY)

    assert projections.differences(game) == []


def everything_projected(game: str) -> tuple[object, ...]:
    decisions = Decision.objects.filter(game=game).order_by("since", "decision")
    columns = ("decision", "since", "runs_from", "granted", "lives", "answered_at", "closed_by")
    return (
        Game.objects.filter(pk=game).values(*projections.GAME_COLUMNS).get(),
        list(decisions.values(*columns)),
    )
