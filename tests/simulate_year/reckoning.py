"""When a clock rests and how long it has run, reckoned a second time: by looking at wall clocks.

Nothing here is shared with ``notifications.clocks``. A night or a day lasts from the first minute
in which a player's clock shows its beginning, or a later time, to the last that shows an earlier
time than its end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

Span = tuple[datetime, datetime]


class Rest(NamedTuple):
    """What rests a player's clocks, for what they are asked from ``since`` on.

    ``night`` is in minutes after local midnight, ``weekdays`` are those of ISO 8601.
    """

    since: datetime
    zone: str
    night: tuple[int, int] | None = None
    weekdays: tuple[int, ...] = ()
    vacations: tuple[Span, ...] = ()

    def nights(self, since: datetime, until: datetime) -> Iterator[Span]:
        """Yield the nights around two moments."""
        if self.night is None:
            return
        begins, ends = self.night
        for day in self._days(since, until):
            over = DAY if ends < begins else timedelta(0)
            midnight = datetime.combine(day, time())
            yield (
                first_showing(self.zone, midnight + begins * MINUTE),
                last_before(self.zone, midnight + over + ends * MINUTE),
            )

    def spans(self, since: datetime, until: datetime) -> list[Span]:
        """Return everything that rests a clock around two moments."""
        free = [day for day in self._days(since, until) if day.isoweekday() in self.weekdays]
        days = (whole_days(self.zone, day, day) for day in free)
        return [*self.nights(since, until), *days, *self.vacations]

    def sleeps_at(self, moment: datetime) -> bool:
        """Tell whether a moment lies in a night."""
        return within(moment, self.nights(moment, moment))

    def is_away_at(self, moment: datetime) -> bool:
        """Tell whether a moment lies in a vacation."""
        return within(moment, self.vacations)

    def _days(self, since: datetime, until: datetime) -> Iterator[date]:
        day, last = since.date() - 2 * DAY, until.date() + DAY
        while day <= last:
            yield day
            day += DAY


def whole_days(zone: str, first: date, last: date) -> Span:
    """Return the time from the beginning of one local day to the end of another."""
    begins, ends = (datetime.combine(day, time()) for day in (first, last + DAY))
    return first_showing(zone, begins), last_before(zone, ends)


@lru_cache(maxsize=200_000)
def first_showing(zone: str, local: datetime) -> datetime:
    """Return the first minute in which a clock shows a local time or a later one."""
    minutes = _minutes_around(zone, local)
    return next(minute for minute in minutes if shown(zone, minute) >= local)


@lru_cache(maxsize=200_000)
def last_before(zone: str, local: datetime) -> datetime:
    """Return the minute after the last one in which a clock shows less than a local time."""
    minutes = reversed(_minutes_around(zone, local))
    return next(minute for minute in minutes if shown(zone, minute) < local) + MINUTE


def shown(zone: str, moment: datetime) -> datetime:
    """Return what a clock shows at a moment."""
    return moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None)


def _minutes_around(zone: str, local: datetime) -> list[datetime]:
    """Return the minutes to look at: the two around a local time, or hours if clocks are moved."""
    about = local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
    before, after = about - 3 * HOUR, about + 3 * HOUR
    is_calm = shown(zone, after) - shown(zone, before) == after - before
    reach = 1 if is_calm else 130
    return [about + minutes * MINUTE for minutes in range(-reach, reach + 1)]


def within(moment: datetime, spans: Iterable[Span]) -> bool:
    """Tell whether a moment lies in one of some spans."""
    return any(begin <= moment < end for begin, end in spans)


def ran(begun: datetime, until: datetime, spans: Iterable[Span]) -> timedelta:
    """Return how long a clock has run between two moments, outside what rests it."""
    running, at = timedelta(0), begun
    for begin, end in sorted(spans):
        if begin >= until:
            break
        running += max(begin - at, timedelta(0))
        at = max(at, end)
    return running + max(until - at, timedelta(0))
