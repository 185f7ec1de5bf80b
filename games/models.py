"""What is stored (docs/storage.md).

The truth: ``Game`` (its header), ``Seat``, ``GameSecret``, ``StoredComponentSet`` and the
append-only ``Move`` with the ``SealedAnswer`` rows that are to follow. Projections that can be
deleted and rebuilt: ``Decision`` and the columns of ``Game`` named in ``games.projections``.
Beside the log: ``Submission`` (keys of requests) and ``TableMessage`` (what players say),
neither of which a game needs to replay.
"""

from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from msgspec import Raw

from engine.codec import Header, LogRow

ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 12


def new_game_id() -> str:
    """Return a game id that cannot be guessed: knowing it is the invitation to an open game."""
    return "".join(secrets.choice(ID_ALPHABET) for _ in range(ID_LENGTH))


class StoredComponentSet(models.Model):
    """A component set, as canonical JSON, by its digest."""

    digest = models.CharField(primary_key=True, max_length=64)
    data = models.TextField()

    def __str__(self) -> str:
        return self.digest[:12]


class Game(models.Model):
    """A game: its header, and projections of its log (``version`` to ``finished_at``).

    ``move_time`` is in seconds. ``version`` is the number of the last move, 0 before set-up.
    """

    class Status(models.TextChoices):
        """Where a game is in its life."""

        OPEN = "open"
        RUNNING = "running"
        FINISHED = "finished"
        CANCELLED = "cancelled"

    class Visibility(models.TextChoices):
        """Who may watch."""

        PRIVATE = "private"
        PUBLIC = "public"

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_game_id)
    scenario = models.CharField(max_length=20)
    players = models.PositiveSmallIntegerField()
    layout = models.CharField(max_length=20)
    ruleset = models.CharField(max_length=20)
    component_set = models.ForeignKey(StoredComponentSet, on_delete=models.PROTECT)
    commitment = models.CharField(max_length=64)
    move_time = models.PositiveIntegerField()
    visibility = models.CharField(max_length=10, choices=Visibility.choices)
    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    rematch_of = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="rematch"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    status = models.CharField(max_length=10, choices=Status.choices, default=Status.OPEN)
    version = models.PositiveIntegerField(default=0)
    head_hash = models.CharField(max_length=64, default="")
    round = models.PositiveSmallIntegerField(default=0)
    result = models.JSONField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["created_at"],
                condition=Q(status="open", visibility="public"),
                name="games_public_open",
            )
        ]

    def __str__(self) -> str:
        return f"game {self.id}"

    @property
    def over(self) -> bool:
        """Tell whether nothing more can be played."""
        return self.status in (self.Status.FINISHED, self.Status.CANCELLED)

    def header(self, seats: list[Seat]) -> Header:
        """Return the header that the hash chain starts from."""
        return Header(
            game=self.id,
            ruleset=self.ruleset,
            component_set=self.component_set_id,
            layout=self.layout,
            scenario=self.scenario,
            seats=tuple({"seat": seat.number, "kind": seat.kind} for seat in seats),
            commitment=self.commitment,
            contributions=tuple(seat.contribution for seat in seats),
        )


class GameSecret(models.Model):
    """The seed of a game's chance, 32 bytes in hex; secret until the game is over."""

    game = models.OneToOneField(Game, primary_key=True, on_delete=models.PROTECT)
    seed = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"secret of {self.game_id}"


class Seat(models.Model):
    """A seat at the table, numbered from 0. A human seat without a player waits for one."""

    class Kind(models.TextChoices):
        """Who answers for the seat."""

        HUMAN = "human"
        BOT = "bot"

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="seats"
    )
    contribution = models.CharField(max_length=64, null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="seat_number"),
            models.UniqueConstraint(fields=["game", "player"], name="one_seat_a_player"),
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"seat {self.number} of {self.game_id}"

    @property
    def name(self) -> str | None:
        """Return what the seat is called at the table; None while nobody sits there."""
        if self.kind == self.Kind.BOT:
            return BOT_NAMES[self.number]
        return self.player.name if self.player else None


BOT_NAMES = ("Ash (bot)", "Birch (bot)", "Cedar (bot)", "Dogwood (bot)")


class Move(models.Model):
    """A row of the move log: one accepted submission. Append-only, enforced by the database.

    ``commands``, ``events`` and ``at`` are the bytes that were hashed. ``nonce`` keeps an
    opponent from guessing a hidden card by its hash; secret until the game is over.
    """

    class Actor(models.TextChoices):
        """Who answered."""

        PLAYER = "player"
        BOT = "bot"
        CLOCK = "clock"
        OPERATOR = "operator"
        SERVICE = "service"

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="moves")
    number = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True)
    actor = models.CharField(max_length=10, choices=Actor.choices)
    decision = models.CharField(max_length=20, null=True)
    commands = models.TextField()
    events = models.TextField()
    at = models.CharField(max_length=27)
    ruleset = models.CharField(max_length=20)
    prev_hash = models.CharField(max_length=64)
    nonce = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "number"], name="move_number")]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"move {self.number} of {self.game_id}"

    @property
    def log_row(self) -> LogRow:
        """Return the row as it is hashed."""
        return LogRow(
            number=self.number,
            seat=self.seat,
            actor=self.actor,
            decision=self.decision,
            commands=Raw(self.commands.encode()),
            events=Raw(self.events.encode()),
            at=self.at,
        )


class SealedAnswer(models.Model):
    """An answer that is kept until all who were asked have answered; then it becomes a row (R13.5).

    It lies outside the log so that nobody can tell from its rows or version who has answered.
    """

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="sealed_answers")
    decision = models.CharField(max_length=20)
    seat = models.PositiveSmallIntegerField()
    actor = models.CharField(max_length=10, choices=Move.Actor.choices)
    command = models.TextField()
    message = models.CharField(max_length=200, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "decision"], name="one_sealed_answer")
        ]

    def __str__(self) -> str:
        return f"sealed answer to {self.decision} of {self.game_id}"


class Submission(models.Model):
    """The answer to a request with an idempotency key, so that the same request gets it again."""

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="submissions")
    seat = models.PositiveSmallIntegerField()
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    answer = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "seat", "key"], name="one_answer_a_key")
        ]

    def __str__(self) -> str:
        return f"{self.key} of seat {self.seat}, {self.game_id}"


class Decision(models.Model):
    """A projection: a question to a seat, when it was asked and until when it can be answered.

    ``remind_at`` is when ``remind_stage`` falls due, null when no more reminders do.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="decisions")
    decision = models.CharField(max_length=20)
    seat = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20)
    since = models.PositiveIntegerField()
    asked_at = models.DateTimeField()
    deadline = models.DateTimeField()
    remind_at = models.DateTimeField(null=True)
    remind_stage = models.CharField(max_length=10, default="")
    answered_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "decision"], name="one_decision_an_id")
        ]
        indexes = [
            models.Index(
                fields=["deadline"], condition=Q(answered_at=None), name="open_by_deadline"
            ),
            models.Index(
                fields=["remind_at"], condition=Q(answered_at=None), name="open_by_reminder"
            ),
        ]

    def __str__(self) -> str:
        return f"decision {self.decision} of {self.game_id}"


class TableMessage(models.Model):
    """One line a player said to the table with a move. Not part of the log."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="messages")
    move = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=200)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "move"], name="one_line_a_move")]

    def __str__(self) -> str:
        return self.text
