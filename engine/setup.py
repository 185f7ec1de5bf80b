"""Setting up a game (R2): every draw from the game's chance, in the order of docs/chance.md."""

from __future__ import annotations

from engine import hexes
from engine.chance import Chance
from engine.components import (
    BERRIES_PER_SYMBOL,
    HAND_AT_START,
    ROW_PLACES,
    STORY_PLACES,
    ComponentSet,
    Layout,
)
from engine.events import GameSetUp, SpacePlaced, StoriesDealt, TilePlaced
from engine.scenario import GAP_SPACE, SMALL_PILE, Scenario

LETTERS = "ABCDEFGH"


def set_up(components: ComponentSet, scenario: Scenario, players: int, chance: Chance) -> GameSetUp:
    """Return the set-up of a game for 2, 3 or 4 players (uses 0 to 5 of its chance)."""
    layout = components.layout_for(players)
    tiles = _tiles(components, layout, chance)
    stories = chance.shuffle(3, _stories(components, scenario))
    cards = list(chance.shuffle(4, components.cards))
    start_seat = chance.below(5, players)[0]
    hands = tuple(_dealt(cards, HAND_AT_START) for _ in range(players))
    row = _dealt(cards, ROW_PLACES)
    small_pile = _dealt(cards, SMALL_PILE[players]) if scenario.small_pile else None  # R10.2
    return GameSetUp(
        tiles=tiles,
        spaces=(*_spaces(components, tiles), *_gap(layout, scenario)),
        start_seat=start_seat,
        draft_order=tuple((start_seat - i) % players for i in range(1, players + 1)),
        hands=hands,
        row=row,
        pile=None if scenario.small_pile else tuple(cards),
        stories=StoriesDealt(row=stories[:STORY_PLACES], pile=stories[STORY_PLACES:]),
        small_pile=small_pile,
        supply=tuple(cards) if scenario.small_pile else None,
    )


def _stories(components: ComponentSet, scenario: Scenario) -> list[str]:
    """Return the story tiles in play: some scenarios take out those with a terrain (R11.1)."""
    return [
        story.id
        for story in components.stories.values()
        if scenario.stories_without not in story.requires
    ]


def _dealt(cards: list[str], number: int) -> tuple[str, ...]:
    """Take cards off the top of a pile."""
    dealt = tuple(cards[:number])
    del cards[:number]
    return dealt


def _tiles(components: ComponentSet, layout: Layout, chance: Chance) -> tuple[TilePlaced, ...]:
    """Lay random tiles at random rotations on the places of the layout (R2.1)."""
    drawn = {
        kind: iter(chance.shuffle(use, [tile.id for tile in components.tiles_of_kind(kind)]))
        for use, kind in enumerate(("start", "neutral"))
    }
    rotations = chance.below(2, len(hexes.DIRECTIONS), times=len(layout.tiles))
    return tuple(
        TilePlaced(
            letter=letter,
            id=next(drawn[place.role]),
            centre=place.centre,
            rotation=rotation,
            seat=place.seat,
        )
        for letter, place, rotation in zip(LETTERS, layout.tiles, rotations, strict=False)
    )


def _gap(layout: Layout, scenario: Scenario) -> list[SpacePlaced]:
    """Lay the scenario's own tile on the gap of the layout (R10.6)."""
    if scenario.gap is None:
        return []
    q, r = layout.scenario_gap
    terrain = scenario.gap.terrain
    return [SpacePlaced(space=GAP_SPACE, q=q, r=r, tile=None, pos=0, terrain=terrain, berries=0)]


def _spaces(components: ComponentSet, tiles: tuple[TilePlaced, ...]) -> tuple[SpacePlaced, ...]:
    placed = []
    for tile in tiles:
        for space in components.tiles[tile.id].spaces:
            q, r = hexes.add(tile.centre, hexes.rotate(space.at, tile.rotation))
            placed.append(
                SpacePlaced(
                    space=f"{tile.letter}{space.pos}",
                    q=q,
                    r=r,
                    tile=tile.id,
                    pos=space.pos,
                    terrain=space.terrain,
                    berries=BERRIES_PER_SYMBOL if space.berry else 0,  # R2.2
                )
            )
    return tuple(placed)
