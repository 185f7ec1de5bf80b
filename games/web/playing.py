"""From a tap to a move: route, payment, preview, and the one view that plays."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import msgspec
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from engine import commands, legal, notation
from engine.commands import Command
from engine.errors import IllegalMove, NotYourDecision
from engine.state import State
from games import selectors, services
from games.errors import InvalidRequest
from games.services import LEGAL_SHOWN
from games.web import board
from games.web.doors import for_players, signed_in
from games.web.paying import (
    camp_text,
    confirm_path,
    named_payment,
    only_payment,
    route_choice,
    route_of,
    step_choices,
)
from games.web.preview import preview

KEY_BYTES = 16
KEY_LENGTH = 200
MESSAGE_LENGTH = 200
ROUTES_SHOWN = 6
"""How many routes are shown unfolded, the cheapest ones."""


class Hand(msgspec.Struct, frozen=True):
    """A game from the seat of a player who wants to play: view, masked state, names."""

    view: dict[str, Any]
    state: State
    seat: int
    names: list[str]

    @property
    def decision(self) -> str | None:
        """Return the decision the seat is asked for."""
        asked = self.state.question_of(self.seat)
        return self.state.decision_of(asked) if asked else None


def _hand(request: HttpRequest, game_id: str) -> Hand:
    """Return the game from the player's seat; raise NotYourDecision if there is none to play."""
    position = selectors.position(signed_in(request), game_id)
    seat, state = position.seen.seat, position.state
    if seat is None or state is None:
        raise NotYourDecision("you have no seat at this table, or it waits for players")
    names = [seat["name"] for seat in position.view["seats"]]
    return Hand(position.view, state, seat, names)


@require_safe
@for_players
def choose_route(request: HttpRequest, game_id: str, space: str) -> HttpResponse:
    """Show the routes to a space; a single one is not asked for."""
    hand = _hand(request, game_id)
    destination = space.upper()
    found = legal.routes_to(hand.state, hand.seat, destination)
    choices = [route_choice(hand.view, entry, hand.names) for entry in found.entries]
    if not choices:
        return redirect(confirm_path(game_id, f"camp {destination}"))
    if len(choices) == 1:
        return redirect(choices[0].href)
    cheapest = sorted(choices, key=lambda choice: len(choice.spent))
    context = {
        "game": hand.view,
        "seat": hand.seat,
        "board": board.draw(hand.view),
        "destination": destination,
        "routes": cheapest[:ROUTES_SHOWN],
        "more": cheapest[ROUTES_SHOWN:],
        "complete": found.complete,
    }
    return render(request, "games/routes.html", context)


@require_safe
@for_players
def choose_payment(request: HttpRequest, game_id: str) -> HttpResponse:
    """Show what can pay each step of a route; the form comes back here with the cards picked."""
    hand = _hand(request, game_id)
    spaces, steps = route_of(hand.state, hand.seat, request.GET.get("route", ""))
    picked = [request.GET.get(f"step{number}", "") for number in range(1, len(steps) + 1)]
    if any(picked):
        paid = named_payment(hand.state, hand.seat, steps, picked)
        return redirect(confirm_path(game_id, camp_text(hand.state, spaces, paid)))
    only = only_payment(hand.state, hand.seat, steps)
    if only is not None:
        return redirect(confirm_path(game_id, camp_text(hand.state, spaces, only)))
    context = {
        "game": hand.view,
        "board": board.draw(hand.view, route=board.Route(spaces, hand.seat)),
        "destination": spaces[-1],
        "route": "-".join(spaces),
        "steps": step_choices(hand.state, hand.seat, steps, hand.names),
    }
    return render(request, "games/payment.html", context)


@require_safe
@for_players
def confirm(request: HttpRequest, game_id: str) -> HttpResponse:
    """Show in words and on the map what a line of notation would do, and the button for it."""
    hand = _hand(request, game_id)
    phrases = notation.parse(request.GET.get("text", ""))
    try:
        shown = preview(
            hand.state, hand.seat, notation.resolve(phrases, hand.state, hand.seat), hand.names
        )
    except IllegalMove as error:
        error.legal = legal.legal(hand.state, hand.seat)[:LEGAL_SHOWN]
        raise
    context = {
        "game": hand.view,
        "preview": shown,
        "board": board.draw(hand.view, route=board.Route(shown.route, hand.seat)),
        "decision": hand.decision or "",
        "key": secrets.token_urlsafe(KEY_BYTES),
    }
    return render(request, "games/confirm.html", context)


@require_POST
@for_players
def play(request: HttpRequest, game_id: str) -> HttpResponse:
    """Play what was confirmed, once, and show the game with what was played."""
    answer = services.submit_move(signed_in(request), game_id, _submitted(request))
    unapplied = [commands.parse(command) for command in answer["unapplied"]]
    if unapplied:
        messages.warning(request, _unapplied_words(request, game_id, unapplied))
    query = urlencode({"played": answer["number"]})
    return redirect(f"{reverse('game', args=[game_id])}?{query}")


def _submitted(request: HttpRequest) -> services.Submitted:
    version = request.POST.get("version", "")
    if not version.isdecimal():
        raise InvalidRequest("version: the number of the last move you saw")
    message = " ".join(request.POST.get("message", "").split())
    return services.Submitted(
        decision=request.POST.get("decision") or None,
        expected_version=int(version),
        text=request.POST.get("text", ""),
        message=message[:MESSAGE_LENGTH],
        key=request.POST.get("key", "")[:KEY_LENGTH],
    )


def _unapplied_words(request: HttpRequest, game_id: str, unapplied: Sequence[Command]) -> str:
    state = _hand(request, game_id).state
    lines = " and ".join(f"“{notation.text_of(state, command)}”" for command in unapplied)
    return f"What came before it has changed what is allowed, so it was not played: {lines}."
