"""What can become of a mail that comes in (docs/mail.md)."""

from __future__ import annotations

from enum import StrEnum


class Outcome(StrEnum):
    """What became of a mail; only what has a token, or comes from a player, is answered."""

    DONE = "done"
    REFUSED = "refused"
    UNREADABLE = "unreadable"
    WRONG_SENDER = "wrong_sender"
    NOT_AUTHENTIC = "not_authentic"
    TOO_MANY = "too_many"
    NO_TOKEN = "no_token"  # noqa: S105 - it is a name
    AUTOMATIC = "automatic"
    BOUNCE = "bounce"
    TOO_LARGE = "too_large"
    DUPLICATE = "duplicate"
