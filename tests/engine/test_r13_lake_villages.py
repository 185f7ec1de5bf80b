"""R13: lake villages. Camps on water, and fish for cards, answered sealed."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine import codec
from engine import commands as c
from engine import events as e
from engine.decide import submit
from engine.errors import IllegalMove
from engine.legal import legal, routes_to
from engine.rules.map import served
from engine.scenarios.lake_villages import LAKE_VILLAGES
from engine.scoring import groups
from engine.verify import verify
from engine.views import learners, mask, redact_command, view_for
from tests.engine.game import Game
from tests.engine.policies import anything, spender
from tests.engine.table import Table, camp

LAKE = "*0 f w w d *1"
"""A lake of two spaces, A2 and A3."""

BAY = "*0 f w  d *1\n  m w1 d f"
"""A lake of two spaces, A2 and B1; on B1 is a village of seat 1."""


def lake(drawing: str = LAKE, **given: object) -> Table:
    """A table of the lake villages."""
    return Table(drawing, scenario=LAKE_VILLAGES, **({"small_pile": "W4 W5 M4 M3"} | given))


# ---- R13.1 -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "space"), [("A2 from A0 via A1", "A2"), ("A3 via A1 A2", "A3")])
def test_r13_1_any_space_of_a_lake_is_a_destination(line: str, space: str) -> None:
    table = lake(hands={0: "B1 F1 W1"}).play(f"camp {line} pay B1 F1 W1")
    assert table.camp_on(space) == 0
    assert table.state.tribes[0].camps_left == 7
    assert table.discard == "B1 F1 W1"


def test_r13_1_the_last_card_shows_water() -> None:
    lake(hands={0: "B1 F1 F2"}).refuses("camp A2 via A1 pay B1 F1 F2", rule="R3.8")
    assert lake(hands={0: "B1 F1 Z1"}).play("camp A2 via A1 pay B1 F1 Z1").camp_on("A2") == 0


def test_r13_1_they_are_offered() -> None:
    table = lake(hands={0: "B1 F1 W1 D1"})
    offered = {command.route for command in table.legal if isinstance(command, c.Camp)}
    assert offered == {
        ("A0", "A1"),
        ("A0", "A1", "A2"),
        ("A0", "A1", "A2", "A3"),
        ("A0", "A1", "A2", "A3", "A4"),
    }
    for space in ("A2", "A3"):
        (entry,) = routes_to(mask(table.state, 0), 0, space).entries
        assert entry.command.route[-1] == space
        assert len(entry.steps) == 3


def test_r13_1_in_other_scenarios_no_camp_is_placed_on_water() -> None:
    base = Table(LAKE, hands={0: "B1 F1 W1"})
    base.refuses("camp A2 from A0 via A1 pay B1 F1 W1", rule="R3.6")


@pytest.mark.parametrize("owner", [0, 1])
def test_r13_1_one_village_a_lake_whoever_owns_it(owner: int) -> None:
    table = lake(f"*0 f w w{owner} d *1", hands={0: "B1 F1 W1"})
    table.refuses(c.Camp(route=("A0", "A1", "A2"), payment=()), rule="R13.1")
    offered = [command.route[-1] for command in table.legal if isinstance(command, c.Camp)]
    assert "A2" not in offered
    assert routes_to(mask(table.state, 0), 0, "A2").entries == ()


def test_r13_1_the_next_lake_is_free() -> None:
    table = lake("*0 w1 f w d *1", hands={0: "B1 W1 F1 W2"})
    table.play("camp A3 from A0 via A1 A2 pay B1 W1 F1 W2")
    assert table.camp_on("A3") == 0


def test_r13_1_the_camp_on_its_own_space_is_not_free() -> None:
    table = lake("*0 f w1 w d *1", hands={0: "B1 F1 W1"})
    table.refuses(c.Camp(route=("A0", "A1", "A2"), payment=()), rule="R3.6")


def test_r13_1_a_lake_is_still_entered_only_once() -> None:
    table = lake("*0 w w f *1\n  d d d", hands={0: "B1 W1 D1 D2 W2"})
    route = ("A0", "A1", "B1", "A2")
    table.refuses(c.Camp(route=route, payment=()), rule="R3.8")


# ---- R13.2 -----------------------------------------------------------------------------------


def test_r13_2_from_a_village_to_land_beside_its_own_space() -> None:
    table = lake("*0 f w0 w d *1", hands={0: "W1 F1"}).play("camp A1 from A2 pay W1 F1")
    assert table.camp_on("A1") == 0


def test_r13_2_from_a_village_to_land_elsewhere_on_the_lake() -> None:
    table = lake("*0 f w0 w d *1", hands={0: "W1 D1"}).play("camp A4 from A2 via A3 pay W1 D1")
    (placed,) = table.happened(e.CampPlaced)
    assert [(paid.card, paid.spaces) for paid in placed.payment] == [
        ("W1", ("A2", "A3")),
        ("D1", ("A4",)),
    ]


def test_r13_2_from_a_village_over_another_camp() -> None:
    table = lake("m f1 w0 w d *1", hands={0: "W1 F1 M1"})
    table.play("camp A0 from A2 via A1 pay W1 F1 M1")
    assert (table.hand(1), table.discard) == ("F1", "W1 M1")


def test_r13_2_from_a_village_over_ones_own_starting_camp() -> None:
    table = lake("m *0 w0 w d *1", hands={0: "W1 F1 M1"})
    table.play("camp A0 from A2 via A1 pay W1 F1 M1")
    assert (table.hand(1), table.discard) == ("", "W1 F1 M1")


def test_r13_2_the_first_card_shows_water() -> None:
    table = lake("*0 f w0 w d *1", hands={0: "W1 F1 F2"})
    table.refuses("camp A1 from A2 pay F1 F2", rule="R3.8")


def test_r13_2_such_routes_are_offered() -> None:
    table = lake("*0 f w0 w d *1", hands={0: "W1 F1 D1"})
    ways = {command.route for command in table.legal if isinstance(command, c.Camp)}
    assert {("A2", "A1"), ("A2", "A3", "A4")} <= ways
    ((command),) = table.commands("camp A4 from A2 auto")
    assert command == camp(table, "A2 A3 A4", "W1 D1")


# ---- R13.3 -----------------------------------------------------------------------------------


def test_r13_3_the_water_card_goes_to_the_villages_owner_wherever_the_route_crosses() -> None:
    hands = {0: "B1 F1 W1 D1"}
    past = lake(BAY, hands=hands).play("camp A3 from A0 via A1 A2 pay B1 F1 W1 D1")
    assert (past.hand(1), past.discard) == ("W1", "B1 F1 D1")
    over = lake(BAY, hands=hands).play("camp B2 from A0 via A1 B1 pay B1 F1 W1 D1")
    assert (over.hand(1), over.discard) == ("W1", "B1 F1 D1")


def test_r13_3_one_card_however_many_spaces() -> None:
    table = lake(BAY, hands={0: "B1 F1 W1 D1"})
    table.play("camp A3 from A0 via A1 B1 A2 pay B1 F1 W1 D1")
    assert table.hand(1) == "W1"


def test_r13_3_the_card_comes_to_the_hand_face_up() -> None:
    table = lake(BAY, hands={0: "B1 F1 W1 D1"}, secret="W1")
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 W1 D1")
    assert table.state.tribes[1].known == ["W1"]


def test_r13_3_with_a_village_of_your_own_it_is_discarded() -> None:
    table = lake(BAY.replace("w1", "w0"), hands={0: "B1 F1 W1 D1"})
    table.play("camp A3 from A0 via A1 A2 pay B1 F1 W1 D1")
    assert (table.hand(1), table.discard) == ("", "B1 F1 W1 D1")


def test_r13_3_without_a_village_it_is_discarded() -> None:
    table = lake(hands={0: "B1 F1 W1 D1"}).play("camp A4 via A1 A2 A3 pay B1 F1 W1 D1")
    assert table.discard == "B1 F1 W1 D1"


def test_r13_3_which_water_card_is_given_is_never_chosen_silently() -> None:
    table = lake(BAY, hands={0: "B1 F1 W1 Z1 D1"})
    assert table.error_of("camp A3 from A0 via A1 A2").code == "ambiguous_command"


# ---- R13.4 -----------------------------------------------------------------------------------


def test_r13_4_a_village_is_adjacent_to_no_lake() -> None:
    assert served(lake("*0 f w0 w d *1").state, 0) == {"water": 0}
    assert served(lake("*0 f0 w0 w d *1").state, 0) == {"forest": 1, "water": 1}
    assert served(lake("*0 d w0 w d w f0 *1").state, 0) == {"forest": 1, "water": 1}


def test_r13_4_the_space_that_was_named_fixes_its_sites() -> None:
    sites = {"pigment": ["A2 A3", "A3 A4"]}
    assert served(lake("*0 f w0 w d *1", sites=sites).state, 0)["pigment"] == 1
    assert served(lake("*0 f w w0 d *1", sites=sites).state, 0)["pigment"] == 2


def test_r13_4_and_its_neighbours_and_groups() -> None:
    assert groups(lake("*0 f0 w0 w d *1").state) == [4, 0]
    assert groups(lake("*0 d f0 w w0 d *1").state) == [0, 0]


def test_r13_4_it_counts_on_the_tribe_board() -> None:
    table = lake(hands={0: "B1 F1 W1"}, placed={0: 1}).play("camp A2 via A1 pay B1 F1 W1")
    assert [placed.asks for placed in table.happened(e.CampPlaced)] == ["story"]
    last = lake(hands={0: "B1 F1 W1"}, placed={0: 7}, active=0, start_seat=1)
    last.play("camp A2 via A1 pay B1 F1 W1")
    assert [ended.reason for ended in last.happened(e.GameEnded)] == ["last_camp"]


def test_r13_4_it_takes_no_berry_of_the_land_beside_it() -> None:
    table = lake("*0 f:2 w d *1", hands={0: "B1 F1 W1"}).play("camp A2 via A1 pay B1 F1 W1")
    assert table.happened(e.BerryTaken) == []


def test_r13_4_a_free_lake_is_a_destination_for_the_end_of_the_game() -> None:
    free = lake("*0 f0 w d1 *1", active=1).play("take 1-2")
    assert free.happened(e.GameEnded) == []
    taken = lake("*0 f0 w0 d1 *1", active=1).play("take 1-2")
    assert [ended.reason for ended in taken.happened(e.GameEnded)] == ["no_destination"]


# ---- R13.5: who is asked ---------------------------------------------------------------------

LAKES = "*0 w0 d w1 f w2 m w1 *1 b *2"
"""Seat 0 has a village, seat 1 two, seat 2 one."""

HANDS = {0: "F1 F2", 1: "M1 M2", 2: "D1 D2"}


def fishing(drawing: str = LAKES, **given: object) -> Table:
    """A table of 3 at which taking 2 cards takes the last card of the small pile."""
    usual = {"seats": 3, "hands": HANDS, "small_pile": "W1 W2"}
    return lake(drawing, **(usual | given))


def asks(table: Table) -> list[int]:
    """Return the seats that the event asked, in order."""
    (event,) = table.happened(e.ScenarioEvent)
    assert event.kind == "lake_villages"
    assert {asked.kind for asked in event.asks} <= {"fish"}
    return [asked.seat for asked in event.asks]


@pytest.mark.parametrize(("active", "order"), [(0, [0, 1, 2]), (1, [1, 2, 0]), (2, [2, 0, 1])])
def test_r13_5_all_who_have_a_village_are_asked_at_once(active: int, order: list[int]) -> None:
    table = fishing(active=active).play("take 1-2")
    assert asks(table) == order
    assert [(question.seat, question.kind) for question in table.state.questions] == [
        (seat, "fish") for seat in order
    ]


def test_r13_5_without_a_village_or_without_a_card_nobody_is_asked() -> None:
    table = fishing("*0 d w1 f w2 m *1 b *2", hands={0: "F1", 1: "", 2: "D1"}).play("take 1-2")
    assert asks(table) == [2]


def test_r13_5_with_nobody_to_ask_the_game_goes_on() -> None:
    table = fishing("*0 d w f w m *1 b *2").play("take 1-2")
    assert asks(table) == []
    assert table.happened(e.FishResolved) == []
    assert table.happened(e.SmallPileMade)
    assert table.asked == 1


def test_r13_5_without_fish_nobody_is_asked() -> None:
    table = fishing(stock=0).play("take 1-2")
    assert asks(table) == []
    assert table.asked == 1


def test_r13_5_who_is_not_asked_has_no_say() -> None:
    table = fishing("*0 d w1 f w2 m *1 b *2").play("take 1-2")
    assert legal(mask(table.state, 0), 0) == []
    with pytest.raises(Exception, match="not asked"):
        submit(table.state, 0, [c.Fish(card=None)], table.chance)


# ---- R13.5: what is answered -----------------------------------------------------------------


def test_r13_5_any_one_card_of_the_hand_or_none() -> None:
    table = fishing(active=2).play("take 1-2").play("fish D1")
    assert table.asked == 0
    assert table.legal == [c.Fish(card="F1"), c.Fish(card="F2"), c.Fish(card=None)]
    for card in ("M1", "B5", "W1", "T99"):
        table.refuses(c.Fish(card=card), rule="R13.5")
    for line in ("take 1-2", "water A1", "tuck F1", "pass"):
        table.refuses(line, rule="R13.5")


def test_r13_5_who_discards_gets_1_fish_for_each_village() -> None:
    table = fishing().play("take 1-2").play("fish F1").play("fish M2").play("fish D1")
    assert table.happened(e.FishResolved) == [
        e.FishResolved(
            answers=(
                e.FishAnswer(seat=0, card="F1", fish=1),
                e.FishAnswer(seat=1, card="M2", fish=2),
                e.FishAnswer(seat=2, card="D1", fish=1),
            )
        )
    ]
    assert [tribe.fish for tribe in table.state.tribes] == [1, 2, 1]
    assert (table.state.stock, table.discard) == (16, "F1 M2 D1")
    assert (table.hand(1), table.hand(2)) == ("M1", "D2")


def test_r13_5_who_declines_keeps_everything() -> None:
    table = fishing().play("take 1-2").play("fish nothing").play("fish M1").play("fish nothing")
    assert [tribe.fish for tribe in table.state.tribes] == [0, 2, 0]
    assert table.discard == "M1"


def test_r13_5_all_may_decline() -> None:
    table = fishing().play("take 1-2")
    for _ in range(3):
        table.play("fish nothing")
    (resolved,) = table.happened(e.FishResolved)
    assert [(answer.card, answer.fish) for answer in resolved.answers] == [(None, 0)] * 3
    assert (table.state.stock, table.discard, table.asked) == (20, "", 1)


def test_r13_5_then_the_event_is_over() -> None:
    table = fishing(small_pile="W1").play("take 5-6").play("fish F1").play("fish M1")
    assert table.row == "B5 B6 M5 M6 - W1"
    table.play("fish D1")
    assert [type(event) for event in table.events] == [
        e.FishResolved,
        e.SmallPileMade,
        e.RowFilled,
        e.TurnEnded,
    ]
    assert "-" not in table.row


def test_r13_5_the_discards_lie_there_when_the_new_pile_is_made() -> None:
    table = fishing(pile="", discard="").play("take 1-2").play("fish F1").play("fish M1")
    table.play("fish D1")
    assert sorted(table.state.small_pile or ()) == ["D1", "F1", "M1"]


# ---- R13.5: sealed ---------------------------------------------------------------------------


def test_r13_5_an_answer_is_sealed_until_all_are_in() -> None:
    table = fishing().play("take 1-2")
    before = table.state
    for line in ("fish F1", "fish nothing"):
        table.play(line)
        assert (table.events, table.outcome.events, table.outcome.commands) == ((), (), ())
        assert isinstance(table.outcome.sealed, c.Fish)
        assert replace(table.state, version=before.version) == before
        for viewer in (0, 1, 2, None):
            assert view_for(table.state, viewer) == view_for(before, viewer)
    assert table.play("fish D1").happened(e.FishResolved)


def test_r13_5_they_may_come_in_any_order_and_are_resolved_in_turn_order() -> None:
    orders = [(0, 1, 2), (2, 1, 0), (1, 2, 0)]
    lines = {0: "fish F1", 1: "fish M1", 2: "fish D1"}
    ends = []
    for order in orders:
        table = fishing(stock=2, active=1, start_seat=1).play("take 1-2")
        for seat in order:
            table.play(c.Fish(card=lines[seat].split()[1]), seat=seat)
        ends.append((table.events, table.state.tribes))
    assert ends[0] == ends[1] == ends[2]
    (resolved,) = [event for event in ends[0][0] if isinstance(event, e.FishResolved)]
    assert [(answer.seat, answer.fish) for answer in resolved.answers] == [(1, 2), (2, 0), (0, 0)]


def test_r13_5_too_few_fish_are_given_as_far_as_they_go() -> None:
    table = fishing(stock=2).play("take 1-2").play("fish F1").play("fish M1").play("fish D1")
    (resolved,) = table.happened(e.FishResolved)
    assert [answer.fish for answer in resolved.answers] == [1, 1, 0]
    assert table.state.stock == 0


def test_r13_5_with_none_left_you_keep_your_card_unshown() -> None:
    table = fishing(stock=1, secret="D1 D2").play("take 1-2")
    table.play("fish F1").play("fish M1").play("fish D1")
    (resolved,) = table.happened(e.FishResolved)
    assert [(answer.card, answer.fish) for answer in resolved.answers] == [
        ("F1", 1),
        (None, 0),
        (None, 0),
    ]
    assert (table.hand(1), table.hand(2), table.discard) == ("M1 M2", "D1 D2", "F1")
    assert table.state.tribes[2].secret == {"D1", "D2"}
    assert view_for(table.state, 0)["tribes"][2]["hand"] == {"cards": [], "unknown": 2}


def test_r13_5_who_declines_leaves_the_fish_to_the_next() -> None:
    table = fishing(stock=1).play("take 1-2").play("fish nothing").play("fish M1").play("fish D1")
    assert [tribe.fish for tribe in table.state.tribes] == [0, 1, 0]


def test_r13_5_a_known_identical_card_is_discarded_first() -> None:
    """R7.2 for a sealed answer."""
    table = fishing(hands={0: "F1", 1: "M1 M2", 2: "D1"}, secret="M1").play("take 1-2")
    table.play("fish F1").play("fish M1")
    assert table.outcome.sealed == c.Fish(card="M2")
    table.play("fish D1")
    assert (table.hand(1), table.state.tribes[1].secret) == ("M1", {"M1"})


def test_r13_5_everyone_may_learn_from_what_is_resolved() -> None:
    table = fishing().play("take 1-2").play("fish F1").play("fish M1")
    before = table.state
    (resolved,) = table.play("fish D1").happened(e.FishResolved)
    assert learners(before, resolved) == {0, 1, 2}
    assert table.state.undoable is None


@pytest.mark.parametrize("viewer", [0, 2, None])
def test_r13_5_nobody_else_ever_sees_the_command(viewer: int | None) -> None:
    assert redact_command(c.Fish(card="M1"), 1, viewer) == c.Fish(card=None)
    assert redact_command(c.Fish(card=None), 1, viewer) == c.Fish(card=None)
    assert redact_command(c.Fish(card="M1"), 1, 1) == c.Fish(card="M1")


def test_r13_5_other_commands_are_shown() -> None:
    for command in (c.Take(places=(1, 2)), c.Tuck(card="M1", side=0), c.Story(place="pile")):
        assert redact_command(command, 1, 0) == command


# ---- R13.5: in one submission ----------------------------------------------------------------


def test_r13_5_the_active_seat_may_answer_with_its_turn() -> None:
    table = fishing()
    outcome = submit(table.state, 0, table.commands("take 1-2, fish B5"), table.chance)
    assert [type(command) for command in outcome.commands] == [c.Take]
    assert (outcome.sealed, outcome.unapplied) == (c.Fish(card="B5"), ())
    assert isinstance(outcome.events[-1], e.ScenarioEvent)


@pytest.mark.parametrize("line", ["take 1-2, fish M1", "take 1-2, fish M5"])
def test_r13_5_a_wrong_guess_comes_back(line: str) -> None:
    table = fishing()
    outcome = submit(table.state, 0, table.commands(line), table.chance)
    assert outcome.sealed is None
    assert [type(command) for command in outcome.unapplied] == [c.Fish]


def test_r13_5_nothing_follows_a_sealed_answer() -> None:
    table = fishing()
    line = "take 1-2, fish F1, fish F2"
    outcome = submit(table.state, 0, table.commands(line), table.chance)
    assert outcome.sealed == c.Fish(card="F1")
    assert outcome.unapplied == (c.Fish(card="F2"),)
    table.play("take 1-2")
    with pytest.raises(IllegalMove):
        submit(table.state, 1, [c.Fish(card="M1"), c.Fish(card="M2")], table.chance)


def test_r13_5_a_whole_game_with_sealed_answers_is_stored_and_verified() -> None:
    for number in range(20):
        game = Game(3, number, scenario="lake_villages").play([anything, spender, anything])
        answers = [event for event in game.events() if isinstance(event, e.FishResolved)]
        if any(len(event.answers) > 1 for event in answers):
            break
    assert any(len(event.answers) > 1 for event in answers)
    rows = [move for move in game.moves if any(one["type"] == "fish" for one in move["commands"])]
    assert len(rows) == sum(len(event.answers) for event in answers)
    assert codec.canonical(game.refolded.tribes) == codec.canonical(game.state.tribes)
    assert (verify(game.export()).problems, verify(game.export()).notes) == ((), ())


# ---- R13.6 -----------------------------------------------------------------------------------

MOST = "most camps at water areas"
PIGMENTS = "pairs of berry and pigment"


def test_r13_6_6_for_most_camps_at_a_water_area() -> None:
    assert lake("*0 d f0 w f1 d *1\n  b b f0").points(MOST) == [6, 0]


def test_r13_6_3_each_on_a_tie() -> None:
    tied = lake("*0 d f0 w f1 d *1 b *2", seats=3)
    assert tied.points(MOST) == [3, 3, 0]


def test_r13_6_nobody_with_0() -> None:
    assert lake("*0 d f w f d *1").points(MOST) == [0, 0]


def test_r13_6_each_water_area_by_itself() -> None:
    assert lake("*0 d f0 w f0 w d m1 w d *1").points(MOST) == [12, 6]


def test_r13_6_a_lake_with_a_village_counts_and_the_village_does_not() -> None:
    assert lake("*0 f w0 f1 d *1").points(MOST) == [0, 6]
    assert lake("*0 f0 w1 d f *1").points(MOST) == [6, 0]
    assert lake("*0 f w0 w f1 d *1").points(MOST) == [0, 6]
    assert lake("*0 d f w0 w f d *1").points(MOST) == [0, 0]


def test_r13_6_starting_camps_are_camps_here() -> None:
    assert lake("*0 w d f *1").points(MOST) == [6, 0]


@pytest.mark.parametrize(("tucked", "points"), [("E1 E2 E3", 6), ("E1", 3), ("", 0)])
def test_r13_6_3_for_each_pair_of_a_berry_and_a_pigment(tucked: str, points: int) -> None:
    sites = {"pigment": ["A1 A2", "A2 A3"], "artefact": ["A1 A2"]}
    table = lake("*0 f d0 w m *1", tucked={0: tucked}, sites=sites)
    assert table.points(PIGMENTS) == [points, 0]


def test_r13_6_sites_beside_a_village_make_pairs() -> None:
    table = lake("*0 f w0 d *1", tucked={0: "E1"}, sites={"pigment": ["A1 A2"]})
    assert table.points(PIGMENTS) == [3, 0]


def test_r13_6_3_for_each_fish() -> None:
    table = fishing().play("take 1-2").play("fish F1").play("fish M1").play("fish nothing")
    assert table.points("fish") == [3, 6, 0]
    fish = [tribe["fish"] for tribe in view_for(table.state, None)["tribes"]]
    assert (fish, view_for(table.state, None)["stock"]) == ([1, 2, 0], 17)
