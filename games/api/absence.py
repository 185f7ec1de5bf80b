"""The endpoints of a table that survives absence: leaving, handing over, consent, pace."""

from __future__ import annotations

from typing import Any

import msgspec
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dewan_site.accounts.models import Player
from dewan_site.links import absolute
from games import absence, access, consent, pace, selectors
from games.api import schemas
from games.api.reading import REFUSED, player_of, sitting, valid
from games.models import Game, Seat, SeatOffer


class MySeatView(APIView):
    """The seat I sit on."""

    @extend_schema(operation_id="leave_game", responses={200: schemas.Left, **REFUSED})
    def delete(self, request: Request, game_id: str) -> Response:
        """Get up for good: before the start the seat is free again, later you resign it."""
        game = absence.leave(player_of(request), game_id)
        return Response({"id": game.pk, "status": game.status})


class ReturnView(APIView):
    """Coming back."""

    @extend_schema(
        operation_id="return_to_game", request=None, responses={200: schemas.GameView, **REFUSED}
    )
    def post(self, request: Request, game_id: str) -> Response:
        """Play again yourself where a bot has played on for you; again changes nothing."""
        absence.come_back(player_of(request), game_id)
        return Response(selectors.game_view(player_of(request), game_id))


class OfferView(APIView):
    """Handing my seat over."""

    @extend_schema(
        operation_id="offer_seat",
        request=None,
        responses={200: schemas.OfferOut, 201: schemas.OfferOut, **REFUSED},
    )
    def post(self, request: Request, game_id: str) -> Response:
        """Offer your seat to whoever has the link; again is the same."""
        before = set(SeatOffer.objects.filter(game=game_id).values_list("token", flat=True))
        token = absence.offer_seat(player_of(request), game_id).token
        url = absolute(f"/games/{game_id}/take/{token}/", request)
        return Response({"offer": token, "url": url}, status=200 if token in before else 201)

    @extend_schema(operation_id="withdraw_offer", responses={204: None, **REFUSED})
    def delete(self, request: Request, game_id: str) -> Response:
        """Withdraw your offer; the link is useless from now on."""
        absence.withdraw_offer(player_of(request), game_id)
        return Response(status=204)


class CancelView(APIView):
    """Calling a game off without consent."""

    @extend_schema(
        operation_id="cancel_game", request=None, responses={200: schemas.GameView, **REFUSED}
    )
    def post(self, request: Request, game_id: str) -> Response:
        """Call the game off: who has opened it before the start, any player before round 1."""
        absence.call_off(player_of(request), game_id)
        return Response(selectors.game_view(player_of(request), game_id))


class ProposalsView(APIView):
    """What all who play have to agree to."""

    @extend_schema(
        operation_id="propose",
        request=schemas.NewProposal,
        responses={201: schemas.ProposalOut, **REFUSED},
    )
    def post(self, request: Request, game_id: str) -> Response:
        """Propose something to the table; it is done when all who play have agreed."""
        player = sitting(request, game_id)
        proposal = consent.propose(player, game_id, **valid(schemas.NewProposal, request.data))
        return Response(selectors.proposed(proposal), status=201)


class ProposalView(APIView):
    """A proposal."""

    @extend_schema(
        operation_id="answer_proposal",
        request=schemas.Answer,
        responses={200: schemas.ProposalOut, **REFUSED},
    )
    def post(self, request: Request, game_id: str, proposal: int) -> Response:
        """Agree to a proposal, or refuse it; your own you withdraw by that."""
        player = sitting(request, game_id)
        agree: bool = valid(schemas.Answer, request.data)["agree"]
        answered = consent.answer(player, game_id, proposal, agree=agree)
        return Response(selectors.proposed(answered))


class PaceView(APIView):
    """How fast the others are."""

    @extend_schema(operation_id="get_pace", responses={200: schemas.Paces, **REFUSED})
    def get(self, request: Request, game_id: str) -> Response:
        """Say how fast those at the table answer: to who may see the game, or could join it."""
        game = _seen_or_open(player_of(request), game_id)
        paces = pace.paces_of(_players(game))
        return Response({"seats": [_paced(seat, paces) for seat in selectors.seats_of(game)]})


def _seen_or_open(player: Player, game_id: str) -> Game:
    """Return a game that a player sees, or one with a free seat: who knows its id is invited."""
    game = access.open_game(game_id)
    vacant = game.seats.filter(kind=Seat.Kind.HUMAN, player=None)
    if game.over or not vacant.exists():
        access.visible_game(player, game_id)
    return game


def _players(game: Game) -> list[int]:
    return [seat.player_id for seat in selectors.seats_of(game) if seat.player_id is not None]


def _paced(seat: Seat, paces: dict[int, pace.Pace]) -> dict[str, Any]:
    known = paces.get(seat.player_id) if seat.player_id is not None else None
    return {"seat": seat.number, "pace": msgspec.to_builtins(known)}
