"""Who may see and play what. Every read on somebody's behalf begins here.

One small function for each object; what a caller may not see does not exist for it
(``NotVisible``, which is 404 everywhere).
"""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from dewan_site.accounts.models import Player
from games.models import Game, Seat, Sitting


class NotVisible(Exception):
    """The game does not exist, or this player may not know that it does."""


class Seen(NamedTuple):
    """A game and the seat from which it is looked at; None for a spectator."""

    game: Game
    seat: int | None


def visible_game(player: Player, game_id: str) -> Seen:
    """Return a game this player sits at or has opened, or a public one; else raise NotVisible."""
    seat = Seat.objects.select_related("game").filter(game_id=game_id, player=player).first()
    if seat is not None:
        return Seen(seat.game, seat.number)
    watchable = Q(visibility=Game.Visibility.PUBLIC) | Q(creator=player)
    game = Game.objects.filter(watchable, pk=game_id).first()
    if game is None or _has_left(player, game):
        raise NotVisible
    return Seen(game, None)


def _has_left(player: Player, game: Game) -> bool:
    """Tell whether a player has left a private game: then they see nothing more of it."""
    if game.visibility == Game.Visibility.PUBLIC:
        return False
    return Sitting.objects.filter(game=game, player=player).exclude(until=None).exists()


def open_game(game_id: str) -> Game:
    """Return a game that somebody wants to join: who knows its id has been invited."""
    game = Game.objects.filter(pk=game_id).first()
    if game is None:
        raise NotVisible
    return game


def games_of(player: Player) -> QuerySet[Game]:
    """Return the games a player sits at or has opened, without those they have left."""
    left = Sitting.objects.filter(game=OuterRef("pk"), player=player).exclude(until=None)
    sits = Q(seats__player=player)
    return Game.objects.filter(sits | Q(creator=player) & ~Exists(left)).distinct()
