"""Reminders: at parts of the running time, not at night, not two at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from notifications.clocks import Policy
from notifications.ladder import STAGES, Reminder, ladder
from notifications.rests import Rests, Stretch
from tests.notifications.test_deadlines import (
    NIGHTS,
    ZONES,
    Case,
    Minutes,
    asked,
    by_minutes,
    cases,
    minute,
    moment,
    repeatable,
    stretches,
    utc,
)

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)  # a Tuesday
ASLEEP = Rests(night=(22 * 60, 7 * 60))
HALF, LAST_TENTH, LAST_HOUR = STAGES


def reminders(
    move_time: timedelta,
    begun: datetime = NOON,
    *,
    rests: Rests | None = None,
    stops: Sequence[Stretch] = (),
    quiet: Rests | None = None,
    stages: Collection[str] = STAGES,
) -> tuple[Reminder, ...]:
    versions = [rests] if rests else []
    history = [asked(begun - DAY, begun), asked(begun)]
    return ladder(Policy(move_time=move_time), versions, stops, history, quiet, stages)


# ---- Which, and when ---------------------------------------------------------------------------


def test_a_long_move_has_all_three() -> None:
    assert reminders(10 * DAY) == (
        (HALF, NOON + 5 * DAY),
        (LAST_TENTH, NOON + 9 * DAY),
        (LAST_HOUR, NOON + 10 * DAY - HOUR),
    )


@pytest.mark.parametrize(
    ("hours", "stages"),
    [
        (21, [HALF, LAST_TENTH, LAST_HOUR]),
        (20, [HALF, LAST_TENTH, LAST_HOUR]),  # a twentieth apart
        (19, [HALF, LAST_TENTH]),
        (10, [HALF, LAST_TENTH]),  # both at nine hours
        (7, [HALF, LAST_TENTH]),
        (6, [HALF, LAST_HOUR, LAST_TENTH]),
        (2, [HALF, LAST_TENTH]),  # half is the last hour
        (1, [HALF, LAST_TENTH]),  # the last hour is the whole
    ],
)
def test_of_two_near_each_other_one_is_sent(hours: int, stages: list[str]) -> None:
    assert [reminder.stage for reminder in reminders(hours * HOUR)] == stages


def test_only_stages_that_are_wanted_count() -> None:
    assert reminders(10 * HOUR, stages=[LAST_HOUR]) == ((LAST_HOUR, NOON + 9 * HOUR),)
    assert reminders(HOUR, stages=[LAST_HOUR]) == ()
    assert reminders(10 * DAY, stages=()) == ()


def test_stages_are_parts_of_the_running_time() -> None:
    rests = Rests(night=(22 * 60, 7 * 60), weekdays=(4,))  # Thursdays
    stops = [Stretch(NOON + 2 * HOUR, NOON + 3 * HOUR)]
    # 9 h run on Tuesday, 15 on Wednesday, none on Thursday, 6 on Friday
    assert reminders(30 * HOUR, rests=rests, stops=stops) == (
        (HALF, utc("2026-12-02T13:00")),
        (LAST_TENTH, utc("2026-12-04T10:00")),
        (LAST_HOUR, utc("2026-12-04T12:00")),
    )


def test_a_night_of_the_clock_between_two_does_not_part_them() -> None:
    begun = utc("2026-12-01T19:50")
    assert reminders(19 * HOUR, begun, rests=ASLEEP) == (
        (HALF, utc("2026-12-02T14:20")),
        (LAST_TENTH, utc("2026-12-02T21:56")),  # the last hour begins at 07:50
    )


def test_stages_are_parts_of_all_that_was_given() -> None:
    history = [asked(NOON, given=9 * DAY)]
    found = ladder(Policy(move_time=DAY), (), (), history, None, [HALF])
    assert found == ((HALF, NOON + 5 * DAY),)


def test_a_time_that_is_up_at_once_has_none() -> None:
    assert reminders(timedelta(0)) == ()


# ---- The player's night ------------------------------------------------------------------------


def test_a_reminder_waits_for_the_end_of_the_players_night() -> None:
    begun = utc("2026-12-01T15:00")
    assert reminders(DAY, begun, quiet=ASLEEP, stages=[HALF]) == ((HALF, utc("2026-12-02T07:00")),)


def test_a_reminder_comes_before_the_night_if_time_is_up_before_its_end() -> None:
    begun = utc("2026-12-01T21:00")
    assert reminders(9 * HOUR, begun, quiet=ASLEEP) == ((HALF, utc("2026-12-01T22:00")),)
    assert reminders(10 * HOUR, begun, quiet=ASLEEP) == ((HALF, utc("2026-12-01T22:00")),)


@pytest.mark.parametrize("begun", ["2026-12-01T22:00", "2026-12-01T23:00"])
def test_a_reminder_stays_in_a_night_that_is_all_there_is(begun: str) -> None:
    found = reminders(4 * HOUR, utc(begun), quiet=ASLEEP, stages=[HALF])
    assert found == ((HALF, utc(begun) + 2 * HOUR),)


def test_a_reminder_at_either_end_of_the_night() -> None:
    at_its_end = reminders(DAY, utc("2026-12-01T19:00"), quiet=ASLEEP, stages=[HALF])
    at_its_beginning = reminders(DAY, utc("2026-12-01T10:00"), quiet=ASLEEP, stages=[HALF])
    assert at_its_end == at_its_beginning == ((HALF, utc("2026-12-02T07:00")),)


def test_reminders_that_meet_after_the_night_are_one() -> None:
    begun = utc("2026-12-01T20:00")
    assert reminders(12 * HOUR, begun, quiet=ASLEEP) == ((HALF, utc("2026-12-02T07:00")),)


def test_the_players_free_days_and_vacations_silence_nothing() -> None:
    busy = Rests(weekdays=(2, 3), vacations=(Stretch(NOON, NOON + 9 * DAY),))
    assert reminders(DAY, quiet=busy) == reminders(DAY)


def test_the_night_is_that_of_the_players_zone_where_clocks_are_moved() -> None:
    berlin = replace(ASLEEP, zone="Europe/Berlin")
    spring, autumn = utc("2026-03-28T12:00"), utc("2026-10-24T12:00")
    assert reminders(DAY, spring, quiet=berlin, stages=[HALF]) == ((HALF, utc("2026-03-29T05:00")),)
    assert reminders(DAY, autumn, quiet=berlin, stages=[HALF]) == ((HALF, utc("2026-10-25T06:00")),)


# ---- Laws, and a second reckoning by minutes ---------------------------------------------------

QUIET = st.builds(Rests, zone=ZONES, night=NIGHTS)


@st.composite
def whole_cases(draw: st.DrawFn) -> Case:
    """Draw a case whose stages fall on whole minutes, on a table with rests or without."""
    case = draw(cases())
    granted = max(case.granted // (20 * MINUTE), 1) * 20 * MINUTE
    rests = case.rests if draw(st.booleans()) else Rests()
    return case._replace(granted=granted, rests=rests)


def ladder_of(
    case: Case, quiet: Rests | None, stages: Collection[str] = STAGES
) -> tuple[Reminder, ...]:
    return ladder(case.policy, [case.rests], case.stops, [asked(case.begun)], quiet, stages)


@given(whole_cases(), QUIET)
@repeatable(80)
def test_each_reminder_is_where_counting_minutes_arrives(case: Case, quiet: Rests) -> None:
    minutes, end = by_minutes(case)
    begun, granted = minute(case.begun), case.granted // MINUTE
    nights = Minutes(quiet, (), begun - 1440, end + 1440).kinds["night"]
    amounts = {HALF: granted // 2, LAST_TENTH: granted * 9 // 10, LAST_HOUR: granted - 60}
    for stage, amount in amounts.items():
        found = ladder_of(case, quiet, [stage])
        if amount <= 0:
            assert found == ()
            continue
        at = minutes.reached(begun, amount)
        assert at is not None
        expected = awake(nights, at - begun + 1440, end - begun + 1440) - 1440 + begun
        assert found == ((stage, moment(expected)),)


def awake(nights: list[bool], at: int, end: int) -> int:
    """Return where a reminder belongs, as places in a list of minutes; the first day is past."""
    if not nights[at]:
        return at
    morning = next(place for place in range(at, len(nights)) if not nights[place])
    evening = next((place for place in range(at, 1440, -1) if not nights[place - 1]), None)
    if morning < end:
        return morning
    return at if evening is None else evening


@given(whole_cases(), QUIET)
@repeatable(80)
def test_no_reminder_wakes_anybody_who_is_awake_before_the_deadline(
    case: Case, quiet: Rests
) -> None:
    end, begun = minute(case.clock.deadline), minute(case.begun)
    nights = Minutes(quiet, (), begun, end + 1).kinds["night"]
    for _, at in ladder_of(case, quiet):
        place = minute(at) - begun
        before = nights[1 : end - begun] if nights[0] else nights[: end - begun]
        in_the_night = nights[place] and nights[place - 1]
        assert not in_the_night or all(before)


@given(whole_cases(), st.none() | QUIET)
@repeatable(80)
def test_reminders_are_in_order_apart_and_within_the_time(case: Case, quiet: Rests | None) -> None:
    found = ladder_of(case, quiet)
    moments = [reminder.at for reminder in found]

    assert all(case.begun < at <= case.clock.deadline for at in moments)
    assert all(late - early >= case.granted / 20 for early, late in pairwise(moments))
    assert len({reminder.stage for reminder in found}) == len(found)


@given(whole_cases(), st.none() | QUIET, st.lists(st.sampled_from(STAGES), unique=True))
@repeatable(80)
def test_a_stage_is_left_out_only_for_an_earlier_one(
    case: Case, quiet: Rests | None, stages: list[str]
) -> None:
    found = dict(ladder_of(case, quiet, stages))
    wanted = [stage for stage in STAGES if stage in stages and ladder_of(case, quiet, [stage])]

    assert set(found) <= set(wanted)
    assert wanted[:1] == [stage for stage in wanted[:1] if stage in found]
    assert all(((stage, at),) == ladder_of(case, quiet, [stage]) for stage, at in found.items())


@given(whole_cases(), st.data())
@repeatable(60)
def test_another_stop_never_makes_a_reminder_earlier(case: Case, data: st.DataObject) -> None:
    more = data.draw(stretches(case.begun, 2, 2 * DAY, 5 * DAY))
    stopped = case._replace(stops=case.stops + more)
    for stage in STAGES:
        for before, after in zip(
            ladder_of(case, None, [stage]), ladder_of(stopped, None, [stage]), strict=True
        ):
            assert before.at <= after.at
