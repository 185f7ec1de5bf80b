"""Submissions of several commands: all or nothing until something is learnt."""

from __future__ import annotations

import pytest

from engine import commands as c
from engine import events as e
from engine.decide import submit
from engine.errors import GameError, GameOver, InvalidCommand, NotYourDecision
from engine.scenarios.downpour import DOWNPOUR
from tests.engine.game import Game
from tests.engine.policies import bot
from tests.engine.table import Table

LINE = "*0  f  d  m  *1"


def third_camp(hand: str = "F1 F2 K1", **given: object) -> Table:
    """A table at which the next camp of seat 0 asks whether to tuck."""
    return Table(LINE, hands={0: hand}, placed={0: 2}, **given)


def second_camp(**given: object) -> Table:
    """A table at which the next camp of seat 0 brings a story tile."""
    return Table(LINE, hands={0: "F1 F2"}, placed={0: 1}, **given)


def test_a_turn_with_its_follow_up_is_one_submission() -> None:
    table = third_camp().play("camp A1 from A0 pay F1 F2, tuck K1 water")
    assert table.outcome.unapplied == ()
    assert len(table.outcome.commands) == 2
    assert table.asked == 1


def test_before_anything_is_learnt_a_refusal_refuses_all() -> None:
    table = third_camp()
    error = table.refuses("camp A1 from A0 pay F1 F2, tuck F1", rule="R5.3")
    assert error.command_index == 1
    assert table.camp_on("A1") is None


def test_the_first_commands_refusal_has_index_0() -> None:
    error = third_camp().refuses("camp A1 from A0 pay F1 K1, tuck F2", rule="R3.6")
    assert error.command_index == 0


def test_what_others_learn_does_not_end_all_or_nothing() -> None:
    table = third_camp(secret="F1 F2")
    table.refuses("camp A1 from A0 pay F1 F2, tuck B1", rule="R5.3")


def test_after_something_was_learnt_a_refused_command_comes_back() -> None:
    table = second_camp().play("camp A1 auto", "story 1", "tuck F1")
    assert table.happened(e.StoryRowFilled)
    assert table.outcome.unapplied == (c.Tuck(card="F1"),)
    assert len(table.outcome.commands) == 2
    assert table.asked == 1


def test_everything_after_a_command_that_comes_back_comes_back() -> None:
    table = second_camp().play("camp A1 auto", "story 1", "tuck F1", "story 2")
    assert table.outcome.unapplied == (c.Tuck(card="F1"), c.Story(place=2))


def test_a_story_tile_from_the_pile_is_learnt_from() -> None:
    table = second_camp().play("camp A1 auto", "story pile", "story 1")
    assert table.outcome.unapplied == (c.Story(place=1),)


def test_without_anything_to_learn_the_refusal_refuses_all_even_after_a_story_tile() -> None:
    table = second_camp(story_row=("1 desert", "2 desert"), story_pile=())
    error = table.refuses("camp A1 auto", "story 1", "tuck F1", rule="R3.1")
    assert error.command_index == 2


def test_a_shuffle_is_learnt_from() -> None:
    table = Table(LINE, row="- - - - - B5", pile="", hands={0: "F1 F2"})
    table.play("camp A1 auto", "tuck nothing")
    assert table.happened(e.PileShuffled)
    assert table.outcome.unapplied == (c.Tuck(card=None),)


def test_a_reward_is_learnt_from() -> None:
    table = Table(LINE, hands={0: "F1 F2"}, stories={0: ["1 forest"]})
    table.play("camp A1 auto", "story 1")
    assert table.outcome.unapplied == (c.Story(place=1),)
    unmet = Table(LINE, hands={0: "F1 F2"}, stories={0: ["2 forest"]})
    assert unmet.refuses("camp A1 auto", "story 1", rule="R3.1").command_index == 1


@pytest.mark.parametrize(
    "second", [c.Take(places=(1, 2)), c.Pass(), c.Undo(), c.Camp(route=(), payment=())], ids=repr
)
def test_only_follow_ups_are_sent_in_advance(second: c.Command) -> None:
    """Whether the first command is allowed is not even looked at."""
    for first in ("camp A1 from A0 pay F1 F2", c.Take(places=(1, 6))):
        error = third_camp().refuses(first, second, rule="R3.1")
        assert error.command_index == 1


def test_an_answer_in_advance_to_a_question_that_is_not_put_is_refused() -> None:
    table = third_camp(hand="F1 F2")
    assert table.refuses("camp A1 from A0 pay F1 F2, tuck nothing", rule="R3.1").command_index == 1


def test_no_next_turn_is_answered_in_advance() -> None:
    """Seat 1 must pass, so that seat 0 is asked again at once."""
    table = Table(LINE, scenario=DOWNPOUR, row="- - - - - B1", pile="", hands={0: "F1 F2"})
    table.play("take 6", "water A1")
    assert table.outcome.unapplied == (c.Water(space="A1"),)
    assert (table.asked, table.state.questions[0].kind) == (0, "turn")


def test_nothing_is_no_submission() -> None:
    table = Table(LINE)
    with pytest.raises(InvalidCommand):
        submit(table.state, 0, [], table.chance)


def test_a_seat_that_is_not_asked_is_told_so() -> None:
    table = Table(LINE)
    with pytest.raises(NotYourDecision):
        submit(table.state, 1, [c.Take(places=(1, 2))], table.chance)


def test_after_the_end_nothing_is_taken_not_even_back() -> None:
    game = Game(2).play([bot, bot])
    for command in (c.Take(places=(1, 2)), c.Undo()):
        with pytest.raises(GameOver):
            game.submit(0, [command])


@pytest.mark.parametrize(
    "commands",
    [
        [c.Camp(route=("A0", "A1"), payment=())],
        [c.Camp(route=("A0", "A1"), payment=(c.Payment(card="?", spaces=("A0",)),) * 2)],
        [c.Take(places=(-1, 0))],
        [c.Take(places=(10**30, 2))],
        [c.Story(place=-1)],
        [c.Tuck(card="?", side=10**30)],
    ],
    ids=repr,
)
@pytest.mark.parametrize("asks", ["turn", "story", "tuck", "draft"])
def test_nonsense_is_refused_and_changes_nothing(commands: list[c.Command], asks: str) -> None:
    table = Table(LINE, hands={0: "F1 F2"}, placed={0: 3}, asks=asks)
    before = table.state
    with pytest.raises(GameError):
        submit(table.state, 0, commands, table.chance)
    assert table.state == before


@pytest.mark.parametrize("line", ["take 1-2, story 2", "take 1-2, water A1", "story 1, story 2"])
def test_what_a_move_cannot_cause_is_not_answered_in_advance(line: str) -> None:
    table = Table(LINE, asks="story" if line.startswith("story") else "turn")
    assert table.refuses(line, rule="R3.1").command_index == 1
