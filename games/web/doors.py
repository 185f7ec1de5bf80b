"""Who comes in, and what a refusal looks like on a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from dewan_site.accounts.models import Player
from engine.errors import (
    AmbiguousCommand,
    GameError,
    GameOver,
    IllegalMove,
    NotYourDecision,
    StaleMove,
)
from engine.notation import Entry
from games.access import NotVisible
from games.errors import STATUS
from games.web.kept import kept_line
from games.web.paying import confirm_path

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

_GONE_ON = (StaleMove, NotYourDecision, GameOver)


def player_of(request: HttpRequest) -> Player | None:
    """Return who is signed in, if anyone."""
    return request.user if isinstance(request.user, Player) else None


def signed_in(request: HttpRequest) -> Player:
    """Return who is signed in, where only players come in."""
    player = player_of(request)
    assert player is not None, "the door lets nobody else in"
    return player


def for_viewers(view: View[P]) -> View[P]:
    """Show a game to whoever may see it: to others it does not exist, or not before signing in."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotVisible:
            if player_of(request) is None:
                return redirect_to_login(request.get_full_path())
            raise Http404 from None

    return guarded


def for_players(view: View[P]) -> View[P]:
    """Let signed-in players act on a game, and show them refusals as pages."""

    @wraps(view)
    def answering(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except GameError as error:
            return refusal(request, str(kwargs.get("game_id", "")), error)

    return login_required(for_viewers(answering))


def refusal(request: HttpRequest, game_id: str, error: GameError) -> HttpResponse:
    """Return the page for a refusal; a game that has gone on is shown as it is now."""
    if isinstance(error, _GONE_ON) and game_id:
        return redirect(news_path(game_id, request.POST.get("version", "")))
    context = {
        "game_id": game_id,
        "error": error,
        "text": request.GET.get("text") or request.POST.get("text", ""),
        "line": kept_line(request, game_id),
        "choices": [(entry.text, confirm_path(game_id, entry.text)) for entry in _entries(error)],
    }
    return render(request, "games/refused.html", context, status=STATUS[error.code])


def news_path(game_id: str, since: str) -> str:
    """Return the game's page, telling what has happened since a version."""
    query = {"news": since if since.isdecimal() else ""}
    return f"{reverse('game', args=[game_id])}?{urlencode(query)}"


def _entries(error: GameError) -> list[Entry]:
    if isinstance(error, AmbiguousCommand):
        return error.candidates
    return error.legal if isinstance(error, IllegalMove) else []
