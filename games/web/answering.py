"""Answer by link: a mail's numbered moves, each behind a page that shows it and one button.

A link is bound to one decision of one seat, and dies with it. From then on it shows what everybody
at the table may know and nothing of the hand, since it lives on in old mails. What its own answer
leads to directly, like the story tile of the same turn, can be answered from here too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from dewan_site.accounts.models import Player
from engine import notation
from engine.errors import GameError
from games import selectors, services
from games.access import Seen
from games.errors import STATUS
from games.models import Game
from games.services import Submitted
from games.times import ending_words
from games.web.asking import SEALED, asked_of, awaited, headline
from games.web.doors import player_of
from games.web.leaving import as_it_stands
from games.web.mailed import by_link
from games.web.seated import Seated, foreseen, from_seat
from notifications import seen, shortlists, tokens
from notifications.tokens import Held, Purpose


class AnswerLink(msgspec.Struct, frozen=True):
    """A token of a mail, and what it stands for."""

    token: str
    held: Held

    @property
    def player(self) -> Player:
        """Return whose link it is."""
        assert self.held.seat.player is not None, "a token is a player's"
        return self.held.seat.player

    @property
    def game(self) -> Game:
        """Return the game that it is about."""
        return self.held.seat.game

    def key(self, what: object) -> str:
        """Return the idempotency key with which this link does something: once."""
        return f"link-{hashlib.sha256(f'{self.token} {what}'.encode()).hexdigest()}"


class Choice(msgspec.Struct, frozen=True):
    """A numbered answer, in notation, and its link."""

    number: int
    text: str
    href: str


def _read(token: str) -> AnswerLink | None:
    held = tokens.read(Purpose.LINK, token)
    if held is None or held.seat.player is None or not held.seat.player.is_active:
        return None
    return AnswerLink(token, held)


@by_link(_read)
def answer(request: HttpRequest, link: AnswerLink, number: int) -> HttpResponse:
    """Show what a numbered answer would do; the button there plays it, once."""
    if request.method != "POST":
        if player_of(request) is not None:  # and no scanner
            seen.mark(link.game, link.held.seat.number, link.player)
        return _show(request, link, number)
    try:
        done = _undo(link) if "undo" in request.POST else _play(link, number)
    except GameError as error:
        return _show(request, link, number, error)
    if not done:
        return _show(request, link, number)
    _number_what_comes_next(link)
    return redirect("answer_link", link.token, number)


# ---- What the buttons do -----------------------------------------------------------------------


def _play(link: AnswerLink, number: int) -> bool:
    """Play a numbered answer; tell whether there is such a number."""
    line = shortlists.line(link.game.pk, link.held.decision, number)
    if line is None:
        return False
    submitted = Submitted(
        decision=link.held.decision,
        expected_version=link.held.since,
        text=line,
        key=link.key(number),
    )
    services.submit_move(link.player, link.game.pk, submitted)
    return True


def _undo(link: AnswerLink) -> bool:
    """Take back what has answered the link's decision; tell whether that can be done freely."""
    last = _own_undo(link, from_seat(link.player, link.game.pk))
    if last is None:
        return False
    submitted = Submitted(
        decision=link.held.decision,
        expected_version=last,
        text="undo",
        key=link.key(f"undo {last}"),
    )
    services.submit_move(link.player, link.game.pk, submitted)
    return True


def _own_undo(link: AnswerLink, seated: Seated) -> int | None:
    """Return the move that the seat may take back freely, if it answered this very decision."""
    last: int | None = seated.view["undo"]
    return last if last in selectors.rows_about(link.game, link.held.decision) else None


def _number_what_comes_next(link: AnswerLink) -> None:
    """Number the answers to what an answer has led to; the page shows them."""
    seated = from_seat(link.player, link.game.pk)
    if _leads_to_next(link, seated):
        shortlists.numbered(link.game, seated.seat, seated.state)
        seen.mark(link.game, seated.seat, link.player)


def _leads_to_next(link: AnswerLink, seated: Seated) -> bool:
    """Tell whether what the seat is asked now was put by an answer to the link's decision.

    Or by taking that back. Only so far does a link reach: what is asked after others have moved is
    answered by the links of its own mail.
    """
    rows = selectors.rows_about(link.game, link.held.decision)
    return seated.decision is not None and seated.state.since in rows


# ---- What the page shows -----------------------------------------------------------------------


def _show(
    request: HttpRequest, link: AnswerLink, number: int, error: GameError | None = None
) -> HttpResponse:
    seated = from_seat(link.player, link.game.pk)
    if seated.decision == link.held.decision:
        return _asked(request, link, seated, number, error)
    return _gone(request, link, seated, error)


def _asked(
    request: HttpRequest, link: AnswerLink, seated: Seated, number: int, error: GameError | None
) -> HttpResponse:
    """Show what would be played, while the decision is open."""
    choices = _choices(link.game, link.held.decision, link.token)
    context = {
        "game": seated.view,
        "decision": asked_of(awaited(seated.view, timezone.now())),
        "number": number,
        "others": [choice for choice in choices if choice.number != number],
        "error": error,
        "with_map": True,
    }
    line = next((choice.text for choice in choices if choice.number == number), None)
    if line is None:
        return render(request, "games/answer_no_number.html", context, status=404)
    context |= foreseen(seated, notation.parse(line))
    return render(request, "games/answer.html", context, status=_status(error))


def _gone(
    request: HttpRequest, link: AnswerLink, seated: Seated, error: GameError | None
) -> HttpResponse:
    """Show what became of the decision and what is new, as everybody at the table may know it."""
    public = selectors.position_for_guests(link.game.pk)
    rows = selectors.rows_about(link.game, link.held.decision)
    last = selectors.last_own_move(link.game, seated.seat)
    context = as_it_stands(public) | {
        "player": link.player,
        "headline": headline(public.view, awaited(public.view, timezone.now())),
        "ending": ending_words(public.view["ending"]),
        "sealed": SEALED if _is_sealed(link, seated) else "",
        "answered": _told(public.seen, rows),
        "undo": _own_undo(link, seated) is not None,
        "next": _next(link, seated),
        "is_asked": seated.decision is not None,
        "news": {"moves": selectors.told_moves(public.seen, last)},
        "error": error,
    }
    return render(request, "games/answer_gone.html", context, status=_status(error))


def _status(error: GameError | None) -> int:
    return STATUS[error.code] if error else 200


def _told(public: Seen, rows: Sequence[int]) -> list[selectors.Told]:
    return [told for row in rows for told in selectors.told_moves(public, row - 1, row)]


def _is_sealed(link: AnswerLink, seated: Seated) -> bool:
    """Tell whether the answer is given, and nobody else may know it yet (R13.5)."""
    asked = (decision["decision"] for decision in seated.view["awaiting"])
    return seated.decision is None and link.held.decision in asked


def _next(link: AnswerLink, seated: Seated) -> list[Choice]:
    """Return the numbered answers to what the link's own answer has led to."""
    if seated.decision is None or not _leads_to_next(link, seated):
        return []
    token = tokens.make(Purpose.LINK, link.held.seat, seated.state.since)
    return _choices(link.game, seated.decision, token)


def _choices(game: Game, decision: str, token: str) -> list[Choice]:
    """Return the numbered answers to a decision, each with its link."""
    lines = shortlists.stored(game.pk, decision) or []
    return [
        Choice(number, text, reverse("answer_link", args=[token, number]))
        for number, text in enumerate(lines, 1)
    ]
