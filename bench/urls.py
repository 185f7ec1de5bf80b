"""The site's addresses, and beside them the peer that moves are measured against."""

from __future__ import annotations

from typing import Any

from django.urls import include, path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from notifications.models import RecordedOutage


class OneRow(APIView):
    """A bare view: no sign-in, no checks; it inserts one row and says so."""

    authentication_classes = ()
    permission_classes = ()

    def post(self, request: Request) -> Response:
        """Insert one row."""
        data: Any = request.data
        row = RecordedOutage.objects.create(start=data["at"], end=data["at"])
        return Response({"id": row.pk}, status=201)


urlpatterns = [path("bench/row", OneRow.as_view()), path("", include("dewan_site.urls"))]
