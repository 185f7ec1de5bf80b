"""R14: what is asked, and what is not."""

from __future__ import annotations

from engine import events as e
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
