"""How fast players answer, from what they have answered: shown where a table is chosen.

Honest figures: calendar time from the question to the answer, nights, weekends and all, over the
last ``COUNTED`` turns of the last year; a turn that time ran out on counts as not in time.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from statistics import quantiles
from typing import Any

import msgspec
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
    found = {player: _pace(player) for player in set(players)}
    return {player: pace for player, pace in found.items() if pace}


def _pace(player: int) -> Pace | None:
    asked = Decision.objects.filter(
        player=player,
        kind__in=_OWN_TURNS,
        answered_at__gt=timezone.now() - YEAR,
        closed_by__in=[Move.Actor.PLAYER, Move.Actor.CLOCK, Move.Actor.BOT],
    ).order_by("-answered_at")
    columns: Any = ("asked_at", "answered_at", "closed_by", "missed")
    turns = list(asked.values_list(*columns)[:COUNTED])
    times = sorted(
        (answered - at).total_seconds() for at, answered, by, _ in turns if by == Move.Actor.PLAYER
    )
    if len(turns) < FEWEST or len(times) < FEWEST:
        return None
    tenths = quantiles(times, n=10, method="inclusive")
    late = sum(missed or by != Move.Actor.PLAYER for _, _, by, missed in turns)
    return Pace(len(turns), round(tenths[4]), round(tenths[8]), 1 - late / len(turns))
