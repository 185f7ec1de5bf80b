"""R9: teams, seats 1 and 3 of the box (here 0 and 2) against 2 and 4 (1 and 3)."""

from __future__ import annotations

import pytest

from engine import events as e
from engine import scoring
from engine.events import Score
from engine.scenarios.base import BASE
from engine.scenarios.teams import TEAMS
from engine.views import view_for
from tests.engine.game import Game
from tests.engine.policies import bot
from tests.engine.table import Table

LINE = "*0 *1 *2 *3 f d m"


def teams(drawing: str = LINE, **given: object) -> Table:
    """A table of two teams."""
    return Table(drawing, seats=4, scenario=TEAMS, **given)


def test_r9_1_4_play_every_second_seat_together() -> None:
    assert TEAMS.players == (4,)
    assert teams().state.sides == ((0, 2), (1, 3))
    assert Table("*0 f *1").state.sides == ((0,), (1,))


def test_r9_1_it_is_dealt_and_played_as_the_base_game_for_4() -> None:
    for number in range(3):
        game, base = (Game(4, number, scenario=key) for key in ("teams", "base"))
        assert game.rows[0].events == base.rows[0].events
        for line in ("story 1", "story 2", "story pile", "story 1", "take 1-2", "take 3-4"):
            assert game.say(line).events == base.say(line).events


def test_r9_1_a_card_spent_over_the_partners_camp_goes_to_the_partner() -> None:
    table = teams("*0 f d2 m *1 *2 *3", hands={0: "B1 F1 D1 M1"}, secret="D1")
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 D1 M1")
    assert [table.hand(seat) for seat in range(4)] == ["", "", "D1", ""]
    assert table.state.tribes[2].known == ["D1"]
    assert table.discard == "B1 F1 M1"


def test_r9_1_partners_do_not_see_each_others_cards() -> None:
    table = teams(hands={2: "F1 F2"}, secret="F1")
    for viewer in (0, 1, 3, None):
        hand = view_for(table.state, viewer)["tribes"][2]["hand"]
        assert hand == {"cards": ["F2"], "unknown": 1}


def test_r9_1_the_teams_are_public() -> None:
    assert view_for(teams().state, None)["teams"] == [[0, 2], [1, 3]]
    assert view_for(Table("*0 f *1").state, None)["teams"] is None


# ---- Scoring ---------------------------------------------------------------------------------


def test_r9_2_these_lines_stand_in_place_of_the_base_games() -> None:
    rules = [term.rule for term in TEAMS.terms]
    assert rules == ["R9.2a", "R9.2b", "R9.2c", "R9.2d", "R9.2e"]
    assert not set(rules) & {term.rule for term in BASE.terms}


def test_r9_2_a_story_points_of_both_partners() -> None:
    completed = {0: ["1 forest"], 1: ["3 desert"], 2: ["2 desert"], 3: []}
    table = teams(completed=completed, stories={3: ["1 desert"]})
    assert table.points("R9.2a") == [3 + 5, 7]


def test_r9_2_b_1_for_each_fire_of_both_partners() -> None:
    table = teams(completed={0: ["2 forest"]}, tucked={2: "H1 K1.1", 3: "H2"}, placed={1: 8})
    assert table.points("R9.2b") == [3, 2]


def test_r9_2_c_4_for_the_team_with_most_fire() -> None:
    """Seat 1 alone has most, but the others have more together."""
    table = teams(tucked={0: "H1", 1: "H2 H3"}, completed={2: ["2 forest", "2 desert"]})
    assert table.points("R9.2c") == [4, 0]


def test_r9_2_c_both_teams_on_a_tie_and_none_with_0() -> None:
    tied = teams(tucked={0: "H1", 2: "H2", 3: "H3 K1.1"})
    assert tied.points("R9.2c") == [4, 4]
    assert teams().points("R9.2c") == [0, 0]


def test_r9_2_d_4_for_each_connected_set_with_a_camp_of_each_partner() -> None:
    both = teams("*0 d f0 f2 d f1 f1 d m0 m2 m2 d *1 *2 *3")
    assert both.points("R9.2d") == [8, 0]
    touching = teams("*0 d f0 f2 f0 d *1 d *2 d *3")
    assert touching.points("R9.2d") == [4, 0]


def test_r9_2_d_a_group_of_one_partner_alone_counts_nothing() -> None:
    table = teams("*0 d f0 f0 d f2 f2 d f1 d f3 d *1 d *2 d *3")
    assert table.points("R9.2d") == [0, 0]


def test_r9_2_d_camps_of_the_other_team_join_nothing() -> None:
    assert teams("*0 d f0 f1 f2 d *1 d *2 d *3").points("R9.2d") == [0, 0]


def test_r9_2_d_starting_camps_are_camps_here_too() -> None:
    assert teams("*0 f2 d *1 d *2 d *3 m1").points("R9.2d") == [4, 4]


def test_r9_2_e_4_for_each_pair_of_a_berry_of_one_and_one_of_the_other() -> None:
    table = teams(tucked={0: "E1 E2 X1", 2: "E3", 1: "X2"})
    assert table.points("R9.2e") == [4, 0]
    table = teams("*2 f:2 d *0 *1 *3", hands={2: "F1 F2"}, tucked={0: "E1"}, active=2)
    assert table.play("camp A1 from A0 pay F1 F2").points("R9.2e") == [4, 0]


def test_r9_2_e_berries_of_one_partner_alone_make_no_pair() -> None:
    assert teams(tucked={1: "E1 E2 E3"}).points("R9.2e") == [0, 0]


def test_r9_2_one_score_for_each_team() -> None:
    game = Game(4, 2, scenario="teams").play([bot] * 4)
    assert game.state.ended is not None
    scores = game.state.ended.scores
    assert [(score.seat, score.seats) for score in scores] == [(None, (0, 2)), (None, (1, 3))]
    for score in scores:
        assert score.total == sum(line.points for line in score.lines)
        assert score.cards == sum(len(game.state.tribes[seat].hand) for seat in score.seats)
    assert game.state.ended.winners in ((0, 2), (1, 3), (0, 1, 2, 3))


# ---- The winners -----------------------------------------------------------------------------


def score(seats: tuple[int, ...], total: int, cards: int) -> Score:
    return Score(seat=None, seats=seats, total=total, cards=cards, lines=())


@pytest.mark.parametrize(
    ("total", "cards", "winners"),
    [
        (39, 9, (1, 3)),
        (41, 0, (0, 2)),
        (40, 4, (1, 3)),
        (40, 6, (0, 2)),
        (40, 5, (0, 1, 2, 3)),
    ],
)
def test_r9_3_most_points_then_most_cards_in_both_hands_then_shared(
    total: int, cards: int, winners: tuple[int, ...]
) -> None:
    scores = [score((0, 2), total, cards), score((1, 3), 40, 5)]
    assert scoring.winners(scores, [(0, 2), (1, 3)]) == winners


def test_r9_3_the_hands_of_partners_are_added_up() -> None:
    hands = {0: "F1", 1: "F2 F3", 2: "M1 M2", 3: ""}
    table = teams(hands=hands, active=3, placed={0: 8, 1: 8}).play("take 1-2")
    (ended,) = table.happened(e.GameEnded)
    assert [(one.total, one.cards) for one in ended.scores] == [(5, 3), (5, 4)]
    assert ended.winners == (1, 3)
