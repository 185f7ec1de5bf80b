"""The page of a game, now or as it was, and the small answer that tells it to load again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from dewan_site.links import absolute
from engine.scenarios import SCENARIOS
from engine.state import State
from games import consent, selectors
from games.access import NotVisible, Seen
from games.models import Game, Seat
from games.selectors import Position, Told
from games.times import ending_words, treatment
from games.web import board, faces
from games.web.asking import Awaited, asked_of, awaited, headline, name_of
from games.web.choices import NO_CHOICES, Choices, choices_of
from games.web.doors import for_viewers, player_of
from games.web.kept import kept_line
from games.web.mails import rhythm_choices
from games.web.scenario import piles, said
from games.web.tableside import (
    SeatNotes,
    pauses,
    proposal_faces,
    seat_notes,
    sitters,
    tableside,
)
from notifications import seen

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
    if at is None:
        seen.look(position.seen.game, position.view, player_of(request))
    log = selectors.told_moves(position.seen, upto=position.state.version)
    table = Tabletop(position.seen, position.state, position.view, log, past=at is not None)
    context = _past(table) if table.past else _now(request, table)
    return render(request, "games/game.html", context | {"zoom": "zoom" in request.GET})


@never_cache
@require_safe
@for_viewers
def version(request: HttpRequest, game_id: str) -> JsonResponse:
    """Tell how far a game is, for a page that wants to know whether to load again."""
    game, _ = selectors.seen_by(player_of(request), game_id)
    return JsonResponse({"version": _stage(game)})


@never_cache
@require_safe
@for_viewers
def export(request: HttpRequest, game_id: str) -> JsonResponse:
    """Return the whole game as a file (docs/export.md), once it is over."""
    game, _ = selectors.seen_by(player_of(request), game_id)
    if not game.over:
        raise NotVisible
    name = f'attachment; filename="dewan-{game.pk}.json"'
    return JsonResponse(selectors.open_export(game), headers={"Content-Disposition": name})


def _stage(game: Game) -> str:
    """Return what changes when there is something new: a move, an answer, somebody sitting down."""
    if game.version:
        return _stage_of(game.version, {p.pk: p.agreed for p in consent.open_proposals(game)})
    seated = game.seats.exclude(player=None, kind=Seat.Kind.HUMAN).count()
    return f"0.{seated}.{game.status}"


def _stage_of(version: int, agreed: Mapping[int, Sequence[int]]) -> str:
    """Return what tells of a move or an answer: the version, and who has agreed to proposals."""
    answers = (f"{proposal}:{len(seats)}" for proposal, seats in agreed.items())
    return "-".join([str(version), *answers])


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
        "ending": ending_words(position.view["ending"]),
        "scenario": SCENARIOS[game.scenario],
        "said": said(game.scenario),
        "treatment": treatment(position.view),
        "sitters": sitters(position.view),
        "may_call_off": _may_call_off(request, position.seen),
        "may_leave": position.seen.seat is not None and game.status == Game.Status.OPEN,
        "missing": sum(seat["name"] is None for seat in position.view["seats"]),
        "join_url": absolute(reverse("join", args=[game.pk]), request),
        "live": Live(_stage(game), POLL_OTHERS, POLL_OTHERS * 2),
    }


def _may_call_off(request: HttpRequest, seen: Seen) -> bool:
    player = player_of(request)
    return (
        player is not None
        and seen.game.creator_id == player.pk
        and seen.game.status == Game.Status.OPEN
    )


# ---- The table -------------------------------------------------------------------------------


class Tabletop(msgspec.Struct, frozen=True):
    """A game in front of its reader: masked state, view, and the log in words up to there."""

    seen: Seen
    state: State
    view: dict[str, Any]
    log: list[Told]
    past: bool

    @property
    def seat(self) -> int | None:
        """Return the reader's seat, None for a spectator."""
        return self.seen.seat

    @property
    def sealed(self) -> bool:
        """Tell whether the reader has answered, and nobody else may know it yet (R13.5)."""
        asked = (decision["seat"] for decision in self.view["awaiting"])
        return self.seat in asked and self.state.question_of(self.seat) is None

    @property
    def last_own_move(self) -> int:
        """Return the number of the reader's last move, 0 if there is none."""
        return max((move.number for move in self.log if move.seat == self.seat), default=0)

    @property
    def news_since(self) -> int:
        """Return after which move a camp is news: in the past only that move itself is."""
        if self.past:
            return self.state.version - 1
        return self.last_own_move if self.seat is not None else self._a_round_ago

    @property
    def _a_round_ago(self) -> int:
        return self.state.version - len(self.state.tribes)


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


def _laid_out(table: Tabletop, choices: Choices) -> dict[str, Any]:
    """Return what lies on the table, with where tapping it leads."""
    state, seat = table.state, table.seat
    tribes = faces.tribe_faces(state, table.view["seats"])
    newest = table.log[::-1]
    return {
        "game": table.view,
        "board": _board(table, choices),
        "row": faces.row_places(state),
        "piles": piles(state),
        "scenario": state.scenario,
        "said": said(state.scenario.key),
        "stories": faces.story_places(state, seat, choices.stories),
        "story_pile": len(state.story_pile),
        "chips": list(zip(tribes, _notes(table), strict=True)),
        "mine": tribes[seat] if seat is not None else None,
        "others": [tribe for tribe in tribes if tribe.seat != seat],
        "scores": faces.scores_now(state, [name_of(seat) for seat in table.view["seats"]]),
        "log": newest[:RECENT],
        "older": newest[RECENT:],
        "steps": _step_back(table),
        "choices": choices,
    }


def _notes(table: Tabletop) -> Sequence[SeatNotes | None]:
    """Return what is worth a word about each seat now; of the past it is not known."""
    seats = table.view["seats"]
    return [None] * len(seats) if table.past else [seat_notes(table.view, s) for s in seats]


def _board(table: Tabletop, choices: Choices) -> board.Drawing:
    """Return the map: what the reader can tap, what is news to them, and the last route."""
    state = table.state
    standing = [
        placed
        for placed in selectors.camps_placed(table.seen, table.news_since, state.version)
        if (camp := state.camps[state.board.index[placed.route[-1]]]) and camp.seat == placed.seat
    ]
    route = board.Route(standing[-1].route, standing[-1].seat) if standing else board.NO_ROUTE
    fresh = {placed.route[-1] for placed in standing}
    marks = board.Marks(
        links=choices.spaces,
        act=choices.act,
        fresh=fresh,
        covered=board.covered(state),
        parts=choices.letters,
        owners=said(state.scenario.key).owners,
    )
    return board.draw(table.view, marks=marks, route=route)


def _step_back(table: Tabletop) -> StepBack:
    at, last = table.state.version, table.seen.game.version
    return StepBack(
        at=at,
        last=last,
        previous=at - 1 if at > 1 else None,
        following=at + 1 if at < last else None,
    )


# ---- Then and now ----------------------------------------------------------------------------


def _past(table: Tabletop) -> dict[str, Any]:
    return _laid_out(table, NO_CHOICES) | {"past": True, "told": table.log[-1]}


def _now(request: HttpRequest, table: Tabletop) -> dict[str, Any]:
    """Return the table, with the question, the news, and what can be tapped."""
    state, seat = table.state, table.seat
    decisions = awaited(table.view, timezone.now(), sealed=table.sealed)
    asked = asked_of(decisions)
    choices = choices_of(state, seat, table.view["id"])
    return (
        _laid_out(table, choices)
        | _around(request, table)
        | {
            "headline": headline(table.view, decisions, sealed=table.sealed),
            "sealed": table.sealed,
            "decisions": decisions,
            "asked": asked,
            "played": _played(request, table),
            "news": _news(request, table),
            "line": kept_line(request, table.seen.game.pk),
            "live": None if state.over else _live(table, decisions),
            "result": table.view["result"],
            "seed": table.seen.game.gamesecret.seed if table.seen.game.over else "",
            "rematch": selectors.rematch_of(table.seen),
            "may_rematch": state.over and seat is not None,
        }
    )


def _around(request: HttpRequest, table: Tabletop) -> dict[str, Any]:
    """Return what is around the game: how it ended, who is away, what can be done about it."""
    view, paused = table.view, table.view["paused_until"]
    shown = {
        "ending": ending_words(view["ending"]),
        "treatment": treatment(view),
    }
    if table.state.over:
        return shown
    return shown | {
        "paused_until": datetime.fromisoformat(paused) if paused else None,
        "proposals": proposal_faces(view),
        "side": tableside(request, table.seen, view, has_moved=table.last_own_move > 0),
        "pauses": pauses(),
        "mail_choices": rhythm_choices(player_of(request), table.seen),
    }


def _live(table: Tabletop, decisions: Sequence[Awaited]) -> Live:
    """Look often while a bot is to move; without script, load again only while others move."""
    poll = POLL_BOT if any(decision.is_bot for decision in decisions) else POLL_OTHERS
    waiting = asked_of(decisions) is None
    agreed = {proposal["proposal"]: proposal["agreed"] for proposal in table.view["proposals"]}
    return Live(_stage_of(table.state.version, agreed), poll, poll * 2 if waiting else None)


def _played(request: HttpRequest, table: Tabletop) -> Told | None:
    """Return the move that the reader has just made, as the address says after playing."""
    number = _number(request, "played")
    own = (move for move in table.log if move.seat == table.seat)
    return next((move for move in own if move.number == number), None)


def _news(request: HttpRequest, table: Tabletop) -> News:
    """Return what happened since the version named, else since the reader's last move."""
    gone_on = "news" in request.GET
    since = _number(request, "news") or table.last_own_move
    known = gone_on or since
    return News(gone_on, [move for move in table.log if move.number > since] if known else [])
