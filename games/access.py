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
    if game is None or (not game.is_public and has_left(player, game_id)):
        raise NotVisible
    return Seen(game, None)


def has_left(player: Player, game_id: str) -> bool:
    """Tell whether a player has left a game: of a private one they see nothing more."""
    return left_sittings(player).filter(game=game_id).exists()


def left_sittings(player: Player) -> QuerySet[Sitting]:
    """Return the ended sittings of a player at games where they do not sit any more."""
    ended = Sitting.objects.filter(player=player).exclude(until=None)
    return ended.exclude(game__seats__player=player)


def may_sit(player: Player, seat: Seat) -> bool:
    """Tell whether a player has sat on no other seat of the game, or they would know two hands."""
    sittings = Sitting.objects.filter(game=seat.game_id, player=player)
    return not sittings.exclude(seat=seat.number).exists()


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
