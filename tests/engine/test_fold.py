"""The fold: the log is the truth, and a move that was taken back counts no longer."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from engine import events as e
from engine.errors import GameOver, IllegalMove
from engine.evolve import evolve
from engine.fold import advance, fold, still_counting
from engine.state import State, Undoable
from tests.engine.game import Game
from tests.engine.policies import anything, bot
from tests.engine.positions import Position, games, games_of_all_scenarios, positions, repeatable


@given(games | games_of_all_scenarios, st.data())
@repeatable(60)
def test_folding_a_then_b_is_folding_both(game: Game, data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(game.rows)))
    begun = fold(game.rows[:cut], game.components, game.scenario)
    assert reduce(advance, game.rows[cut:], begun) == game.refolded


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_live_state_is_the_refolded_state_after_every_move(players: int) -> None:
    game = Game(players)
    while not game.state.over:
        game.play([bot, anything] * 2, moves=1)
        assert game.state == game.refolded
        assert game.state.version == len(game.rows)


@given(positions())
@repeatable(30)
def test_a_state_never_changes(position: Position) -> None:
    state = position.state
    before = replace(state)
    advance(state, position.game.rows[position.rows])
    assert state == before


@given(positions())
@repeatable(30)
def test_a_row_is_its_events_one_after_another(position: Position) -> None:
    row = position.game.rows[position.rows]
    by_hand = reduce(evolve, row.events, position.state)
    after = advance(position.state, row)
    counted = {"version": row.number, "since": row.number, "undoable": after.undoable}
    assert replace(by_hand, **counted) == after


def test_a_decision_is_named_by_the_move_that_put_it_and_the_seat() -> None:
    game = Game(2).play([bot, bot], moves=3)
    (question,) = game.state.questions
    assert game.state.decision_of(question) == f"4-{question.seat}"
    game.operate(e.DeadlineExtended(seconds=60))
    assert (game.state.version, game.state.since) == (5, 4)


def test_a_cancelled_game_asks_nobody() -> None:
    game = Game(2)
    game.operate(e.GameCancelled())
    assert (game.state.over, game.state.questions, game.state.ended) == (True, (), None)
    assert game.state == game.refolded
    with pytest.raises(GameOver):
        game.submit(0, [c.Story(place=1)])


# ---- Undo ------------------------------------------------------------------------------------


def at_a_silent_move() -> tuple[Game, State]:
    """Return a game whose last move told nobody anything, and the state before that move."""
    for number in range(50):
        game = Game(2, number)
        while not game.state.over:
            before = game.state
            game.play([anything, anything], moves=1)
            if game.state.undoable:
                return game, before
    raise AssertionError("no game has a silent move")


def without_counters(state: State) -> State:
    return replace(state, version=0, since=0, undoable=None)


def test_after_an_undo_the_game_is_where_it_was() -> None:
    game, before = at_a_silent_move()
    move = game.state.version
    assert game.state.undoable is not None
    seat = game.state.undoable.seat
    outcome = game.submit(seat, [c.Undo()])
    assert outcome.events == (e.Undone(from_=move, to=move),)
    assert without_counters(game.state) == without_counters(before)
    assert game.state == game.refolded
    assert (game.state.version, game.state.since) == (move + 1, move + 1)


def test_the_log_keeps_what_was_taken_back() -> None:
    game, _ = at_a_silent_move()
    undoable = game.state.undoable
    assert undoable is not None
    rows = list(game.rows)
    game.submit(undoable.seat, [c.Undo()])
    assert game.rows[:-1] == rows
    counting = [row.number for row in still_counting(game.rows)]
    assert counting == [row.number for row in game.rows if row.number != undoable.move]


def test_several_moves_are_taken_back_one_by_one() -> None:
    game, _ = at_a_silent_move()
    assert game.state.undoable is not None
    seat, taken_back = game.state.undoable.seat, 0
    while game.state.undoable and game.state.undoable.seat == seat:
        game.submit(seat, [c.Undo()])
        taken_back += 1
        assert game.state == game.refolded
    with pytest.raises(IllegalMove):
        game.submit(seat, [c.Undo()])
    assert taken_back >= 1


def test_play_goes_on_after_an_undo() -> None:
    game, _ = at_a_silent_move()
    assert game.state.undoable is not None
    game.submit(game.state.undoable.seat, [c.Undo()])
    game.play([anything, anything])
    assert game.state.ended is not None
    assert game.state == game.refolded


def test_only_the_seat_that_moved_may_take_back() -> None:
    game, _ = at_a_silent_move()
    assert game.state.undoable is not None
    other = 1 - game.state.undoable.seat
    with pytest.raises(IllegalMove):
        game.submit(other, [c.Undo()])


@pytest.mark.parametrize("actor", ["clock", "bot"])
def test_a_move_of_the_clock_or_a_bot_is_not_taken_back(actor: str) -> None:
    game, before = at_a_silent_move()
    assert advance(before, game.rows[-1]).undoable is not None
    assert advance(before, replace(game.rows[-1], actor=actor)).undoable is None


def test_undo_is_sent_alone() -> None:
    game, _ = at_a_silent_move()
    assert game.state.undoable is not None
    seat = game.state.undoable.seat
    with pytest.raises(IllegalMove):
        game.submit(seat, [c.Undo(), c.Undo()])


@given(positions())
@repeatable(80)
def test_a_move_from_which_somebody_learnt_something_is_not_taken_back(position: Position) -> None:
    row = position.game.rows[position.rows]
    shown = [
        event
        for event in row.events
        if isinstance(event, e.RowFilled | e.StoryRowFilled | e.PileShuffled | e.RewardDrawn)
    ]
    assume(shown)
    assert advance(position.state, row).undoable is None


def test_a_secret_card_that_was_spent_is_not_taken_back() -> None:
    game, before = at_a_silent_move()
    row = game.rows[-1]
    assert advance(before, row).undoable == Undoable(row.seat or 0, row.number)
    tribes = tuple(replace(tribe, secret=frozenset(tribe.hand)) for tribe in before.tribes)
    assert advance(replace(before, tribes=tribes), row).undoable is None


def test_an_undo_takes_back_exactly_what_it_names() -> None:
    game, _ = at_a_silent_move()
    undoable = game.state.undoable
    assert undoable is not None
    game.operate(e.DeadlineExtended(seconds=60))
    game.submit(undoable.seat, [c.Undo()])
    assert game.state == game.refolded
    counting = [row.number for row in still_counting(game.rows)]
    assert counting == [row.number for row in game.rows if row.number != undoable.move]


def test_after_another_seat_took_a_move_back_ones_own_stands() -> None:
    """Seat 1 has acted since, though what it did counts no longer."""
    for number in range(200):
        game = Game(2, number)
        while not game.state.over:
            first = game.state.undoable
            game.play([anything, anything], moves=1)
            second = game.state.undoable
            if first and second and first.seat != second.seat:
                game.submit(second.seat, [c.Undo()])
                assert game.state.undoable is None
                assert game.state == game.refolded
                with pytest.raises(IllegalMove):
                    game.submit(first.seat, [c.Undo()])
                return
    raise AssertionError("no two seats have moved silently")
