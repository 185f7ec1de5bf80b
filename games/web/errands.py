"""The page of an errand that a mail has asked for: what would happen, and the button for it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from dewan_site.accounts import rests
from engine.errors import GameError
from games import selectors
from games.access import Seen
from games.errors import STATUS
from games.models import Game, Seat
from games.times import leaving_words
from games.web.asking import name_of, own_seat
from games.web.mailed import by_link
from games.web.tableside import offer_url
from games.words import counted, listed
from notifications import errands
from notifications.errands import Errand, Kind


class Asking(msgspec.Struct, frozen=True):
    """How an errand is put to its player: the question, the button, and what is said after it."""

    title: str
    button: str
    done: str


ASKING = {
    Kind.RESIGN: Asking("Leave the table?", "Yes, resign", "You have left the table"),
    Kind.VACATION: Asking("Book a vacation?", "Book it", "Your vacation is booked"),
    Kind.HAND_OVER: Asking("Hand your seat over?", "Hand my seat over", "The link is made"),
}

LEAVE = "Yes, leave it"
"""The button for a table that has not begun."""


@by_link(errands.read)
def errand(request: HttpRequest, asked: Errand) -> HttpResponse:
    """Say what an errand would do; the button does it, once."""
    if request.method != "POST":
        return _done(request, asked) if asked.is_done else _ask(request, asked)
    try:
        errands.run(asked)
    except GameError as error:
        return _ask(request, asked, [error.detail.capitalize() + "."], STATUS[error.code])
    except ValidationError as error:
        return _ask(request, asked, error.messages, 400)
    return _done(request, asked, _link_to(request, asked))


def _ask(
    request: HttpRequest, asked: Errand, problems: list[str] | None = None, status: int = 200
) -> HttpResponse:
    view = selectors.position(asked.player, asked.game.pk).view
    words = ASKING[asked.kind]
    is_open = view["status"] == Game.Status.OPEN
    context = _of(asked) | {
        "asking": words,
        "button": LEAVE if asked.kind == Kind.RESIGN and is_open else words.button,
        "table": listed([name_of(seat) for seat in view["seats"] if seat["name"]]),
        "consequences": _consequences(asked, view),
        "can": _can(asked, view),
        "problems": problems or _foreseen(asked),
    }
    return render(request, "games/errand.html", context, status=status)


def _done(request: HttpRequest, asked: Errand, link: str = "") -> HttpResponse:
    context = _of(asked) | {"asking": ASKING[asked.kind], "link": link}
    return render(request, "games/errand_done.html", context)


def _of(asked: Errand) -> dict[str, Any]:
    return {"errand": asked, "kind": asked.kind, "game_id": asked.game.pk}


def _can(asked: Errand, view: dict[str, Any]) -> bool:
    """Tell whether it can be done as the game stands."""
    seat, status = own_seat(view), view["status"]
    if asked.kind == Kind.VACATION:
        return True
    if seat is None or seat["standing"] not in Seat.IN_PLAY:
        return False
    is_open = status == Game.Status.OPEN and asked.kind == Kind.RESIGN
    return is_open or bool(status == Game.Status.RUNNING)


def _foreseen(asked: Errand) -> list[str]:
    """Return why it would be refused, as far as that is known before the button is pressed."""
    if asked.kind == Kind.VACATION:
        try:
            rests.with_vacation(asked.player, *asked.days)
        except ValidationError as error:
            return error.messages
    return []


def _consequences(asked: Errand, view: dict[str, Any]) -> list[str]:
    """Say precisely what would happen."""
    if asked.kind == Kind.RESIGN:
        return leaving_words(view)
    if asked.kind == Kind.VACATION:
        return _vacation_words(asked)
    return [
        "You get a link to pass on. Whoever follows it can take your seat, and plays on with your"
        " hand and your camps.",
        "Until somebody has taken it you play on, and you can withdraw the link on the page of the"
        " game.",
        "After that you get no more mails about this game.",
    ]


def _vacation_words(asked: Errand) -> list[str]:
    first, last = asked.days
    days = (last - first) // timedelta(days=1) + 1
    left = rests.days_left(rests.rests_of(asked.player), timezone.now())
    return [
        f"It is {counted(days, 'day')}, from the first to the last, in your time zone"
        f" ({asked.player.zone}). You have {left} of 30 days left.",
        "In that time your clocks rest, at every table where clocks rest; it ends by itself.",
        "It counts from the next question that you are asked, and who plays with you sees it.",
        "Until it begins you can cancel it on the page Me.",
    ]


def _link_to(request: HttpRequest, asked: Errand) -> str:
    """Return the link to pass on, as long as the offer stands; empty for other errands."""
    if asked.kind != Kind.HAND_OVER or not asked.has_seat:
        return ""
    token = selectors.own_offer(Seen(asked.game, asked.seat))
    return offer_url(request, asked.game.pk, token) if token else ""
