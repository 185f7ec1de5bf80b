"""The endpoints of REST v1. Each reads the request, calls one service or selector, and answers."""

from __future__ import annotations

import hashlib
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.exceptions import APIException, NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dewan_site.links import absolute
from engine import codec, commands
from engine.errors import GameError, StaleMove
from games import absence, access, selectors, services
from games.api import schemas
from games.api.problems import Problem
from games.api.reading import REFUSED, number, player_of, valid
from games.errors import InvalidRequest
from games.models import StoredComponentSet
from notifications import seen

KEY_HEADER = "Idempotency-Key"
KEY_LENGTH = 200
_AFTER = OpenApiParameter("after", str, description="Where the page before ended.")


class GamesView(APIView):
    """My games, and opening one."""

    @extend_schema(
        operation_id="list_games",
        parameters=[_AFTER],
        responses={200: schemas.GameList, **REFUSED},
    )
    def get(self, request: Request) -> Response:
        """List the games you sit at or have opened, those that wait for you first."""
        after = request.query_params.get("after", "")
        if after and not selectors.is_cursor(after):
            raise InvalidRequest("after: what the page before has in next")
        return Response(selectors.my_games(player_of(request), after))

    @extend_schema(
        operation_id="open_game",
        request=schemas.NewGame,
        responses={201: schemas.NewGameView, **REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Open a game; it starts at once if no seat is open."""
        wanted = services.NewGame(**_new_game(request.data))
        game = services.create_game(player_of(request), wanted)
        view = selectors.game_view(player_of(request), game.pk)
        join_url = absolute(f"/games/{game.pk}/join/", request)
        return Response(view | {"join_url": join_url}, status=201)


def _new_game(data: Any) -> dict[str, Any]:
    fields = valid(schemas.NewGame, data)
    return fields | {"seats": tuple(fields["seats"])}


class SeatsView(APIView):
    """Sitting down."""

    @extend_schema(
        operation_id="join_game",
        request=schemas.Join,
        responses={200: schemas.GameView, 201: schemas.GameView, **REFUSED},
    )
    def post(self, request: Request, game_id: str) -> Response:
        """Sit down on the first seat that is open or was left, or the one offered to you.

        Again is the same. The last open seat starts the game.
        """
        access.open_game(game_id)
        wanted = valid(schemas.Join, request.data)
        game, new = absence.take_seat(player_of(request), game_id, **wanted)
        view = selectors.game_view(player_of(request), game.pk)
        return Response(view, status=201 if new else 200)


class GameView(APIView):
    """One game."""

    @extend_schema(
        operation_id="get_game",
        parameters=[OpenApiParameter("at", int, description="As you could see it after a move.")],
        responses={200: schemas.GameView, 304: None, **REFUSED},
    )
    def get(self, request: Request, game_id: str) -> Response:
        """Return the game as you may see it; its ETag changes when that does."""
        player = player_of(request)
        game = access.visible_game(player, game_id).game
        at = number(request, "at", None)
        view = selectors.game_view(player, game_id, at)
        if at is None:
            seen.look(game, view, player)
        etag = _etag(view)
        if etag in request.headers.get("If-None-Match", ""):
            return Response(status=304, headers={"ETag": etag})
        return Response(view, headers={"ETag": etag})


def _etag(view: dict[str, Any]) -> str:
    """Return a tag of everything in a view but the time of day."""
    lasting = {name: value for name, value in view.items() if name != "server_time"}
    return f'W/"{hashlib.sha256(codec.canonical(lasting)).hexdigest()[:32]}"'


class LegalView(APIView):
    """What I may answer."""

    @extend_schema(operation_id="get_legal", responses={200: schemas.Legal, **REFUSED})
    def get(self, request: Request, game_id: str) -> Response:
        """List what you may answer now; every entry can be posted as it is."""
        player = player_of(request)
        game, seat = access.visible_game(player, game_id)
        answer = selectors.legal_of(player, game_id)
        if seat is not None and answer["decision"]:
            seen.mark(game, seat, player)
        return Response(answer)


class RoutesView(APIView):
    """How I can get somewhere."""

    @extend_schema(
        operation_id="get_routes",
        parameters=[OpenApiParameter("to", str, required=True, description="A space, like C4.")],
        responses={200: schemas.RouteList, **REFUSED},
    )
    def get(self, request: Request, game_id: str) -> Response:
        """List every undominated route to a space, with what can pay each step."""
        access.visible_game(player_of(request), game_id)
        to = request.query_params.get("to", "").upper()
        if not to:
            raise InvalidRequest("to: a space, like C4")
        return Response(selectors.routes_of(player_of(request), game_id, to))


class MovesView(APIView):
    """The log, and playing."""

    @extend_schema(
        operation_id="list_moves",
        parameters=[OpenApiParameter("after", int, description="A move number.")],
        responses={200: schemas.MoveList, **REFUSED},
    )
    def get(self, request: Request, game_id: str) -> Response:
        """List the moves after a number, as you may see them."""
        access.visible_game(player_of(request), game_id)
        after = number(request, "after", 0) or 0
        return Response(selectors.moves_of(player_of(request), game_id, after))

    @extend_schema(
        operation_id="submit_move",
        request=schemas.Submission,
        parameters=[
            OpenApiParameter(
                KEY_HEADER,
                str,
                OpenApiParameter.HEADER,
                description="The same key and request again get the first answer again.",
            )
        ],
        responses={201: schemas.Accepted, **REFUSED},
    )
    def post(self, request: Request, game_id: str) -> Response:
        """Answer a decision, and in advance what your move causes."""
        player = player_of(request)
        try:
            submitted = _submitted(request)
        except (APIException, GameError, RequestDataTooBig):
            access.visible_game(player, game_id)  # 404 goes before 400
            raise
        try:
            return Response(services.submit_move(player, game_id, submitted), status=201)
        except StaleMove as error:
            news = selectors.news_of(player, game_id, submitted.expected_version)
            raise Problem(error, **news) from error


def _submitted(request: Request) -> services.Submitted:
    key = request.headers.get(KEY_HEADER, "")
    if len(key) > KEY_LENGTH or "\0" in key:
        raise InvalidRequest(f"{KEY_HEADER}: {KEY_LENGTH} characters at most, none of them NUL")
    body = valid(schemas.Submission, request.data)
    if ("commands" in body) == ("text" in body):
        raise InvalidRequest("send either commands or text")
    read = tuple(commands.parse(command) for command in body.pop("commands", ()))
    return services.Submitted(key=key, commands=read, **body)


class ExportView(APIView):
    """The whole game as a file."""

    @extend_schema(
        operation_id="export_game",
        responses={200: OpenApiResponse(dict, description="docs/export.md"), **REFUSED},
    )
    def get(self, request: Request, game_id: str) -> Response:
        """Return the game as a file: yours while it runs, everything when it is over."""
        exported = selectors.export_of(player_of(request), game_id)
        name = f'attachment; filename="dewan-{game_id}.json"'
        return Response(exported, headers={"Content-Disposition": name})


class ComponentsView(APIView):
    """A component set."""

    permission_classes = (AllowAny,)
    authentication_classes = ()

    @extend_schema(
        operation_id="get_components",
        responses={
            200: OpenApiResponse(dict, description="docs/components.md"),
            **REFUSED,
        },
    )
    def get(self, request: Request, digest: str) -> HttpResponseBase:  # noqa: ARG002
        """Return a set as the canonical JSON whose SHA-256 is the digest."""
        known = StoredComponentSet.objects.filter(digest=digest)
        stored = known.first() if digest.isalnum() else None
        if stored is None:
            raise NotFound("there is no component set with this digest")
        response = HttpResponse(stored.data, content_type="application/json")
        response["Cache-Control"] = "public, max-age=31536000, immutable"
        return response
