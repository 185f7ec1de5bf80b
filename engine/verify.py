"""Checking an open export: that nothing was re-dealt, changed, cut out or miscounted.

``verify`` needs only the file (docs/export.md). Hashes, chance, fold and score must hold
for ever; a move that today's rules would refuse is a note, not a problem.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from engine import codec
from engine import events as e
from engine.chance import Chance, commitment
from engine.codec import Header, LogRow
from engine.commands import Command
from engine.components import ComponentError, ComponentSet, parse
from engine.decide import submit, unseal
from engine.errors import GameError
from engine.evolve import evolve, set_up
from engine.fold import Row, advance, fold, is_undo
from engine.scenario import SMALL_PILE, Scenario
from engine.scenarios import SCENARIOS
from engine.scoring import final_scores, winners
from engine.setup import set_up as deal
from engine.state import State

FORMAT = "dewan-game/1"

Export = Mapping[str, Any]

UNREADABLE = (LookupError, ValueError, TypeError, AssertionError, AttributeError)
"""What reading or replaying a damaged file can raise; msgspec's errors are ValueErrors."""


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


def verify(export: Export, head: str | None = None) -> Report:
    """Check an open export; ``head`` is a ``number:hash`` that some mail has printed.

    Never raises: a file that cannot be read is a problem like any other.
    """
    notes: list[str] = []
    try:
        problems = list(_problems(export, head))
        notes = [] if problems else list(_notes(export))
        moves = export["moves"]
        last = f"{len(moves)}:{moves[-1].get('hash')}" if moves else ""
    except UNREADABLE as error:
        problems = [f"the file cannot be read: {type(error).__name__}: {error}"]
        return Report("", 0, "", tuple(problems), ())
    return Report(str(export["game"]), len(moves), last, tuple(problems), tuple(notes))


def _problems(export: Export, head: str | None) -> Iterator[str]:
    """Yield problems; what follows from a broken part is not looked at."""
    if export["format"] != FORMAT:
        yield f"the format is {export['format']}, not {FORMAT}"
        return
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
    broken = list(_chain_problems(export, head))
    yield from broken or _log_problems(export, components)


def header_of(export: Export) -> Header:
    """Return the header whose hash the first row follows."""
    return Header(
        format=export["format"],
        game=export["game"],
        ruleset=export["ruleset"],
        component_set=export["component_set"]["digest"],
        layout=export["layout"],
        scenario=export["scenario"],
        seats=tuple(export["seats"]),
        commitment=export["commitment"],
        contributions=tuple(export["contributions"]),
    )


def _chain_problems(export: Export, head: str | None) -> Iterator[str]:
    previous = header_of(export).digest
    heads = set()
    for number, move in enumerate(export["moves"], 1):
        digest = _log_row(move).digest(previous, bytes.fromhex(move["nonce"]))
        if move["number"] != number:
            yield f"move {number} is missing"
            return
        if move["prev_hash"] != previous.hex() or move["hash"] != digest.hex():
            yield f"the hash chain breaks at move {number}"
            return
        previous = digest
        heads.add(f"{number}:{digest.hex()}")
    if head is not None and head not in heads:
        yield f"the log has no move {head}: it was changed or cut"


def _log_row(move: Export) -> LogRow:
    return LogRow(
        number=move["number"],
        seat=move["seat"],
        actor=move["actor"],
        decision=move["decision"],
        commands=msgspec.Raw(codec.canonical(move["commands"])),
        events=msgspec.Raw(codec.canonical(move["events"])),
        at=move["at"],
    )


def _rows(export: Export) -> list[Row]:
    return [
        Row(
            move["number"],
            move["seat"],
            move["actor"],
            codec.decode_events(codec.canonical(move["events"])),
        )
        for move in export["moves"]
    ]


def _chance(export: Export) -> Chance:
    given = [bytes.fromhex(part) if part else None for part in export["contributions"]]
    return Chance(bytes.fromhex(export["seed"]), given)


def _log_problems(export: Export, components: ComponentSet) -> Iterator[str]:
    rows = _rows(export)
    if not rows:
        return
    players = len(export["seats"])
    if export["layout"] != components.layout_for(players).id:
        yield f"the layout is {export['layout']}, which is not for {players} players"
    chance = _chance(export)
    scenario = SCENARIOS[export["scenario"]]
    if rows[0].events != (deal(components, scenario, players, chance),):
        yield "the set-up is not what the seed deals"
        return
    for state, row, event in _history(rows, components, scenario):
        check = _DRAWS.get(type(event))
        if check and not check(state, event, chance):
            yield f"move {row.number}: {_tag(event)} is not what lay there or the seed gives"
            return
    yield from _result_problems(export, fold(rows, components, scenario))


def _history(
    rows: list[Row], components: ComponentSet, scenario: Scenario
) -> Iterator[tuple[State, Row, e.Event]]:
    """Yield every event after the set-up, with its row and the state before it.

    What was taken back later is among them: it was drawn, and will be drawn again.
    """
    opening = rows[0].events[0]
    assert isinstance(opening, e.GameSetUp), "move 1 is the set-up"
    state = set_up(components, scenario, opening)
    for number, row in enumerate(rows[1:], 2):
        for event in row.events:
            yield state, row, event
            state = evolve(state, event)
        if is_undo(row):
            state = fold(rows[:number], components, scenario)


_DRAWS: dict[type, Callable[[State, Any, Chance], bool]] = {
    e.RowFilled: lambda state, event, _: event.card in state.row_pile[:1],
    e.RewardDrawn: lambda state, event, _: event.card in state.reward_pile[:1],
    e.SmallPileMade: lambda state, event, _: (
        not state.small_pile and event.cards == state.reward_pile[: SMALL_PILE[len(state.tribes)]]
    ),
    e.StoryRowFilled: lambda state, event, _: event.story in state.story_pile[:1],
    e.StoryTaken: lambda state, event, _: event.story == _story_at(state, event.from_),
    e.CardsTaken: lambda state, event, _: (
        event.cards == tuple(state.row[place - 1] for place in event.places)
    ),
    e.CampPlaced: lambda state, event, _: _in_hand(state, event.seat, *_spent(event)),
    e.CardTucked: lambda state, event, _: (
        event.card is None or _in_hand(state, event.seat, event.card)
    ),
    e.FishResolved: lambda state, event, _: all(
        answer.card is None or _in_hand(state, answer.seat, answer.card) for answer in event.answers
    ),
    e.PileShuffled: lambda state, event, chance: (
        _runs_out(state) and event.order == chance.shuffle(state.chance_uses, state.discard)
    ),
}
"""Whether what moved lay where it came from: on top of a pile, in the row, in a hand."""


def _story_at(state: State, place: int | str) -> str | None:
    if isinstance(place, int):
        return state.story_row[place - 1]
    return state.story_pile[0] if state.story_pile else None


def _spent(event: e.CampPlaced) -> list[str]:
    return [paid.card for paid in event.payment]


def _in_hand(state: State, seat: int, *cards: str) -> bool:
    return len(set(cards)) == len(cards) and set(cards) <= set(state.tribes[seat].hand)


def _runs_out(state: State) -> bool:
    """Tell whether cards are wanted that the draw pile or supply does not have (R3.4, R10.4)."""
    wanted = 1 if state.small_pile != () else SMALL_PILE[len(state.tribes)]
    return len(state.reward_pile) < wanted


def _tag(event: e.Event) -> str:
    return str(type(event).__struct_config__.tag)


def _result_problems(export: Export, state: State) -> Iterator[str]:
    if state.ended:
        scores = final_scores(state)
        won = winners(scores, state.sides_in_play)
        if state.ended.scores != scores or state.ended.winners != won:
            yield "the recorded score is not what the map and the tribe boards give"
    if codec.canonical(export["result"]) != codec.canonical(result_of(state)):
        yield "the result is not the one in the log"


def result_of(state: State) -> dict[str, Any] | None:
    """Return the result of a game as clients see it and JSON keeps it, None before the end."""
    if state.ended is None:
        return None
    ended = msgspec.json.decode(codec.canonical(state.ended))
    return {key: ended[key] for key in ("reason", "winners", "scores")}


def _notes(export: Export) -> Iterator[str]:
    """Play the commands again under today's rules."""
    components = parse(export["component_set"]["data"])
    scenario = SCENARIOS[export["scenario"]]
    chance = _chance(export)
    commands = {
        move["number"]: codec.decode_commands(codec.canonical(move["commands"]))
        for move in export["moves"]
    }
    rows = _rows(export)
    sealed: dict[int, Command] = {}
    state = fold(rows[:1], components, scenario)
    for number, row in enumerate(rows[1:], 2):
        yield from _notes_on(row, state, commands[row.number], chance, sealed)
        undone = is_undo(row)
        state = fold(rows[:number], components, scenario) if undone else advance(state, row)


def _notes_on(
    row: Row,
    state: State,
    commands: Sequence[Command],
    chance: Chance,
    sealed: dict[int, Command],
) -> Iterator[str]:
    if row.seat is None or not commands:
        if any(isinstance(event, _ANSWERS) for event in row.events):
            yield f"move {row.number} answers a question without a command of its seat"
        return
    try:
        again = _again(state, row.seat, commands, chance, sealed)
    except GameError as error:
        yield f"move {row.number} would be refused today: {error}"
    else:
        if again != row.events:
            yield f"move {row.number} would lead to other events today"


_ANSWERS = (
    e.StoryTaken,
    e.CardsTaken,
    e.CampPlaced,
    e.CardTucked,
    e.WaterPlaced,
    e.LavaPlaced,
    e.BerriesMoved,
    e.FishResolved,
)
"""What only a command leads to. Undos by consent, forfeits and rows of the table have none."""


def _again(
    state: State,
    seat: int,
    commands: Sequence[Command],
    chance: Chance,
    sealed: dict[int, Command],
) -> tuple[e.Event, ...]:
    """Return what the commands of a row lead to today; ``sealed`` keeps answers till all are in."""
    outcome = submit(state, seat, commands, chance)
    if outcome.sealed is None:
        return outcome.events
    sealed[seat] = outcome.sealed
    if len(sealed) < len(state.questions):
        return ()
    answers = dict(sealed)
    sealed.clear()
    return unseal(state, answers, chance)
