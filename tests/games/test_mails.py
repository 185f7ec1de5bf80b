"""Choosing when mails come, on pages and over REST."""

from __future__ import annotations

from datetime import time, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.response import Response

from dewan_site.accounts import links
from dewan_site.accounts.models import Player
from games import absence
from notifications import preferences
from notifications.models import AddressTrouble, GameRhythm, OutboxMail
from tests.pages import Visitor
from tests.people import Person, start_game

DAILY = {"stopped": False, "rhythm": "daily", "digest_at": "07:30", "quiet": None}


def put(person: Person, path: str, body: Any) -> Response:
    response: Response = person.client.put(f"/api/v1{path}", body, format="json")
    return response


def me(person: Person) -> dict[str, Any]:
    data: dict[str, Any] = person.client.get("/api/v1/me").json()
    return data


def again(person: Person) -> Player:
    return Player.objects.get(pk=person.player.pk)


# ---- Pages -------------------------------------------------------------------------------------


def test_when_mails_come_is_chosen_on_the_page_about_me(ann: Person) -> None:
    visitor = Visitor(ann.player)
    page = visitor.send(
        visitor.get("/me/"),
        "/me/mails/rhythm/",
        rhythm="daily",
        digest_at="07:30",
        begins="22:00",
        ends="06:30",
    )

    assert "It counts from now on" in page.words
    assert preferences.of(again(ann)) == preferences.Preferences(
        rhythm="daily", zone="UTC", digest_at=time(7, 30), quiet=(time(22), time(6, 30))
    )
    form = visitor.get("/me/").form("/me/mails/rhythm/")
    shown = {"digest_at": "07:30", "begins": "22:00", "ends": "06:30"}
    assert form.fields.items() >= shown.items()
    assert '<option value="daily" selected>' in visitor.get("/me/").html


def test_the_form_as_it_is_shown_changes_nothing(ann: Person) -> None:
    visitor = Visitor(ann.player)
    page = visitor.send(visitor.get("/me/"), "/me/mails/rhythm/", rhythm="at_once")
    assert "It counts from now on" in page.words
    assert preferences.of(again(ann)) == preferences.of(ann.player)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"begins": "22:00", "ends": ""}, "Quiet hours end at another time than they begin"),
        ({"begins": "22:00", "ends": "22:00"}, "Quiet hours end at another time than they begin"),
        ({"rhythm": "daily", "digest_at": ""}, "Say at what time the daily mail is to come"),
        ({"rhythm": "hourly"}, "Select a valid choice"),
    ],
)
def test_what_makes_no_sense_is_refused_beside_its_field(
    ann: Person, changes: dict[str, str], words: str
) -> None:
    visitor = Visitor(ann.player)
    wanted = {"rhythm": "at_once"} | changes
    page = visitor.send(visitor.get("/me/"), "/me/mails/rhythm/", **wanted)
    assert words in page.words
    assert page.has_link("#rhythm_form")
    assert preferences.of(again(ann)) == preferences.of(ann.player)


def test_who_has_stopped_mails_is_not_asked_when_they_come(ann: Person) -> None:
    page = Visitor(ann.player).post("/me/mails/", {"mails": "stop"})
    assert "You get no mails about games" in page.words
    assert not page.has_form("/me/mails/rhythm/")


def test_one_click_in_a_mail_stops_all_mails_about_games(ann: Person) -> None:
    path = links.stop_mails_path(ann.player)
    assert Visitor().post(path, {"List-Unsubscribe": "One-Click"}).status == 200
    assert again(ann).mails_stopped


def test_one_game_has_a_rhythm_of_its_own_on_its_page(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    visitor = Visitor(ann.player)
    page = visitor.get(f"/games/{game}/")
    assert "Mails of this game as for all my games" in page.words

    page = visitor.send(page, f"/games/{game}/mails/", rhythm="off")
    assert "Mails of this game no mails" in page.words
    assert GameRhythm.objects.get(player=ann.player, game=game).rhythm == "off"

    visitor.send(page, f"/games/{game}/mails/", rhythm="")
    assert not GameRhythm.objects.exists()


def test_others_neither_see_nor_set_it(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben, visibility="public")
    assert not Visitor(cleo.player).get(f"/games/{game}/").has_form("/mails/")
    assert not Visitor().get(f"/games/{game}/").has_form("/mails/")
    assert Visitor(cleo.player).post(f"/games/{game}/mails/", {"rhythm": "off"}).status == 404
    page = Visitor(ben.player).post(f"/games/{game}/mails/", {"rhythm": "hourly"})
    assert page.status == 400
    assert not GameRhythm.objects.exists()


def test_a_seat_that_is_taken_over_comes_without_the_rhythm_of_who_left(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben)
    put(ben, f"/games/{game}/mails", {"rhythm": "off"})
    offer = absence.offer_seat(ben.player, game)
    absence.take_seat(cleo.player, game, offer=offer.token)
    assert me(cleo)["mails"]["games"] == []


# ---- REST --------------------------------------------------------------------------------------


def test_mails_are_chosen_over_rest(ann: Person) -> None:
    quiet = {"from": "22:00", "to": "06:30"}
    response = put(ann, "/me/mails", DAILY | {"quiet": quiet})

    assert response.status_code == 200
    assert response.json()["mails"] == DAILY | {"quiet": quiet, "games": []}
    assert me(ann)["mails"] == response.json()["mails"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"rhythm": "off"},
        {"digest_at": "7:30"},
        {"digest_at": "24:00"},
        {"quiet": {"from": "22:00"}},
        {"quiet": {"from": "22:00", "to": "22:00"}},
        {"stopped": "yes"},
        {"hourly": True},
    ],
)
def test_what_makes_no_sense_is_refused(ann: Person, wrong: dict[str, Any]) -> None:
    assert put(ann, "/me/mails", DAILY | wrong).status_code == 400
    assert me(ann)["mails"]["rhythm"] == "at_once"


def test_one_game_is_chosen_over_rest(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben)
    assert put(ann, f"/games/{game}/mails", {"rhythm": "batched"}).json() == {"rhythm": "batched"}
    assert me(ann)["mails"]["games"] == [{"game": game, "rhythm": "batched"}]
    assert put(ann, f"/games/{game}/mails", {"rhythm": None}).status_code == 200
    assert me(ann)["mails"]["games"] == []
    assert put(cleo, f"/games/{game}/mails", {"rhythm": "off"}).status_code == 404


def test_trouble_with_my_address_is_told_to_me_alone(ann: Person, ben: Person) -> None:
    now = timezone.now()
    AddressTrouble.objects.create(
        address=ann.player.email,
        since=now,
        retry_at=now + timedelta(hours=1),
        problem="550 no such user",
    )
    start_game(ann, ben)
    assert me(ann)["trouble"]["problem"] == "550 no such user"
    assert me(ben)["trouble"] is None

    OutboxMail.objects.update(ready_at=now, due_at=now + timedelta(hours=1))
    assert ann.client.post("/api/v1/me/mails/again", {}, format="json").status_code == 200
    assert AddressTrouble.objects.get().retry_at <= timezone.now()
    assert preferences.waiting_for(ann.player).filter(due_at__lte=timezone.now()).exists()
