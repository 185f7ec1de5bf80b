"""R5: what the places of the tribe board give."""

from __future__ import annotations

import pytest

from engine import commands as c
from engine import events as e
from engine.state import Tucked
from tests.engine.table import Table

LINE = "*0  f  d  m  *1"


def placing(number: int, hand: str = "F1 F2 A1 K1", **given: object) -> Table:
    """Return a table at which seat 0 has just placed its camp of this number on A1."""
    table = Table(LINE, hands={0: hand}, placed={0: number - 1}, **given)
    return table.play("camp A1 from A0 pay F1 F2")


@pytest.mark.parametrize(
    ("number", "asks"),
    [
        (1, None),
        (2, "story"),
        (3, "tuck"),
        (4, "story"),
        (5, "tuck"),
        (6, "story"),
        (7, "tuck"),
        (8, None),
    ],
)
def test_r5_1_the_1st_camp_gives_nothing_and_the_others_what_their_place_says(
    number: int, asks: str | None
) -> None:
    table = placing(number)
    assert table.happened(e.CampPlaced)[0].asks == asks
    question = table.state.questions[0]
    assert (question.seat, question.kind) == ((1, "turn") if asks is None else (0, asks))


def test_r5_1_no_camp_draws_terrain_cards() -> None:
    for number in range(1, 9):
        assert placing(number).hand(0) == "A1 K1"


def test_r5_2_a_story_tile_comes_from_the_row_to_the_leftmost_free_slot() -> None:
    table = placing(2, stories={0: ["3 forest"]}, story_row=("1 desert", "2 desert"))
    top = table.state.story_pile[0]
    table.play("story 2")
    assert [tile.story for tile in table.state.tribes[0].stories] == ["3 forest", "2 desert"]
    assert table.state.story_row == ("1 desert", top)


def test_r5_2_a_story_tile_comes_from_the_top_of_the_pile() -> None:
    table = placing(4)
    row, top = table.state.story_row, table.state.story_pile[0]
    table.play("story pile")
    assert table.state.tribes[0].stories[-1].story == top
    assert table.state.story_row == row


def test_r5_2_with_an_empty_pile_the_place_stays_empty_and_the_top_is_not_offered() -> None:
    table = placing(2, story_row=("1 desert", "2 desert", "3 desert"), story_pile=())
    assert table.legal == [c.Story(place=place) for place in (1, 2, 3)]
    table.refuses("story pile", rule="R5.2")
    table.play("story 2")
    assert table.state.story_row == ("1 desert", None, "3 desert")
    assert table.happened(e.StoryRowFilled) == []


def test_r5_2_places_keep_their_numbers() -> None:
    table = placing(6, story_row=("1 desert", None, "3 desert"), story_pile=())
    table.refuses("story 2", rule="R5.2")
    table.play("story 3")
    assert table.state.tribes[0].stories[-1].story == "3 desert"


def test_r5_2_without_any_story_tile_nothing_is_asked() -> None:
    table = placing(2, story_row=(None,) * 5, story_pile=())
    assert table.happened(e.CampPlaced)[0].asks is None
    assert table.asked == 1


@pytest.mark.parametrize("answer", ["take 1-2", "tuck nothing", "camp A1 auto", "story 6"])
def test_r5_2_the_question_is_answered_with_a_story_tile(answer: str) -> None:
    Table(LINE, asks="story", placed={0: 2}, hands={0: "F1 D1"}).refuses(answer, rule="R5.2")


@pytest.mark.parametrize(("number", "slot"), [(3, 1), (5, 2), (7, 3)])
def test_r5_3_a_hand_card_may_be_tucked_with_one_side_visible(number: int, slot: int) -> None:
    table = placing(number).play("tuck K1 water")
    assert table.state.tribes[0].tucked == (Tucked(slot, "K1", 1),)
    assert table.hand(0) == "A1"


def test_r5_3_only_the_visible_side_counts() -> None:
    stories = {0: ["1 desert", "1 water"]}
    assert placing(3, stories=stories).play("tuck K1 water").completed(0) == ["1 water"]
    assert placing(3, stories=stories).play("tuck K1 desert").completed(0) == ["1 desert"]


def test_r5_3_declined_the_slot_stays_empty_for_the_game() -> None:
    table = placing(3).play("tuck nothing")
    assert table.state.tribes[0].tucked == ()
    assert table.happened(e.CardTucked) == [e.CardTucked(seat=0, card=None, side=0, slot=1)]
    later = placing(5).play("tuck A1")
    assert later.state.tribes[0].tucked == (Tucked(2, "A1", 0),)


def test_r5_3_with_an_empty_hand_nothing_is_asked() -> None:
    table = placing(3, hand="F1 F2")
    assert table.asked == 1
    assert table.happened(e.CardTucked) == []


def test_r5_3_every_side_of_every_hand_card_and_nothing_are_offered() -> None:
    assert placing(3).legal == [
        c.Tuck(card="A1", side=0),
        c.Tuck(card="K1", side=0),
        c.Tuck(card="K1", side=1),
        c.Tuck(card=None),
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "tuck F1",
        "tuck B1",
        "tuck Q9",
        "tuck A1 desert",
        "story 1",
        "take 1-2",
        c.Tuck(card="A1", side=1),
        c.Tuck(card="K1", side=-1),
    ],
    ids=str,
)
def test_r5_3_such_an_answer_is_refused(answer: str | c.Command) -> None:
    placing(3).refuses(answer, rule="R5.3")


def test_r5_4_the_8th_camp_is_the_last_and_gives_1_fire_at_scoring() -> None:
    table = Table(LINE, hands={1: "M1 M2"}, placed={1: 7}, active=1).play("camp A3 auto")
    (ended,) = table.happened(e.GameEnded)
    assert ended.reason == "last_camp"
    fire = [next(line for line in score.lines if line.rule == "R8.4b") for score in ended.scores]
    assert [line.points for line in fire] == [0, 1]
