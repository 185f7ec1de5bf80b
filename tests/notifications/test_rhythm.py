"""When a notice may go out: at once, in a batch, once a day, never in the quiet hours."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications import notices, rhythm
from notifications.rhythm import APART, COLLECTING, Notice, Preferences, overtaking, when
from tests.notifications.test_deadlines import CHANGES, NIGHTS, ZONES, at_night, minute, offset, utc

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
BERLIN = "Europe/Berlin"
QUIET = (time(22), time(7))
NIGHTLY = Preferences(zone=BERLIN, quiet=QUIET)


# ---- At once, and quiet hours ------------------------------------------------------------------


def test_at_once_is_at_once() -> None:
    assert when(Preferences(), NOON) == NOON


@pytest.mark.parametrize(
    ("at", "then"),
    [
        ("2026-12-01T20:59", "2026-12-01T20:59"),
        ("2026-12-01T21:00", "2026-12-02T06:00"),
        ("2026-12-02T05:59", "2026-12-02T06:00"),
        ("2026-12-02T06:00", "2026-12-02T06:00"),
        ("2026-03-28T23:00", "2026-03-29T05:00"),  # the night to summer time
        ("2026-10-24T22:00", "2026-10-25T06:00"),  # the night to winter time
    ],
)
def test_what_falls_into_the_quiet_hours_waits_for_their_end(at: str, then: str) -> None:
    assert when(NIGHTLY, utc(at)) == utc(then)


def test_quiet_hours_can_be_most_of_the_day() -> None:
    evenings_only = Preferences(zone=BERLIN, quiet=(time(20), time(18)))
    assert when(evenings_only, utc("2026-12-01T19:30")) == utc("2026-12-02T17:00")
    assert when(evenings_only, utc("2026-12-01T17:30")) == utc("2026-12-01T17:30")


# ---- Batches -----------------------------------------------------------------------------------


def test_a_batch_waits_a_little_for_more() -> None:
    assert when(Preferences(rhythm="batched"), NOON) == NOON + COLLECTING


def test_batches_keep_apart() -> None:
    batched = Preferences(rhythm="batched")
    assert when(batched, NOON, NOON - HOUR) == NOON - HOUR + APART
    assert when(batched, NOON, NOON - DAY) == NOON + COLLECTING


def test_a_batch_keeps_out_of_the_quiet_hours() -> None:
    batched = Preferences(rhythm="batched", zone=BERLIN, quiet=QUIET)
    assert when(batched, utc("2026-12-01T20:50")) == utc("2026-12-02T06:00")


@given(st.lists(st.integers(0, 2000), min_size=1, max_size=20))
def test_of_many_notices_come_few_batches_and_none_waits_for_long(minutes: list[int]) -> None:
    batched, last, sent = Preferences(rhythm="batched"), None, []
    waiting = sorted(NOON + m * MINUTE for m in minutes)
    while waiting:
        now = min(when(batched, due, last) for due in waiting)
        gone = [due for due in waiting if due <= now]
        assert gone
        assert all(now - due <= APART for due in gone)
        waiting = [due for due in waiting if due > now]
        sent.append(now)
        last = now
    assert all(after - before >= APART for before, after in pairwise(sent))


# ---- Once a day --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("due", "at", "then"),
    [
        ("2026-12-01T06:59", time(8), "2026-12-01T07:00"),
        ("2026-12-01T07:00", time(8), "2026-12-01T07:00"),
        ("2026-12-01T07:01", time(8), "2026-12-02T07:00"),
        ("2026-03-28T12:00", time(8), "2026-03-29T06:00"),  # an hour earlier in UTC
        ("2026-03-28T12:00", time(2, 30), "2026-03-29T01:00"),  # clocks never show it
        ("2026-10-24T12:00", time(2, 30), "2026-10-25T00:30"),  # they show it twice
        ("2026-10-25T01:00", time(2, 30), "2026-10-26T01:30"),
    ],
)
def test_a_daily_mail_comes_at_its_local_hour(due: str, at: time, then: str) -> None:
    daily = Preferences(rhythm="daily", zone=BERLIN, digest_at=at)
    assert when(daily, utc(due)) == utc(then)


def test_a_daily_mail_in_the_quiet_hours_comes_after_them() -> None:
    early = Preferences(rhythm="daily", zone=BERLIN, digest_at=time(5), quiet=QUIET)
    assert when(early, utc("2026-12-01T12:00")) == utc("2026-12-02T06:00")


# ---- What cannot wait --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["batched", "daily"])
def test_what_would_come_too_late_to_answer_does_not_wait(name: str) -> None:
    wanted = Preferences(rhythm=name)
    collected = when(wanted, NOON)
    assert when(wanted, NOON, deadline=collected + HOUR) == collected
    assert when(wanted, NOON, deadline=collected + HOUR - MINUTE) == NOON


def test_even_that_keeps_out_of_the_quiet_hours() -> None:
    daily = Preferences(rhythm="daily", zone=BERLIN, quiet=QUIET)
    night = utc("2026-12-01T23:00")
    assert when(daily, night, deadline=night + 3 * HOUR) == utc("2026-12-02T06:00")


# ---- Anywhere, on any day ----------------------------------------------------------------------

START, LENGTH = 3 * 1440, 7 * 1440


class Wall:
    """What clocks show in a zone around a moment, minute by minute."""

    def __init__(self, zone: str, around: datetime) -> None:
        self.since = minute(around) - START
        minutes = range(self.since, self.since + LENGTH)
        shown = [m + offset(zone, m // 15) for m in minutes]
        self.highest = list(accumulate(shown, max))
        self.lowest = list(accumulate(shown[::-1], min))[::-1]

    def digest(self, due: int, at: int) -> int:
        """Return the first minute from one on at which a time of day is reached."""
        days = range(self.highest[0] // 1440 + 1, self.highest[-1] // 1440)
        reached = [
            next(m for m, high in enumerate(self.highest) if high >= day * 1440 + at)
            for day in days
        ]
        return next(m for m in reached if m >= due)

    def awake(self, at: int, quiet: tuple[int, int]) -> int:
        """Return the first minute from one on that is not in the quiet hours."""
        asleep = at_night(quiet, self.highest, self.lowest)
        return next(m for m in range(at, LENGTH) if not asleep[m])


@st.composite
def moments(draw: st.DrawFn) -> tuple[str, datetime]:
    """Draw a zone and a moment, often near a change of its clocks."""
    zone = draw(ZONES)
    around = utc(draw(st.sampled_from(CHANGES[zone])))
    return zone, around + draw(st.integers(-1440, 1440)) * MINUTE


def of_day(minutes: int) -> time:
    return time(minutes // 60, minutes % 60)


@given(moments(), st.integers(0, 1439))
def test_a_daily_mail_is_due_when_clocks_first_reach_its_time(
    moment: tuple[str, datetime], at: int
) -> None:
    zone, due = moment
    wall = Wall(zone, due)
    found = when(Preferences(rhythm="daily", zone=zone, digest_at=of_day(at)), due)
    assert minute(found) - wall.since == wall.digest(START, at)
    assert found - due <= 26 * HOUR


@given(moments(), NIGHTS)
def test_nothing_goes_out_in_the_quiet_hours(
    moment: tuple[str, datetime], quiet: tuple[int, int]
) -> None:
    zone, due = moment
    wanted = Preferences(zone=zone, quiet=(of_day(quiet[0]), of_day(quiet[1])))
    wall, found = Wall(zone, due), when(wanted, due)
    assert minute(found) - wall.since == wall.awake(START, quiet)
    assert when(wanted, found) == found


# ---- Which notice another one overtakes --------------------------------------------------------


def overtaken(*kinds: str, decision: str = "7-1") -> list[str]:
    """Return those of some mails to a seat, written in this order, that are still to be sent."""
    mails = [Notice(number, kind, decision) for number, kind in enumerate(kinds)]
    return [mail.kind for mail in mails if overtaking(mail, mails) is None]


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        (["turn", "reminder"], ["reminder"]),
        (["reminder", "reminder"], ["reminder"]),
        (["turn", "reminder", "answer"], ["reminder", "answer"]),
        (["turn", "taken_back"], ["taken_back"]),
        (["turn", "cancelled"], ["cancelled"]),
        (["paused", "resumed"], ["resumed"]),
        (["paused", "resumed", "paused"], ["paused"]),
        (["outage", "turn"], ["turn"]),
        (["paused", "outage", "game_over"], ["game_over"]),
        (["proposal", "cancelled"], ["cancelled"]),
        (["started", "turn", "game_over"], ["started", "game_over"]),
        (["timed_out", "turn"], ["timed_out", "turn"]),
        (["seat_left", "seat_left", "game_over"], ["seat_left", "seat_left", "game_over"]),
        (["miss_excused", "away", "turn"], ["miss_excused", "away", "turn"]),
    ],
)
def test_of_what_waits_the_youngest_is_told_and_every_fact(
    written: list[str], sent: list[str]
) -> None:
    assert overtaken(*written) == sent


def test_a_reminder_of_another_question_says_nothing_of_this_one() -> None:
    turn, reminder = Notice(1, notices.TURN, "9-1"), Notice(2, notices.REMINDER, "7-1")
    assert overtaking(turn, [turn, reminder]) is None


def test_an_older_mail_overtakes_nothing() -> None:
    turn, taken_back = Notice(2, notices.TURN, "9-1"), Notice(1, notices.TAKEN_BACK, "7-1")
    assert overtaking(turn, [taken_back]) is None
    assert overtaking(taken_back, [turn]) == turn


def test_no_fact_is_ever_overtaken() -> None:
    facts = {
        notices.STARTED,
        notices.TIMED_OUT,
        notices.GAME_OVER,
        notices.CANCELLED,
        notices.MISS_EXCUSED,
        notices.AWAY,
        notices.SEAT_LEFT,
        notices.LEFT,
        notices.TAKEN_OVER,
        notices.REFUSED,
        notices.ANSWER,
    }
    assert not facts & {*rhythm._OF_THE_SAME_QUESTION, *rhythm._OF_THE_SEAT}
