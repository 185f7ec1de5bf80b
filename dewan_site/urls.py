"""The addresses of the site."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("games.web.urls")),
    path("", include("dewan_site.accounts.urls")),
    path("dev/mail/", include("notifications.mailbox_urls")),
    path("api/v1/", include("games.api.urls")),
    path("admin/", admin.site.urls),
]

handler400 = "games.api.handlers.bad_request"
handler404 = "games.api.handlers.not_found"
handler500 = "games.api.handlers.server_error"
