"""Tokens that mails carry: who holds one may answer for one seat what it was asked (docs/mail.md).

A token names the game, the seat and the version since which the seat is asked, and is signed for
the player who sits there: it dies with the decision, and when somebody else takes the seat. It is
36 letters of the alphabet of game ids, since upper and lower case get lost in addresses; 98 of its
180 bits are the signature.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.utils import parseaddr
from enum import StrEnum
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec
from django.conf import settings
from django.db.models import Model
from django.utils.crypto import constant_time_compare, salted_hmac

from dewan_site import sql
from dewan_site.accounts.models import Player
from dewan_site.links import absolute
from games.models import ID_ALPHABET, ID_LENGTH, Game, Seat

LETTERS = 36
_SINCE_BITS, _SEAT_BITS, _MAC_BITS = 20, 2, 98
_TOKEN = re.compile(f"[{ID_ALPHABET}]{{{LETTERS}}}", re.IGNORECASE | re.ASCII)
_LIKE_A_TOKEN = f"(?=[a-z]*[0-9])[{ID_ALPHABET}]{{16,}}"
"""A token, or so much of its end that who knows the game could add the rest."""

M = TypeVar("M", bound=Model)


class Purpose(StrEnum):
    """What a token is for: one for a purpose is none for the other."""

    REPLY = "reply"
    LINK = "link"


class Held(msgspec.Struct, frozen=True):
    """What a token stands for: the seat, and what it was asked since a version of the game."""

    seat: Seat
    since: int

    @property
    def decision(self) -> str:
        """Return the id of the decision."""
        return f"{self.since}-{self.seat.number}"


def make(purpose: Purpose, seat: Seat, since: int) -> str:
    """Return the token for a seat, its player and what it is asked since a version."""
    assert seat.player_id is not None, "nobody plays for an empty seat"
    named = _number(seat.game_id) << _SINCE_BITS + _SEAT_BITS | since << _SEAT_BITS | seat.number
    mac = _mac(purpose, seat.game_id, seat.number, since, seat.player_id)
    return _letters(named << _MAC_BITS | mac, LETTERS)


def read(purpose: Purpose, token: str) -> Held | None:
    """Return what a token stands for; None if it is not ours, or somebody else sits there now."""
    if not _TOKEN.fullmatch(token):
        return None
    token = token.lower()
    named = _number(token) >> _MAC_BITS
    number = named & (1 << _SEAT_BITS) - 1
    since = named >> _SEAT_BITS & (1 << _SINCE_BITS) - 1
    game_id = _letters(named >> _SEAT_BITS + _SINCE_BITS, ID_LENGTH)
    seat = _seat(game_id, number)
    if seat is None or not constant_time_compare(make(purpose, seat, since), token):
        return None
    return Held(seat, since)


_COLUMNS: dict[type[Model], tuple[str, ...]] = {
    Seat: ("id", "game_id", "number", "kind", "player_id", "standing", "misses"),
    Game: ("id", "scenario", "absence", "status", "version"),
    Player: ("id", "email", "name", "zone"),
}
"""What of a seat, its game and its player is read at once, in the order of the models' fields; the
rest is read when it is asked for."""


def _columns() -> Iterator[str]:
    for prefix, model in zip(("", "game__", "player__"), _COLUMNS, strict=True):
        yield from (f"{prefix}{name}" for name in _COLUMNS[model])


_seats = sql.Prepared(
    lambda: Seat.objects.filter(game_id="", number=0, player__is_active=True).values_list(
        *_columns()
    )
)


def _seat(game_id: str, number: int) -> Seat | None:
    """Return a seat with its game and player; None if nobody sits there who may play."""
    (rows,) = sql.read(_seats(game_id, number))
    if not rows:
        return None
    values = iter(rows[0])
    seat = _made(Seat, values)
    seat.game, seat.player = _made(Game, values), _made(Player, values)
    return seat


def _made(model: type[M], values: Iterator[Any]) -> M:
    names = _COLUMNS[model]
    return model.from_db("default", names, tuple(islice(values, len(names))))


def _mac(purpose: Purpose, *parts: object) -> int:
    signed = salted_hmac(f"dewan.{purpose}", " ".join(map(str, parts)), algorithm="sha256")
    return int.from_bytes(signed.digest()) >> 256 - _MAC_BITS


def _number(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number << 5 | ID_ALPHABET.index(letter)
    return number


def _letters(number: int, length: int) -> str:
    places = range(5 * (length - 1), -1, -5)
    return "".join(ID_ALPHABET[number >> place & 31] for place in places)


# ---- In addresses ------------------------------------------------------------------------------


def reply_address(token: str = "") -> str:
    """Return the address that a reply goes to, with its token if there is one."""
    local, _, domain = _replies_to().partition("@")
    return f"{local}+{token}@{domain}" if token else f"{local}@{domain}"


def token_in(address: str) -> str:
    """Return the token in an address of ours; empty if it is another address or has none."""
    local, _, domain = _replies_to().lower().partition("@")
    there, _, here = address.strip().lower().partition("@")
    name, _, token = there.partition("+")
    return token if (name, here) == (local, domain) else ""


def is_ours(address: str) -> bool:
    """Tell whether a mail to this address is one to us."""
    name, _, domain = address.strip().lower().partition("@")
    return f"{name.partition('+')[0]}@{domain}" == _replies_to().lower()


def without_tokens(text: str) -> str:
    """Return a text for other eyes: our addresses, links and tokens are taken out.

    So are those within another address, as programs write them that check links.
    """
    local, _, domain = _replies_to().partition("@")
    address = rf"{re.escape(local)}\+[^\s@]*@{re.escape(domain)}"
    link = rf"\S*{re.escape(urlsplit(absolute('/')).netloc)}(?:/|%2F)\S*"
    ours = re.compile(f"{address}|{link}|{_LIKE_A_TOKEN}", re.IGNORECASE | re.ASCII)
    return ours.sub("[…]", text)


def replies_work() -> bool:
    """Tell whether a reply to a mail gets to us, so that mails may ask for one."""
    ways_in = (settings.DEWAN_MAIL_IN, settings.DEWAN_IMAP_URL, settings.DEWAN_REPLY_TO)
    return not settings.EMAIL_URL or any(ways_in)


def _replies_to() -> str:
    return settings.DEWAN_REPLY_TO or parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
