"""What the services say when a request is refused, beside the engine's refusals (docs/api.md)."""

from __future__ import annotations

from engine.errors import GameError


class InvalidRequest(GameError):
    """A field of the request cannot be used; the text names it and says what would do."""

    code = "invalid_request"


class GameFull(GameError):
    """Every seat is taken."""

    code = "game_full"


class KeyReused(GameError):
    """The idempotency key has been used for another request."""

    code = "idempotency_key_reused"


STATUS = {
    "invalid_request": 400,
    "invalid_command": 400,
    "not_authenticated": 401,
    "not_found": 404,
    "method_not_allowed": 405,
    "not_acceptable": 406,
    "too_large": 413,
    "unsupported_media_type": 415,
    "stale_move": 409,
    "not_your_decision": 409,
    "game_over": 409,
    "game_full": 409,
    "illegal_move": 422,
    "ambiguous_command": 422,
    "idempotency_key_reused": 422,
    "internal_error": 500,
}
"""Every code that a client can get, with its HTTP status."""
