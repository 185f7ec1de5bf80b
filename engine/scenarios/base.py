"""The base game (R1 to R8): no scenario event, scored by R8.4."""

from __future__ import annotations

from engine.scenario import Scenario
from engine.scoring import FIRE_TERMS, STORIES, Term, berries, groups

BASE = Scenario(
    key="base",
    name="Base game",
    players=(2, 3, 4),
    terms=(
        STORIES,
        *FIRE_TERMS,
        Term("R8.4d", "groups of camps", groups, on_map=True),
        Term("R8.4e", "berries", berries, on_map=True),
    ),
)
