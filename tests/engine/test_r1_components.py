"""R1: components."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest

from engine.components import CAMPS, LAND, TERRAINS, ComponentError, ComponentSet, parse
from engine.components.shipped import hearth
from engine.rules.map import served
from engine.scenarios.base import BASE
from engine.scoring import berries, fire
from engine.setup import set_up
from tests.engine.game import Game
from tests.engine.plain import Data, hearth_data, plain
from tests.engine.table import Table

SETS = pytest.mark.parametrize("components", [hearth(), plain()], ids=["Hearth", "Plain"])


def refused(change: Callable[[Data], object]) -> str:
    """Return why the set Hearth is refused after a change to its data."""
    data = hearth_data()
    change(data)
    with pytest.raises(ComponentError) as refusal:
        parse(data)
    return str(refusal.value)


def space_of(data: Data, tile: str, pos: int) -> Data:
    return next(t for t in data["tiles"] if t["id"] == tile)["spaces"][pos]


def card_of(data: Data, card: str) -> Data:
    return next(c for c in data["cards"] if c["id"] == card)


@SETS
def test_r1_1_there_are_4_starting_and_6_neutral_tiles(components: ComponentSet) -> None:
    kinds = Counter(tile.kind for tile in components.tiles.values())
    assert kinds == {"start": 4, "neutral": 6}


def test_r1_1_a_tile_too_few_is_refused() -> None:
    assert refused(lambda data: data["tiles"].pop()).endswith("(R1.1)")


@SETS
def test_r1_1_a_tile_is_a_centre_and_its_6_neighbours(components: ComponentSet) -> None:
    for tile in components.tiles.values():
        assert [space.pos for space in tile.spaces] == list(range(7))
        assert tile.spaces[0].at == (0, 0)
        assert {distance(space.at) for space in tile.spaces[1:]} == {1}


def distance(at: tuple[int, int]) -> int:
    """How many steps a hexagon is from the origin."""
    return (abs(at[0]) + abs(at[1]) + abs(sum(at))) // 2


def test_r1_1_a_tile_without_7_spaces_is_refused() -> None:
    assert refused(lambda data: data["tiles"][0]["spaces"].pop()).endswith("(R1.1)")


@SETS
def test_r1_1_only_the_centre_of_a_starting_tile_has_no_terrain(components: ComponentSet) -> None:
    for tile in components.tiles.values():
        bare = [space.pos for space in tile.spaces if space.terrain is None]
        assert bare == ([0] if tile.kind == "start" else [])


@pytest.mark.parametrize(
    ("tile", "pos", "terrain"), [("S1", 0, "forest"), ("S1", 3, None), ("N1", 0, None)]
)
def test_r1_1_terrain_where_none_belongs_is_refused(
    tile: str, pos: int, terrain: str | None
) -> None:
    problem = refused(lambda data: space_of(data, tile, pos).update(terrain=terrain, berry=False))
    assert problem.startswith(tile)
    assert problem.endswith("(R1.1)")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r1_2_spaces_are_adjacent_as_hexagons_across_tile_borders_too(players: int) -> None:
    board = Game(players).state.board
    pairs = list(combinations(range(len(board.spaces)), 2))
    for a, b in pairs:
        there, here = board.spaces[b], board.spaces[a]
        touching = distance((there.q - here.q, there.r - here.r)) == 1
        assert touching == (b in board.neighbours[a]) == (a in board.neighbours[b])
    crossing = [(a, b) for a, b in pairs if b in board.neighbours[a]]
    assert any(board.names[a][0] != board.names[b][0] for a, b in crossing)


@SETS
def test_r1_3_a_site_lies_between_two_adjacent_spaces_of_its_tile(
    components: ComponentSet,
) -> None:
    for tile in components.tiles.values():
        for site in tile.sites:
            a, b = (tile.spaces[pos].at for pos in site.border_pos)
            assert site.borders == (a, b)
            assert distance((b[0] - a[0], b[1] - a[1])) == 1


def test_r1_3_a_site_that_is_named_twice_is_refused() -> None:
    problem = refused(lambda data: data["tiles"][0]["sites"].append(data["tiles"][0]["sites"][0]))
    assert "each id once (R1.3)" in problem


@pytest.mark.parametrize(
    ("borders", "border_pos"), [([[1, 0], [-1, 0]], [1, 4]), ([[1, 0], [0, 1]], [1, 3])]
)
def test_r1_3_a_site_on_no_border_is_refused(borders: list[list[int]], border_pos: Data) -> None:
    site = {"borders": borders, "border_pos": border_pos}
    assert refused(lambda data: data["tiles"][0]["sites"][0].update(site)).endswith("(R1.3)")


def test_r1_3_a_camp_is_adjacent_to_a_site_only_on_a_space_it_borders() -> None:
    sites = {"artefact": ["A1 A2"]}
    assert served(Table("*0 f0 f  f", sites=sites).state, 0)["artefact"] == 1
    assert served(Table("*0 f  f0 f", sites=sites).state, 0)["artefact"] == 1
    assert served(Table("*0 f  f  f0", sites=sites).state, 0)["artefact"] == 0


@SETS
def test_r1_4_at_most_7_berry_symbols_can_be_in_play(components: ComponentSet) -> None:
    symbols = {
        kind: [sum(space.berry for space in tile.spaces) for tile in components.tiles_of_kind(kind)]
        for kind in ("start", "neutral")
    }
    draws = combinations(symbols["neutral"], 4)
    assert max(sum(symbols["start"]) + sum(draw) for draw in draws) <= 7


def test_r1_4_an_eighth_berry_symbol_is_refused() -> None:
    def add_symbols(data: Data) -> None:
        for tile in data["tiles"]:
            if tile["kind"] == "neutral":
                land = [space for space in tile["spaces"] if space["terrain"] in LAND]
                land[0]["berry"] = land[1]["berry"] = True

    assert refused(add_symbols).endswith("(R1.4)")


def with_symbols(*, start: list[int], neutral: list[int]) -> Data:
    """Return Hearth with so many berry symbols on its tiles of each kind."""
    data = hearth_data()
    numbers = {"start": iter(start), "neutral": iter(neutral)}
    for tile in data["tiles"]:
        left = next(numbers[tile["kind"]])
        for space in tile["spaces"]:
            space["berry"] = left > 0 and space["terrain"] in LAND
            left -= space["berry"]
    return data


@pytest.mark.parametrize(
    ("start", "neutral"),
    [
        ([2, 1, 0, 0], [1, 1, 1, 1, 1, 1]),
        ([0, 0, 0, 0], [2, 2, 2, 1, 1, 1]),
        ([2, 2, 2, 1], [0, 0, 0, 0, 0, 0]),
    ],
)
def test_r1_4_7_berry_symbols_are_allowed_and_an_8th_is_not(
    start: list[int], neutral: list[int]
) -> None:
    parse(with_symbols(start=start, neutral=neutral))
    more_at_start = [*start[:-1], start[-1] + 1]
    for more in (
        with_symbols(start=more_at_start, neutral=neutral),
        with_symbols(start=start, neutral=[neutral[0] + 1, *neutral[1:]]),
    ):
        with pytest.raises(ComponentError, match=r"8 berry symbols .*\(R1\.4\)$"):
            parse(more)


def test_r1_4_a_berry_symbol_on_water_is_refused() -> None:
    assert refused(lambda data: space_of(data, "S1", 1).update(berry=True)).endswith("(R1.4)")


@SETS
def test_r1_5_there_are_55_cards_with_1_or_2_sides(components: ComponentSet) -> None:
    assert len(components.cards) == 55
    for card in components.cards.values():
        terrains = [side.terrain for side in card.sides]
        assert len(terrains) == len(set(terrains)) in (1, 2)
        assert set(terrains) <= set(TERRAINS)


SIDES_REFUSED = {
    "no side": [],
    "three sides": [{"terrain": terrain} for terrain in ("forest", "desert", "water")],
    "one terrain twice": [{"terrain": "forest"}, {"terrain": "forest"}],
    "symbol on land and land": [{"terrain": "forest", "symbol": "fire"}, {"terrain": "desert"}],
    "a symbol on both sides": [
        {"terrain": "forest", "symbol": "fire"},
        {"terrain": "water", "symbol": "berry"},
    ],
}


@pytest.mark.parametrize("sides", SIDES_REFUSED.values(), ids=SIDES_REFUSED)
def test_r1_5_a_card_with_such_sides_is_refused(sides: list[Data]) -> None:
    problem = refused(lambda data: card_of(data, "T30").update(sides=sides))
    assert problem.startswith("T30")
    assert problem.endswith("(R1.5)")


def test_r1_5_pigment_is_never_on_a_card() -> None:
    sides = [{"terrain": "forest", "symbol": "pigment"}]
    assert "pigment" in refused(lambda data: card_of(data, "T30").update(sides=sides))


def test_r1_5_54_cards_are_refused() -> None:
    assert refused(lambda data: data["cards"].pop()).endswith("(R1.5)")


def test_r1_5_a_symbol_counts_only_while_tucked_and_visible() -> None:
    in_hand = Table("*0 f", hands={0: "A1 E1 H1 K1"}).state
    assert served(in_hand, 0)["artefact"] == berries(in_hand)[0] == fire(in_hand)[0] == 0
    hidden = Table("*0 f", tucked={0: "K1.0 L1.1"}).state
    assert served(hidden, 0)["crystal"] == fire(hidden)[0] == 0
    visible = Table("*0 f", tucked={0: "K1.1 L1.0"}).state
    assert served(visible, 0)["crystal"] == fire(visible)[0] == 1


@SETS
def test_r1_6_there_are_24_story_tiles_5_of_which_require_water(components: ComponentSet) -> None:
    stories = components.stories.values()
    assert len(stories) == 24
    assert sum("water" in story.requires for story in stories) == 5


@pytest.mark.parametrize(
    "change",
    [
        {"requires": {"fire": 1}},
        {"requires": {"berry": 1}},
        {"requires": {"forest": 0}},
        {"requires": {}},
        {"requires": {"water": 1}},
        {"fire": -1},
        {"points": 0},
    ],
    ids=str,
)
def test_r1_6_such_a_story_tile_is_refused(change: Data) -> None:
    assert refused(lambda data: data["stories"][0].update(change)).endswith("(R1.6)")


def test_r1_6_23_story_tiles_are_refused() -> None:
    assert refused(lambda data: data["stories"].pop(0)).endswith("(R1.6)")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r1_7_there_are_9_camps_a_player_and_15_berries(players: int) -> None:
    for number in range(10):
        state = Game(players, number).state
        for seat, tribe in enumerate(state.tribes):
            assert tribe.camps_left + len(state.camps_of(seat)) == CAMPS == 9
        assert sum(state.berries) <= 15


def test_r1_8_other_sets_of_the_same_schema_are_played() -> None:
    game = Game(2, components=plain())
    assert set(game.state.row) <= set(plain().cards)
    assert game.refolded.components is plain()


def test_r1_8_a_set_of_another_schema_is_refused() -> None:
    assert "colour" in refused(lambda data: data["cards"][0].update(colour="red"))
    assert refused(lambda data: data.pop("stories")).endswith("(R1.8)")


def test_r1_8_an_id_used_twice_is_refused() -> None:
    assert refused(lambda data: data["cards"][0].update(id="T02")).endswith("(R1.8)")


def test_r1_8_a_game_records_the_digest_of_its_set() -> None:
    text = json.dumps(hearth_data(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert Game(2).header.component_set == digest == hearth().digest
    assert plain().digest != digest


def test_r1_8_another_set_deals_other_components() -> None:
    dealt = set_up(plain(), BASE, 2, Game(2).chance)
    assert set(dealt.pile or ()) < set(plain().cards)
