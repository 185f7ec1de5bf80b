"""Projections of the move log: what can be deleted and rebuilt (docs/storage.md).

They are the ``Decision`` rows, of ``Game`` the columns in ``GAME_COLUMNS`` and of ``Seat`` those
in ``SEAT_COLUMNS``. ``project`` follows the row that has just been appended; ``rebuild`` follows
all rows from the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from dewan_site.sql import Statement, inserting, updating
from engine import codec
from engine import events as e
from engine.events import Event
from engine.fold import Row, advance, fold, is_undo
from engine.scenarios import SCENARIOS
from engine.state import State
from engine.verify import result_of
from games import timing
from games.component_sets import component_set
from games.followed import Followed, follow_table
from games.grants import NEW_LIFE, SEALED, begin_again, granted
from games.models import Decision, Game, Move, Seat, Sitting
from games.store import moment_of

if TYPE_CHECKING:
    from games.table import Table

GAME_COLUMNS = (
    "status", "version", "head_hash", "round", "result", "ending", "pauses",
    "is_paused", "started_at", "finished_at",
)  # fmt: skip
SEAT_COLUMNS = ("standing", "misses")


def project(table: Table, move: Move, state: State, events: Sequence[Event]) -> list[Statement]:
    """Return the statements that bring the projections up to a row about to be written."""
    followed = Followed(
        table.game,
        table.seats,
        lambda: table.clocks,
        Row(move.number, move.seat, move.actor, tuple(events)),
        move.decision,
        moment_of(move.at),
        lambda name: Decision.objects.get(game=table.game, decision=name),
        lambda seat: _last_answered(move, seat),
    )
    statements = [updating(seat, SEAT_COLUMNS) for seat in follow_table(followed, state)]
    statements += _close(followed, state)
    if _asks_anew(followed, state):
        statements += map(inserting, _opened(followed, state))
    elif events and isinstance(events[0], _ON_CLOCKS):
        for decision in Decision.objects.filter(game=table.game, answered_at=None):
            _restart(followed, decision)
            statements.append(updating(decision, _CLOCK_COLUMNS))
    return [*statements, updating(table.game, _set_columns(followed, move, state))]


def _last_answered(move: Move, seat: int) -> Decision | None:
    """Return what a seat has answered last, with the row that is about to be written."""
    answered = (~Q(closed_by="") | Q(decision=move.decision)) & ~Q(kind__in=SEALED)
    of_seat = Decision.objects.filter(answered, game=move.game_id, seat=seat)
    last = of_seat.order_by("since").last()
    if last is not None and last.decision == move.decision:
        last.closed_by = move.actor
    return last


def _asks_anew(followed: Followed, state: State) -> bool:
    return state.since == followed.row.number or state.over


# ---- Decisions and their clocks ----------------------------------------------------------------


def _opened(followed: Followed, state: State) -> list[Decision]:
    """Return the decisions that a row opens, with their clocks."""
    decisions = []
    for question in state.questions:
        player = followed.seats[question.seat].player_id
        decision = Decision(
            game=followed.game,
            decision=state.decision_of(question),
            seat=question.seat,
            kind=question.kind,
            since=state.since,
            asked_at=followed.at,
            player_id=player,
            runs_from=followed.at,
            granted=granted(followed, question),
        )
        _set_wake(followed, decision)
        decisions.append(decision)
    return decisions


def _restart(followed: Followed, decision: Decision) -> None:
    """Do to the clock of an open decision what a row of the table says."""
    for event in followed.row.events:
        if isinstance(event, e.DeadlineExtended):
            decision.granted += timedelta(seconds=event.seconds)
            # One that was begun by a clock that was ahead runs from now.
            decision.runs_from = min(decision.runs_from, followed.at)
        elif isinstance(event, NEW_LIFE) and event.seat == decision.seat:
            begin_again(followed, decision, event)
        elif isinstance(event, e.SeatLeft) and event.reason == Sitting.How.RESIGNED:
            _leave_to_bot(decision, event)
    _set_wake(followed, decision)


def _leave_to_bot(decision: Decision, event: e.SeatLeft) -> None:
    """Do not count what is left to a bot for the pace of who has resigned."""
    if event.seat == decision.seat:
        decision.player_id = None


_ON_CLOCKS = (e.DeadlineExtended, e.GamePaused, e.GameResumed, e.OutageCredited, e.SeatAbsent,
              e.SeatLeft, *NEW_LIFE)  # fmt: skip
"""The rows of the table after which clocks run otherwise than before."""

_CLOCK_COLUMNS = ("player", "asked_at", "runs_from", "granted", "lives", "missed", "wake_at")


def _set_wake(followed: Followed, decision: Decision) -> None:
    if decision.wake_at is not None and decision.wake_at <= followed.at:
        return  # the sweep is to look at it anyway, and has not yet
    if followed.seats[decision.seat].is_played_by_bot:
        decision.wake_at = followed.at + timing.BOT_PATIENCE
    else:
        decision.wake_at = followed.clocks().wake_at(decision, followed.at)


def _close(followed: Followed, state: State) -> list[Statement]:
    """Return the statements that close decisions: the one answered, and all if others are put.

    What an undo takes back has never been asked, and counts for no bank and no pace.
    """
    at = connection.ops.adapt_datetimefield_value(followed.at)
    row, game = followed.row, followed.game.pk
    answered = "" if is_undo(row) else followed.decision or ""
    statements: list[Statement] = []
    if _asks_anew(followed, state):
        statements.append((_CLOSE_ALL, [at, answered, row.actor, game]))
    elif answered:
        statements.append((_ANSWER, [row.actor, game, answered]))
    if row.events and isinstance(undone := row.events[0], e.Undone):
        statements.append((_TAKE_BACK, [game, undone.from_, followed.decision]))
    return statements


_ANSWER = "UPDATE games_decision SET closed_by = %s WHERE game_id = %s AND decision = %s"
_CLOSE_ALL = (
    "UPDATE games_decision SET answered_at = %s,"
    " closed_by = CASE WHEN decision = %s THEN %s ELSE closed_by END"
    " WHERE game_id = %s AND answered_at IS NULL"
)
_TAKE_BACK = (
    "UPDATE games_decision SET closed_by = '' WHERE game_id = %s AND (since >= %s OR decision = %s)"
)


# ---- Making them again -------------------------------------------------------------------------


def rebuild(game_id: str) -> None:
    """Delete the projections of a game and make them again from its log."""
    with transaction.atomic():
        game = Game.objects.select_for_update().get(pk=game_id)
        moves = list(Move.objects.filter(game=game).order_by("number"))
        Decision.objects.filter(game=game).delete()
        if moves:
            again = _followed(game, moves)
            Decision.objects.bulk_create(again.decisions.values())
            game.save(update_fields=GAME_COLUMNS)
            Seat.objects.bulk_update(again.seats, SEAT_COLUMNS)


def differences(game_id: str) -> list[str]:
    """Fold a game again and say where the stored projections differ; change nothing."""
    stored, fresh = Game.objects.get(pk=game_id), Game.objects.get(pk=game_id)
    seats = list(stored.seats.order_by("number"))
    moves = list(Move.objects.filter(game=fresh).order_by("number"))
    if not moves:
        return []  # a game that has not begun has no log that anything could follow from
    again = _followed(fresh, moves)
    before = {d.decision: _compared(d) for d in Decision.objects.filter(game=stored)}
    after = {name: _compared(decision) for name, decision in again.decisions.items()}
    return [
        *_differing("", GAME_COLUMNS, stored, fresh),
        *(
            line
            for old, new in zip(seats, again.seats, strict=True)
            for line in _differing(f"seat {old.number}: ", SEAT_COLUMNS, old, new)
        ),
        *(
            f"decision {name} is {before.get(name)}, the log says {after.get(name)}"
            for name in sorted(before.keys() | after.keys())
            if before.get(name) != after.get(name)
        ),
    ]


def _differing(of: str, columns: Iterable[str], stored: Any, fresh: Any) -> list[str]:
    return [
        f"{of}{column} is {getattr(stored, column)!r}, the log says {getattr(fresh, column)!r}"
        for column in columns
        if getattr(stored, column) != getattr(fresh, column)
    ]


def _compared(decision: Decision) -> tuple[object, ...]:
    """Return what must agree: not when the sweep looks next, which looking changes."""
    columns = (
        "seat", "kind", "since", "asked_at", "player_id", "runs_from", "granted", "lives",
        "missed", "answered_at", "closed_by",
    )  # fmt: skip
    return tuple(getattr(decision, column) for column in columns)


class Again(msgspec.Struct):
    """The projections of a game, made again: its decisions by id, and its seats."""

    decisions: dict[str, Decision]
    seats: list[Seat]

    def answered(self, seat: int) -> Decision | None:
        """Return the last decision that a seat has answered."""
        closed = [
            d
            for d in self.decisions.values()
            if d.seat == seat and d.closed_by and d.kind not in SEALED
        ]
        return max(closed, key=lambda decision: decision.since, default=None)

    def close(self, followed: Followed, state: State) -> None:
        """Do what the statements of ``_close`` do."""
        if followed.decision in self.decisions and not is_undo(followed.row):
            self.decisions[followed.decision].closed_by = followed.row.actor
        if _asks_anew(followed, state):
            for decision in self.open():
                decision.answered_at = followed.at
        undone = next(iter(followed.row.events), None)
        if isinstance(undone, e.Undone):
            for decision in self.decisions.values():
                taken_back = (
                    decision.since >= undone.from_ or decision.decision == followed.decision
                )
                decision.closed_by = "" if taken_back else decision.closed_by

    def open(self) -> list[Decision]:
        """Return the decisions that are open."""
        return [decision for decision in self.decisions.values() if decision.answered_at is None]


def _followed(game: Game, moves: list[Move]) -> Again:
    """Follow a log; return every decision, and set the columns of the game."""
    game.result = game.finished_at = None
    game.ending, game.pauses, game.is_paused = "", "[]", False
    sittings = list(Sitting.objects.filter(game=game))
    outages = timing.recorded(moment_of(moves[0].at))
    rests = timing.versions_of(sitting.player_id for sitting in sittings)
    again = Again({}, list(game.seats.order_by("number")))
    for seat in again.seats:
        seat.standing, seat.misses = Seat.Standing.PLAYING, 0
    for move, state in _history_of(game, moves):
        _seat_players(again.seats, sittings, move.number)
        followed = Followed(
            game,
            again.seats,
            lambda: timing.made(game, rests, outages),
            _row_of(move),
            move.decision,
            moment_of(move.at),
            again.decisions.__getitem__,
            again.answered,
        )
        _follow(followed, again, state)
        _set_columns(followed, move, state)
    for decision in again.open():
        decision.wake_at = timezone.now()  # the next sweep looks, and sets it right
    return again


def _follow(followed: Followed, again: Again, state: State) -> None:
    follow_table(followed, state)
    again.close(followed, state)
    if _asks_anew(followed, state):
        again.decisions |= {d.decision: d for d in _opened(followed, state)}
    else:
        for decision in again.open():
            _restart(followed, decision)


def _seat_players(seats: Sequence[Seat], sittings: Sequence[Sitting], number: int) -> None:
    """Seat whoever sat there when a move was made."""
    sat: Mapping[int, int] = {
        sitting.seat: sitting.player_id
        for sitting in sittings
        if sitting.since <= number and (sitting.until is None or number < sitting.until)
    }
    for seat in seats:
        seat.player_id = sat.get(seat.number)


def _history_of(game: Game, moves: list[Move]) -> Iterator[tuple[Move, State]]:
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


def _set_columns(followed: Followed, move: Move, state: State) -> list[str]:
    """Set the columns of a game that a row changes, and return their names."""
    game = followed.game
    game.version, game.head_hash, game.round = move.number, move.hash, state.round
    game.status = status_of(state)
    changed = ["version", "head_hash", "round", "status", "pauses", "is_paused", "credited"]
    if move.number == 1:
        game.started_at = moment_of(move.at)
        changed.append("started_at")
    if state.over:
        game.result, game.finished_at = result_of(state), moment_of(move.at)
        game.ending = _ending(followed.row.events)
        changed += ["result", "finished_at", "ending"]
    return changed


def _ending(events: Iterable[Event]) -> str:
    """Return why a game is over, each way by its own name (docs/clock.md)."""
    ends = [event for event in events if isinstance(event, e.GameEnded | e.GameCancelled)]
    return ends[-1].reason


def status_of(state: State) -> Game.Status:
    """Return where a game that has begun is in its life."""
    if state.cancelled:
        return Game.Status.CANCELLED
    return Game.Status.FINISHED if state.ended else Game.Status.RUNNING
