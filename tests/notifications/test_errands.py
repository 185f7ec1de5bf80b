"""Errands: what a mail can only ask for, and a click does, once."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.core import signing
from django.test import Client

from dewan_site.accounts import rests
from games import absence, selectors, services
from games.access import Seen
from games.models import Game, Seat, SeatOffer, Submission
from notifications.errands import AGE, Kind, errand_path
from tests.notifications.test_answer_link import everything_stored
from tests.pages import Page, Visitor
from tests.people import Person, start_game
from tests.threads import at_once

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
FIRST, LAST = date(2026, 12, 10), date(2026, 12, 16)
DAYS: dict[str, Any] = {"first": FIRST, "last": LAST}


@pytest.fixture
def game(ann: Person, ben: Person) -> str:
    """A private game of Ann and Ben."""
    return start_game(ann, ben)


def path(kind: Kind, person: Person, game: str, **days: Any) -> str:
    return errand_path(kind, person.player, Game.objects.get(pk=game), **days)


def seat_of(person: Person, game: str) -> Seat:
    return Seat.objects.get(game=game, player=person.player)


def all_errands(person: Person, game: str) -> list[str]:
    return [
        path(Kind.RESIGN, person, game),
        path(Kind.VACATION, person, game, **DAYS),
        path(Kind.HAND_OVER, person, game),
    ]


# ---- Looking -----------------------------------------------------------------------------------


@time_machine.travel(NOON)
def test_looking_at_an_errand_does_nothing(game: str, ann: Person) -> None:
    before = everything_stored()

    for errand in all_errands(ann, game):
        client = Client()
        for look in (client.get, client.head, client.options):
            look(errand)

    assert everything_stored() == before


@time_machine.travel(NOON)
def test_its_address_stays_between_the_player_and_us(game: str, ann: Person) -> None:
    for errand in all_errands(ann, game):
        headers = Visitor().get(errand).response.headers
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "no-store" in headers["Cache-Control"]


# ---- Resigning ---------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_a_seat_is_resigned_by_the_button_and_that_once(
    game: str, ann: Person, ben: Person
) -> None:
    errand = path(Kind.RESIGN, ben, game)

    page = Visitor().get(errand)
    assert page.title == "Leave the table?"
    assert "at the table of Ann and Ben" in page.words
    assert "A bot plays on for your seat until somebody takes it" in page.words
    assert "It is private: you see nothing more of it." in page.words
    for _ in range(2):
        done = Visitor().send(page, "")
        assert (done.status, done.title) == (200, "You have left the table")

    assert not Seat.objects.filter(game=game, player=ben.player).exists()
    assert Visitor().get(errand).title == "You have left the table"
    assert not Visitor().get(errand).forms


def test_what_resigning_means_is_what_the_table_has_chosen(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, absence="forfeit")
    errand = path(Kind.RESIGN, ben, game)
    page = Visitor().get(errand)
    assert "Your seat forfeits: your camps stay" in page.words

    Visitor().send(page, "")

    assert seat_of(ben, game).standing == Seat.Standing.OUT
    assert Visitor().get(errand).title == "You have left the table"


def test_who_comes_back_to_the_table_is_not_thrown_out_by_the_old_link(
    ann: Person, ben: Person
) -> None:
    table = ann.open("me", "open", "open")
    assert ben.post(f"/{table}/seats").status_code == 201
    errand = path(Kind.RESIGN, ben, table)
    page = Visitor().get(errand)
    assert "The seat is free again for somebody else." in page.words
    assert "Yes, leave it" in page.html
    Visitor().send(page, "")
    assert ben.post(f"/{table}/seats").status_code == 201

    assert Visitor().post(errand).title == "You have left the table"

    assert seat_of(ben, table).player == ben.player


# ---- Vacations ---------------------------------------------------------------------------------


@pytest.mark.both_databases
@time_machine.travel(NOON)
def test_a_vacation_is_booked_by_the_button_and_that_once(game: str, ann: Person) -> None:
    errand = path(Kind.VACATION, ann, game, **DAYS)

    page = Visitor().get(errand)
    assert page.title == "Book a vacation?"
    assert "from Thursday 10 December 2026 to Wednesday 16 December 2026" in page.words
    assert "It is 7 days, from the first to the last, in your time zone (UTC)" in page.words
    assert "You have 30 of 30 days left." in page.words
    for _ in range(2):
        assert Visitor().send(page, "").title == "Your vacation is booked"

    (vacation,) = rests.rests_of(ann.player).vacations
    assert (vacation.start.date(), vacation.end.date()) == (FIRST, LAST + timedelta(1))


@time_machine.travel(NOON)
def test_a_vacation_that_was_cancelled_is_not_booked_again_by_the_old_link(
    game: str, ann: Person
) -> None:
    errand = path(Kind.VACATION, ann, game, **DAYS)
    Visitor().post(errand)
    rests.cancel(ann.player, rests.rests_of(ann.player).vacations[0].start)

    Visitor().post(errand)

    assert rests.rests_of(ann.player).vacations == ()


@pytest.mark.parametrize(
    ("days", "why"),
    [
        ({"first": LAST, "last": FIRST}, "The last day of a vacation is not before its first."),
        ({"first": date(2026, 11, 1), "last": LAST}, "begins today at the earliest"),
        ({"first": FIRST, "last": FIRST + timedelta(60)}, "30 days in any 365"),
    ],
)
@time_machine.travel(NOON)
def test_a_vacation_that_cannot_be_is_refused_and_nothing_is_booked(
    game: str, ann: Person, days: dict[str, date], why: str
) -> None:
    errand = path(Kind.VACATION, ann, game, **days)

    assert why in Visitor().get(errand).words
    refused = Visitor().post(errand)

    assert refused.status == 400
    assert why in refused.words
    assert not rests.rests_of(ann.player).vacations
    assert not Submission.objects.filter(key__startswith="errand").exists()


# ---- Handing over ------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_the_link_to_pass_on_is_shown_to_who_presses_the_button(
    game: str, ben: Person, cleo: Person
) -> None:
    errand = path(Kind.HAND_OVER, ben, game)

    page = Visitor().get(errand)
    assert page.title == "Hand your seat over?"
    assert "Whoever follows it can take your seat" in page.words
    first, again = (re.findall(r'value="([^"]*)"', Visitor().send(page, "").html) for _ in range(2))

    offer = SeatOffer.objects.get(game=game)
    assert first == again
    assert first[0].endswith(f"/games/{game}/take/{offer.token}/")
    looked = Visitor().get(errand)
    assert looked.title == "The link is made"
    assert offer.token not in looked.html


def test_a_link_that_was_withdrawn_is_not_made_again(game: str, ben: Person) -> None:
    errand = path(Kind.HAND_OVER, ben, game)
    Visitor().post(errand)
    absence.withdraw_offer(ben.player, game)

    page = Visitor().post(errand)

    assert page.title == "The link is made"
    assert "value=" not in page.html
    assert not SeatOffer.objects.filter(game=game).exists()


def test_who_has_handed_over_does_not_get_the_next_link(
    game: str, ben: Person, cleo: Person
) -> None:
    errand = path(Kind.HAND_OVER, ben, game)
    Visitor().post(errand)
    offer = SeatOffer.objects.get(game=game)
    absence.take_seat(cleo.player, game, offer=offer.token)
    absence.offer_seat(cleo.player, game)
    token = selectors.own_offer(Seen(Game.objects.get(pk=game), 1))

    page = Visitor().post(errand)

    assert token
    assert token not in page.html


# ---- Whose errand it is ------------------------------------------------------------------------


def leads_nowhere(page: Page) -> None:
    assert (page.status, page.title) == (404, "This link leads nowhere")
    assert not page.forms


@time_machine.travel(NOON)
def test_an_errand_is_the_players_for_a_day_and_as_long_as_they_sit_there(
    game: str, ann: Person, ben: Person, cleo: Person
) -> None:
    errands = all_errands(ben, game)
    with time_machine.travel(NOON + AGE + timedelta(minutes=1)):
        for errand in errands:
            leads_nowhere(Visitor().get(errand))
            leads_nowhere(Visitor().post(errand))
    absence.offer_seat(ben.player, game)
    offer = SeatOffer.objects.get(game=game)
    absence.take_seat(cleo.player, game, offer=offer.token)

    for errand in errands:
        leads_nowhere(Visitor().get(errand))
        leads_nowhere(Visitor().post(errand))

    assert seat_of(cleo, game).standing == Seat.Standing.PLAYING
    assert not rests.rests_of(ben.player).vacations


def test_what_is_no_errand_leads_nowhere(game: str, ben: Person) -> None:
    errand = path(Kind.RESIGN, ben, game)
    other_salt = signing.dumps(["resign", ben.player.pk, game, 1, None, None], salt="stop-mails")
    for wrong in (errand[:-3] + "/", "/errands/x/", f"/errands/{other_salt}/"):
        leads_nowhere(Visitor().post(wrong))

    assert seat_of(ben, game).standing == Seat.Standing.PLAYING


def test_a_locked_account_has_no_errands(game: str, ben: Person) -> None:
    errand = path(Kind.RESIGN, ben, game)
    ben.player.is_active = False
    ben.player.save()

    leads_nowhere(Visitor().post(errand))


def test_a_mail_that_was_passed_on_does_nothing_for_somebody_else_who_is_signed_in(
    game: str, ann: Person, ben: Person
) -> None:
    errand = path(Kind.RESIGN, ben, game)

    for page in (Visitor(ann.player).get(errand), Visitor(ann.player).post(errand)):
        assert (page.status, page.title) == (403, "This link is for another player")

    assert seat_of(ben, game).player == ben.player
    assert Visitor(ben.player).post(errand).title == "You have left the table"


def test_no_cookie_is_needed(game: str, ben: Person) -> None:
    errand = path(Kind.RESIGN, ben, game)
    strict = Client(enforce_csrf_checks=True)

    assert strict.get(errand).cookies == {}
    assert strict.post(errand, headers={"Origin": "null"}).status_code == 200


@pytest.mark.parametrize("kind", [Kind.RESIGN, Kind.HAND_OVER])
def test_after_the_game_there_is_nothing_to_do(game: str, ben: Person, kind: Kind) -> None:
    errand = path(kind, ben, game)
    services.cancel_game(game)

    assert "That cannot be done any more" in Visitor().get(errand).words
    refused = Visitor().post(errand)

    assert refused.status == 409
    assert not SeatOffer.objects.filter(game=game).exists()


@pytest.mark.both_databases
@pytest.mark.usefixtures("committed")
@pytest.mark.parametrize("kind", Kind)
def test_two_clicks_at_once_do_it_once(kind: Kind) -> None:
    ann, ben = Person("Ann"), Person("Ben")
    game = start_game(ann, ben)
    today = datetime.now(UTC).date()
    days = {"first": today, "last": today} if kind == Kind.VACATION else {}
    errand = path(kind, ben, game, **days)
    before = Game.objects.get(pk=game).version

    pages = at_once(*[lambda: Visitor().post(errand)] * 3)

    assert [page.status for page in pages] == [200, 200, 200]
    assert len({page.title for page in pages}) == 1
    assert Game.objects.get(pk=game).version - before == (kind == Kind.RESIGN)
    assert SeatOffer.objects.count() == (kind == Kind.HAND_OVER)
    assert len(rests.rests_of(ben.player).vacations) == (kind == Kind.VACATION)
