"""When a notice may go out, and which one a younger one overtakes: pure (docs/mail.md, *Rhythm*).

Mails without a game (signing in, addresses) and answers to a player's own mails never wait.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, time
from typing import NamedTuple
from zoneinfo import ZoneInfo

import msgspec

from dewan_site.accounts.models import Rhythm
from notifications import notices
from notifications.rests import DAY, HOUR, MINUTE, Rests, first_shown, nights, union

OFF = "off"
"""The rhythm of a game whose mails its player wants none of."""

COLLECTED = (Rhythm.BATCHED, Rhythm.DAILY)
"""The rhythms in which notices wait to be one mail."""

COLLECTING = 15 * MINUTE
"""How long a batch waits for more, from the first notice on."""

APART = 4 * HOUR
"""How much time there is between two batches, at least."""

TOO_LATE = HOUR
"""What would be told so shortly before its deadline, or after it, does not wait to be collected."""

LATE = 15 * MINUTE
"""Notices of one game that have waited for so long, for whatever reason, become one mail."""


class Preferences(msgspec.Struct, frozen=True):
    """How a player wants the mails of a game; ``quiet`` are local times of day, from and until."""

    rhythm: str = Rhythm.AT_ONCE
    zone: str = "UTC"
    digest_at: time = time(8)
    quiet: tuple[time, time] | None = None


def when(
    preferences: Preferences,
    due_at: datetime,
    last_collected_at: datetime | None = None,
    deadline: datetime | None = None,
) -> datetime:
    """Return when a notice may go out that could go out at ``due_at``.

    ``last_collected_at`` is when the player last got a batch. ``deadline`` is that of what the
    notice asks: if the collected mail came too late for it, the notice goes by itself.
    """
    at = awake(preferences, _collected(preferences, due_at, last_collected_at))
    if deadline is not None and at > deadline - TOO_LATE:
        return awake(preferences, due_at)
    return at


def _collected(preferences: Preferences, due_at: datetime, last: datetime | None) -> datetime:
    match preferences.rhythm:
        case Rhythm.BATCHED:
            collected = due_at + COLLECTING
            return max(collected, last + APART) if last else collected
        case Rhythm.DAILY:
            return _next_digest(preferences, due_at)
    return due_at


def _next_digest(preferences: Preferences, at: datetime) -> datetime:
    """Return the first moment from ``at`` on at which clocks show the time of the daily mail.

    If they skip it that day, it is the next they show; if they show it twice, it is the first.
    """
    day = at.astimezone(ZoneInfo(preferences.zone)).date() - DAY
    while True:
        moment = first_shown(preferences.zone, datetime.combine(day, preferences.digest_at))
        if moment >= at:
            return moment
        day += DAY


def awake(preferences: Preferences, at: datetime) -> datetime:
    """Return a moment, or the end of the quiet hours that it lies in."""
    if preferences.quiet is None:
        return at
    begins, ends = (60 * end.hour + end.minute for end in preferences.quiet)
    quiet = Rests(zone=preferences.zone, night=(begins, ends))
    hours = union(nights(quiet, at, at + DAY))
    return next((end for start, end in hours if start <= at < end), at)


# ---- Which notice another one overtakes --------------------------------------------------------


class Notice(NamedTuple):
    """A notice of a game and seat, as far as it matters to the others; a younger one is ``>``."""

    pk: int
    kind: str
    decision: str


_OF_THE_SAME_QUESTION: dict[str, frozenset[str]] = {
    notices.TURN: frozenset({notices.REMINDER, notices.TAKEN_BACK}),
    notices.REMINDER: frozenset({notices.REMINDER, notices.TAKEN_BACK}),
}
"""Which younger mails about the same question say all that one says."""

_THE_END = frozenset({notices.GAME_OVER, notices.CANCELLED})
_ASKING = frozenset({notices.TURN, notices.REMINDER})

_OF_THE_SEAT: dict[str, frozenset[str]] = {
    notices.TURN: _THE_END,
    notices.REMINDER: _THE_END,
    notices.TAKEN_BACK: _ASKING | _THE_END,
    notices.PAUSED: _THE_END | {notices.RESUMED},
    notices.RESUMED: _THE_END | {notices.PAUSED},
    notices.OUTAGE: _ASKING | _THE_END | {notices.OUTAGE},
    notices.PROPOSAL: _THE_END,
}
"""Which younger mails to the same seat make one pointless. Facts are missing: all are told."""


def overtaking(notice: Notice, others: Iterable[Notice]) -> Notice | None:
    """Return what overtakes a notice, among the notices of the same game and seat."""
    about, after = (table.get(notice.kind) for table in (_OF_THE_SAME_QUESTION, _OF_THE_SEAT))
    for other in sorted(others):
        is_about = other.decision == notice.decision and other.kind in (about or ())
        if other.pk > notice.pk and (is_about or other.kind in (after or ())):
            return other
    return None
