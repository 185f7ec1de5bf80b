"""The endpoints about the caller: reminders, what rests their clocks, how fast they answer."""

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
from games import pace, selectors
from games.api import schemas
from games.api.reading import REFUSED, player_of, valid
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
        "reminders": player.reminders,
        "rests": _rests(own),
        "vacations": [_stretch(vacation) for vacation in own.vacations if vacation.end > now],
        "days_left": rests.days_left(own, now),
        "pace": msgspec.to_builtins(pace.paces_of([player.pk]).get(player.pk)),
    }


def _rests(own: Rests) -> dict[str, Any]:
    night = own.night and dict(zip(("from", "to"), map(_time, own.night), strict=True))
    return {"night": night, "weekdays": list(own.weekdays)}


def _time(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _minutes(night: Mapping[str, str] | None) -> tuple[int, int] | None:
    if night is None:
        return None
    begins, ends = (time.fromisoformat(night[end]) for end in ("from", "to"))
    return 60 * begins.hour + begins.minute, 60 * ends.hour + ends.minute


def _stretch(stretch: Stretch) -> dict[str, str]:
    return {"start": selectors.moment(stretch.start), "end": selectors.moment(stretch.end)}
