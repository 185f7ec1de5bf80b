"""The addresses of the site."""

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls import include, path


def healthz(_: HttpRequest) -> HttpResponse:
    """Say that the process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


urlpatterns = [
    path("healthz", healthz),
    path("", include("games.web.urls")),
    path("", include("dewan_site.accounts.urls")),
    path("dev/mail/", include("notifications.mailbox_urls")),
    path("api/v1/", include("games.api.urls")),
    path("admin/", admin.site.urls),
]
