"""R7: hidden information. What no reply may tell is tested in test_views.py."""

from __future__ import annotations

import pytest

from engine.state import HIDDEN
from engine.views import mask, redact, view_for
from tests.engine.game import Game
from tests.engine.plain import plain
from tests.engine.policies import anything
from tests.engine.table import Table

LINE = "*0  f  f0 m  f  *1"


@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_r7_1_dealt_cards_are_shown_to_their_owner_only(viewer: int | None) -> None:
    game = Game(3)
    for seat, tribe in enumerate(view_for(game.state, viewer)["tribes"]):
        dealt = sorted(game.state.tribes[seat].hand)
        shown = {"cards": dealt, "unknown": 0} if seat == viewer else {"cards": [], "unknown": 2}
        assert tribe["hand"] == shown


def test_r7_1_a_reward_card_is_shown_to_its_owner_only() -> None:
    table = Table(LINE, stories={0: ["1 forest"]}, pile="W1 W2 W3").play("take 1-2")
    assert view_for(table.state, 0)["tribes"][0]["hand"] == {
        "cards": ["B5", "B6", "W3"],
        "unknown": 0,
    }
    for viewer in (1, None):
        hand = view_for(table.state, viewer)["tribes"][0]["hand"]
        assert hand == {"cards": ["B5", "B6"], "unknown": 1}


@pytest.mark.parametrize("viewer", [0, 1, None])
def test_r7_1_orders_of_piles_are_hidden_and_their_sizes_public(viewer: int | None) -> None:
    state = Game(2).state
    seen, view = mask(state, viewer), view_for(state, viewer)
    assert set(seen.pile) == set(seen.story_pile) == {HIDDEN}
    assert (view["pile"], view["stories"]["pile"]) == (len(state.pile), len(state.story_pile))


def test_r7_1_row_discards_taken_cards_and_tucked_cards_are_public() -> None:
    table = Table(LINE, hands={0: "F1 F2 W1"}, tucked={1: "K1.1"}, discard="D1 D2")
    view = view_for(table.play("take 1-2").state, None)
    assert view["row"][2:] == ["M5", "M6", "D5", "D6"]
    assert view["discard"] == ["D1", "D2"]
    assert view["tribes"][0]["hand"] == {"cards": ["B5", "B6", "F1", "F2", "W1"], "unknown": 0}
    assert view["tribes"][1]["tucked"] == [{"slot": 1, "card": "K1", "side": 1}]


def test_r7_1_a_card_that_was_given_is_public() -> None:
    table = Table("*0 f d1 m *1", hands={0: "B1 F1 D1 M1"}, secret="B1 F1 D1 M1")
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 D1 M1")
    assert view_for(table.state, None)["tribes"][1]["hand"] == {"cards": ["D1"], "unknown": 0}


def test_r7_1_after_the_end_nothing_is_hidden() -> None:
    game = Game(2).play([anything] * 2)
    assert mask(game.state, None) == game.state
    for seat, tribe in enumerate(view_for(game.state, None)["tribes"]):
        assert tribe["hand"] == {"cards": sorted(game.state.tribes[seat].hand), "unknown": 0}


# ---- R7.2 ------------------------------------------------------------------------------------


def test_r7_2_a_known_identical_copy_leaves_first() -> None:
    table = Table(LINE, hands={0: "F1 F2 M1"}, secret="F1").play("camp A3 from A2 pay F1 M1")
    assert (table.discard, table.hand(0)) == ("F2 M1", "F1")
    assert table.state.tribes[0].secret == {"F1"}
    assert [paid.card for paid in table.outcome.commands[0].payment] == ["F2", "M1"]


def test_r7_2_of_several_known_copies_the_lowest_id() -> None:
    table = Table(LINE, hands={0: "F6 F4 F2 F3 M1"}, secret="F6")
    table.play("camp A3 from A2 pay F6 M1")
    assert table.discard == "F2 M1"


def test_r7_2_a_named_card_that_is_known_leaves_itself() -> None:
    table = Table(LINE, hands={0: "F1 F2 F3 M1"}, secret="F1").play("camp A3 from A2 pay F3 M1")
    assert table.discard == "F3 M1"


def test_r7_2_a_copy_named_in_the_same_command_is_not_substituted() -> None:
    table = Table(LINE, hands={0: "F1 F2 F3"}, secret="F1").play("camp A1 from A2 pay F1 F2")
    assert table.discard == "F3 F2"
    table = Table(LINE, hands={0: "F1 F2"}, secret="F1").play("camp A1 from A2 pay F1 F2")
    assert table.discard == "F1 F2"


def test_r7_2_a_card_of_another_face_is_no_copy() -> None:
    table = Table(LINE, hands={0: "F1 A1 X1 M1"}, secret="F1").play("camp A3 from A2 pay F1 M1")
    assert table.discard == "F1 M1"


def test_r7_2_a_known_copy_is_given_and_tucked_first_too() -> None:
    table = Table("*0 f d1 m *1", hands={0: "B1 F1 D1 D2 M1"}, secret="D2")
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 D2 M1")
    assert table.hand(1) == "D1"
    table = Table(LINE, hands={0: "F1 M1 Z1 Z2"}, secret="Z2", placed={0: 2})
    table.play("camp A3 from A2 pay F1 M1, tuck Z2 water")
    assert [(tucked.card, tucked.side) for tucked in table.state.tribes[0].tucked] == [("Z1", 1)]


def test_r7_2_in_one_submission_the_exchanged_cards_change_names() -> None:
    table = Table(LINE, hands={0: "F1 F2 M1"}, secret="F1", placed={0: 2})
    table.play("camp A3 from A2 pay F1 M1, tuck F2")
    assert (table.discard, table.state.tribes[0].tucked[0].card) == ("F2 M1", "F1")


def test_r7_2_nobody_can_tell_which_of_two_hands_paid() -> None:
    """Seat 0 has a second forest, or a desert; either way it spends the forest that is known."""
    forest = Table(LINE, hands={0: "F1 F2 M1"}, secret="F1")
    desert = Table(LINE, hands={0: "D1 F2 M1"}, secret="D1")
    forest.play("camp A3 from A2 pay F1 M1")
    desert.play("camp A3 from A2 pay F2 M1")
    assert view_for(forest.state, 1) == view_for(desert.state, 1)
    assert [redact(event, 1) for event in forest.events] == [
        redact(event, 1) for event in desert.events
    ]


def test_r7_2_identical_are_cards_with_the_same_sides_and_symbols() -> None:
    faces = {card.id: card.face for card in plain().cards.values()}
    assert faces["X1"] == faces["X4"]
    assert len({faces[card] for card in ("F1", "A1", "X1", "Z1", "D1")}) == 5


def test_r7_2_the_copy_shows_the_same_side_wherever_it_lists_it() -> None:
    assert [side.terrain for side in plain().cards["Z1"].sides] == ["forest", "water"]
    assert [side.terrain for side in plain().cards["Z4"].sides] == ["water", "forest"]
    for secret, copy in (("Z1", "Z4"), ("Z4", "Z1")):
        for terrain in ("forest", "water"):
            table = Table(LINE, hands={0: "Z1 Z4"}, secret=secret, placed={0: 3}, asks="tuck")
            (tucked,) = table.play(f"tuck {secret} {terrain}").state.tribes[0].tucked
            assert tucked.card == copy
            assert plain().cards[copy].sides[tucked.side].terrain == terrain
