"""What leaves a game: nothing a reader may not know, and nothing that depends on it."""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import bots, codec
from engine import commands as c
from engine import events as e
from engine.chance import Chance
from engine.commands import Command
from engine.decide import submit
from engine.errors import GameError
from engine.evolve import evolve
from engine.legal import legal, routes_to
from engine.state import State
from engine.views import Viewer, learners, mask, redact, view_for
from tests.engine.game import Dice, Game
from tests.engine.positions import (
    Position,
    all_positions,
    games,
    games_of_all_scenarios,
    repeatable,
)
from tests.engine.table import Table

VIEWERS = st.sampled_from([None, 0, 1])
HIDEABLE = {"hands", "pile", "stories", "small_pile", "supply", "card", "cards", "order"}
LINE = "*0  f  d  m  *1"


def hidden_cards(state: State, viewer: Viewer) -> list[str]:
    """Return the cards whose place this viewer may not know: the pile, and others' secrets."""
    secrets = [
        card
        for seat, tribe in enumerate(state.tribes)
        if seat != viewer
        for card in sorted(tribe.secret)
    ]
    return [*state.pile, *(state.small_pile or ()), *(state.supply or ()), *secrets]


def dealt_again(state: State, viewer: Viewer, dice: Dice) -> State:
    """Return a state that differs only in what the viewer may not know."""
    hidden = hidden_cards(state, viewer)
    exchanged = dict(zip(hidden, dice.shuffled(hidden), strict=True))
    pile, small_pile, supply = (
        None if cards is None else tuple(exchanged[card] for card in cards)
        for cards in (state.pile, state.small_pile, state.supply)
    )
    return replace(
        state,
        pile=pile or (),
        small_pile=small_pile,
        supply=supply,
        story_pile=tuple(dice.shuffled(state.story_pile)),
        tribes=tuple(
            replace(
                tribe,
                hand=tuple(exchanged.get(card, card) for card in tribe.hand),
                secret=frozenset(exchanged.get(card, card) for card in tribe.secret),
            )
            for tribe in state.tribes
        ),
    )


class Twin(msgspec.Struct, frozen=True):
    """A position, somebody who looks at it, and another state that looks the same to them."""

    position: Position
    viewer: Viewer
    other: State


@st.composite
def twins(draw: st.DrawFn) -> Twin:
    """The viewer is any seat, or a spectator."""
    position = draw(all_positions())
    return _twin(position, draw(st.sampled_from([None, *position.state.seats])))


@st.composite
def twins_of_the_asked(draw: st.DrawFn) -> Twin:
    """The viewer is the seat that is asked."""
    position = draw(all_positions())
    return _twin(position, position.asked)


def _twin(position: Position, viewer: Viewer) -> Twin:
    other = dealt_again(position.state, viewer, Dice("twin", position.game.name, position.rows))
    assume(other != position.state)
    return Twin(position, viewer, other)


# ---- Masks hide ------------------------------------------------------------------------------


@given(all_positions(), VIEWERS)
@repeatable(80)
def test_no_hidden_card_or_story_tile_is_in_a_view(position: Position, viewer: Viewer) -> None:
    state = position.state
    hidden = {*hidden_cards(state, viewer), *state.story_pile}
    served = json.dumps([view_for(state, viewer), repr(mask(state, viewer).tribes)])
    assert not [name for name in hidden if name in served]


@given(all_positions(), VIEWERS)
@repeatable(40)
def test_a_view_is_plain_data_and_says_all_that_is_public(
    position: Position, viewer: Viewer
) -> None:
    state, view = position.state, view_for(position.state, viewer)
    assert codec.canonical(json.loads(codec.canonical(view))) == codec.canonical(view)
    assert view["row"] == list(state.row)
    assert view["discard"] == list(state.discard)
    for tribe, shown in zip(state.tribes, view["tribes"], strict=True):
        hand = shown["hand"]
        assert len(hand["cards"]) + hand["unknown"] == len(tribe.hand)
        assert set(tribe.known) <= set(hand["cards"])
        assert shown["camps_left"] == tribe.camps_left


def test_a_view_has_the_documented_fields() -> None:
    view = view_for(Table("*0 f:2 d1 m *1", sites={"pigment": ["A1 A2"]}).state, 0)
    assert set(view) >= {
        "round", "start_seat", "spaces", "sites", "row", "pile", "discard", "stories", "tribes",
        "small_pile", "supply", "stock", "teams",
    }  # fmt: skip
    assert view["spaces"][1] == {
        "space": "A1",
        "q": 1,
        "r": 0,
        "tile": "A",
        "terrain": "forest",
        "berries": 2,
        "camp": None,
    }
    assert view["spaces"][2]["camp"] == {"seat": 1, "starting": False}
    assert view["sites"] == [{"kind": "pigment", "spaces": ["A1", "A2"]}]
    assert set(view["tribes"][0]) == {
        "seat", "out", "camps_left", "berries", "fish", "hand", "stories", "tucked",
    }  # fmt: skip


@given(games | games_of_all_scenarios, VIEWERS)
@repeatable(20)
def test_redacted_events_hide_values_and_keep_keys(game: Game, viewer: Viewer) -> None:
    for event in game.events():
        full, shown = msgspec.to_builtins(event), msgspec.to_builtins(redact(event, viewer))
        assert set(full) == set(shown)
        for key, value in full.items():
            assert shown[key] == value or key in HIDEABLE


@pytest.mark.parametrize("viewer", [0, 1, 2, None])
def test_a_redacted_set_up_shows_one_hand_and_no_pile(viewer: Viewer) -> None:
    event = Game(3).rows[0].events[0]
    assert isinstance(event, e.GameSetUp)
    shown = redact(event, viewer)
    assert shown == replace(
        event,
        hands=tuple(hand if seat == viewer else None for seat, hand in enumerate(event.hands)),
        pile=None,
        stories=replace(event.stories, pile=None),
    )


def test_a_redacted_reward_is_shown_to_its_owner() -> None:
    event = e.RewardDrawn(seat=1, card="T05")
    assert redact(event, 1) == event
    assert redact(event, 0) == redact(event, None) == e.RewardDrawn(seat=1, card=None)


def test_the_order_of_a_shuffle_is_shown_to_nobody() -> None:
    event = e.PileShuffled(pile="draw", order=("T05", "T06"))
    for viewer in (0, 1, None):
        assert redact(event, viewer) == e.PileShuffled(pile="draw", order=None)


# ---- Non-interference: what a reader may not know changes nothing that they get ---------------


@given(twins())
@repeatable(60)
def test_views_do_not_depend_on_what_is_hidden(twin: Twin) -> None:
    state, other = twin.position.state, twin.other
    assert mask(state, twin.viewer) == mask(other, twin.viewer)
    assert codec.canonical(view_for(state, twin.viewer)) == codec.canonical(
        view_for(other, twin.viewer)
    )


@given(twins_of_the_asked())
@repeatable(40)
def test_legal_answers_routes_and_bots_do_not_depend_on_what_is_hidden(twin: Twin) -> None:
    seat = twin.position.asked
    seen, other = mask(twin.position.state, seat), mask(twin.other, seat)
    assert legal(seen, seat) == legal(other, seat)
    assert bots.choose(seen, seat) == bots.choose(other, seat)
    for space in seen.board.names[::5]:
        assert routes_to(seen, seat, space) == routes_to(other, seat, space)


def refusal(state: State, seat: int, commands: Sequence[Command], chance: Chance) -> object:
    """Return everything a refusal says, None if there is none."""
    try:
        submit(state, seat, commands, chance)
    except GameError as error:
        rule, index = getattr(error, "rule", None), getattr(error, "command_index", None)
        return type(error), error.code, error.detail, rule, index
    return None


def probes(state: State, seat: int) -> list[list[Command]]:
    """Return submissions that try to find out where cards are."""
    answers = [entry.command for entry in legal(mask(state, seat), seat)]
    camps = [answer for answer in answers if isinstance(answer, c.Camp)][:2]
    cards = list(state.components.cards)
    return [
        *([c.Tuck(card=card)] for card in cards),
        *(
            [replace(camp, payment=(replace(camp.payment[0], card=card), *camp.payment[1:]))]
            for camp in camps
            for card in cards
        ),
        *([answer, c.Tuck(card=card)] for answer in camps for card in cards[::7]),
        *([c.Take(places=(place, place + 2))] for place in range(8)),
        *([c.Story(place=place)] for place in (0, 1, 6)),
    ]


@given(twins_of_the_asked())
@repeatable(30)
def test_refusals_do_not_depend_on_what_is_hidden(twin: Twin) -> None:
    state, seat, chance = twin.position.state, twin.position.asked, twin.position.chance
    for commands in probes(state, seat):
        expected = refusal(state, seat, commands, chance)
        assert refusal(twin.other, seat, commands, chance) == expected


def shown_until_learnt(
    state: State, commands: Sequence[Command], twin: Twin
) -> tuple[list[e.Event], bool]:
    """Return what the viewer is shown of a submission, up to what it tells them, and if it does."""
    shown: list[e.Event] = []
    seats = set(state.seats)
    outcome = submit(state, state.questions[0].seat, commands, twin.position.chance)
    for event in outcome.events:
        learning = learners(state, event)
        if twin.viewer in learning or (twin.viewer is None and learning == seats):
            return shown, True
        shown.append(redact(event, twin.viewer))
        state = evolve(state, event)
    return shown, False


def names_a_secret(state: State, command: Command) -> bool:
    return any(card in repr(command) for tribe in state.tribes for card in tribe.secret)


@given(twins(), st.data())
@repeatable(80)
def test_what_is_shown_of_a_move_does_not_depend_on_what_is_hidden(
    twin: Twin, data: st.DataObject
) -> None:
    """Until something is turned up, and as far as the move itself names no secret card."""
    state, seat = twin.position.state, twin.position.asked
    offered = [entry.command for entry in legal(mask(twin.other, seat), seat)]
    both = [
        entry.command
        for entry in legal(mask(state, seat), seat)
        if entry.command in offered
        and (seat == twin.viewer or not names_a_secret(state, entry.command))
        and (seat == twin.viewer or not names_a_secret(twin.other, entry.command))
    ]
    assume(both)
    commands = [data.draw(st.sampled_from(both))]
    expected = shown_until_learnt(state, commands, twin)
    assert shown_until_learnt(twin.other, commands, twin) == expected


# ---- Who learns from what --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "kind", "seats"),
    [
        ("take 1-2", e.RowFilled, {0, 1}),
        ("take 1-2", e.CardsTaken, set()),
        ("camp A1 from A0 pay F1 F2", e.CampPlaced, {1}),
        ("camp A1 from A0 pay F3 F4", e.CampPlaced, set()),
        ("camp A1 from A0 pay F3 F4", e.RewardDrawn, {0}),
    ],
)
def test_who_learns_something_hidden(line: str, kind: type[e.Event], seats: set[int]) -> None:
    hands = {0: "F1 F2 F3 F4"}
    table = Table(LINE, hands=hands, secret="F1 F2", stories={0: ["1 forest"]})
    if "F1" in line:  # without known copies, which would leave first
        table = Table(LINE, hands={0: "F1 F2"}, secret="F1 F2", stories={0: ["1 forest"]})
    before = table.state
    table.play(line)
    assert learners(before, table.happened(kind)[0]) == seats


def test_everyone_learns_from_a_story_tile_that_is_turned_up() -> None:
    before = Table(LINE, asks="story", placed={0: 2}).state
    from_pile = Table(LINE, asks="story", placed={0: 2}).play("story pile")
    from_row = Table(LINE, asks="story", placed={0: 2}).play("story 1")
    assert learners(before, from_pile.happened(e.StoryTaken)[0]) == {0, 1}
    assert learners(before, from_row.happened(e.StoryTaken)[0]) == set()
    assert learners(before, from_row.happened(e.StoryRowFilled)[0]) == {0, 1}


@pytest.mark.parametrize("hand", ["M1 M2", "D1 D2"], ids=["can place", "passes"])
def test_whether_a_seat_must_pass_is_learnt(hand: str) -> None:
    """The row is empty: the next seat passes, or not, and either tells of its secret cards."""
    table = Table(LINE, row="- - - - - B1", pile="", hands={0: "F1 F2", 1: hand}, secret=hand)
    assert table.play("take 6").state.undoable is None
