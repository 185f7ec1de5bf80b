"""R10: what holds in downpour, volcano and lake villages: small pile, supply, scenario event."""

from __future__ import annotations

import pytest

from engine import commands as c
from engine import events as e
from engine.board import areas
from engine.components.shipped import hearth
from engine.scenario import Scenario
from engine.scenarios import SCENARIOS
from engine.scenarios.downpour import DOWNPOUR
from engine.scenarios.lake_villages import LAKE_VILLAGES
from engine.scenarios.volcano import VOLCANO
from engine.scoring import berry_count, resource_count
from engine.setup import set_up
from engine.state import HIDDEN
from engine.views import mask, redact, view_for
from tests.engine.game import Game
from tests.engine.table import Table

COAST = "*0 w f f f *1"
"""Rain can fall on A2 only, next to the lake A1."""

SHORES = "*0 w f d m *1\n  f  d  b"
"""Rain can fall on A2, B0 and B1, next to the lake A1."""

WITH_SMALL_PILE = pytest.mark.parametrize(
    "scenario", [DOWNPOUR, VOLCANO, LAKE_VILLAGES], ids=lambda scenario: scenario.key
)
SIZES = {2: 6, 3: 8, 4: 10}
PLAYERS = pytest.mark.parametrize("players", SIZES)


def rainy(drawing: str = SHORES, **given: object) -> Table:
    """A table of the downpour."""
    return Table(drawing, scenario=DOWNPOUR, **given)


def kinds(table: Table) -> list[type[e.Event]]:
    """Return the kinds of event that the last submission led to."""
    return [type(event) for event in table.events]


# ---- R10.1 -----------------------------------------------------------------------------------


@WITH_SMALL_PILE
def test_r10_1_story_tiles_and_fire_count_and_the_rest_is_the_scenarios_own(
    scenario: Scenario,
) -> None:
    rules = [term.rule for term in scenario.terms]
    assert {"R8.4a", "R8.4b", "R8.4c"} < set(rules)
    own = {"downpour": "R11.4", "volcano": "R12.3", "lake_villages": "R13.6"}[scenario.key]
    assert set(rules) - {"R8.4a", "R8.4b", "R8.4c"} == {own}


@WITH_SMALL_PILE
def test_r10_1_story_tiles_and_fire_are_worth_what_they_are_in_the_base_game(
    scenario: Scenario,
) -> None:
    table = Table(
        "*0 f d m . v . *1",
        scenario=scenario,
        completed={0: ["2 forest", "1 desert"]},
        tucked={1: "H1"},
        placed={1: 8},
    )
    assert table.points("R8.4a") == [8, 0]
    assert table.points("R8.4b") == [1, 2]
    assert table.points("R8.4c") == [0, 4]


@WITH_SMALL_PILE
def test_r10_1_groups_and_single_berries_count_nothing(scenario: Scenario) -> None:
    table = Table("*0 b b0 b0 d . v . *1", scenario=scenario, tucked={0: "E1"})
    assert [term.points(table.state)[0] for term in scenario.terms] == [0] * len(scenario.terms)


# ---- R10.2 -----------------------------------------------------------------------------------


@WITH_SMALL_PILE
@PLAYERS
def test_r10_2_a_small_pile_is_dealt_after_the_row_and_the_rest_is_the_supply(
    scenario: Scenario, players: int
) -> None:
    state = Game(players, scenario=scenario.key).state
    base = Game(players).state
    assert state.small_pile is not None
    assert state.supply is not None
    assert len(state.small_pile) == SIZES[players]
    assert (state.row, state.small_pile + state.supply) == (base.row, base.pile)
    assert state.pile == ()
    assert [tribe.hand for tribe in state.tribes] == [tribe.hand for tribe in base.tribes]


@pytest.mark.parametrize("key", ["base", "teams"])
def test_r10_2_the_base_game_and_teams_have_neither(key: str) -> None:
    state = Game(4, scenario=key).state
    assert (state.small_pile, state.supply) == (None, None)
    view = view_for(state, 0)
    assert (view["small_pile"], view["supply"], view["stock"]) == (None, None, 0)


@WITH_SMALL_PILE
def test_r10_2_the_row_is_filled_from_the_small_pile(scenario: Scenario) -> None:
    table = Table("*0 w f d *1", scenario=scenario, small_pile="W1 W2 W3", pile="F1 F2")
    table.play("take 5-6")
    assert table.row == "B5 B6 M5 M6 W2 W1"
    assert (table.state.small_pile, table.state.supply) == (("W3",), ("F1", "F2"))


def test_r10_2_orders_are_hidden_and_sizes_public() -> None:
    state = Game(3, scenario="downpour").state
    for viewer in (0, 1, 2, None):
        seen, view = mask(state, viewer), view_for(state, viewer)
        assert {*(seen.small_pile or ()), *(seen.supply or ())} == {HIDDEN}
        assert (view["pile"], view["small_pile"], view["supply"]) == (0, 8, 55 - 6 - 6 - 8)
        assert view["stock"] == 8
        dealt = redact(Game(3, scenario="downpour").rows[0].events[0], viewer)
        assert isinstance(dealt, e.GameSetUp)
        assert (dealt.small_pile, dealt.supply) == (None, None)


# ---- R10.3 -----------------------------------------------------------------------------------


def test_r10_3_the_event_comes_when_a_refill_takes_the_last_card() -> None:
    table = rainy(small_pile="W1 W2").play("take 1-2")
    assert table.happened(e.ScenarioEvent) == [
        e.ScenarioEvent(kind="downpour", asks=(e.Asked(seat=0, kind="water"),))
    ]
    assert kinds(table) == [e.CardsTaken, e.RowFilled, e.RowFilled, e.ScenarioEvent]


def test_r10_3_it_does_not_come_while_a_card_is_left() -> None:
    table = rainy(small_pile="W1 W2 W3").play("take 1-2")
    assert table.happened(e.ScenarioEvent) == []
    assert table.state.small_pile == ("W3",)
    assert table.asked == 1


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_r10_3_the_active_player_carries_it_out(seat: int) -> None:
    table = rainy(seats=3, active=seat, small_pile="W1 W2").play("take 1-2")
    assert (table.asked, len(table.state.questions)) == (seat, 1)
    (covered,) = table.play("water A2").happened(e.WaterPlaced)
    assert covered.seat == seat
    assert table.asked == (seat + 1) % 3


@PLAYERS
def test_r10_3_then_a_new_small_pile_of_that_size_comes_off_the_supply(players: int) -> None:
    table = rainy(seats=players, small_pile="W1 W2")
    supply = table.state.supply or ()
    table.play("take 1-2, water A2")
    size = SIZES[players]
    assert table.happened(e.SmallPileMade) == [e.SmallPileMade(cards=supply[:size])]
    assert (table.state.small_pile, table.state.supply) == (supply[:size], supply[size:])


def test_r10_3_in_mid_refill_the_event_comes_first_then_the_pile_then_the_rest() -> None:
    table = rainy(small_pile="W1", pile="F1 F2 F3 F4 F5 F6 D1").play("take 3-4")
    assert kinds(table) == [e.CardsTaken, e.RowFilled, e.ScenarioEvent]
    table.play("water A2")
    assert kinds(table) == [e.WaterPlaced, e.SmallPileMade, e.RowFilled, e.TurnEnded]
    assert table.row == "B5 B6 F1 W1 D5 D6"
    assert table.state.small_pile == ("F2", "F3", "F4", "F5", "F6")


def test_r10_3_meanwhile_the_half_filled_row_shows_its_empty_place() -> None:
    table = rainy(small_pile="W1").play("take 3-4")
    assert table.row == "B5 B6 - W1 D5 D6"
    for viewer in (0, 1, None):
        view = view_for(table.state, viewer)
        assert view["row"] == ["B5", "B6", None, "W1", "D5", "D6"]
        assert view["small_pile"] == 0


def test_r10_3_all_the_answers_come_before_the_new_pile() -> None:
    table = rainy("*0 f f:1 f *1\n  b w m b", small_pile="W1").play("take 3-4").play("water A2")
    assert kinds(table) == [e.WaterPlaced]
    assert (table.asked, table.state.small_pile) == (0, ())
    table.play("share A1 1")
    assert kinds(table) == [e.BerriesMoved, e.SmallPileMade, e.RowFilled, e.TurnEnded]


def test_r10_3_the_supplys_order_stays_the_piles() -> None:
    table = rainy(small_pile="W1 W2", pile="F1 F2 F3 F4 F5 F6 D1 D2")
    table.play("take 1-2, water A2").play("take 1-2")
    assert [(filled.place, filled.card) for filled in table.happened(e.RowFilled)] == [
        (2, "F1"),
        (1, "F2"),
    ]


def test_r10_3_at_most_one_event_a_turn() -> None:
    """The new pile has a single card, which the rest of the refill takes."""
    table = rainy(COAST, small_pile="W1", pile="W2").play("take 5-6")
    assert len(table.happened(e.ScenarioEvent)) == 1
    assert table.row == "B5 B6 M5 M6 W2 W1"
    assert (table.state.small_pile, table.asked) == ((), 1)


def test_r10_3_rewards_cause_none() -> None:
    table = rainy(
        "*0 w f f0 d *1",
        small_pile="W1",
        pile="D1",
        stories={0: ["1 forest"]},
        hands={0: "F1 F2"},
        placed={0: 0},
    ).play("camp A2 from A3 pay F1 F2")
    assert [event.card for event in table.happened(e.RewardDrawn)] == ["D1"]
    assert table.happened(e.ScenarioEvent) == []
    assert (table.state.small_pile, table.state.supply) == (("W1",), ())


def test_r10_3_the_fill_at_the_end_of_a_turn_causes_none() -> None:
    table = rainy(
        "*0 w f f0 d *1",
        row="- - M5 M6 D5 D6",
        small_pile="W1 W2",
        hands={0: "F1 F2"},
        placed={0: 0},
    )
    table.play("camp A2 from A3 pay F1 F2")
    assert table.row == "W2 W1 M5 M6 D5 D6"
    assert table.state.small_pile == ()
    assert table.happened(e.ScenarioEvent) == table.happened(e.SmallPileMade) == []
    assert table.asked == 1


def test_r10_3_it_comes_in_the_last_turn_of_the_last_round_too() -> None:
    table = rainy(placed={0: 8}, active=1, small_pile="W1 W2").play("take 1-2")
    assert table.happened(e.GameEnded) == []
    assert (table.asked, table.state.questions[0].kind) == (1, "water")
    table.play("water A2")
    assert [event.reason for event in table.happened(e.GameEnded)] == ["last_camp"]


def test_r10_3_a_story_tile_may_be_completed_after_the_event() -> None:
    table = rainy("*0 w f f0 *1\n  d d d", stories={0: ["1 water"]}, small_pile="W1 W2")
    table.play("take 1-2").play("water A2")
    assert kinds(table)[-3:] == [e.StoryCompleted, e.RewardDrawn, e.TurnEnded]
    assert table.completed(0) == ["1 water"]


def test_r10_3_the_new_small_pile_is_shown_to_nobody() -> None:
    for viewer in (0, 1, None):
        made = redact(e.SmallPileMade(cards=("F1", "F2")), viewer)
        assert made == e.SmallPileMade(cards=None)


# ---- R10.4 -----------------------------------------------------------------------------------


def test_r10_4_rewards_come_from_the_supply() -> None:
    table = rainy("*0 f0 d w *1", small_pile="W1 W2 W3", pile="D1 D2", stories={0: ["1 forest"]})
    table.play("take 1-2")
    assert [event.card for event in table.happened(e.RewardDrawn)] == ["D1"]
    assert table.state.supply == ("D2",)


def test_r10_4_the_discards_become_a_supply_when_a_reward_finds_none() -> None:
    table = rainy(
        "*0 f0 d w *1", small_pile="W1 W2 W3", pile="", discard="D1 D2", stories={0: ["1 forest"]}
    ).play("take 1-2")
    (shuffled,) = table.happened(e.PileShuffled)
    assert shuffled.pile == "supply"
    assert [event.card for event in table.happened(e.RewardDrawn)] == [shuffled.order[0]]
    assert table.state.supply == shuffled.order[1:]
    assert (table.state.small_pile, table.discard) == (("W3",), "")


def test_r10_4_discards_go_below_a_supply_that_is_too_small_for_a_pile() -> None:
    table = rainy(COAST, small_pile="W1 W2", pile="F1 F2", discard="D1 D2 D3 M1 M2 M3")
    table.play("take 1-2")
    (shuffled,) = table.happened(e.PileShuffled)
    assert sorted(shuffled.order or ()) == ["D1", "D2", "D3", "M1", "M2", "M3"]
    assert table.state.small_pile == ("F1", "F2", *shuffled.order[:4])
    assert table.state.supply == shuffled.order[4:]


def test_r10_4_a_supply_that_is_just_large_enough_is_not_added_to() -> None:
    table = rainy(COAST, small_pile="W1 W2", pile="F1 F2 F3 F4 F5 F6", discard="D1 D2")
    table.play("take 1-2")
    assert table.happened(e.PileShuffled) == []
    assert (len(table.state.small_pile or ()), table.state.supply) == (6, ())
    assert table.discard == "D1 D2"


def test_r10_4_the_draw_pile_of_the_base_game_is_not_made() -> None:
    """R3.4 would shuffle the discards now that the row wants a card."""
    table = rainy(COAST, small_pile="W1", discard="D1 D2").play("take 1-2")
    assert table.happened(e.PileShuffled) == []
    assert table.discard == "D1 D2"
    assert "-" not in table.row


def test_r10_4_with_too_few_cards_the_pile_has_what_there_is() -> None:
    table = rainy(COAST, small_pile="W1 W2", pile="F1 F2", discard="D1").play("take 1-2")
    assert table.state.small_pile == ("F1", "F2", "D1")
    assert table.state.supply == ()


def test_r10_4_with_no_card_at_all_a_reward_lapses() -> None:
    table = rainy("*0 f0 d w *1", small_pile="W1 W2 W3", pile="", stories={0: ["1 forest"]})
    table.play("take 1-2")
    assert table.completed(0) == ["1 forest"]
    assert table.happened(e.RewardDrawn) == table.happened(e.PileShuffled) == []
    assert table.state.small_pile == ("W3",)


def test_r10_4_an_empty_small_pile_is_made_again_at_the_end_of_a_turn_without_an_event() -> None:
    table = rainy("*0 w f f f1 *1", small_pile="W1 W2", pile="", hands={1: "F1 F2"}, placed={1: 0})
    table.play("take 1-2")
    assert table.happened(e.SmallPileMade) == [e.SmallPileMade(cards=())]
    assert (table.state.small_pile, table.asked) == ((), 1)
    table.play("camp A3 from A4 pay F1 F2")
    assert kinds(table)[1:4] == [e.PileShuffled, e.SmallPileMade, e.TurnEnded]
    assert table.happened(e.ScenarioEvent) == []
    assert sorted(table.state.small_pile) == ["F1", "F2"]


def test_r10_4_an_empty_small_pile_is_made_again_when_cards_are_taken_without_an_event() -> None:
    table = rainy(COAST, small_pile="", pile="F1 F2 F3", row="B1 B2 M1 M2 D1 D2").play("take 1-2")
    assert kinds(table)[:2] == [e.CardsTaken, e.SmallPileMade]
    assert table.happened(e.ScenarioEvent) == []
    assert table.row == "F2 F1 M1 M2 D1 D2"


def test_r10_4_a_fill_that_uses_up_the_small_pile_goes_on_from_a_new_one() -> None:
    table = rainy(
        "*0 w f f0 d *1",
        row="- - - M6 D5 D6",
        small_pile="W1",
        pile="F3 F4 F5",
        hands={0: "F1 F2"},
        placed={0: 0},
    ).play("camp A2 from A3 pay F1 F2")
    assert table.row == "F4 F3 W1 M6 D5 D6"
    assert table.happened(e.ScenarioEvent) == []
    assert len(table.happened(e.SmallPileMade)) == 1


def test_r10_4_a_row_that_stays_short_closes_up_and_is_filled_later() -> None:
    table = rainy("*0 w f f f1 *1", small_pile="W1", pile="", hands={1: "F1 F2"}, placed={1: 0})
    table.play("take 5-6")
    assert table.row == "- B5 B6 M5 M6 W1"
    table.play("camp A3 from A4 pay F1 F2")
    assert table.row in ("F1 B5 B6 M5 M6 W1", "F2 B5 B6 M5 M6 W1")
    assert table.happened(e.ScenarioEvent) == []


def test_r10_4_without_a_card_anywhere_all_pass() -> None:
    table = rainy("*0 f d m *1", row="- - - - - B1", small_pile="", pile="").play("take 6")
    assert [event.reason for event in table.happened(e.GameEnded)] == ["all_passed"]


# ---- R10.5 -----------------------------------------------------------------------------------


def test_r10_5_without_a_tile_left_nothing_is_placed_and_the_new_pile_is_made() -> None:
    table = rainy(small_pile="W1 W2", stock=0).play("take 1-2")
    assert kinds(table) == [
        e.CardsTaken, e.RowFilled, e.RowFilled, e.ScenarioEvent, e.SmallPileMade, e.TurnEnded,
    ]  # fmt: skip
    assert table.happened(e.ScenarioEvent) == [e.ScenarioEvent(kind="downpour", asks=())]


@pytest.mark.parametrize(
    ("scenario", "drawing", "line"),
    [(DOWNPOUR, "*0 x f d d *1\n  f", "water"), (VOLCANO, "*0 v f d d *1\n  f", "lava")],
    ids=["water", "lava"],
)
def test_r10_5_the_last_tile_is_placed_and_then_no_more(
    scenario: Scenario, drawing: str, line: str
) -> None:
    table = Table(drawing, scenario=scenario, stock=1, small_pile="W1 W2", pile="F1 F2")
    table.play(f"take 1-2, {line} A2")
    assert (table.state.stock, table.state.small_pile) == (0, ("F1", "F2"))
    table.play("take 1-2")
    assert table.happened(e.ScenarioEvent) == [e.ScenarioEvent(kind=scenario.key, asks=())]
    assert table.happened(e.WaterPlaced) == table.happened(e.LavaPlaced) == []


@pytest.mark.parametrize(
    ("scenario", "drawing"),
    [(DOWNPOUR, "*0 f d . w f1 *1"), (VOLCANO, "*0 f d . v f1 *1")],
    ids=["water", "lava"],
)
def test_r10_5_without_a_legal_space_it_is_skipped(scenario: Scenario, drawing: str) -> None:
    table = Table(drawing, scenario=scenario, small_pile="W1 W2").play("take 1-2")
    assert table.happened(e.ScenarioEvent) == [e.ScenarioEvent(kind=scenario.key, asks=())]
    assert table.happened(e.SmallPileMade)
    assert (table.state.stock, table.asked) == (8, 1)


# ---- R10.6 -----------------------------------------------------------------------------------


@PLAYERS
@pytest.mark.parametrize(("key", "terrain"), [("downpour", "water"), ("volcano", None)])
def test_r10_6_the_scenarios_tile_lies_on_the_gap_inside_the_map(
    players: int, key: str, terrain: str | None
) -> None:
    state = Game(players, scenario=key).state
    gap = state.board.index["X0"]
    space = state.board.spaces[gap]
    assert (space.q, space.r) == hearth().layout_for(players).scenario_gap
    assert (space.tile, state.terrain[gap], state.berries[gap]) == (None, terrain, 0)
    assert len(state.board.neighbours[gap]) == 6
    assert len(state.board.spaces) == 14 * players + 1


@PLAYERS
@pytest.mark.parametrize("key", ["base", "teams", "lake_villages"])
def test_r10_6_in_other_scenarios_the_gap_is_no_space(players: int, key: str) -> None:
    game = set_up(hearth(), SCENARIOS[key], players, Game(players).chance)
    assert "X0" not in [space.space for space in game.spaces]
    assert len(game.spaces) == 14 * players


def test_r10_6_the_downpour_tile_is_a_water_space_like_any_other() -> None:
    table = rainy("*0 f0 x w d *1", hands={0: "F1 W1 D1"})
    water = areas(table.state.board, table.state.terrain).area_of(table.state.board.index["X0"])
    assert {table.state.board.names[space] for space in water} == {"X0", "A3"}
    table.refuses(c.Camp(route=("A1", "X0"), payment=()), rule="R3.6")
    table.play("camp A4 from A1 via X0 A3 pay F1 W1 D1")
    assert table.camp_on("A4") == 0


# ---- R10.7 -----------------------------------------------------------------------------------


def test_r10_7_berries_are_tokens_and_visible_tucked_berries() -> None:
    table = rainy("*0 f:2 d m *1", hands={0: "F1 F2"}, tucked={0: "E1 X1", 1: "E2"})
    table.play("camp A1 from A0 pay F1 F2")
    assert berry_count(table.state) == [2, 1]


@pytest.mark.parametrize("resource", ["artefact", "pigment"])
def test_r10_7_resources_are_sites_beside_camps_and_visible_tucked_symbols(resource: str) -> None:
    sites = {resource: ["A0 A1", "A2 A3", "A3 A4"]}
    assert resource_count(rainy("*0 f d m b *1", sites=sites).state, resource) == [0, 0]
    near = rainy("*0 f d m0 b1 *1", sites=sites)
    assert resource_count(near.state, resource) == [2, 1]
    twice = rainy("*0 f d0 m0 b *1", sites=sites, tucked={1: "A1"})
    assert resource_count(twice.state, resource) == [2, int(resource == "artefact")]


def test_r10_7_tucked_cards_are_no_areas() -> None:
    table = rainy("*0 f d m *1", tucked={0: "F1 M1 W1"})
    assert table.points("forests and mountains with camps") == [0, 0]
    table = Table("*0 v f d *1", scenario=VOLCANO, tucked={0: "W1 Z1.1"})
    assert table.points("water areas beside camps") == [0, 0]
    table = Table("*0 f d w f *1", scenario=LAKE_VILLAGES, tucked={0: "W1"})
    assert table.points("most camps at water areas") == [0, 0]
