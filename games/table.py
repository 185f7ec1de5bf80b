"""A locked game: the only way to write a row of the move log.

``Table.lock`` takes the row lock (PostgreSQL) or the transaction has the write lock already
(SQLite, BEGIN IMMEDIATE); until the commit nobody else writes to the game.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial

import msgspec
from django.db import models, transaction
from django.db.models import OuterRef, QuerySet, Subquery

from dewan_site import sql
from dewan_site.accounts.models import Player
from engine.chance import Chance
from engine.commands import Command
from engine.errors import GameOver, NotYourDecision
from engine.events import Event, OutageCredited
from engine.questions import KINDS
from engine.state import Question, State
from games import projections, store, timing
from games.access import NotVisible
from games.errors import InvalidRequest
from games.models import Decision, Game, GameSecret, Move, SealedAnswer, Seat, Sitting
from notifications import notices
from notifications.models import RecordedOutage

_GAME = (
    "id", "scenario", "players", "layout", "ruleset", "component_set_id", "commitment",
    "move_time", "bank", "bank_cap", "rests", "absence", "excused_misses", "visibility",
    "creator_id", "status", "version", "head_hash", "pauses", "is_paused", "credited",
)  # fmt: skip
_SEAT = ("id", "game_id", "number", "kind", "player_id", "contribution", "standing", "misses")
_lock_game = sql.Prepared(
    lambda: Game.objects.filter(pk="").select_for_update(no_key=True).values_list(*_GAME)
)
_seats = sql.Prepared(
    lambda: Seat.objects.filter(game_id="").order_by("number").values_list(*_SEAT)
)


def _sittings_with_rests() -> QuerySet[Sitting]:
    return Sitting.objects.filter(game=OuterRef("game"), player__rests__isnull=False)


def _real_outages() -> QuerySet[RecordedOutage]:
    return RecordedOutage.objects.filter(revoked_at=None).order_by("-end")


_facts = sql.Prepared(
    lambda: GameSecret.objects.filter(game_id="").values_list(
        "seed",
        Subquery(_sittings_with_rests().values("pk")[:1]),
        Subquery(_real_outages().values("end")[:1]),
    )
)
"""The seed of a game, whether anybody there ever had rests, and when the last outage ended."""


class Answered(msgspec.Struct, frozen=True):
    """Whose decision a row answers, who answered, and which decision it was."""

    seat: int | None
    actor: str
    decision: str | None


def check_in_play(seat: Seat) -> None:
    """Raise InvalidRequest if a seat has forfeited."""
    if seat.standing == Seat.Standing.OUT:
        raise InvalidRequest("your seat has forfeited: it is out of the game")


class Table:
    """A game, its seats and its true state, for one transaction that has locked it."""

    def __init__(
        self,
        game: Game,
        seats: list[Seat],
        seed: str,
        state: State | None,
        *,
        rests: timing.Versions,
        outages: timing.Outages | None = None,
    ) -> None:
        """Wrap a game that the caller has locked or has just created."""
        self.game = game
        self.seats = seats
        self.state = state
        self.rests = rests
        self.outages = outages or timing.recorded()
        self._seed = seed

    @classmethod
    def lock(cls, game_id: str) -> Table:
        """Lock a game; raise NotVisible if there is none. Must be called in a transaction."""
        # NO KEY: rows that only refer to the game, like a reminder, need not wait for it. Each
        # statement sees what was committed before it began, so those after the first see all.
        known = store.known_version(game_id) or 1
        games, seats, facts, rows = sql.read(
            _lock_game(game_id), _seats(game_id), _facts(game_id), store.rows_from(game_id, known)
        )
        if not games:
            raise NotVisible
        ((seed, anybody_rests, last_outage),) = facts
        game = Game.from_db("default", _GAME, games[0])
        return cls(
            game,
            [Seat.from_db("default", _SEAT, seat) for seat in seats],
            seed,
            store.state_from(game, rows),
            rests=timing.rests_at(game) if anybody_rests else {},
            outages=timing.Outages(last_outage and timing.as_moment(last_outage)),
        )

    @property
    def running(self) -> State:
        """The true state; raises GameOver or NotYourDecision if nothing can be played."""
        if self.game.over:
            raise GameOver("the game is over")
        if self.state is None:
            raise NotYourDecision("the game has not begun: it waits for players")
        return self.state

    @property
    def clocks(self) -> timing.Clocks:
        """What the clocks are reckoned from, as the last row has left it."""
        return timing.made(self.game, self.rests, self.outages)

    @cached_property
    def chance(self) -> Chance:
        """The game's chance, from its secret seed and the seats' contributions."""
        given = [seat.contribution for seat in self.seats]
        parts = [bytes.fromhex(part) if part else None for part in given]
        return Chance(bytes.fromhex(self._seed), parts)

    @cached_property
    def sealed(self) -> dict[int, SealedAnswer]:
        """The answers to the open questions that are kept sealed, by seat."""
        questions = self.state.questions if self.state else ()
        if not any(KINDS[question.kind].sealed for question in questions):
            return {}
        return {answer.seat: answer for answer in SealedAnswer.objects.filter(game=self.game)}

    def question_of(self, seat: int) -> Question | None:
        """Return what a seat is asked and has not answered, sealed or not."""
        return self.state.question_of(seat) if self.state and seat not in self.sealed else None

    def seat_of(self, player_id: int) -> Seat | None:
        """Return the seat a player sits on."""
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    def held_by(self, player: Player) -> Seat:
        """Return the seat that a player holds; raise NotVisible if they sit on none."""
        seat = self.seat_of(player.pk)
        if seat is None:
            raise NotVisible
        return seat

    def record(
        self,
        answered: Answered,
        commands: Sequence[Command],
        events: Sequence[Event],
        beside: Sequence[models.Model] = (),
    ) -> Move:
        """Write one row, all that follows from it, and rows beside the log."""
        sealed = self.sealed
        move, self.state = store.next_row(
            self.game,
            self.state,
            seat=answered.seat,
            actor=answered.actor,
            decision=answered.decision,
            commands=commands,
            events=events,
        )
        sql.write(
            [
                sql.inserting(move),
                *projections.project(self, move, self.state, events),
                *notices.announce(self.game, self.seats, move, self.state, events),
                *map(sql.inserting, beside),
            ]
        )
        if sealed and (self.state.over or self.state.since == move.number):
            # What they answer is not asked any more.
            SealedAnswer.objects.filter(game=self.game).delete()
        self.__dict__.pop("sealed", None)
        committed = partial(store.remember, self.game.pk, move.hash, self.state)
        transaction.on_commit(committed)
        return move

    def note(self, event: Event, actor: Move.Actor) -> Move:
        """Write a row that answers no decision: what happened at the table."""
        return self.record(Answered(None, actor, None), (), (event,))

    def credit_outages(self) -> None:
        """Put down in the log the outages in which a clock of this game ran; once each.

        The clocks have it back from the moment it was recorded: they are reckoned with it.
        """
        credited = self.game.credited
        last = self.outages.last
        if last is None or store.stamp(last) <= credited or self.state is None or self.state.over:
            return
        new = [
            outage
            for outage in self.outages.all()
            if outage.revoked_at is None and store.stamp(outage.end) > credited
        ]
        open_now = Decision.objects.filter(game=self.game, answered_at=None)
        begun = min(open_now.values_list("runs_from", flat=True))
        for start, end, _ in new:
            self.game.credited = store.stamp(end)  # written with the next row, whichever it is
            if begun < end:
                lost = int((end - start).total_seconds())
                event = OutageCredited(start=store.stamp(start), end=store.stamp(end), seconds=lost)
                self.note(event, Move.Actor.SERVICE)
