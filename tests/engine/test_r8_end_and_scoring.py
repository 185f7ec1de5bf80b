"""R8: the end of the game, and scoring."""

from __future__ import annotations

import pytest

from engine import events as e
from engine import scoring
from engine.errors import GameOver
from engine.events import Score
from engine.rules import routes
from engine.scenarios.base import BASE
from tests.engine.game import Game
from tests.engine.policies import anything, bot
from tests.engine.table import Table

LINE = "*0  f  d  m  *1"


def points(table: Table, rule: str) -> list[int]:
    """Return what every seat scores for one term."""
    term = next(term for term in BASE.terms if term.rule == rule)
    return term.points(table.state)


def ended(table: Table) -> e.GameEnded:
    """Return the end of the game that the last submission led to."""
    (event,) = table.happened(e.GameEnded)
    return event


# ---- The end ---------------------------------------------------------------------------------


def test_r8_1_the_round_of_the_last_camp_is_played_to_its_end() -> None:
    table = Table(LINE, seats=3, hands={1: "M1 M2"}, placed={1: 7}, start_seat=0, active=1)
    table.play("camp A3 auto")
    assert table.asked == 2
    assert table.happened(e.GameEnded) == []
    assert ended(table.play("take 1-2")).reason == "last_camp"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r8_1_all_seats_have_had_equally_many_turns(players: int) -> None:
    game = Game(players, 5).play([bot, anything] * 2)
    turns = [event.seat for event in game.events() if isinstance(event, e.TurnEnded)]
    assert len({turns.count(seat) for seat in range(players)}) == 1


def test_r8_1_two_may_place_their_last_camp_and_both_get_the_fire() -> None:
    hands = {0: "F1 F2", 1: "M1 M2"}
    table = Table(LINE, hands=hands, placed={0: 7, 1: 7})
    table.play("camp A1 auto").play("camp A3 auto")
    assert ended(table).reason == "last_camp"
    assert points(table, "R8.4b") == [1, 1]


def test_r8_1_then_nothing_more_is_played() -> None:
    game = Game(2).play([bot, bot])
    assert (game.state.questions, game.state.active) == ((), None)
    with pytest.raises(GameOver):
        game.submit(0, [])


def test_r8_2_it_ends_if_no_seat_has_a_destination_after_a_round() -> None:
    table = Table("*0 f w w *1", hands={0: "F1 F2"}).play("camp A1 auto")
    assert table.happened(e.GameEnded) == []
    assert ended(table.play("take 1-2")).reason == "no_destination"


def test_r8_2_a_destination_counts_even_if_no_hand_can_pay_for_it() -> None:
    table = Table("*0 f0 w w f *1", active=1).play("take 1-2")
    assert table.happened(e.GameEnded) == []


def test_r8_2_a_destination_counts_only_if_it_can_be_reached() -> None:
    table = Table("*0 f0 w *1 . f", active=1).play("take 1-2")
    assert ended(table).reason == "no_destination"


def test_r8_2_water_and_other_camps_are_no_obstacles() -> None:
    over_water = Table("*0 f0 w f . *1", active=1).play("take 1-2")
    assert over_water.happened(e.GameEnded) == []
    state = Table("*0 f0 w f1 *1 d").state
    assert {state.board.names[space] for space in routes.reachable(state, 0)} == {
        "A0", "A1", "A2", "A3", "A4", "A5",
    }  # fmt: skip


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_r8_2_a_destination_of_any_seat_counts(seat: int) -> None:
    """Only this seat's camps have a free space beside them."""
    camps = [f"*{other}" + (" f" if other == seat else "") for other in range(3)]
    table = Table(" . ".join(camps), seats=3, active=2).play("take 1-2")
    assert table.happened(e.GameEnded) == []
    alone = Table("*0 . *1 . *2 . f", seats=3, active=2).play("take 1-2")
    assert ended(alone).reason == "no_destination"


def test_r8_2_it_ends_after_a_round_in_which_every_seat_passed() -> None:
    table = Table(LINE, row="- - - - - B1", pile="").play("take 6")
    assert table.happened(e.Passed) == [e.Passed(seat=1), e.Passed(seat=0), e.Passed(seat=1)]
    assert table.happened(e.RoundEnded) == [e.RoundEnded(round=1), e.RoundEnded(round=2)]
    assert ended(table).reason == "all_passed"


def test_r8_2_passes_of_different_rounds_do_not_add_up() -> None:
    table = Table("*0 f d f *1", row="- - - - - B1", pile="", hands={0: "F1 F2"})
    assert table.play("take 6").happened(e.Passed) == [e.Passed(seat=1)]
    table.play("camp A1 from A0 pay F1 F2")
    assert table.play("take 5-6").happened(e.Passed) == [e.Passed(seat=0)]
    assert table.play("camp A3 auto").happened(e.RoundEnded) == [e.RoundEnded(round=3)]
    assert table.happened(e.GameEnded) == []


def test_r8_3_a_tile_met_at_the_very_end_is_completed_without_reward() -> None:
    table = Table(
        "*0 f0 d m *1",
        stories={0: ["1 forest", "2 forest"]},
        hands={1: "M1 M2"},
        placed={1: 7},
        active=1,
    ).play("camp A3 auto")
    assert table.completed(0) == ["1 forest"]
    assert table.happened(e.RewardDrawn) == []
    assert points(table, "R8.4a")[0] == 3


@pytest.mark.parametrize("start_seat", [0, 1, 2])
def test_r8_3_the_tiles_of_every_seat_are_looked_at(start_seat: int) -> None:
    """All have a tile that is met; only the last seat's turn ends now, and brings a reward."""
    active = (start_seat - 1) % 3
    table = Table(
        "*0 f0 d1 m2 *1 *2",
        seats=3,
        stories={0: ["1 forest"], 1: ["1 desert"], 2: ["1 mountain", "2 mountain"]},
        placed={active: 8},
        start_seat=start_seat,
        active=active,
    ).play("take 1-2")
    completed = [table.completed(seat) for seat in range(3)]
    assert completed == [["1 forest"], ["1 desert"], ["1 mountain"]]
    assert [event.seat for event in table.happened(e.RewardDrawn)] == [active]
    assert [score.lines[0].points for score in ended(table).scores] == [3, 3, 3]


def test_r8_3_uncompleted_tiles_count_nothing() -> None:
    table = Table(LINE, stories={0: ["2 forest"]}, completed={1: ["2 desert"]})
    assert points(table, "R8.4a") == [0, 5]
    assert points(table, "R8.4b") == [0, 1]


# ---- Scoring ---------------------------------------------------------------------------------


def test_r8_4_a_points_of_completed_story_tiles() -> None:
    table = Table(LINE, completed={0: ["1 forest", "3 forest"], 1: ["2 water"]})
    assert points(table, "R8.4a") == [10, 5]


def test_r8_4_b_fire_on_completed_tiles_on_visible_tucked_sides_and_for_the_last_camp() -> None:
    table = Table(LINE, completed={0: ["2 forest", "2 desert"]}, tucked={0: "H1 K1.1", 1: "K1.0"})
    assert points(table, "R8.4b") == [4, 0]
    assert points(Table(LINE, placed={0: 8}), "R8.4b") == [1, 0]


def test_r8_4_c_4_for_most_fire_for_each_on_a_tie_and_for_nobody_with_0() -> None:
    assert points(Table(LINE, tucked={0: "H1 H2", 1: "H3"}), "R8.4c") == [4, 0]
    tied = Table(LINE, seats=3, tucked={0: "H1", 2: "H2"})
    assert points(tied, "R8.4c") == [4, 0, 4]
    assert points(Table(LINE), "R8.4c") == [0, 0]


def test_r8_4_d_4_for_each_group_whatever_its_size() -> None:
    pair = Table("*0 d f0 f0 d f0 *1")
    assert points(pair, "R8.4d") == [4, 0]
    two_groups = Table("*0 f1 f0 f0 f0 d *1\n  d d d d f0 f0")
    assert points(two_groups, "R8.4d") == [4, 0]
    apart = Table("*0 d f0 f0 d m0 d0 *1")
    assert points(apart, "R8.4d") == [8, 0]


def test_r8_4_d_a_lone_camp_is_no_group() -> None:
    assert points(Table("*0 d f0 d m1 d *1"), "R8.4d") == [0, 0]


def test_r8_4_e_2_for_each_berry_and_each_visible_tucked_berry() -> None:
    table = Table("*0 f:2 d m *1", hands={0: "F1 F2"}, tucked={0: "E1", 1: "E2 E3"})
    table.play("camp A1 auto")
    assert points(table, "R8.4e") == [4, 4]


def test_r8_4_the_total_is_the_sum_of_its_lines() -> None:
    for score in scoring.final_scores(Game(3).play([bot] * 3).state):
        assert score.total == sum(line.points for line in score.lines)
        assert [line.rule for line in score.lines] == [f"R8.4{term}" for term in "abcde"]


def test_r8_5_the_starting_camp_is_a_camp_for_groups() -> None:
    assert points(Table("*0 f0 d m *1"), "R8.4d") == [4, 0]


def score(seat: int, total: int, cards: int) -> Score:
    return Score(seat=seat, seats=(seat,), total=total, cards=cards, lines=())


def winners(scores: list[Score]) -> tuple[int, ...]:
    return scoring.winners(scores, [score.seats for score in scores])


def test_r8_6_most_points_win() -> None:
    assert winners([score(0, 40, 9), score(1, 41, 0)]) == (1,)


def test_r8_6_a_tie_is_broken_by_cards_in_hand() -> None:
    scores = [score(0, 41, 2), score(1, 41, 3), score(2, 40, 9)]
    assert winners(scores) == (1,)


def test_r8_6_still_tied_they_share() -> None:
    scores = [score(0, 41, 3), score(1, 40, 9), score(2, 41, 3)]
    assert winners(scores) == (0, 2)


def test_r8_6_all_cards_in_hand_count_hidden_ones_too() -> None:
    table = Table(LINE, hands={0: "F1 F2 F3", 1: "M1 M2"}, secret="F3", active=1, placed={0: 8})
    table.play("take 1-2")
    assert [seat.cards for seat in ended(table).scores] == [3, 4]
    assert ended(table).winners == (0,)
