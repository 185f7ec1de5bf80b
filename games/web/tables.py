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
from games.models import Game
from games.pace import Pace
from games.times import LEFT, WHEN_UP, ending_words, short_pace_words, turn_words
from games.web.asking import Awaited, asked_of, awaited, headline
from games.web.doors import for_players, for_viewers, player_of, signed_in
from games.web.forms import NewGameForm
from games.web.leaving import as_it_stands
from games.web.tableside import is_person

Paces = Mapping[tuple[str, int], Pace]
"""The pace of players by game and seat."""


class Opponent(msgspec.Struct, frozen=True):
    """Somebody else at the table; a free seat has no name. ``number`` is the seat's, from 1.

    ``pace`` is in words, where a table is chosen.
    """

    seat: int
    number: int
    name: str | None
    pace: str = ""


class Listed(msgspec.Struct, frozen=True):
    """A game in a list, as its reader sees it; ``turn`` is what a turn has, in words."""

    game: Mapping[str, Any]
    scenario: str
    headline: str
    ending: str
    asked: Awaited | None
    others: list[Awaited]
    opponents: list[Opponent]
    opened: datetime
    turn: str
    up: str

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
    games = [_listed(entry) for entry in page["games"]]
    past = (Game.Status.FINISHED, Game.Status.CANCELLED)
    return {
        "waiting": [game for game in games if game.asked],
        "running": [g for g in games if not g.asked and g.game["status"] not in past],
        "past": [game for game in games if game.game["status"] in past],
        "left": [] if after else [_left(entry) for entry in selectors.left_games(player)],
        "next": page["next"],
        "tables": _tables(selectors.public_open_games(player)),
    }


def _tables(entries: Sequence[Mapping[str, Any]]) -> list[Listed]:
    """Return the tables that somebody can choose from, with the pace of who sits there."""
    paces = selectors.paces_at([entry["id"] for entry in entries])
    return [_listed(entry, paces) for entry in entries]


def _listed(entry: Mapping[str, Any], paces: Paces | None = None) -> Listed:
    decisions = awaited(entry, timezone.now(), sealed=entry["sealed"])
    return Listed(
        game=entry,
        scenario=_scenario_name(entry["scenario"]),
        headline=headline(entry, decisions, sealed=entry["sealed"]),
        ending=ending_words(entry["ending"]),
        asked=asked_of(decisions),
        others=[decision for decision in decisions if not decision.mine],
        opponents=[
            _opponent(entry, seat, paces) for seat in entry["seats"] if seat["seat"] != entry["you"]
        ],
        opened=datetime.fromisoformat(entry["created_at"]),
        turn=turn_words(entry),
        up=WHEN_UP[entry["absence"]].comes_to,
    )


def _opponent(entry: Mapping[str, Any], seat: Mapping[str, Any], paces: Paces | None) -> Opponent:
    opponent = Opponent(seat["seat"], seat["seat"] + 1, seat["name"])
    if paces is None or not is_person(seat):
        return opponent
    pace = paces.get((entry["id"], seat["seat"]))
    return msgspec.structs.replace(opponent, pace=short_pace_words(pace))


class Left(msgspec.Struct, frozen=True):
    """A game that its reader has left: which, how and when; a private one cannot be looked at."""

    number: int
    seat: int
    players: int
    scenario: str
    how: str
    at: datetime
    watch: str


def _left(entry: Mapping[str, Any]) -> Left:
    is_public = entry["visibility"] == Game.Visibility.PUBLIC
    return Left(
        number=entry["seat"] + 1,
        seat=entry["seat"],
        players=entry["players"],
        scenario=_scenario_name(entry["scenario"]),
        how=LEFT[entry["how"]],
        at=datetime.fromisoformat(entry["at"]),
        watch=reverse("game", args=[entry["id"]]) if is_public else "",
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
    free = [seat for seat in seats if seat.is_vacant and access.may_sit(player, seat)]
    if not free or game.over:
        return _too_late(request, game_id)
    position = selectors.position_for_guests(game_id)
    if not game.is_public and access.has_left(player, game_id):
        # Who has left such a table sees nothing more of it, unless they sit down again.
        position = msgspec.structs.replace(position, state=None)
    context = as_it_stands(position) | {
        "host": game.creator,
        "missing": len(free),
    }
    return render(request, "games/join.html", context)


@require_POST
@for_players
def _sit_down(request: HttpRequest, game_id: str) -> HttpResponse:
    try:
        game, _ = absence.take_seat(signed_in(request), game_id)
    except GameFull:
        return _too_late(request, game_id)
    return redirect("game", game.pk)


def _too_late(request: HttpRequest, game_id: str) -> HttpResponse:
    """Say that every seat is taken, or none is there; a public game can still be watched."""
    game = access.open_game(game_id)
    watch = reverse("game", args=[game_id]) if game.is_public else ""
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
