"""What is stored (docs/storage.md).

The truth: ``Game`` (its header and options), ``Seat``, ``Sitting``, ``GameSecret``,
``StoredComponentSet`` and the append-only ``Move`` with the ``SealedAnswer`` rows that are to
follow. Projections that can be deleted and rebuilt: ``Decision`` and the columns of ``Game`` and
``Seat`` named in ``games.projections``. Beside the log: ``Submission`` (keys of requests),
``TableMessage`` (what players say), ``Proposal`` and ``SeatOffer`` (what is not settled yet),
none of which a game needs to replay.
"""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Q
from msgspec import Raw

from engine.codec import Header, LogRow
from notifications.clocks import Policy

ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 12

MESSAGE_LENGTH = 200
"""How long a line to the table may be."""


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
    """A game: its header, its options, and projections of its log (from ``status`` on).

    ``move_time``, ``bank`` and ``bank_cap`` are in seconds; without a bank each turn has the time
    of a move, with one that is what a turn adds to it. ``rests``: whether night hours, free days
    and vacations rest the clocks. ``version`` is the number of the last move, 0 before set-up.
    ``pauses`` are ``rests.Stretch`` in JSON; ``credited`` is the end of the last outage that was
    looked at for this game.
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

    class Absence(models.TextChoices):
        """What becomes of a seat whose time is up and whose excused misses are used."""

        MOVE = "move"
        BOT = "bot"
        REPLACEMENT = "replacement"
        FORFEIT = "forfeit"

    id = models.CharField(primary_key=True, max_length=ID_LENGTH, default=new_game_id)
    scenario = models.CharField(max_length=20)
    players = models.PositiveSmallIntegerField()
    layout = models.CharField(max_length=20)
    ruleset = models.CharField(max_length=20)
    component_set = models.ForeignKey(StoredComponentSet, on_delete=models.PROTECT)
    commitment = models.CharField(max_length=64)
    move_time = models.PositiveIntegerField()
    bank = models.PositiveIntegerField(null=True)
    bank_cap = models.PositiveIntegerField(null=True)
    rests = models.BooleanField(default=True)
    absence = models.CharField(max_length=12, choices=Absence.choices, default=Absence.MOVE)
    excused_misses = models.PositiveSmallIntegerField(default=0)
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
    ending = models.CharField(max_length=20, default="")
    pauses = models.TextField(default="[]")
    is_paused = models.BooleanField(default=False)
    credited = models.CharField(max_length=27, default="")
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

    @property
    def is_public(self) -> bool:
        """Tell whether anybody may watch."""
        return self.visibility == self.Visibility.PUBLIC

    @property
    def policy(self) -> Policy:
        """Return what the table grants for a turn."""
        return Policy(
            move_time=timedelta(seconds=self.move_time),
            bank=None if self.bank is None else timedelta(seconds=self.bank),
            cap=None if self.bank_cap is None else timedelta(seconds=self.bank_cap),
        )

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
    """A seat at the table, numbered from 0. A human seat without a player waits for one.

    ``standing`` and ``misses`` (how many excused ones are used) are projections of the log.
    """

    class Kind(models.TextChoices):
        """Who answers for the seat."""

        HUMAN = "human"
        BOT = "bot"

    class Standing(models.TextChoices):
        """Whether the player of a seat plays; else a bot does, or its turns are skipped (out)."""

        PLAYING = "playing"
        ABSENT = "absent"
        LEFT = "left"
        OUT = "out"

    IN_PLAY = (Standing.PLAYING, Standing.ABSENT)
    """The standings of a seat that its player holds and can give up."""

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=10, choices=Kind.choices)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="seats"
    )
    contribution = models.CharField(max_length=64, null=True)
    standing = models.CharField(max_length=10, choices=Standing.choices, default=Standing.PLAYING)
    misses = models.PositiveSmallIntegerField(default=0)

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

    @property
    def is_human(self) -> bool:
        """Tell whether a person sits here, or has sat here and left."""
        return self.kind == self.Kind.HUMAN

    @property
    def is_vacant(self) -> bool:
        """Tell whether a person can sit down here."""
        return self.is_human and self.player_id is None

    @property
    def is_played_by_bot(self) -> bool:
        """Tell whether a bot answers for the seat: its own, or for a player who is away."""
        return not self.is_human or self.standing != self.Standing.PLAYING


class Sitting(models.Model):
    """Who sat on a seat, from one move of the log to another; the last one of a seat has no end.

    Clocks are reckoned with the rests of whoever sat there. ``how`` it ended is empty while it
    goes on.
    """

    class How(models.TextChoices):
        """How a player's time on a seat can end before the game does."""

        RESIGNED = "resigned"
        TIMED_OUT = "timed_out"
        HANDED_OVER = "handed_over"

    game = models.ForeignKey(Game, on_delete=models.PROTECT, related_name="sittings")
    seat = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="sittings"
    )
    since = models.PositiveIntegerField()
    until = models.PositiveIntegerField(null=True)
    how = models.CharField(max_length=12, choices=How.choices, default="")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["game", "seat"], condition=Q(until=None), name="one_player_a_seat"
            )
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.game_id}, from move {self.since}"

    @property
    def last(self) -> int:
        """The last move of an ended sitting: that of leaving, or the one before another sat."""
        assert self.until is not None, "the sitting has ended"
        return self.until - 1 if self.how == self.How.HANDED_OVER else self.until


class SeatOffer(models.Model):
    """A seat that its player offers to whoever has the link, until it is taken or withdrawn."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="offers")
    seat = models.PositiveSmallIntegerField()
    token = models.CharField(max_length=43, unique=True)
    offered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["game", "seat"], name="one_offer_a_seat")]

    def __str__(self) -> str:
        return f"offer of seat {self.seat} of {self.game_id}"


class Proposal(models.Model):
    """What a player proposes to the table, to be done when all agree (docs/clock.md).

    ``version`` is the move after which it was made; one to take moves back, from number
    ``first`` on, dies with the next move. ``seconds`` is how long a pause is to be.
    """

    class Kind(models.TextChoices):
        """What is proposed."""

        UNDO = "undo"
        UNDO_TIME_OUT = "undo_time_out"
        PAUSE = "pause"
        RESUME = "resume"
        CANCEL = "cancel"

    class State(models.TextChoices):
        """What became of it."""

        OPEN = "open"
        AGREED = "agreed"
        REFUSED = "refused"
        WITHDRAWN = "withdrawn"
        OVERTAKEN = "overtaken"

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="proposals")
    kind = models.CharField(max_length=20, choices=Kind.choices)
    seat = models.PositiveSmallIntegerField()
    version = models.PositiveIntegerField()
    first = models.PositiveIntegerField(null=True)
    seconds = models.PositiveIntegerField(null=True)
    agreed = models.JSONField(default=list)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["game", "kind"], condition=Q(state="open"), name="one_proposal_a_kind"
            )
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.kind} proposed in {self.game_id}"


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
    message = models.CharField(max_length=MESSAGE_LENGTH, default="")

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
    """A projection: a question to a seat, and what its clock is reckoned from (docs/clock.md).

    Since ``runs_from`` the clock of ``player`` runs, with ``granted`` of running time; ``lives``
    counts how often it was started anew for the same question, after ``missed`` time or for
    another player. The deadline follows from these and is never stored: ``wake_at`` is only when
    the sweep has to look again, for the deadline or a reminder; null when it need not.
    ``closed_by`` is who answered; empty if it was never answered, or taken back.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="decisions")
    decision = models.CharField(max_length=20)
    seat = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=20)
    since = models.PositiveIntegerField()
    asked_at = models.DateTimeField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="decisions"
    )
    runs_from = models.DateTimeField()
    granted = models.DurationField()
    lives = models.PositiveSmallIntegerField(default=0)
    missed = models.BooleanField(default=False)
    wake_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(null=True)
    closed_by = models.CharField(max_length=10, choices=Move.Actor.choices, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "decision"], name="one_decision_an_id")
        ]
        indexes = [
            models.Index(fields=["wake_at"], condition=Q(answered_at=None), name="open_by_waking"),
        ]

    def __str__(self) -> str:
        return f"decision {self.decision} of {self.game_id}"


class TableMessage(models.Model):
    """One line a player said to the table with a move, or alone after it. Not part of the log."""

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="messages")
    move = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=MESSAGE_LENGTH)
    alone = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["game", "move"], condition=Q(alone=False), name="one_line_a_move"
            )
        ]
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.text
