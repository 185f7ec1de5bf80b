"""R6: story tiles, and the end of a turn."""

from __future__ import annotations

import pytest

from engine import events as e
from engine.rules.map import served
from tests.engine.table import Table

LINE = "*0  f  d  m  *1"


def test_r6_1_each_tile_is_checked_on_its_own() -> None:
    tiles = ["1 forest", "2 forest", "1 forest, 1 artefact"]
    table = Table(LINE, hands={0: "F1 F2"}, stories={0: tiles}, sites={"artefact": ["A1 A2"]}).play(
        "camp A1 auto"
    )
    assert table.completed(0) == ["1 forest", "1 forest, 1 artefact"]


def test_r6_1_a_camp_serves_its_terrain_and_every_water_area_and_site_it_touches() -> None:
    state = Table(
        "*0 w f0 w d *1\n  w d d d", sites={"artefact": ["A1 A2", "A2 A3"], "pigment": ["A2 A3"]}
    ).state
    assert served(state, 0) == {"forest": 1, "water": 2, "artefact": 2, "pigment": 1}


def test_r6_1_a_tucked_card_serves_its_terrain_and_its_symbol() -> None:
    assert served(Table(LINE, tucked={0: "A1"}).state, 0) == {
        "forest": 1,
        "artefact": 1,
        "water": 0,
    }


def test_r6_1_the_starting_camp_never_serves() -> None:
    state = Table("*0 w d *1", sites={"artefact": ["A0 A1"]}).state
    assert served(state, 0).total() == 0


def test_r6_2_land_counts_different_areas() -> None:
    two_in_one = Table("*0 f0 f0 d f *1")
    assert served(two_in_one.state, 0)["forest"] == 1
    two_areas = Table("*0 f0 d d f0 *1")
    assert served(two_areas.state, 0)["forest"] == 2


def test_r6_2_each_tucked_card_is_an_area_of_its_own() -> None:
    state = Table("*0 f0 f d *1", tucked={0: "F1 F2 X1"}).state
    assert served(state, 0)["forest"] == 4


def test_r6_3_water_counts_the_different_water_areas_that_camps_border() -> None:
    assert served(Table("*0 w f0 w d *1").state, 0)["water"] == 2
    one_lake_twice = Table("*0 f0 w w f0 *1")
    assert served(one_lake_twice.state, 0)["water"] == 1
    assert served(Table("*0 f0 d w *1").state, 0)["water"] == 0


def test_r6_3_each_tucked_water_side_adds_1() -> None:
    state = Table("*0 f0 w d *1", tucked={0: "W1 Z1.1 Z2.0"}).state
    assert served(state, 0)["water"] == 3


@pytest.mark.parametrize("resource", ["artefact", "pigment", "crystal"])
def test_r6_4_resources_count_different_sites(resource: str) -> None:
    sites = {resource: ["A1 A2", "A2 A3"]}
    assert served(Table("*0 f0 f0 d *1", sites=sites).state, 0)[resource] == 2
    assert served(Table("*0 f0 f d *1", sites=sites).state, 0)[resource] == 1


def test_r6_4_a_site_counts_once_for_each_player() -> None:
    state = Table("*0 f0 f0 d *1", sites={"artefact": ["A1 A2"]}).state
    assert served(state, 0)["artefact"] == 1
    shared = Table("*0 f0 f1 d *1", sites={"artefact": ["A1 A2"]}).state
    assert [served(shared, seat)["artefact"] for seat in (0, 1)] == [1, 1]


def test_r6_4_tucked_symbols_add_1_each() -> None:
    state = Table("*0 f0 f d *1", tucked={0: "A1 A2"}, sites={"artefact": ["A1 A2"]}).state
    assert served(state, 0)["artefact"] == 3


def test_r6_5_met_tiles_are_completed_at_the_end_of_your_turn_whatever_you_did() -> None:
    table = Table("*0 f0 d m *1", stories={0: ["1 forest", "2 forest"]}).play("take 1-2")
    assert table.completed(0) == ["1 forest"]


def test_r6_5_one_reward_card_for_each_completed_tile() -> None:
    table = Table(
        "*0 f d *1",
        hands={0: "F1 F2"},
        stories={0: ["1 forest", "1 pigment", "2 forest"]},
        sites={"pigment": ["A1 A2"]},
        pile="W1 W2 W3",
    ).play("camp A1 auto")
    assert table.completed(0) == ["1 forest", "1 pigment"]
    assert table.hand(0) == "W1 W2"
    assert table.state.tribes[0].secret == {"W1", "W2"}


def test_r6_5_a_completed_tile_stays_so_and_gives_no_second_reward() -> None:
    tiles = {0: ["1 forest", "3 desert"]}
    table = Table("*0 f0 d m *1", completed=tiles, pile="W1 W2 W3").play("take 1-2")
    assert table.completed(0) == tiles[0]
    assert table.happened(e.StoryCompleted) == table.happened(e.RewardDrawn) == []


def test_r6_5_nobody_elses_tiles_are_completed_in_your_turn() -> None:
    table = Table("*0 f1 d m *1", stories={1: ["1 forest"]}).play("take 1-2")
    assert table.completed(1) == []
    assert table.play("take 1-2").completed(1) == ["1 forest"]


def test_r6_5_a_tile_taken_this_turn_may_be_completed_this_turn() -> None:
    table = Table(LINE, hands={0: "F1 F2"}, placed={0: 1}, story_row=("1 forest", "1 desert")).play(
        "camp A1 auto, story 1"
    )
    assert table.completed(0) == ["1 forest"]


def test_r6_5_a_card_tucked_this_turn_serves_this_turn() -> None:
    table = Table(LINE, hands={0: "F1 F2 C1"}, placed={0: 2}, stories={0: ["1 crystal"]}).play(
        "camp A1 from A0 pay F1 F2, tuck C1"
    )
    assert table.completed(0) == ["1 crystal"]


def test_r6_5_a_forced_pass_is_a_turn_too() -> None:
    table = Table(
        "*0 f f d1 *1", row="- - - - - B1", pile="", hands={0: "F1 F2"}, stories={1: ["1 desert"]}
    ).play("take 6")
    kinds = [type(event) for event in table.events]
    assert kinds[kinds.index(e.Passed) :] == [
        e.Passed, e.StoryCompleted, e.TurnEnded, e.RoundEnded,
    ]  # fmt: skip
    assert (table.asked, table.completed(1)) == (0, ["1 desert"])


def test_r6_6_then_the_next_seat_is_active() -> None:
    table = Table(LINE, seats=3, start_seat=1, active=2).play("take 1-2")
    assert table.events[-1] == e.TurnEnded(seat=2, next=0)
    assert (table.asked, table.state.active, table.state.round) == (0, 0, 1)
    assert table.play("take 1-2").state.round == 2


def test_r6_7_a_story_slot_serves_nothing() -> None:
    state = Table(LINE, stories={0: ["1 forest", "1 desert"]}, completed={0: ["1 water"]}).state
    assert served(state, 0).total() == 0
