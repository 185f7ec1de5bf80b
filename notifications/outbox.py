"""Delivering the outbox: claim a row, check that it is true, render, send, record (docs/mail.md).

SMTP is at-least-once: no mail is lost, and one goes out twice only if the worker dies between
the server's acceptance and our commit; both copies then have the same Message-ID.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from smtplib import SMTPException

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import DatabaseError
from django.db.models import F, Q
from django.utils import timezone

from notifications.models import OutboxMail
from notifications.render import NoLongerTrue, message_for

log = logging.getLogger("dewan.mail")

BATCH = 100
"""How many mails one run sends at most; the next one goes on."""

CLAIM = timedelta(minutes=5)
"""A row that has been in flight for longer lost its worker, and comes back."""

PAUSES = [timedelta(minutes=m) for m in (1, 5, 30, 120, 360, 720, 1440)]
"""How long to wait after each failed attempt; after the last, the mail has failed."""


def deliver() -> None:
    """Send the mails that are due, over one connection."""
    State = OutboxMail.State  # noqa: N806
    abandoned = OutboxMail.objects.filter(
        state=State.INFLIGHT, claimed_at__lt=timezone.now() - CLAIM
    )
    abandoned.update(state=State.RETRY, reason="the worker was lost")
    connection = get_connection()
    try:
        for mail_id in _due():
            if mail := _claim(mail_id):
                _send(mail, connection)
    finally:
        connection.close()


def _due() -> list[int]:
    waiting = OutboxMail.objects.filter(
        state__in=OutboxMail.WAITING, due_at__lte=timezone.now()
    ).order_by("due_at")
    return list(waiting.values_list("pk", flat=True)[:BATCH])


def _claim(mail_id: int) -> OutboxMail | None:
    """Take a row for this worker: the UPDATE hits it for one worker only."""
    hit = OutboxMail.objects.filter(pk=mail_id, state__in=OutboxMail.WAITING).update(
        state=OutboxMail.State.INFLIGHT, claimed_at=timezone.now(), attempts=F("attempts") + 1
    )
    return OutboxMail.objects.select_related("game", "player").get(pk=mail_id) if hit else None


def _send(mail: OutboxMail, connection: BaseEmailBackend) -> None:
    try:
        message = message_for(mail)
        message.connection = connection
        message.send()
    except NoLongerTrue as reason:
        _record(mail, OutboxMail.State.DROPPED, reason=str(reason))
    except DatabaseError:
        raise
    except (SMTPException, OSError) as error:
        _failed(mail, error)
    except Exception as error:
        log.exception("mail %s cannot be made", mail.as_log())
        _failed(mail, error)
    else:
        _record(mail, OutboxMail.State.SENT, sent_at=timezone.now(), reason="")


def _failed(mail: OutboxMail, error: Exception) -> None:
    reason = f"{type(error).__name__}: {error}"[:200]
    log.warning("mail %s was not sent: %s", mail.as_log(), type(error).__name__)
    if mail.attempts > len(PAUSES):
        _record(mail, OutboxMail.State.FAILED, reason=reason)
    else:
        due_at = timezone.now() + PAUSES[mail.attempts - 1]
        _record(mail, OutboxMail.State.RETRY, reason=reason, due_at=due_at)


def _record(mail: OutboxMail, state: OutboxMail.State, **columns: object) -> None:
    """Write what became of a claimed row, unless it was taken for lost and claimed again."""
    mine = Q(pk=mail.pk, state=OutboxMail.State.INFLIGHT, claimed_at=mail.claimed_at)
    OutboxMail.objects.filter(mine).update(state=state, **columns)
