"""R12: the volcano. Lava covers land and closes routes; the volcano gives fire."""

from __future__ import annotations

import pytest

from engine import commands as c
from engine import events as e
from engine.board import areas
from engine.legal import routes_to
from engine.scenarios.volcano import VOLCANO
from engine.views import mask
from tests.engine.game import Game
from tests.engine.table import Table
from tests.engine.test_r11_downpour import ALIKE, offered, shares, with_berries

SLOPES = "*0 f  f  f  *1\n  b  v  m  b"
"""Lava can flow to A1, A2, B0 and B2; on A2 it splits the forest into two parts of one space."""

FIRE = "fire at the volcano"
WATERS = "water areas beside camps"
STARTS = "camps at other starting tiles"
PAIRS = "pairs of berry and fire"


def hot(drawing: str, **given: object) -> Table:
    """A table at which taking 2 cards takes the last card of the small pile."""
    return Table(drawing, scenario=VOLCANO, **({"small_pile": "W1 W2"} | given))


# ---- R12.1 -----------------------------------------------------------------------------------


def test_r12_1_the_tile_goes_on_free_land_beside_the_volcano() -> None:
    table = hot("*0 f  f  f  *1\n  b  v  w b\n d0 f").play("take 1-2")
    assert table.happened(e.ScenarioEvent) == [
        e.ScenarioEvent(kind="volcano", asks=(e.Asked(seat=0, kind="lava"),))
    ]
    assert offered(table) == ["A1", "A2", "B0", "C1"]
    for space in ("A3", "X0", "B2", "C0", "Z9"):
        table.refuses(c.Lava(space=space), rule="R12.1")


def test_r12_1_or_beside_lava() -> None:
    table = hot("*0 f v f f m *1").play("take 1-2, lava A3")
    for _ in range(3):  # 6 cards are in the new small pile
        table.play("take 1-2")
    assert offered(table) == ["A1", "A4"]
    assert table.play("lava A4").state.terrain[4] is None


def test_r12_1_a_camp_is_never_covered() -> None:
    assert offered(hot("*0 f0 v f d *1\n  f f *2", seats=3).play("take 1-2")) == ["A3", "B1"]


def test_r12_1_beside_a_starting_camp_is_not_beside_the_volcano() -> None:
    """Its space has no terrain either."""
    assert offered(hot("*0 f d . f v f *1").play("take 1-2")) == ["A4", "A6"]


def test_r12_1_there_are_8_tiles() -> None:
    table = hot(SLOPES).play("take 1-2, lava A2")
    assert VOLCANO.stock == 8
    assert table.state.stock == 7


def test_r12_1_the_question_is_answered_with_lava() -> None:
    table = hot(SLOPES).play("take 1-2")
    for line in ("take 1-2", "water A1", "story 1", "fish nothing"):
        table.refuses(line, rule="R12.1")


def test_r12_1_the_only_space_is_covered_without_a_question() -> None:
    table = hot("*0 v f d *1").play("take 1-2")
    assert table.happened(e.LavaPlaced) == [
        e.LavaPlaced(seat=0, space="A2", berries_to=None, asks=None)
    ]
    assert table.asked == 1


def test_r12_1_berries_are_dealt_with_as_when_it_rains() -> None:
    larger = hot("*0 f:1 f:2 f f *1\n b v m b").play("take 1-2").play("lava A2")
    assert larger.berries() == {"A3": 3}
    even = hot(with_berries(SLOPES, A2=2)).play("take 1-2").play("lava A2")
    assert even.berries() == {"A1": 1, "A3": 1}
    odd = hot(with_berries(SLOPES, A2=3)).play("take 1-2").play("lava A2")
    assert shares(odd) == [{"A1": 2, "A3": 1}, {"A1": 1, "A3": 2}]
    odd.refuses("share A1 3", rule="R11.3")
    assert odd.play("share A3 2 A1 1").berries() == {"A1": 1, "A3": 2}
    gone = hot("*0 v f:2 d *1").play("take 1-2")
    assert gone.berries() == {}
    three = hot(with_berries(ALIKE, B1=4).replace("w", "v")).play("take 1-2").play("lava B1")
    assert len(shares(three)) == 3


def test_r12_1_the_event_and_its_sharing_in_one_submission() -> None:
    table = hot(with_berries(SLOPES, A2=1)).play("take 1-2, lava A2, share A3 1")
    assert (table.outcome.unapplied, table.asked) == ((), 1)
    wrong = hot(with_berries(SLOPES, A2=1)).play("take 1-2, lava A2, share A3 2")
    assert [type(command) for command in wrong.outcome.unapplied] == [c.Share]


# ---- R12.2 -----------------------------------------------------------------------------------


def test_r12_2_no_route_crosses_the_volcano_or_ends_there() -> None:
    table = hot("*0 v f *1\n  f d d", hands={0: "B1 F1 F2 D1 D2 W3 M1"})
    table.refuses("camp A2 from A0 via X0 auto", rule="R12.2")
    table.refuses(c.Camp(route=("A0", "X0"), payment=()), rule="R12.2")
    table.play("camp A2 from A0 via B0 B1 pay M1 F1 D1 F2")
    assert table.camp_on("A2") == 0


def test_r12_2_no_route_crosses_lava_or_ends_there() -> None:
    table = hot("*0 f f d *1\n  . v m", hands={0: "B1 F1 F2 D1 D2"}, active=1)
    table.play("take 1-2, lava A2")
    table.refuses("camp A3 from A0 via A1 A2 auto", rule="R12.2")
    table.refuses(c.Camp(route=("A0", "A1", "A2"), payment=()), rule="R12.2")
    routes = [command.route for command in table.legal if isinstance(command, c.Camp)]
    assert routes == [("A0", "A1")]
    assert routes_to(mask(table.state, 0), 0, "A3").entries == ()


def test_r12_2_no_route_starts_there() -> None:
    hot("*0 v f *1", hands={0: "F1 F2"}).refuses(
        c.Camp(route=("X0", "A2"), payment=()), rule="R3.6"
    )


def test_r12_2_starting_camps_are_passed_though_their_spaces_have_no_terrain() -> None:
    table = hot("*0 f *1 m v", hands={0: "B1 F1 W3 M1"})
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 W3 M1")
    assert table.hand(1) == "W3"


def test_r12_2_they_have_no_terrain_and_belong_to_no_area() -> None:
    table = hot(SLOPES).play("take 1-2, lava A2")
    board, terrain = table.state.board, table.state.terrain
    for space in ("A2", "X0"):
        assert terrain[board.index[space]] is None
        assert areas(board, terrain).of[board.index[space]] is None
    parts = [areas(board, terrain).area_of(board.index[space]) for space in ("A1", "A3")]
    assert [len(part) for part in parts] == [1, 1]


def test_r12_2_the_game_ends_if_lava_takes_the_last_destination() -> None:
    table = hot("*0 f v d0 *1", active=1).play("take 1-2")
    assert [event.reason for event in table.happened(e.GameEnded)] == ["no_destination"]


def test_r12_2_the_game_ends_if_lava_cuts_off_the_last_destination() -> None:
    """A3 is free and nobody can come there any more: the rain in its place would let them."""
    table = hot("*0 f0 f d\n  . v\n  . . . *1", active=1).play("take 1-2")
    assert [event.reason for event in table.happened(e.GameEnded)] == ["no_destination"]


# ---- R12.3 -----------------------------------------------------------------------------------


def test_r12_3_1_fire_for_each_camp_beside_the_volcano() -> None:
    assert hot("*0 f0 f1 *1\n  d1 v b0 m\n  d b0").points(FIRE) == [3, 2]


def test_r12_3_starting_camps_beside_it_too() -> None:
    assert hot("*0 v d m *1").points(FIRE) == [1, 0]


def test_r12_3_lava_is_not_the_volcano() -> None:
    table = hot("*0 f0 f v d *1").play("take 1-2, lava A2")
    assert table.points(FIRE) == [0, 0]


def test_r12_3_fire_at_the_volcano_counts_for_most_fire() -> None:
    assert hot("*0 f0 v d *1", tucked={1: "H1"}).points("R8.4c") == [4, 4]
    assert hot("*0 f0 v d1 *1\n f m0", tucked={1: "H1"}).points("R8.4c") == [4, 4]
    assert hot("*0 f0 v d *1\n f m0", tucked={1: "H1"}).points("R8.4c") == [4, 0]
    assert hot("*0 f d v m d *1").points("R8.4c") == [0, 0]


def test_r12_3_it_has_a_line_of_its_own() -> None:
    table = hot("*0 f0 v d *1", tucked={0: "H1"})
    assert (table.points("R8.4b"), table.points(FIRE)) == ([1, 0], [1, 0])


def test_r12_3_2_for_each_water_area_bordered_by_a_camp() -> None:
    assert hot("*0 w f0 w f0 w w f1 d v *1").points(WATERS) == [6, 2]
    assert hot("*0 d v f0 w f1 *1").points(WATERS) == [2, 2]


def test_r12_3_starting_camps_border_water_areas_too() -> None:
    assert hot("*0 w d v m *1").points(WATERS) == [2, 0]


OWNED = {"A": 0, "C": 1}


def test_r12_3_2_for_each_camp_beside_another_players_starting_tile() -> None:
    """Row A is the starting tile of seat 0, row C that of seat 1, row B is neutral."""
    table = hot("*0 f f\n  d1 d0 d\n  d0 f *1 v", owners=OWNED)
    assert table.points(STARTS) == [2, 2]


def test_r12_3_a_camp_on_the_tile_itself_is_not_beside_it() -> None:
    table = hot("*0 f1 f v\n  d d d\n  f f f\n  m0 f *1", owners={"A": 0, "D": 1})
    assert table.points(STARTS) == [0, 0]


def test_r12_3_a_camp_on_another_starting_tile_may_be_beside_a_third() -> None:
    drawing = "f f f v\n  d d2 d\n  f f f"
    table = hot(drawing, seats=3, owners={"A": 0, "B": 1, "C": 2})
    assert table.points(STARTS) == [0, 0, 2]
    on_own = hot("f f f v\n  d1 d d", owners={"A": 0, "B": 1})
    assert on_own.points(STARTS) == [0, 2]


def test_r12_3_2_however_many_such_tiles_it_touches() -> None:
    table = hot("*0 f f v\n  d d2 d\n  *1 f *2", seats=3, owners={"A": 0, "C": 1})
    assert table.points(STARTS) == [0, 0, 2]


def test_r12_3_covered_spaces_of_the_tile_count() -> None:
    table = hot("*0 f v\n  d1 d d\n  *1", owners={"A": 0})
    assert table.points(STARTS) == [0, 2]
    table = hot("d f v *0\n  d d1 d\n  *1", owners={"A": 0}).play("take 1-2, lava A1")
    assert table.points(STARTS) == [0, 2]


@pytest.mark.parametrize(
    ("tucked", "points"), [("E1 E2 H1", 6), ("E1", 3), ("H1 H2", 0), ("E1 E2 E3", 3)]
)
def test_r12_3_3_for_each_pair_of_a_berry_and_a_fire(tucked: str, points: int) -> None:
    """Seat 0 has 1 fire at the volcano."""
    assert hot("*0 f0 v d *1", tucked={0: tucked}).points(PAIRS) == [points, 0]


def test_r12_3_all_fire_makes_pairs() -> None:
    given = {"completed": {0: ["2 forest"]}, "placed": {0: 8}, "tucked": {0: "E1 E2 E3"}}
    assert hot("*0 f d v m *1", **given).points(PAIRS) == [6, 0]


def test_r12_3_the_lines_of_the_score() -> None:
    rules = [term.rule for term in Game(2, scenario="volcano").scenario.terms]
    assert sorted(rules) == ["R12.3"] * 4 + ["R8.4a", "R8.4b", "R8.4c"]
