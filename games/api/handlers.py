"""What Django answers itself when no view does: problems under /api/, pages everywhere else."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.views import defaults
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from games.api import problems

PREFIX = "/api/"


class _Nothing(APIView):
    """An address under /api/ that does not exist; who has no token does not even learn that."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse every request, in the order of the checks."""
        super().initial(request, *args, **kwargs)
        raise NotFound("there is nothing at this address")


_nothing = _Nothing.as_view()


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what no view can read, such as a request for another host."""
    if not _is_api(request):
        return defaults.bad_request(request, exception)
    return _problem("invalid_request", "the host or the headers cannot be used")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    """Answer for an address that does not exist."""
    if not _is_api(request):
        return defaults.page_not_found(request, exception)
    return _nothing(request)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer for a bug; Django has it in the log as an error."""
    if not _is_api(request):
        return defaults.server_error(request)
    return _problem("internal_error", "something broke on our side; what counts is in the log")


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(PREFIX)


def _problem(code: str, detail: str) -> JsonResponse:
    body = problems.body(code, detail)
    return JsonResponse(body, status=body["status"], content_type=problems.CONTENT_TYPE)
