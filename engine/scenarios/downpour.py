"""Downpour (R11): rain covers land, and scoring looks at forests and mountains."""

from __future__ import annotations

from engine.board import areas
from engine.commands import Water
from engine.components import WATER
from engine.events import WaterPlaced
from engine.rules.cover import Covering, share, share_choices
from engine.scenario import GapTile, Question, Scenario
from engine.scoring import FIRE_TERMS, STORIES, Term, pairs, resource_count
from engine.state import State

WATER_TILES = 8
AREA = 3
PAIR = 4


def _is_water(state: State, space: int) -> bool:
    return state.terrain[space] == WATER


RAIN = Covering("R11.2", _is_water, Water, WaterPlaced)
"""R11.2: a water tile on free land beside water."""


def forests_and_mountains(state: State) -> list[int]:
    """R11.4: 3 for each forest area and each mountain area with at least 1 of your camps."""
    of = areas(state.board, state.terrain).of
    return [
        AREA
        * len({of[s] for s in state.camps_of(seat) if state.terrain[s] in ("forest", "mountain")})
        for seat in state.seats
    ]


def artefact_pairs(state: State) -> list[int]:
    """R11.4: 4 for each pair of 1 berry and 1 artefact (R10.7)."""
    return pairs(state, PAIR, resource_count(state, "artefact"))


DOWNPOUR = Scenario(
    key="downpour",
    name="Downpour",
    players=(2, 3, 4),
    small_pile=True,
    gap=GapTile(WATER),
    stories_without=WATER,
    stock=WATER_TILES,
    event=RAIN.begin,
    asks={
        "water": Question(RAIN.choices, RAIN.play),
        "share": Question(share_choices, share),
    },
    terms=(
        STORIES,
        *FIRE_TERMS,
        Term("R11.4", "forests and mountains with camps", forests_and_mountains, on_map=True),
        Term("R11.4", "pairs of berry and artefact", artefact_pairs, on_map=True),
    ),
)
