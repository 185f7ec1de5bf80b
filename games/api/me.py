"""The endpoints about the caller: mails, reminders, rests of their clocks, how fast they answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import Any

import msgspec
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dewan_site.accounts import rests
from dewan_site.accounts.models import Player, all_stages
from games import access, pace, selectors
from games.api import schemas
from games.api.reading import REFUSED, player_of, sitting, valid
from notifications import health, preferences
from notifications.rests import Rests, Stretch


class MeView(APIView):
    """Me."""

    @extend_schema(operation_id="get_me", responses={200: schemas.Me, **REFUSED})
    def get(self, request: Request) -> Response:
        """Say when you are reminded, what rests your clocks, and how fast you answer."""
        return Response(_me(player_of(request)))


class RestsView(APIView):
    """My night and my free days."""

    @extend_schema(
        operation_id="change_rests",
        request=schemas.Rests,
        responses={200: schemas.Me, **REFUSED},
    )
    def put(self, request: Request) -> Response:
        """Set your night hours and free days; they count from what you are asked next."""
        wanted = valid(schemas.Rests, request.data)
        rests.change(player_of(request), _minutes(wanted["night"]), wanted["weekdays"])
        return Response(_me(player_of(request)))


class RemindersView(APIView):
    """When I am reminded."""

    @extend_schema(
        operation_id="choose_reminders",
        request=schemas.Reminders,
        responses={200: schemas.Me, **REFUSED},
    )
    def put(self, request: Request) -> Response:
        """Choose when you are reminded of a decision; of none if you send an empty list."""
        player, wanted = player_of(request), valid(schemas.Reminders, request.data)["stages"]
        player.reminders = [stage for stage in all_stages() if stage in wanted]
        player.save(update_fields=["reminders"])
        return Response(_me(player))


class MailsView(APIView):
    """When I get mails."""

    @extend_schema(
        operation_id="choose_mails",
        request=schemas.Mails,
        responses={200: schemas.Me, **REFUSED},
    )
    def put(self, request: Request) -> Response:
        """Choose when you get mails about your games; it counts from now on."""
        player, wanted = player_of(request), valid(schemas.Mails, request.data)
        quiet = wanted["quiet"]
        preferences.change(
            player,
            rhythm=wanted["rhythm"],
            digest_at=time.fromisoformat(wanted["digest_at"]),
            quiet=quiet and _times(quiet),
        )
        preferences.stop(player, stopped=wanted["stopped"])
        return Response(_me(player))


class MailAgainView(APIView):
    """My mails, when they did not reach me."""

    @extend_schema(operation_id="mail_again", request=None, responses={200: schemas.Me, **REFUSED})
    def post(self, request: Request) -> Response:
        """Have us try again now to send what waits for your address."""
        health.try_again(player_of(request))
        return Response(_me(player_of(request)))


class GameMailsView(APIView):
    """When I get the mails of one game."""

    @extend_schema(
        operation_id="choose_game_mails",
        request=schemas.GameMails,
        responses={200: schemas.GameMails, **REFUSED},
    )
    def put(self, request: Request, game_id: str) -> Response:
        """Choose when you get the mails of a game you sit at; null is as of all the others."""
        player = sitting(request, game_id)
        wanted = valid(schemas.GameMails, request.data)["rhythm"]
        preferences.change_of_game(player, access.visible_game(player, game_id).game, wanted)
        return Response({"rhythm": wanted})


class VacationsView(APIView):
    """My vacations."""

    @extend_schema(
        operation_id="book_vacation",
        request=schemas.NewVacation,
        responses={201: schemas.Stretch, **REFUSED},
    )
    def post(self, request: Request) -> Response:
        """Book a vacation, both days included; it counts for what you are asked from now on."""
        wanted = valid(schemas.NewVacation, request.data)
        return Response(_stretch(rests.book(player_of(request), **wanted)), status=201)


class VacationView(APIView):
    """A vacation of mine."""

    @extend_schema(
        operation_id="cancel_vacation",
        parameters=[
            OpenApiParameter("start", str, OpenApiParameter.PATH, description="As it is listed.")
        ],
        responses={204: None, **REFUSED},
    )
    def delete(self, request: Request, start: str) -> Response:
        """Cancel a vacation that has not begun."""
        player = player_of(request)
        listed = {selectors.moment(v.start): v for v in rests.rests_of(player).vacations}
        if start not in listed:
            raise NotFound("you have no vacation that begins then")
        rests.cancel(player, listed[start].start)
        return Response(status=204)


def _me(player: Player) -> dict[str, Any]:
    now, own = timezone.now(), rests.rests_of(player)
    return {
        "player": player.name,
        "zone": player.zone,
        "mails": _mails(player),
        "trouble": _trouble(player),
        "reminders": player.reminders,
        "rests": _rests(own),
        "vacations": [_stretch(vacation) for vacation in own.vacations if vacation.end > now],
        "days_left": rests.days_left(own, now),
        "pace": msgspec.to_builtins(pace.paces_of([player.pk]).get(player.pk)),
    }


def _mails(player: Player) -> dict[str, Any]:
    begins, ends = player.quiet_from, player.quiet_until
    return {
        "stopped": player.mails_stopped,
        "rhythm": player.rhythm,
        "digest_at": f"{player.digest_at:%H:%M}",
        "quiet": begins and ends and {"from": f"{begins:%H:%M}", "to": f"{ends:%H:%M}"},
        "games": [
            {"game": own.game_id, "rhythm": own.rhythm} for own in player.rhythms.order_by("pk")
        ],
    }


def _trouble(player: Player) -> dict[str, str] | None:
    trouble = health.trouble_of(player)
    if trouble is None:
        return None
    return {"since": selectors.moment(trouble.since), "problem": trouble.problem}


def _times(quiet: Mapping[str, str]) -> tuple[time, time]:
    return time.fromisoformat(quiet["from"]), time.fromisoformat(quiet["to"])


def _rests(own: Rests) -> dict[str, Any]:
    night = own.night and dict(zip(("from", "to"), map(_time, own.night), strict=True))
    return {"night": night, "weekdays": list(own.weekdays)}


def _time(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _minutes(night: Mapping[str, str] | None) -> tuple[int, int] | None:
    if night is None:
        return None
    begins, ends = _times(night)
    return 60 * begins.hour + begins.minute, 60 * ends.hour + ends.minute


def _stretch(stretch: Stretch) -> dict[str, str]:
    return {"start": selectors.moment(stretch.start), "end": selectors.moment(stretch.end)}
