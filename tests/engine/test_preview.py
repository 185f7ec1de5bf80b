"""Previews: what really happens, as far as the seat can know, and no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.decide import submit
from engine.errors import GameError, NotYourDecision
from engine.legal import legal
from engine.preview import foresee
from engine.scenarios.downpour import DOWNPOUR
from engine.scenarios.lake_villages import LAKE_VILLAGES
from engine.views import mask
from tests.engine.positions import Position, all_positions, repeatable
from tests.engine.table import Table, camp

LINE = "*0  f:1  d  m  *1"


def test_a_camp_is_foreseen_with_its_berry_and_what_it_asks() -> None:
    table = Table(LINE, hands={0: "B1 F1"}, placed={0: 1})

    foreseen = foresee(table.state, 0, camp(table, "A0 A1", "B1 F1"))

    placed, berry = foreseen.events
    assert isinstance(placed, e.CampPlaced)
    assert placed.asks == "story"
    assert isinstance(berry, e.BerryTaken)
    assert foreseen.after.tribes[0].hand == ()
    assert foreseen.after.tribes[0].berries == 1


def test_cards_are_taken_and_what_fills_the_row_is_not_known() -> None:
    table = Table(LINE)

    foreseen = foresee(mask(table.state, 0), 0, c.Take(places=(3, 4)))

    assert [type(event) for event in foreseen.events] == [e.CardsTaken]
    assert foreseen.after.row[2:4] == (None, None)


def test_what_is_paid_is_the_card_that_really_leaves() -> None:
    """R7.2: the known copy, as when the move is played."""
    table = Table("*0 f f0 m *1", hands={0: "F1 F2 M1"}, secret="F1")
    command = camp(table, "A2 A3", "F1 M1")
    placed = foresee(mask(table.state, 0), 0, command).events[0]
    assert isinstance(placed, e.CampPlaced)
    assert [paid.card for paid in placed.payment] == ["F2", "M1"]
    assert table.play(command).happened(e.CampPlaced) == [placed]


def test_rain_is_foreseen_with_what_becomes_of_the_berries() -> None:
    drawing = "*0 f f:2 f *1\n  b w m b"
    table = Table(drawing, scenario=DOWNPOUR, small_pile="W1 W2").play("take 1-2")
    foreseen = foresee(mask(table.state, 0), 0, c.Water(space="A2"))
    assert [type(event) for event in foreseen.events] == [e.WaterPlaced, e.BerriesMoved]
    assert foreseen.after.stock == 7


def test_a_sealed_answer_leads_to_nothing_yet() -> None:
    drawing = "*0 w0 f w1 *1"
    table = Table(drawing, scenario=LAKE_VILLAGES, hands={1: "F1"}, small_pile="W1 W2")
    table.play("take 1-2")
    assert foresee(mask(table.state, 1), 1, c.Fish(card="F1")).events == ()


def test_a_shuffle_is_not_foreseen() -> None:
    table = Table(LINE, pile="", discard="F1 F2 F3")

    foreseen = foresee(mask(table.state, 0), 0, c.Take(places=(3, 4)))

    assert [type(event) for event in foreseen.events] == [e.CardsTaken]


def test_of_the_pile_of_story_tiles_nothing_is_known() -> None:
    table = Table(LINE, asks="story", placed={0: 2})

    assert foresee(mask(table.state, 0), 0, c.Story(place=c.PILE)).events == ()


def test_who_is_not_asked_can_foresee_nothing() -> None:
    with pytest.raises(NotYourDecision):
        foresee(Table(LINE).state, 1, c.Take(places=(1, 2)))


ODD = [
    c.Take(places=(1, 3)),
    c.Take(places=(0, 9)),
    c.Pass(),
    c.Undo(),
    c.Story(place=9),
    c.Tuck(card="nothing"),
    c.Water(space="X0"),
    c.Lava(space="A0"),
    c.Share(shares=()),
    c.Fish(card="nothing"),
    c.Camp(route=("A0", "A0"), payment=()),
    c.Camp(route=("A0", "Z9"), payment=()),
]


@given(all_positions(), st.data())
@repeatable(150)
def test_a_preview_is_the_beginning_of_what_happens(
    position: Position, data: st.DataObject
) -> None:
    seen = mask(position.state, position.asked)
    legal_now = [entry.command for entry in legal(seen, position.asked)]
    command = data.draw(st.sampled_from([*legal_now, *ODD]))

    happened = outcome(
        lambda: submit(position.state, position.asked, [command], position.chance).events
    )
    foreseen = outcome(lambda: foresee(seen, position.asked, command).events)

    assert foreseen == happened[: len(foreseen)]
    if isinstance(happened, str):
        assert foreseen == happened


def outcome(attempt: Callable[[], Sequence[e.Event]]) -> Sequence[object]:
    """Return the kinds of event an attempt leads to, or the words of its refusal."""
    try:
        return [type(event) for event in attempt()]
    except GameError as error:
        return error.detail
