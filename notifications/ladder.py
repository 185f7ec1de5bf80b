"""When a seat is reminded: pure functions of moments in UTC (docs/clock.md)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple, TypeVar

from notifications.clocks import Asked, Policy, Run, last_run
from notifications.rests import HOUR, NOTHING, Rests, Stretch, nights, union

_Mark = TypeVar("_Mark", datetime, timedelta)

_RUN: dict[str, Callable[[timedelta], timedelta]] = {
    "half": lambda granted: granted / 2,
    "last_tenth": lambda granted: granted * 9 // 10,
    "last_hour": lambda granted: granted - HOUR,
}
"""How long a clock has run when a stage falls due."""

STAGES = tuple(_RUN)
APART = 20
"""Stages that are closer than the granted time divided by this are one: the first of ``STAGES``."""


class Reminder(NamedTuple):
    """When a reminder falls due, and of which stage it is."""

    stage: str
    at: datetime


def ladder(  # noqa: PLR0917 - what a deadline is reckoned from, and two more
    policy: Policy,
    rests: Sequence[Rests],
    outages: Sequence[Stretch],
    history: Sequence[Asked],
    quiet: Rests | None,
    stages: Collection[str],
) -> tuple[Reminder, ...]:
    """Return the reminders of the last time in a history, in order of moment.

    ``quiet`` are the player's own nights, whatever rests the clock: a reminder that would come
    in one comes after it, or before it if that were too late.
    """
    run = last_run(policy, rests, outages, history)
    amounts = {stage: _RUN[stage](run.granted) for stage in STAGES if stage in stages}
    amounts = {stage: amount for stage, amount in amounts.items() if amount > NOTHING}
    moments = {
        stage: _awake(run, run.reached(amount), quiet or Rests())
        for stage, amount in _apart(amounts, run.granted / APART).items()
    }
    reminders = itertools.starmap(Reminder, _apart(moments, run.granted / APART).items())
    return tuple(sorted(reminders, key=lambda reminder: reminder.at))


def _apart(marks: dict[str, _Mark], distance: timedelta) -> dict[str, _Mark]:
    kept: dict[str, _Mark] = {}
    for stage, mark in marks.items():
        if all(abs(mark - other) >= distance for other in kept.values()):
            kept[stage] = mark
    return kept


def _awake(run: Run, at: datetime, quiet: Rests) -> datetime:
    """Return a moment, or one after or before the night it lies in."""
    asleep = (night for night in union(nights(quiet, at, at)) if night.start <= at < night.end)
    night = next(asleep, None)
    if night is None:
        return at
    if night.end < run.deadline:
        return night.end
    return night.start if night.start > run.begun else at
