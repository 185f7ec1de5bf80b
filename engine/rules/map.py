"""What the map says: free spaces, whose camp is passed, what a camp or tucked card serves (R6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.board import areas, water_areas_beside
from engine.components import WATER, Side
from engine.state import CampOnMap, State, Tucked


def free_land(state: State) -> list[int]:
    """Return the free spaces that are not water, and not covered by volcano or lava."""
    return [space for space in range(len(state.terrain)) if is_free_land(state, space)]


def is_free_land(state: State, space: int) -> bool:
    """Tell whether a space is free and not water, and not covered by volcano or lava."""
    return state.camps[space] is None and state.terrain[space] not in (None, WATER)


def destinations(state: State) -> list[int]:
    """Return the spaces where a camp may be placed (R3.6b, R13.1)."""
    return [space for space in range(len(state.terrain)) if is_destination(state, space)]


def is_destination(state: State, space: int) -> bool:
    """Tell whether a camp may be placed here: free land, or a lake for a village (R3.6b, R13.1)."""
    if state.scenario.villages and state.terrain[space] == WATER:
        return village_on(state, space) is None
    return is_free_land(state, space)


def village_on(state: State, space: int) -> CampOnMap | None:
    """Return the village on the water area of this space; there is at most one (R13.1)."""
    if not state.scenario.villages:
        return None
    lake = areas(state.board, state.terrain).area_of(space)
    return next((camp for water in lake if (camp := state.camps[water])), None)


def villages_of(state: State, seat: int) -> int:
    """Return how many villages a seat has: its camps on water (R13.1)."""
    return sum(state.terrain[space] == WATER for space in state.camps_of(seat))


def camps_ashore(state: State, seat: int) -> list[int]:
    """Return the spaces of a seat's camps that are no villages, the starting camp included."""
    return [space for space in state.camps_of(seat) if state.terrain[space] != WATER]


def waters_beside(state: State, spaces: Iterable[int]) -> set[int | None]:
    """Return the water areas that any of these spaces borders."""
    return set().union(*(water_areas_beside(state.board, state.terrain, s) for s in spaces))


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
    ashore = [space for space in camps if state.terrain[space] != WATER]  # R13.4
    found = areas(state.board, state.terrain)
    counts: Counter[str] = Counter()
    for space in {found.of[space]: space for space in ashore}.values():
        counts[_land(state, space)] += 1  # R6.2: two camps in one area are one
    counts[WATER] += len(waters_beside(state, ashore))  # R6.3
    for site in {site for space in camps for site in state.board.sites_of[space]}:
        counts[state.board.sites[site].kind] += 1  # R6.4: each site once
    for side in visible_sides(state, seat):
        counts[side.terrain] += 1
        if side.symbol:
            counts[side.symbol] += 1
    return counts


def _land(state: State, space: int) -> str:
    terrain = state.terrain[space]
    assert terrain is not None, "a camp that serves stands on terrain"
    return terrain
