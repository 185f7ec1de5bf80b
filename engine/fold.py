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
    """Return the rows without those that were taken back; the undo itself stays."""
    kept: list[Row] = []
    for row in rows:
        if row.events and isinstance(undone := row.events[0], e.Undone):
            kept = [r for r in kept if not undone.from_ <= r.number <= undone.to]
        kept.append(row)
    return kept


def advance(state: State, row: Row) -> State:
    """Return the state after one more row; one that takes moves back needs ``fold`` instead."""
    if is_undo(row):
        # Another seat has acted since the move that could be taken back before.
        kept = state.undoable if state.undoable and state.undoable.seat == row.seat else None
        return replace(state, version=row.number, since=row.number, undoable=kept)
    silent = row.actor == PLAYER
    for event in row.events:
        silent = silent and not learners(state, event)
        state = evolve(state, event)
    if row.seat is None or not row.events:  # the operator's hand, or a sealed answer of several
        return replace(state, version=row.number)
    undoable = Undoable(row.seat, row.number) if silent else None
    return replace(state, version=row.number, since=row.number, undoable=undoable)


def is_undo(row: Row) -> bool:
    """Tell whether a row takes moves back."""
    return bool(row.events) and isinstance(row.events[0], e.Undone)
