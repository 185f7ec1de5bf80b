"""The doors of pages that a mail leads to: who has the link comes in, signed in or not.

The link is the key, and it is in the address: no other site is told where a visitor comes from.
There is no session whose power a foreign page could borrow, so these pages need no CSRF token, and
work where a mail program's own browser keeps no cookies. Following a link changes nothing, however
often scanners do; only a POST acts.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from dewan_site.accounts.models import Player
from games.access import NotVisible
from games.web.doors import player_of


class Link(Protocol):
    """What a link stands for: always something of one player's."""

    @property
    def player(self) -> Player:
        """Return whose link it is."""


P = ParamSpec("P")
L = TypeVar("L", bound=Link)
Page = Callable[Concatenate[HttpRequest, L, P], HttpResponse]
Door = Callable[..., HttpResponse]


def by_link(read: Callable[[str], L | None]) -> Callable[[Page[L, P]], Door]:
    """Open a page to who has its link; ``read`` returns what a token stands for, if anything.

    Nothing is said of why a link is none. A mail may have been passed on: to somebody who is signed
    in as another player the page shows nothing.
    """

    def guard(page: Page[L, P]) -> Door:
        @csrf_exempt
        @never_cache
        @require_http_methods(["GET", "HEAD", "POST"])
        @wraps(page)
        def guarded(request: HttpRequest, /, token: str, **kwargs: Any) -> HttpResponse:
            response = _answer(request, read(token), partial(page, **kwargs))
            response.headers["Referrer-Policy"] = "no-referrer"
            response.headers["X-Robots-Tag"] = "noindex"
            return response

        return guarded

    return guard


def _answer(
    request: HttpRequest, link: L | None, page: Callable[[HttpRequest, L], HttpResponse]
) -> HttpResponse:
    if link is None:
        return _unknown(request)
    if player_of(request) not in (None, link.player):
        return render(request, "games/answer_for_another.html", status=403)
    try:
        with timezone.override(zoneinfo.ZoneInfo(link.player.zone)):
            return page(request, link)
    except NotVisible:  # the seat was left at this moment
        return _unknown(request)


def _unknown(request: HttpRequest) -> HttpResponse:
    return render(request, "games/answer_unknown.html", status=404)
