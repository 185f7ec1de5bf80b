"""Deadlines: what a clock rests in, what stops it, what a turn has; and a second reckoning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from notifications.clocks import Asked, Clock, Policy, deadline, grant, running
from notifications.rests import Rests, Stretch, problem_with, union
from tests.engine.positions import repeatable

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)  # a Tuesday
A_DAY = Policy(move_time=DAY)
BANK = Policy(move_time=DAY, bank=5 * DAY, cap=7 * DAY)
NIGHT = (22 * 60, 7 * 60)
ALL_A_WEEK_CAN = Rests(zone="Europe/Berlin", night=(19 * 60, 7 * 60), weekdays=(6, 7))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def asked(begun: datetime, ended: datetime | None = None, **others: Any) -> Asked:
    return Asked(begun=begun, ended=ended, **others)


def clock(
    *history: Asked,
    policy: Policy = A_DAY,
    rests: Rests | Sequence[Rests] = (),
    stops: Sequence[Stretch] = (),
    now: datetime | None = None,
) -> Clock:
    versions = [rests] if isinstance(rests, Rests) else rests
    return deadline(policy, versions, stops, history, now or history[-1].begun)


# ---- A second reckoning: minute by minute, on what a player's clock shows ----------------------


class Minutes:
    """What the minutes of a time are to a clock, each looked at for itself.

    Minutes are counted from 1970 on. A night or a day lasts from when a player's clock first
    shows its beginning until it last shows a time before its end.
    """

    def __init__(self, rests: Rests, stops: Iterable[Stretch], since: int, until: int) -> None:
        shown = [m + offset(rests.zone, m // 15) for m in range(since - 600, until + 600)]
        highest = list(accumulate(shown, max))[600:-600]
        lowest = list(accumulate(reversed(shown), min))[::-1][600:-600]
        self.since = since
        self.kinds = {
            "night": at_night(rests.night, highest, lowest),
            "weekday": on_days(rests.weekdays, highest, lowest),
            "vacation": covered(rests.vacations, since, until),
            "stopped": covered(stops, since, until),
        }
        self.rests = [any(kinds) for kinds in zip(*self.kinds.values(), strict=True)]

    def running(self, begun: int, until: int) -> int:
        return self.rests[begun - self.since : until - self.since].count(False)

    def resting(self, begun: int, until: int) -> tuple[str, ...]:
        between = slice(begun - self.since, until - self.since)
        return tuple(kind for kind, minutes in self.kinds.items() if any(minutes[between]))

    def reached(self, begun: int, amount: int) -> int | None:
        for minute, rests in enumerate(self.rests[begun - self.since :], begun):
            if not amount:
                return minute
            amount -= not rests
        return None

    def deadline(self, begun: int, granted: int) -> int | None:
        found = self.reached(begun, granted)
        return None if found is None else self._with_grace(begun, found)

    def _with_grace(self, begun: int, reckoned: int) -> int:
        graces = [
            self.reached(end, min(end - start, 60)) or end
            for start, end in self._stops()
            if begun < end and start < reckoned
        ]
        later = max([reckoned, *graces])
        return later if later == reckoned else self._with_grace(begun, later)

    def _stops(self) -> Iterator[tuple[int, int]]:
        minutes = [False, *self.kinds["stopped"], False]
        edges = [m for m in range(1, len(minutes)) if minutes[m] != minutes[m - 1]]
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            yield self.since + start - 1, self.since + end - 1


def minute(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // MINUTE


def moment(minute: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + minute * MINUTE


@cache
def offset(zone: str, quarter: int) -> int:
    shift = moment(quarter * 15).astimezone(ZoneInfo(zone)).utcoffset()
    assert shift is not None
    return shift // MINUTE


def at_night(night: tuple[int, int] | None, highest: list[int], lowest: list[int]) -> list[bool]:
    begins, ends = night or (0, 0)
    length = (ends - begins) % 1440
    shown = zip(highest, lowest, strict=True)
    return [low < begins + (high - begins) // 1440 * 1440 + length for high, low in shown]


def on_days(weekdays: Sequence[int], highest: list[int], lowest: list[int]) -> list[bool]:
    free = [(day + 3) % 7 + 1 in weekdays for day in range(7)]  # 1970 began on a Thursday
    shown = zip(highest, lowest, strict=True)
    return [free[high // 1440 % 7] or free[low // 1440 % 7] for high, low in shown]


def covered(stretches: Iterable[Stretch], since: int, until: int) -> list[bool]:
    minutes = [False] * (until - since)
    for start, end in stretches:
        first, last = max(minute(start), since), min(minute(end), until)
        for rested in range(first, last):
            minutes[rested - since] = True
    return minutes


# ---- Anything a clock can be reckoned from -----------------------------------------------------

CHANGES = {
    "Europe/Berlin": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "Europe/Lisbon": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "Atlantic/Azores": ("2026-03-29T01:00", "2026-10-25T01:00"),
    "America/New_York": ("2026-03-08T07:00", "2026-11-01T06:00"),
    "America/Havana": ("2026-03-08T05:00", "2026-11-01T05:00"),
    "America/Santiago": ("2026-09-06T04:00", "2026-04-05T03:00"),
    "Africa/Cairo": ("2026-04-23T22:00", "2026-10-29T21:00"),
    "Africa/Casablanca": ("2026-03-22T02:00", "2026-02-15T02:00"),
    "Asia/Beirut": ("2026-03-28T22:00", "2026-10-24T21:00"),
    "Asia/Kathmandu": ("2028-02-28T18:15", "2028-02-29T18:15"),  # no change: a leap day
    "Australia/Lord_Howe": ("2026-10-03T15:30", "2026-04-04T15:00"),
    "Australia/Sydney": ("2026-10-03T16:00", "2026-04-04T16:00"),
    "Pacific/Auckland": ("2026-09-26T14:00", "2026-04-04T14:00"),
    "Pacific/Chatham": ("2026-09-26T14:00", "2026-04-04T14:00"),
    "Antarctica/Troll": ("2026-03-29T01:00", "2026-10-25T01:00"),
}
"""When clocks are moved forward, and back."""

ZONES = st.sampled_from(sorted(CHANGES))
NIGHTS = st.builds(
    lambda begins, length: (begins, (begins + length) % 1440),
    st.one_of(st.integers(0, 1439), st.sampled_from([0, 30, 60, 90, 120, 1320, 1410])),
    st.one_of(st.integers(1, 720), st.just(720)),
)
WEEKDAYS = st.lists(st.integers(1, 7), unique=True, max_size=2).map(tuple)
SPANS = st.timedeltas(timedelta(0), 10 * DAY)


def minutes(least: timedelta, most: timedelta) -> st.SearchStrategy[timedelta]:
    return st.integers(least // MINUTE, most // MINUTE).map(lambda m: m * MINUTE)


@st.composite
def stretches(
    draw: st.DrawFn, around: datetime, most: int, longest: timedelta, reach: timedelta
) -> tuple[Stretch, ...]:
    starts = st.lists(minutes(-3 * DAY, reach), max_size=most)
    lengths = st.one_of(minutes(MINUTE, 2 * HOUR), minutes(MINUTE, longest))
    return tuple(Stretch(around + start, around + start + draw(lengths)) for start in draw(starts))


class Case(NamedTuple):
    """A question, what its clock rests in, and how much time it has."""

    begun: datetime
    granted: timedelta
    rests: Rests
    stops: tuple[Stretch, ...]

    @property
    def policy(self) -> Policy:
        return Policy(move_time=self.granted)

    @property
    def clock(self) -> Clock:
        return self.at(self.begun)

    def at(self, now: datetime) -> Clock:
        return deadline(self.policy, [self.rests], self.stops, [asked(self.begun)], now)


@st.composite
def cases(draw: st.DrawFn, most: timedelta = 3 * DAY, length: timedelta = 3 * DAY) -> Case:
    """Draw a question not far from where clocks are moved; at most 3 vacations of a length."""
    zone = draw(ZONES)
    begun = utc(draw(st.sampled_from(CHANGES[zone]))) + draw(minutes(-most - DAY, DAY))
    rests = Rests(
        zone=zone,
        night=draw(st.none() | NIGHTS),
        weekdays=draw(WEEKDAYS),
        vacations=draw(stretches(begun, 3, length, 5 * DAY)),
    )
    stops = draw(stretches(begun, 3, 2 * DAY, 5 * DAY))
    return Case(begun, draw(minutes(timedelta(0), most)), rests, stops)


long_cases = cases(30 * DAY, 10 * DAY)


# ---- The two reckonings agree ------------------------------------------------------------------


def by_minutes(case: Case) -> tuple[Minutes, int]:
    """Return the minutes of a case, as far as its deadline and a little longer, and that."""
    begun, granted = minute(case.begun), case.granted // MINUTE
    for days in (6, 24, 96):
        minutes = Minutes(case.rests, case.stops, begun - 3 * 1440 - 1, begun + days * 1440)
        found = minutes.deadline(begun, granted)
        if found is not None and found < begun + (days - 1) * 1440:
            return minutes, found
    raise AssertionError("this never ends")


@given(cases(), st.data())
@repeatable(120)
def test_a_deadline_is_where_counting_minutes_arrives(case: Case, data: st.DataObject) -> None:
    minutes, found = by_minutes(case)
    now = data.draw(st.integers(minute(case.begun), found + 60))

    shown = case.at(moment(now))

    ran = minutes.running(minute(case.begun), now)
    resting = minutes.resting(now, now + 1) if now < found else ()
    assert shown.deadline == moment(found)
    assert shown.left == max(case.granted - ran * MINUTE, timedelta(0))
    assert shown.resting == (resting[-1] if resting else None)
    assert shown.rests == (minutes.resting(now, found) if now < found else ())


@given(cases(), st.data())
@repeatable(40)
def test_running_time_is_the_minutes_without_rest(case: Case, data: st.DataObject) -> None:
    begun = minute(case.begun)
    until = data.draw(st.integers(begun - 600, begun + 5 * 1440))
    minutes = Minutes(case.rests, case.stops, begun, begun + 5 * 1440)

    ran = running(case.begun, moment(until), case.rests, case.stops)

    assert ran == minutes.running(begun, max(begun, until)) * MINUTE


# ---- Laws --------------------------------------------------------------------------------------


@given(long_cases)
@repeatable(100)
def test_a_deadline_is_never_before_its_time_and_never_after_the_latest(case: Case) -> None:
    assert problem_with(case.rests) is None
    shown = case.clock
    assert case.begun + case.granted <= shown.deadline <= shown.latest


@given(long_cases)
@repeatable(100)
def test_the_latest_moment_cuts_nothing_off(case: Case) -> None:
    """``reached`` stops there; with rests as they can be, the clock has run out before."""
    assert running(case.begun, case.clock.deadline, case.rests, case.stops) >= case.granted


@given(long_cases, SPANS, SPANS)
@repeatable(80)
def test_only_what_is_left_depends_on_the_moment(
    case: Case, one: timedelta, other: timedelta
) -> None:
    early, late = (case.at(case.begun + span) for span in sorted([one, other]))

    assert (early.deadline, early.latest) == (late.deadline, late.latest)
    assert early == case.at(case.begun + min(one, other))
    assert early.left >= late.left >= timedelta(0)
    assert set(early.rests) >= set(late.rests)


@given(long_cases)
@repeatable(80)
def test_the_running_time_up_to_a_deadline_is_what_was_granted(case: Case) -> None:
    """Without stops there is no grace."""
    calm = case._replace(stops=())

    shown = calm.clock

    assert shown.granted == shown.left == case.granted
    assert running(case.begun, shown.deadline, case.rests, ()) == case.granted
    assert calm.at(shown.deadline).left == timedelta(0)


@given(long_cases, SPANS)
@repeatable(60)
def test_more_time_is_never_earlier(case: Case, more: timedelta) -> None:
    longer = case._replace(granted=case.granted + more)
    assert case.clock.deadline <= longer.clock.deadline
    assert case.clock.latest <= longer.clock.latest


@given(long_cases, st.data())
@repeatable(80)
def test_another_stop_never_makes_a_deadline_earlier(case: Case, data: st.DataObject) -> None:
    more = data.draw(stretches(case.begun, 2, 4 * DAY, 20 * DAY))
    stopped = case._replace(stops=case.stops + more)
    assert case.clock.deadline <= stopped.clock.deadline


@given(long_cases)
@repeatable(60)
def test_rests_never_make_a_deadline_earlier(case: Case) -> None:
    restless = case._replace(rests=Rests())
    assert restless.clock.deadline <= case.clock.deadline
    assert restless.clock.latest == restless.clock.deadline


@given(long_cases, st.lists(st.integers(1, 1000), max_size=4))
@repeatable(80)
def test_questions_in_mid_turn_leave_the_deadline_of_the_turn(
    case: Case, places: list[int]
) -> None:
    end = case.clock.deadline
    cuts = [case.begun + (end - case.begun) * place / 1001 for place in sorted(places)]
    parts = zip([case.begun, *cuts], [*cuts, None], strict=True)
    history = [asked(start, stop, continues=start > case.begun) for start, stop in parts]

    whole = deadline(case.policy, [case.rests], case.stops, history, end)

    assert whole.deadline == end


# ---- A whole game of one seat ------------------------------------------------------------------

POLICIES = st.builds(
    Policy,
    move_time=minutes(MINUTE, 5 * DAY),
    bank=st.none() | minutes(timedelta(0), 10 * DAY),
    cap=st.none() | minutes(timedelta(0), 12 * DAY),
)


@st.composite
def histories(draw: st.DrawFn, begun: datetime) -> list[Asked]:
    """Draw the times in which a seat's clock ran; the last one goes on."""
    history: list[Asked] = []
    for _ in range(draw(st.integers(1, 5))):
        ended = begun + draw(minutes(timedelta(0), 4 * DAY))
        continues = draw(st.booleans())
        given, at_least = draw(minutes(timedelta(0), DAY)), draw(minutes(timedelta(0), DAY))
        history.append(asked(begun, ended, continues=continues, given=given, at_least=at_least))
        begun = ended + draw(st.just(timedelta(0)) | minutes(timedelta(0), DAY))
    return [*history[:-1], replace(history[-1], ended=None)]


class Story(NamedTuple):
    """All that the last clock of a seat is reckoned from."""

    policy: Policy
    rests: Rests
    stops: tuple[Stretch, ...]
    history: list[Asked]

    @property
    def clock(self) -> Clock:
        return deadline(self.policy, [self.rests], self.stops, self.history, self.begun)

    @property
    def granted(self) -> timedelta:
        return grant(self.policy, [self.rests], self.stops, self.history)

    @property
    def begun(self) -> datetime:
        return self.history[-1].begun


@st.composite
def stories(draw: st.DrawFn) -> Story:
    case = draw(cases(10 * DAY, 10 * DAY))
    return Story(draw(POLICIES), case.rests, case.stops, draw(histories(case.begun)))


@given(stories(), SPANS)
@repeatable(60)
def test_a_richer_table_or_operator_never_makes_a_deadline_earlier(
    story: Story, more: timedelta
) -> None:
    richer = [
        story._replace(policy=replace(story.policy, move_time=story.policy.move_time + more)),
        story._replace(policy=replace(story.policy, bank=story.policy.bank + more))
        if story.policy.bank is not None
        else story,
        *(story._replace(history=with_gift(story.history, n, more)) for n in range(5)),
    ]
    assert all(story.clock.deadline <= other.clock.deadline for other in richer)


def with_gift(history: list[Asked], place: int, more: timedelta) -> list[Asked]:
    lucky = history[place % len(history)]
    return [replace(a, given=a.given + more) if a is lucky else a for a in history]


@given(stories(), st.data())
@repeatable(60)
def test_another_stop_never_makes_a_later_deadline_of_the_game_earlier(
    story: Story, data: st.DataObject
) -> None:
    more = data.draw(stretches(story.history[0].begun, 2, 4 * DAY, 20 * DAY))
    stopped = story._replace(stops=story.stops + more)
    assert story.granted <= stopped.granted
    assert story.clock.deadline <= stopped.clock.deadline


@given(stories())
@repeatable(60)
def test_a_bank_is_never_fuller_than_it_can_get_nor_overdrawn(story: Story) -> None:
    history = [replace(a, given=timedelta(0), at_least=timedelta(0)) for a in story.history]
    granted = story._replace(history=history).granted

    assert granted >= timedelta(0)
    if story.policy.bank is None:
        assert granted <= story.policy.move_time
    elif story.policy.cap is not None:
        assert granted <= story.policy.cap


@given(stories(), st.integers(0, 4))
@repeatable(60)
def test_what_is_known_of_the_past_need_not_be_reckoned_again(story: Story, place: int) -> None:
    history = story.history[: place + 1]
    granted = grant(story.policy, [story.rests], story.stops, history)
    known = [*history[:-1], replace(history[-1], granted=granted), *story.history[place + 1 :]]

    assert story._replace(history=known).clock == story.clock


# ---- By hand: outages, pauses, grace -----------------------------------------------------------


def test_a_day_with_three_days_of_outage_in_the_middle_ends_three_days_later() -> None:
    outage = Stretch(NOON + 12 * HOUR, NOON + 12 * HOUR + 3 * DAY)
    assert clock(asked(NOON), stops=[outage]).deadline == NOON + 4 * DAY


def test_stops_before_the_question_and_after_the_deadline_change_nothing() -> None:
    stops = [Stretch(NOON - 2 * DAY, NOON), Stretch(NOON + DAY, NOON + 3 * DAY)]
    assert clock(asked(NOON), stops=stops).deadline == NOON + DAY


def test_a_stop_up_to_the_question_gives_it_no_grace() -> None:
    policy = Policy(move_time=5 * MINUTE)
    shown = clock(asked(NOON), policy=policy, stops=[Stretch(NOON - DAY, NOON)])
    assert shown.deadline == NOON + 5 * MINUTE


def test_a_question_put_in_an_outage_loses_only_its_own_part() -> None:
    outage = Stretch(NOON - HOUR, NOON + HOUR)
    assert clock(asked(NOON), stops=[outage]).deadline == NOON + DAY + HOUR


def test_stops_that_overlap_are_counted_once() -> None:
    stops = [
        Stretch(NOON + 5 * HOUR, NOON + 9 * HOUR),
        Stretch(NOON + 2 * HOUR, NOON + 6 * HOUR),
        Stretch(NOON + 3 * HOUR, NOON + 4 * HOUR),
    ]
    assert clock(asked(NOON), stops=stops).deadline == NOON + DAY + 7 * HOUR


def test_an_outage_at_night_takes_nothing_that_the_night_had_not() -> None:
    rests = Rests(night=NIGHT)
    outage = Stretch(NOON + 11 * HOUR, NOON + 20 * HOUR)  # 23:00 to 08:00
    assert clock(asked(NOON), rests=rests, stops=[outage]).deadline == NOON + DAY + 10 * HOUR


@pytest.mark.parametrize(
    ("outage", "grace"),
    [(20 * MINUTE, 20 * MINUTE), (3 * HOUR, HOUR), (3 * DAY, HOUR)],
    ids=str,
)
def test_nobody_runs_out_of_time_in_the_minute_the_service_is_back(
    outage: timedelta, grace: timedelta
) -> None:
    back = NOON + DAY - 5 * MINUTE + outage
    stops = [Stretch(NOON + DAY - 5 * MINUTE, back)]

    shown = clock(asked(NOON), stops=stops, now=back + 10 * MINUTE)

    assert shown.deadline == shown.latest == back + grace
    assert shown.left == timedelta(0)


def test_stops_that_touch_are_one_with_the_grace_of_both() -> None:
    middle = NOON + DAY
    stops = [Stretch(middle - 20 * MINUTE, middle), Stretch(middle, middle + 20 * MINUTE)]
    policy = Policy(move_time=DAY - 19 * MINUTE)
    assert clock(asked(NOON), policy=policy, stops=stops).deadline == middle + HOUR


def test_a_grace_does_not_run_out_in_a_rest() -> None:
    outage = Stretch(NOON + 8 * HOUR + 30 * MINUTE, NOON + 9 * HOUR + 30 * MINUTE)  # to 21:30
    policy = Policy(move_time=HOUR + 5 * MINUTE)
    begun = asked(NOON + 7 * HOUR + 30 * MINUTE)
    shown = clock(begun, policy=policy, rests=Rests(night=NIGHT), stops=[outage])
    assert shown.deadline == NOON + 19 * HOUR + 30 * MINUTE, "30 minutes before the night and after"


def test_a_stop_in_the_grace_after_another_has_its_own() -> None:
    stops = [
        Stretch(NOON + 23 * HOUR, NOON + 30 * HOUR),
        Stretch(NOON + 30 * HOUR + 50 * MINUTE, NOON + 40 * HOUR),
    ]
    policy = Policy(move_time=23 * HOUR + 5 * MINUTE)
    assert clock(asked(NOON), policy=policy, stops=stops).deadline == NOON + 41 * HOUR


def test_grace_goes_on_within_a_turn_and_after_an_undo_but_not_with_the_next_turn() -> None:
    back = NOON + DAY + 3 * HOUR
    stops = [Stretch(back - 3 * HOUR - MINUTE, back)]
    first = asked(NOON, back + 20 * MINUTE)
    hour_later = back + 80 * MINUTE

    follow_up = clock(first, asked(back + 20 * MINUTE, continues=True), stops=stops)
    known = clock(
        first, asked(back + 20 * MINUTE, continues=True, granted=timedelta(0)), stops=stops
    )
    reopened = clock(first, asked(hour_later, continues=True), stops=stops)
    next_turn = clock(
        first,
        asked(hour_later),
        policy=Policy(move_time=10 * MINUTE, bank=DAY),
        stops=stops,
    )

    assert follow_up.deadline == known.deadline == back + HOUR
    assert reopened.deadline == hour_later + 40 * MINUTE
    assert next_turn.deadline == hour_later + 10 * MINUTE


def test_an_outage_that_began_after_the_answer_gives_it_no_grace() -> None:
    ended = NOON + DAY - MINUTE
    stops = [Stretch(ended, ended + 3 * HOUR)]
    reopened = asked(ended + 5 * HOUR, continues=True)
    assert clock(asked(NOON, ended), reopened, stops=stops).left == MINUTE
    assert clock(asked(NOON, ended), reopened, stops=stops).deadline == reopened.begun + MINUTE


# ---- By hand: what a turn has ------------------------------------------------------------------


def test_without_a_bank_every_turn_has_the_time_of_a_move() -> None:
    shown = clock(asked(NOON, NOON + 2 * HOUR), asked(NOON + 5 * HOUR))
    assert (shown.granted, shown.deadline) == (DAY, NOON + 5 * HOUR + DAY)


def test_a_bank_is_used_refilled_by_each_turn_and_capped() -> None:
    history = [
        asked(NOON, NOON + 3 * DAY),  # 5 days: 2 are left
        asked(NOON + 4 * DAY, NOON + 4 * DAY),  # 3 days, none used
        asked(NOON + 5 * DAY, NOON + 10 * DAY),  # 4 days, 5 used
        asked(NOON + 11 * DAY, NOON + 11 * DAY),  # 1 day
        *(asked(NOON + n * DAY, NOON + n * DAY) for n in range(12, 20)),
    ]
    grants = [grant(BANK, (), (), history[:n]) for n in range(1, len(history) + 1)]
    assert [g / DAY for g in grants] == [5, 3, 4, 1, 2, 3, 4, 5, 6, 7, 7, 7]


def test_a_bank_begins_no_fuller_than_it_can_get() -> None:
    assert grant(replace(BANK, cap=4 * DAY), (), (), [asked(NOON)]) == 4 * DAY


def test_a_bank_that_is_empty_is_a_bank() -> None:
    history = [asked(NOON, NOON), asked(NOON)]
    assert grant(replace(BANK, bank=timedelta(0)), (), (), history[:1]) == timedelta(0)
    assert grant(replace(BANK, bank=timedelta(0)), (), (), history) == DAY


def test_a_stop_uses_nothing_of_a_bank() -> None:
    stops = [Stretch(NOON + HOUR, NOON + DAY)]
    history = [asked(NOON, NOON + 2 * DAY), asked(NOON + 3 * DAY)]
    assert grant(BANK, (), stops, history) == 5 * DAY - HOUR


def test_an_undo_goes_on_with_what_was_left_and_at_least_with_what_was_agreed() -> None:
    answered, reopened = asked(NOON, NOON + 23 * HOUR), NOON + 3 * DAY
    plain = clock(answered, asked(reopened, continues=True))
    agreed = clock(answered, asked(reopened, continues=True, at_least=6 * HOUR))
    enough = clock(answered, asked(reopened, continues=True, at_least=30 * MINUTE))
    assert plain.deadline == enough.deadline == reopened + HOUR
    assert agreed.deadline == reopened + 6 * HOUR


def test_what_the_operator_gives_is_for_that_time_and_what_is_left_of_it_stays_in_a_bank() -> None:
    first = asked(NOON, NOON + 2 * DAY, given=DAY)
    assert clock(replace(first, ended=None), policy=BANK).granted == 6 * DAY
    assert grant(BANK, (), (), [first]) == 5 * DAY
    assert grant(BANK, (), (), [first, asked(NOON + 3 * DAY)]) == 5 * DAY
    assert grant(A_DAY, (), (), [first, asked(NOON + 3 * DAY)]) == DAY


# ---- By hand: rests ----------------------------------------------------------------------------


def test_a_free_weekend_does_not_refill_a_clock() -> None:
    friday, monday = utc("2026-12-04T20:00"), utc("2026-12-07T00:00")
    rests = Rests(weekdays=(6, 7))
    over_the_weekend = [
        clock(asked(friday), rests=rests, now=moment).left
        for moment in (friday + 4 * HOUR, friday + 2 * DAY, monday)
    ]
    assert over_the_weekend == [20 * HOUR] * 3
    assert clock(asked(friday), rests=rests).deadline == monday + 20 * HOUR


def test_a_clock_says_what_rests_it_and_what_will() -> None:
    rests = Rests(
        zone="Asia/Kathmandu",
        night=NIGHT,
        weekdays=(6,),
        vacations=(Stretch(utc("2026-12-07T00:00"), utc("2026-12-09T00:00")),),
    )
    begun = utc("2026-12-04T10:00")  # a Friday, 15:45 in Kathmandu

    def shown(now: str) -> tuple[str | None, tuple[str, ...]]:
        at = clock(asked(begun), policy=Policy(move_time=2 * DAY), rests=rests, now=utc(now))
        return at.resting, at.rests

    assert shown("2026-12-04T12:00") == (None, ("night", "weekday", "vacation"))
    assert shown("2026-12-04T16:14") == (None, ("night", "weekday", "vacation"))
    assert shown("2026-12-04T16:15") == ("night", ("night", "weekday", "vacation"))
    assert shown("2026-12-04T18:15") == ("weekday", ("night", "weekday", "vacation"))
    assert shown("2026-12-06T01:15") == (None, ("night", "vacation"))
    assert shown("2026-12-07T17:00") == ("vacation", ("night", "vacation"))
    assert shown("2026-12-20T12:00") == (None, ())


def test_a_clock_that_has_not_begun_shows_what_it_will_begin_with() -> None:
    tuesday = Rests(weekdays=(2,))
    begun = NOON + DAY
    shown = clock(asked(begun), rests=tuesday, now=NOON)
    assert shown == clock(asked(begun), rests=tuesday, now=begun)
    assert (shown.left, shown.resting, shown.rests) == (DAY, None, ())


def test_rests_that_are_changed_count_from_the_next_question() -> None:
    berlin = Rests(zone="Europe/Berlin", night=NIGHT)
    auckland = replace(berlin, zone="Pacific/Auckland", since=utc("2026-12-01T18:00"))
    history = [asked(NOON), asked(utc("2026-12-01T18:00"))]
    first, second = (clock(a, rests=[berlin, auckland]).deadline for a in history)
    # 9 h until 22:00 in Berlin, 15 h from 07:00 = 06:00 UTC on, until 22:00 = 21:00 UTC
    assert first == utc("2026-12-02T21:00")
    # 07:00 in Auckland is 18:00 UTC: 15 h until 22:00, 9 h from the next 07:00 on
    assert second == utc("2026-12-03T03:00")


def test_no_rests_are_in_force_before_the_first() -> None:
    rests = Rests(night=NIGHT, since=NOON + MINUTE)
    assert clock(asked(NOON), rests=rests).deadline == NOON + DAY


@pytest.mark.parametrize(
    ("begun", "end"),
    [
        ("2028-02-28T22:00", "2028-03-01T00:00"),  # the 29th is free in Berlin
        ("2028-02-29T23:00", "2028-03-01T01:00"),
    ],
)
def test_a_leap_day_is_a_day(begun: str, end: str) -> None:
    rests = Rests(zone="Europe/Berlin", weekdays=(2,))
    policy = Policy(move_time=2 * HOUR)
    assert clock(asked(utc(begun)), policy=policy, rests=rests).deadline == utc(end)


SATURDAY, SUNDAY, FRIDAY = (6,), (7,), (5,)
# Each has two hours: one before the rest, one after it. The rest is the last column, by hand.
BY_HAND = [
    ("Europe/Berlin", NIGHT, (), "2026-03-28T20:00", "2026-03-29T06:00"),
    ("Europe/Berlin", NIGHT, (), "2026-10-24T19:00", "2026-10-25T07:00"),
    ("Europe/Berlin", (150, 420), (), "2026-03-29T00:00", "2026-03-29T06:00"),  # from a skipped
    ("Europe/Berlin", (120, 420), (), "2026-10-24T23:00", "2026-10-25T07:00"),  # from the first
    ("Europe/Lisbon", (1320, 90), (), "2026-03-28T21:00", "2026-03-29T02:00"),  # to a skipped
    ("Europe/Lisbon", (1320, 90), (), "2026-10-24T20:00", "2026-10-25T02:30"),  # to the second
    ("Atlantic/Azores", None, SATURDAY, "2026-10-23T23:00", "2026-10-25T01:00"),
    ("America/New_York", NIGHT, (), "2026-03-08T02:00", "2026-03-08T12:00"),
    ("America/New_York", NIGHT, (), "2026-11-01T01:00", "2026-11-01T13:00"),
    ("America/Santiago", (0, 420), (), "2026-09-06T03:00", "2026-09-06T11:00"),
    ("America/Santiago", None, SATURDAY, "2026-09-05T03:00", "2026-09-06T05:00"),
    ("America/Santiago", None, (6, 7), "2026-09-05T03:00", "2026-09-07T04:00"),
    ("America/Santiago", None, SATURDAY, "2026-04-04T02:00", "2026-04-05T05:00"),
    ("Africa/Cairo", None, FRIDAY, "2026-04-23T21:00", "2026-04-24T22:00"),
    ("Africa/Cairo", (1410, 420), (), "2026-10-29T19:30", "2026-10-30T06:00"),
    ("Asia/Beirut", (30, 480), (), "2026-03-28T21:00", "2026-03-29T06:00"),
    ("Asia/Beirut", None, SUNDAY, "2026-10-24T21:00", "2026-10-25T23:00"),
    ("Australia/Lord_Howe", NIGHT, (), "2026-10-03T10:30", "2026-10-03T21:00"),
    ("Australia/Lord_Howe", NIGHT, (), "2026-04-04T10:00", "2026-04-04T21:30"),
    ("Australia/Sydney", NIGHT, (), "2026-10-03T11:00", "2026-10-03T21:00"),
    ("Australia/Sydney", NIGHT, (), "2026-04-04T10:00", "2026-04-04T22:00"),
    ("Pacific/Auckland", NIGHT, (), "2026-09-26T09:00", "2026-09-26T19:00"),
    ("Pacific/Auckland", NIGHT, (), "2026-04-04T08:00", "2026-04-04T20:00"),
]


@pytest.mark.parametrize(("zone", "night", "weekdays", "begun", "end"), BY_HAND)
def test_rests_where_clocks_are_moved(
    zone: str, night: tuple[int, int] | None, weekdays: tuple[int, ...], begun: str, end: str
) -> None:
    rests = Rests(zone=zone, night=night, weekdays=weekdays)
    shown = clock(asked(utc(begun)), policy=Policy(move_time=2 * HOUR), rests=rests)
    assert shown.deadline == utc(end)


def test_a_night_that_clocks_skip_altogether_rests_nothing() -> None:
    rests = Rests(zone="Europe/Berlin", night=(135, 165))  # 02:15 to 02:45
    begun = utc("2026-03-28T23:00")
    shown = clock(asked(begun), policy=Policy(move_time=6 * HOUR), rests=rests)
    assert (shown.deadline, shown.rests) == (begun + 6 * HOUR, ())


# ---- By hand: the latest moment ----------------------------------------------------------------


def latest(rests: Rests, stops: Sequence[Stretch] = ()) -> timedelta:
    return clock(asked(NOON), rests=rests, stops=stops).latest - NOON


def test_the_latest_moment_has_only_the_parts_that_apply() -> None:
    vacation = Stretch(NOON + 2 * HOUR, NOON + 2 * HOUR + 9 * DAY)
    assert latest(Rests()) == DAY
    assert latest(Rests(vacations=(vacation,))) == 10 * DAY
    assert latest(ALL_A_WEEK_CAN) == 24 * HOUR * 168 / 55 + 113 * HOUR
    assert latest(Rests(weekdays=(6, 7))) == 24 * HOUR * 168 / 115 + 53 * HOUR
    assert latest(Rests(night=NIGHT)) == 24 * HOUR * 168 / 100 + 68 * HOUR


def test_a_stop_moves_the_latest_moment_by_no_more_than_it_can_cost() -> None:
    short = [Stretch(NOON + HOUR, NOON + 12 * HOUR)]
    long = [Stretch(NOON + HOUR, NOON + HOUR + 30 * DAY)]
    calm = latest(ALL_A_WEEK_CAN)
    assert latest(ALL_A_WEEK_CAN, short) == calm + 11 * HOUR * 168 / 55
    assert latest(ALL_A_WEEK_CAN, long) == calm + 30 * DAY + 113 * HOUR
    assert latest(Rests(), long) == 31 * DAY


@pytest.mark.parametrize(
    ("weeks", "days", "length", "monday"),
    [
        (12, (0, 1, 2, 3, 4), 12 * HOUR, "2027-03-01"),
        (6, (0,), 4 * DAY + 12 * HOUR, "2027-01-18"),
        (1, (0,), 25 * DAY + 12 * HOUR, "2027-01-04"),
    ],
    ids=["every day from 7 to 7", "from Monday to Friday", "at a stretch"],
)
def test_vacations_that_take_all_that_nights_and_weekends_leave(
    weeks: int, days: Sequence[int], length: timedelta, monday: str
) -> None:
    """The worst that rests can do together does not reach the latest moment."""
    friday, first = utc("2026-12-04T19:00"), utc("2026-12-07T07:00")
    starts = [first + week * 7 * DAY + day * DAY for week in range(weeks) for day in days]
    taken = tuple(Stretch(start, start + length) for start in starts)
    rests = replace(ALL_A_WEEK_CAN, zone="UTC", vacations=taken)

    shown = clock(asked(friday), policy=Policy(move_time=MINUTE), rests=rests)

    assert problem_with(rests) is None
    assert shown.deadline == utc(monday + "T07:01") < shown.latest


def test_a_long_pause_can_have_the_vacations_of_two_years_around_it() -> None:
    days = (0, 30, 395, 425)
    first, pause, second = (Stretch(NOON + a * DAY, NOON + b * DAY) for a, b in pairwise(days))
    rests = Rests(vacations=(first, second))
    assert problem_with(rests) is None
    assert clock(asked(NOON), rests=rests, stops=[pause]).deadline == NOON + 426 * DAY


def test_rests_that_cannot_be_do_not_keep_a_clock_from_ending() -> None:
    year = Stretch(NOON - DAY, NOON + 360 * DAY)
    of_a_year = clock(asked(NOON), rests=Rests(vacations=(year,)))
    of_all_night = clock(asked(NOON), rests=Rests(night=(720, 719)))
    of_all_days = clock(asked(NOON), rests=Rests(weekdays=(1, 2, 3, 4, 5, 6, 7, 8)))
    of_the_end_of_time = clock(
        asked(NOON), rests=Rests(vacations=(Stretch(NOON, datetime.max.replace(tzinfo=UTC)),))
    )
    assert of_a_year.deadline == of_a_year.latest == NOON + 31 * DAY + 5 * HOUR
    assert of_all_night.deadline == of_all_night.latest == NOON + latest(Rests(night=(0, 720)))
    assert of_all_days.deadline == of_all_days.latest == NOON + latest(Rests(weekdays=(1, 2)))
    assert of_the_end_of_time.deadline > NOON + DAY


def test_a_zone_that_is_not_known_any_more_counts_as_utc() -> None:
    lost, plain = Rests(zone="Europe/Atlantis", night=NIGHT), Rests(night=NIGHT)
    assert clock(asked(NOON), rests=lost) == clock(asked(NOON), rests=plain)


# ---- What rests a player can have --------------------------------------------------------------


def vacations(*days: tuple[int, int]) -> Rests:
    return Rests(vacations=tuple(Stretch(NOON + a * DAY, NOON + b * DAY) for a, b in days))


@pytest.mark.parametrize(
    "rests",
    [
        Rests(),
        ALL_A_WEEK_CAN,
        Rests(night=(0, 720)),
        vacations((0, 30)),
        vacations((0, 20), (5, 30)),
        vacations((0, 30), (365, 395)),
        vacations((0, 10), (100, 110), (200, 210), (365, 375)),
        Rests(  # 30 days of Berlin's clocks are an hour more in autumn
            vacations=(Stretch(utc("2026-10-09T22:00"), utc("2026-11-08T23:00")),)
        ),
    ],
    ids=str,
)
def test_rests_a_player_can_have(rests: Rests) -> None:
    assert problem_with(rests) is None


@pytest.mark.parametrize(
    ("rests", "part"),
    [
        (Rests(zone="Berlin"), "like Europe/Berlin"),
        (Rests(zone=""), "like Europe/Berlin"),
        (Rests(zone="../../etc/passwd"), "like Europe/Berlin"),
        (Rests(night=(60, 60)), "at most 12 hours"),
        (Rests(night=(0, 721)), "at most 12 hours"),
        (Rests(night=(1440, 60)), "23:59"),
        (Rests(night=(-1, 60)), "23:59"),
        (Rests(weekdays=(1, 2, 3)), "at most 2"),
        (Rests(weekdays=(1, 1)), "different days"),
        (Rests(weekdays=(0,)), "from 1 (Monday)"),
        (Rests(weekdays=(8,)), "to 7 (Sunday)"),
        (vacations((1, 1)), "ends after it begins"),
        (vacations((2, 1)), "ends after it begins"),
        (vacations((0, 31)), "30 days in any 365"),
        (vacations((0, 30), (40, 41)), "30 days in any 365"),
        (vacations((0, 30), (364, 394)), "30 days in any 365"),
        (vacations((0, 10), (100, 110), (200, 210), (363, 375)), "30 days in any 365"),
        (
            Rests(vacations=(Stretch(NOON, datetime.max.replace(tzinfo=UTC)),)),
            "30 days in any 365",
        ),
    ],
    ids=str,
)
def test_rests_a_player_cannot_have(rests: Rests, part: str) -> None:
    assert part in (problem_with(rests) or "")


# ---- Stretches ---------------------------------------------------------------------------------


@given(st.data())
@repeatable(60)
def test_a_union_is_in_order_apart_and_covers_the_same(data: st.DataObject) -> None:
    given = data.draw(stretches(NOON, 6, DAY, 5 * DAY))
    since, until = minute(NOON - 3 * DAY), minute(NOON + 6 * DAY)

    apart = union([*given, Stretch(NOON, NOON), Stretch(NOON, NOON - DAY)])

    assert covered(apart, since, until) == covered(given, since, until)
    assert all(one.end < other.start for one, other in pairwise(apart))
