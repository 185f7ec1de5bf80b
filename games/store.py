"""The move log in the database: reading rows, and appending one with its hash (docs/storage.md)."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone

from engine import codec
from engine.commands import Command
from engine.events import Event
from engine.fold import Row, advance, fold, is_undo
from engine.ruleset import RULESET
from engine.state import State
from games.component_sets import component_set
from games.models import Game, Move

Moment = str
"""A moment in UTC as it is stored and hashed, such as ``2026-11-30T04:16:50.123456Z``."""


def stamp(moment: datetime) -> Moment:
    """Write a moment the way it is hashed."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment_of(text: Moment) -> datetime:
    """Read a stored moment."""
    return datetime.fromisoformat(text)


def rows_of(game_id: str, upto: int | None = None) -> list[Row]:
    """Return the rows of a game (up to a move), in one statement: one consistent version."""
    moves = Move.objects.filter(game_id=game_id).order_by("number")
    if upto is not None:
        moves = moves.filter(number__lte=upto)
    return [
        Row(number, seat, actor, codec.decode_events(events))
        for number, seat, actor, events in moves.values_list("number", "seat", "actor", "events")
    ]


def state_of(game: Game, upto: int | None = None) -> State | None:
    """Return the true state of a game (after a move); None before the set-up."""
    rows = rows_of(game.pk, upto)
    return fold(rows, component_set(game.component_set_id)) if rows else None


def append(
    game: Game,
    previous: State | None,
    *,
    seat: int | None,
    actor: str,
    decision: str | None,
    commands: Sequence[Command],
    events: Sequence[Event],
) -> tuple[Move, State]:
    """Append a row to a game that the caller has locked; return it and the state it leads to.

    The UNIQUE key (game, number) is the backstop: IntegrityError if somebody was faster.
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
    move.save(force_insert=True)
    game.version, game.head_hash = move.number, move.hash
    row = Row(move.number, seat, actor, tuple(events))
    if previous is None or is_undo(row):
        state = state_of(game)
        assert state is not None, "the row has just been written"
        return move, state
    return move, advance(previous, row)


def _header_digest(game: Game) -> bytes:
    return game.header(list(game.seats.all())).digest
