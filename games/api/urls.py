"""The addresses of REST v1."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from games.api import views

# Its script has an address of its own, and our template no style in it: the site's policy allows
# neither.
_docs = SpectacularSwaggerSplitView.as_view(
    permission_classes=(), template_name="games/api_docs.html"
)

urlpatterns = [
    path("games", views.GamesView.as_view()),
    path("games/<slug:game_id>", views.GameView.as_view()),
    path("games/<slug:game_id>/seats", views.SeatsView.as_view()),
    path("games/<slug:game_id>/legal", views.LegalView.as_view()),
    path("games/<slug:game_id>/legal/routes", views.RoutesView.as_view()),
    path("games/<slug:game_id>/moves", views.MovesView.as_view()),
    path("games/<slug:game_id>/export", views.ExportView.as_view()),
    path("components/<str:digest>", views.ComponentsView.as_view()),
    path("schema/", SpectacularAPIView.as_view(permission_classes=()), name="schema"),
    path("docs/", _docs, name="api_docs"),
]
