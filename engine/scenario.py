"""What a scenario is: data, and hooks where its rules differ from the base game (R9, R10).

The engine never asks which scenario is played. It reads this data and calls these hooks; the
scenarios themselves are the files of ``engine/scenarios`` (docs/adding-a-scenario.md).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from engine.commands import Command
    from engine.play import Play
    from engine.scoring import Term
    from engine.state import State

SMALL_PILE = {2: 6, 3: 8, 4: 10}
"""How many cards the small pile has, by the number of players (R10.2)."""

GAP_SPACE = "X0"
"""The name of the scenario gap where a tile lies on it (R10.6)."""


class GapTile(msgspec.Struct, frozen=True):
    """The tile on the scenario gap: the downpour tile is water, the volcano has no terrain."""

    terrain: str | None


class Question(msgspec.Struct, frozen=True):
    """What a scenario's kind of question offers, and what an answer does.

    ``choices`` lists every answer a seat may give, from its own view. ``play`` checks an answer
    and lets it happen; where answers are sealed it only checks (``Scenario.unseal``).
    """

    choices: Callable[[State, int], list[Command]]
    play: Callable[[Play, int, str, Any], None]


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """A way to play the game.

    ``teams`` are the seats that win together. ``stock`` is how many water tiles, lava tiles or
    fish there are (R1.7). ``event`` carries out the scenario event for the active seat, ``asks``
    are its kinds of question, ``unseal`` resolves the answers of the one that is sealed.
    """

    key: str
    name: str
    players: tuple[int, ...]
    terms: tuple[Term, ...]
    teams: tuple[tuple[int, ...], ...] = ()
    small_pile: bool = False
    gap: GapTile | None = None
    stories_without: str | None = None
    """Story tiles that require this are taken out (R11.1)."""
    stock: int = 0
    villages: bool = False
    """Whether camps may stand on water (R13)."""
    event: Callable[[Play, int], None] | None = None
    asks: Mapping[str, Question] = {}
    unseal: Callable[[Play, Mapping[int, Any]], None] | None = None
