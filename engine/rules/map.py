"""What the map says: free spaces, whose camp is passed, what a camp or tucked card serves (R6)."""

from __future__ import annotations

from collections import Counter

from engine.board import areas, water_areas_beside
from engine.components import WATER, Side
from engine.state import State, Tucked


def free_land(state: State) -> list[int]:
    """Return the spaces where a camp may stand: free and not water (R3.6b)."""
    return [space for space in range(len(state.terrain)) if is_free_land(state, space)]


def is_free_land(state: State, space: int) -> bool:
    """Tell whether a camp may stand on this space: free and not water (R3.6b)."""
    return state.camps[space] is None and state.terrain[space] not in (None, WATER)


def serving_camps(state: State, seat: int) -> list[int]:
    """Return the spaces of a seat's camps that serve requirements: all but the starting camp."""
    return [
        space
        for space, camp in enumerate(state.camps)
        if camp and camp.seat == seat and not camp.starting
    ]


def visible_side(state: State, tucked: Tucked) -> Side:
    """Return the side of a tucked card that shows; only it counts (R5.3)."""
    return state.components.cards[tucked.card].sides[tucked.side]


def visible_sides(state: State, seat: int) -> list[Side]:
    """Return the visible sides of a seat's tucked cards."""
    return [visible_side(state, tucked) for tucked in state.tribes[seat].tucked]


def served(state: State, seat: int) -> Counter[str]:
    """Count what a seat's camps and tucked cards serve, by terrain and resource (R6.1-R6.4)."""
    camps = serving_camps(state, seat)
    of = areas(state.board, state.terrain).of
    counts: Counter[str] = Counter()
    for area in {of[space] for space in camps}:  # R6.2: two camps in one area are one
        counts[_terrain_of(state, area)] += 1
    waters = set().union(*(water_areas_beside(state.board, state.terrain, s) for s in camps))
    counts[WATER] += len(waters)  # R6.3
    for site in {site for space in camps for site in state.board.sites_of[space]}:
        counts[state.board.sites[site].kind] += 1  # R6.4: each site once
    for side in visible_sides(state, seat):
        counts[side.terrain] += 1
        if side.symbol:
            counts[side.symbol] += 1
    return counts


def _terrain_of(state: State, area: int | None) -> str:
    assert area is not None, "a camp that serves stands on terrain"
    members = areas(state.board, state.terrain).members[area]
    terrain = state.terrain[next(iter(members))]
    assert terrain is not None
    return terrain
