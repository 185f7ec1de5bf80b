"""What goes in and out of REST v1, for validation and for the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dewan_site.accounts.models import Rhythm
from dewan_site.env import duration
from engine.scenarios import SCENARIOS
from games.models import MESSAGE_LENGTH, Game, Proposal, Seat
from games.services import MAX_COMMANDS, MOST_EXCUSED
from notifications.ladder import STAGES
from notifications.rhythm import OFF
from notifications.seen import Knows

s = serializers


class Whole(s.IntegerField):
    """A whole number, and nothing that could be read as one."""

    def to_internal_value(self, data: Any) -> int:
        """Take nothing but a number."""
        if type(data) is not int:
            self.fail("invalid")
        return super().to_internal_value(data)


class Text(s.CharField):
    """A text, and nothing that could be written as one."""

    def to_internal_value(self, data: Any) -> str:
        """Take nothing but a text."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Flag(s.BooleanField):
    """True or false, and nothing that could be read as one."""

    def to_internal_value(self, data: Any) -> bool:
        """Take nothing but true and false."""
        if type(data) is not bool:
            self.fail("invalid", input=data)
        return data


class Pattern(Text, s.RegexField):
    """A text of one form."""


class Day(s.DateField):
    """A day, written in one way only."""

    def to_internal_value(self, data: Any) -> date:
        """Take nothing but days like 2027-07-01."""
        if not isinstance(data, str) or not re.fullmatch("2[0-9]{3}-[0-9]{2}-[0-9]{2}", data):
            raise s.ValidationError("write a day like 2027-07-01")
        return super().to_internal_value(data)


@extend_schema_field({"oneOf": [{"const": kind} for kind in Proposal.Kind.values]})
class ProposalKind(s.ChoiceField):
    """What can be proposed; spelt out, since a seat has a kind too."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=Proposal.Kind.values, **kwargs)


@extend_schema_field({"type": ["string", "integer"]})
class LengthField(s.Field):  # type: ignore[type-arg]
    """A length of time: seconds, or ISO 8601 like ``P3D``; whole seconds inside."""

    def to_internal_value(self, data: Any) -> int:
        """Read seconds or ISO 8601."""
        text = str(data)
        is_read = type(data) in (int, str) and text.isascii()
        length = duration(text) if is_read else None
        if length is None:
            raise s.ValidationError("write seconds (259200) or ISO 8601 (P3D)")
        return int(length.total_seconds())

    def to_representation(self, value: int) -> int:
        """Return seconds."""
        return value


class Body(s.Serializer):  # type: ignore[type-arg]
    """What a client sends: fields that nobody knows are refused, not passed over."""

    def to_internal_value(self, data: Any) -> Any:
        """Read the fields; raise ValidationError naming those that do not exist."""
        unknown = sorted(data.keys() - self.fields.keys()) if isinstance(data, Mapping) else []
        if unknown:
            raise s.ValidationError({name[:40]: "there is no such field" for name in unknown[:5]})
        return super().to_internal_value(data)


class NewGame(Body):
    """The game to open."""

    players = Whole(min_value=2, max_value=4)
    scenario = s.ChoiceField(choices=list(SCENARIOS), default="base")
    move_time = LengthField(
        required=False,
        help_text="Time for a move (with a bank: what it adds); seconds, or ISO 8601 like P3D.",
    )
    bank = LengthField(
        required=False, allow_null=True, help_text="What a seat begins with; null: no bank."
    )
    bank_cap = LengthField(
        required=False, allow_null=True, help_text="What a seat holds at most; with a bank only."
    )
    rests = Flag(default=True, help_text="Whether nights, free days and vacations rest clocks.")
    absence = s.ChoiceField(
        choices=Game.Absence.values,
        default=Game.Absence.MOVE,
        help_text="What becomes of a seat whose time is up.",
    )
    excused_misses = Whole(
        default=0,
        min_value=0,
        max_value=MOST_EXCUSED,
        help_text="How often a seat may be late before that.",
    )
    visibility = s.ChoiceField(choices=Game.Visibility.values, default="private")
    seats = s.ListField(child=s.ChoiceField(choices=["me", "open", "bot"]), max_length=4)


class Join(Body):
    """Sitting down at a table."""

    contribution = Pattern(
        r"^[0-9a-fA-F]{64}$",
        required=False,
        help_text="32 bytes in hex for the game's chance; made for you if you send none.",
    )
    offer = Text(required=False, max_length=100, help_text="The token of a seat offered to you.")


class Submission(Body):
    """An answer to a decision: commands, or one line of notation."""

    decision = Text(allow_null=True, max_length=20, trim_whitespace=False)
    expected_version = Whole(min_value=0, max_value=2**31 - 1)
    commands = s.ListField(
        child=s.DictField(), required=False, min_length=1, max_length=MAX_COMMANDS
    )
    text = Text(required=False, max_length=1000)
    message = Text(
        required=False,
        allow_blank=True,
        max_length=MESSAGE_LENGTH,
        help_text="One line to the table.",
    )


class NewProposal(Body):
    """What you propose to the table."""

    kind = ProposalKind()
    seconds = Whole(required=False, min_value=1, help_text="How long a pause is to be.")
    expected_version = Whole(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="What you have seen: then a second request cannot take back one move more.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a length for what has none."""
        if "seconds" in attrs and attrs["kind"] != Proposal.Kind.PAUSE:
            raise s.ValidationError({"seconds": "only a pause has a length"})
        return attrs


class Answer(Body):
    """Whether you agree to a proposal."""

    agree = Flag()


TIME_OF_DAY = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"


class Night(Body):
    """From when to when, by your own clock."""

    def get_fields(self) -> dict[str, Any]:
        """Return both ends; one has a name that Python keeps for itself."""
        return {end: Pattern(TIME_OF_DAY) for end in ("from", "to")}


class Rests(Body):
    """What rests your clocks every night and week; 1 is Monday."""

    night = Night(allow_null=True)
    weekdays = s.ListField(child=Whole(min_value=1, max_value=7), max_length=7)


class Reminders(Body):
    """When you are reminded of a decision."""

    stages = s.ListField(child=s.ChoiceField(choices=list(STAGES)), max_length=len(STAGES))


class Mails(Body):
    """When you get mails about your games."""

    stopped = Flag(help_text="You get none.")
    rhythm = s.ChoiceField(choices=Rhythm.values)
    digest_at = Pattern(TIME_OF_DAY, help_text="When the daily mail comes, by your own clock.")
    quiet = Night(allow_null=True, help_text="Hours in which none goes out.")

    def validate_quiet(self, quiet: dict[str, str] | None) -> dict[str, str] | None:
        """Take hours that are some."""
        if quiet and quiet["from"] == quiet["to"]:
            raise s.ValidationError("quiet hours end at another time than they begin")
        return quiet


@extend_schema_field({"oneOf": [{"const": rhythm} for rhythm in (*Rhythm.values, OFF, None)]})
class GameRhythmField(s.ChoiceField):
    """The rhythm of one game; spelt out, since the rhythm of all others cannot be off."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=[*Rhythm.values, OFF], allow_null=True, **kwargs)


class GameMails(Body):
    """When you get the mails of one game; null is as of all the others."""

    rhythm = GameRhythmField()


class NewVacation(Body):
    """The first and the last day of a vacation, by your own clock."""

    first = Day()
    last = Day()


class Stretch(s.Serializer):  # type: ignore[type-arg]
    """A time from its start up to, and without, its end; UTC, ISO 8601."""

    start = s.CharField()
    end = s.CharField()


class SeatOut(s.Serializer):  # type: ignore[type-arg]
    """A seat at the table; its name is null while nobody sits there."""

    seat = s.IntegerField()
    name = s.CharField(allow_null=True)
    kind = s.ChoiceField(choices=["human", "bot"])
    standing = s.ChoiceField(
        choices=Seat.Standing.values,
        help_text="Whether its player plays; else a bot does, or its turns are skipped (out).",
    )
    misses_left = s.IntegerField(help_text="How many misses will yet be excused.")
    vacation = Stretch(allow_null=True, help_text="The player's vacation, now or next.")


class Awaited(s.Serializer):  # type: ignore[type-arg]
    """An open decision; moments are UTC, ISO 8601."""

    decision = s.CharField()
    seat = s.IntegerField()
    kind = s.CharField()
    since = s.IntegerField()
    asked_at = s.CharField()
    deadline = s.CharField()
    latest = s.CharField(help_text="The deadline cannot become later than this.")
    resting = s.CharField(allow_null=True, help_text="What rests the clock now, or null.")
    rests = s.ListField(
        child=s.CharField(),
        help_text="What rests it before the deadline: night, weekday, vacation, stopped.",
    )
    told = s.ChoiceField(
        choices=list(Knows),
        allow_null=True,
        help_text="Whether who is asked knows it; null: a bot, or an answer that is sealed.",
    )


class ProposalOut(s.Serializer):  # type: ignore[type-arg]
    """A proposal: to take back moves from ``first`` on, to pause for ``seconds``, and others."""

    proposal = s.IntegerField()
    kind = ProposalKind()
    seat = s.IntegerField(help_text="Who has proposed it.")
    agreed = s.ListField(child=s.IntegerField(), help_text="The seats that have agreed.")
    missing = s.ListField(child=s.IntegerField(), help_text="The seats that are asked yet.")
    first = s.IntegerField(allow_null=True)
    seconds = s.IntegerField(allow_null=True)
    made_at = s.CharField()
    state = s.ChoiceField(choices=Proposal.State.values)


class ScoreLineOut(s.Serializer):  # type: ignore[type-arg]
    """One term of a score."""

    rule = s.CharField()
    label = s.CharField()  # type: ignore[assignment]
    points = s.IntegerField()


class ScoreOut(s.Serializer):  # type: ignore[type-arg]
    """The score of a seat, or of a team of ``seats``; ``cards`` in hand break ties."""

    seat = s.IntegerField(allow_null=True)
    seats = s.ListField(child=s.IntegerField())
    total = s.IntegerField()
    cards = s.IntegerField()
    lines = ScoreLineOut(many=True)


class Result(s.Serializer):  # type: ignore[type-arg]
    """How a game ended."""

    reason = s.CharField()
    winners = s.ListField(child=s.IntegerField())
    scores = ScoreOut(many=True)


class Options(s.Serializer):  # type: ignore[type-arg]
    """How a table treats time and absence; lengths are in seconds."""

    move_time = s.IntegerField(help_text="Time for a move, or what a turn adds to the bank.")
    bank = s.IntegerField(allow_null=True)
    bank_cap = s.IntegerField(allow_null=True)
    rests = s.BooleanField()
    absence = s.ChoiceField(choices=Game.Absence.values)
    excused_misses = s.IntegerField()


class GameView(Options):
    """A game as the caller may see it; ``state`` is null before the set-up."""

    id = s.CharField()
    version = s.IntegerField()
    status = s.ChoiceField(choices=Game.Status.values)
    scenario = s.CharField()
    ruleset = s.CharField()
    visibility = s.ChoiceField(choices=Game.Visibility.values)
    you = s.IntegerField(allow_null=True)
    seats = SeatOut(many=True)
    awaiting = Awaited(many=True)
    paused_until = s.CharField(allow_null=True)
    proposals = ProposalOut(many=True, help_text="Those that can still be agreed to.")
    server_time = s.CharField()
    commitment = s.CharField()
    component_set = s.CharField()
    result = Result(allow_null=True)
    ending = s.CharField(allow_null=True, help_text="Why the game is over, or null.")
    undo = s.IntegerField(allow_null=True, help_text="The move you may take back freely.")
    state = extend_schema_field(OpenApiTypes.OBJECT)(s.JSONField)(allow_null=True)


class NewGameView(GameView):
    """A game that has just been opened, and where others can join it."""

    join_url = s.CharField()


class ListedGame(Options):
    """A game in a list; ``deadline`` is the caller's own, null if they are not asked."""

    id = s.CharField()
    version = s.IntegerField()
    status = s.CharField()
    scenario = s.CharField()
    visibility = s.CharField()
    you = s.IntegerField(allow_null=True)
    sealed = s.BooleanField(help_text="Whether you have given the answer that is asked, sealed.")
    round = s.IntegerField()
    seats = SeatOut(many=True)
    awaiting = Awaited(many=True)
    paused_until = s.CharField(allow_null=True)
    deadline = s.CharField(allow_null=True)
    result = Result(allow_null=True)
    ending = s.CharField(allow_null=True, help_text="Why the game is over, or null.")
    created_at = s.CharField()
    finished_at = s.CharField(allow_null=True)


class GameList(s.Serializer):  # type: ignore[type-arg]
    """The caller's games, by time left; ``next`` goes into ``after`` for the rest."""

    games = ListedGame(many=True)
    next = s.CharField(allow_null=True)


class Left(s.Serializer):  # type: ignore[type-arg]
    """A game that the caller has left, and perhaps cannot see any more."""

    id = s.CharField()
    status = s.ChoiceField(choices=Game.Status.values)


class OfferOut(s.Serializer):  # type: ignore[type-arg]
    """What takes a seat that is offered: the token by REST, the page by hand."""

    offer = s.CharField()
    url = s.CharField()


class PaceOut(s.Serializer):  # type: ignore[type-arg]
    """How fast a player answers: seconds, and the share of turns answered in time."""

    turns = s.IntegerField(help_text="How many of the last turns are counted.")
    median = s.IntegerField()
    slow = s.IntegerField(help_text="Nine of ten answers took no longer.")
    in_time = s.FloatField(help_text="From 0 to 1.")


class SeatPace(s.Serializer):  # type: ignore[type-arg]
    """The pace of whoever sits on a seat; null if they have been asked too seldom."""

    seat = s.IntegerField()
    pace = PaceOut(allow_null=True)


class Paces(s.Serializer):  # type: ignore[type-arg]
    """How fast those at a table answer."""

    seats = SeatPace(many=True)


class MailsOfGame(s.Serializer):  # type: ignore[type-arg]
    """A game whose mails have a rhythm of their own."""

    game = s.CharField()
    rhythm = GameRhythmField()


class MailsOut(Mails):
    """When the caller gets mails, and for which games that is different."""

    games = MailsOfGame(many=True)


class Trouble(s.Serializer):  # type: ignore[type-arg]
    """Since when our mails do not reach you, and what the mail server says."""

    since = s.CharField()
    problem = s.CharField()


class Me(s.Serializer):  # type: ignore[type-arg]
    """The caller: their mails, what rests their clocks, how fast they answer."""

    player = s.CharField(help_text="Your name.")
    zone = s.CharField(help_text="Your time zone.")
    mails = MailsOut()
    trouble = Trouble(allow_null=True, help_text="Only you are told.")
    reminders = s.ListField(child=s.CharField())
    rests = Rests()
    vacations = Stretch(many=True, help_text="Those that are not over.")
    days_left = s.IntegerField(help_text="How many days of vacation you can yet book.")
    pace = PaceOut(allow_null=True)


class EntryOut(s.Serializer):  # type: ignore[type-arg]
    """A legal command and its notation."""

    command = s.DictField()
    text = s.CharField()


class Legal(s.Serializer):  # type: ignore[type-arg]
    """What the caller may answer now."""

    version = s.IntegerField()
    decision = s.CharField(allow_null=True)
    entries = EntryOut(many=True)


class StepOut(s.Serializer):  # type: ignore[type-arg]
    """A step of a route, the cards that can pay it, and the seat that gets the card."""

    spaces = s.ListField(child=s.CharField())
    cards = s.ListField(child=s.CharField())
    to = s.IntegerField(allow_null=True)


class RouteOut(EntryOut):
    """A route with its default payment."""

    steps = StepOut(many=True)


class RouteList(s.Serializer):  # type: ignore[type-arg]
    """Every undominated route; ``complete`` is false if there are too many to list."""

    entries = RouteOut(many=True)
    complete = s.BooleanField()


class Accepted(s.Serializer):  # type: ignore[type-arg]
    """What a submission led to."""

    number = s.IntegerField(allow_null=True, help_text="Null if the answer is sealed.")
    version = s.IntegerField()
    events = s.ListField(child=s.DictField())
    unapplied = s.ListField(child=s.DictField())


class LineOut(s.Serializer):  # type: ignore[type-arg]
    """A line that a seat has said to the table."""

    seat = s.IntegerField()
    text = s.CharField()


class MoveOut(s.Serializer):  # type: ignore[type-arg]
    """A row of the move log."""

    number = s.IntegerField()
    seat = s.IntegerField(allow_null=True)
    actor = s.CharField()
    decision = s.CharField(allow_null=True)
    commands = s.ListField(child=s.DictField())
    events = s.ListField(child=s.DictField())
    at = s.CharField()
    hash = s.CharField()
    message = s.CharField(allow_null=True, help_text="What was said to the table with it.")
    said = LineOut(many=True, help_text="What was said alone, after it and before the next move.")


class MoveList(s.Serializer):  # type: ignore[type-arg]
    """A page of the move log; ``next`` goes into ``after`` for the rest."""

    moves = MoveOut(many=True)
    next = s.IntegerField(allow_null=True)


class ProblemOut(s.Serializer):  # type: ignore[type-arg]
    """A refusal (RFC 9457); some codes have more fields (docs/api.md)."""

    type = s.CharField()
    title = s.CharField()
    status = s.IntegerField()
    code = s.CharField()
    detail = s.CharField()
