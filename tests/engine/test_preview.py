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
from engine.views import mask
from tests.engine.positions import Position, positions, repeatable
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
    c.Camp(route=("A0", "A0"), payment=()),
    c.Camp(route=("A0", "Z9"), payment=()),
]


@given(positions(), st.data())
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
