"""What a row of the log changes at the table: who plays, misses, pauses.

``Followed`` is such a row with all that its projections are made from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from engine import events as e
from engine.fold import Row
from engine.state import State
from games import timing
from games.models import Decision, Game, Seat
from games.timing import Clocks
from notifications.rests import Stretch


class Followed(msgspec.Struct, frozen=True):
    """A row of the log with all that follows from it: the game and seats as it leaves them."""

    game: Game
    seats: Sequence[Seat]
    clocks: Callable[[], Clocks]
    row: Row
    decision: str | None
    at: datetime
    before: Callable[[str], Decision]
    answered: Callable[[int], Decision | None]
    """What finds a decision by its id, and the last one that a seat has answered."""


def follow_table(followed: Followed, state: State) -> list[Seat]:
    """Set what a row changes at the table, and return the seats that it changes."""
    before = [(seat.standing, seat.misses) for seat in followed.seats]
    for event in followed.row.events:
        change = _AT_TABLE.get(type(event))
        if change:
            change(followed, event)
    for seat in followed.seats:
        _follow_out(seat, state)
    after = [(seat.standing, seat.misses) for seat in followed.seats]
    pairs = zip(followed.seats, before, after, strict=True)
    return [seat for seat, old, new in pairs if old != new]


def _follow_out(seat: Seat, state: State) -> None:
    """Say of a seat what the state says: an undo can bring back one that has forfeited."""
    if seat.number in state.out:
        seat.standing = Seat.Standing.OUT
    elif seat.standing == Seat.Standing.OUT:
        seat.standing = Seat.Standing.PLAYING


def _standing(standing: Seat.Standing) -> Callable[[Followed, Any], None]:
    def change(followed: Followed, event: Any) -> None:
        followed.seats[event.seat].standing = standing

    return change


def _miss_excused(followed: Followed, event: e.MissExcused) -> None:
    followed.seats[event.seat].misses += 1


def _seat_taken_over(followed: Followed, event: e.SeatTakenOver) -> None:
    seat = followed.seats[event.seat]
    seat.standing = Seat.Standing.PLAYING
    if not event.handed_over:
        seat.misses = 0


def _game_paused(followed: Followed, event: e.GamePaused) -> None:
    end = followed.at + timedelta(seconds=event.seconds)
    pauses = [*timing.pauses_of(followed.game), Stretch(followed.at, end)]
    timing.set_pauses(followed.game, pauses)
    followed.game.is_paused = True


def _game_resumed(followed: Followed, _: e.GameResumed) -> None:
    *pauses, last = timing.pauses_of(followed.game)
    ended = Stretch(last.start, min(last.end, followed.at))
    timing.set_pauses(followed.game, [*pauses, ended])
    followed.game.is_paused = False


_AT_TABLE: dict[type, Callable[[Followed, Any], None]] = {
    e.SeatAbsent: _standing(Seat.Standing.ABSENT),
    e.SeatLeft: _standing(Seat.Standing.LEFT),
    e.SeatReturned: _standing(Seat.Standing.PLAYING),
    e.SeatTakenOver: _seat_taken_over,
    e.MissExcused: _miss_excused,
    e.GamePaused: _game_paused,
    e.GameResumed: _game_resumed,
}
