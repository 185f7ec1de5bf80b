"""The fold: rows of the move log in, state out.

A row whose move was taken back stays in the log; the fold leaves it out.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.components import ComponentSet
from engine.evolve import evolve, set_up
from engine.scenario import Scenario
from engine.state import State, Undoable
from engine.views import learners

PLAYER = "player"


class Row(msgspec.Struct, frozen=True):
    """What the fold needs of a row of the move log: see ``codec.LogRow`` for the whole row."""

    number: int
    seat: int | None
    actor: str
    events: tuple[e.Event, ...]


def fold(rows: Iterable[Row], components: ComponentSet, scenario: Scenario) -> State:
    """Rebuild the state of a game from its rows, the set-up first."""
    first, *rest = still_counting(rows)
    opening = first.events[0]
    assert isinstance(opening, e.GameSetUp), "move 1 is the set-up"
    state = replace(set_up(components, scenario, opening), version=first.number, since=first.number)
    for row in rest:
        state = advance(state, row)
    return state


def still_counting(rows: Iterable[Row]) -> list[Row]:
    """Return the rows without those that were taken back; the undo itself stays.

    So do rows of the table between them: only what was played for a seat is taken back.
    """
    kept: list[Row] = []
    for row in rows:
        if row.events and isinstance(undone := row.events[0], e.Undone):
            kept = [r for r in kept if r.seat is None or not undone.from_ <= r.number <= undone.to]
        kept.append(row)
    return kept


def advance(state: State, row: Row) -> State:
    """Return the state after one more row; one that takes moves back needs ``fold`` instead."""
    if is_undo(row):
        return replace(
            state,
            version=row.number,
            since=row.number,
            undoable=_undoable_after(state, row),
        )
    after, told = _played(state, row)
    if row.seat is None or not row.events:  # a row of the table, or a sealed answer of several
        return replace(after, version=row.number)
    # Every event that puts a question makes a new tuple, even if the question is the same again.
    # A forfeit in somebody else's turn puts none.
    asked = after.questions is not state.questions
    free = asked and not told and row.actor == PLAYER and after.out == state.out
    return replace(
        after,
        version=row.number,
        since=row.number if asked else state.since,
        undoable=Undoable(row.seat, row.number) if free else None,
    )


def _undoable_after(state: State, undo: Row) -> Undoable | None:
    """Return the move that can be taken back freely after an undo.

    Not another seat's, which has acted since; none if seats had to agree, for so did they all.
    """
    undone, left = undo.events[0], state.undoable
    assert isinstance(undone, e.Undone), "the row takes moves back"
    return left if left and left.seat == undo.seat and not undone.agreed else None


def _played(state: State, row: Row) -> tuple[State, bool]:
    """Return the state after a row's events, and whether they told somebody something hidden."""
    told = False
    for event in row.events:
        told = told or bool(learners(state, event))
        state = evolve(state, event)
    return state, told


def anything_learnt(
    rows: Iterable[Row], components: ComponentSet, scenario: Scenario, after: int
) -> bool:
    """Tell whether the rows after a number that still count told anybody something hidden.

    The end of a game tells everything.
    """
    counting = still_counting(rows)
    state = fold([row for row in counting if row.number <= after], components, scenario)
    for row in counting:
        if row.number > after:
            state, told = _played(state, row)
            if told or state.over:
                return True
    return False


def is_undo(row: Row) -> bool:
    """Tell whether a row takes moves back."""
    return bool(row.events) and isinstance(row.events[0], e.Undone)
