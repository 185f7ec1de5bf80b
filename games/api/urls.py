"""The addresses of REST v1."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from games.api import absence, me, views

# Its script has an address of its own, and our template no style in it: the site's policy allows
# neither.
_docs = SpectacularSwaggerSplitView.as_view(
    permission_classes=(), template_name="games/api_docs.html"
)

urlpatterns = [
    path("games", views.GamesView.as_view()),
    path("games/<slug:game_id>", views.GameView.as_view()),
    path("games/<slug:game_id>/seats", views.SeatsView.as_view()),
    path("games/<slug:game_id>/seats/mine", absence.MySeatView.as_view()),
    path("games/<slug:game_id>/return", absence.ReturnView.as_view()),
    path("games/<slug:game_id>/offer", absence.OfferView.as_view()),
    path("games/<slug:game_id>/cancel", absence.CancelView.as_view()),
    path("games/<slug:game_id>/proposals", absence.ProposalsView.as_view()),
    path("games/<slug:game_id>/proposals/<int:proposal>", absence.ProposalView.as_view()),
    path("games/<slug:game_id>/mails", me.GameMailsView.as_view()),
    path("games/<slug:game_id>/pace", absence.PaceView.as_view()),
    path("games/<slug:game_id>/legal", views.LegalView.as_view()),
    path("games/<slug:game_id>/legal/routes", views.RoutesView.as_view()),
    path("games/<slug:game_id>/moves", views.MovesView.as_view()),
    path("games/<slug:game_id>/export", views.ExportView.as_view()),
    path("me", me.MeView.as_view()),
    path("me/rests", me.RestsView.as_view()),
    path("me/reminders", me.RemindersView.as_view()),
    path("me/mails", me.MailsView.as_view()),
    path("me/mails/again", me.MailAgainView.as_view()),
    path("me/vacations", me.VacationsView.as_view()),
    path("me/vacations/<str:start>", me.VacationView.as_view()),
    path("components/<str:digest>", views.ComponentsView.as_view()),
    path("schema/", SpectacularAPIView.as_view(permission_classes=()), name="schema"),
    path("docs/", _docs, name="api_docs"),
]
