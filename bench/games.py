"""Games to measure with: played by bots and by chance, from fixed seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from engine import bots, codec, setup
from engine.chance import Chance
from engine.commands import Command
from engine.components.shipped import hearth
from engine.decide import submit
from engine.fold import Row, advance, fold
from engine.legal import legal
from engine.scenarios.base import BASE
from engine.state import State
from engine.views import mask

Choose = Callable[[State, int], Command]


def chance_of(number: int, players: int) -> Chance:
    """Return the chance of the n-th game."""
    return Chance(hashlib.sha256(str(number).encode()).digest(), [None] * players)


def played(number: int, players: int, choose: Choose = bots.choose) -> list[tuple[Row, bytes]]:
    """Play a whole game; return its rows, each with its events as they would be stored."""
    chance = chance_of(number, players)
    rows = [Row(1, None, "service", (setup.set_up(hearth(), BASE, players, chance),))]
    state = fold(rows, hearth(), BASE)
    while state.questions:
        seat = state.questions[0].seat
        outcome = submit(state, seat, [choose(mask(state, seat), seat)], chance)
        rows.append(Row(state.version + 1, seat, "bot", outcome.events))
        state = advance(state, rows[-1])
    return [(row, codec.canonical(row.events)) for row in rows]


def at_random(number: int) -> Choose:
    """Return a player that takes any legal move, the same ones for the same number."""
    turns = iter(range(10**9))

    def choose(seen: State, seat: int) -> Command:
        entries = legal(seen, seat)
        digest = hashlib.sha256(f"{number} {next(turns)}".encode()).digest()
        return entries[int.from_bytes(digest[:8], "big") % len(entries)].command

    return choose
