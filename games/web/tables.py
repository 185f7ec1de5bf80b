"""Coming to a table: the first page, my games, a new game, joining, playing again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from dewan_site.accounts.forms import SignInForm
from dewan_site.accounts.models import Player
from engine.scenarios import SCENARIOS
from engine.scenarios.base import BASE
from games import absence, access, selectors, services
from games.errors import GameFull, InvalidRequest
from games.models import Game, Seat
from games.web.asking import Awaited, asked_of, awaited, headline
from games.web.doors import for_players, for_viewers, player_of, signed_in
from games.web.forms import NewGameForm
from games.web.scenario import said
from games.words import duration_words


class Opponent(msgspec.Struct, frozen=True):
    """Somebody else at the table; a free seat has no name. ``number`` is the seat's, from 1."""

    seat: int
    number: int
    name: str | None


class Listed(msgspec.Struct, frozen=True):
    """A game in a list, as its reader sees it; ``move_time`` is in words."""

    game: Mapping[str, Any]
    scenario: str
    headline: str
    asked: Awaited | None
    others: list[Awaited]
    opponents: list[Opponent]
    opened: datetime
    move_time: str

    @property
    def first(self) -> Awaited | None:
        """Return the decision whose deadline matters most to the reader: their own, if any."""
        return self.asked or next(iter(self.others), None)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show a player their games, and anybody else what this is and how to sign in."""
    player = player_of(request)
    if player is None:
        return render(request, "games/landing.html", {"form": SignInForm()})
    return render(request, "games/my_games.html", _my_games(player, request.GET.get("after", "")))


def _my_games(player: Player, after: str) -> dict[str, Any]:
    page = selectors.my_games(player, after)
    games = _all_listed(page["games"])
    past = (Game.Status.FINISHED, Game.Status.CANCELLED)
    return {
        "waiting": [game for game in games if game.asked],
        "running": [g for g in games if not g.asked and g.game["status"] not in past],
        "past": [game for game in games if game.game["status"] in past],
        "next": page["next"],
        "tables": _all_listed(selectors.public_open_games(player)),
    }


def _all_listed(entries: Sequence[Mapping[str, Any]]) -> list[Listed]:
    return [_listed(entry) for entry in entries]


def _listed(entry: Mapping[str, Any]) -> Listed:
    decisions = awaited(entry, timezone.now(), sealed=entry["sealed"])
    return Listed(
        game=entry,
        scenario=_scenario_name(entry["scenario"]),
        headline=headline(entry, decisions, sealed=entry["sealed"]),
        asked=asked_of(decisions),
        others=[decision for decision in decisions if not decision.mine],
        opponents=[
            Opponent(seat["seat"], seat["seat"] + 1, seat["name"])
            for seat in entry["seats"]
            if seat["seat"] != entry["you"]
        ],
        opened=datetime.fromisoformat(entry["created_at"]),
        move_time=duration_words(entry["move_time"]),
    )


def _scenario_name(key: str) -> str:
    """Return what a scenario is called in lists; the base game is not worth a word."""
    return "" if key == BASE.key else SCENARIOS[key].name


@login_required
def new_game(request: HttpRequest) -> HttpResponse:
    """Ask how to play, and open the game."""
    form = NewGameForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            game = services.create_game(signed_in(request), form.wanted)
        except InvalidRequest as error:
            form.add_error(None, error.detail)
        else:
            return redirect("game", game.pk)
    return render(request, "games/new_game.html", {"form": form}, status=_status(form))


def _status(form: NewGameForm) -> int:
    return 400 if form.is_bound else 200


def join(request: HttpRequest, game_id: str) -> HttpResponse:
    """Show who sits at a table that waits for players; its button sits the player down."""
    return _sit_down(request, game_id) if request.method == "POST" else _table(request, game_id)


@require_safe
@for_viewers
@login_required
def _table(request: HttpRequest, game_id: str) -> HttpResponse:
    game = access.open_game(game_id)
    player = signed_in(request)
    seats = selectors.seats_of(game)
    if any(seat.player_id == player.pk for seat in seats):
        return redirect("game", game.pk)
    if game.status != Game.Status.OPEN:
        return _too_late(request, game_id)
    context = {
        "game_id": game.pk,
        "host": game.creator,
        "seats": seats,
        "missing": sum(seat.kind == Seat.Kind.HUMAN and not seat.player_id for seat in seats),
        "scenario": SCENARIOS[game.scenario],
        "said": said(game.scenario),
        "move_time": duration_words(game.move_time),
        "visibility": game.visibility,
    }
    return render(request, "games/join.html", context)


@require_POST
@for_players
def _sit_down(request: HttpRequest, game_id: str) -> HttpResponse:
    try:
        game, _ = services.join_game(signed_in(request), game_id)
    except GameFull:
        return _too_late(request, game_id)
    return redirect("game", game.pk)


def _too_late(request: HttpRequest, game_id: str) -> HttpResponse:
    """Say that every seat is taken, or none is there; a public game can still be watched."""
    game = access.open_game(game_id)
    watch = reverse("game", args=[game_id]) if game.visibility == Game.Visibility.PUBLIC else ""
    context = {"watch": watch, "called_off": game.status == Game.Status.CANCELLED}
    return render(request, "games/too_late.html", context, status=409)


@require_POST
@for_players
def call_off(request: HttpRequest, game_id: str) -> HttpResponse:
    """Call a table off that its creator has opened and nobody else has come to."""
    absence.call_off(signed_in(request), game_id)
    messages.success(request, "The table is called off.")
    return redirect("home")


@require_POST
@for_players
def rematch(request: HttpRequest, game_id: str) -> HttpResponse:
    """Open the same table again, or go to it if somebody has."""
    game = services.rematch(signed_in(request), game_id)
    return redirect("join", game.pk)
