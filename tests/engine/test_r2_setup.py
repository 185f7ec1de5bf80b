"""R2: setting up, and the draft of story tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from engine import commands as c
from engine import events as e
from engine.components import ComponentError, parse
from engine.components.shipped import hearth
from engine.errors import IllegalMove
from engine.state import CampOnMap
from tests.engine.game import Game
from tests.engine.plain import Data, hearth_data

PLAYERS = pytest.mark.parametrize("players", [2, 3, 4])


def dealt(game: Game) -> e.GameSetUp:
    """Return the set-up of a game."""
    event = game.rows[0].events[0]
    assert isinstance(event, e.GameSetUp)
    return event


def with_start_seat(players: int, seat: int) -> Game:
    """Return a game that this seat starts."""
    games = (Game(players, number) for number in range(100))
    return next(game for game in games if game.state.start_seat == seat)


@PLAYERS
def test_r2_1_each_player_gets_a_starting_tile_and_as_many_neutral_ones_are_added(
    players: int,
) -> None:
    tiles = dealt(Game(players)).tiles
    kinds = Counter(hearth().tiles[tile.id].kind for tile in tiles)
    assert kinds == {"start": players, "neutral": players}
    assert len({tile.id for tile in tiles}) == 2 * players
    starting = [tile.seat for tile in tiles if hearth().tiles[tile.id].kind == "start"]
    assert starting == list(range(players))


@PLAYERS
def test_r2_1_tiles_and_rotations_are_random(players: int) -> None:
    tiles = [tile for number in range(40) for tile in dealt(Game(players, number)).tiles]
    assert {tile.id for tile in tiles} == set(hearth().tiles)
    assert {tile.rotation for tile in tiles} == set(range(6))


ONE_SIXTH = {
    (0, 0): (0, 0),
    (1, 0): (0, 1),
    (0, 1): (-1, 1),
    (-1, 1): (-1, 0),
    (-1, 0): (0, -1),
    (0, -1): (1, -1),
    (1, -1): (1, 0),
}
"""Where a sixth of a turn clockwise takes the spaces of a tile."""


@PLAYERS
def test_r2_1_tiles_lie_on_the_layout_turned_by_sixths(players: int) -> None:
    layout, event = hearth().layout_for(players), dealt(Game(players))
    assert [tile.centre for tile in event.tiles] == [place.centre for place in layout.tiles]
    lies = {space.space: (space.q, space.r) for space in event.spaces}
    for tile in event.tiles:
        for space in hearth().tiles[tile.id].spaces:
            q, r = space.at
            for _ in range(tile.rotation):
                q, r = ONE_SIXTH[q, r]
            assert lies[f"{tile.letter}{space.pos}"] == (tile.centre[0] + q, tile.centre[1] + r)


@PLAYERS
def test_r2_1_no_space_lies_on_another_or_on_the_scenario_gap(players: int) -> None:
    lies = [(space.q, space.r) for space in dealt(Game(players)).spaces]
    assert len(lies) == len(set(lies)) == 14 * players
    assert hearth().layout_for(players).scenario_gap not in lies


def test_r2_1_seats_sit_clockwise() -> None:
    for layout in hearth().layouts.values():
        if layout.players > 2:
            starts = [place.centre for place in layout.tiles if place.role == "start"]
            for a, b in pairwise([*starts, starts[0]]):
                assert a[0] * b[1] - a[1] * b[0] > 0


def two_players(data: Data) -> Data:
    layout: Data = next(layout for layout in data["layouts"] if layout["players"] == 2)
    return layout


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (3, {"centre": [0, 1]}),
        (3, {"centre": [9, 9]}),
        (3, {"role": "start", "seat": 1}),
        (1, {"seat": 0}),
        (2, {"seat": 0}),
    ],
    ids=["overlapping", "apart", "three starts", "one seat twice", "a neutral tile with a seat"],
)
def test_r2_1_such_a_layout_is_refused(place: int, change: Data) -> None:
    data = hearth_data()
    two_players(data)["tiles"][place].update(change)
    with pytest.raises(ComponentError, match=r"\(R2\.1\)$"):
        parse(data)


def layout_for(data: Data, players: int) -> Data:
    layout: Data = next(one for one in data["layouts"] if one["players"] == players)
    return layout


def without_a_layout(data: Data) -> None:
    data["layouts"].pop()


def seats_in_another_order(data: Data) -> None:
    layout_for(data, 2)["tiles"][:2] = layout_for(data, 2)["tiles"][1::-1]


def a_neutral_tile_less(data: Data) -> None:
    layout_for(data, 2)["tiles"].pop()


def starts_that_touch(data: Data) -> None:
    layout_for(data, 4)["tiles"][1]["centre"] = [5, 1]


def tiles_that_overlap(data: Data) -> None:
    layout_for(data, 2)["tiles"][2]["centre"] = [1, 0]


def a_gap_outside(data: Data) -> None:
    layout_for(data, 2)["scenario_gap"] = [9, 9]


def a_gap_on_a_tile(data: Data) -> None:
    layout_for(data, 2)["scenario_gap"] = [2, -2]


def a_gap_that_is_open(data: Data) -> None:
    layout_for(data, 2)["tiles"][2]["centre"] = [2, 1]


def a_tile_far_off(data: Data) -> None:
    layout_for(data, 4)["tiles"][0]["centre"] = [20, -5]


def seats_anticlockwise(data: Data) -> None:
    tiles = layout_for(data, 3)["tiles"]
    tiles[1]["centre"], tiles[2]["centre"] = tiles[2]["centre"], tiles[1]["centre"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (without_a_layout, "has layouts for"),
        (seats_in_another_order, "has starting tiles for seats"),
        (a_neutral_tile_less, "neutral tiles, needs"),
        (starts_that_touch, "touch"),
        (tiles_that_overlap, "two tiles cover"),
        (a_gap_outside, "is not one space inside the map"),
        (a_gap_on_a_tile, "is not one space inside the map"),
        (a_gap_that_is_open, "is not one space inside the map"),
        (a_tile_far_off, "a tile is not joined"),
        (seats_anticlockwise, "are not clockwise in seat order"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_r2_1_each_way_to_break_a_layout_is_named(
    change: Callable[[Data], None], problem: str
) -> None:
    data = hearth_data()
    change(data)
    with pytest.raises(ComponentError, match=rf"{problem}.*\(R2\.1\)$"):
        parse(data)


@PLAYERS
def test_r2_2_2_berries_lie_on_every_berry_symbol(players: int) -> None:
    game = Game(players)
    symbols = {
        f"{tile.letter}{space.pos}"
        for tile in dealt(game).tiles
        for space in hearth().tiles[tile.id].spaces
        if space.berry
    }
    berries = dict(zip(game.state.board.names, game.state.berries, strict=True))
    assert {space for space, number in berries.items() if number} == symbols
    assert set(berries.values()) == {0, 2}


@PLAYERS
def test_r2_3_8_camps_wait_and_the_starting_camp_stands_on_its_tiles_centre(players: int) -> None:
    state = Game(players).state
    on_map = {state.board.names[i]: camp for i, camp in enumerate(state.camps) if camp}
    letters = {tile.seat: tile.letter for tile in state.board.tiles if tile.seat is not None}
    assert on_map == {f"{letters[seat]}0": CampOnMap(seat, True) for seat in range(players)}
    assert [tribe.camps_left for tribe in state.tribes] == [8] * players


@PLAYERS
def test_r2_4_5_story_tiles_lie_in_a_row_and_19_in_a_pile(players: int) -> None:
    state = Game(players).state
    assert (len(state.story_row), len(state.story_pile)) == (5, 19)
    assert {*state.story_row, *state.story_pile} == set(hearth().stories)


@PLAYERS
def test_r2_5_2_cards_each_6_in_the_row_and_the_rest_in_the_pile(players: int) -> None:
    state = Game(players).state
    hands = [card for tribe in state.tribes for card in tribe.hand]
    assert [len(tribe.hand) for tribe in state.tribes] == [2] * players
    assert len(state.row) == 6
    assert sorted([*hands, *filter(None, state.row), *state.pile]) == sorted(hearth().cards)


@PLAYERS
def test_r2_5_dealt_cards_are_known_to_their_owner_only(players: int) -> None:
    for tribe in Game(players).state.tribes:
        assert tribe.secret == set(tribe.hand)


@PLAYERS
def test_r2_6_the_start_player_is_random(players: int) -> None:
    starters = {Game(players, number).state.start_seat for number in range(40)}
    assert starters == set(range(players))


@pytest.mark.parametrize(
    ("players", "start_seat", "order"),
    [(2, 0, [1, 0]), (3, 1, [0, 2, 1]), (4, 0, [3, 2, 1, 0]), (4, 2, [1, 0, 3, 2])],
)
def test_r2_6_the_draft_goes_anticlockwise_and_the_start_player_is_last(
    players: int, start_seat: int, order: list[int]
) -> None:
    game, asked = with_start_seat(players, start_seat), []
    while game.state.questions[0].kind == "draft":
        asked.append(game.asked)
        game.say("story 1")
    assert asked == order
    assert (game.asked, game.state.questions[0].kind, game.state.round) == (start_seat, "turn", 1)


def test_r2_6_a_tile_from_the_row_comes_to_the_first_slot_and_the_row_is_refilled() -> None:
    game = Game(3)
    seat, wanted, top = game.asked, game.state.story_row[2], game.state.story_pile[0]
    game.say("story 3")
    assert [tile.story for tile in game.state.tribes[seat].stories] == [wanted]
    assert game.state.story_row[2] == top
    assert len(game.state.story_pile) == 18


def test_r2_6_the_unseen_top_of_the_pile_may_be_taken() -> None:
    game = Game(3)
    seat, row, top = game.asked, game.state.story_row, game.state.story_pile[0]
    game.say("story pile")
    assert [tile.story for tile in game.state.tribes[seat].stories] == [top]
    assert game.state.story_row == row


@pytest.mark.parametrize("answer", ["story 6", "story 0", "take 1-2", "tuck nothing", "pass"])
def test_r2_6_the_draft_is_answered_with_a_story_tile(answer: str) -> None:
    game = Game(4)
    with pytest.raises(IllegalMove) as refusal:
        game.say(answer)
    assert refusal.value.rule == "R2.6"


def test_r2_6_one_tile_each() -> None:
    game = Game(4)
    with pytest.raises(IllegalMove) as refusal:
        game.submit(game.asked, [c.Take(places=(1, 2))])
    assert refusal.value.rule == "R2.6"
    with pytest.raises(IllegalMove) as second:
        game.submit(game.asked, [c.Story(place=1), c.Story(place=2)])
    assert second.value.command_index == 1
    assert game.state.version == 1
