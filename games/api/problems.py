"""Refusals as problem+json (RFC 9457): one table from codes to HTTP."""

from __future__ import annotations

from typing import Any

import msgspec
from django.core.exceptions import RequestDataTooBig, ValidationError
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from engine.errors import AmbiguousCommand, GameError, IllegalMove
from games.access import NotVisible
from games.errors import STATUS

CONTENT_TYPE = "application/problem+json"

_OF_FRAMEWORK = {
    401: "not_authenticated",
    403: "not_authenticated",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
}


class Problem(exceptions.APIException):
    """A refusal with fields of its own beside those every problem has."""

    def __init__(self, error: GameError, **fields: Any) -> None:
        super().__init__(error.detail)
        self.error = error
        self.fields = fields


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """Turn a refusal into a response; anything else is a bug and stays an exception."""
    if isinstance(error, NotVisible):
        return _response("not_found", "there is no such game for you")
    if isinstance(error, Problem):
        return _response(error.error.code, error.error.detail, **error.fields)
    if isinstance(error, GameError):
        return _response(error.code, error.detail, **_fields(error, context))
    if isinstance(error, RequestDataTooBig):
        return _response("too_large", "the body is too long")
    if isinstance(error, ValidationError):
        return _response("invalid_request", " ".join(error.messages))
    response = exception_handler(error, context)
    if response is None:
        return None
    code = _OF_FRAMEWORK.get(response.status_code, "invalid_request")
    problem = _response(code, _detail_of(response.data))
    for header in ("WWW-Authenticate", "Allow"):
        if header in response:
            problem[header] = response[header]
    return problem


def body(code: str, detail: str, **fields: Any) -> dict[str, Any]:
    """Return a refusal as clients read it."""
    return {
        "type": f"urn:dewan:problem:{code}",
        "title": code.replace("_", " ").capitalize(),
        "status": STATUS[code],
        "code": code,
        "detail": detail,
        **fields,
    }


def _response(code: str, detail: str, **fields: Any) -> Response:
    return Response(body(code, detail, **fields), status=STATUS[code], content_type=CONTENT_TYPE)


def _fields(error: GameError, context: dict[str, Any]) -> dict[str, Any]:
    if isinstance(error, IllegalMove):
        game = context["kwargs"].get("game_id")
        return {
            "rule": error.rule,
            "command_index": error.command_index,
            "legal": msgspec.to_builtins(error.legal),
            "legal_url": f"/api/v1/games/{game}/legal",
        }
    if isinstance(error, AmbiguousCommand):
        return {"candidates": msgspec.to_builtins(error.candidates)}
    return {}


def _detail_of(data: Any) -> str:
    """Say in one line what the framework found wrong, with the names of the fields."""
    if isinstance(data, dict):
        if "detail" in data:
            return str(data["detail"])
        return "; ".join(f"{name}: {_detail_of(value)}" for name, value in data.items())
    if isinstance(data, list):
        return " ".join(map(_detail_of, data))
    return str(data)
