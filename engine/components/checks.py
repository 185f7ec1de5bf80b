"""The checks of a component set, one function for each rule of R1 (and R2.1 for layouts)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, pairwise
from typing import Protocol, TypeVar

from engine import hexes
from engine.components import (
    BERRIES,
    BERRIES_PER_SYMBOL,
    RESOURCES,
    TERRAINS,
    WATER,
    Card,
    ComponentError,
    Layout,
    StoryTile,
    Tile,
)

TILES = {"start": 4, "neutral": 6}
CARDS = 55
STORIES = 24
WATER_STORIES = 5
BERRY_SYMBOLS = BERRIES // BERRIES_PER_SYMBOL
PLAYERS = (2, 3, 4)
TILE_WIDTH = 3
"""Tiles whose centres lie no further apart than this touch or overlap."""


Row = TypeVar("Row")


class _Row(Protocol):
    @property
    def id(self) -> str: ...


def check(
    tiles: Sequence[Tile],
    cards: Sequence[Card],
    stories: Sequence[StoryTile],
    layouts: Sequence[Layout],
) -> None:
    """Raise ComponentError, naming the row, unless the rows satisfy R1 and R2.1."""
    for rows in (tiles, cards, stories, layouts):
        _check_ids(rows)
    _check_each(tiles, _check_tile_shape, _check_sites, _check_berry_spaces)
    _check_tile_counts(tiles)
    _check_berry_symbols(tiles)
    _check_each(cards, _check_card)
    _check_count("terrain cards", len(cards), CARDS, "R1.5")
    _check_each(stories, _check_story)
    _check_count("story tiles", len(stories), STORIES, "R1.6")
    needing_water = sum(WATER in story.requires for story in stories)
    _check_count("story tiles that require water", needing_water, WATER_STORIES, "R1.6")
    _check_each(
        layouts, _check_layout_places, _check_starts_apart, _check_layout_fits, _check_clockwise
    )
    _check_layout_counts(layouts)


def _require(condition: bool, row: str, problem: str, rule: str) -> None:
    if not condition:
        raise ComponentError(f"{row}: {problem} ({rule})")


def _check_each(rows: Iterable[Row], *checks: Callable[[Row], None]) -> None:
    for row in rows:
        for check_row in checks:
            check_row(row)


def _check_ids(rows: Sequence[_Row]) -> None:
    for row_id, times in Counter(row.id for row in rows).items():
        _require(times == 1, row_id, f"the id is used {times} times", "R1.8")


def _check_count(what: str, found: int, wanted: int, rule: str) -> None:
    _require(found == wanted, "the set", f"has {found} {what}, needs {wanted}", rule)


def _check_tile_counts(tiles: Sequence[Tile]) -> None:
    for kind, wanted in TILES.items():
        found = sum(tile.kind == kind for tile in tiles)
        _check_count(f"{kind} tiles", found, wanted, "R1.1")


def _check_tile_shape(tile: Tile) -> None:
    where = {space.pos: space.at for space in tile.spaces}
    wanted = dict(enumerate(((0, 0), *hexes.DIRECTIONS)))
    _require(
        len(tile.spaces) == len(wanted) and where == wanted,
        tile.id,
        "its spaces are not a centre (pos 0) and its 6 neighbours (pos 1-6, clockwise)",
        "R1.1",
    )
    for space in tile.spaces:
        bare = tile.kind == "start" and space.pos == 0
        _require(
            (space.terrain is None) == bare,
            tile.id,
            f"space {space.pos} has terrain {space.terrain}: only the centre of a start has none",
            "R1.1",
        )


def _check_sites(tile: Tile) -> None:
    where = {space.pos: space.at for space in tile.spaces}
    ids = [site.id for site in tile.sites]
    _require(len(set(ids)) == len(ids), tile.id, f"has sites {ids}: each id once", "R1.3")
    for site in tile.sites:
        a, b = site.borders
        _require(
            tuple(where.get(pos) for pos in site.border_pos) == (a, b),
            tile.id,
            f"site {site.id} names spaces {site.border_pos} that do not lie at {a} and {b}",
            "R1.3",
        )
        _require(
            hexes.adjacent(a, b), tile.id, f"site {site.id} lies on no border of two spaces", "R1.3"
        )


def _check_berry_spaces(tile: Tile) -> None:
    for space in tile.spaces:
        _require(
            not space.berry or space.terrain not in (None, WATER),
            tile.id,
            f"space {space.pos} has a berry symbol and is no land",
            "R1.4",
        )


def _check_berry_symbols(tiles: Sequence[Tile]) -> None:
    """R1.4: whatever tiles are drawn (with 4 players: 4 starting, 4 neutral)."""
    drawn = max(PLAYERS)
    most = 0
    for kind in TILES:
        symbols = (sum(s.berry for s in tile.spaces) for tile in tiles if tile.kind == kind)
        most += sum(sorted(symbols, reverse=True)[:drawn])
    _require(
        most <= BERRY_SYMBOLS,
        "the set",
        f"can bring {most} berry symbols into play, {BERRY_SYMBOLS} at most",
        "R1.4",
    )


def _check_card(card: Card) -> None:
    terrains = [side.terrain for side in card.sides]
    _require(
        len(terrains) in (1, 2) and len(set(terrains)) == len(terrains),
        card.id,
        f"has sides {terrains}, needs 1 or 2 with different terrains",
        "R1.5",
    )
    symbols = [side.symbol for side in card.sides if side.symbol]
    _require(len(symbols) <= 1, card.id, "has symbols on both sides", "R1.5")
    _require(
        not symbols or len(terrains) == 1 or WATER in terrains,
        card.id,
        "has a symbol though it has 2 terrains and neither is water",
        "R1.5",
    )


def _check_story(story: StoryTile) -> None:
    _require(story.points > 0, story.id, f"is worth {story.points} points", "R1.6")
    _require(story.fire >= 0, story.id, f"has {story.fire} fire", "R1.6")
    _require(bool(story.requires), story.id, "requires nothing", "R1.6")
    for what, times in story.requires.items():
        _require(what in (*TERRAINS, *RESOURCES), story.id, f"requires {what}", "R1.6")
        _require(times > 0, story.id, f"requires {what} {times} times", "R1.6")


def _check_layout_counts(layouts: Sequence[Layout]) -> None:
    players = sorted(layout.players for layout in layouts)
    _require(players == list(PLAYERS), "the set", f"has layouts for {players} players", "R2.1")


def _check_layout_places(layout: Layout) -> None:
    seats = [place.seat for place in layout.tiles if place.role == "start"]
    neutral = [place for place in layout.tiles if place.role == "neutral"]
    _require(
        seats == list(range(layout.players)),
        layout.id,
        f"has starting tiles for seats {seats}, in this order",
        "R2.1",
    )
    _require(
        len(neutral) == layout.players and all(place.seat is None for place in neutral),
        layout.id,
        f"has {len(neutral)} neutral tiles, needs {layout.players} without a seat",
        "R2.1",
    )


def _check_starts_apart(layout: Layout) -> None:
    """R2.1: starting tiles lie far apart: no space of one is next to a space of another."""
    starts = [place.centre for place in layout.tiles if place.role == "start"]
    for a, b in combinations(starts, 2):
        _require(
            hexes.distance(a, b) > TILE_WIDTH,
            layout.id,
            f"the starting tiles at {a} and {b} touch",
            "R2.1",
        )


def _check_layout_fits(layout: Layout) -> None:
    owner: dict[hexes.Hex, int] = {}
    for number, place in enumerate(layout.tiles):
        for at in (place.centre, *hexes.neighbours(place.centre)):
            _require(at not in owner, layout.id, f"two tiles cover {at}", "R2.1")
            owner[at] = number
    _require(
        layout.scenario_gap not in owner
        and all(at in owner for at in hexes.neighbours(layout.scenario_gap)),
        layout.id,
        f"the scenario gap {layout.scenario_gap} is not one space inside the map",
        "R2.1",
    )
    reached, edge = {0}, [0]
    while edge:
        tile = edge.pop()
        beside = {
            owner[near]
            for at, number in owner.items()
            if number == tile
            for near in hexes.neighbours(at)
            if near in owner
        }
        edge.extend(beside - reached)
        reached |= beside
    _require(len(reached) == len(layout.tiles), layout.id, "a tile is not joined", "R2.1")


def _check_clockwise(layout: Layout) -> None:
    """Seats follow one another clockwise, seen from the scenario gap (two have no direction)."""
    gap_q, gap_r = layout.scenario_gap
    starts = [
        (place.centre[0] - gap_q, place.centre[1] - gap_r)
        for place in layout.tiles
        if place.role == "start"
    ]
    if layout.players == 2:
        return
    for a, b in pairwise([*starts, starts[0]]):
        _require(
            a[0] * b[1] - a[1] * b[0] > 0,
            layout.id,
            f"the seats at {a} and {b} are not clockwise in seat order",
            "R2.1",
        )
