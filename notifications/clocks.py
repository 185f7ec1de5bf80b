"""Deadlines and reminders: pure functions of moments in UTC (docs/clock.md)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

HALF = "half"
LAST_TENTH = "last_tenth"
_PARTS = {HALF: 0.5, LAST_TENTH: 0.9}

GAP = timedelta(seconds=60)
"""A silence of the sweep longer than this is an outage: deadlines move by it before any fires."""


class Reminder(NamedTuple):
    """When a reminder falls due, and which of the two it is."""

    stage: str
    at: datetime


class Outage(NamedTuple):
    """A time in which the service did not sweep; the clocks that ran get it back."""

    start: datetime
    end: datetime


def reminder_after(
    asked_at: datetime, deadline: datetime, moment: datetime, after_stage: str = ""
) -> Reminder | None:
    """Return the first reminder that falls due after a moment, and after a stage already sent."""
    stages = list(_PARTS)
    for stage in stages[stages.index(after_stage) + 1 if after_stage else 0 :]:
        at = asked_at + (deadline - asked_at) * _PARTS[stage]
        if at > moment:
            return Reminder(stage, at)
    return None


def credited(asked_at: datetime, deadline: datetime, outages: Iterable[Outage]) -> datetime:
    """Return a deadline with the time of each outage given back that fell into its run.

    Each outage is judged against the deadline as the earlier ones left it.
    """
    for start, end in sorted(outages):
        if asked_at < end and start < deadline:
            deadline += end - max(start, asked_at)
    return deadline
