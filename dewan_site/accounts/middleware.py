"""Shows times in the signed-in player's own zone."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import timezone


class PlayerZoneMiddleware:
    """Activates the player's time zone for the pages of one request."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request with its player's zone active; programs get UTC."""
        if request.path.startswith("/api/"):
            return self.get_response(request)
        zone = request.user.zone if request.user.is_authenticated else "UTC"
        with timezone.override(zoneinfo.ZoneInfo(zone)):
            return self.get_response(request)
