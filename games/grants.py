"""How much time a question has when it is put, or its clock is started anew (docs/clock.md)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from engine import events as e
from engine.fold import is_undo
from engine.questions import KINDS
from engine.state import Question
from games.followed import Followed
from games.models import Decision, Move
from notifications.clocks import Asked, grant

AGREED_UNDO = timedelta(days=1)
"""What is left at least of a clock that an undo by consent starts again, or the time of a move."""


NewLife = e.MissExcused | e.SeatTakenOver | e.SeatReturned
NEW_LIFE = (e.MissExcused, e.SeatTakenOver, e.SeatReturned)
"""What starts the clock of a seat's open decision anew."""

SEALED = [name for name, kind in KINDS.items() if kind.sealed]
"""What takes nothing from a bank: when it was answered, while others had not, nobody may tell."""


def granted(followed: Followed, question: Question) -> timedelta:
    """Return how much time a new question has."""
    return _granted(followed, _history(followed, question))


def _history(followed: Followed, question: Question) -> list[Asked]:
    """Return the time of a new question, and what it is reckoned from.

    A question in mid-turn goes on with the turn's clock, and one that an undo asks again with
    what was left when it was answered; it is not filled up. Every other is a turn of its own, or
    a scenario event's question to another seat. A bank goes on with what the last one left.
    """
    undone = is_undo(followed.row)
    if followed.decision is not None and (undone or _is_in_mid_turn(followed, question)):
        put = followed.decision.partition("-")[0]  # with it, and asked again: several seats' even
        return _continued(followed, followed.before(f"{put}-{question.seat}"))
    new = Asked(begun=followed.at)
    last = followed.answered(question.seat) if followed.game.bank is not None else None
    if last is None:
        return [new]
    left = _left(followed, followed.clocks().closed(last, last.answered_at or followed.at).left)
    if last.closed_by == Move.Actor.BOT:
        # What a bot plays for who is away fills no bank, and leaves what a turn has.
        return [left, _going_on(followed, followed.game.policy.move_time)]
    return [left, new]


def _granted(followed: Followed, history: Sequence[Asked]) -> timedelta:
    # What was left is in it already: nothing has run yet that could have been rested.
    return grant(followed.game.policy, (), (), history)


def _left(followed: Followed, left: timedelta) -> Asked:
    """Return a time that has just ended with so much left."""
    return Asked(begun=followed.at, ended=followed.at, granted=left)


def _going_on(followed: Followed, at_least: timedelta) -> Asked:
    return Asked(begun=followed.at, continues=True, at_least=at_least)


def _is_in_mid_turn(followed: Followed, question: Question) -> bool:
    return question.seat == followed.row.seat and KINDS[question.kind].in_mid_turn


def _continued(followed: Followed, before: Decision) -> list[Asked]:
    undone = followed.row.events[0]
    agreed = isinstance(undone, e.Undone) and bool(undone.agreed)
    answered = before.answered_at or followed.at
    clock = followed.clocks().closed(before, answered)
    # When an answer was sealed nobody may tell; while others were awaited it takes no time.
    left = before.granted if before.kind in SEALED else clock.left
    # In the grace after an outage all has run out, but what continues must not be late at once.
    grace = timedelta(0) if clock.left else clock.deadline - answered
    return [_left(followed, left), _going_on(followed, max(grace, _floor(followed, agreed)))]


def _floor(followed: Followed, agreed: bool) -> timedelta:
    """Return what a clock has at least that is started again with everybody's consent."""
    return min(AGREED_UNDO, followed.game.policy.move_time) if agreed else timedelta(0)


def begin_again(followed: Followed, decision: Decision, event: NewLife) -> None:
    """Start the clock of an open decision anew."""
    left = followed.clocks().closed(decision, followed.at).left
    decision.granted = _granted(
        followed, [_left(followed, left), _again(followed, decision, event)]
    )
    decision.player_id = followed.seats[decision.seat].player_id
    decision.runs_from = followed.at
    decision.lives += 1
    decision.missed = isinstance(event, e.MissExcused) or decision.missed
    if isinstance(event, e.SeatTakenOver):
        decision.asked_at, decision.missed = followed.at, False


def _again(followed: Followed, decision: Decision, event: NewLife) -> Asked:
    """Return what a clock that is started anew goes on with.

    As the next turn would; but a seat that is handed to and fro gets a little more only once.
    """
    if isinstance(event, e.SeatTakenOver) and event.handed_over:
        return _going_on(followed, _floor(followed, decision.lives == 0))
    if followed.game.bank is None:
        return _going_on(followed, followed.game.policy.move_time)
    return Asked(begun=followed.at)
