"""A locked game: the only way to write a row of the move log.

``Table.lock`` takes the row lock (PostgreSQL) or the transaction has the write lock already
(SQLite, BEGIN IMMEDIATE); until the commit nobody else writes to the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import msgspec

from engine.chance import Chance
from engine.commands import Command
from engine.errors import GameOver, NotYourDecision
from engine.events import Event
from engine.state import State
from games import projections, store
from games.access import NotVisible
from games.models import Game, GameSecret, Move, Seat
from notifications import notices


class Answered(msgspec.Struct, frozen=True):
    """Whose decision a row answers, who answered, and which decision it was."""

    seat: int | None
    actor: str
    decision: str | None


class Table:
    """A game, its seats and its true state, for one transaction that has locked it."""

    def __init__(self, game: Game) -> None:
        """Wrap a game that the caller has locked or has just created."""
        self.game = game

    @classmethod
    def lock(cls, game_id: str) -> Table:
        """Lock a game; raise NotVisible if there is none. Must be called in a transaction."""
        # NO KEY: rows that only refer to the game, like a reminder, need not wait for it.
        game = Game.objects.select_for_update(no_key=True).filter(pk=game_id).first()
        if game is None:
            raise NotVisible
        return cls(game)

    @cached_property
    def seats(self) -> list[Seat]:
        """The seats, in order."""
        return list(self.game.seats.all())

    @cached_property
    def state(self) -> State | None:
        """The true state, None before the set-up; ``record`` keeps it up to date."""
        return store.state_of(self.game)

    @property
    def running(self) -> State:
        """The true state; raises GameOver or NotYourDecision if nothing can be played."""
        if self.game.over:
            raise GameOver("the game is over")
        if self.state is None:
            raise NotYourDecision("the game has not begun: it waits for players")
        return self.state

    @cached_property
    def chance(self) -> Chance:
        """The game's chance, from its secret seed and the seats' contributions."""
        seed = bytes.fromhex(GameSecret.objects.get(game=self.game).seed)
        given = [seat.contribution for seat in self.seats]
        return Chance(seed, [bytes.fromhex(part) if part else None for part in given])

    def seat_of(self, player_id: int) -> Seat | None:
        """Return the seat a player sits on."""
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    def record(
        self, answered: Answered, commands: Sequence[Command], events: Sequence[Event]
    ) -> Move:
        """Write one row, and all that follows from it, into the transaction."""
        move, self.state = store.append(
            self.game,
            self.state,
            seat=answered.seat,
            actor=answered.actor,
            decision=answered.decision,
            commands=commands,
            events=events,
        )
        projections.project(self.game, move, self.state)
        notices.announce(self.game, self.seats, move, self.state, events)
        return move
