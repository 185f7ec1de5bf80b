"""The addresses of the pages about games."""

from django.urls import path

from games.web import game, playing, rules, tables

urlpatterns = [
    path("", tables.home, name="home"),
    path("games/new/", tables.new_game, name="new_game"),
    path("games/<slug:game_id>/", game.game_page, name="game"),
    path("games/<slug:game_id>/version.json", game.version, name="version"),
    path("games/<slug:game_id>/join/", tables.join, name="join"),
    path("games/<slug:game_id>/camp/<slug:space>/", playing.choose_route, name="camp"),
    path("games/<slug:game_id>/pay/", playing.choose_payment, name="pay"),
    path("games/<slug:game_id>/confirm/", playing.confirm, name="confirm"),
    path("games/<slug:game_id>/play/", playing.play, name="play"),
    path("games/<slug:game_id>/game.json", game.export, name="export"),
    path("games/<slug:game_id>/call-off/", tables.call_off, name="call_off"),
    path("games/<slug:game_id>/rematch/", tables.rematch, name="rematch"),
    path("rules/", rules.rules_page, name="rules"),
    path("rules/notation/", rules.notation_page, name="notation"),
]
