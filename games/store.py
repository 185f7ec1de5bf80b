"""The move log in the database: reading rows, and writing one with its hash (docs/storage.md)."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.utils import timezone

from dewan_site import sql
from engine import codec
from engine.commands import Command
from engine.components import ComponentSet
from engine.events import Event
from engine.fold import Row, advance, anything_learnt, fold, is_undo
from engine.ruleset import RULESET
from engine.scenario import Scenario
from engine.scenarios import SCENARIOS
from engine.state import State
from games.component_sets import component_set
from games.models import Game, Move

Moment = str
"""A moment in UTC as it is stored and hashed, such as ``2026-11-30T04:16:50.123456Z``."""

KNOWN_STATES = 2000
"""How many states a process keeps, those of the games asked for last."""


def stamp(moment: datetime) -> Moment:
    """Write a moment the way it is hashed."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment_of(text: Moment) -> datetime:
    """Read a stored moment."""
    return datetime.fromisoformat(text)


# ---- Reading -----------------------------------------------------------------------------------


class Known(NamedTuple):
    """A state this process has folded, and the hash of its last row.

    The log only grows, so a state stays true for ever; ``rows_from`` reads its last row again,
    and if the hash is another (a database restored under a running process), it is forgotten.
    """

    head_hash: str
    state: State


class _Box:
    """What ``lru_cache`` keeps for a game: a place for its known state."""

    known: Known | None = None


@lru_cache(maxsize=KNOWN_STATES)
def _box(_game_id: str) -> _Box:
    return _Box()


def known_version(game_id: str) -> int:
    """Return up to which move the state of a game is known here; 0 if it is not."""
    known = _box(game_id).known
    return known.state.version if known else 0


def remember(game_id: str, head_hash: str, state: State) -> None:
    """Keep a state for the next time it is asked for."""
    _box(game_id).known = Known(head_hash, state)


def forget_all() -> None:
    """Forget every known state: they are read from the database again."""
    _box.cache_clear()


_rows_from = sql.Prepared(
    lambda: (
        Move.objects.filter(game_id="", number__gte=0)
        .order_by("number")
        .values_list("number", "seat", "actor", "events", "hash")
    )
)


def rows_from(game_id: str, number: int) -> sql.Statement:
    """Return the query for the rows of a game from a number on, for ``state_from``."""
    return _rows_from(game_id, number)


def state_from(game: Game, rows: Sequence[tuple[Any, ...]]) -> State | None:
    """Return the state that the rows lead to, which begin with the last one of the known state.

    None before the set-up. The rows of one statement are one consistent version of the log.
    """
    known = _box(game.pk).known
    if known and rows and rows[0][0] == known.state.version and rows[0][4] == known.head_hash:
        state, new = known.state, [_row(values) for values in rows[1:]]
        if not any(map(is_undo, new)):
            for row in new:
                state = advance(state, row)
            remember(game.pk, rows[-1][4], state)
            return state
    if not rows or rows[0][0] != 1:
        (rows,) = sql.read(rows_from(game.pk, 1))
    if not rows:
        return None
    state = fold(map(_row, rows), *_given(game))
    remember(game.pk, rows[-1][4], state)
    return state


def _row(values: Sequence[Any]) -> Row:
    number, seat, actor, events, _ = values
    return Row(number, seat, actor, codec.decode_events(events))


def state_of(game: Game, upto: int | None = None) -> State | None:
    """Return the true state of a game, now or after a move; None before the set-up."""
    if upto is None:
        (rows,) = sql.read(rows_from(game.pk, known_version(game.pk) or 1))
        return state_from(game, rows)
    (rows,) = sql.read(rows_from(game.pk, 1))
    past = [_row(values) for values in rows if values[0] <= upto]
    return fold(past, *_given(game)) if past else None


def all_rows(game: Game) -> list[Row]:
    """Return every row of a game, also those that were taken back."""
    (rows,) = sql.read(rows_from(game.pk, 1))
    return [_row(values) for values in rows]


def learnt_since(game: Game, number: int) -> bool:
    """Tell whether the moves after a number have shown anybody something hidden."""
    return anything_learnt(all_rows(game), *_given(game), number)


def _given(game: Game) -> tuple[ComponentSet, Scenario]:
    """Return what a game is folded with."""
    return component_set(game.component_set_id), SCENARIOS[game.scenario]


# ---- Writing -----------------------------------------------------------------------------------


def next_row(
    game: Game,
    previous: State | None,
    *,
    seat: int | None,
    actor: str,
    decision: str | None,
    commands: Sequence[Command],
    events: Sequence[Event],
) -> tuple[Move, State]:
    """Make the next row of a locked game, not saved yet, and the state it leads to.

    The game's version and head hash move on. Whoever saves the row has the UNIQUE key (game,
    number) as the backstop: IntegrityError if somebody was faster.
    """
    prev_hash = bytes.fromhex(game.head_hash) if game.head_hash else _header_digest(game)
    nonce = secrets.token_bytes(codec.NONCE_BYTES)
    move = Move(
        game=game,
        number=game.version + 1,
        seat=seat,
        actor=actor,
        decision=decision,
        commands=codec.canonical(commands).decode(),
        events=codec.canonical(events).decode(),
        at=stamp(timezone.now()),
        ruleset=RULESET,
        prev_hash=prev_hash.hex(),
        nonce=nonce.hex(),
    )
    move.hash = move.log_row.digest(prev_hash, nonce).hex()
    game.version, game.head_hash = move.number, move.hash
    row = Row(move.number, seat, actor, tuple(events))
    if previous is not None and not is_undo(row):
        return move, advance(previous, row)
    before = sql.read(rows_from(game.pk, 1))[0] if previous else []
    return move, fold([*map(_row, before), row], *_given(game))


def _header_digest(game: Game) -> bytes:
    return game.header(list(game.seats.all())).digest
