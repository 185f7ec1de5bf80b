"""The addresses of the pages about games."""

from django.urls import path

from games.web import answering, errands, game, leaving, mails, playing, proposing, rules, tables

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
    path("games/<slug:game_id>/mails/", mails.set_game_mails, name="set_game_mails"),
    path("games/<slug:game_id>/resign/", leaving.resign, name="resign"),
    path("games/<slug:game_id>/back/", leaving.come_back, name="come_back"),
    path("games/<slug:game_id>/offer/", leaving.offer_seat, name="offer_seat"),
    path("games/<slug:game_id>/offer/withdraw/", leaving.withdraw_offer, name="withdraw_offer"),
    path("games/<slug:game_id>/take/<slug:token>/", leaving.take_seat, name="take_seat"),
    path("games/<slug:game_id>/proposals/", proposing.propose, name="propose"),
    path("games/<slug:game_id>/proposals/<int:number>/", proposing.answer, name="answer_proposal"),
    path("games/<slug:game_id>/rematch/", tables.rematch, name="rematch"),
    path("answer/<slug:token>/<int:number>/", answering.answer, name="answer_link"),
    path("errands/<str:token>/", errands.errand, name="errand"),
    path("rules/", rules.rules_page, name="rules"),
    path("rules/notation/", rules.notation_page, name="notation"),
]
