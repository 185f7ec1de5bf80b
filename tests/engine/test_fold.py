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
from engine.fold import advance, anything_learnt, fold, still_counting
from engine.state import State, Undoable
from tests.engine.game import Game
from tests.engine.policies import anything, bot
from tests.engine.positions import Position, games, games_of_all_scenarios, positions, repeatable
from tests.engine.table import Table


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


# ---- Undo by consent, and rows of the table ----------------------------------------------------


def test_what_all_agreed_to_take_back_counts_no_longer() -> None:
    game = Game(3).play([bot] * 3, moves=9)
    before = fold(game.rows[:7], game.components, game.scenario)
    game.agree_to_take_back(8)
    assert game.rows[-1].events == (e.Undone(from_=8, to=10, agreed=(0, 1, 2)),)
    assert without_counters(game.state) == without_counters(before)
    assert (game.state.version, game.state.since) == (11, 11)
    assert game.play([bot] * 3).state == game.refolded


def test_rows_of_the_table_are_not_taken_back() -> None:
    game = Game(2).play([bot, bot], moves=4)
    game.operate(e.GamePaused(seconds=60))
    game.play([bot, bot], moves=2)
    game.agree_to_take_back(4)
    assert [row.number for row in still_counting(game.rows)] == [1, 2, 3, 6, 9]


def test_a_forfeit_is_taken_back_with_the_moves_around_it() -> None:
    game = Game(3).play([bot] * 3, moves=6)
    game.forfeit(1, actor="clock")
    game.play([bot] * 3, moves=2)
    game.agree_to_take_back(8)
    assert game.state.out == ()
    game.agree_to_take_back(7)
    assert game.state == game.refolded


def test_after_an_undo_by_consent_nothing_is_taken_back_freely() -> None:
    """The move before was the other seat's chance to speak, and it has agreed since."""
    game, _ = at_a_silent_move()
    first = game.state.undoable
    game.play([anything, anything], moves=1)
    game.agree_to_take_back(len(game.rows))
    assert first is not None
    assert game.state.undoable is None
    with pytest.raises(IllegalMove):
        game.submit(first.seat, [c.Undo()])


def test_a_forfeit_in_somebody_elses_turn_leaves_the_decision_alone() -> None:
    game = Game(3).play([bot] * 3, moves=6)
    questions, since = game.state.questions, game.state.since
    game.forfeit((game.asked + 1) % 3)
    assert (game.state.questions, game.state.since) == (questions, since)
    assert game.state.version == since + 1


def test_a_forfeit_in_ones_own_turn_puts_the_next_decision() -> None:
    game = Game(3).play([bot] * 3, moves=6)
    game.forfeit(game.asked)
    assert game.state.since == game.state.version


@pytest.mark.parametrize("own_turn", [True, False])
def test_a_forfeit_is_not_taken_back_freely_nor_what_was_before_it(own_turn: bool) -> None:
    game = Game(3).play([anything] * 3, moves=6)
    while not game.state.undoable:
        game.play([anything] * 3, moves=1)
    mover, asked = game.state.undoable.seat, game.asked
    game.forfeit(asked if own_turn else ({0, 1, 2} - {mover, asked}).pop())
    assert game.state.undoable is None


def test_an_equal_question_after_forced_passes_is_another_decision() -> None:
    """All others pass, so that the seat is asked for its turn again."""
    table = Table("*0 f d f *1", hands={0: "F1 F2"}, row="- - - - - B1", pile="")
    before = table.state
    after = table.play("take 6").state
    assert after.questions == before.questions
    assert (after.since, after.decision_of(after.questions[0])) == (1, "1-0")


def test_a_row_of_the_table_leaves_decision_and_free_undo_alone() -> None:
    game, _ = at_a_silent_move()
    before = game.state
    game.operate(e.SeatAbsent(seat=0))
    assert game.state == replace(before, version=before.version + 1)


# ---- What was learnt ---------------------------------------------------------------------------


def learnt(game: Game, after: int) -> bool:
    return anything_learnt(game.rows, game.components, game.scenario, after)


def test_nothing_is_learnt_from_a_silent_move() -> None:
    game, before = at_a_silent_move()
    assert not learnt(game, before.version)
    assert not learnt(game, game.state.version)


def test_a_card_that_came_up_is_learnt() -> None:
    game = Game(2).play([bot, bot], moves=2)
    game.say("take 1-2")
    assert learnt(game, 3)
    assert not learnt(game, 4)


def test_what_was_taken_back_is_not_looked_at() -> None:
    game = Game(2).play([bot, bot], moves=2)
    game.say("take 1-2")
    game.agree_to_take_back(4)
    assert not learnt(game, 3)


def test_rows_of_the_table_and_a_forfeit_tell_nothing() -> None:
    game = Game(3).play([bot] * 3, moves=6)
    game.operate(e.SeatAbsent(seat=0))
    game.forfeit(game.asked)
    assert not learnt(game, 7)


def test_the_end_tells_everything() -> None:
    game = Game(2).play([bot, bot], moves=4)
    game.forfeit(0)
    assert learnt(game, 5)


@given(positions())
@repeatable(60)
def test_a_free_undo_and_what_was_learnt_agree(position: Position) -> None:
    game, row = position.game, position.game.rows[position.rows]
    rows = game.rows[: row.number]
    after = advance(position.state, row)
    told = anything_learnt(rows, game.components, game.scenario, row.number - 1)
    assert told == (after.undoable is None or after.over)
