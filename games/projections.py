"""Projections of the move log: what can be deleted and rebuilt (docs/storage.md).

They are the ``Decision`` rows and, of ``Game``, the columns in ``GAME_COLUMNS``. ``project``
follows the row that has just been appended; ``rebuild`` follows all rows from the first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.utils import timezone

from dewan_site.sql import Statement, inserting, updating
from engine import codec
from engine.events import DeadlineExtended, Event
from engine.fold import Row, advance, fold, is_undo
from engine.questions import KINDS
from engine.scenarios import SCENARIOS
from engine.state import Question, State
from engine.verify import result_of
from games.component_sets import component_set
from games.models import Decision, Game, Move
from games.store import moment_of
from notifications.clocks import Outage, credited, reminder_after
from notifications.models import RecordedOutage

GAME_COLUMNS = ("status", "version", "head_hash", "round", "result", "started_at", "finished_at")
Find = Callable[[str], Decision]
"""Finds a decision of the game by its id."""


def project(game: Game, move: Move, state: State, events: Sequence[Event]) -> list[Statement]:
    """Return the statements that bring the projections up to a row about to be written."""
    row, at = Row(move.number, move.seat, move.actor, tuple(events)), moment_of(move.at)
    statements = []
    if state.since == move.number or state.over:
        opened = _opened(game, move, row, state, lambda name: game.decisions.get(decision=name))
        statements = [_close(at, game.pk), *map(inserting, opened)]
    elif seconds := _extension(row):
        for decision in Decision.objects.filter(game=game, answered_at=None):
            _set_deadline(decision, decision.deadline + timedelta(seconds=seconds), at)
            statements.append(updating(decision, ("deadline", "remind_at", "remind_stage")))
    return [*statements, updating(game, _set_columns(game, move, state))]


def _close(at: datetime, game_id: str) -> Statement:
    """Return the statement that marks the open decisions of a game as answered."""
    moment = connection.ops.adapt_datetimefield_value(at)
    return (
        "UPDATE games_decision SET answered_at = %s WHERE game_id = %s AND answered_at IS NULL",
        [moment, game_id],
    )


def rebuild(game_id: str) -> None:
    """Delete the projections of a game and make them again from its log."""
    with transaction.atomic():
        game = Game.objects.select_for_update().get(pk=game_id)
        moves = list(Move.objects.filter(game=game).order_by("number"))
        Decision.objects.filter(game=game).delete()
        game.result = game.finished_at = None
        if moves:
            decisions = _followed(game, moves)
            Decision.objects.bulk_create(decisions.values())
            game.save(update_fields=GAME_COLUMNS)


def differences(game_id: str) -> list[str]:
    """Fold a game again and say where the stored projections differ; change nothing."""
    stored = Game.objects.get(pk=game_id)
    fresh = Game.objects.get(pk=game_id)
    fresh.result = fresh.finished_at = None
    moves = list(Move.objects.filter(game=fresh).order_by("number"))
    decisions = _followed(fresh, moves)
    found = [
        f"{column} is {getattr(stored, column)!r}, the log says {getattr(fresh, column)!r}"
        for column in GAME_COLUMNS
        if getattr(stored, column) != getattr(fresh, column)
    ]
    before = {d.decision: _compared(d) for d in Decision.objects.filter(game=stored)}
    after = {name: _compared(decision) for name, decision in decisions.items()}
    return found + [
        f"decision {name} is {before.get(name)}, the log says {after.get(name)}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def _compared(decision: Decision) -> tuple[object, ...]:
    """Return what must agree: not when the next reminder is due, which sending one changes."""
    columns = ("seat", "kind", "since", "asked_at", "deadline", "answered_at")
    return tuple(getattr(decision, column) for column in columns)


def _followed(game: Game, moves: list[Move]) -> dict[str, Decision]:
    """Follow a log and the recorded outages in the order of time; return every decision."""
    decisions: dict[str, Decision] = {}
    outages = [Outage(o.start, o.end) for o in RecordedOutage.objects.order_by("end")]
    for move, state in _history(game, moves):
        row, at = _row_of(move), moment_of(move.at)
        while outages and outages[0].end <= at:
            _credit(decisions.values(), outages.pop(0))
        if state.since == move.number or state.over:
            opened = _opened(game, move, row, state, decisions.__getitem__)
            for decision in _open(decisions.values()):
                decision.answered_at = at
            decisions |= {decision.decision: decision for decision in opened}
        for decision in _open(decisions.values()):
            decision.deadline += timedelta(seconds=_extension(row))
        _set_columns(game, move, state)
    for outage in outages:
        _credit(decisions.values(), outage)
    for decision in _open(decisions.values()):
        _set_deadline(decision, decision.deadline, timezone.now())
    return decisions


def _history(game: Game, moves: list[Move]) -> Iterator[tuple[Move, State]]:
    components, scenario = component_set(game.component_set_id), SCENARIOS[game.scenario]
    rows: list[Row] = []
    state: State | None = None
    for move in moves:
        rows.append(row := _row_of(move))
        if state is None or is_undo(row):
            state = fold(rows, components, scenario)
        else:
            state = advance(state, row)
        yield move, state


def _row_of(move: Move) -> Row:
    return Row(move.number, move.seat, move.actor, codec.decode_events(move.events))


def _open(decisions: Iterable[Decision]) -> list[Decision]:
    return [decision for decision in decisions if decision.answered_at is None]


def _credit(decisions: Iterable[Decision], outage: Outage) -> None:
    for decision in _open(decisions):
        decision.deadline = credited(decision.asked_at, decision.deadline, [outage])


def _opened(game: Game, move: Move, row: Row, state: State, find: Find) -> list[Decision]:
    """Return the decisions that a row opens, with their clocks."""
    at = moment_of(move.at)
    decisions = []
    for question in state.questions:
        decision = Decision(
            game=game,
            decision=state.decision_of(question),
            seat=question.seat,
            kind=question.kind,
            since=state.since,
            asked_at=at,
        )
        _set_deadline(decision, _deadline(game, move, row, question, find), at)
        decisions.append(decision)
    return decisions


def _deadline(game: Game, move: Move, row: Row, question: Question, find: Find) -> datetime:
    """Return until when a new question can be answered.

    A turn has the time of a move. A question in mid-turn shares the turn's deadline; the other
    seats that a scenario event asks have the time of a move. After an
    undo the clock goes on with what was left when the move was made; it is not filled up.
    """
    at = moment_of(move.at)
    if move.decision is None:
        return at + timedelta(seconds=game.move_time)
    if is_undo(row):
        answered = find(move.decision)
        assert answered.answered_at is not None, "a move that is taken back answered it"
        return at + max(answered.deadline - answered.answered_at, timedelta(0))
    if question.seat != move.seat or not KINDS[question.kind].in_mid_turn:
        return at + timedelta(seconds=game.move_time)
    return find(move.decision).deadline


def _set_deadline(decision: Decision, deadline: datetime, moment: datetime) -> None:
    decision.deadline = deadline
    reminder = reminder_after(decision.asked_at, deadline, moment)
    decision.remind_at = reminder.at if reminder else None
    decision.remind_stage = reminder.stage if reminder else ""


def _extension(row: Row) -> int:
    return sum(event.seconds for event in row.events if isinstance(event, DeadlineExtended))


def _set_columns(game: Game, move: Move, state: State) -> list[str]:
    """Set the columns of a game that a row changes, and return their names."""
    game.version, game.head_hash, game.round = move.number, move.hash, state.round
    game.status = status_of(state)
    changed = ["version", "head_hash", "round", "status"]
    if move.number == 1:
        game.started_at = moment_of(move.at)
        changed.append("started_at")
    if state.over:
        game.result, game.finished_at = result_of(state), moment_of(move.at)
        changed += ["result", "finished_at"]
    return changed


def status_of(state: State) -> Game.Status:
    """Return where a game that has begun is in its life."""
    if state.cancelled:
        return Game.Status.CANCELLED
    return Game.Status.FINISHED if state.ended else Game.Status.RUNNING
