"""Who has seen that they are asked (docs/mail.md)."""

from __future__ import annotations

from dewan_site.accounts.models import Player
from games.models import Game


def mark(game: Game, seat: int, player: Player) -> None:
    """Note that the player of a seat has seen what it is asked now."""
