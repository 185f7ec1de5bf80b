"""R15: a seat that leaves the game."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from engine import events as e
from engine import scoring
from engine.bots import choose
from engine.decide import forfeit
from engine.errors import GameOver
from engine.rules.turn import end_reason
from engine.scenarios.lake_villages import LAKE_VILLAGES
from engine.scenarios.teams import TEAMS
from engine.scenarios.volcano import VOLCANO
from engine.views import mask, view_for
from tests.engine.game import Dice, Game
from tests.engine.laws import check_all
from tests.engine.policies import anything, bot
from tests.engine.positions import TABLES, repeatable
from tests.engine.table import Table

LINE = "*0  f  d  m  *1  b  *2"


def three(**given: object) -> Table:
    """Return a table of 3, the turn being seat 0's unless it is said."""
    return Table(LINE, seats=3, **given)  # type: ignore[arg-type]


def kinds(table: Table) -> list[type[e.Event]]:
    return [type(event) for event in table.events]


# ---- What stays --------------------------------------------------------------------------------


def test_r15_1_camps_tiles_and_hand_stay_where_they_are() -> None:
    table = three(hands={1: "F1 M1"}, stories={1: ["1 forest"]}, tucked={1: "E1"})
    before = table.state
    after = table.forfeit(1).state
    assert (after.tribes, after.camps) == (before.tribes, before.camps)
    assert (before.out, after.out) == ((), (1,))


def test_r15_1_a_camp_that_is_passed_over_is_paid_for_all_the_same() -> None:
    table = Table("*0  f1  d  *1  *2", seats=3, hands={0: "B1 F1 D1"}).forfeit(1)
    table.play("camp A2 from A0 via A1 pay B1 F1 D1")
    assert (table.hand(1), table.discard) == ("F1", "B1 D1")


def test_r15_1_its_fire_counts_when_it_is_asked_who_has_most() -> None:
    table = three(placed={0: 8, 1: 8}, active=2).forfeit(1).play("take 1-2")
    (ended,) = table.happened(e.GameEnded)
    assert [line.points for line in (s.lines[2] for s in ended.scores)] == [4, 4, 0]


def test_r15_1_its_villages_and_camps_count_for_majorities() -> None:
    drawing = "*0 w f1 *1 *2 w"
    points = Table(drawing, seats=3, scenario=LAKE_VILLAGES, out=(1,)).points(
        "most camps at water areas"
    )
    assert points == [3, 3, 6]


def test_r15_1_everybody_sees_who_is_out() -> None:
    view = view_for(three().forfeit(2).state, 0)
    assert [tribe["out"] for tribe in view["tribes"]] == [False, False, True]


# ---- Skipped turns -----------------------------------------------------------------------------


def test_r15_2_the_turn_it_is_asked_for_is_skipped() -> None:
    table = three().forfeit(0, "timed_out")
    assert table.events == (
        e.SeatForfeited(seat=0, reason="timed_out"),
        e.TurnSkipped(seat=0),
        e.TurnEnded(seat=0, next=1),
    )
    assert (table.asked, table.state.active) == (1, 1)


def test_r15_2_in_somebody_elses_turn_nothing_else_happens() -> None:
    table = three().forfeit(1)
    assert table.events == (e.SeatForfeited(seat=1, reason="resigned"),)
    assert table.asked == 0


def test_r15_2_its_later_turns_are_skipped_too() -> None:
    table = three().forfeit(1).play("take 1-2")
    assert kinds(table)[-3:] == [e.TurnEnded, e.TurnSkipped, e.TurnEnded]
    assert table.asked == 2
    assert table.play("take 1-2").asked == 0
    assert table.play("take 1-2").asked == 2


def test_r15_2_a_skipped_turn_ends_the_round_if_it_is_the_last() -> None:
    table = three(active=1).forfeit(2).play("take 1-2")
    assert table.happened(e.TurnEnded)[-1] == e.TurnEnded(seat=2, next=0)
    assert table.happened(e.RoundEnded) == [e.RoundEnded(round=1)]
    assert (table.state.round, table.asked) == (2, 0)


def test_r15_2_the_game_ends_with_the_round_though_its_last_turn_is_skipped() -> None:
    table = three(active=1, placed={0: 8}).forfeit(2).play("take 1-2")
    assert table.happened(e.TurnEnded)[-1] == e.TurnEnded(seat=2, next=None)
    assert [event.reason for event in table.happened(e.GameEnded)] == ["last_camp"]


def test_r15_2_it_need_not_wait_for_a_start_player_who_is_out() -> None:
    table = three(active=2).forfeit(0).play("take 1-2")
    assert kinds(table)[-4:] == [e.TurnEnded, e.RoundEnded, e.TurnSkipped, e.TurnEnded]
    assert (table.state.round, table.asked) == (2, 1)


def test_r15_2_several_turns_in_a_row_are_skipped() -> None:
    table = Table("*0 f *1 f *2 f *3", seats=4).forfeit(2).forfeit(1)
    table.play("take 1-2")
    skipped = [event.seat for event in table.happened(e.TurnSkipped)]
    assert (skipped, table.asked) == ([1, 2], 3)


def test_r15_2_a_skipped_turn_completes_no_story_tile_and_brings_no_reward() -> None:
    table = Table("*0 f0 *1 d *2", seats=3, stories={0: ["1 forest"]})
    assert table.forfeit(0).completed(0) == []
    assert table.play("take 1-2").play("take 1-2").completed(0) == []
    assert table.happened(e.RewardDrawn) == []


def test_r15_2_a_skipped_turn_counts_as_a_pass() -> None:
    table = three(row="- - - - - B1", pile="").forfeit(1).play("take 6")
    lost = [event for event in table.events if isinstance(event, e.Passed | e.TurnSkipped)]
    assert lost == [
        e.TurnSkipped(seat=1), e.Passed(seat=2), e.Passed(seat=0), e.TurnSkipped(seat=1),
        e.Passed(seat=2),
    ]  # fmt: skip
    assert [event.reason for event in table.happened(e.GameEnded)] == ["all_passed"]


def test_r15_2_a_pass_after_a_skipped_turn_completes_story_tiles() -> None:
    """Who must pass is in the game: at the end of the turn its tiles are looked at (R6.5)."""
    drawing = "*0  f  d2  m  *1  b  *2"
    table = Table(drawing, seats=3, row="- - - - - B1", pile="", stories={2: ["1 desert"]})
    table.forfeit(1).play("take 6")
    assert e.StoryCompleted(seat=2, story="1 desert") in table.events


@pytest.mark.parametrize(("out", "reason"), [((0,), "no_destination"), ((2,), None)])
def test_r15_2_only_destinations_of_seats_in_the_game_are_looked_for(
    out: tuple[int, ...], reason: str | None
) -> None:
    """Only seat 0 can come anywhere."""
    state = Table("*0 f . *1 . *2", seats=3).state
    assert end_reason(state) is None
    assert end_reason(replace(state, out=out)) == reason


def test_r15_2_a_start_player_who_left_in_the_draft_is_skipped_when_it_is_over() -> None:
    game = Game(3, 1)
    start = game.state.start_seat
    game.forfeit(start)
    game.play([bot] * 3, moves=3)
    assert [type(event) for event in game.rows[-1].events[-2:]] == [e.TurnSkipped, e.TurnEnded]
    assert game.asked == (start + 1) % 3
    assert (game.state.round, game.state.passes) == (1, 1)


def test_r15_2_a_move_and_the_skipped_turn_after_it_are_taken_back_together() -> None:
    table = three(hands={0: "F1 F2"}).forfeit(1).play("camp A1 from A0 pay F1 F2")
    assert table.asked == 2
    assert table.state.undoable is not None
    assert table.state.undoable.seat == 0


# ---- Who wins ----------------------------------------------------------------------------------


def test_r15_3_who_is_out_does_not_win_though_it_is_ahead() -> None:
    table = three(active=2, placed={0: 8}, completed={0: ["1 forest"]}).forfeit(0)
    (ended,) = table.play("take 1-2").happened(e.GameEnded)
    totals = [score.total for score in ended.scores]
    assert totals.index(max(totals)) == 0
    assert ended.winners == (2,)  # R8.6: a tie of 0 points that 2 cards break


@pytest.mark.parametrize(
    ("sides", "winners"),
    [
        ([(0,), (1,), (2,)], (0, 1)),
        ([(1,), (2,)], (1,)),
        ([(2,)], (2,)),
    ],
)
def test_r15_3_the_best_of_the_sides_in_play_wins(
    sides: list[tuple[int, ...]], winners: tuple[int, ...]
) -> None:
    scores = [
        e.Score(seat=seat, seats=(seat,), total=total, cards=3, lines=())
        for seat, total in enumerate((40, 40, 20))
    ]
    assert scoring.winners(scores, sides) == winners


def test_r15_3_a_team_is_in_the_game_as_long_as_one_partner_is() -> None:
    table = Table("*0 f *1 f *2 f *3", seats=4, scenario=TEAMS, active=3, placed={0: 8}).forfeit(0)
    assert table.state.sides_in_play == [(0, 2), (1, 3)]
    (ended,) = table.play("take 1-2").happened(e.GameEnded)
    assert ended.winners == (0, 2)


# ---- The last side -----------------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_r15_4_with_two_players_it_ends_at_once(seat: int) -> None:
    table = Table("*0 f *1").forfeit(seat)
    assert kinds(table) == [e.SeatForfeited, e.GameEnded]
    assert table.state.ended is not None
    assert (table.state.ended.reason, table.state.ended.winners) == ("forfeit", (1 - seat,))
    assert (table.state.questions, table.state.active, table.state.round) == ((), None, 1)


def test_r15_4_with_more_it_ends_when_one_is_left() -> None:
    table = three().forfeit(1)
    assert not table.state.over
    assert table.forfeit(0).state.ended is not None
    assert [event.winners for event in table.happened(e.GameEnded)] == [(2,)]


def test_r15_4_a_team_is_beaten_when_both_partners_are_out() -> None:
    table = Table("*0 f *1 f *2 f *3", seats=4, scenario=TEAMS).forfeit(1).forfeit(2)
    assert not table.state.over
    assert [event.winners for event in table.forfeit(3).happened(e.GameEnded)] == [(0, 2)]


def test_r15_4_tiles_that_are_met_are_completed_and_scores_reckoned() -> None:
    stories = {0: ["1 forest"], 1: ["1 desert"]}
    table = Table("*0 f0 m d1 *1", stories=stories).forfeit(0)
    assert (table.completed(0), table.completed(1)) == (["1 forest"], ["1 desert"])
    assert table.happened(e.RewardDrawn) == []
    assert table.state.ended is not None
    assert table.state.ended.scores == scoring.final_scores(table.state)


def test_r15_4_in_the_draft_too() -> None:
    game = Game(2)
    game.forfeit(0)
    assert game.state.ended is not None
    assert (game.state.ended.winners, game.state.round) == ((1,), 0)
    assert game.state == game.refolded


def test_r15_4_then_nobody_can_leave_any_more() -> None:
    game = Game(2)
    game.forfeit(0)
    with pytest.raises(GameOver):
        forfeit(game.state, 1, "resigned", game.chance)


def test_r15_4_a_seat_leaves_once() -> None:
    with pytest.raises(AssertionError):
        three().forfeit(1).forfeit(1)


# ---- Other questions ---------------------------------------------------------------------------


def test_r15_5_a_seat_that_is_out_still_drafts() -> None:
    game = Game(3)
    first = game.asked
    game.forfeit(first)
    assert (game.asked, game.state.questions[0].kind) == (first, "draft")
    game.play([bot] * 3, moves=1)
    assert len(game.state.tribes[first].stories) == 1


def test_r15_5_what_its_last_camp_asked_is_answered_and_the_turn_ends_as_always() -> None:
    table = three(hands={0: "F1 F2"}, placed={0: 1}, stories={0: ["1 forest"]})
    table.play("camp A1 auto").forfeit(0)
    assert kinds(table) == [e.SeatForfeited]
    assert (table.asked, table.state.questions[0].kind) == (0, "story")
    table.play(choose(mask(table.state, 0), 0))
    assert table.completed(0) == ["1 forest"]
    assert len(table.happened(e.RewardDrawn)) == 1
    assert (table.happened(e.TurnSkipped), table.asked) == ([], 1)


def test_r15_5_a_seat_that_is_out_is_asked_whether_it_gives_a_card_for_fish() -> None:
    table = Table(
        "*0 w1 *1 f *2 f",
        seats=3,
        hands={1: "F1"},
        scenario=LAKE_VILLAGES,
        row="B5 B6 M5 M6 D5 D6",
        small_pile="B1",
        out=(1,),
    ).play("take 1-2")
    assert [(q.seat, q.kind) for q in table.state.questions] == [(1, "fish")]
    table.play(c.Fish(card="F1"), seat=1)
    assert table.state.tribes[1].fish == 1
    assert (table.happened(e.TurnSkipped), table.asked) == ([e.TurnSkipped(seat=1)], 2)


def test_r15_5_leaving_during_an_event_leaves_its_question_open() -> None:
    table = Table("*0 v f f\n *1 f f *2", seats=3, scenario=VOLCANO, small_pile="B1", stock=3)
    asked = table.play("take 1-2").state.questions
    assert [(question.seat, question.kind) for question in asked] == [(0, "lava")]
    assert table.forfeit(0).state.questions == asked
    table.play("lava A2")
    assert (table.happened(e.TurnSkipped), table.asked) == ([], 1)


# ---- Whole games -------------------------------------------------------------------------------


@given(st.sampled_from(TABLES), st.integers(0, 3), st.integers(0, 10**6))
@repeatable(25)
def test_games_that_seats_leave_obey_all_laws(
    table: tuple[int, str], number: int, luck: int
) -> None:
    players, scenario = table
    game, dice = Game(players, number, scenario=scenario), Dice("leaving", luck)
    while not game.state.over:
        game.play([anything, bot] * 2, moves=1 + dice.below(12))
        if not game.state.over:
            game.forfeit(dice.pick(game.state.seats_in_play))
        check_all(game, dice)
