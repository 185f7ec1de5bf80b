"""How a player wants the mails of one game, where that differs from all the others."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from dewan_site.accounts.forms import RHYTHMS
from dewan_site.accounts.models import Player
from games import access
from games.access import NotVisible, Seen
from games.errors import InvalidRequest
from games.web.doors import for_players, signed_in
from notifications import preferences
from notifications.rhythm import OFF

AS_ALL = ""
CHOICES = {
    AS_ALL: "as for all my games",
    **{key.value: words for key, words in RHYTHMS.items()},
    OFF: "no mails",
}
"""What each rhythm of one game is called."""


def rhythm_choices(player: Player | None, seen: Seen) -> list[tuple[str, str, bool]]:
    """Return the rhythms that a player can choose for a game they sit at: key, words, chosen."""
    if player is None or seen.seat is None:
        return []
    chosen = preferences.of_game(player, seen.game) or AS_ALL
    return [(key, words, key == chosen) for key, words in CHOICES.items()]


@require_POST
@for_players
def set_game_mails(request: HttpRequest, game_id: str) -> HttpResponse:
    """Set how the player gets the mails of a game."""
    player, wanted = signed_in(request), request.POST.get("rhythm", "")
    seen = access.visible_game(player, game_id)
    if seen.seat is None:
        raise NotVisible
    if wanted not in CHOICES:
        raise InvalidRequest("this is none of the choices")
    preferences.change_of_game(player, seen.game, wanted or None)
    messages.success(request, f"Mails of this game: {CHOICES[wanted]}.")
    return redirect(f"{reverse('game', args=[game_id])}#mails")
