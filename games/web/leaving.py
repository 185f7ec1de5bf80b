"""Getting up from a table and coming back: resigning, handing a seat over, taking one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from dewan_site.accounts.models import Player
from engine.scenarios import SCENARIOS
from games import absence, access, selectors
from games.access import NotVisible
from games.errors import GameFull
from games.models import Game, Seat
from games.selectors import Position
from games.times import leaving_words, treatment
from games.web import board, faces
from games.web.asking import name_of, own_seat
from games.web.doors import for_players, player_of, refusal, signed_in
from games.web.scenario import said
from games.web.tableside import sitters

# ---- Resigning, and coming back ----------------------------------------------------------------


def resign(request: HttpRequest, game_id: str) -> HttpResponse:
    """Say what it means to leave a table; the button there does it."""
    return _leave(request, game_id) if request.method == "POST" else _ask(request, game_id)


@never_cache
@require_safe
@for_players
def _ask(request: HttpRequest, game_id: str) -> HttpResponse:
    view = selectors.position(signed_in(request), game_id).view
    if not _can_leave(view):
        return redirect("game", game_id)
    context = {"game": view, "consequences": leaving_words(view)}
    return render(request, "games/resign.html", context)


@require_POST
@for_players
def _leave(request: HttpRequest, game_id: str) -> HttpResponse:
    player = signed_in(request)
    try:
        if not _can_leave(selectors.position(player, game_id).view):
            return redirect("game", game_id)
        absence.leave(player, game_id)
    except NotVisible:
        if not _has_just_left(player, game_id):
            raise
        return redirect("home")
    messages.success(request, "You have left the table.")
    return redirect("home")


def _can_leave(view: dict[str, Any]) -> bool:
    """Tell whether the reader has a seat to give up; to who has none there is no such page."""
    seat = own_seat(view)
    if seat is None:
        raise NotVisible
    is_going_on = view["status"] in (Game.Status.OPEN, Game.Status.RUNNING)
    return is_going_on and seat["standing"] in Seat.IN_PLAY


def _has_just_left(player: Player, game_id: str) -> bool:
    """Tell whether a second click came after the first: there is no seat any more."""
    is_open = access.open_game(game_id).status == Game.Status.OPEN
    return is_open or access.has_left(player, game_id)


@require_POST
@for_players
def come_back(request: HttpRequest, game_id: str) -> HttpResponse:
    """Let a player play again for whom a bot has played on."""
    absence.come_back(signed_in(request), game_id)
    return redirect("game", game_id)


# ---- Handing a seat over -----------------------------------------------------------------------


@require_POST
@for_players
def offer_seat(request: HttpRequest, game_id: str) -> HttpResponse:
    """Make the link that gives a player's seat to whoever follows it."""
    absence.offer_seat(signed_in(request), game_id)
    return redirect(f"{reverse('game', args=[game_id])}#offer")


@require_POST
@for_players
def withdraw_offer(request: HttpRequest, game_id: str) -> HttpResponse:
    """Make the link useless."""
    absence.withdraw_offer(signed_in(request), game_id)
    messages.success(request, "The link to your seat does not work any more.")
    return redirect("game", game_id)


def take_seat(request: HttpRequest, game_id: str, token: str) -> HttpResponse:
    """Show the table of an offered seat; the button there takes it."""
    take = _take if request.method == "POST" else _show_offer
    return take(request, game_id, token)


@never_cache
@require_safe
def _show_offer(request: HttpRequest, game_id: str, token: str) -> HttpResponse:
    seat = selectors.offered_seat(game_id, token)
    if seat is None:
        return _dead_offer(request)
    if player_of(request) is None:
        return redirect_to_login(request.get_full_path())
    if _sits_at(signed_in(request), game_id):
        messages.warning(request, "You sit at this table: the link is for somebody else.")
        return redirect("game", game_id)
    position = selectors.position_for_guests(game_id)
    offered = position.view["seats"][seat]
    context = as_it_stands(position) | {"offered": offered, "number": seat + 1}
    return render(request, "games/take_seat.html", context | {"offered_by": name_of(offered)})


def _sits_at(player: Player, game_id: str) -> bool:
    seats = selectors.seats_of(access.open_game(game_id))
    return any(seat.player_id == player.pk for seat in seats)


@require_POST
@login_required
def _take(request: HttpRequest, game_id: str, token: str) -> HttpResponse:
    try:
        absence.take_seat(signed_in(request), game_id, offer=token)
    except NotVisible:
        return _dead_offer(request)
    except GameFull as error:
        return refusal(request, "", error)
    return redirect("game", game_id)


def _dead_offer(request: HttpRequest) -> HttpResponse:
    return render(request, "games/dead_offer.html", status=410)


def as_it_stands(position: Position) -> dict[str, Any]:
    """Return what a page shows of a game to who might sit down: nothing but what all may know."""
    view, state = position.view, position.state
    shown = {
        "game": view,
        "scenario": SCENARIOS[view["scenario"]],
        "said": said(view["scenario"]),
        "treatment": treatment(view),
        "sitters": sitters(view),
    }
    if state is None:
        return shown
    marks = board.Marks(covered=board.covered(state), owners=said(state.scenario.key).owners)
    names = [name_of(seat) for seat in view["seats"]]
    return shown | {
        "board": board.draw(view, marks=marks),
        "scores": faces.scores_now(state, names),
        "tribes": faces.tribe_faces(state, view["seats"]),
        "round": state.round,
    }
