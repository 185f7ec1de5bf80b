"""The engine alone: folding stored rows, and playing at random with ``legal``."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bench.figures import Figure, seconds
from bench.games import at_random, played
from engine import codec
from engine.components.shipped import hearth
from engine.fold import Row, fold
from engine.scenario import Scenario
from engine.scenarios import SCENARIOS

RUNS = 9
GAMES = 30
PLAYED_OUT = 3
SLOWEST = 0.6
"""What part of the base game's speed every scenario should reach."""


def fold_figures() -> Iterator[Figure]:
    """Events folded in a second, from the bytes of stored rows; scenarios beside the base game."""
    rates = _beside_the_base_game(GAMES, _fold_rate)
    base = rates["base"]
    facts: dict[str, object] = {"games": GAMES}
    yield Figure("events folded from stored rows", "events/s", base, 90_000, 270_000, facts=facts)
    yield from _compared("fold", rates)


def playout_figures() -> Iterator[Figure]:
    """Random moves played in a second, each chosen from the whole of ``legal``."""
    rates = _beside_the_base_game(PLAYED_OUT, _playout_rate)
    yield Figure("random playout with legal", "moves/s", rates["base"])
    yield from _compared("random playout", rates)


Rate = Callable[[Scenario, int], Callable[[], float]]


def _beside_the_base_game(games: int, rate: Rate) -> dict[str, list[float]]:
    """Measure every scenario in turn, several times over: what slows one run slows all."""
    measure = {key: rate(scenario, games) for key, scenario in SCENARIOS.items()}
    rates: dict[str, list[float]] = {key: [] for key in SCENARIOS}
    for _ in range(RUNS):
        for key, once in measure.items():
            rates[key].append(once())
    return rates


def _compared(what: str, rates: dict[str, list[float]]) -> Iterator[Figure]:
    for key, of_scenario in rates.items():
        if key != "base":
            ratios = [a / b for a, b in zip(of_scenario, rates["base"], strict=True)]
            yield Figure(f"{what}, {key}", "of the base game", ratios, SLOWEST, SLOWEST)


def _players(scenario: Scenario, number: int) -> int:
    return scenario.players[number % len(scenario.players)]


def _fold_rate(scenario: Scenario, games: int) -> Callable[[], float]:
    logs = [played(n, _players(scenario, n), scenario=scenario) for n in range(games)]
    events = sum(len(row.events) for log in logs for row, _ in log)

    def fold_all() -> None:
        for log in logs:
            rows = (Row(r.number, r.seat, r.actor, codec.decode_events(text)) for r, text in log)
            fold(rows, hearth(), scenario)

    return lambda: events / seconds(fold_all)


def _playout_rate(scenario: Scenario, games: int) -> Callable[[], float]:
    def rate() -> float:
        moves = 0

        def play() -> None:
            nonlocal moves
            for n in range(games):
                moves += len(played(n, _players(scenario, n), at_random(n), scenario))

        spent = seconds(play)
        return moves / spent

    return rate
