"""Games to measure with: played by bots and by chance, from fixed seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from engine import bots, codec, setup
from engine.chance import Chance
from engine.commands import Command
from engine.components.shipped import hearth
from engine.decide import submit, unseal
from engine.fold import Row, advance, fold
from engine.legal import legal
from engine.scenario import Scenario
from engine.scenarios.base import BASE
from engine.state import State
from engine.views import mask

Choose = Callable[[State, int], Command]


def chance_of(number: int, players: int) -> Chance:
    """Return the chance of the n-th game."""
    return Chance(hashlib.sha256(str(number).encode()).digest(), [None] * players)


def played(
    number: int, players: int, choose: Choose = bots.choose, scenario: Scenario = BASE
) -> list[tuple[Row, bytes]]:
    """Play a whole game; return its rows, each with its events as they would be stored."""
    chance = chance_of(number, players)
    rows = [Row(1, None, "service", (setup.set_up(hearth(), scenario, players, chance),))]
    state = fold(rows, hearth(), scenario)
    while state.questions:
        for row in _answers(state, choose, chance):
            rows.append(row)
            state = advance(state, row)
    return [(row, codec.canonical(row.events)) for row in rows]


def _answers(state: State, choose: Choose, chance: Chance) -> list[Row]:
    """Return the row that answers the first question, or those of all who answer sealed."""
    outcomes = {
        question.seat: submit(
            state, question.seat, [choose(mask(state, question.seat), question.seat)], chance
        )
        for question in state.questions
    }
    seats = list(outcomes)
    if outcomes[seats[0]].sealed is None:
        return [Row(state.version + 1, seats[0], "bot", outcomes[seats[0]].events)]
    sealed = {seat: outcome.sealed for seat, outcome in outcomes.items() if outcome.sealed}
    happened = unseal(state, sealed, chance)
    return [
        Row(number, seat, "bot", happened if seat == seats[-1] else ())
        for number, seat in enumerate(seats, state.version + 1)
    ]


def at_random(number: int) -> Choose:
    """Return a player that takes any legal move, the same ones for the same number."""
    turns = iter(range(10**9))

    def choose(seen: State, seat: int) -> Command:
        entries = legal(seen, seat)
        digest = hashlib.sha256(f"{number} {next(turns)}".encode()).digest()
        return entries[int.from_bytes(digest[:8], "big") % len(entries)].command

    return choose
