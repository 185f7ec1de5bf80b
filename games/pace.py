"""How fast players answer, from what they have answered: shown where a table is chosen.

Honest figures: calendar time from the question to the answer, nights, weekends and all, over the
last ``COUNTED`` turns of the last year; a turn that time ran out on counts as not in time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import timedelta
from statistics import quantiles
from typing import Any, NamedTuple

import msgspec
from django.db.models import F, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from engine.questions import KINDS
from games.models import Decision, Move

COUNTED = 200
"""How many of a player's last turns count, at most."""

FEWEST = 5
"""Of how many turns there are figures at all."""

YEAR = timedelta(days=365)
_OWN_TURNS = [kind for kind, facts in KINDS.items() if not (facts.in_mid_turn or facts.sealed)]


class Pace(msgspec.Struct, frozen=True):
    """Of so many turns, the median and the 90th percentile of the answer time, and the share.

    ``median`` and ``slow`` are in seconds, of those answered by the player; ``in_time`` is the
    share of all turns that the player answered before time was up, from 0 to 1.
    """

    turns: int
    median: int
    slow: int
    in_time: float


def paces_of(players: Collection[int]) -> dict[int, Pace]:
    """Return the pace of players who have been asked often enough, by player."""
    turns: dict[int, list[_Turn]] = {}
    for player, asked_at, answered_at, by, missed in _answered(players):
        late = missed or by != Move.Actor.PLAYER
        time = (answered_at - asked_at).total_seconds() if by == Move.Actor.PLAYER else None
        turns.setdefault(player, []).append(_Turn(time, late))
    found = {player: _pace(of_player) for player, of_player in turns.items()}
    return {player: pace for player, pace in found.items() if pace}


class _Turn(NamedTuple):
    """How many seconds a player took to answer, None if somebody else did; whether it was late."""

    time: float | None
    late: bool


def _answered(players: Collection[int]) -> Iterable[tuple[Any, ...]]:
    """Read the last turns of players, in one query."""
    newest_first = Window(RowNumber(), F("player"), F("answered_at").desc())
    asked = Decision.objects.filter(
        player__in=set(players),
        kind__in=_OWN_TURNS,
        answered_at__gt=timezone.now() - YEAR,
        closed_by__in=[Move.Actor.PLAYER, Move.Actor.CLOCK, Move.Actor.BOT],
    )
    last = asked.annotate(place=newest_first).filter(place__lte=COUNTED)
    return last.values_list("player", "asked_at", "answered_at", "closed_by", "missed")


def _pace(turns: Sequence[_Turn]) -> Pace | None:
    times = [turn.time for turn in turns if turn.time is not None]
    if len(times) < FEWEST:
        return None
    tenths = quantiles(times, n=10, method="inclusive")
    late = sum(turn.late for turn in turns)
    return Pace(len(turns), round(tenths[4]), round(tenths[8]), 1 - late / len(turns))
