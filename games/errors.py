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
