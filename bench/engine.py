"""The engine alone: folding stored rows, and playing at random with ``legal``."""

from __future__ import annotations

from bench.figures import Figure, repeated, seconds
from bench.games import at_random, played
from engine import codec
from engine.components.shipped import hearth
from engine.fold import Row, fold
from engine.scenarios.base import BASE

RUNS = 9
GAMES = 30


def fold_figure() -> Figure:
    """Events folded in a second, from the bytes of stored rows."""
    logs = [played(number, 2 + number % 3) for number in range(GAMES)]
    events = sum(len(row.events) for log in logs for row, _ in log)

    def fold_all() -> None:
        for log in logs:
            rows = (Row(r.number, r.seat, r.actor, codec.decode_events(text)) for r, text in log)
            fold(rows, hearth(), BASE)

    rates = repeated(RUNS, lambda: events / seconds(fold_all))
    facts: dict[str, object] = {"games": GAMES, "events": events}
    return Figure("events folded from stored rows", "events/s", rates, 90_000, 270_000, facts=facts)


def playout_figure() -> Figure:
    """Random moves played in a second, each chosen from the whole of ``legal``."""

    def rate() -> float:
        moves = 0

        def play() -> None:
            nonlocal moves
            for number in range(6):
                moves += len(played(number, 2 + number % 3, at_random(number)))

        spent = seconds(play)
        return moves / spent

    return Figure("random playout with legal", "moves/s", repeated(RUNS, rate))
