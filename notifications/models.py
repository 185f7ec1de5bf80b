"""The outbox and what the clock has to remember (docs/mail.md, docs/clock.md)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.models import Game


class OutboxMail(models.Model):
    """A mail to be sent: written in the transaction that causes it, sent after it.

    A worker claims a row by moving it to ``inflight``, and only one can. Mails about a game go to
    whoever sits on the seat when they are sent, unless ``player`` is set: then to them, who may
    have left it. ``player`` is set for mails about an account too.
    """

    class State(models.TextChoices):
        """How far a mail is."""

        QUEUED = "queued"
        INFLIGHT = "inflight"
        RETRY = "retry"
        SENT = "sent"
        FAILED = "failed"
        DROPPED = "dropped"

    WAITING = (State.QUEUED, State.RETRY)

    kind = models.CharField(max_length=20)
    game = models.ForeignKey(Game, null=True, on_delete=models.CASCADE, related_name="mails")
    decision = models.CharField(max_length=20, default="")
    seat = models.PositiveSmallIntegerField(null=True)
    stage = models.CharField(max_length=20, default="")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE)
    address = models.EmailField(default="", help_text="For a mail to an address not yet confirmed.")
    message_id = models.CharField(max_length=100, unique=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    due_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    reason = models.CharField(max_length=200, default="")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["game", "decision", "seat", "kind", "stage"], name="one_mail_a_cause"
            )
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(state__in=["queued", "retry"]), name="mail_waiting"
            ),
            models.Index(
                fields=["claimed_at"], condition=Q(state="inflight"), name="mail_inflight"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} mail {self.pk}"

    def as_log(self) -> dict[str, Any]:
        """Return what a log line may say of this mail: nothing personal."""
        return {"mail": self.pk, "kind": self.kind, "game": self.game_id, "seat": self.seat}


class Heartbeat(models.Model):
    """When the sweep ran last, and the web server wrote for it; one row each (docs/clock.md)."""

    SWEEP, WEB = 1, 2

    swept_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"swept at {self.swept_at}"


class RecordedOutage(models.Model):
    """A time in which the service took no moves: a fact from which deadlines are reckoned.

    One that a wrong clock has made is revoked when that is set right: clocks that are closed keep
    what they were reckoned with, all others have it back only as far as it really lasted.
    """

    start = models.DateTimeField()
    end = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.start} to {self.end}"
