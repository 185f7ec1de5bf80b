"""R3: the turn, the row of terrain cards, and placing a camp."""

from __future__ import annotations

import pytest

from engine import commands as c
from engine import events as e
from engine import notation
from engine.errors import AmbiguousCommand
from engine.rules import payment
from tests.engine.game import Game, meanings
from tests.engine.policies import anything
from tests.engine.table import Table, camp

LINE = "*0  f  d  m  *1"
"""Two starting camps and three land spaces between them."""


# ---- The turn --------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_r3_1_turns_go_clockwise_from_the_start_player_in_every_round(players: int) -> None:
    game = Game(players, 3).play([anything] * players)
    turns = [event.seat for event in game.events() if isinstance(event, e.TurnEnded)]
    start = game.state.start_seat
    assert turns == [(start + turn) % players for turn in range(len(turns))]
    assert len(turns) % players == 0


def test_r3_1_the_active_player_takes_cards_or_places_a_camp() -> None:
    table = Table(LINE, hands={0: "F1 F2"})
    assert {type(command) for command in table.legal} == {c.Take, c.Camp}
    table.refuses("story 1", rule="R3.1")
    table.refuses("tuck nothing", rule="R3.1")
    table.refuses("pass", rule="R3.5")


def test_r3_1_only_one_of_both() -> None:
    table = Table(LINE, hands={0: "F1 F2"})
    assert table.refuses("take 1-2", "take 3-4", rule="R3.1").command_index == 1
    table.refuses("take 1-2", "camp A1 auto", rule="R3.1")


# ---- Taking cards ----------------------------------------------------------------------------


def test_r3_2_2_cards_side_by_side_are_taken_from_the_row() -> None:
    table = Table(LINE, row="B1 B2 M1 M2 D1 D2", pile="W1 W2").play("take 3-4")
    assert table.hand(0) == "M1 M2"
    assert table.happened(e.CardsTaken) == [e.CardsTaken(seat=0, places=(3, 4), cards=("M1", "M2"))]


@pytest.mark.parametrize("places", [(1, 6), (1, 3), (2,), (1, 2, 3), (0, 1), (6, 7), (3, 3), ()])
def test_r3_2_nothing_but_2_neighbours_of_the_row_can_be_taken(places: tuple[int, ...]) -> None:
    Table(LINE).refuses(c.Take(places=places), rule="R3.2")


def test_r3_2_the_places_may_be_named_in_either_order() -> None:
    assert Table(LINE, row="B1 B2 M1 M2 D1 D2").play("take 4-3").hand(0) == "M1 M2"


def test_r3_2_there_is_no_hand_limit() -> None:
    full = "B1 B2 B3 B4 M1 M2 M3 M4 D1 D2 D3 D4 F1 F2 F3 F4 W1 W2 W3 W4"
    table = Table(LINE, hands={0: full}).play("take 1-2")
    assert len(table.state.tribes[0].hand) == 22


def test_r3_3_the_place_nearest_the_draw_pile_is_filled_first() -> None:
    table = Table(LINE, row="B1 B2 M1 M2 D1 D2", pile="W1 W2 W3").play("take 2-3")
    assert table.row == "B1 W2 W1 M2 D1 D2"
    assert [(filled.place, filled.card) for filled in table.happened(e.RowFilled)] == [
        (3, "W1"),
        (2, "W2"),
    ]


def test_r3_4_the_discards_become_a_new_draw_pile_when_a_card_is_needed() -> None:
    table = Table(LINE, pile="W1", discard="F1 F2 F3").play("take 5-6")
    (shuffled,) = table.happened(e.PileShuffled)
    assert shuffled.pile == "draw"
    assert sorted(shuffled.order or ()) == ["F1", "F2", "F3"]
    assert table.row == f"B5 B6 M5 M6 {shuffled.order[0]} W1"
    assert table.state.pile == shuffled.order[1:]
    assert table.discard == ""


def test_r3_4_the_discards_are_not_shuffled_before_a_card_is_needed() -> None:
    table = Table(LINE, pile="W1 W2", discard="F1").play("take 5-6")
    assert (table.state.pile, table.discard) == ((), "F1")


def test_r3_4_the_discards_are_shuffled_for_a_reward_too() -> None:
    table = Table(
        LINE, hands={0: "F1 F2"}, stories={0: ["1 forest"]}, pile="", discard="W1 W2 W3"
    ).play("camp A1 auto")
    (reward,) = table.happened(e.RewardDrawn)
    assert reward.card == table.happened(e.PileShuffled)[0].order[0]


def test_r3_4_a_reward_lapses_without_any_card() -> None:
    table = Table(
        "*0 f0 d m *1", hands={0: "F1"}, stories={0: ["1 forest"]}, row="- - - - - B1", pile=""
    ).play("take 6")
    assert table.completed(0) == ["1 forest"]
    assert table.happened(e.RewardDrawn) == []
    assert table.hand(0) == "B1 F1"


def test_r3_5_a_short_row_closes_up_towards_the_draw_pile() -> None:
    table = Table(LINE, row="B1 B2 M1 M2 D1 D2", pile="W1").play("take 4-5")
    assert table.row == "- B1 B2 M1 W1 D2"
    table.play("take 5-6")
    assert table.row == "- - - B1 B2 M1"


def test_r3_5_a_row_that_lies_closed_up_already_is_no_event() -> None:
    table = Table(LINE, row="- - B1 B2 M1 M2", pile="").play("take 3-4")
    assert table.row == "- - - - M1 M2"
    assert table.happened(e.RowClosedUp) == []


def test_r3_5_a_short_row_is_filled_at_the_end_of_every_turn() -> None:
    table = Table(LINE, row="- - - - B1 B2", pile="", hands={0: "F1 F2"}).play("camp A1 auto")
    assert sorted(table.row.split()) == ["-", "-", "B1", "B2", "F1", "F2"]
    assert table.row.endswith("B1 B2")


def test_r3_5_rewards_are_drawn_before_the_row_is_filled() -> None:
    table = Table(
        "*0 f0 d m *1", stories={0: ["1 forest"]}, row="- - - - B1 B2", pile="", discard="W1"
    ).play("take 5-6")
    # Refilling after the take drew W1; the reward finds nothing.
    assert (table.row, table.hand(0)) == ("- - - - - W1", "B1 B2")
    table = Table(
        LINE, hands={0: "F1 F2"}, stories={0: ["1 forest"]}, row="- - - - B1 B2", pile="W1"
    ).play("camp A1 auto")
    assert table.happened(e.RewardDrawn)[0].card == "W1"


def test_r3_5_the_only_card_is_taken_alone() -> None:
    table = Table(LINE, row="- - - - - B1", pile="", hands={1: "M1 M2"})
    table.refuses("take 5-6", rule="R3.5")
    table.refuses("take 5", rule="R3.5")
    assert table.play("take 6").hand(0) == "B1"


def test_r3_5_empty_places_cannot_be_taken() -> None:
    Table(LINE, row="- - B1 B2 M1 M2", pile="").refuses("take 2-3", rule="R3.5")


def test_r3_5_a_seat_that_can_neither_take_nor_place_passes() -> None:
    table = Table(LINE, row="- - - - - B1", pile="", hands={0: "F1 F2"}).play("take 6")
    assert table.happened(e.Passed) == [e.Passed(seat=1)]
    assert table.asked == 0


def test_r3_5_a_seat_that_can_place_a_camp_does_not_pass() -> None:
    table = Table(LINE, row="- - - - - B1", pile="", hands={1: "M1 M2"}).play("take 6")
    assert table.happened(e.Passed) == []
    assert table.asked == 1
    table.refuses("pass", rule="R3.5")


# ---- Placing a camp: the route ---------------------------------------------------------------


def test_r3_6_a_route_starts_at_one_of_your_camps_on_the_map() -> None:
    table = Table("*0 f d0 m f *1", hands={0: "F1 F2 D1 M1"})
    table.play("camp A3 from A2 pay D1 M1")
    assert table.camp_on("A3") == 0
    Table("*0 f d1 m f *1", hands={0: "D1 M1"}).refuses("camp A3 from A2 auto", rule="R3.6")
    Table("*0 f d m f *1", hands={0: "D1 M1"}).refuses("camp A3 from A2 auto", rule="R3.6")


@pytest.mark.parametrize(
    "drawing", ["*0 f *1", "*0 f f1 *1", "*0 f f0 *1", "*0 f w *1", "*0 f .  *1"]
)
def test_r3_6_the_destination_is_a_free_space_and_no_water(drawing: str) -> None:
    table = Table(drawing, hands={0: "F1 F2 F3 W1"})
    table.refuses("camp A2 from A0 via A1 auto", rule="R3.6")


def test_r3_6_a_route_goes_from_space_to_adjacent_space() -> None:
    table = Table("*0 f d m\n  f b d *1", hands={0: "F1 F2 M1 D1 B1"})
    table.refuses("camp A3 from A0 via A1 auto", rule="R3.6")
    table.play("camp A3 from A0 via A1 A2 pay F1 F2 D1 M1")
    assert table.happened(e.CampPlaced)[0].route == ("A0", "A1", "A2", "A3")


def test_r3_6_a_route_may_be_longer_than_needed() -> None:
    table = Table("*0 f d *1\n  m b d", hands={0: "F1 M1 B1 D1 D2"})
    table.play("camp A1 from A0 via B0 pay D1 M1 F1")
    assert table.camp_on("A1") == 0


def test_r3_6_a_route_visits_no_space_twice() -> None:
    table = Table("*0 f d *1", hands={0: "F1 F2 D1 D2 M1"})
    route = ("A0", "A1", "A0", "A1", "A2")
    table.refuses(c.Camp(route=route, payment=()), rule="R3.6")
    table.refuses(c.Camp(route=("A0", "A1", "A0"), payment=()), rule="R3.6")


@pytest.mark.parametrize("route", [(), ("A0",), ("A0", "Z9"), ("Z9", "A1")])
def test_r3_6_a_route_names_spaces_of_the_map(route: tuple[str, ...]) -> None:
    table = Table(LINE, hands={0: "F1 F2"})
    table.refuses(c.Camp(route=route, payment=()), rule="R3.6")


def test_r3_6_every_space_costs_a_card_of_its_terrain_both_ends_included() -> None:
    table = Table("*0 f d0 m f *1", hands={0: "D1 M1 F1"}).play(
        "camp A4 from A2 via A3 pay D1 M1 F1"
    )
    assert (table.discard, table.hand(0)) == ("D1 M1 F1", "")


def test_r3_6_either_side_of_a_card_pays() -> None:
    table = Table("*0 f d0 m f *1", hands={0: "X1 Y1"})
    table.play("camp A3 from A2 pay X1 Y1")
    table = Table("*0 f f0 b f *1", hands={0: "X1 Y1"})
    table.play("camp A3 from A2 pay X1 Y1")
    assert table.discard == "X1 Y1"


@pytest.mark.parametrize(
    "cards", ["F1 F2", "M1 D1", "D1", "D1 M1 M2", "D1 M9", "D1 M3"], ids=lambda cards: cards
)
def test_r3_6_such_a_payment_is_refused(cards: str) -> None:
    table = Table("*0 f d0 m f *1", hands={0: "F1 F2 D1 M1 M2"})
    table.refuses(f"camp A3 from A2 pay {cards}", rule="R3.6")


def test_r3_6_no_card_is_spent_twice_and_no_step_is_paid_twice() -> None:
    table = Table("*0 f f0 f m *1", hands={0: "F1 F2 F3"})
    table.refuses("camp A3 from A2 pay F1 F1", rule="R3.6")
    twice = camp(table, "A2 A3", "F1 F2")
    extra = c.Payment(card="F3", spaces=("A3",))
    table.refuses(c.Camp(route=twice.route, payment=(*twice.payment, extra)), rule="R3.6")
    elsewhere = c.Payment(card="F3", spaces=("A4",))
    table.refuses(c.Camp(route=twice.route, payment=(*twice.payment, elsewhere)), rule="R3.6")


def test_r3_7_from_the_starting_camp_the_first_card_may_be_any() -> None:
    for card in ("B1", "M1", "D1", "F2", "W1", "X1"):
        table = Table(LINE, hands={0: f"{card} F1"}).play(f"camp A1 from A0 pay {card} F1")
        assert table.camp_on("A1") == 0


def test_r3_7_from_another_camp_it_shows_the_terrain_of_the_camps_space() -> None:
    table = Table("*0 f d0 m f *1", hands={0: "D1 B1 M1"})
    table.refuses("camp A3 from A2 pay B1 M1", rule="R3.6")
    table.play("camp A3 from A2 pay D1 M1")
    assert table.camp_on("A3") == 0


# ---- Water -----------------------------------------------------------------------------------

LAKE = "*0  f0  w  w  f  *1\n  m   w  w  f"
"""A lake of four spaces, two and two, between A1 and A4."""


def test_r3_8_1_water_card_crosses_a_whole_water_area() -> None:
    table = Table(LAKE, hands={0: "F1 W1 F2"})
    table.play("camp A4 from A1 via A2 A3 pay F1 W1 F2")
    paid = table.happened(e.CampPlaced)[0].payment
    assert [(p.card, p.spaces) for p in paid] == [
        ("F1", ("A1",)),
        ("W1", ("A2", "A3")),
        ("F2", ("A4",)),
    ]


def test_r3_8_the_crossing_may_be_longer_than_needed() -> None:
    table = Table(LAKE, hands={0: "F1 W1 F2"})
    table.play("camp A4 from A1 via B1 A2 B2 A3 pay F1 W1 F2")
    assert table.camp_on("A4") == 0


def test_r3_8_a_crossing_takes_a_card_with_water() -> None:
    table = Table(LAKE, hands={0: "F1 F2 F3"})
    table.refuses("camp A4 from A1 via A2 A3 pay F1 F3 F2", rule="R3.8")
    table = Table(LAKE, hands={0: "F1 F2 Z1"}).play("camp A4 from A1 via A2 A3 pay F1 Z1 F2")
    assert table.camp_on("A4") == 0


def test_r3_8_two_water_areas_are_two_steps() -> None:
    table = Table("*0 f0 w d w f *1", hands={0: "F1 F2 D1 W1 W2"})
    table.play("camp A5 from A1 via A2 A3 A4 pay F1 W1 D1 W2 F2")
    assert table.discard == "F1 W1 D1 W2 F2"


def test_r3_8_a_water_area_is_entered_once_at_most() -> None:
    table = Table("*0 f0 w w f *1\n  . d d", hands={0: "F1 F2 W1 W2 D1 D2"})
    route = ("A1", "A2", "B1", "B2", "A3", "A4")
    table.refuses(c.Camp(route=route, payment=()), rule="R3.8")


# ---- Camps on the way ------------------------------------------------------------------------


def test_r3_9_a_card_spent_over_another_camp_goes_to_its_owner() -> None:
    table = Table("*0 f d1 m *1", hands={0: "B1 F1 D1 M1"})
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 D1 M1")
    assert (table.hand(0), table.hand(1)) == ("", "D1")
    assert table.discard == "B1 F1 M1"


def test_r3_9_the_card_comes_to_the_hand_face_up() -> None:
    table = Table("*0 f d1 m *1", hands={0: "B1 F1 D1 M1"}, secret="D1")
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 D1 M1")
    assert table.state.tribes[1].known == ["D1"]


def test_r3_9_over_another_starting_camp_any_card_goes_to_its_owner() -> None:
    table = Table("*0 f *1 m", hands={0: "B1 F1 W1 M1"})
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 W1 M1")
    assert (table.hand(1), table.discard) == ("W1", "B1 F1 M1")


def test_r3_9_one_card_for_each_camp_passed() -> None:
    table = Table("*0 f1 f1 d2 m *1 *2", seats=3, hands={0: "B1 F1 F2 D1 M1"})
    table.play("camp A4 from A0 via A1 A2 A3 pay B1 F1 F2 D1 M1")
    assert (table.hand(1), table.hand(2), table.discard) == ("F1 F2", "D1", "B1 M1")


def test_r3_9_the_card_must_show_the_terrain_under_the_camp() -> None:
    table = Table("*0 f d1 m *1", hands={0: "B1 F1 F2 M1"})
    table.refuses("camp A3 from A0 via A1 A2 pay B1 F1 F2 M1", rule="R3.6")


def test_r3_9_the_payer_chooses_the_card() -> None:
    table = Table("*0 f d1 m *1", hands={0: "B1 F1 E1 X1 M1"})
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 E1 M1")
    assert table.hand(1) == "E1"


def test_r3_10_over_your_own_camp_its_terrain_is_discarded() -> None:
    table = Table("*0 f d0 m *1", hands={0: "B1 F1 D1 M1"})
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 D1 M1")
    assert (table.hand(0), table.hand(1), table.discard) == ("", "", "B1 F1 D1 M1")
    table = Table("*0 f d0 m *1", hands={0: "B1 F1 F2 M1"})
    table.refuses("camp A3 from A0 via A1 A2 pay B1 F1 F2 M1", rule="R3.6")


def test_r3_10_over_your_own_starting_camp_any_card_is_discarded() -> None:
    table = Table("f0 *0 m *1", hands={0: "F1 W1 M1"}).play("camp A2 from A0 via A1 pay F1 W1 M1")
    assert table.discard == "F1 W1 M1"


# ---- Which card pays which step --------------------------------------------------------------


def test_r3_11_payments_that_keep_different_cards_are_never_chosen_silently() -> None:
    table = Table("*0 f f0 f *1", hands={0: "F1 X1 Z1"})
    error = table.error_of("camp A3 from A2")
    assert isinstance(error, AmbiguousCommand)
    spent = [{paid.card for paid in entry.command.payment} for entry in error.candidates]
    assert sorted(map(sorted, spent)) == [["F1", "X1"], ["F1", "Z1"], ["X1", "Z1"]]


def test_r3_11_payments_that_give_different_cards_are_never_chosen_silently() -> None:
    table = Table("*0 f f1 f *1", hands={0: "B1 F1 X1 A1"})
    error = table.error_of("camp A3 from A0 via A1 A2")
    assert isinstance(error, AmbiguousCommand)
    given = {entry.command.payment[2].card for entry in error.candidates}
    assert given == {"F1", "X1", "A1"}


def test_r3_11_identical_cards_make_no_difference() -> None:
    table = Table("*0 f f0 f *1", hands={0: "F1 F2 F3"})
    ((meant,),) = meanings(table.state, 0, "camp A3 from A2")
    assert isinstance(meant, c.Camp)


def test_r3_11_auto_chooses_the_cards_that_are_worth_least() -> None:
    table = Table("*0 f f0 f *1", hands={0: "A1 X1 Z1 F1"}).play("camp A3 from A2 auto")
    assert table.hand(0) == "A1 Z1"


def test_r3_11_several_routes_are_never_chosen_from_silently() -> None:
    table = Table("*0 f m *1\n  d m m", hands={0: "F1 D1 M1 M2 B1"})
    error = table.error_of("camp A2 auto")
    assert isinstance(error, AmbiguousCommand)
    routes = [entry.command.route for entry in error.candidates]
    assert routes == [("A0", "A1", "A2"), ("A0", "B0", "B1", "A2")]


def test_r3_11_the_player_names_the_route() -> None:
    table = Table("*0 f m *1\n  d m m", hands={0: "F1 D1 M1 M2 B1"})
    table.play("camp A2 from A0 via B0 B1 auto")
    assert table.happened(e.CampPlaced)[0].route == ("A0", "B0", "B1", "A2")


def test_r3_11_one_possible_result_is_found_without_trying_all_orders(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """14 cards that all differ pay 14 steps: however they are paired, all are spent."""
    hand = "B1 M1 D1 F1 W1 X1 Y1 Z1 A1 C1 E1 H1 K1 L1"
    state = Table(LINE, hands={0: hand}).state
    tried = []
    looked_at = payment._Spending._can_be_completed

    def counted(self: payment._Spending, *branch: object) -> bool:
        tried.append(branch)
        return looked_at(self, *branch)  # type: ignore[arg-type]

    monkeypatch.setattr(payment._Spending, "_can_be_completed", counted)
    steps = [payment.Step(spaces=(f"A{i}",), terrain=None, to=None) for i in range(14)]
    (only,) = payment.outcomes(state, 0, steps)
    assert sorted(paid.card for paid in only) == sorted(hand.split())
    assert len(tried) <= 3 * 14


def test_r3_11_payments_are_stored_and_printed_in_the_order_of_the_route() -> None:
    table = Table(LAKE, hands={0: "F1 W1 F2"})
    ordered = camp(table, "A1 A2 A3 A4", "F1 W1 F2")
    first, water, last = ordered.payment
    backwards = c.Payment(card=water.card, spaces=water.spaces[::-1])
    table.play(c.Camp(route=ordered.route, payment=(last, backwards, first)))
    assert table.outcome.commands == (ordered,)
    assert table.happened(e.CampPlaced)[0].payment[1].spaces == ("A2", "A3")
    line = notation.line_of(table.state, table.outcome.commands)
    assert line == "camp A4 from A1 via A2 A3 pay F1 W1 F2"


# ---- What follows ----------------------------------------------------------------------------


def test_r3_12_the_leftmost_camp_goes_to_the_destination() -> None:
    table = Table(LINE, hands={0: "F1 F2"}).play("camp A1 auto")
    assert table.camp_on("A1") == 0
    assert table.state.tribes[0].camps_left == 7


def test_r3_12_berry_then_tribe_board_then_the_end_of_the_turn() -> None:
    table = Table(
        "*0 f:2 d m *1", hands={0: "F1 F2"}, placed={0: 1}, stories={0: ["1 forest"]}
    ).play("camp A1 auto, story 2")
    assert [type(event) for event in table.events] == [
        e.CampPlaced,
        e.BerryTaken,
        e.StoryTaken,
        e.StoryRowFilled,
        e.StoryCompleted,
        e.RewardDrawn,
        e.TurnEnded,
    ]


def test_r3_12_nobody_places_a_ninth_camp() -> None:
    table = Table(LINE, hands={0: "F1 F2"}, placed={0: 8})
    table.refuses("camp A1 from A0 auto", rule="R3.12")
