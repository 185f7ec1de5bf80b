"""From a tap to a move: route, payment, preview, and the one view that plays."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from engine import commands, legal, notation
from engine.commands import Command, Undo
from engine.errors import GameError, IllegalMove, NotYourDecision
from games import services
from games.services import LEGAL_SHOWN
from games.web import board
from games.web.doors import for_players, signed_in
from games.web.forms import MoveForm
from games.web.kept import forget_line, keep_line, kept_line
from games.web.paying import (
    camp_text,
    confirm_path,
    named_payment,
    only_payment,
    route_choice,
    route_of,
    step_choices,
)
from games.web.seated import Seated, foreseen, from_seat

KEY_BYTES = 16
ROUTES_SHOWN, ROUTES_LISTED = 6, 50
"""How many routes are shown unfolded, and how many at all: the cheapest ones."""


def _seated(request: HttpRequest, game_id: str) -> Seated:
    """Return the game from the player's seat; raise NotYourDecision if there is none to play."""
    return from_seat(signed_in(request), game_id)


@require_safe
@for_players
def choose_route(request: HttpRequest, game_id: str, space: str) -> HttpResponse:
    """Show the routes to a space; a single one is not asked for."""
    seated = _seated(request, game_id)
    destination = space.upper()
    found = legal.routes_to(seated.state, seated.seat, destination)
    choices = [route_choice(seated.view, entry, seated.names) for entry in found.entries]
    if not choices:
        return redirect(confirm_path(game_id, f"camp {destination}"))
    if len(choices) == 1:
        return redirect(choices[0].href)
    cheapest = sorted(choices, key=lambda choice: len(choice.spent))
    context = {
        "game": seated.view,
        "seat": seated.seat,
        "board": board.draw(seated.view, marks=seated.marks),
        "destination": destination,
        "routes": cheapest[:ROUTES_SHOWN],
        "more": cheapest[ROUTES_SHOWN:ROUTES_LISTED],
        "complete": found.complete and len(cheapest) <= ROUTES_LISTED,
    }
    return render(request, "games/routes.html", context)


@require_safe
@for_players
def choose_payment(request: HttpRequest, game_id: str) -> HttpResponse:
    """Show what can pay each step of a route; the form comes back here with the cards picked."""
    seated = _seated(request, game_id)
    spaces, steps = route_of(seated.state, seated.seat, request.GET.get("route", ""))
    picked = [request.GET.get(f"step{number}", "") for number in range(1, len(steps) + 1)]
    if any(picked):
        paid = named_payment(seated.state, seated.seat, steps, picked)
        return redirect(confirm_path(game_id, camp_text(seated.state, spaces, paid)))
    only = only_payment(seated.state, seated.seat, steps)
    if only is not None:
        return redirect(confirm_path(game_id, camp_text(seated.state, spaces, only)))
    context = {
        "game": seated.view,
        "board": board.draw(
            seated.view, marks=seated.marks, route=board.Route(spaces, seated.seat)
        ),
        "destination": spaces[-1],
        "route": "-".join(spaces),
        "steps": step_choices(seated.state, seated.seat, steps, seated.names),
    }
    return render(request, "games/payment.html", context)


@require_safe
@for_players
def confirm(request: HttpRequest, game_id: str) -> HttpResponse:
    """Show in words and on the map what a line of notation would do, and the button for it."""
    seated = _seated(request, game_id)
    phrases = notation.parse(request.GET.get("text", ""))
    if seated.decision is None and phrases != [Undo()]:
        raise NotYourDecision("you are not asked anything now")
    try:
        shown = foreseen(seated, phrases)
    except IllegalMove as error:
        error.legal = legal.legal(seated.state, seated.seat)[:LEGAL_SHOWN]
        raise
    context = {
        "game": seated.view,
        "decision": seated.decision or "",
        "line": kept_line(request, game_id),
        "key": secrets.token_urlsafe(KEY_BYTES),
    }
    return render(request, "games/confirm.html", context | shown)


@require_POST
@for_players
def play(request: HttpRequest, game_id: str) -> HttpResponse:
    """Play what was confirmed, once, and show the game with what was played."""
    try:
        submitted = MoveForm(request.POST).submitted
        answer = services.submit_move(signed_in(request), game_id, submitted)
    except GameError:
        keep_line(request, game_id)
        raise
    forget_line(request)
    unapplied = [commands.parse(command) for command in answer["unapplied"]]
    if unapplied:
        messages.warning(request, _unapplied_words(request, game_id, unapplied))
    path = reverse("game", args=[game_id])
    if answer["number"] is None:  # It is sealed, and no move yet: the page says so.
        return redirect(path)
    return redirect(f"{path}?{urlencode({'played': answer['number']})}")


def _unapplied_words(request: HttpRequest, game_id: str, unapplied: Sequence[Command]) -> str:
    state = _seated(request, game_id).state
    lines = " and ".join(f"“{notation.text_of(state, command)}”" for command in unapplied)
    return f"What came before it has changed what is allowed, so it was not played: {lines}."
