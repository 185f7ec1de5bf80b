"""Clocks of tests: when a question must be answered by, and time that has run out."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from games import timing
from games.models import Decision
from notifications.clocks import Clock


def open_decision(game: str) -> Decision:
    """Return the one open decision of a game."""
    return Decision.objects.select_related("game").get(game=game, answered_at=None)


def clock_of(decision: Decision) -> Clock:
    """Return how the clock of a decision stands now."""
    clocks = timing.clocks_of([decision.game])[decision.game_id]
    return clocks.clock(decision, timezone.now())


def deadline_of(decision: Decision) -> datetime:
    """Return until when a decision can be answered."""
    return clock_of(decision).deadline


def let_run_out(game: str, left: timedelta = timedelta(0)) -> None:
    """Let the clocks of a game have run until so much is left."""
    for decision in Decision.objects.filter(game=game, answered_at=None):
        decision.runs_from = timezone.now() - decision.granted + left
        decision.wake_at = timezone.now()
        decision.save()
