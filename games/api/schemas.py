"""What goes in and out of REST v1, for validation and for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from dewan_site.env import duration
from engine.scenarios import SCENARIOS
from games.models import Game
from games.services import MAX_COMMANDS

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


class Hex(Text, s.RegexField):
    """32 bytes in hex."""


class MoveTimeField(s.Field):  # type: ignore[type-arg]
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
    move_time = extend_schema_field({"oneOf": [{"type": "string"}, {"type": "integer"}]})(
        MoveTimeField
    )(required=False, help_text="Time for a move: seconds, or ISO 8601 like P3D.")
    visibility = s.ChoiceField(choices=Game.Visibility.values, default="private")
    seats = s.ListField(child=s.ChoiceField(choices=["me", "open", "bot"]), max_length=4)


class Join(Body):
    """Sitting down at a table."""

    contribution = Hex(
        r"^[0-9a-fA-F]{64}$",
        required=False,
        help_text="32 bytes in hex for the game's chance; made for you if you send none.",
    )


class Submission(Body):
    """An answer to a decision: commands, or one line of notation."""

    decision = Text(allow_null=True, max_length=20, trim_whitespace=False)
    expected_version = Whole(min_value=0, max_value=2**31 - 1)
    commands = s.ListField(
        child=s.DictField(), required=False, min_length=1, max_length=MAX_COMMANDS
    )
    text = Text(required=False, max_length=1000)
    message = Text(
        required=False, allow_blank=True, max_length=200, help_text="One line to the table."
    )


class SeatOut(s.Serializer):  # type: ignore[type-arg]
    """A seat at the table; its name is null while nobody sits there."""

    seat = s.IntegerField()
    name = s.CharField(allow_null=True)
    kind = s.ChoiceField(choices=["human", "bot"])


class Awaited(s.Serializer):  # type: ignore[type-arg]
    """An open decision; moments are UTC, ISO 8601."""

    decision = s.CharField()
    seat = s.IntegerField()
    kind = s.CharField()
    since = s.IntegerField()
    asked_at = s.CharField()
    deadline = s.CharField()


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


class GameView(s.Serializer):  # type: ignore[type-arg]
    """A game as the caller may see it; ``state`` is null before the set-up."""

    id = s.CharField()
    version = s.IntegerField()
    status = s.ChoiceField(choices=Game.Status.values)
    scenario = s.CharField()
    ruleset = s.CharField()
    visibility = s.ChoiceField(choices=Game.Visibility.values)
    move_time = s.IntegerField(help_text="Seconds.")
    you = s.IntegerField(allow_null=True)
    seats = SeatOut(many=True)
    awaiting = Awaited(many=True)
    server_time = s.CharField()
    commitment = s.CharField()
    component_set = s.CharField()
    result = Result(allow_null=True)
    undo = s.IntegerField(allow_null=True, help_text="The move you may take back freely.")
    state = extend_schema_field(OpenApiTypes.OBJECT)(s.JSONField)(allow_null=True)


class NewGameView(GameView):
    """A game that has just been opened, and where others can join it."""

    join_url = s.CharField()


class ListedGame(s.Serializer):  # type: ignore[type-arg]
    """A game in a list; ``deadline`` is the caller's own, null if they are not asked."""

    id = s.CharField()
    version = s.IntegerField()
    status = s.CharField()
    scenario = s.CharField()
    visibility = s.CharField()
    move_time = s.IntegerField()
    you = s.IntegerField(allow_null=True)
    sealed = s.BooleanField(help_text="Whether you have given the answer that is asked, sealed.")
    round = s.IntegerField()
    seats = SeatOut(many=True)
    awaiting = Awaited(many=True)
    deadline = s.CharField(allow_null=True)
    result = Result(allow_null=True)
    created_at = s.CharField()
    finished_at = s.CharField(allow_null=True)


class GameList(s.Serializer):  # type: ignore[type-arg]
    """The caller's games, by time left; ``next`` goes into ``after`` for the rest."""

    games = ListedGame(many=True)
    next = s.CharField(allow_null=True)


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
