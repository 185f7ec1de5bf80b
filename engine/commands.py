"""Commands: what a seat may answer (docs/api.md, *Commands*), tagged by ``type``."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec
from msgspec.structs import replace

from engine.errors import InvalidCommand

Pile = Literal["pile"]
PILE: Pile = "pile"


class _Command(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    tag_field="type",
):
    answers: ClassVar[tuple[str, ...]]
    """The kinds of question this command answers."""
    causes: ClassVar[tuple[str, ...]] = ()
    """The kinds of question that may follow from it, and be answered in advance with it."""


class Take(_Command, frozen=True, tag="take"):
    """Take the cards at these places of the row, 1 to 6 (R3.2)."""

    places: tuple[int, ...]
    answers = ("turn",)
    causes = ("water", "lava", "share", "fish")


class Payment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The card that pays one step of a route, and the spaces of that step."""

    card: str
    spaces: tuple[str, ...]


class Camp(_Command, frozen=True, tag="camp"):
    """Place a camp at the end of this route, from one of your camps, paying so (R3.6)."""

    route: tuple[str, ...]
    payment: tuple[Payment, ...]
    answers = ("turn",)
    causes = ("story", "tuck")


class Pass(_Command, frozen=True, tag="pass"):
    """Neither take nor place; legal only when neither is possible (R3.5)."""

    answers = ("turn",)


class Story(_Command, frozen=True, tag="story"):
    """Take the story tile at this place of the row, 1 to 5, or the top of the pile (R2.6, R5.2)."""

    place: int | Pile
    answers = ("draft", "story")


class Tuck(_Command, frozen=True, tag="tuck"):
    """Tuck this hand card with this side (0 or 1) visible; ``card`` null declines (R5.3)."""

    card: str | None
    side: int = 0
    answers = ("tuck",)


class Water(_Command, frozen=True, tag="water"):
    """Place a water tile on this space (R11.2)."""

    space: str
    answers = ("water",)
    causes = ("share",)


class Lava(_Command, frozen=True, tag="lava"):
    """Place a lava tile on this space (R12.1)."""

    space: str
    answers = ("lava",)
    causes = ("share",)


class PartShare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How many berries go to the part of the split area that has this space."""

    space: str
    berries: int


class Share(_Command, frozen=True, tag="share"):
    """Share the berries of an area that was split; parts that are not named get none (R11.3)."""

    shares: tuple[PartShare, ...]
    answers = ("share",)


class Fish(_Command, frozen=True, tag="fish"):
    """Discard this card for fish; ``card`` null declines. Sealed till all have answered (R13.5)."""

    card: str | None
    answers = ("fish",)


class Undo(_Command, frozen=True, tag="undo"):
    """Take back the last move, if it was yours and nobody has learnt anything from it."""

    answers = ()


Command = Take | Camp | Pass | Story | Tuck | Water | Lava | Share | Fish | Undo


def parse(data: Any) -> Command:
    """Read one command from plain data; raise InvalidCommand naming the field that is wrong."""
    try:
        command: Command = msgspec.convert(data, Command)
    except msgspec.ValidationError as error:
        raise InvalidCommand(f"not a command: {error}") from error
    return command


def normal(command: Command) -> Command:
    """Return the command in the one form in which it is stored and printed.

    Places go up, payments follow the route, and so do the spaces of each; what has no meaning
    (the side of no card) is as if it had not been sent.
    """
    match command:
        case Take(places=places):
            return replace(command, places=tuple(sorted(places)))
        case Camp(route=route, payment=payment):
            paid = (replace(part, spaces=_along(route, part.spaces)) for part in payment)
            ordered = sorted(paid, key=lambda part: [_place(route, s) for s in part.spaces[:1]])
            return replace(command, payment=tuple(ordered))
        case Tuck(card=None):
            return Tuck(card=None)
    return command


def _along(route: tuple[str, ...], spaces: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(spaces, key=lambda space: _place(route, space)))


def _place(route: tuple[str, ...], space: str) -> int:
    return route.index(space) if space in route else len(route)
