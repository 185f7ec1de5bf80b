"""What rests a player's clock, pure: nights, free days, vacations, as times in UTC (docs/clock.md).

Local time only says where a night or a day begins and ends; all arithmetic is done in UTC.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

import msgspec

NOTHING, TICK = timedelta(0), timedelta.resolution
SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
DAY, WEEK = timedelta(days=1), timedelta(weeks=1)

LONGEST_NIGHT = 12 * HOUR
MOST_WEEKDAYS = 2

MOVED = 5 * HOUR
"""By so much, at most, clocks are moved in a week anywhere (by 1 or 2 hours as a rule)."""

MOST_VACATION, YEAR = 30 * DAY + MOVED, 365 * DAY
"""So much of any ``YEAR`` can be vacation: 30 days of a player's clock."""


class Stretch(NamedTuple):
    """An outage, a pause or a vacation: from its start up to, and without, its end."""

    start: datetime
    end: datetime


class Rests(msgspec.Struct, frozen=True, kw_only=True):
    """When one player's clock rests; in force for what is asked ``since`` then.

    ``night`` is in minutes after local midnight: 22:00 to 07:00 is ``(1320, 420)``.
    ``weekdays`` are those of ISO 8601, 1 is Monday.
    """

    zone: str = "UTC"
    night: tuple[int, int] | None = None
    weekdays: tuple[int, ...] = ()
    vacations: tuple[Stretch, ...] = ()
    since: datetime = datetime.min.replace(tzinfo=UTC)

    @property
    def are_none(self) -> bool:
        """Tell whether the clock never rests."""
        return not (self.night or self.weekdays or self.vacations)

    @property
    def night_length(self) -> timedelta:
        """How long a night is by the wall clock."""
        return (self.night[1] - self.night[0]) % (DAY // MINUTE) * MINUTE if self.night else NOTHING


def union(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    """Return stretches in order and apart that cover what the given ones cover."""
    apart: list[Stretch] = []
    for start, end in sorted(stretch for stretch in stretches if stretch.start < stretch.end):
        if apart and start <= apart[-1].end:
            apart[-1] = Stretch(apart[-1].start, max(apart[-1].end, end))
        else:
            apart.append(Stretch(start, end))
    return tuple(apart)


# ---- Nights and free days ----------------------------------------------------------------------


def nights(rests: Rests, since: datetime, until: datetime) -> Iterator[Stretch]:
    """Yield the nights that may lie between two moments, in order."""
    if rests.night and rests.night_length:
        begins = rests.night[0] * MINUTE
        for day in _dates(rests.zone, since, until):
            yield _stretch(rests.zone, day, begins, begins + rests.night_length)


def free_days(rests: Rests, since: datetime, until: datetime) -> Iterator[Stretch]:
    """Yield the free days that may lie between two moments, in order."""
    if rests.weekdays:
        for day in _dates(rests.zone, since, until):
            if day.isoweekday() in rests.weekdays:
                yield _stretch(rests.zone, day, NOTHING, DAY)


def _dates(zone: str, since: datetime, until: datetime) -> Iterator[date]:
    """Yield the dates whose night or day may lie between two moments."""
    tz = _zone(zone)
    day, last = since.astimezone(tz).date() - DAY, until.astimezone(tz).date()
    while day <= last:
        yield day
        day += DAY


@lru_cache(maxsize=10_000)
def _stretch(zone: str, day: date, begins: timedelta, ends: timedelta) -> Stretch:
    midnight = datetime.combine(day, time())
    return Stretch(first_shown(zone, midnight + begins), _last_before(zone, midnight + ends))


def first_shown(zone: str, local: datetime) -> datetime:
    """Return the first moment at which clocks show a local time, or a later one if they skip it."""
    first, second = _moments(zone, local)
    if first <= second:
        return first
    seconds = range((first - second) // SECOND + 1)
    skip = bisect_left(seconds, local, key=lambda s: _shown(zone, second + s * SECOND))
    return second + skip * SECOND


def _last_before(zone: str, local: datetime) -> datetime:
    """Return the moment from which on clocks never again show less than a local time."""
    first, second = _moments(zone, local - TICK)
    return second + TICK if first <= second else first_shown(zone, local)


def _moments(zone: str, local: datetime) -> tuple[datetime, datetime]:
    """Return both moments at which clocks show a local time; a skipped one has them reversed."""
    aware = local.replace(tzinfo=_zone(zone))
    return aware.astimezone(UTC), aware.replace(fold=1).astimezone(UTC)


def _shown(zone: str, moment: datetime) -> datetime:
    """Return what clocks show at a moment."""
    return moment.astimezone(_zone(zone)).replace(tzinfo=None, fold=0)


@lru_cache
def _zone(name: str) -> tzinfo:
    """Return a zone; one that is not known any more counts as UTC."""
    return ZoneInfo(name) if name in _zones() else UTC


@lru_cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


# ---- What rests a player can have --------------------------------------------------------------


def problem_with(rests: Rests) -> str | None:
    """Return what is wrong with rests and what would be right, or None."""
    if rests.zone not in _zones():
        return f"“{rests.zone}” is no time zone; write one like Europe/Berlin."
    return _problem_with_night(rests) or _problem_with_days(rests) or _problem_with_vacation(rests)


def _problem_with_night(rests: Rests) -> str | None:
    if rests.night is None:
        return None
    if not all(0 <= minute < DAY // MINUTE for minute in rests.night):
        return "A night begins and ends at a time of day, from 00:00 to 23:59."
    if not NOTHING < rests.night_length <= LONGEST_NIGHT:
        return "A night ends at another time than it begins, at most 12 hours later."
    return None


def _problem_with_days(rests: Rests) -> str | None:
    days = rests.weekdays
    if len(set(days)) < len(days) or not set(days) <= set(range(1, 8)):
        return "Free days are different days of the week, from 1 (Monday) to 7 (Sunday)."
    if len(days) > MOST_WEEKDAYS:
        return f"{len(days)} days a week are too many; at most 2 can be free."
    return None


def _problem_with_vacation(rests: Rests) -> str | None:
    if any(start >= end for start, end in rests.vacations):
        return "A vacation ends after it begins."
    if _most_in_a_year(union(rests.vacations)) > MOST_VACATION:
        return "That is too much vacation; there can be 30 days in any 365, all together."
    return None


def _most_in_a_year(apart: Sequence[Stretch]) -> timedelta:
    """Return how much of a ``YEAR`` stretches cover; it is most in one that ends with one."""
    return max((_in_year_before(end, apart) for _, end in apart), default=NOTHING)


def _in_year_before(moment: datetime, apart: Iterable[Stretch]) -> timedelta:
    spans = [
        min(moment - start, YEAR) - min(moment - end, YEAR) for start, end in apart if end <= moment
    ]
    return sum(spans, NOTHING)
