"""The line to the table of a move that was refused: kept in the session for the next try."""

from __future__ import annotations

from django.http import HttpRequest

from games.models import MESSAGE_LENGTH

_KEY = "line"


def keep_line(request: HttpRequest, game_id: str) -> None:
    """Keep what was typed; the line of one game at a time is enough."""
    line = request.POST.get("message", "")[:MESSAGE_LENGTH]
    if line:
        request.session[_KEY] = [game_id, line]


def kept_line(request: HttpRequest, game_id: str) -> str:
    """Return what is kept for a game, if anything."""
    of_game, line = request.session.get(_KEY, ("", ""))
    return str(line) if of_game == game_id else ""


def forget_line(request: HttpRequest) -> None:
    """Forget it: a move has been played."""
    request.session.pop(_KEY, None)
