"""Which mails a row of the move log causes; they are written in its transaction (docs/mail.md)."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from email.utils import parseaddr
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac
from kombu.exceptions import OperationalError

from dewan_site import sql
from dewan_site.accounts.models import Player
from dewan_site.celery import app
from dewan_site.sql import Statement, inserting
from engine import events as e
from engine.events import Event, Undone
from engine.state import State
from games.models import Decision, Game, Move, Proposal, Seat
from notifications.models import InboundMail, OutboxMail

log = logging.getLogger("dewan.mail")

STARTED = "started"
TURN = "turn"
REMINDER = "reminder"
TIMED_OUT = "timed_out"
TAKEN_BACK = "taken_back"
GAME_OVER = "game_over"
CANCELLED = "cancelled"
MISS_EXCUSED = "miss_excused"
AWAY = "away"
SEAT_LEFT = "seat_left"
LEFT = "left"
TAKEN_OVER = "taken_over"
PAUSED = "paused"
RESUMED = "resumed"
OUTAGE = "outage"
PROPOSAL = "proposal"
REFUSED = "refused"
ANSWER = "answer"
SIGN_IN = "sign_in"
ADDRESS_CHANGE = "address_change"
ADDRESS_CHANGED = "address_changed"


A_MOMENT, AFTER_A_BOT = timedelta(seconds=20), timedelta(seconds=5)
"""How long a turn mail waits for a player who may be at the page: that looks for a bot's move more
often than for a person's."""


def announce(
    game: Game, seats: Sequence[Seat], move: Move, state: State, events: Sequence[Event]
) -> list[Statement]:
    """Return the statements that write the mails a row causes; wake bots and mail after it.

    A turn mail waits where a slip may be taken back, and where its seat is in the middle of a turn;
    else for a moment, in which its player may see the question on the page (``verdicts``). The
    first of a game goes out at once.
    """
    mails = [
        *_caused(game, seats, move, state, events),
        *_of_the_table(game, seats, move, state, events),
        *_taken_back(game, move, events),
    ]
    bots = {seat.number for seat in seats if seat.is_played_by_bot}
    if any(question.seat in bots for question in state.questions):
        after_commit("play_bots", game.pk)
    if any(mail.due_at <= timezone.now() for mail in mails):
        after_commit("deliver_mail")
    return [inserting(mail, or_ignore=True) for mail in mails]


def _caused(
    game: Game, seats: Sequence[Seat], move: Move, state: State, events: Sequence[Event]
) -> Iterable[OutboxMail]:
    now = timezone.now()
    people = [seat.number for seat in seats if _reads(seat)]
    playing = [seat.number for seat in seats if not seat.is_played_by_bot]
    to_seat = partial(_mail, game, now)
    if move.number == 1:
        yield from (_first(to_seat(STARTED, seat.number), seat) for seat in seats if _reads(seat))
    forfeited = any(isinstance(event, e.SeatForfeited) for event in events)
    if move.actor == Move.Actor.CLOCK and move.seat in people and not forfeited:
        yield to_seat(TIMED_OUT, move.seat, move.decision or "")
    if state.over:
        kind = CANCELLED if state.cancelled else GAME_OVER
        yield from (to_seat(kind, seat) for seat in people)
    if state.since == move.number:
        for question in state.questions:
            if question.seat in playing:
                mail = to_seat(TURN, question.seat, state.decision_of(question))
                mail.due_at += _hold(move, state, question.seat)
                yield mail


def _hold(move: Move, state: State, seat: int) -> timedelta:
    """Return how long the mail waits that tells a seat what a row asks it."""
    if move.number == 1:
        return timedelta(0)
    if state.undoable or seat == move.seat:
        return settings.DEWAN_UNDO_HOLD
    moment = AFTER_A_BOT if move.actor == Move.Actor.BOT else A_MOMENT
    return min(settings.DEWAN_UNDO_HOLD, moment)


def _of_the_table(
    game: Game, seats: Sequence[Seat], move: Move, state: State, events: Sequence[Event]
) -> Iterable[OutboxMail]:
    """Tell of what has happened at the table: each mail once for each row."""
    asked = [question.seat for question in state.questions]
    people = [seat.number for seat in seats if _reads(seat)]
    for event in events:
        if type(event) in _NEWS:
            kind, to = _NEWS[type(event)]
            for seat in [seat for seat in people if to(event, seat, asked)]:
                mail = _mail(game, timezone.now(), kind, seat)
                mail.stage = str(move.number)
                yield _first(mail, seats[seat]) if kind == TAKEN_OVER else mail


def _reads(seat: Seat) -> bool:
    """Tell whether somebody sits there who can be written to."""
    return bool(seat.is_human and seat.player_id)


def _first(mail: OutboxMail, seat: Seat) -> OutboxMail:
    """Let a mail begin the thread of a seat's player, unless that has begun before they left."""
    assert seat.player_id is not None, "who is written to sits there"
    root = thread_root(seat.game_id, seat.number, seat.player_id)
    if not OutboxMail.objects.filter(message_id=root).exists():
        mail.message_id = root
    return mail


def _the_seat(event: Any, seat: int, _: Sequence[int]) -> bool:
    return bool(seat == event.seat)


def _the_others(event: Any, seat: int, _: Sequence[int]) -> bool:
    return bool(seat != event.seat)


def _everybody(_event: Event, _seat: int, _asked: Sequence[int]) -> bool:
    return True


def _whoever_is_asked(_: Event, seat: int, asked: Sequence[int]) -> bool:
    return seat in asked


_NEWS: dict[type, tuple[str, Callable[[Any, int, Sequence[int]], bool]]] = {
    e.MissExcused: (MISS_EXCUSED, _the_seat),
    e.SeatAbsent: (AWAY, _the_seat),
    e.SeatLeft: (SEAT_LEFT, _the_others),
    e.SeatForfeited: (SEAT_LEFT, _everybody),
    e.SeatTakenOver: (TAKEN_OVER, _the_seat),
    e.GamePaused: (PAUSED, _everybody),
    e.GameResumed: (RESUMED, _everybody),
    e.OutageCredited: (OUTAGE, _whoever_is_asked),
}
"""Which mail tells of an event at the table, and whom."""


def _taken_back(game: Game, move: Move, events: Sequence[Event]) -> Iterable[OutboxMail]:
    """Tell the seats that had been told of a turn which an undo took from them again."""
    undone = next((event for event in events if isinstance(event, Undone)), None)
    if undone is None:
        return
    asked = Decision.objects.filter(game=game, since__gte=undone.from_)
    told = OutboxMail.objects.filter(
        game=game,
        kind__in=(TURN, REMINDER),
        decision__in=asked.values("decision"),
        state__in=[OutboxMail.State.SENT, OutboxMail.State.INFLIGHT],
    )
    for mail in told.exclude(seat=move.seat):
        assert mail.seat is not None, "what is asked is asked of a seat"
        yield _mail(game, timezone.now(), TAKEN_BACK, mail.seat, mail.decision)


def tell_leaver(move: Move, player: int) -> None:
    """Write at once to who has left a seat with a move; it tells nothing of the game."""
    mail = _mail(move.game, timezone.now(), LEFT, None)
    mail.player_id, mail.stage = player, str(move.number)
    mail.save()
    after_commit("deliver_mail")


def tell_proposal(proposal: Proposal, seats: Iterable[int]) -> None:
    """Write to the seats that have to agree to a proposal."""
    mails = [
        _about_proposal(PROPOSAL, proposal, seat) for seat in seats if seat not in proposal.agreed
    ]
    OutboxMail.objects.bulk_create(mails, ignore_conflicts=True)
    after_commit("deliver_mail")


def tell_refusal(proposal: Proposal) -> None:
    """Write to who has proposed what somebody has refused."""
    mail = _about_proposal(REFUSED, proposal, proposal.seat)
    OutboxMail.objects.bulk_create([mail], ignore_conflicts=True)
    after_commit("deliver_mail")


def _about_proposal(kind: str, proposal: Proposal, seat: int) -> OutboxMail:
    mail = _mail(proposal.game, timezone.now(), kind, seat)
    mail.stage = str(proposal.pk)
    return mail


AFTER_AN_ANSWER = timedelta(seconds=15)
"""How much later than an answer a turn mail goes out that the answer makes needless."""


def answer(inbound: InboundMail) -> None:
    """Answer a mail that has come in, at once; it tells too what its seat is asked then.

    A turn mail about that waits for it a moment, and is not sent when the answer has gone.
    """
    decision = _asked_now(inbound)
    mail = OutboxMail(
        kind=ANSWER,
        game=inbound.game,
        seat=inbound.seat,
        decision=decision or inbound.decision,
        stage=str(inbound.pk),
        player=None if inbound.game else inbound.player,
        due_at=timezone.now(),
        message_id=new_message_id(ANSWER),
    )
    sql.write([inserting(mail)])
    if decision:
        waiting = OutboxMail.objects.filter(
            game=inbound.game, decision=decision, kind=TURN, state__in=OutboxMail.WAITING
        )
        after = mail.due_at + AFTER_AN_ANSWER
        waiting.filter(due_at__lt=after).update(due_at=after)
    after_commit("deliver_mail")


def _asked_now(inbound: InboundMail) -> str:
    """Return the decision that the seat of a mail is asked; empty if it is not, or has no seat."""
    if inbound.seat is None:
        return ""
    (rows,) = sql.read(_open_decision(inbound.game_id, inbound.seat))
    return str(rows[0][0]) if rows else ""


_open_decision = sql.Prepared(
    lambda: Decision.objects.filter(game="", seat=0, answered_at=None).values_list("decision")
)


def _mail(
    game: Game, due_at: datetime, kind: str, seat: int | None, decision: str = ""
) -> OutboxMail:
    return OutboxMail(
        kind=kind,
        game=game,
        seat=seat,
        decision=decision,
        due_at=due_at,
        message_id=new_message_id(kind),
    )


def remind(game_id: str, seat: int, decision: str, stage: str) -> None:
    """Write a reminder of an open decision; the same one twice is one."""
    mail = OutboxMail(
        kind=REMINDER,
        game_id=game_id,
        seat=seat,
        decision=decision,
        stage=stage,
        due_at=timezone.now(),
        message_id=new_message_id(REMINDER),
    )
    OutboxMail.objects.bulk_create([mail], ignore_conflicts=True)


def write_to_player(kind: str, player: Player, address: str = "") -> None:
    """Write a mail about an account, to be sent at once."""
    OutboxMail.objects.create(
        kind=kind,
        player=player,
        address=address,
        due_at=timezone.now(),
        message_id=new_message_id(kind),
    )
    after_commit("deliver_mail")


def new_message_id(kind: str) -> str:
    """Return a Message-ID that no other mail has; it stays the mail's through every attempt."""
    return f"<{kind}.{secrets.token_hex(12)}@{mail_domain()}>"


def thread_root(game_id: str, seat: int, player: int) -> str:
    """Return the Message-ID of the first mail to a player of a seat: all others hang below it.

    Nobody can guess it: a reply that names it comes from who has had that mail.
    """
    signed = salted_hmac("dewan.thread", f"{game_id} {seat} {player}", algorithm="sha256")
    return f"<game.{signed.hexdigest()[:24]}@{mail_domain()}>"


def mail_domain() -> str:
    """Return the domain our mails come from."""
    return parseaddr(settings.DEFAULT_FROM_EMAIL)[1].partition("@")[2] or "localhost"


def after_commit(task: str, *arguments: str) -> None:
    """Nudge a task once the transaction has committed; a nudge that is lost is made up for."""
    transaction.on_commit(partial(_nudge, task, arguments))


@contextmanager
def nudging_once() -> Iterator[None]:
    """Hold nudges back until the end of many small transactions, and send each of them once."""
    token = _held.set({})
    try:
        yield
    finally:
        held = _held.get() or {}
        _held.reset(token)
        for task, arguments in held:
            _nudge(task, arguments)


_held: ContextVar[dict[tuple[str, tuple[str, ...]], None] | None] = ContextVar("held", default=None)


def _nudge(task: str, arguments: tuple[str, ...]) -> None:
    held = _held.get()
    if held is not None:
        held[task, arguments] = None
        return
    try:
        app.send_task(f"notifications.tasks.{task}", arguments, retry=False)
    except (OperationalError, OSError) as error:
        log.warning("the broker is out of reach; the next sweep does %s: %s", task, error)
