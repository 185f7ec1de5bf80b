"""The clock, pure: until when a seat can answer (docs/clock.md).

Moments are parameters, aware and in UTC; nothing here asks what time it is. Running time is wall
time less the union of all that a clock rests in: a player's nights, free days and vacations
(``notifications.rests``), and the stops that rest every clock (outages and pauses).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from heapq import merge
from itertools import takewhile

import msgspec

from notifications.rests import (
    DAY,
    HOUR,
    LONGEST_NIGHT,
    MOST_VACATION,
    MOST_WEEKDAYS,
    MOVED,
    NOTHING,
    TICK,
    WEEK,
    YEAR,
    Rests,
    Stretch,
    free_days,
    nights,
    union,
)

GAP = timedelta(seconds=60)
"""A silence of the sweep longer than this is an outage: deadlines move by it before any fires."""

GRACE = HOUR
"""After a stop a clock runs at least as long as the stop was, up to this."""


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What a table grants.

    Without a ``bank`` every turn has ``move_time``. With one, a seat begins with ``bank``, every
    further turn adds ``move_time`` to what is left, and it never holds more than ``cap``.
    """

    move_time: timedelta
    bank: timedelta | None = None
    cap: timedelta | None = None

    @property
    def first(self) -> timedelta:
        """What a seat begins with."""
        return self.move_time if self.bank is None else self.capped(self.bank)

    def following(self, left: timedelta) -> timedelta:
        """Return what the next turn has when a turn ended with so much left."""
        return self.move_time if self.bank is None else self.capped(left + self.move_time)

    def capped(self, bank: timedelta) -> timedelta:
        """Return a bank that is no fuller than it can get."""
        return bank if self.cap is None else min(bank, self.cap)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One time in which a seat's clock ran, or runs.

    ``continues``: a question in mid-turn, or reopened by an undo; what was left goes on, and is
    never less than ``at_least``. ``given``: what the operator gave besides. ``granted``: what it
    had without that, if it is known; what it had then does not follow from the history.
    """

    begun: datetime
    ended: datetime | None = None
    continues: bool = False
    at_least: timedelta = NOTHING
    given: timedelta = NOTHING
    granted: timedelta | None = None


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """What a clock shows at a moment.

    ``granted``: all it has, with what the operator gave. ``deadline``: when that has run out.
    ``latest``: the deadline cannot be later, whatever rests the seat has. ``left``: how long it
    has yet to run; nothing in the grace after a stop. ``resting``: what rests it now; ``rests``:
    what will rest it before the deadline, in the order night, weekday,
    vacation, stopped.
    """

    granted: timedelta
    deadline: datetime
    latest: datetime
    left: timedelta
    resting: str | None
    rests: tuple[str, ...]


def deadline(
    policy: Policy,
    rests: Sequence[Rests],
    outages: Sequence[Stretch],
    history: Sequence[Asked],
    now: datetime,
) -> Clock:
    """Return what the clock of the last time in a history shows; only that depends on ``now``."""
    run = last_run(policy, rests, outages, history)
    end, at = run.deadline, max(now, run.begun)
    return Clock(
        granted=run.granted,
        deadline=end,
        latest=run.latest,
        left=run.left(at),
        resting=next(reversed(run.resting(at, at + TICK)), None) if at < end else None,
        rests=run.resting(at, end),
    )


def grant(
    policy: Policy, rests: Sequence[Rests], outages: Sequence[Stretch], history: Sequence[Asked]
) -> timedelta:
    """Return what the last time in a history had, without what the operator gave to it."""
    return last_run(policy, rests, outages, history).base


def running(
    begun: datetime, until: datetime, rests: Rests | None, stops: Iterable[Stretch]
) -> timedelta:
    """Return how long a clock ran between two moments."""
    runs = _runs(begun, until, rests or Rests(), union(stops))
    return sum((end - start for start, end in runs), NOTHING)


# ---- One time in which a clock runs ------------------------------------------------------------


class Run(msgspec.Struct, frozen=True):
    """One time in which a seat's clock ran or runs, with all that its deadline depends on.

    ``base`` is what it had without ``asked.given``; ``floor`` is how far the grace reaches that it
    has from the question it continues; ``stops`` are in order and apart.
    """

    asked: Asked
    base: timedelta
    floor: datetime
    rests: Rests
    stops: tuple[Stretch, ...]

    @property
    def begun(self) -> datetime:
        """When it began."""
        return self.asked.begun

    @property
    def granted(self) -> timedelta:
        """All it has."""
        return self.base + self.asked.given

    def left(self, at: datetime) -> timedelta:
        """Return how long it has yet to run."""
        return max(self.granted - running(self.begun, at, self.rests, self.stops), NOTHING)

    def reached(self, amount: timedelta) -> datetime:
        """Return when it has run so long; what is corrupt does not keep it from ending."""
        return self._after(self.begun, amount)

    def _after(self, since: datetime, amount: timedelta) -> datetime:
        """Return when it has run so long since a moment."""
        if amount <= NOTHING:
            return since
        if self.rests.are_none and not self._own_stops():
            return since + amount
        bound = self._bound(since, amount)
        for start, end in _runs(since, bound, self.rests, self.stops):
            if amount <= end - start:
                return start + amount
            amount -= end - start
        return bound

    @property
    def deadline(self) -> datetime:
        """When its time is up."""
        return self._graced(self.reached(self.granted))

    @property
    def latest(self) -> datetime:
        """The moment that the deadline cannot be later than."""
        return self._graced(self._bound(self.begun, self.granted))

    @property
    def grace(self) -> datetime:
        """How far the grace after its stops reaches."""
        return self._grace(self.reached(self.granted))

    def resting(self, since: datetime, until: datetime) -> tuple[str, ...]:
        """Return what rests it at some time between two moments."""
        kinds = {
            "night": nights(self.rests, since, until),
            "weekday": free_days(self.rests, since, until),
            "vacation": self.rests.vacations,
            "stopped": self.stops,
        }
        return tuple(kind for kind, rests in kinds.items() if _any_within(rests, since, until))

    def _graced(self, reckoned: datetime) -> datetime:
        return max(reckoned, self._grace(reckoned))

    def _grace(self, reckoned: datetime) -> datetime:
        floor, ended = self.floor, self.asked.ended
        for start, end in self._own_stops():
            until = max(reckoned, floor)
            if start < (until if ended is None else min(until, ended)):
                floor = max(floor, self._after(end, min(end - start, GRACE)))
        return floor

    def _own_stops(self) -> tuple[Stretch, ...]:
        return self.stops[bisect_left(self.stops, self.begun + TICK, key=lambda stop: stop.end) :]

    def _bound(self, since: datetime, amount: timedelta) -> datetime:
        """Return the moment by which it has run so long since another, whatever rests it."""
        stops = (stop for stop in self._own_stops() if stop.end > since)
        blocks = merge(_counted(self.rests, since), stops)
        return since + _longest(since, amount, self.rests, blocks)


def last_run(
    policy: Policy, rests: Sequence[Rests], outages: Sequence[Stretch], history: Sequence[Asked]
) -> Run:
    """Return the last time in a history, which is in order and not empty."""
    stops = union(outages)
    run: Run | None = None
    for asked in history[_first_that_matters(history) :]:
        run = Run(
            asked,
            _granted(policy, run, asked),
            _floor(run, asked),
            _in_force(rests, asked.begun),
            stops,
        )
    assert run, "a history is not empty"
    return run


def _first_that_matters(history: Sequence[Asked]) -> int:
    known = (
        place
        for place in reversed(range(len(history)))
        if history[place].granted is not None and not history[place].continues
    )
    return next(known, 0)


def _in_force(rests: Sequence[Rests], begun: datetime) -> Rests:
    return next((version for version in reversed(rests) if version.since <= begun), Rests())


def _granted(policy: Policy, before: Run | None, asked: Asked) -> timedelta:
    if asked.granted is not None:
        return asked.granted
    if before is None:
        return policy.first
    left = before.left(before.asked.ended or asked.begun)
    return max(left, asked.at_least) if asked.continues else policy.following(left)


def _floor(before: Run | None, asked: Asked) -> datetime:
    """Return how far the grace reaches that a question has from the one it continues."""
    if before is None or not asked.continues:
        return asked.begun
    return asked.begun + max(before.grace - (before.asked.ended or asked.begun), NOTHING)


# ---- When a clock runs -------------------------------------------------------------------------


def _runs(
    at: datetime, until: datetime, rests: Rests, stops: Sequence[Stretch]
) -> Iterator[Stretch]:
    """Yield the stretches in which a clock runs; a long stop is not gone through day by day."""
    for start, end in union([*stops, *rests.vacations]):
        if at < end:
            yield from _runs_by_day(at, min(start, until), rests)
            at = end
    yield from _runs_by_day(at, until, rests)


def _runs_by_day(at: datetime, until: datetime, rests: Rests) -> Iterator[Stretch]:
    if at >= until:
        return
    daily = merge(nights(rests, at, until), free_days(rests, at, until))
    for start, end in takewhile(lambda rest: rest.start < until, daily):
        if at < start:
            yield Stretch(at, start)
        at = max(at, end)
    if at < until:
        yield Stretch(at, until)


def _any_within(rests: Iterable[Stretch], since: datetime, until: datetime) -> bool:
    return any(max(start, since) < min(end, until) for start, end in rests)


# ---- The latest moment -------------------------------------------------------------------------


def _longest(
    begun: datetime, granted: timedelta, rests: Rests, blocks: Iterable[Stretch]
) -> timedelta:
    """Return what a clock takes at most to run out, given that its player's rests are admissible.

    In seven days of a player's wall clock, whenever they begin, F days are free and each time
    of day comes 7 - F times outside them. So nights of N rest it another (7 - F) * N: together
    R, at most 2 * 24 + 5 * 12 = 108 hours. It runs for the other 168 - R. Where clocks are moved
    forward by M, both the week and its running time are shorter by at most M; where they are
    moved back, the week is longer by M and runs no less. For M up to 5 hours

        length of the week <= its running time * 168 / (168 - R - 5)

    and what remains after the last whole week rests for at most R + M. So for any time on end:
    length <= running time * factor + reserve; factor is 168 / 55 and reserve 113 hours at most.

    A block (stop or vacation) parts the time. Either each part has a reserve of its own: the
    block costs its length and one more reserve. Or it counts as if the clock had run in it:
    it costs its length times the factor. The lesser of the two holds, for each block by itself.
    """
    rest = _rest_of_a_week(rests)
    reserve = rest + MOVED if rest else NOTHING
    total = _stretched(granted, reserve) + reserve
    for start, end in blocks:
        if start >= begun + total:
            break
        length = end - max(start, begun)
        total += min(_stretched(length, reserve), length + reserve)
    return total


def _stretched(span: timedelta, reserve: timedelta) -> timedelta:
    return span * (WEEK / (WEEK - reserve))


def _rest_of_a_week(rests: Rests) -> timedelta:
    free = min(len(set(rests.weekdays)), MOST_WEEKDAYS)
    return free * DAY + (7 - free) * min(rests.night_length, LONGEST_NIGHT)


def _counted(rests: Rests, begun: datetime) -> Iterator[Stretch]:
    """Yield the vacations after a moment, each cut to what there can be up to its end."""
    counted = NOTHING
    for start, end in union(rests.vacations):
        years = (end - begun) // YEAR + 1
        length = min(end - max(start, begun), years * MOST_VACATION - counted)
        if length > NOTHING:
            counted += length
            yield Stretch(max(start, begun), max(start, begun) + length)
