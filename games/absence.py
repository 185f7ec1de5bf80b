"""Who is late, away or gone: time-outs, leaving a seat, taking one over, calling a game off.

Whoever opens a table chooses how it treats absence (docs/clock.md); whatever happens, the game
goes on and ends for those who stay. Each function is one transaction that locks the game first.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from dewan_site.accounts.models import Player
from engine.decide import forfeit
from engine.events import (
    DeadlineExtended,
    GameCancelled,
    GameResumed,
    MissExcused,
    SeatAbsent,
    SeatLeft,
    SeatReturned,
    SeatTakenOver,
)
from engine.questions import KINDS
from games import consent, timing
from games.access import NotVisible, may_sit
from games.errors import GameFull, InvalidRequest
from games.models import Decision, Game, Move, Seat, SeatOffer, Sitting
from games.services import answer_for, close_open, join_game, play_turn_for
from games.table import Answered, Table, check_in_play
from notifications import notices
from notifications.clocks import GAP

How = Sitting.How


# ---- What the clock does -----------------------------------------------------------------------


@transaction.atomic
def wake(game_id: str, decision_id: int) -> None:
    """Do what is due for an open decision: end a pause, nudge a bot, remind, or time out.

    Everything is looked at again under the lock: only what is still true happens, and once.
    """
    table = Table.lock(game_id)
    table.credit_outages()
    _resume_if_over(table)
    decision = Decision.objects.get(pk=decision_id)
    if decision.answered_at is not None or _is_sealed(table, decision):
        return
    now = timezone.now()
    if decision.runs_from > now + GAP:
        # It was asked by a clock that was ahead; let it run from now.
        table.note(DeadlineExtended(seconds=0), Move.Actor.SERVICE)
        decision.refresh_from_db()
    if table.seats[decision.seat].is_played_by_bot:
        _nudge_bot(decision, now)
    elif table.clocks.clock(decision, now).deadline <= now:
        _time_is_up(table, decision)
    else:
        _remind(table, decision, now)


def _is_sealed(table: Table, decision: Decision) -> bool:
    """Tell whether a decision is answered, though nobody may know yet (R13.5)."""
    if decision.seat in table.sealed:
        Decision.objects.filter(pk=decision.pk).update(wake_at=None)
    return decision.seat in table.sealed


def _resume_if_over(table: Table) -> None:
    """End a pause that has lasted as long as was agreed."""
    pauses = timing.pauses_of(table.game)
    if table.game.is_paused and not table.game.over and pauses[-1].end <= timezone.now():
        table.note(GameResumed(), Move.Actor.CLOCK)


def _nudge_bot(decision: Decision, now: datetime) -> None:
    """Wake a bot whose nudge was lost, and look again if this one is lost too."""
    notices.after_commit("play_bots", decision.game_id)
    decision.wake_at = now + timing.BOT_PATIENCE
    decision.save(update_fields=["wake_at"])


def _remind(table: Table, decision: Decision, now: datetime) -> None:
    """Write the last reminder that has fallen due, if any, and set when to look next."""
    assert decision.player is not None, "a bot answers for an empty seat"
    stages = decision.player.reminders
    reminders = table.clocks.reminders(decision, stages)
    due = [reminder for reminder in reminders if reminder.at <= now]
    if due:
        life = f"+{decision.lives}" if decision.lives else ""
        stage = f"{due[-1].stage}{life}"
        notices.remind(decision.game_id, decision.seat, decision.decision, stage)
    decision.wake_at = table.clocks.wake_at(decision, now, stages)
    decision.save(update_fields=["wake_at"])


def _time_is_up(table: Table, decision: Decision) -> None:
    """Excuse a miss while the seat has some; then do what the table has chosen.

    What is answered sealed is answered for the seat: anything else would tell who has not.
    """
    seat = table.seats[decision.seat]
    left = table.game.excused_misses - seat.misses
    if KINDS[decision.kind].sealed:
        _move(table, seat)
    elif left > 0:
        table.note(MissExcused(seat=seat.number, left=left - 1), Move.Actor.CLOCK)
    else:
        _OUTCOMES[table.game.absence](table, seat)


def _move(table: Table, seat: Seat) -> None:
    play_turn_for(table, seat.number, Move.Actor.CLOCK)


def _bot_plays_on(table: Table, seat: Seat) -> None:
    table.note(SeatAbsent(seat=seat.number), Move.Actor.CLOCK)


def _open_seat(table: Table, seat: Seat) -> None:
    _vacate(table, seat, How.TIMED_OUT, Move.Actor.CLOCK)


def _forfeit(table: Table, seat: Seat) -> None:
    forfeit_seat(table, seat, How.TIMED_OUT, Move.Actor.CLOCK)


_OUTCOMES: dict[str, Callable[[Table, Seat], None]] = {
    Game.Absence.MOVE: _move,
    Game.Absence.BOT: _bot_plays_on,
    Game.Absence.REPLACEMENT: _open_seat,
    Game.Absence.FORFEIT: _forfeit,
}


# ---- Leaving -----------------------------------------------------------------------------------


@transaction.atomic
def leave(player: Player, game_id: str) -> Game:
    """Get up from a table for good: before the game the seat is free again, later it is resigned.

    Raises NotVisible for who does not sit there, GameOver when the game is over.
    """
    table = Table.lock(game_id)
    seat = table.held_by(player)
    if table.game.status == Game.Status.OPEN:
        seat.player = seat.contribution = None
        seat.save(update_fields=["player", "contribution"])
        return table.game
    assert table.running is not None, "it raises if there is nothing to resign from"
    check_in_play(seat)
    if table.game.absence == Game.Absence.FORFEIT:
        forfeit_seat(table, seat, How.RESIGNED, Move.Actor.PLAYER)
    else:
        _vacate(table, seat, How.RESIGNED, Move.Actor.PLAYER)
    return table.game


def _vacate(table: Table, seat: Seat, how: How, actor: Move.Actor) -> None:
    """Free a seat: a bot plays on until somebody takes it. Who left sees nothing more of it."""
    assert seat.player_id is not None, "somebody sits there"
    leaver = seat.player_id
    _stand_up(table, seat, how)
    move = table.note(SeatLeft(seat=seat.number, reason=how), actor)
    notices.tell_leaver(move, leaver)
    consent.forget(table, seat.number)
    consent.settle(table)


def _stand_up(table: Table, seat: Seat, how: How) -> None:
    """End the sitting of whoever sits on a seat, with the row that is written next."""
    Sitting.objects.filter(game=table.game, seat=seat.number, until=None).update(
        until=table.game.version + 1, how=how, ended_at=timezone.now()
    )
    _withdraw(table, seat)
    seat.player = None
    seat.save(update_fields=["player"])


def forfeit_seat(table: Table, seat: Seat, reason: How, actor: Move.Actor) -> None:
    """Let a seat forfeit: what it is asked in mid-turn is answered safely before (docs/rules.md).

    The player stays in the game's list, and sees how it goes on from the seat.
    """
    _withdraw(table, seat)
    stand_in = Move.Actor.CLOCK if reason == How.TIMED_OUT else Move.Actor.BOT
    _answer_all_but_a_turn(table, seat.number, stand_in)
    if table.game.over:
        return
    state = table.running
    question = table.question_of(seat.number)
    decision = state.decision_of(question) if question else None
    events = forfeit(state, seat.number, reason, table.chance)
    table.record(Answered(seat.number, actor, decision), (), events)
    consent.forget(table, seat.number)
    consent.settle(table)


def _answer_all_but_a_turn(table: Table, seat: int, actor: Move.Actor) -> None:
    while (question := table.question_of(seat)) and question.kind != "turn":
        answer_for(table, seat, actor)


@transaction.atomic
def come_back(player: Player, game_id: str) -> Game:
    """Play again for a seat that a bot has played on for; harmless if none has."""
    table = Table.lock(game_id)
    seat = table.held_by(player)
    if seat.standing == Seat.Standing.ABSENT and table.running is not None:
        table.note(SeatReturned(seat=seat.number), Move.Actor.PLAYER)
    return table.game


# ---- Handing a seat over -----------------------------------------------------------------------


@transaction.atomic
def offer_seat(player: Player, game_id: str) -> SeatOffer:
    """Offer a player's seat to whoever has the link; asking again gives the same link."""
    table = Table.lock(game_id)
    seat = table.held_by(player)
    if seat.standing == Seat.Standing.OUT or table.running is None:
        raise InvalidRequest("a seat that has forfeited cannot be handed over")
    offer, _ = SeatOffer.objects.get_or_create(
        game=table.game, seat=seat.number, defaults={"token": secrets.token_urlsafe(32)}
    )
    return offer


@transaction.atomic
def withdraw_offer(player: Player, game_id: str) -> None:
    """Make the link to a player's seat useless."""
    table = Table.lock(game_id)
    _withdraw(table, table.held_by(player))


def _withdraw(table: Table, seat: Seat) -> None:
    SeatOffer.objects.filter(game=table.game, seat=seat.number).delete()


@transaction.atomic
def take_seat(
    player: Player, game_id: str, contribution: str | None = None, offer: str = ""
) -> tuple[Game, bool]:
    """Sit down: on a free seat of a table that waits, one that was left, or one that is offered.

    Returns the game and whether that was new. Raises NotVisible for an offer that does not
    stand, GameFull if no seat can be taken.
    """
    table = Table.lock(game_id)
    if table.seat_of(player.pk) is not None and table.game.status != Game.Status.OPEN:
        return table.game, False
    if table.game.status != Game.Status.RUNNING and not offer:
        return join_game(player, game_id, contribution)
    seat = _offered(table, offer, player) if offer else _left(table, player)
    former = seat.player_id
    if former is not None:
        _stand_up(table, seat, How.HANDED_OVER)
    _take_over(table, seat, player, former)
    return table.game, True


def _offered(table: Table, token: str, player: Player) -> Seat:
    offer = SeatOffer.objects.filter(game=table.game, token=token).first()
    if offer is None or table.game.over:
        raise NotVisible
    seat = table.seats[offer.seat]
    if not may_sit(player, seat):
        raise GameFull("you have sat on another seat of this game")
    return seat


def _left(table: Table, player: Player) -> Seat:
    for seat in table.seats:
        if seat.is_vacant and may_sit(player, seat):
            return seat
    raise GameFull("every seat of this game is taken")


def _take_over(table: Table, seat: Seat, player: Player, former: int | None) -> None:
    consent.forget(table, seat.number)
    seat.player = player
    seat.save(update_fields=["player"])
    since = table.game.version + 1
    Sitting.objects.create(game=table.game, seat=seat.number, player=player, since=since)
    table.rests = timing.rests_at(table.game)
    taken = SeatTakenOver(seat=seat.number, handed_over=former is not None)
    move = table.note(taken, Move.Actor.PLAYER)
    if former is not None:
        notices.tell_leaver(move, former)


# ---- Calling off -------------------------------------------------------------------------------


@transaction.atomic
def call_off(player: Player, game_id: str) -> Game:
    """Call a game off: its creator before it begins, any player before its first round.

    Raises NotVisible for everybody else, InvalidRequest when it is too late: then all who play
    have to agree (``games.consent``).
    """
    table = Table.lock(game_id)
    game = table.game
    if game.status == Game.Status.OPEN and game.creator_id == player.pk:
        close_open(game, "called_off")
        return game
    check_in_play(table.held_by(player))
    if game.status == Game.Status.OPEN:
        raise InvalidRequest("only who has opened the table can call it off; you can leave it")
    if table.running.round:
        raise InvalidRequest("the first round has begun: propose to call the game off")
    table.note(GameCancelled(reason="first_round"), Move.Actor.PLAYER)
    return game
