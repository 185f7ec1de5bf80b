"""The page of a game, now or as it was, and the small answer that tells it to load again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dewan_site.links import absolute
from engine.state import State
from games import selectors
from games.access import NotVisible, Seen
from games.models import Game, Seat
from games.selectors import Position, Told
from games.web import board, faces
from games.web.asking import Awaited, asked_of, awaited, headline
from games.web.choices import choices_of
from games.web.doors import for_viewers, player_of

POLL_BOT, POLL_OTHERS = 1, 15
"""After how many seconds a page looks for news first: while a bot is to move, and else."""

RECENT = 6
"""How many moves of the log are shown unfolded."""


@never_cache
@require_safe
@for_viewers
def game_page(request: HttpRequest, game_id: str) -> HttpResponse:
    """Show a game: the table now, or with ``?at=N`` as it was after move N."""
    at = _number(request, "at")
    position = selectors.position(player_of(request), game_id, at)
    if position.state is None:
        return render(request, "games/open_game.html", _open_table(request, position))
    context = _table(position, position.state, at) | {"zoom": "zoom" in request.GET}
    if at is None:
        context |= _now(request, position, position.state)
    return render(request, "games/game.html", context)


@never_cache
@require_safe
@for_viewers
def version(request: HttpRequest, game_id: str) -> JsonResponse:
    """Tell how far a game is, for a page that wants to know whether to load again."""
    game, _ = selectors.seen_by(player_of(request), game_id)
    return JsonResponse({"version": _stage(game)})


def _stage(game: Game) -> str:
    """Return what changes when there is something new: a move, or somebody sitting down."""
    if game.version:
        return str(game.version)
    seated = game.seats.exclude(player=None, kind=Seat.Kind.HUMAN).count()
    return f"0.{seated}.{game.status}"


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise NotVisible
    return int(text)


# ---- Before the game -------------------------------------------------------------------------


def _open_table(request: HttpRequest, position: Position) -> dict[str, Any]:
    game = position.seen.game
    return {
        "game": position.view,
        "headline": headline(position.view, []),
        "missing": sum(seat["name"] is None for seat in position.view["seats"]),
        "join_url": absolute(reverse("join", args=[game.pk]), request),
        "live": Live(_stage(game), POLL_OTHERS, POLL_OTHERS * 2),
    }


# ---- The table -------------------------------------------------------------------------------


class Live(msgspec.Struct, frozen=True):
    """When the page looks for news: what it shows, after how many seconds, without script too."""

    version: str
    poll: int
    refresh: int | None


class News(msgspec.Struct, frozen=True):
    """What has happened; ``gone_on`` if it kept something from being played."""

    gone_on: bool
    moves: list[Told]


class StepBack(msgspec.Struct, frozen=True):
    """The controls that step through a game: the move shown, and where they lead."""

    at: int
    last: int
    previous: int | None
    following: int | None


def _table(position: Position, state: State, at: int | None) -> dict[str, Any]:
    """Return what lies on the table, now or then: the part of the page that is only looked at."""
    view, seat = position.view, position.seen.seat
    game = position.seen.game
    tribes = faces.tribe_faces(state, view["seats"])
    mine = tribes[seat] if seat is not None else None
    log = selectors.told_moves(position.seen, upto=state.version)
    return {
        "game": view,
        "board": _board(position, state, at, {}),
        "row": faces.row_places(state),
        "stories": faces.story_places(state, seat, {}),
        "mine": mine,
        "others": [tribe for tribe in tribes if tribe is not mine],
        "tribes": tribes,
        "story_pile": len(state.story_pile),
        "log": log[::-1][:RECENT],
        "older": log[::-1][RECENT:],
        "told": log[-1],
        "past": at is not None,
        "steps": StepBack(
            at=state.version,
            last=game.version,
            previous=state.version - 1 if state.version > 1 else None,
            following=state.version + 1 if state.version < game.version else None,
        ),
        "scores": faces.scores_now(state),
        "result": view["result"],
    }


def _board(
    position: Position, state: State, at: int | None, links: Mapping[str, str]
) -> board.Drawing:
    """Return the map, with the camps that are news to the reader and the last route."""
    seen, upto = position.seen, state.version
    if at is not None:
        after = at - 1
    elif seen.seat is not None:
        after = selectors.last_own_move(seen.game, seen.seat)
    else:
        after = upto - len(state.tribes)
    standing = [
        placed
        for placed in selectors.camps_placed(seen, after, upto)
        if (camp := state.camps[state.board.index[placed.route[-1]]]) and camp.seat == placed.seat
    ]
    route = board.Route(standing[-1].route, standing[-1].seat) if standing else board.NO_ROUTE
    fresh = {placed.route[-1] for placed in standing}
    return board.draw(position.view, links=links, route=route, fresh=fresh)


# ---- Now -------------------------------------------------------------------------------------


def _now(request: HttpRequest, position: Position, state: State) -> dict[str, Any]:
    """Return what only the table of now has: the question, the news, and what can be tapped."""
    view, seen = position.view, position.seen
    decisions = awaited(view, timezone.now())
    asked = asked_of(decisions)
    context: dict[str, Any] = {
        "headline": headline(view, decisions),
        "decisions": decisions,
        "asked": asked,
        "played": _played(request, seen),
        "news": _news(request, position, state),
        "live": None if state.over else _live(state, decisions),
        "rematch": selectors.rematch_of(seen),
        "may_rematch": state.over and seen.seat is not None,
    }
    if asked is not None and seen.seat is not None:
        choices = choices_of(state, seen.seat, seen.game.pk)
        context |= {
            "choices": choices,
            "board": _board(position, state, None, choices.spaces),
            "stories": faces.story_places(state, seen.seat, choices.stories),
        }
    return context


def _live(state: State, decisions: Sequence[Awaited]) -> Live:
    """Look often while a bot is to move; without script, load again only while others move."""
    poll = POLL_BOT if any(decision.is_bot for decision in decisions) else POLL_OTHERS
    waiting = asked_of(decisions) is None
    return Live(str(state.version), poll, poll * 2 if waiting else None)


def _played(request: HttpRequest, seen: Seen) -> Told | None:
    """Return the move that the reader has just made, as the address says after playing."""
    number = _number(request, "played")
    told = selectors.told_moves(seen, number - 1, number) if number else []
    return next((move for move in told if move.seat == seen.seat), None)


def _news(request: HttpRequest, position: Position, state: State) -> News:
    """Return what happened since the version named, else since the reader's last move."""
    seen, since = position.seen, _number(request, "news")
    gone_on = "news" in request.GET
    if since is None:
        since = selectors.last_own_move(seen.game, seen.seat) if seen.seat is not None else 0
    moves = selectors.told_moves(seen, since, state.version) if since or gone_on else []
    return News(gone_on, moves)
