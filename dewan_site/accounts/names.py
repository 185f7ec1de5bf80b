"""What a player may be called: what can be seen, on one line, and upsets no page and no mail.

Names stand in subjects of mails, between other names, and in clients we know nothing of.
"""

from __future__ import annotations

import unicodedata

from django.core.exceptions import ValidationError

NAME_LENGTH = 40

_JOINERS = "\u200c\u200d"
"""Invisible, but part of how Persian, Hindi and some pictures are written."""

_UNFIT = ("Cc", "Cf", "Co", "Cs")
"""Kinds of characters that control, or mean nothing to others; new pictures are not of them."""

_BLANKS = "\u115f\u1160\u3164\uffa0\u2800"
"""Letters and symbols that show nothing."""


def flat_name(text: str) -> str:
    """Return a name on one line, without what controls how text runs or cannot be shown."""
    words = "".join(" " if c.isspace() else c for c in text if c.isspace() or _may_stand(c))
    return " ".join(words.split())


def clean_name(text: str) -> str:
    """Return a name as it is kept; raise ValidationError if it is none."""
    name = " ".join(text.split())
    if len(name) > NAME_LENGTH:
        raise ValidationError(f"A name has {NAME_LENGTH} characters at most.")
    if flat_name(name) != name:
        raise ValidationError("A name has no control characters.")
    if not any(map(_can_be_seen, name)):
        raise ValidationError("A name has something that can be seen.")
    return name


def validate_name(name: str) -> None:
    """Raise ValidationError unless this is a name as it is kept."""
    if clean_name(name) != name:
        raise ValidationError("A name stands on one line.")


def name_from(email: str) -> str:
    """Return what somebody is called who has not said it yet."""
    name = flat_name(email.partition("@")[0])[:NAME_LENGTH].strip()
    return name if any(map(_can_be_seen, name)) else "Player"


def _may_stand(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character) not in _UNFIT


def _can_be_seen(character: str) -> bool:
    return unicodedata.category(character)[0] in "LNPS" and character not in _BLANKS
