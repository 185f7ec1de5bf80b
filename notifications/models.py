"""The outbox and what the clock has to remember (docs/mail.md, docs/clock.md)."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.models import MESSAGE_LENGTH, Game


class OutboxMail(models.Model):
    """A mail to be sent: written in the transaction that causes it, sent after it.

    A worker claims a row by moving it to ``inflight``, and only one can. Mails about a game go to
    whoever sits on the seat when they are sent, unless ``player`` is set: then to them, who may
    have left it. ``player`` is set for mails about an account too. ``told_in`` is the mail that
    went out with what this one would have said, ``seen_at`` when its reader saw what it tells.

    ``due_at`` is when a waiting row is looked at next, ``ready_at`` when it could first have gone
    out if its reader's rhythm, their address or the mail server had not made it wait.
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
    ready_at = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    claimed_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    told_in = models.ForeignKey("self", null=True, on_delete=models.SET_NULL, related_name="tells")
    seen_at = models.DateTimeField(null=True)
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


class Shortlist(models.Model):
    """The numbered moves that were mailed for a decision; a number never means another one.

    ``lines`` are lines of notation, in JSON; number 1 is the first.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="shortlists")
    decision = models.CharField(max_length=20)
    lines = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "decision"], name="one_shortlist_a_decision")
        ]

    def __str__(self) -> str:
        return f"shortlist of {self.decision} of {self.game_id}"


class InboundMail(models.Model):
    """A mail that has come in, and what became of it: nothing of its text is kept.

    ``digest`` is what makes a second copy of a mail the same mail. ``outcome`` is a code of
    ``notifications.inbound.outcomes``, and ``detail`` what the answer mail tells, in our words.
    """

    digest = models.CharField(max_length=64, unique=True)
    message_id = models.CharField(max_length=250, default="")
    received_at = models.DateTimeField(auto_now_add=True)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE)
    game = models.ForeignKey(Game, null=True, on_delete=models.CASCADE, related_name="inbound")
    seat = models.PositiveSmallIntegerField(null=True)
    decision = models.CharField(max_length=20, default="")
    outcome = models.CharField(max_length=20)
    detail = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["player", "received_at"], name="inbound_by_player")]

    def __str__(self) -> str:
        return f"inbound mail {self.pk}: {self.outcome}"


class Note(models.Model):
    """What a player notes for themselves about a game; only their own mails show it."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="notes")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    text = models.CharField(max_length=MESSAGE_LENGTH)
    noted_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"note {self.pk} about {self.game_id}"


class GameRhythm(models.Model):
    """How a player wants the mails of one game, where that differs from all others."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="rhythms")
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="rhythms"
    )
    rhythm = models.CharField(max_length=10)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "player"], name="one_rhythm_a_game")]

    def __str__(self) -> str:
        return f"{self.rhythm} mails of {self.game_id}"


class LastBatch(models.Model):
    """When a player last got one mail for all their games that waited; no row if never.

    Whoever gathers a player's notices locks the row, so that they become one mail and not two.
    """

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, primary_key=True, on_delete=models.CASCADE, related_name="+"
    )
    sent_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"last batch of player {self.player_id}"


class AddressTrouble(models.Model):
    """An address that our mails do not reach: nothing goes there before ``retry_at``.

    A row is deleted when a mail gets through. ``problem`` is what the mail servers said. If our
    mails were accepted and came back (``bounced``), the next one that is accepted has to stay away
    for a while first: ``probed_at`` is when it went out.
    """

    address = models.EmailField(unique=True)
    refusals = models.PositiveSmallIntegerField(default=1)
    since = models.DateTimeField()
    retry_at = models.DateTimeField()
    problem = models.CharField(max_length=200, default="")
    bounced = models.BooleanField(default=False)
    probed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"trouble with an address since {self.since}"


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
