"""Volcano (R12): lava covers land and closes routes; camps near the volcano have fire."""

from __future__ import annotations

from engine.commands import Lava
from engine.events import LavaPlaced
from engine.rules.cover import Covering, share, share_choices
from engine.rules.map import waters_beside
from engine.rules.routes import is_closed
from engine.scenario import GAP_SPACE, GapTile, Question, Scenario
from engine.scoring import FIRE_POINTS, STORIES, Term, fire, most, pairs
from engine.state import State

LAVA_TILES = 8
WATER_AREA = 2
STARTING_TILE = 2
PAIR = 3


def _is_hot(state: State, space: int) -> bool:
    return is_closed(state.board, state.terrain, space)


ERUPTION = Covering("R12.1", _is_hot, Lava, LavaPlaced)
"""R12.1: a lava tile on free land beside the volcano or lava."""


def volcano_fire(state: State) -> list[int]:
    """R12.3: 1 fire for each of your camps adjacent to the volcano; lava is not the volcano."""
    beside = set(state.board.neighbours[state.board.index[GAP_SPACE]])
    return [len(beside.intersection(state.camps_of(seat))) for seat in state.seats]


def all_fire(state: State) -> list[int]:
    """R12.3: all fire, that at the volcano too; it counts for most fire and for pairs."""
    return [a + b for a, b in zip(fire(state), volcano_fire(state), strict=True)]


def most_fire(state: State) -> list[int]:
    """R8.4c, R12.3: 4 for whoever has most fire."""
    return most(all_fire(state))


def water_areas(state: State) -> list[int]:
    """R12.3: 2 for each water area bordered by at least 1 of your camps."""
    return [WATER_AREA * len(waters_beside(state, state.camps_of(seat))) for seat in state.seats]


def at_starting_tiles(state: State) -> list[int]:
    """R12.3: 2 for each of your camps next to another player's starting tile, outside it."""
    return [
        STARTING_TILE * sum(_at_another(state, seat, space) for space in state.camps_of(seat))
        for seat in state.seats
    ]


def _at_another(state: State, seat: int, space: int) -> bool:
    owner = state.board.owner
    own = (None, seat, owner[space])  # on a tile is not next to it
    return any(owner[near] not in own for near in state.board.neighbours[space])


def fire_pairs(state: State) -> list[int]:
    """R12.3: 3 for each pair of 1 berry and 1 fire (R10.7)."""
    return pairs(state, PAIR, all_fire(state))


VOLCANO = Scenario(
    key="volcano",
    name="Volcano",
    players=(2, 3, 4),
    small_pile=True,
    gap=GapTile(None),
    stock=LAVA_TILES,
    event=ERUPTION.begin,
    asks={
        "lava": Question(ERUPTION.choices, ERUPTION.play),
        "share": Question(share_choices, share),
    },
    terms=(
        STORIES,
        FIRE_POINTS,
        Term("R12.3", "fire at the volcano", volcano_fire, on_map=True),
        Term("R8.4c", "most fire", most_fire),
        Term("R12.3", "water areas beside camps", water_areas, on_map=True),
        Term("R12.3", "camps at other starting tiles", at_starting_tiles, on_map=True),
        Term("R12.3", "pairs of berry and fire", fire_pairs, on_map=True),
    ),
)
