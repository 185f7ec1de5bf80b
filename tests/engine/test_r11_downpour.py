"""R11: the downpour. Rain covers land; what that does to areas, berries, routes and scores."""

from __future__ import annotations

import pytest

from engine import commands as c
from engine import events as e
from engine.board import areas
from engine.components.shipped import hearth
from engine.rules.map import served
from engine.scenarios.downpour import DOWNPOUR
from engine.views import learners, view_for
from tests.engine.game import Game
from tests.engine.table import Table

FOREST = "*0 f  f  f  *1\n  b  w  m  b"
"""Rain can fall on A1, A2, B0 and B2; on A2 it splits the forest into two parts of one space."""

THREE = "*0 d f f *1\n  f f w d\n  d f f"
"""Rain on B1 splits the forest into B0, and two parts of two spaces: A2 A3, and C1 C2."""


def rainy(drawing: str, **given: object) -> Table:
    """A table at which taking 2 cards takes the last card of the small pile."""
    return Table(drawing, scenario=DOWNPOUR, **({"small_pile": "W1 W2"} | given))


def with_berries(drawing: str, **berries: int) -> str:
    """Return the drawing with berries on these spaces."""
    rows = [row.split() for row in drawing.splitlines()]
    for space, number in berries.items():
        rows["ABCD".index(space[0])][int(space[1:])] += f":{number}"
    return "\n".join(map(" ".join, rows))


def offered(table: Table) -> list[str]:
    """Return the spaces on which the tile may be laid."""
    return [command.space for command in table.legal if isinstance(command, c.Water | c.Lava)]


def shares(table: Table) -> list[dict[str, int]]:
    """Return the ways to share that are offered."""
    return [
        {part.space: part.berries for part in command.shares}
        for command in table.legal
        if isinstance(command, c.Share)
    ]


def area(table: Table, space: str) -> set[str]:
    """Return the names of the spaces of an area."""
    board = table.state.board
    found = areas(board, table.state.terrain).area_of(board.index[space])
    return {board.names[other] for other in found}


# ---- R11.1 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r11_1_story_tiles_that_require_water_are_not_in_the_game(players: int) -> None:
    state = Game(players, scenario="downpour").state
    in_play = {*state.story_row, *state.story_pile}
    assert in_play == {
        story.id for story in hearth().stories.values() if "water" not in story.requires
    }
    assert (len(state.story_row), len(state.story_pile)) == (5, 14)


@pytest.mark.parametrize("key", ["base", "teams", "volcano", "lake_villages"])
def test_r11_1_elsewhere_they_are(key: str) -> None:
    state = Game(4, scenario=key).state
    assert len(state.story_row) + len(state.story_pile) == 24


def test_r11_1_the_pile_of_story_tiles_can_run_out_with_4_players() -> None:
    """4 tiles are drafted and 12 may follow, but 14 lie in the pile."""
    given = {"seats": 4, "placed": {0: 1, 1: 1}, "hands": {0: "F1 F2", 1: "M1 M2"}}
    row = ("1 forest", "2 forest", "3 forest", "1 desert", "2 desert")
    table = rainy("*0 f d m *1", story_row=row, story_pile=("3 desert",), **given)
    table.play("camp A1 auto, story 2")
    assert table.state.story_row == (row[0], "3 desert", *row[2:])
    table.play("camp A3 auto")
    table.refuses("story pile", rule="R5.2")
    table.play("story 4")
    assert table.state.story_row == (row[0], "3 desert", row[2], None, row[4])
    assert table.happened(e.StoryRowFilled) == []


# ---- R11.2: where ----------------------------------------------------------------------------


def test_r11_2_the_tile_goes_on_free_land_beside_water() -> None:
    table = rainy("*0 f  f  f  *1\n  b  w  m1 b\n  d d f").play("take 1-2")
    assert offered(table) == ["A1", "A2", "B0", "C0", "C1"]
    for space, what in [("A3", "away"), ("B1", "water"), ("B2", "a camp"), ("Z9", "nowhere")]:
        assert table.refuses(c.Water(space=space), rule="R11.2"), what


def test_r11_2_starting_camps_are_not_covered() -> None:
    assert offered(rainy("*0 w f *1\n  f").play("take 1-2")) == ["A2", "B0"]


def test_r11_2_the_downpour_tile_is_water() -> None:
    assert offered(rainy("*0 f x f d *1").play("take 1-2")) == ["A1", "A3"]


def test_r11_2_a_water_tile_is_water() -> None:
    table = rainy("*0 f x f d m *1").play("take 1-2, water A3")
    for _ in range(3):  # 6 cards are in the new small pile
        table.play("take 1-2")
    assert offered(table) == ["A1", "A4"]


def test_r11_2_there_are_8_tiles() -> None:
    table = rainy(FOREST)
    assert table.state.stock == DOWNPOUR.stock == 8
    table.play("take 1-2, water A1")
    assert table.state.stock == view_for(table.state, None)["stock"] == 7


def test_r11_2_the_question_is_answered_with_water() -> None:
    table = rainy(FOREST).play("take 1-2")
    for line in ("take 1-2", "lava A1", "story 1", "tuck nothing", "fish nothing", "pass"):
        table.refuses(line, rule="R11.2")
    table.refuses(c.Share(shares=()), rule="R11.2")


def test_r11_2_nobody_learns_anything_hidden_from_where_the_tile_lies() -> None:
    table = rainy(FOREST).play("take 1-2")
    before = table.state
    (covered,) = table.play("water A1").happened(e.WaterPlaced)
    assert learners(before, covered) == frozenset()


# ---- R11.2: what it does ---------------------------------------------------------------------


def test_r11_2_the_space_is_water_from_now_on() -> None:
    table = rainy("*0 w f f f0 m *1", hands={0: "F1 F2 W3 W4 M1"}, active=1)
    table.play("take 1-2")
    assert table.state.terrain[2] == "water"
    assert area(table, "A2") == {"A1", "A2"}
    table.refuses("camp A2 from A4 via A3 pay F1 F2 W3", rule="R3.6")
    table.refuses("camp A3 from A0 via A1 A2 pay M1 F1 F2", rule="R3.8")
    table.play("camp A3 from A0 via A1 A2 pay M1 W3 F1")
    assert table.camp_on("A3") == 0


def test_r11_2_areas_split() -> None:
    table = rainy(FOREST).play("take 1-2, water A2")
    assert (area(table, "A1"), area(table, "A3")) == ({"A1"}, {"A3"})


def test_r11_2_water_areas_merge() -> None:
    table = rainy("*0 d w f w d *1", hands={1: "M1 D1 D2 W3"}).play("take 1-2, water A3")
    assert area(table, "A3") == {"A2", "A3", "A4"}
    table.play("camp A1 from A6 via A5 A4 A3 A2 pay M1 D1 W3 D2")
    assert [paid.spaces for paid in table.happened(e.CampPlaced)[0].payment][2] == (
        "A4",
        "A3",
        "A2",
    )


LAKES = "*0 w f w *1\n  d0 b m0"
"""Camps at two lakes that become one if it rains on A2."""


def test_r11_2_a_tile_that_was_completed_stays_so_though_its_lakes_merge() -> None:
    table = rainy(LAKES, completed={0: ["2 water"]})
    assert served(table.state, 0)["water"] == 2
    table.play("take 1-2").play("water A2")
    assert served(table.state, 0)["water"] == 1
    assert table.completed(0) == ["2 water"]
    assert table.points("R8.4a") == [5, 0]


def test_r11_2_the_tiles_are_looked_at_after_the_rain() -> None:
    table = rainy(LAKES, stories={0: ["2 water", "1 water"]}).play("take 1-2").play("water A2")
    assert table.completed(0) == ["1 water"]


def test_r11_2_two_camps_in_an_area_that_was_split_are_in_two_areas() -> None:
    table = rainy("*0 f0 f f0 *1\n  b w m b", stories={0: ["2 forest"]})
    table.play("take 1-2, water A2")
    assert table.completed(0) == ["2 forest"]


def test_r11_2_the_game_ends_if_rain_takes_the_last_destination() -> None:
    table = rainy("*0 f x d0 *1", active=1).play("take 1-2")
    assert [event.reason for event in table.happened(e.GameEnded)] == ["no_destination"]


def test_r11_2_rain_cuts_nobody_off() -> None:
    """A3 can still be reached, over the water."""
    table = rainy("*0 f0 f d\n  . x\n  . . . *1", active=1).play("take 1-2")
    assert table.state.terrain[table.state.board.index["A2"]] == "water"
    assert table.happened(e.GameEnded) == []


# ---- R11.3 -----------------------------------------------------------------------------------


def test_r11_3_berries_go_to_the_largest_part() -> None:
    drawing = "*0 f:1 f:2 f f *1\n b w m b"
    table = rainy(drawing).play("take 1-2").play("water A2")
    assert table.berries() == {"A3": 3}
    assert table.happened(e.BerriesMoved) == [
        e.BerriesMoved(shares=(e.Share(space="A1", berries=0), e.Share(space="A3", berries=3)))
    ]
    assert table.asked == 1


@pytest.mark.parametrize(
    ("berries", "after"),
    [({"A2": 2}, {"A1": 1, "A3": 1}), ({"A1": 4}, {"A1": 2, "A3": 2}), ({}, {})],
)
def test_r11_3_equal_parts_share_evenly_and_nobody_is_asked(
    berries: dict[str, int], after: dict[str, int]
) -> None:
    table = rainy(with_berries(FOREST, **berries)).play("take 1-2").play("water A2")
    assert table.berries() == after
    assert len(table.happened(e.BerriesMoved)) == bool(berries)
    assert table.asked == 1


@pytest.mark.parametrize("lucky", ["A1", "A3"])
@pytest.mark.parametrize(("berries", "each"), [(1, 0), (3, 1)])
def test_r11_3_who_is_active_says_where_an_odd_berry_goes(
    berries: int, each: int, lucky: str
) -> None:
    table = rainy(with_berries(FOREST, A2=berries), active=1).play("take 1-2").play("water A2")
    assert (table.asked, table.state.questions[0].kind) == (1, "share")
    other = "A3" if lucky == "A1" else "A1"
    expected = {lucky: each + 1} | ({other: each} if each else {})
    assert expected in shares(table)
    assert len(shares(table)) == 2
    table.play(c.Share(shares=tuple(c.PartShare(space=s, berries=n) for s, n in expected.items())))
    assert table.berries() == expected


@pytest.mark.parametrize(
    "line", ["share A1 3", "share A1 2", "share A1 2 A3 2", "share A1 1 A3 1", "share A1 0 A3 3"]
)
def test_r11_3_the_parts_share_as_evenly_as_they_can(line: str) -> None:
    table = rainy(with_berries(FOREST, A1=3)).play("take 1-2").play("water A2")
    table.refuses(line, rule="R11.3")


@pytest.mark.parametrize("given", [{"B0": 3}, {"A2": 3}, {"Z9": 1}, {"A1": -1, "A3": 4}], ids=str)
def test_r11_3_berries_stay_in_the_area_that_was_split(given: dict[str, int]) -> None:
    table = rainy(with_berries(FOREST, A1=3)).play("take 1-2").play("water A2")
    parts = tuple(c.PartShare(space=space, berries=number) for space, number in given.items())
    table.refuses(c.Share(shares=parts), rule="R11.3")


def test_r11_3_a_part_is_named_by_any_of_its_spaces() -> None:
    drawing = "*0 f f f f:1 f *1\n  b b w m b"
    table = rainy(drawing).play("take 1-2").play("water A3")
    assert shares(table) == [{"A1": 1}, {"A4": 1}]
    table.play("share A5 1")
    assert table.berries() == {"A4": 1} or table.berries() == {"A5": 1}


def test_r11_3_the_share_question_is_answered_with_shares() -> None:
    table = rainy(with_berries(FOREST, A2=1)).play("take 1-2").play("water A2")
    for line in ("take 1-2", "water A1", "fish nothing"):
        table.refuses(line, rule="R11.3")


def test_r11_3_of_three_parts_the_two_largest_share_evenly() -> None:
    table = rainy(with_berries(THREE, B0=1, B1=1)).play("take 1-2").play("water B1")
    assert table.berries() == {"A2": 1, "C1": 1}
    (moved,) = table.happened(e.BerriesMoved)
    assert [share.berries for share in moved.shares] == [1, 0, 1]


def test_r11_3_of_three_parts_the_odd_berry_goes_to_one_of_the_two_largest() -> None:
    table = rainy(with_berries(THREE, B1=3)).play("take 1-2").play("water B1")
    assert shares(table) == [{"A2": 2, "C1": 1}, {"A2": 1, "C1": 2}]
    table.refuses("share A2 1 B0 1 C1 1", rule="R11.3")
    table.refuses("share A2 3", rule="R11.3")
    table.play("share C2 2 A3 1")
    assert sum(table.berries().values()) == 3
    assert table.happened(e.BerriesMoved)[0].shares == (
        e.Share(space="A2", berries=1),
        e.Share(space="B0", berries=0),
        e.Share(space="C1", berries=2),
    )


ALIKE = "*0 d f *1\n  f f w\n  d f"
"""Rain on B1 splits the forest into three parts of one space: A2, B0 and C1."""


@pytest.mark.parametrize(
    ("berries", "options"),
    [
        (1, [{"A2": 1}, {"B0": 1}, {"C1": 1}]),
        (2, [{"A2": 1, "B0": 1}, {"A2": 1, "C1": 1}, {"B0": 1, "C1": 1}]),
        (
            4,
            [{"A2": 2, "B0": 1, "C1": 1}, {"A2": 1, "B0": 2, "C1": 1}, {"A2": 1, "B0": 1, "C1": 2}],
        ),
    ],
)
def test_r11_3_three_equal_parts_get_at_most_one_extra_each(
    berries: int, options: list[dict[str, int]]
) -> None:
    table = rainy(with_berries(ALIKE, B1=berries)).play("take 1-2").play("water B1")
    assert shares(table) == options
    if berries > 1:
        table.refuses(f"share A2 {berries}", rule="R11.3")
    given = tuple(c.PartShare(space=s, berries=n) for s, n in options[-1].items())
    assert table.play(c.Share(shares=given)).berries() == options[-1]


def test_r11_3_three_equal_parts_share_three_berries_without_a_question() -> None:
    table = rainy(with_berries(ALIKE, B1=3)).play("take 1-2").play("water B1")
    assert table.berries() == {"A2": 1, "B0": 1, "C1": 1}
    assert table.asked == 1


def test_r11_3_without_a_split_they_stay_with_the_area() -> None:
    table = rainy("*0 w f:2 f:1 d *1").play("take 1-2")
    assert table.berries() == {"A3": 3}
    assert table.happened(e.WaterPlaced)[0].berries_to == "A3"
    assert table.happened(e.BerriesMoved) == []


def test_r11_3_berries_on_other_spaces_of_the_area_lie_where_they_lay() -> None:
    table = rainy("*0 w f f d:2 f:1 *1").play("take 1-2")
    assert table.berries() == {"A4": 2, "A5": 1}


def test_r11_3_if_the_space_was_the_whole_area_they_leave_the_game() -> None:
    table = rainy("*0 w f:2 d:1 *1").play("take 1-2")
    assert table.berries() == {"A3": 1}
    assert table.happened(e.WaterPlaced)[0].berries_to is None
    assert [tribe.berries for tribe in table.state.tribes] == [0, 0]


def test_r11_3_a_later_camp_in_the_part_takes_a_berry() -> None:
    table = rainy("*0 f:1 f:2 f f *1\n b w m b", hands={1: "F1 M1"}).play("take 1-2, water A2")
    table.play("camp A4 from A5 pay M1 F1")
    assert [tribe.berries for tribe in table.state.tribes] == [0, 1]


def test_r11_3_sites_keep_counting_for_the_land_they_still_border() -> None:
    table = rainy("*0 w f d0 *1", sites={"artefact": ["A2 A3"]}).play("take 1-2")
    assert table.state.terrain[2] == "water"
    assert served(table.state, 0)["artefact"] == 1


# ---- R11.4 -----------------------------------------------------------------------------------

AREAS = "forests and mountains with camps"
PAIRS = "pairs of berry and artefact"


def test_r11_4_3_for_each_forest_and_each_mountain_with_a_camp() -> None:
    table = rainy("*0 x f0 f0 d0 m0 b0 f1 m m1 d f *1")
    assert table.points(AREAS) == [6, 6]


def test_r11_4_badlands_deserts_and_starting_camps_count_nothing() -> None:
    assert rainy("*0 x d0 b0 f m *1").points(AREAS) == [0, 0]


def test_r11_4_an_area_that_was_split_counts_twice() -> None:
    table = rainy("*0 f0 f f0 *1\n  b w m b")
    assert table.points(AREAS) == [3, 0]
    assert table.play("take 1-2, water A2").points(AREAS) == [6, 0]


def test_r11_4_several_may_count_the_same_area() -> None:
    assert rainy("*0 x f0 f1 f *1").points(AREAS) == [3, 3]


@pytest.mark.parametrize(
    ("tucked", "points"), [("E1 E2 A1", 8), ("E1", 4), ("A1 A2 E1", 4), ("A1 A2", 0), ("", 0)]
)
def test_r11_4_4_for_each_pair_of_a_berry_and_an_artefact(tucked: str, points: int) -> None:
    table = rainy("*0 x b0 b d *1", tucked={0: tucked}, sites={"artefact": ["A2 A3"]})
    assert table.points(PAIRS) == [points, 0]


def test_r11_4_sites_beside_the_starting_camp_make_no_pair() -> None:
    table = rainy("*0 b d x m *1", tucked={0: "E1"}, sites={"artefact": ["A0 A1"]})
    assert table.points(PAIRS) == [0, 0]


def test_r11_4_the_lines_of_the_score() -> None:
    game = Game(2, scenario="downpour")
    assert [term.rule for term in game.scenario.terms] == [
        "R8.4a",
        "R8.4b",
        "R8.4c",
        "R11.4",
        "R11.4",
    ]


# ---- In one submission -----------------------------------------------------------------------


def test_an_event_is_answered_in_advance() -> None:
    table = rainy(with_berries(FOREST, A2=1)).play("take 1-2, water A2, share A3 1")
    assert table.outcome.unapplied == ()
    assert [type(command) for command in table.outcome.commands] == [c.Take, c.Water, c.Share]
    assert (table.asked, table.berries()) == (1, {"A3": 1})


@pytest.mark.parametrize(
    ("line", "unapplied"),
    [
        ("take 1-2, water A3", ["water"]),
        ("take 1-2, water A3, share A3 1", ["water", "share"]),
        ("take 1-2, water A2, share A3 2", ["share"]),
        ("take 1-2, water A1, share A3 1", ["share"]),
        ("take 1-2, share A3 1", ["share"]),
    ],
)
def test_wrong_guesses_come_back(line: str, unapplied: list[str]) -> None:
    """The row was filled by then, so that the take stands."""
    table = rainy(with_berries(FOREST, A2=1)).play(line)
    left = [type(command).__struct_config__.tag for command in table.outcome.unapplied]
    assert left == unapplied
    assert table.hand(0) == "B5 B6"


def test_without_an_event_the_answer_comes_back() -> None:
    table = rainy(FOREST, small_pile="W1 W2 W3").play("take 1-2, water A2")
    assert table.outcome.unapplied == (c.Water(space="A2"),)
    assert table.asked == 1


def test_the_second_answer_in_the_same_submission_is_refused_with_the_first() -> None:
    """Nothing hidden has come up since the question was put."""
    table = rainy(with_berries(FOREST, A2=1)).play("take 1-2")
    assert table.refuses("water A2, share A3 2", rule="R11.3").command_index == 1
    assert table.state.terrain[2] == "forest"


def test_a_tile_may_be_taken_back_until_something_is_turned_up() -> None:
    table = rainy(with_berries(FOREST, A2=1)).play("take 1-2").play("water A2")
    assert table.state.undoable is not None
    mid_refill = rainy(FOREST, small_pile="W1").play("take 1-2").play("water A2")
    assert mid_refill.state.undoable is None


@pytest.mark.parametrize("line", ["take 1-2, lava A2", "take 1-2, fish nothing"])
def test_answers_of_other_scenarios_are_not_sent_in_advance(line: str) -> None:
    assert rainy(FOREST).refuses(line, rule="R3.1").command_index == 1
