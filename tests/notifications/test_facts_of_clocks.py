"""What clocks are reckoned from when it changes under them: players, wrong clocks, bots."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from dewan_site.accounts import rests
from games import absence, consent, pace, projections, services
from games.errors import InvalidRequest
from games.models import Decision, Game, Move
from notifications import clock
from notifications.models import Heartbeat, OutboxMail
from tests.clocks import clock_of, deadline_of, open_decision
from tests.people import Person, asked_person, draft, start_game

pytestmark = pytest.mark.both_databases

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BANK = {"move_time": "PT1H", "bank": "P10D", "bank_cap": "P20D"}


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget when other tests have swept."""
    monkeypatch.setattr(clock, "_own", clock._OwnSweep())


@pytest.fixture
def travel(db: None) -> Iterator[time_machine.Traveller]:
    with time_machine.travel(NOON, tick=False) as traveller:
        clock.sweep()
        yield traveller


def pass_time(travel: time_machine.Traveller, span: timedelta) -> None:
    travel.shift(span)
    Heartbeat.objects.update(swept_at=timezone.now())
    clock.sweep()


def hand_over(giver: Person, game: str, taker: Person) -> None:
    offer = absence.offer_seat(giver.player, game)
    absence.take_seat(taker.player, game, offer=offer.token)


# ---- Seats that change hands -------------------------------------------------------------------


def test_a_seat_that_is_handed_to_and_fro_times_out_all_the_same(
    travel: time_machine.Traveller, ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D")
    sitting, waiting = asked_person(game, [ann, ben]), cleo
    for _ in range(4):
        hand_over(sitting, game, waiting)
        sitting, waiting = waiting, sitting
        pass_time(travel, 23 * HOUR)

    assert Move.objects.filter(game=game, actor="clock").exists()


@pytest.mark.parametrize("away", ["former", "new"])
def test_a_bank_goes_on_with_what_was_left_by_the_rests_of_who_sat_there(
    travel: time_machine.Traveller, ann: Person, ben: Person, cleo: Person, away: str
) -> None:
    on_vacation = [ann, ben] if away == "former" else [cleo]
    for person in on_vacation:
        rests.book(person.player, date(2026, 12, 2), date(2026, 12, 8))
    travel.shift(timedelta(seconds=1))
    game = start_game(ann, ben, **BANK)
    pass_time(travel, 8 * DAY)
    left = clock_of(open_decision(game)).left

    hand_over(asked_person(game, [ann, ben]), game, cleo)

    assert left <= clock_of(open_decision(game)).left <= left + HOUR
    assert not projections.differences(game)


def test_an_extension_outlasts_who_it_was_given_to(
    travel: time_machine.Traveller, ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D")
    services.extend_game(game, 5 * DAY)
    before = deadline_of(open_decision(game))

    hand_over(asked_person(game, [ann, ben]), game, cleo)

    assert deadline_of(open_decision(game)) == before


def test_who_takes_a_seat_over_is_not_late_for_who_sat_there(
    travel: time_machine.Traveller, ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, move_time="P10D")
    pass_time(travel, 9 * DAY)
    hand_over(asked_person(game, [ann, ben]), game, cleo)
    travel.shift(HOUR)
    cleo.choose(game, "story")

    answered = Decision.objects.get(game=game, player=cleo.player, answered_at__isnull=False)
    assert answered.answered_at - answered.asked_at == HOUR  # type: ignore[operator]


def test_who_has_resigned_is_not_measured_by_the_bot(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    asked = asked_person(game, [ann, ben])
    absence.leave(asked.player, game)
    services.play_bot(game)

    assert not Decision.objects.filter(player=asked.player, closed_by="bot").exists()
    assert not projections.differences(game)


def test_what_a_bot_plays_for_somebody_fills_no_bank(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D", bank="P2D", bank_cap="P30D", absence="bot")
    late = asked_person(game, [ann, ben])
    other = ben if late is ann else ann
    pass_time(travel, 2 * DAY)
    for _ in range(6):
        while services.play_bot(game):
            pass
        other.choose(game)
    absence.come_back(late.player, game)

    assert open_decision(game).granted <= 2 * DAY
    assert not projections.differences(game)


# ---- Clocks that were wrong --------------------------------------------------------------------


def test_a_clock_set_right_takes_nothing_from_banks(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = start_game(*people, **BANK)
    travel.shift(5 * DAY)
    clock.sweep()
    draft(game, people)
    travel.shift(-5 * DAY + timedelta(seconds=10))
    clock.sweep()
    for _ in people:
        asked_person(game, people).choose(game)

    assert open_decision(game).granted > 9 * DAY
    assert not projections.differences(game)


def test_what_was_asked_by_a_clock_that_was_ahead_does_not_wait_for_ever(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = start_game(*people, move_time="P1D")
    travel.shift(3650 * DAY)
    clock.sweep()
    draft(game, people)
    travel.shift(-3650 * DAY)
    clock.sweep()
    assert deadline_of(open_decision(game)) == NOON + DAY

    pass_time(travel, DAY)

    assert Move.objects.filter(game=game, actor="clock").exists()


def test_a_clock_that_was_ahead_hides_no_outage_that_comes_after(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D")
    travel.shift(3650 * DAY)
    clock.sweep()
    absence.wake(game, open_decision(game).pk)
    travel.shift(-3650 * DAY + timedelta(seconds=10))
    clock.sweep()
    before = Game.objects.get(pk=game).version
    travel.shift(3 * DAY)
    clock.sweep()
    absence.wake(game, open_decision(game).pk)

    last = Move.objects.get(game=game, number=Game.objects.get(pk=game).version)
    assert last.number > before
    assert "outage_credited" in last.events


# ---- Reminders and outages beside other rows ---------------------------------------------------


def test_a_reminder_that_is_due_survives_a_row_of_the_table(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D")
    travel.shift(12 * HOUR + timedelta(seconds=30))
    Heartbeat.objects.update(swept_at=timezone.now())
    services.extend_game(game, timedelta(seconds=1))
    clock.sweep()

    assert OutboxMail.objects.filter(game=game, kind="reminder", stage="half").exists()


def test_an_outage_before_an_undo_by_consent_is_in_the_log(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    mover = asked_person(game, people)
    mover.choose(game)
    travel.shift(3 * DAY)
    clock.beat(timezone.now())
    proposal = consent.propose(mover.player, game, "undo")
    consent.answer(people[1 - people.index(mover)].player, game, proposal.pk, agree=True)

    logged = Move.objects.filter(game=game, events__contains="outage_credited")
    assert logged.count() == 1


# ---- Proposals ---------------------------------------------------------------------------------


def test_proposing_and_withdrawing_again_and_again_fills_no_mailbox(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    for _ in range(3):
        proposal = consent.propose(ann.player, game, "cancel")
        consent.answer(ann.player, game, proposal.pk, agree=False)

    with pytest.raises(InvalidRequest, match="withdrawn"):
        consent.propose(ann.player, game, "cancel")
    travel.shift(DAY)
    assert consent.propose(ann.player, game, "cancel").state == "open"


def test_a_time_out_is_not_taken_back_weeks_later(
    travel: time_machine.Traveller, ann: Person, ben: Person, cleo: Person
) -> None:
    people = [ann, ben, cleo]
    game = start_game(*people, move_time="P30D")
    pass_time(travel, 30 * DAY)
    proposal = consent.propose(ann.player, game, "undo_time_out")
    pass_time(travel, 20 * DAY)

    with pytest.raises(InvalidRequest, match="does not stand"):
        consent.answer(ben.player, game, proposal.pk, agree=True)


def test_a_move_that_was_taken_back_does_not_count_as_answered(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    mover, taken_back = asked_person(game, people), open_decision(game).decision
    mover.choose(game)
    proposal = consent.propose(mover.player, game, "undo")
    consent.answer(people[1 - people.index(mover)].player, game, proposal.pk, agree=True)

    assert not Decision.objects.get(game=game, decision=taken_back).closed_by
    assert not projections.differences(game)


def test_a_pause_that_nobody_else_agreed_to_is_ended_by_who_comes_back(
    travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time="P1D", absence="bot")
    late = asked_person(game, [ann, ben])
    other = ben if late is ann else ann
    pass_time(travel, DAY)
    consent.propose(other.player, game, "pause", seconds=30 * 86400)
    absence.come_back(late.player, game)

    consent.propose(late.player, game, "resume")

    assert not Game.objects.get(pk=game).is_paused


def test_paces_are_honest(travel: time_machine.Traveller, ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people, move_time="P1D")
    draft(game, people)
    for hours in (1, 2, 3, 4, 5, 6, 7, 8):
        pass_time(travel, timedelta(hours=hours))
        asked_person(game, people).choose(game)
    assert not pace.paces_of([ann.player.pk, ben.player.pk]).keys() - {ann.player.pk, ben.player.pk}
    before = pace.paces_of([ann.player.pk])[ann.player.pk]
    while asked_person(game, people) is not ann:
        ben.choose(game)

    pass_time(travel, DAY)

    after = pace.paces_of([ann.player.pk])[ann.player.pk]
    assert (before.in_time, after.turns) == (1, before.turns + 1)
    assert after.in_time == pytest.approx(1 - 1 / after.turns)
    assert (after.median, after.slow) == (before.median, before.slow), "not of what it answered"
    assert HOUR.total_seconds() <= before.median <= before.slow <= 8 * HOUR.total_seconds()
