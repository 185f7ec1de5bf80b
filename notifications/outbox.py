"""Delivering the outbox: claim rows, check that they are true, render, send, record (docs/mail.md).

SMTP is at-least-once: no mail is lost, and one goes out twice only if the worker dies between
the server's acceptance and our commit; both copies then have the same Message-ID.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import takewhile
from typing import Any, TypeVar

from django.core.mail import EmailMessage
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Case, F, Q, QuerySet, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from dewan_site import sql
from dewan_site.accounts.models import Player
from games.models import Game
from notifications import digest, health, notices, preferences, verdicts
from notifications.models import LastBatch, OutboxMail
from notifications.render import NoLongerTrue, message_for
from notifications.verdicts import ASKING, Drop, Fail, Gather, Known, Send, Told, Wait
from notifications.wire import Interrupted, Refused, ServerAway, Wire

log = logging.getLogger("dewan.mail")

State = OutboxMail.State
Made = TypeVar("Made")

TOGETHER = 30
"""How many rows are claimed at once, at most."""

RUN = 10.0
"""For how many seconds one run goes on: then other tasks have the worker, and the next sweep
goes on."""

CLAIM = timedelta(minutes=5)
"""A row that has been in flight for longer lost its worker, and comes back."""

PAUSES = [timedelta(minutes=m) for m in (1, 5, 30, 120, 360, 720, 1440)]
"""How long to wait after each failed attempt; after the last, the mail has failed."""

A_MOMENT = timedelta(seconds=5)
"""How long a row waits for another worker that has some of what goes out with it."""

INSISTING = (0.2, 0.5, 1, 2, 5, 10, 20)
"""How many seconds to wait for a database that does not take what a mail server has taken."""

A_SECOND = timedelta(seconds=1)

LOST = "the worker was lost"


def deliver() -> None:
    """Send the mails that are due, over one connection, until none is or time is up."""
    if health.server_is_away():
        return
    _take_back_lost()
    until = time.monotonic() + RUN
    with Wire() as wire:
        while time.monotonic() < until and (mails := _claim()):
            if not _Batch(mails, wire).goes_through():
                return


def _take_back_lost() -> None:
    """Bring back what a worker held that has died; that counts as an attempt."""
    now = timezone.now()
    lost = OutboxMail.objects.filter(state=State.INFLIGHT, claimed_at__lt=now - CLAIM)
    if not lost.exists():
        return
    tired = lost.filter(attempts__gte=len(PAUSES))
    tired.exclude(kind__in=ASKING).update(state=State.FAILED, reason=LOST)
    tired.update(state=State.RETRY, reason=LOST, due_at=now + PAUSES[-1])
    lost.update(state=State.RETRY, reason=LOST, attempts=F("attempts") + 1)


# ---- Claiming ----------------------------------------------------------------------------------


def _claim() -> list[OutboxMail]:
    """Take rows that are due for this worker; no other worker can take them then.

    What has failed before comes alone: a mail that kills its worker takes no other with it.
    """
    with transaction.atomic():
        due = OutboxMail.objects.filter(
            state__in=OutboxMail.WAITING, due_at__lte=timezone.now()
        ).order_by("due_at", "pk")
        rows = list(_locked(due)[:TOGETHER])
        fresh = list(takewhile(lambda mail: not mail.attempts, rows))
        return _claimed(fresh or rows[:1], timezone.now())


def _locked(rows: QuerySet[OutboxMail], *, skip: bool = True) -> QuerySet[OutboxMail]:
    """Lock rows, or those that no other worker has locked; SQLite has locked all already."""
    rows = rows.select_related("game", "player")
    return rows.select_for_update(of=("self",), skip_locked=skip)


def _claimed(mails: list[OutboxMail], now: datetime) -> list[OutboxMail]:
    """Mark rows that we have locked as ours; ``claimed_at`` is what we know them by."""
    rows = OutboxMail.objects.filter(pk__in=[mail.pk for mail in mails])
    rows.update(state=State.INFLIGHT, claimed_at=now)
    for mail in mails:
        mail.claimed_at = now
    return mails


def _insist(write: Callable[[], None]) -> None:
    """Write that a mail went out, also if the database is away for a while: else it goes twice."""
    for pause in INSISTING:
        try:
            return write()
        except (OperationalError, InterfaceError) as error:
            if connection.in_atomic_block:
                raise
            log.warning("it could not be written that a mail went out: %s", type(error).__name__)
            connection.close()
            time.sleep(pause)
    return write()


_version_now = sql.Prepared(lambda: Game.objects.filter(pk="game").values_list("version"))


class _Batch:
    """Rows that were claimed together, and what becomes of each of them."""

    def __init__(self, mails: Sequence[OutboxMail], wire: Wire) -> None:
        self.mails = mails
        self.wire = wire
        self.claimed_at = mails[0].claimed_at
        self.known = verdicts.look_up(mails)
        self.done: set[int] = set()
        self.version: tuple[int, int] | None = None

    def goes_through(self) -> bool:
        """Deal with each row; False if the server is away and there is no sense in going on."""
        try:
            self._go_through()
        except ServerAway as error:
            log.warning("the mail server is away: %s", error)
            health.server_went_away()
            self._put_back(State.RETRY, timezone.now() + health.AWAY, str(error))
            return False
        except BaseException:
            with suppress(DatabaseError):
                self._put_back(State.QUEUED, timezone.now())
            raise
        return True

    def _go_through(self) -> None:
        for mail in self.mails:
            if timezone.now() > self._until:  # the server is slow: others may take the rest
                self._put_back(State.QUEUED, timezone.now())
                return
            if mail.pk not in self.done:
                self._deal_with(self._as_it_is_now(mail))

    def _as_it_is_now(self, mail: OutboxMail) -> OutboxMail:
        """Return a row with its game as that is now: the mails before it took their time."""
        if mail.game is not None:
            if self.version is None or self.version[0] != mail.pk:
                self._read_version(mail)
            if self.version != (mail.pk, mail.game.version):
                mail.game.refresh_from_db()
        return mail

    def _read_version(self, mail: OutboxMail, *before: sql.Statement) -> None:
        """Read how far the game of a mail is, in one breath with writing something ``before``."""
        *_, ((version,),) = sql.read(*before, _version_now(mail.game_id))
        self.version = (mail.pk, version)

    @property
    def _until(self) -> datetime:
        assert self.claimed_at is not None, "the rows are claimed"
        return self.claimed_at + CLAIM / 2

    def _mine(self, *mails: OutboxMail) -> QuerySet[OutboxMail]:
        """Return those of some rows, or of all, that we have claimed and not dealt with."""
        mine = OutboxMail.objects.filter(state=State.INFLIGHT, claimed_at=self.claimed_at)
        return mine.filter(pk__in=[mail.pk for mail in mails]) if mails else mine

    def _deal_with(self, mail: OutboxMail) -> None:
        judge = partial(verdicts.verdict, mail, self.known, timezone.now())
        match self._made(mail, judge):
            case Send():
                self._send(mail)
            case Gather() as gather:
                self._gather(mail, gather)
            case Wait() | Drop() | Told() | Fail() as verdict:
                self._do_not_send(mail, verdict)

    def _send(self, mail: OutboxMail) -> None:
        if message := self._made(mail, partial(message_for, mail)):
            self._transmit([mail], message)

    def _do_not_send(self, mail: OutboxMail, verdict: Wait | Drop | Told | Fail) -> None:
        match verdict:
            case Wait():
                self._wait(mail, verdict)
            case Drop(reason):
                self._record([mail], state=State.DROPPED, reason=reason)
            case Told(by, at):
                self._record([mail], state=State.SENT, reason="", sent_at=at, told_in_id=by)
            case Fail(reason):
                self._record([mail], state=State.FAILED, reason=reason)

    def _made(self, mail: OutboxMail, make: Callable[[], Made]) -> Made | None:
        """Return what is made of a row; None if it is not true any more, or cannot be made."""
        try:
            return make()
        except NoLongerTrue as reason:
            self._record([mail], state=State.DROPPED, reason=str(reason))
        except DatabaseError:
            raise
        except Exception as error:
            log.exception("mail %s cannot be made", mail.as_log())
            self._failed(mail, error)
        return None

    # ---- Sending -----------------------------------------------------------------------------

    def _transmit(
        self, mails: Sequence[OutboxMail], message: EmailMessage, batch_of: Player | None = None
    ) -> None:
        """Send what tells of some rows, the first of which leads, and record what came of it."""
        (address,) = message.to
        try:
            self.wire.send(message)
        except ServerAway:
            raise
        except Refused as error:
            self._refused(mails, address, str(error))
        except Exception as error:
            for mail in mails:
                self._failed(mail, error)
            if isinstance(error, Interrupted):
                raise ServerAway(str(error)) from error
        else:
            self._sent(mails, batch_of)
            self._got_through(address)

    def _sent(self, mails: Sequence[OutboxMail], batch_of: Player | None) -> None:
        now, (lead, *others) = timezone.now(), mails
        if others:
            told_in = Case(When(pk=lead.pk, then=None), default=lead.pk)
            columns = {"state": State.SENT, "sent_at": now, "reason": "", "told_in": told_in}
            _insist(partial(self._record, mails, **columns))
        else:
            _insist(partial(self._record_sent, lead, now))
            self.known.answered_with(lead)
        if batch_of:
            LastBatch.objects.filter(player=batch_of).update(sent_at=now)

    def _got_through(self, address: str) -> None:
        trouble = self.known.troubles.get(address)
        if trouble and health.got_through(trouble):
            del self.known.troubles[address]

    def _refused(self, mails: Sequence[OutboxMail], address: str, problem: str) -> None:
        """Let an address have rest; a mail about an account is of no use later."""
        account = [mail for mail in mails if mail.game_id is None]
        if account:
            self._record(account, state=State.FAILED, reason=problem)
        if any(mail.address for mail in account):  # nobody's address yet
            return
        trouble = self.known.troubles[address] = health.refused(address, problem)
        for mail in mails:
            if mail not in account:
                # The others go first then: perhaps it is this mail that is not wanted.
                wait = verdicts.waiting_for(trouble, mail, timezone.now(), behind=A_SECOND)
                self._do_not_send(mail, wait)

    def _wait(self, mail: OutboxMail, wait: Wait) -> None:
        reason = wait.problem or mail.reason
        self._record(
            [mail],
            state=State.RETRY if reason else State.QUEUED,
            due_at=wait.until,
            ready_at=mail.ready_at or mail.due_at,
            reason=reason,
        )

    def _failed(self, mail: OutboxMail, error: Exception) -> None:
        """Try again later; what asks for an answer is tried as long as it may be answered."""
        log.warning("mail %s was not sent: %s", mail.as_log(), type(error).__name__)
        attempts, reason = mail.attempts + 1, f"{type(error).__name__}: {error}"[:200]
        if attempts > len(PAUSES) and mail.kind not in ASKING:
            self._record([mail], state=State.FAILED, attempts=attempts, reason=reason)
            return
        self._record(
            [mail],
            state=State.RETRY,
            attempts=attempts,
            due_at=timezone.now() + PAUSES[min(attempts, len(PAUSES)) - 1],
            ready_at=mail.ready_at or mail.due_at,
            reason=reason,
        )

    def _record(self, mails: Sequence[OutboxMail], **columns: Any) -> None:
        """Write what became of rows, but for those that others have taken for lost meanwhile."""
        self._mine(*mails).update(**columns)
        self.done.update(mail.pk for mail in mails)

    def _record_sent(self, mail: OutboxMail, now: datetime) -> None:
        """Write that a mail went out, as ``_record`` does, and look at the game of the next."""
        mail.state, mail.sent_at, mail.reason, mail.told_in = State.SENT, now, "", None
        still = {"state": State.INFLIGHT, "claimed_at": self.claimed_at}
        record = sql.updating(mail, ("state", "sent_at", "reason", "told_in"), still)
        self.done.add(mail.pk)
        following = next((each for each in self.mails if each.pk not in self.done), None)
        if following is None or following.game_id is None:
            sql.write([record])
        else:
            self._read_version(following, sql.returning(record))

    def _put_back(self, state: State, due_at: datetime, reason: str = "") -> None:
        """Let all that was not dealt with wait again; that is no attempt."""
        ready_at = Coalesce("ready_at", "due_at")
        self._mine().update(state=state, due_at=due_at, ready_at=ready_at, reason=reason)

    # ---- What goes out together ----------------------------------------------------------------

    def _gather(self, mail: OutboxMail, gather: Gather) -> None:
        mails = self._take_along(mail, gather)
        known = verdicts.look_up(mails)
        parts = [part for each in mails if (part := self._part(each, known))]
        if not parts:
            return
        try:
            lead, message = digest.message(parts)
        except DatabaseError:
            raise
        except Exception:
            log.exception("mails that wait cannot be made one: they go one by one")
            for part in parts:
                self._send(part.mail)
        else:
            others = [part.mail for part in parts if part.mail != lead]
            self._transmit([lead, *others], message, gather.player if gather.is_batch else None)

    def _part(self, mail: OutboxMail, known: Known) -> digest.Part | None:
        if verdict := verdicts.pointless(mail, known):
            self._do_not_send(mail, verdict)
            return None
        return self._made(mail, partial(digest.part_of, mail))

    def _take_along(self, mail: OutboxMail, gather: Gather) -> list[OutboxMail]:
        """Claim everything that goes out with a row; nothing if another worker has part of it.

        Then the row waits a moment, and that worker will find it: rows of a player are gathered
        and let go under one lock, so the last of several workers has them all.
        """
        now = timezone.now()
        with transaction.atomic():
            LastBatch.objects.select_for_update().get_or_create(player=gather.player)
            theirs = self._of(gather)
            ready = Q(ready_at__lte=now) | Q(ready_at=None, due_at__lte=now)
            waiting = ready & Q(state__in=OutboxMail.WAITING)
            mine = Q(state=State.INFLIGHT, claimed_at=self.claimed_at)
            elsewhere = theirs.filter(state=State.INFLIGHT).exclude(mine)
            # Asked before and after: meanwhile another worker may claim a row, or let it go.
            is_elsewhere = elsewhere.exists()
            rows = list(_locked(theirs.filter(waiting | mine).order_by("pk"), skip=False))
            if is_elsewhere or elsewhere.exists():
                self._wait(mail, Wait(now + A_MOMENT))
                return []
            return _claimed(_in_rhythm(rows, gather), self.claimed_at or now)

    def _of(self, gather: Gather) -> QuerySet[OutboxMail]:
        theirs = preferences.mails_to(gather.player).exclude(kind=notices.ANSWER)
        return theirs.filter(game=gather.game) if gather.game else theirs.exclude(game=None)


def _in_rhythm(mails: list[OutboxMail], gather: Gather) -> list[OutboxMail]:
    """Return those of a player's mails that go out together; of one game all do."""
    if gather.game is not None:
        return mails
    known = verdicts.look_up(mails)
    return [mail for mail in mails if known.rhythm(mail, gather.player) == gather.rhythm]
