"""Component sets: tiles, cards, story tiles, layouts as data (R1, docs/components.md).

``parse`` turns plain data into a checked ``ComponentSet`` and refuses a set that breaks R1,
naming the row and the rule. A game keeps the digest of its set and replays from it for ever.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from engine.hexes import Hex

LAND = ("badlands", "mountain", "desert", "forest")
WATER = "water"
TERRAINS = (*LAND, WATER)
RESOURCES = ("artefact", "pigment", "crystal")
BERRY = "berry"
FIRE = "fire"

Terrain = Literal["badlands", "mountain", "desert", "forest", "water"]
Resource = Literal["artefact", "pigment", "crystal"]
Symbol = Literal["artefact", "crystal", "berry", "fire"]

CAMPS = 9  # R1.7, the starting camp included
TRIBE_CAMPS = CAMPS - 1  # R2.3
BERRIES = 15  # R1.7
BERRIES_PER_SYMBOL = 2  # R2.2
ROW_PLACES = 6  # R2.5
STORY_PLACES = 5  # R2.4
HAND_AT_START = 2  # R2.5


class ComponentError(ValueError):
    """A component set breaks R1. The message names the row, what is wrong and the rule."""


class _Data(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Common ground of the rows of a set: immutable, and strict about their fields."""


class Side(_Data, frozen=True):
    """One side of a terrain card: the terrain it pays for and the symbol it shows when tucked."""

    terrain: Terrain
    symbol: Symbol | None = None


class Card(_Data, frozen=True):
    """A terrain card with 1 or 2 sides (R1.5)."""

    id: str
    sides: tuple[Side, ...]

    @property
    def face(self) -> tuple[tuple[str, str], ...]:
        """What the card looks like; cards with equal faces are identical (R7.2)."""
        return tuple(sorted((side.terrain, side.symbol or "") for side in self.sides))

    def shows(self, terrain: str) -> bool:
        """Tell whether a side of the card has this terrain."""
        return any(side.terrain == terrain for side in self.sides)


class StoryTile(_Data, frozen=True):
    """A story tile (R1.6). ``requires`` maps terrains and resources to how many are needed."""

    id: str
    name: str
    points: int
    fire: int
    requires: dict[str, int]


class TileSpace(_Data, frozen=True):
    """One of the 7 spaces of a territory tile; ``at`` is its place relative to the centre."""

    pos: int
    at: Hex
    terrain: Terrain | None
    berry: bool = False


class TileSite(_Data, frozen=True):
    """A site: a resource symbol on the border between two spaces of a tile (R1.3)."""

    id: str
    resource: Resource
    borders: tuple[Hex, Hex]
    border_pos: tuple[int, int]


class Tile(_Data, frozen=True):
    """A territory tile (R1.1)."""

    id: str
    name: str
    kind: Literal["start", "neutral"]
    spaces: tuple[TileSpace, ...]
    sites: tuple[TileSite, ...]


class LayoutPlace(_Data, frozen=True):
    """Where a tile lies in a layout, and whose starting tile it is."""

    role: Literal["start", "neutral"]
    centre: Hex
    seat: int | None = None


class Layout(_Data, frozen=True):
    """How the tiles lie for a number of players (R2.1); ``scenario_gap`` is R10.6's space."""

    id: str
    players: int
    tiles: tuple[LayoutPlace, ...]
    scenario_gap: Hex
    note: str = ""


class _SetData(_Data, frozen=True):
    tiles: tuple[Tile, ...]
    cards: tuple[Card, ...]
    stories: tuple[StoryTile, ...]
    layouts: tuple[Layout, ...]


class ComponentSet:
    """A checked component set. Two are equal only if they are the same object.

    ``canonical`` is the canonical JSON of the data and ``digest`` its SHA-256 in hex
    (docs/export.md).
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Read and check a set; raise ComponentError naming the first row that breaks R1."""
        # The checks are written in terms of the rows above.
        from engine.components.checks import check  # noqa: PLC0415

        try:
            rows = msgspec.convert(data, _SetData)
        except msgspec.ValidationError as error:
            raise ComponentError(f"the data does not fit the schema: {error} (R1.8)") from error
        check(rows.tiles, rows.cards, rows.stories, rows.layouts)
        self.canonical: bytes = msgspec.json.encode(data, order="sorted")
        self.tiles: dict[str, Tile] = {tile.id: tile for tile in rows.tiles}
        self.cards: dict[str, Card] = {card.id: card for card in rows.cards}
        self.stories: dict[str, StoryTile] = {story.id: story for story in rows.stories}
        self.layouts: dict[str, Layout] = {layout.id: layout for layout in rows.layouts}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the canonical data, in hex."""
        return hashlib.sha256(self.canonical).hexdigest()

    def layout_for(self, players: int) -> Layout:
        """Return the layout for this number of players."""
        return next(layout for layout in self.layouts.values() if layout.players == players)

    def tiles_of_kind(self, kind: str) -> Iterator[Tile]:
        """Yield the starting or the neutral tiles, in the order of the data."""
        return (tile for tile in self.tiles.values() if tile.kind == kind)


def parse(data: Mapping[str, Any]) -> ComponentSet:
    """Read and check a component set; raise ComponentError if it breaks R1."""
    return ComponentSet(data)
