"""R14: what is asked, and what is not."""

from __future__ import annotations

import pytest

from engine import events as e
from engine.scenario import Scenario
from engine.scenarios.downpour import DOWNPOUR
from engine.scenarios.lake_villages import LAKE_VILLAGES
from engine.scenarios.volcano import VOLCANO
from tests.engine.table import Table

LINE = "*0  f  d  m  *1"
NO_ROW = (None,) * 5


def test_r14_1_a_story_tile_without_any_choice_is_taken_by_the_engine() -> None:
    table = Table(
        LINE, hands={0: "F1 F2"}, placed={0: 1}, story_row=(None, "1 forest"), story_pile=()
    ).play("camp A1 auto")
    assert table.happened(e.StoryTaken) == [e.StoryTaken(seat=0, story="1 forest", from_=2)]
    assert table.completed(0) == ["1 forest"]
    assert table.asked == 1


def test_r14_1_the_last_tile_of_the_pile_is_taken_by_the_engine() -> None:
    table = Table(
        LINE, hands={0: "F1 F2"}, placed={0: 1}, story_row=NO_ROW, story_pile=("1 forest",)
    ).play("camp A1 auto")
    assert table.happened(e.StoryTaken) == [e.StoryTaken(seat=0, story="1 forest", from_="pile")]
    assert table.asked == 1


def test_r14_1_it_may_be_answered_in_advance_all_the_same() -> None:
    table = Table(
        LINE, hands={0: "F1 F2"}, placed={0: 1}, story_row=NO_ROW, story_pile=("1 forest",)
    ).play("camp A1 auto, story pile")
    assert len(table.outcome.commands) == 2
    assert len(table.happened(e.StoryTaken)) == 1


def test_r14_1_with_two_possible_tiles_the_seat_is_asked() -> None:
    table = Table(
        LINE, hands={0: "F1 F2"}, placed={0: 1}, story_row=("1 forest",), story_pile=("1 desert",)
    ).play("camp A1 auto")
    assert (table.asked, table.state.questions[0].kind) == (0, "story")


def test_r14_1_whether_to_tuck_is_always_asked_with_a_card_in_hand() -> None:
    table = Table(LINE, hands={0: "F1 F2 M1"}, placed={0: 2}).play("camp A1 from A0 pay F1 F2")
    assert (table.asked, table.state.questions[0].kind) == (0, "tuck")


def test_r14_1_a_turn_with_one_possible_answer_is_asked() -> None:
    table = Table(LINE, row="- - - B1 B2 B3", pile="").play("take 4-5")
    assert (table.asked, table.state.questions[0].kind) == (1, "turn")
    assert len(table.legal) == 1


def test_r14_1_a_forced_pass_is_made_by_the_engine_at_once() -> None:
    table = Table(LINE, row="- - - - - B1", pile="", hands={0: "F1 F2"}).play("take 6")
    assert [type(event) for event in table.events[-3:]] == [e.Passed, e.TurnEnded, e.RoundEnded]
    assert table.asked == 0


# ---- Scenario events -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "drawing", "covered"),
    [(DOWNPOUR, "*0 w f d *1", e.WaterPlaced), (VOLCANO, "*0 v f d *1", e.LavaPlaced)],
    ids=["water", "lava"],
)
def test_r14_1_the_only_space_for_a_tile_is_covered_by_the_engine(
    scenario: Scenario, drawing: str, covered: type[e.WaterPlaced | e.LavaPlaced]
) -> None:
    table = Table(drawing, scenario=scenario, small_pile="W1 W2").play("take 1-2")
    assert [event.asks for event in table.happened(e.ScenarioEvent)] == [()]
    assert [event.space for event in table.happened(covered)] == ["A2"]
    assert table.asked == 1


def test_r14_1_with_two_spaces_the_seat_is_asked() -> None:
    table = Table("*0 f x f d *1", scenario=DOWNPOUR, small_pile="W1 W2").play("take 1-2")
    assert (table.asked, table.state.questions[0].kind) == (0, "water")


def test_r14_1_what_follows_is_asked_all_the_same_if_there_is_a_choice() -> None:
    table = Table("*0 b f1 f f *1\n  b w1 f b", scenario=DOWNPOUR, small_pile="W1 W2")
    odd = Table("*0 f f:1 f *1\n  b0 v m0 b", scenario=VOLCANO, small_pile="W1 W2")
    assert table.state.questions[0].kind == odd.state.questions[0].kind == "turn"
    odd = Table("b0 f0 f:1 f *1\n  b0 v m0 b", scenario=VOLCANO, small_pile="W1 W2")
    odd.play("take 1-2")
    assert [event.space for event in odd.happened(e.LavaPlaced)] == ["A2"]
    assert (odd.asked, odd.state.questions[0].kind, len(odd.legal)) == (0, "share", 2)


def test_r14_1_berries_that_come_out_even_are_shared_by_the_engine() -> None:
    drawing = "b0 f0 f:2 f *1\n  b0 v m0 b"
    table = Table(drawing, scenario=VOLCANO, small_pile="W1 W2").play("take 1-2")
    assert table.berries() == {"A1": 1, "A3": 1}
    assert table.asked == 1


def test_r14_1_whether_to_give_a_card_for_fish_is_always_asked_with_a_card_in_hand() -> None:
    table = Table("*0 d w1 f *1", scenario=LAKE_VILLAGES, small_pile="W1 W2", hands={1: "F1"}).play(
        "take 1-2"
    )
    assert [(question.seat, question.kind) for question in table.state.questions] == [(1, "fish")]
    assert len(table.legal) == 2
