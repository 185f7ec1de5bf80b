"""Proposals to the table: made, agreed to, refused and withdrawn with buttons of the game page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from games import consent
from games.access import visible_game
from games.errors import InvalidRequest
from games.models import Proposal
from games.web.doors import for_players, news_path, signed_in
from games.web.tableside import pauses

BECAME = {
    Proposal.State.OPEN: "The others are asked; it is done when all who play have agreed.",
    Proposal.State.AGREED: "All have agreed: it is done.",
    Proposal.State.REFUSED: "The proposal is refused.",
    Proposal.State.WITHDRAWN: "The proposal is withdrawn.",
}
"""What became of a proposal, as it is said to who has just made or answered it."""


@require_POST
@for_players
def propose(request: HttpRequest, game_id: str) -> HttpResponse:
    """Propose something; what is proposed already is shown instead."""
    kind, version = request.POST.get("kind", ""), request.POST.get("version", "")
    try:
        seen = int(version) if version.isdecimal() else None
        proposal = consent.propose(
            signed_in(request), game_id, kind, _seconds(request), expected_version=seen
        )
    except InvalidRequest:
        if _is_proposed(request, game_id, kind):
            return redirect(_proposals(game_id))
        if _has_gone_on(request, game_id, version):
            return redirect(news_path(game_id, version))
        raise
    return _tell(request, game_id, proposal)


def _has_gone_on(request: HttpRequest, game_id: str, version: str) -> bool:
    game, _ = visible_game(signed_in(request), game_id)
    return str(game.version) != version


def _seconds(request: HttpRequest) -> int | None:
    """Return how long a pause is to be, if it is one of those on offer."""
    chosen = request.POST.get("seconds", "")
    return next((length for length, _ in pauses() if str(length) == chosen), None)


def _is_proposed(request: HttpRequest, game_id: str, kind: str) -> bool:
    game, _ = visible_game(signed_in(request), game_id)
    return any(proposal.kind == kind for proposal in consent.open_proposals(game))


@require_POST
@for_players
def answer(request: HttpRequest, game_id: str, number: int) -> HttpResponse:
    """Agree to a proposal, refuse it, or withdraw one's own."""
    agree = request.POST.get("answer") == "agree"
    try:
        proposal = consent.answer(signed_in(request), game_id, number, agree=agree)
    except InvalidRequest as error:
        messages.warning(request, f"{error.detail[:1].upper()}{error.detail[1:]}.")
        return redirect(news_path(game_id, request.POST.get("version", "")))
    return _tell(request, game_id, proposal)


def _tell(request: HttpRequest, game_id: str, proposal: Proposal) -> HttpResponse:
    messages.success(request, BECAME[Proposal.State(proposal.state)])
    return redirect(_proposals(game_id))


def _proposals(game_id: str) -> str:
    return f"{reverse('game', args=[game_id])}#proposals"
