"""The addresses of REST v1."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from games.api import views

urlpatterns = [
    path("games", views.GamesView.as_view()),
    path("games/<str:game_id>", views.GameView.as_view()),
    path("games/<str:game_id>/seats", views.SeatsView.as_view()),
    path("games/<str:game_id>/legal", views.LegalView.as_view()),
    path("games/<str:game_id>/legal/routes", views.RoutesView.as_view()),
    path("games/<str:game_id>/moves", views.MovesView.as_view()),
    path("games/<str:game_id>/export", views.ExportView.as_view()),
    path("components/<str:digest>", views.ComponentsView.as_view()),
    path("schema/", SpectacularAPIView.as_view(permission_classes=()), name="schema"),
    path("docs/", SpectacularSwaggerView.as_view(permission_classes=()), name="api_docs"),
]
