"""Random positions: what games that were played in different ways looked like on the way.

They are the same in every run: Hypothesis is told not to be random (``repeatable``).
"""

from __future__ import annotations

from functools import cache

import msgspec
from hypothesis import settings
from hypothesis import strategies as st

from engine.chance import Chance
from engine.fold import fold
from engine.scenarios import SCENARIOS
from engine.state import State
from tests.engine.game import Game
from tests.engine.policies import POLICIES

STYLES = (("bot",), ("anything",), ("spender", "anything"), ("bot", "hoarder"))
GAMES = 3
"""How many games are played in each style and for each number of players."""

LONGEST = 60
"""Positions after more moves than this are not looked at: hands get too large to be fast."""


def repeatable(examples: int) -> settings:
    """Settings for a property that must not depend on luck or on the speed of the machine."""
    return settings(max_examples=examples, derandomize=True, deadline=None, database=None)


class Position(msgspec.Struct, frozen=True):
    """The state of a game after so many rows, and the chance that will decide what comes."""

    game: Game
    rows: int

    @property
    def state(self) -> State:
        return _state(self.game, self.rows)

    @property
    def chance(self) -> Chance:
        return self.game.chance

    @property
    def asked(self) -> int:
        return self.state.questions[0].seat


@cache
def played(
    players: int, number: int = 0, style: tuple[str, ...] = ("bot",), scenario: str = "base"
) -> Game:
    """Return a game that was played to its end, each seat in the next of these styles."""
    policies = [POLICIES[style[seat % len(style)]] for seat in range(players)]
    return Game(players, number, scenario=scenario).play(policies)


@cache
def _state(game: Game, rows: int) -> State:
    return fold(game.rows[:rows], game.components, game.scenario)


games = st.builds(played, st.integers(2, 4), st.integers(0, GAMES - 1), st.sampled_from(STYLES))

TABLES = [(players, s.key) for s in SCENARIOS.values() for players in s.players]
STIRRING = (("stirrer",), ("spender", "anything"))

games_of_all_scenarios = st.builds(
    lambda table, style: played(table[0], 0, style, table[1]),
    st.sampled_from(TABLES),
    st.sampled_from(STIRRING),
)


@st.composite
def positions(
    draw: st.DrawFn, of: st.SearchStrategy[Game] = games, longest: int = LONGEST
) -> Position:
    """Return a position in which some seat is asked something."""
    game = draw(of)
    return Position(game, draw(st.integers(1, min(longest, len(game.rows) - 1))))


def all_positions() -> st.SearchStrategy[Position]:
    """Return positions of the base game, of teams and of all scenarios."""
    return positions() | positions(games_of_all_scenarios)
