"""What all endpoints read alike: who asks, the body, numbers; and how they refuse."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from drf_spectacular.utils import OpenApiResponse
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from dewan_site.accounts.models import Player
from games import access
from games.api import schemas
from games.errors import InvalidRequest

_PROBLEM = OpenApiResponse(schemas.ProblemOut, description="A refusal: see docs/api.md.")
REFUSED: dict[Any, Any] = {("4XX", "application/problem+json"): _PROBLEM}
"""How every endpoint can answer besides; in the OpenAPI document."""


def player_of(request: Request) -> Player:
    """Return who asks."""
    assert isinstance(request.user, Player), "the permission classes let nobody else in"
    return request.user


def sitting(request: Request, game_id: str) -> Player:
    """Return who asks; raise NotVisible unless they sit at the game: 404 goes before 400."""
    player = player_of(request)
    if access.visible_game(player, game_id).seat is None:
        raise access.NotVisible
    return player


def valid(serializer: type[Serializer[Any]], data: Any) -> dict[str, Any]:
    """Return the fields of a body; raise ValidationError if they are not as they must be."""
    fields: dict[str, Any] = _reader(serializer).run_validation(data)
    return fields


@cache
def _reader(serializer: type[Serializer[Any]]) -> Serializer[Any]:
    """Return the one serializer of a kind that reads: copying its fields takes longer than that."""
    return serializer()


def number(request: Request, name: str, default: int | None) -> int | None:
    """Return a number of the query; raise InvalidRequest if it is none."""
    text = request.query_params.get(name)
    if text is None:
        return default
    if not re.fullmatch("[0-9]{1,9}", text):
        raise InvalidRequest(f"{name}: a whole number from 0")
    return int(text)
