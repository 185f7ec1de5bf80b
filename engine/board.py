"""The map of one game: spaces, their neighbours, sites and areas (docs/rules.md R1.2, R1.3)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import msgspec

from engine.components import WATER, ComponentSet
from engine.events import SpacePlaced, TilePlaced
from engine.hexes import Hex, neighbours

Terrains = tuple[str | None, ...]
"""The terrain of every space of a board, by the space's index."""


class Site(msgspec.Struct, frozen=True):
    """A printed resource symbol and the indexes of the two spaces it borders (R1.3)."""

    kind: str
    spaces: tuple[int, int]


class Board:
    """The parts of a map that never change. Spaces are known by name outside, by index inside.

    ``starts`` are the spaces of starting camps, ``owner`` gives each space the seat whose
    starting tile it is on, None on other tiles.

    Two boards are equal only if they are the same object; ``board_of`` returns the same
    object for the same set and tiles.
    """

    def __init__(
        self,
        components: ComponentSet,
        tiles: tuple[TilePlaced, ...],
        spaces: tuple[SpacePlaced, ...],
    ) -> None:
        self.tiles = tiles
        self.spaces = spaces
        self.names: tuple[str, ...] = tuple(space.space for space in spaces)
        self.index: dict[str, int] = {name: i for i, name in enumerate(self.names)}
        at: dict[Hex, int] = {(space.q, space.r): i for i, space in enumerate(spaces)}
        self.neighbours: tuple[tuple[int, ...], ...] = tuple(
            tuple(at[near] for near in neighbours((space.q, space.r)) if near in at)
            for space in spaces
        )
        self.starts: frozenset[int] = frozenset(
            i
            for i, space in enumerate(spaces)
            if space.tile and space.terrain is None  # R1.1
        )
        self.owner: tuple[int | None, ...] = tuple(
            next((tile.seat for tile in tiles if tile.letter == space.space[0]), None)
            for space in spaces
        )
        self.sites: tuple[Site, ...] = tuple(
            Site(site.resource, (self.index[f"{tile.letter}{a}"], self.index[f"{tile.letter}{b}"]))
            for tile in tiles
            for site in components.tiles[tile.id].sites
            for a, b in [site.border_pos]
        )
        self.sites_of: tuple[tuple[int, ...], ...] = tuple(
            tuple(number for number, site in enumerate(self.sites) if i in site.spaces)
            for i in range(len(spaces))
        )

    def connected(self, members: Iterable[int]) -> list[frozenset[int]]:
        """Split a set of spaces into its connected parts, in the order of their first spaces."""
        left = dict.fromkeys(sorted(members))
        parts = []
        while left:
            edge = [next(iter(left))]
            part = set()
            while edge:
                space = edge.pop()
                if space in left:
                    del left[space]
                    part.add(space)
                    edge.extend(self.neighbours[space])
            parts.append(frozenset(part))
        return parts


@lru_cache(maxsize=4096)
def board_of(
    components: ComponentSet, tiles: tuple[TilePlaced, ...], spaces: tuple[SpacePlaced, ...]
) -> Board:
    """Return the board on which these tiles lie; the same object for the same arguments."""
    return Board(components, tiles, spaces)


class Areas(msgspec.Struct, frozen=True):
    """The areas of a map: ``of`` gives each space its area's number, None without terrain."""

    of: tuple[int | None, ...]
    members: tuple[frozenset[int], ...]

    def area_of(self, space: int) -> frozenset[int]:
        """Return the spaces of the area that a space with terrain belongs to."""
        area = self.of[space]
        assert area is not None, "the space has terrain"
        return self.members[area]


@lru_cache(maxsize=4096)
def areas(board: Board, terrain: Terrains) -> Areas:
    """Find the areas: the maximal connected sets of spaces of one terrain."""
    members: list[frozenset[int]] = []
    for kind in dict.fromkeys(terrain):
        if kind is not None:
            members += board.connected(i for i, t in enumerate(terrain) if t == kind)
    of: list[int | None] = [None] * len(terrain)
    for number, area in enumerate(members):
        for space in area:
            of[space] = number
    return Areas(tuple(of), tuple(members))


def water_areas_beside(board: Board, terrain: Terrains, space: int) -> set[int | None]:
    """Return the numbers of the water areas that a space borders."""
    of = areas(board, terrain).of
    return {of[near] for near in board.neighbours[space] if terrain[near] == WATER}
