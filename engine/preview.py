"""What a command would lead to, as far as its seat can know beforehand.

The command is played by the rules themselves on the seat's masked state (``views.mask``), and
stops before the first event that would tell the seat something hidden or use chance. So a
preview says no more than the seat knows, and refuses what ``engine.decide`` would refuse.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from engine.chance import Chance
from engine.commands import Command
from engine.decide import Submission, as_it_leaves, player_for, submit
from engine.errors import GameError
from engine.events import Event, GameEnded, PileShuffled
from engine.play import Play
from engine.state import State
from engine.views import learners

_NO_CHANCE = Chance(b"", ())
"""Stands where a chance is wanted; a preview stops before it would be used."""


class Foreseen(msgspec.Struct, frozen=True):
    """The events that are certain, and the seat's view of the game after them."""

    events: tuple[Event, ...]
    after: State


class _NotKnown(Exception):
    """What comes next cannot be known yet."""


class _Known(Play):
    """A submission as far as its seat can foresee it."""

    def __init__(self, seen: State, seat: int) -> None:
        super().__init__(seen, _NO_CHANCE)
        self.seat = seat

    def emit(self, event: Event) -> None:
        """Let an event happen, or stop if the seat would learn from it."""
        if self.seat in learners(self.state, event):
            raise _NotKnown
        super().emit(event)

    def shuffled(self, cards: tuple[str, ...]) -> tuple[str, ...]:
        """Stop: nobody knows the order."""
        del cards
        raise _NotKnown


def foresee(seen: State, seat: int, command: Command) -> Foreseen:
    """Return what is certain to happen if the seat plays this command now.

    Raises what ``engine.decide.submit`` raises.
    """
    question = seen.question_of(seat)
    if question is None or question.kind not in command.answers:
        # A refusal or an undo: the seat knows all that either depends on.
        return Foreseen(submit(seen, seat, [command], _NO_CHANCE).events, seen)
    command, _ = as_it_leaves(seen, seat, command)
    known = _Known(seen, seat)
    with suppress(_NotKnown):
        player_for(seen, question, command)(known, seat, question.kind, command)
    return Foreseen(tuple(known.events), known.state)


class _Learnt(Exception):
    """Somebody would learn something hidden from an event of this kind, or the game is over."""

    def __init__(self, kind: type[Event]) -> None:
        super().__init__(kind)
        self.kind = kind


class _Watched(Play):
    """A submission that stops where a move becomes one that cannot be taken back freely."""

    def emit(self, event: Event) -> None:
        """Let an event happen that nobody learns from."""
        if isinstance(event, GameEnded) or learners(self.state, event):
            raise _Learnt(type(event))
        super().emit(event)

    def shuffled(self, cards: tuple[str, ...]) -> tuple[str, ...]:
        """Stop: use of chance counts as learning."""
        del cards
        raise _Learnt(PileShuffled)


def first_learnt(seen: State, seat: int, commands: Sequence[Command]) -> type[Event] | None:
    """Return the first kind of event that keeps a seat's commands from being taken back freely.

    None if nobody learns anything, or if the commands are refused: then nothing happens.
    """
    watched = _Watched(seen, _NO_CHANCE)
    try:
        Submission(watched, seat, commands).outcome()
    except _Learnt as learnt:
        return learnt.kind
    except GameError:
        return None
    return None
