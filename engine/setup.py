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

LETTERS = "ABCDEFGH"


def set_up(components: ComponentSet, players: int, chance: Chance) -> GameSetUp:
    """Return the set-up of a base game for 2, 3 or 4 players (uses 0 to 5 of its chance)."""
    layout = components.layout_for(players)
    tiles = _tiles(components, layout, chance)
    stories = chance.shuffle(3, components.stories)
    cards = list(chance.shuffle(4, components.cards))
    start_seat = chance.below(5, players)[0]
    hands = tuple(_dealt(cards, HAND_AT_START) for _ in range(players))
    row = _dealt(cards, ROW_PLACES)
    return GameSetUp(
        tiles=tiles,
        spaces=_spaces(components, tiles),
        start_seat=start_seat,
        draft_order=tuple((start_seat - i) % players for i in range(1, players + 1)),
        hands=hands,
        row=row,
        pile=tuple(cards),
        stories=StoriesDealt(row=stories[:STORY_PLACES], pile=stories[STORY_PLACES:]),
        small_pile=None,
        supply=None,
    )


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
