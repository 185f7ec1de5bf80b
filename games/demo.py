"""The demo: a player with a game against a bot, and a table that waits for a human."""

from __future__ import annotations

from dewan_site.accounts.models import Player
from games.models import Game
from games.services import NewGame, create_game

EMAIL = "robin@example.org"
NAME = "Robin"


def set_up() -> Player:
    """Return the demo player; make the two demo games the first time."""
    player = Player.objects.with_email(EMAIL, name=NAME, introduced=True)
    if not Game.objects.filter(creator=player).exists():
        public = Game.Visibility.PUBLIC
        create_game(player, NewGame(players=2, seats=("me", "bot"), visibility=public))
        create_game(player, NewGame(players=3, seats=("me", "bot", "open"), visibility=public))
    return player
