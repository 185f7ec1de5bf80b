"""*Plain*: a component set for tests whose ids say what the cards and story tiles are.

Single-terrain cards are called by the first letter of their terrain: B1-B6 badlands, M1-M6
mountain, D1-D6 desert, F1-F6 forest, W1-W5 water. The rest:

======  ======================    ======  ======================
X1-X4   forest or desert          A1-A3   forest, artefact
Y1-Y4   badlands or mountain      C1-C3   mountain, crystal
Z1-Z4   forest or water           E1-E3   desert, berry
K1      desert, or water, fire    H1-H3   badlands, fire
L1      mountain, crystal, or water
======  ======================    ======  ======================

Z4 lists its sides in the other order than Z1 to Z3, and is identical to them (R7.2).

Story tiles are called by what they require, such as ``2 forest``. Tiles and layouts are Hearth's.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from engine.components import LAND, RESOURCES, ComponentSet, parse
from engine.components.shipped import hearth

Data = dict[str, Any]


def hearth_data() -> Data:
    """Return the data of the set *Hearth*, to be changed freely."""
    data: Data = msgspec.json.decode(hearth().canonical)
    return data


@cache
def plain() -> ComponentSet:
    """Return the set *Plain*; always the same object."""
    return parse(hearth_data() | {"cards": _cards(), "stories": _stories()})


def _side(terrain: str, symbol: str | None = None) -> Data:
    return {"terrain": terrain, "symbol": symbol}


def _cards() -> list[Data]:
    kinds: dict[str, tuple[int, list[Data]]] = {
        "B": (6, [_side("badlands")]),
        "M": (6, [_side("mountain")]),
        "D": (6, [_side("desert")]),
        "F": (6, [_side("forest")]),
        "W": (5, [_side("water")]),
        "X": (4, [_side("forest"), _side("desert")]),
        "Y": (4, [_side("badlands"), _side("mountain")]),
        "Z": (4, [_side("forest"), _side("water")]),
        "A": (3, [_side("forest", "artefact")]),
        "C": (3, [_side("mountain", "crystal")]),
        "E": (3, [_side("desert", "berry")]),
        "H": (3, [_side("badlands", "fire")]),
        "K": (1, [_side("desert"), _side("water", "fire")]),
        "L": (1, [_side("mountain", "crystal"), _side("water")]),
    }
    return [
        {"id": f"{letter}{number}", "sides": sides[::-1] if f"{letter}{number}" == "Z4" else sides}
        for letter, (copies, sides) in kinds.items()
        for number in range(1, copies + 1)
    ]


def _stories() -> list[Data]:
    alike = [(what, times) for what in LAND for times in (1, 2, 3)]
    alike += [(what, times) for what in RESOURCES for times in (1, 2)]
    alike += [("water", times) for times in (1, 2, 3)]
    mixed = [("forest", "artefact"), ("water", "forest"), ("water", "pigment")]
    return [
        *(_story(f"{times} {what}", times, {what: times}) for what, times in alike),
        *(_story(f"1 {a}, 1 {b}", 3, {a: 1, b: 1}) for a, b in mixed),
    ]


def _story(story_id: str, difficulty: int, requires: dict[str, int]) -> Data:
    """A tile that requires more is worth more; those that require 2 of a kind show a fire."""
    return {
        "id": story_id,
        "name": story_id,
        "points": 1 + 2 * difficulty,
        "fire": int(difficulty == 2),
        "requires": requires,
    }
