"""What is answered before the pages: probes and static files."""

from __future__ import annotations

from collections.abc import Callable

from django.core.handlers.asgi import ASGIRequest
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware  # type: ignore[import-untyped]
from whitenoise.responders import StaticFile  # type: ignore[import-untyped]

from notifications import probe

HEALTH_PATH = "/healthz"
PROBE_BYTES = 200
"""How long what the sweep has signed can be, at most."""


class HealthMiddleware:
    """Says that the process answers, whatever host it is asked for: a probe has only an address."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a probe; leave everything else to the others.

        A POST is the sweep's: it asks whether moves are taken, and gets 200 if a row was written.
        """
        if request.path_info != HEALTH_PATH:
            return self.get_response(request)
        if request.method != "POST":
            return HttpResponse("ok\n", content_type="text/plain")
        status = probe.answer(request.read(PROBE_BYTES))
        return HttpResponse(f"{status.phrase}\n", status=status, content_type="text/plain")


class StaticFilesMiddleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    """WhiteNoise, for both kinds of servers.

    It answers with a file to be sent piece by piece, which Django can do under WSGI only: under
    ASGI it reads the whole file on the event loop and warns of it. There we read it here, in the
    request's thread; ours are small.
    """

    @staticmethod
    def serve(static_file: StaticFile, request: HttpRequest) -> HttpResponseBase:
        """Return a static file."""
        response: FileResponse = WhiteNoiseMiddleware.serve(static_file, request)
        if not isinstance(request, ASGIRequest):
            return response
        whole = HttpResponse(response.getvalue(), status=response.status_code)
        whole.headers = response.headers
        response.close()
        return whole
