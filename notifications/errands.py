"""Errands: what a mail may ask for and only a click does, since it cannot be taken back lightly.

Resigning, a vacation, handing a seat over. A mail gets a link in answer (``errand_path``), its
page says what would happen, and the button there does it, once (docs/mail.md, *Errands*).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import date, timedelta
from enum import StrEnum

import msgspec
from django.core import signing
from django.db import transaction
from django.urls import reverse

from dewan_site.accounts import rests
from dewan_site.accounts.models import Player
from games import absence
from games.models import Game, Seat, Submission

AGE = timedelta(days=1)
"""How long a link can be used."""

_SALT = "errand"


class Kind(StrEnum):
    """What can be asked for."""

    RESIGN = "resign"
    VACATION = "vacation"
    HAND_OVER = "hand_over"


class _Signed(msgspec.Struct, frozen=True, array_like=True):
    """What a link carries: only whoever sat on the seat when it was made can use it."""

    kind: Kind
    player: int
    game: str
    seat: int
    first: date | None
    last: date | None


class Errand(msgspec.Struct, frozen=True, kw_only=True):
    """What a link asks for, for whom; ``first`` and ``last`` are the days of a vacation.

    ``key`` is written down with the seat when it is done.
    """

    kind: Kind
    player: Player
    game: Game
    seat: int
    first: date | None
    last: date | None
    key: str

    @property
    def days(self) -> tuple[date, date]:
        """Return the first and the last day of a vacation."""
        assert self.first is not None, "a vacation has a first day"
        assert self.last is not None, "a vacation has a last day"
        return self.first, self.last

    @property
    def is_done(self) -> bool:
        """Tell whether it has been done by this link."""
        done = Submission.objects.filter(game=self.game, seat=self.seat, key=self.key)
        return done.exists()

    @property
    def has_seat(self) -> bool:
        """Tell whether its player still sits where they sat when they asked for it."""
        held = Seat.objects.filter(game=self.game, number=self.seat, player=self.player)
        return held.exists()


def errand_path(
    kind: str, player: Player, game: Game, *, first: date | None = None, last: date | None = None
) -> str:
    """Return the path of the page that asks a player whether to do this.

    It works for a day, once, and as long as the player holds the seat they hold now. A vacation
    has its first and last day, by the player's calendar.
    """
    seat = game.seats.get(player=player).number
    signed = msgspec.to_builtins(_Signed(Kind(kind), player.pk, game.pk, seat, first, last))
    return reverse("errand", args=[signing.dumps(signed, salt=_SALT)])


def read(token: str) -> Errand | None:
    """Return what a link asks for; None if it is too old, not ours, or its player is locked out.

    Nor is it anything any more for who has left the seat otherwise.
    """
    try:
        signed = msgspec.convert(signing.loads(token, salt=_SALT, max_age=AGE), _Signed)
    except (signing.BadSignature, msgspec.ValidationError):
        return None
    player = Player.objects.filter(pk=signed.player, is_active=True).first()
    game = Game.objects.filter(pk=signed.game).first()
    if player is None or game is None:
        return None
    errand = Errand(
        kind=signed.kind,
        player=player,
        game=game,
        seat=signed.seat,
        first=signed.first,
        last=signed.last,
        key=f"errand-{hashlib.sha256(token.encode()).hexdigest()}",
    )
    return errand if errand.has_seat or errand.is_done else None


@transaction.atomic
def run(errand: Errand) -> None:
    """Do what a link asks for, unless it has been done.

    Raises GameError, NotVisible or ValidationError if it cannot be done; then it is not.
    """
    # The key goes first: of two clicks at once the second waits here, and finds it.
    _, new = Submission.objects.get_or_create(
        game=errand.game,
        seat=errand.seat,
        key=errand.key,
        defaults={"digest": errand.kind, "answer": "{}"},
    )
    if new:
        _RUN[errand.kind](errand)


def _resign(errand: Errand) -> None:
    absence.leave(errand.player, errand.game.pk)


def _rest(errand: Errand) -> None:
    rests.book(errand.player, *errand.days)


def _hand_over(errand: Errand) -> None:
    absence.offer_seat(errand.player, errand.game.pk)


_RUN: dict[Kind, Callable[[Errand], None]] = {
    Kind.RESIGN: _resign,
    Kind.VACATION: _rest,
    Kind.HAND_OVER: _hand_over,
}
