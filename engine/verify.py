"""Checking an open export: that nothing was re-dealt, changed, cut out or miscounted.

``verify`` needs only the file (docs/export.md). Hashes, chance, fold and score must hold
for ever; a move that today's rules would refuse is a note, not a problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from engine import codec
from engine import events as e
from engine.chance import Chance, commitment
from engine.codec import Header, LogRow
from engine.components import ComponentError, ComponentSet, parse
from engine.decide import submit
from engine.errors import GameError
from engine.evolve import evolve, set_up
from engine.fold import Row, advance, fold, is_undo, still_counting
from engine.scoring import final_scores, winners
from engine.setup import set_up as deal
from engine.state import State


class Report(msgspec.Struct, frozen=True):
    """What a check found. ``problems`` are failures, ``notes`` are not. ``head`` is ``N:hash``."""

    game: str
    moves: int
    head: str
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Tell whether everything that must hold for ever holds."""
        return not self.problems


def verify(export: Mapping[str, Any], head: str | None = None) -> Report:
    """Check an open export; ``head`` is a ``number:hash`` that some mail has printed."""
    moves = export["moves"]
    problems = list(_problems(export))
    if head is not None and head not in {f"{m['number']}:{m['hash']}" for m in moves}:
        problems.append(f"the log has no move {head}: it was changed or cut")
    notes = [] if problems else list(_notes(export))
    last = f"{moves[-1]['number']}:{moves[-1]['hash']}" if moves else ""
    return Report(export["game"], len(moves), last, tuple(problems), tuple(notes))


def _problems(export: Mapping[str, Any]) -> Iterator[str]:
    if export["view"] != "open":
        yield "the export is one seat's view: it can be checked when the game is over"
        return
    try:
        components = parse(export["component_set"]["data"])
    except ComponentError as error:
        yield f"component set: {error}"
        return
    if components.digest != export["component_set"]["digest"]:
        yield "the component set does not have the digest that is given"
    if commitment(export["game"], bytes.fromhex(export["seed"])) != export["commitment"]:
        yield "the seed is not the one that was committed to"
    yield from _chain_problems(export)
    yield from _chance_problems(export, components)
    yield from _result_problems(export, components)


def header_of(export: Mapping[str, Any]) -> Header:
    """Return the header whose hash the first row follows."""
    return Header(
        game=export["game"],
        ruleset=export["ruleset"],
        component_set=export["component_set"]["digest"],
        layout=export["layout"],
        scenario=export["scenario"],
        seats=tuple(export["seats"]),
        commitment=export["commitment"],
        contributions=tuple(export["contributions"]),
    )


def _chain_problems(export: Mapping[str, Any]) -> Iterator[str]:
    previous = header_of(export).digest
    for number, move in enumerate(export["moves"], 1):
        row = LogRow(
            number=move["number"],
            seat=move["seat"],
            actor=move["actor"],
            decision=move["decision"],
            commands=msgspec.Raw(codec.canonical(move["commands"])),
            events=msgspec.Raw(codec.canonical(move["events"])),
            at=move["at"],
        )
        digest = row.digest(previous, bytes.fromhex(move["nonce"]))
        if move["number"] != number:
            yield f"move {number} is missing"
        if move["prev_hash"] != previous.hex() or move["hash"] != digest.hex():
            yield f"the hash chain breaks at move {number}"
            return
        previous = digest


def _rows(export: Mapping[str, Any]) -> list[Row]:
    return [
        Row(
            move["number"],
            move["seat"],
            move["actor"],
            codec.decode_events(codec.canonical(move["events"])),
        )
        for move in export["moves"]
    ]


def _chance(export: Mapping[str, Any]) -> Chance:
    given = [c and bytes.fromhex(c) for c in export["contributions"]]
    return Chance(bytes.fromhex(export["seed"]), [c or None for c in given])


def _chance_problems(export: Mapping[str, Any], components: ComponentSet) -> Iterator[str]:
    chance = _chance(export)
    for state, row, event in _history(_rows(export), components):
        if isinstance(event, e.GameSetUp):
            if event != deal(components, len(export["seats"]), chance):
                yield "the set-up is not what the seed deals"
        elif isinstance(event, e.PileShuffled):
            assert state is not None
            if event.order != chance.shuffle(state.chance_uses, state.discard):
                yield f"the shuffle in move {row.number} is not what the seed gives"


def _history(
    rows: list[Row], components: ComponentSet
) -> Iterator[tuple[State | None, Row, e.Event]]:
    """Yield every event that counts, with its row and the state before it."""
    state: State | None = None
    for row in still_counting(rows):
        for event in row.events:
            yield state, row, event
            if isinstance(event, e.GameSetUp):
                state = set_up(components, event)
            else:
                assert state is not None, "move 1 is the set-up"
                state = evolve(state, event)


def _result_problems(export: Mapping[str, Any], components: ComponentSet) -> Iterator[str]:
    rows = _rows(export)
    if not rows:
        return
    state = fold(rows, components)
    if state.ended:
        scores = final_scores(state)
        if state.ended.scores != scores or state.ended.winners != winners(scores):
            yield "the recorded score is not what the map and the tribe boards give"
    if codec.canonical(export["result"]) != codec.canonical(result_of(state)):
        yield "the result is not the one in the log"


def result_of(state: State) -> dict[str, Any] | None:
    """Return the result of a game as clients see it, None before the end."""
    if state.ended is None:
        return None
    ended = msgspec.to_builtins(state.ended)
    return {key: ended[key] for key in ("reason", "winners", "scores")}


def _notes(export: Mapping[str, Any]) -> Iterator[str]:
    """Play the commands again under today's rules."""
    components = parse(export["component_set"]["data"])
    chance = _chance(export)
    state: State | None = None
    commands = {
        move["number"]: codec.decode_commands(codec.canonical(move["commands"]))
        for move in export["moves"]
    }
    for row in still_counting(_rows(export)):
        if state is not None and row.seat is not None and not is_undo(row):
            try:
                again = submit(state, row.seat, commands[row.number], chance).events
            except GameError as error:
                yield f"move {row.number} would be refused today: {error}"
            else:
                if again != row.events:
                    yield f"move {row.number} would lead to other events today"
        state = advance(state, row) if state else fold([row], components)
