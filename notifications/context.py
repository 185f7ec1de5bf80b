"""What every page can say about mail."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dewan_site.accounts.models import Player
from notifications import health


def mail_trouble(request: HttpRequest) -> dict[str, Any]:
    """Return the trouble with the reader's own address, if any, for pages that ask for it."""
    return {"mail_trouble": SimpleLazyObject(lambda: _trouble(request))}


def _trouble(request: HttpRequest) -> dict[str, Any]:
    player = getattr(request, "user", None)
    trouble = health.trouble_of(player) if isinstance(player, Player) else None
    if trouble is None:
        return {}
    return {
        "address": trouble.address,
        "since": trouble.since,
        "words": health.in_plain_words(trouble.problem),
        "said": trouble.problem.partition(": ")[2],
    }
