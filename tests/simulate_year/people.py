"""The players of the year: where they live, when they sleep, and how they answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from random import Random
from typing import NamedTuple

from tests.simulate_year.reckoning import DAY, HOUR, MINUTE, Rest

YEAR_BEGINS = datetime(2026, 1, 15, tzinfo=UTC)
"""The year from here on has both changes of the clocks, in every zone that has any."""

PEOPLE = 80
"""How many players there are, however many games they play."""

ZONES = (
    "Europe/Berlin", "Europe/Lisbon", "America/New_York", "America/Santiago", "America/Havana",
    "Asia/Kolkata", "Asia/Tokyo", "Asia/Beirut", "Africa/Cairo", "Africa/Nairobi",
    "Australia/Sydney", "Pacific/Auckland",
)  # fmt: skip
STAGES = ("half", "last_tenth", "last_hour")


class Kind(NamedTuple):
    """How a kind of player answers: after which part of the time they have, and whether at all."""

    weight: int
    pace: tuple[float, float]
    by_day: bool = True
    forgets: float = 0
    takes_holidays: bool = False
    leaves: bool = False
    looks: bool = True
    """Whether they look until when they can answer."""


KINDS = {
    "sleeper": Kind(28, (0.02, 0.5), looks=False),
    "quick": Kind(18, (0, 0.04), by_day=False, looks=False),
    "slow": Kind(14, (0.6, 1.02), by_day=False),
    "holidaymaker": Kind(16, (0.02, 0.4), takes_holidays=True),
    "absent_minded": Kind(14, (0.05, 0.8), forgets=0.12),
    "leaver": Kind(12, (0.02, 0.4), leaves=True),
}


class Plan(NamedTuple):
    """When a player is going to answer, if at all, and why it would be too late."""

    moment: datetime | None
    cause: str


class Change(NamedTuple):
    """What a player changes about their rests in the year: one of them is not None."""

    at: datetime
    vacation: tuple[date, date] | None = None
    night: tuple[int, int] | None = None
    zone: str | None = None


class Person:
    """A player of the year; the same for the same seed and number."""

    def __init__(self, seed: int, number: int) -> None:
        self.number = number
        dice = Random(f"{seed} person {number}")
        kinds, weights = list(KINDS), [kind.weight for kind in KINDS.values()]
        self.name = dice.choices(kinds, weights)[0]
        self.kind = KINDS[self.name]
        self.stages = dice.choice([STAGES, STAGES, STAGES, STAGES[:1], STAGES[1:]])
        night = _night(dice) if dice.random() < 0.8 else None
        weekdays = dice.choice([(), (), (6, 7), (5, 6), (7,)])
        self.rests = [Rest(YEAR_BEGINS, dice.choice(ZONES), night, weekdays)]
        self.changes = list(_changes(dice, self.kind))

    def rest_at(self, moment: datetime) -> Rest:
        """Return the rests that count for what is asked at a moment."""
        return next(rest for rest in reversed(self.rests) if rest.since <= moment)

    def plan(self, asked: datetime, until: datetime, dice: Random) -> Plan:
        """Return when to answer what was asked, knowing until when it can be."""
        if dice.random() < self.kind.forgets:
            return Plan(None, "missed")
        wanted = asked + (until - asked) * dice.uniform(*self.kind.pace) + dice.random() * MINUTE
        awake = self._awake_from(wanted) if self.kind.by_day else wanted
        back = self._back_from(awake) if self.kind.takes_holidays else awake
        if back > awake:
            return Plan(back, "holiday")
        return Plan(back, "asleep" if awake > wanted else "slow")

    def _awake_from(self, moment: datetime) -> datetime:
        """Return a moment, or the morning after it; who has said nothing sleeps as most do."""
        rest = self.rests[-1]
        asleep = rest if rest.night else rest._replace(night=(23 * 60, 7 * 60))
        while asleep.sleeps_at(moment):
            moment += 10 * MINUTE
        return moment

    def _back_from(self, moment: datetime) -> datetime:
        while self.rests[-1].is_away_at(moment):
            moment += 2 * HOUR
        return moment


def _night(dice: Random) -> tuple[int, int]:
    begins = dice.choice([0, 30, 90, 120, 150, 1260, 1320, 1380])
    return begins, (begins + dice.randint(5 * 60, 10 * 60)) % 1440


def _changes(dice: Random, kind: Kind) -> Iterator[Change]:
    """Yield what a player changes in the year: at most 27 days of vacation, at times a night."""
    for _ in range(dice.randint(2, 3) if kind.takes_holidays else 0):
        booked = YEAR_BEGINS + dice.uniform(0, 360) * DAY
        first = booked.date() + dice.randint(1, 25) * DAY
        yield Change(booked, vacation=(first, first + dice.randint(1, 8) * DAY))
    if dice.random() < 0.3:
        yield Change(YEAR_BEGINS + dice.uniform(0, 360) * DAY, night=_night(dice))
    if dice.random() < 0.1:
        yield Change(YEAR_BEGINS + dice.uniform(0, 360) * DAY, zone=dice.choice(ZONES))
