"""The pages about time and absence: every form, sent rightly, wrongly, twice and by strangers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.template.loader import render_to_string
from django.utils import timezone

from dewan_site.accounts import rests
from dewan_site.accounts.models import Player
from engine.state import State
from games import absence, consent, selectors, services, store
from games.models import Decision, Game, Move, Proposal, Seat, SeatOffer
from games.pace import FEWEST
from games.services import NewGame
from games.times import ending_words, treatment
from tests.clocks import let_run_out, open_decision
from tests.pages import Page, Visitor
from tests.people import Person, asked_person, draft

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
HOUR, DAY = 3600, 86400


def visitor(person: Person) -> Visitor:
    return Visitor(person.player)


def start(*people: Person, **options: Any) -> str:
    """Start a game in which these people sit in this order; others are bots if it is one."""
    first, *others = people
    seats = ("me", *["open"] * len(others)) if others else ("me", "bot")
    game = services.create_game(first.player, NewGame(players=len(seats), seats=seats, **options))
    for person in others:
        services.join_game(person.player, game.pk)
    return game.pk


@pytest.fixture
def game(ann: Person, ben: Person) -> str:
    """A game of Ann and Ben, both of whom have drafted; a bot plays on for who is late."""
    game = start(ann, ben, absence="bot")
    draft(game, [ann, ben])
    return game


def page_of(person: Person, game: str) -> Page:
    return visitor(person).get(f"/games/{game}/")


def seat_of(person: Person, game: str) -> Seat:
    return Seat.objects.get(game=game, player=person.player)


def run_out(game: str) -> Seat:
    """Let the time of who is asked run out; return their seat."""
    decision = open_decision(game)
    let_run_out(game)
    absence.wake(game, decision.pk)
    return Seat.objects.get(game=game, number=decision.seat)


def other(person: Person, people: list[Person]) -> Person:
    return next(one for one in people if one is not person)


def state_of(person: Person, game: str) -> State:
    state = selectors.position(person.player, game).state
    assert state is not None
    return state


def version(game: str) -> str:
    return str(Game.objects.get(pk=game).version)


# ---- A new game --------------------------------------------------------------------------------

NEW = {"players": "2", "scenario": "base", "visibility": "private", "seat1": "me", "seat2": "open"}
WITH_BANK = NEW | {"time": "bank", "bank": str(3 * DAY), "added": str(12 * HOUR)}


def test_the_form_proposes_what_is_kind_to_people_in_one_line(ann: Person) -> None:
    page = visitor(ann).get("/games/new/")

    assert "3 days a turn; clocks rest; a bot plays on" in page.words
    assert "The camps" not in page.words
    for comes_to in ("A bot plays on until the player is back", "camps stay, turns are skipped"):
        assert comes_to in page.words


def test_a_table_with_a_bank_is_opened(ann: Person) -> None:
    fields = {"bank_cap": str(7 * DAY), "absence": "replacement", "excused_misses": "2"}

    visitor(ann).post("/games/new/", WITH_BANK | fields)

    game = Game.objects.get()
    assert (game.bank, game.move_time, game.bank_cap) == (3 * DAY, 12 * HOUR, 7 * DAY)
    assert (game.rests, game.absence, game.excused_misses) == (False, "replacement", 2)


def test_a_bank_that_cannot_hold_what_it_is_given_is_refused_in_place(ann: Person) -> None:
    page = visitor(ann).post("/games/new/", WITH_BANK | {"bank_cap": str(DAY), "rests": "on"})

    assert page.status == 400
    assert "It holds at least what it begins with" in page.words
    assert re.search(r'<details class="fold time-fold"\s+open', page.html)
    assert "3 days + 12 hours a turn, up to 1 day; clocks rest" in page.words
    assert not Game.objects.exists()


def test_with_a_fixed_time_nothing_is_said_of_a_bank(ann: Person) -> None:
    fields = {"time": "fixed", "move_time": str(2 * DAY), "bank": str(7 * DAY), "bank_cap": "3600"}

    visitor(ann).post("/games/new/", NEW | fields | {"rests": "on"})

    game = Game.objects.get()
    assert (game.move_time, game.bank, game.bank_cap, game.rests) == (2 * DAY, None, None, True)


def test_a_page_from_before_opens_what_the_form_proposes(ann: Person) -> None:
    visitor(ann).post("/games/new/", NEW)

    game = Game.objects.get()
    assert (game.move_time, game.absence, game.excused_misses) == (3 * DAY, "bot", 1)


@pytest.mark.parametrize(
    "wrong",
    [
        {"time": "sometimes"},
        {"move_time": "5"},
        {"absence": "shoot"},
        {"excused_misses": "9"},
        {"bank": "x"},
    ],
)
def test_what_no_form_would_send_opens_nothing(ann: Person, wrong: dict[str, str]) -> None:
    assert visitor(ann).post("/games/new/", WITH_BANK | wrong).status == 400
    assert not Game.objects.exists()


# ---- How a table treats time -------------------------------------------------------------------

OPTIONS: dict[str, Any] = {
    "move_time": 3 * DAY,
    "bank": None,
    "bank_cap": None,
    "rests": True,
    "absence": "move",
    "excused_misses": 0,
}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "Each turn has 3 days."),
        ({}, "A player’s clock rests in their night hours, on their free days and on vacation."),
        ({}, "When time is up, the clock makes a safe move for the player, who goes on playing."),
        (
            {"bank": 3 * DAY, "bank_cap": 7 * DAY, "move_time": 12 * HOUR},
            "Each player has a bank of time: 3 days to begin with, 12 hours more with each turn,"
            " and never more than 7 days.",
        ),
        (
            {"rests": False},
            "Clocks never rest: night hours, free days and vacations count as well.",
        ),
        (
            {"absence": "bot", "excused_misses": 1},
            "Once a seat is excused, and has the time of a turn again; after that a bot plays on"
            " until the player is back.",
        ),
        (
            {"absence": "forfeit", "excused_misses": 3},
            "3 times a seat is excused, and has the time of a turn again; after that the seat"
            " forfeits: camps stay, turns are skipped, and it cannot win.",
        ),
    ],
)
def test_how_a_table_treats_time_in_words(options: dict[str, Any], sentence: str) -> None:
    assert sentence in treatment(OPTIONS | options).sentences


def test_how_a_table_treats_time_is_said_wherever_it_is_met(ann: Person, ben: Person) -> None:
    wanted = NewGame(players=2, seats=("me", "open"), absence="forfeit", visibility="public")
    table = services.create_game(ann.player, wanted).pk
    up = "When time is up, the seat forfeits"

    assert up in visitor(ben).get(f"/games/{table}/join/").words
    assert up in page_of(ann, table).words
    assert "When time is up: the seat forfeits" in visitor(ben).get("/").words
    services.join_game(ben.player, table)
    assert up in page_of(ben, table).words


def answered(game: str, person: Person, after: timedelta, *, missed: bool = False) -> None:
    """Put down a turn that somebody has answered."""
    number = Decision.objects.count() + 1000
    asked = timezone.now() - timedelta(days=9)
    Decision.objects.create(
        game_id=game,
        decision=f"{number}-0",
        seat=0,
        kind="turn",
        since=number,
        asked_at=asked,
        player=person.player,
        runs_from=asked,
        granted=timedelta(days=3),
        answered_at=asked + after,
        closed_by=Move.Actor.PLAYER,
        missed=missed,
    )


def test_where_a_table_is_chosen_the_pace_of_who_sits_there_is_shown(
    game: str, ann: Person, ben: Person, cleo: Person
) -> None:
    for number in range(2 * FEWEST):
        answered(game, ann, timedelta(hours=number + 1), missed=number == 0)
    wanted = NewGame(players=3, seats=("me", "bot", "open"), visibility="public")
    tables = [services.create_game(person.player, wanted).pk for person in (ann, ben)]

    shown = visitor(cleo).get(f"/games/{tables[0]}/join/").words
    listed = visitor(cleo).get("/").words

    pace = "11 turns: half answered within 5 hours, 9 of 10 within 9 hours; 90 % in time"
    assert f"Ann {pace} 2 Birch (bot) 3 free" in shown
    assert "Ann (5 hours, 90 % in time)" in listed
    assert "Ben (new here)" in listed
    assert "Ben new here" in visitor(cleo).get(f"/games/{tables[1]}/join/").words


# ---- Deadlines ---------------------------------------------------------------------------------


@pytest.fixture
def at_noon() -> Iterator[time_machine.Coordinates]:
    """A clock that stands at noon."""
    with time_machine.travel(NOON, tick=False) as coordinates:
        yield coordinates


@pytest.fixture
def from_noon() -> Iterator[time_machine.Coordinates]:
    """A clock that runs from noon on: each change of a player's rests has a moment of its own."""
    with time_machine.travel(NOON) as coordinates:
        yield coordinates


def move_to(person: Person, zone: str) -> None:
    visitor(person).post("/me/", {"name": person.player.name, "zone": zone})
    person.player.refresh_from_db()


def test_a_deadline_is_shown_in_the_readers_zone_and_in_utc(
    at_noon: time_machine.Coordinates, ann: Person, ben: Person
) -> None:
    move_to(ann, "Asia/Tokyo")
    move_to(ben, "America/New_York")
    game = start(ann, ben, move_time=3 * DAY, visibility="public")

    for person, shown, machine in (
        (ann, "Fri 4 Dec, 21:00 ( Asia/Tokyo ; 4 Dec, 12:00 UTC )", "2026-12-04T21:00:00+09:00"),
        (ben, "Fri 4 Dec, 07:00 ( America/New_York ; 4 Dec, 12:00 UTC )", "2026-12-04T07:00:00-05"),
    ):
        for path in ("/", f"/games/{game}/"):
            page = visitor(person).get(path)
            assert f"3 days left, until {shown}" in page.words
            assert f'<time datetime="{machine}' in page.html
            assert re.search("Nothing rests (your|their) clock before", page.words)
    assert "until Fri 4 Dec, 12:00 (UTC)" in Visitor().get(f"/games/{game}/").words


def test_the_hour_that_comes_twice_is_told_apart_by_utc() -> None:
    shown = []
    for moment in (datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1)):
        with timezone.override(ZoneInfo("Europe/Amsterdam")):
            shown.append(render_to_string("games/_moment.html", {"moment": moment}))

    assert all("Sun 25 Oct, 02:30" in text for text in shown)
    assert [re.findall(r"\d\d:30 UTC", text) for text in shown] == [["00:30 UTC"], ["01:30 UTC"]]


def test_what_rests_a_clock_is_said_with_its_latest_moment(
    from_noon: time_machine.Coordinates, ann: Person, ben: Person
) -> None:
    for person in (ann, ben):
        move_to(person, "Europe/Amsterdam")
        rests.change(person.player, (12 * 60, 14 * 60), [6, 7])
        rests.book(person.player, NOON.date() + timedelta(1), NOON.date() + timedelta(2))
    game = start(ann, ben, move_time=DAY)
    asked = asked_person(game, [ann, ben])

    mine, others = page_of(asked, game), page_of(other(asked, [ann, ben]), game)

    assert "Your clock rests now, in your night hours; until then it rests in your night" in (
        mine.words
    )
    assert "on your vacation" in mine.words
    assert "Their clock rests now, in their night hours" in others.words
    latest = r"At the latest: \w+ \d+ Dec, \d\d:\d\d \( \d+ Dec, \d\d:\d\d UTC \)"
    for page in (mine, others, visitor(asked).get("/")):
        assert re.search(latest, page.words)


def test_where_clocks_never_rest_nothing_rests_them(ann: Person, ben: Person) -> None:
    for person in (ann, ben):
        rests.change(person.player, (0, 12 * 60), [6, 7])
    game = start(ann, ben, rests=False)

    page = page_of(asked_person(game, [ann, ben]), game)

    assert "Nothing rests your clock before." in page.words
    assert "At the latest" not in page.words


def test_a_bot_has_no_deadline(ann: Person) -> None:
    game = start(ann)
    Decision.objects.filter(game=game, seat=0).delete()
    while not Decision.objects.filter(game=game, seat=1, answered_at=None).exists():
        ann.choose(game)

    page = page_of(ann, game)

    assert "a bot answers at once" in page.words
    assert "left, until" not in page.words


# ---- Who is away -------------------------------------------------------------------------------


def test_a_vacation_and_excused_misses_are_seen_by_all_who_play(
    at_noon: time_machine.Coordinates, ann: Person, ben: Person, cleo: Person
) -> None:
    today = NOON.date()
    rests.book(ann.player, today, today + timedelta(3))
    rests.book(ben.player, today + timedelta(5), today + timedelta(6))
    game = start(ann, ben, absence="bot", excused_misses=2, visibility="public")
    seat = run_out_long_after(game, at_noon)

    words = page_of(cleo, game).words

    assert seat.misses == 1
    assert "1 excused miss left" in words
    assert "2 excused misses left" in words
    assert "1 excused miss left" not in visitor(cleo).get(f"/games/{game}/?at=1").words


def run_out_long_after(game: str, clock: time_machine.Coordinates) -> Seat:
    """Let the time of who is asked run out, whatever rests their clock."""
    clock.shift(timedelta(days=30))
    decision = open_decision(game)
    absence.wake(game, decision.pk)
    return Seat.objects.get(game=game, number=decision.seat)


def test_a_vacation_is_told_as_it_comes_and_while_it_lasts(
    at_noon: time_machine.Coordinates, game: str, ann: Person, ben: Person
) -> None:
    first = NOON.date() + timedelta(3)
    rests.book(ben.player, first, first + timedelta(1))

    coming = page_of(ann, game).words
    at_noon.shift(timedelta(days=3))
    now = page_of(ann, game).words
    at_noon.shift(timedelta(days=2))

    assert "vacation from Fri 4 Dec, 00:00 (UTC) until Sun 6 Dec, 00:00 (UTC)" in coming
    assert "on vacation until Sun 6 Dec, 00:00 (UTC)" in now
    assert "vacation until" not in page_of(ann, game).words


def test_who_was_late_sees_that_a_bot_plays_on_and_comes_back(
    game: str, ann: Person, ben: Person
) -> None:
    late = asked_person(game, [ann, ben])
    waiting = other(late, [ann, ben])
    assert not page_of(late, game).has_form("/back/")
    run_out(game)

    page = page_of(late, game)

    assert page.title == "A bot plays on for you"
    assert "A bot plays on for you" in visitor(late).get("/").words
    assert "away: a bot plays on" in page_of(waiting, game).words
    assert not page_of(waiting, game).has_form("/back/")
    assert visitor(waiting).post(f"/games/{game}/back/").status == 200
    page = visitor(late).send(page, "/back/")
    assert seat_of(late, game).standing == Seat.Standing.PLAYING
    assert page.title.startswith("Your turn")
    moves = version(game)
    visitor(late).post(f"/games/{game}/back/")
    assert version(game) == moves


def test_a_stranger_brings_nobody_back(game: str, cleo: Person) -> None:
    run_out(game)

    assert visitor(cleo).post(f"/games/{game}/back/").status == 404
    assert Visitor().post(f"/games/{game}/back/").path == "/sign-in/"
    assert visitor(cleo).get(f"/games/{game}/back/").status == 405
    assert Seat.objects.filter(game=game, standing=Seat.Standing.ABSENT).count() == 1


# ---- Leaving -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table_does", "said"),
    [
        ("move", "A bot plays on for your seat until somebody takes it"),
        ("replacement", "you see nothing more of it"),
        ("forfeit", "your camps stay, your turns are skipped, and you cannot win"),
    ],
)
def test_before_one_resigns_it_is_said_what_it_means(
    ann: Person, ben: Person, table_does: str, said: str
) -> None:
    game = start(ann, ben, absence=table_does)

    page = visitor(ben).follow(page_of(ben, game), "/resign/")

    assert page.title == "Leave the table?"
    assert said in page.words
    assert seat_of(ben, game).standing == Seat.Standing.PLAYING


def test_who_resigns_has_the_game_in_their_list_and_sees_nothing_more(
    game: str, ann: Person, ben: Person
) -> None:
    me = visitor(ben)

    page = me.send(me.get(f"/games/{game}/resign/"), "", version=version(game))

    assert page.title == "My games"
    assert "You have left the table" in page.words
    assert re.search(r"You resigned seat 2 of 2 · \w+ \d+ \w+, \d\d:\d\d \(UTC\)", page.words)
    assert game not in page.html
    assert me.get(f"/games/{game}/").status == 404
    assert me.post(f"/games/{game}/resign/").title == "My games"
    assert me.get(f"/games/{game}/resign/").status == 404
    assert "Seat 2 can be taken over" in page_of(ann, game).words
    assert "Waiting for None" not in page_of(ann, game).words


def test_a_public_game_that_was_left_can_be_watched(ann: Person, ben: Person) -> None:
    game = start(ann, ben, visibility="public")

    visitor(ben).post(f"/games/{game}/resign/")

    page = visitor(ben).follow(visitor(ben).get("/"), f"/games/{game}/")
    assert page.status == 200
    assert page.has_link(f"/games/{game}/join/")
    assert not page.has_link("/resign/")


def test_who_forfeits_looks_on_from_the_seat(ann: Person, ben: Person, cleo: Person) -> None:
    game = start(ann, ben, cleo, absence="forfeit")
    for _ in range(2):
        assert visitor(cleo).post(f"/games/{game}/resign/").path in ("/", f"/games/{game}/")

    page = page_of(cleo, game)

    assert seat_of(cleo, game).standing == Seat.Standing.OUT
    assert "You have forfeited" in page.words
    assert "Your hand" in page.words
    assert not page.has_link("/resign/")
    assert not page.has_form("/proposals/")
    assert "forfeited: turns are skipped" in page_of(ann, game).words


def test_nobody_resigns_for_another(game: str, ann: Person, cleo: Person) -> None:
    path = f"/games/{game}/resign/"

    for method in (visitor(cleo).get, visitor(cleo).post):
        assert method(path).status == 404
    assert Visitor().post(path).path == "/sign-in/"
    services.cancel_game(game)
    assert visitor(ann).get(path).path == f"/games/{game}/"
    assert visitor(ann).post(path).title == "The game was called off"


def test_who_has_come_to_an_open_table_can_go_again(ann: Person, ben: Person) -> None:
    wanted = NewGame(players=3, seats=("me", "open", "open"))
    table = services.create_game(ann.player, wanted).pk
    services.join_game(ben.player, table)
    me = visitor(ben)

    page = me.follow(page_of(ben, table), "/resign/")
    assert "The seat is free again" in page.words
    for _ in range(2):
        assert me.post(f"/games/{table}/resign/").title == "My games"

    assert not Seat.objects.filter(game=table, player=ben.player).exists()
    assert me.get(f"/games/{table}/join/").title == "Ann invites you"
    assert not page_of(ann, table).has_link("/resign/")


# ---- Taking a seat that was left ---------------------------------------------------------------


def test_a_stranger_with_the_link_takes_a_seat_that_was_left(
    game: str, ann: Person, ben: Person, cleo: Person
) -> None:
    hand = ben.view(game)["state"]["tribes"][1]["hand"]["cards"]
    absence.leave(ben.player, game)
    invitation = f"/games/{game}/join/"
    assert invitation in page_of(ann, game).html

    shown = visitor(cleo).get(invitation)

    assert shown.title == "Take over a seat"
    assert "The table now round 1" in shown.words
    assert not any(re.search(rf"\b{card}\b", shown.html) for card in hand)
    page = visitor(cleo).send(shown, "")
    assert page.path == f"/games/{game}/"
    assert "Your hand" in page.words
    assert visitor(cleo).post(invitation).path == f"/games/{game}/"
    late = visitor(Person("Dora")).post(invitation)
    assert (late.status, late.title) == (409, "Every seat is taken")


def test_who_has_left_looks_at_the_table_only_by_sitting_down(
    game: str, ann: Person, ben: Person
) -> None:
    absence.leave(ben.player, game)

    shown = visitor(ben).get(f"/games/{game}/join/")

    assert shown.title == "Take over a seat"
    assert "The table now" not in shown.words
    assert visitor(ben).send(shown, "").path == f"/games/{game}/"
    assert "You resigned" not in visitor(ben).get("/").words


def test_nobody_comes_back_to_another_seat_than_their_own(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = start(ann, ben, cleo)
    link = offered(ann, game)
    absence.leave(ben.player, game)
    visitor(Person("Dora")).post(f"/games/{game}/join/")
    absence.leave(cleo.player, game)

    late = visitor(ben).get(f"/games/{game}/join/")
    assert (late.status, late.title) == (409, "Every seat is taken")
    assert visitor(ben).post(f"/games/{game}/join/").status == 409
    refused = visitor(ben).post(link)
    assert refused.status == 409
    assert "You have sat on another seat of this game" in refused.words
    assert seat_of(ann, game).number == 0


# ---- Handing a seat over -----------------------------------------------------------------------


def offered(person: Person, game: str) -> str:
    """Offer somebody's seat, and return the path of the link."""
    page = visitor(person).send(page_of(person, game), "/offer/")
    found = re.search(rf'value="[^"]*(/games/{game}/take/[\w-]+/)"', page.html)
    assert found, "the link is on the page"
    return found[1]


def test_a_seat_is_handed_over_by_a_link(game: str, ann: Person, ben: Person, cleo: Person) -> None:
    hand = ann.view(game)["state"]["tribes"][0]["hand"]["cards"]
    link = offered(ann, game)
    visitor(ann).post(f"/games/{game}/offer/")
    assert SeatOffer.objects.get(game=game).token in link
    assert link not in page_of(ben, game).html

    shown = visitor(cleo).get(link)

    assert shown.title == "Ann offers you a seat"
    assert "Each turn has 3 days" in shown.words
    assert "The table now round 1" in shown.words
    assert not any(re.search(rf"\b{card}\b", shown.html) for card in hand)
    page = visitor(cleo).send(shown, "")
    assert page.path == f"/games/{game}/"
    assert sorted(hand) == sorted(cleo.view(game)["state"]["tribes"][0]["hand"]["cards"])
    assert visitor(cleo).post(link).path == f"/games/{game}/"
    assert "You handed your seat over" in visitor(ann).get("/").words
    assert visitor(ann).get(f"/games/{game}/").status == 404


def test_who_is_not_signed_in_comes_back_to_the_offer(game: str, ann: Person) -> None:
    link = offered(ann, game)

    for page in (Visitor().get(link), Visitor().post(link)):
        assert page.path == "/sign-in/"
        assert page.form("/sign-in/").fields["next"] == link


def test_ones_own_link_is_for_somebody_else(game: str, ann: Person, ben: Person) -> None:
    link = offered(ann, game)

    for person in (ann, ben):
        page = visitor(person).get(link)
        assert page.path == f"/games/{game}/"
        assert "the link is for somebody else" in page.words
        visitor(person).post(link)
    assert seat_of(ann, game).number == 0


def test_a_dead_link_says_so(game: str, ann: Person, cleo: Person) -> None:
    taken, dora = offered(ann, game), Person("Dora")
    visitor(cleo).post(taken)
    withdrawn = offered(cleo, game)
    visitor(cleo).send(page_of(cleo, game), "/offer/withdraw/")
    never = f"/games/{game}/take/nosuchtoken/"

    for link in (taken, withdrawn, never):
        for who in (visitor(dora), Visitor()):
            page = who.get(link)
            assert (page.status, page.title) == (410, "This link is dead")
        assert visitor(dora).post(link).status == 410
    assert seat_of(cleo, game).number == 0


def test_with_the_game_its_offers_are_over(game: str, ann: Person, cleo: Person) -> None:
    link = offered(ann, game)
    services.cancel_game(game)

    assert visitor(cleo).get(link).status == 410
    assert visitor(cleo).post(link).status == 410


def test_nobody_offers_the_seat_of_another(game: str, cleo: Person) -> None:
    for path in ("offer", "offer/withdraw"):
        assert visitor(cleo).post(f"/games/{game}/{path}/").status == 404
        assert Visitor().post(f"/games/{game}/{path}/").path == "/sign-in/"
        assert visitor(cleo).get(f"/games/{game}/{path}/").status == 405
    assert not SeatOffer.objects.exists()


# ---- Proposals ---------------------------------------------------------------------------------


def propose(person: Person, game: str, kind: str, **fields: str) -> Page:
    data = {"kind": kind, "version": version(game)} | fields
    return visitor(person).post(f"/games/{game}/proposals/", data)


def test_a_pause_is_proposed_agreed_to_and_ended(game: str, ann: Person, ben: Person) -> None:
    page = propose(ann, game, "pause", seconds=str(3 * DAY))
    assert "Ann proposes to pause the game for 3 days. Agreed: Ann. Still to answer: Ben." in (
        page.words
    )
    assert "Withdraw" in page.words

    shown = page_of(ben, game)
    assert {"proposals"} <= shown.ids
    assert "Refuse" in shown.words
    paused = visitor(ben).send(shown, "/proposals/", answer="agree")

    assert "All have agreed: it is done" in paused.words
    assert "The game is paused: no clock runs" in paused.words
    asked = asked_person(game, [ann, ben])
    assert "Your clock rests now, while the game is paused" in page_of(asked, game).words
    waiting = other(asked, [ann, ben])
    assert page_of(waiting, game).title == f"Paused, waiting for {asked.player.name}"
    propose(waiting, game, "resume")
    assert "Propose a pause" not in page_of(asked, game).words
    visitor(asked).send(page_of(asked, game), "/proposals/", answer="agree")
    assert page_of(waiting, game).title == f"Waiting for {asked.player.name}"


def test_the_pauses_on_offer_end_where_the_installation_says(
    game: str, ann: Person, settings: Any
) -> None:
    assert "14 days" in page_of(ann, game).words
    settings.DEWAN_MAX_PAUSE = timedelta(days=7)
    page = page_of(ann, game)
    assert '<option value="604800">' in page.html
    assert "14 days" not in page.words
    settings.DEWAN_MAX_PAUSE = timedelta(hours=6)
    assert "6 hours" in page_of(ann, game).words
    assert propose(ann, game, "pause", seconds=str(DAY)).status == 400


def test_a_proposal_is_refused_or_withdrawn(game: str, ann: Person, ben: Person) -> None:
    propose(ann, game, "cancel")
    refused = visitor(ben).send(page_of(ben, game), "/proposals/", answer="refuse")
    assert "The proposal is refused" in refused.words
    again = propose(ann, game, "cancel")
    assert again.status == 400
    assert "this was refused" in again.words.lower()

    page = propose(ben, game, "cancel")
    assert "Agreed: Ben." in page.words
    withdrawn = visitor(ben).send(page, "/proposals/", answer="refuse")
    assert "The proposal is withdrawn" in withdrawn.words
    assert Game.objects.get().status == Game.Status.RUNNING


def test_a_game_is_called_off_when_all_agree(game: str, ann: Person, ben: Person) -> None:
    propose(ann, game, "cancel")
    page = visitor(ben).send(page_of(ben, game), "/proposals/", answer="agree")

    assert page.title == "The game was called off"
    assert "All agreed to call the game off." in page.words
    assert "All agreed to call the game off." in visitor(ann).get("/").words
    assert not page.has_form("/proposals/")
    late = visitor(ann).post(f"/games/{game}/proposals/", {"kind": "pause", "version": "4"})
    assert "The game was called off. What you wanted was not done." in late.words


def test_a_move_is_taken_back_when_all_agree(game: str, ann: Person, ben: Person) -> None:
    mover = asked_person(game, [ann, ben])
    asked = other(mover, [ann, ben])
    mover.choose(game, "take")
    page = page_of(mover, game)
    assert "Propose to take it back" in page.words

    propose(mover, game, "undo")
    done = visitor(asked).send(page_of(asked, game), "/proposals/", answer="agree")

    assert "All have agreed" in done.words
    assert asked_person(game, [ann, ben]) is mover


def test_while_a_move_can_be_taken_back_freely_no_consent_is_asked_for(ann: Person) -> None:
    game = start(ann)
    page = page_of(ann, game)

    assert "Propose to take it back" not in page.words
    assert "Propose to take that back" not in page.words


def test_two_clicks_take_back_one_move(ann: Person) -> None:
    """Against bots nobody else has to agree: it is done at once."""
    game = start(ann)
    for _ in range(8):
        if not services.play_bot(game):
            ann.choose(game)
    before = state_of(ann, game).version
    fields = {"kind": "undo", "version": str(before)}

    first, second = (visitor(ann).post(f"/games/{game}/proposals/", fields) for _ in range(2))

    assert "All have agreed" in first.words
    assert "The game has gone on" in second.words
    assert version(game) == str(before + 1)


@pytest.mark.parametrize("learnt", [False, True])
def test_what_was_played_for_who_was_late_is_taken_back_unless_something_was_learnt(
    ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch, *, learnt: bool
) -> None:
    game = start(ann, ben, absence="move")
    draft(game, [ann, ben])
    assert "Propose to take that back" not in page_of(ann, game).words
    late = [ann, ben][run_out(game).number]
    monkeypatch.setattr(store, "learnt_since", lambda *_: learnt)

    assert "Propose to take that back" in page_of(late, game).words
    page = propose(late, game, "undo_time_out")
    if learnt:
        assert page.status == 422
        assert "until somebody has learnt something hidden since" in page.words
    else:
        assert "proposes to take back what was played for the seat that was late" in page.words
        waiting = other(late, [ann, ben])
        visitor(waiting).send(page_of(waiting, game), "/proposals/", answer="agree")
        assert asked_person(game, [ann, ben]) is late


def test_clicking_twice_proposes_once(game: str, ann: Person, ben: Person) -> None:
    for person in (ann, ann, ben):
        page = propose(person, game, "pause", seconds=str(DAY))
        assert page.path == f"/games/{game}/"
        assert "Ann proposes to pause" in page.words
    assert Proposal.objects.count() == 1


def test_a_proposal_that_a_move_has_overtaken_is_answered_with_the_news(
    game: str, ann: Person, ben: Person
) -> None:
    mover = asked_person(game, [ann, ben])
    mover.choose(game, "take")
    asked = other(mover, [ann, ben])
    propose(mover, game, "undo")
    shown = page_of(asked, game)
    asked.choose(game, "take")

    page = visitor(asked).send(shown, "/proposals/", answer="agree")

    assert "The proposal does not stand any more." in page.words
    assert "The game has gone on" in page.words
    assert version(game) == "5"
    stale = propose(mover, game, "undo", version="4")
    assert "The game has gone on" in stale.words
    assert not Proposal.objects.filter(state=Proposal.State.OPEN, version="5").exists()


def test_who_is_away_is_asked_about_the_course_of_the_game_but_not_about_a_pause(
    game: str, ann: Person, ben: Person
) -> None:
    late = asked_person(game, [ann, ben])
    playing = other(late, [ann, ben])
    run_out(game)

    called_off = propose(playing, game, "cancel")
    assert f"Still to answer: {late.player.name}." in called_off.words
    assert not page_of(late, game).has_form("/proposals/")
    propose(playing, game, "pause", seconds=str(DAY))
    assert Game.objects.get().is_paused
    visitor(late).post(f"/games/{game}/back/")
    visitor(late).send(page_of(late, game), "/proposals/", answer="agree")
    assert Game.objects.get().ending == "agreed"


def test_who_is_away_comes_back_before_they_propose(game: str, ann: Person, ben: Person) -> None:
    late = asked_person(game, [ann, ben])
    propose(other(late, [ann, ben]), game, "cancel")
    shown = page_of(late, game)
    run_out(game)

    assert "be back first" in page_of(late, game).words
    assert "Propose a pause" not in page_of(late, game).words
    assert "Come back to the game first" in visitor(late).send(shown, "/proposals/").words
    assert propose(late, game, "pause", seconds=str(DAY)).status == 400


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"kind": "dance"}, 400),
        ({"kind": ""}, 400),
        ({"kind": "pause"}, 400),
        ({"kind": "pause", "seconds": "99"}, 400),
        ({"kind": "resume"}, 400),
        ({"kind": "undo_time_out"}, 422),
    ],
)
def test_what_cannot_be_proposed_is_refused(
    game: str, ann: Person, fields: dict[str, str], status: int
) -> None:
    page = propose(ann, game, **fields)

    assert page.status == status
    assert page.has_link(f"/games/{game}/")
    assert not Proposal.objects.exists()


def test_a_table_of_strangers_takes_no_proposals(game: str, ann: Person, cleo: Person) -> None:
    proposal = consent.propose(ann.player, game, "pause", DAY)

    for path in ("proposals/", f"proposals/{proposal.pk}/"):
        for data in ({"kind": "cancel", "version": version(game)}, {"answer": "agree"}):
            assert visitor(cleo).post(f"/games/{game}/{path}", data).status == 404
            assert Visitor().post(f"/games/{game}/{path}", data).path == "/sign-in/"
        assert visitor(ann).get(f"/games/{game}/{path}").status == 405
    for number in (proposal.pk + 1, 10**30):
        assert visitor(ann).post(f"/games/{game}/proposals/{number}/").status == 404


def test_spectators_see_proposals_and_have_no_say(ann: Person, ben: Person, cleo: Person) -> None:
    game = start(ann, ben, visibility="public")
    consent.propose(ann.player, game, "pause", DAY)

    for who in (visitor(cleo), Visitor()):
        page = who.get(f"/games/{game}/")
        assert "Ann proposes to pause the game for 1 day" in page.words
        assert not page.has_form("/proposals/")
        assert "table" not in page.ids


def test_an_open_page_notices_proposals_and_answers(game: str, ann: Person, ben: Person) -> None:
    def stage() -> str:
        return str(visitor(ann).client.get(f"/games/{game}/version.json").json()["version"])

    seen = [stage()]
    assert f'data-version="{seen[0]}"' in page_of(ann, game).html
    proposal = consent.propose(ann.player, game, "pause", DAY)
    seen.append(stage())
    assert f'data-version="{seen[1]}"' in page_of(ann, game).html
    consent.answer(ben.player, game, proposal.pk, agree=False)
    seen.append(stage())

    assert seen[0] == seen[2] != seen[1]


# ---- Calling off, and the end ------------------------------------------------------------------


def test_before_the_first_round_any_player_calls_the_game_off(ann: Person, ben: Person) -> None:
    game = start(ann, ben)
    page = page_of(ben, game)
    assert "Propose to call it off" not in page.words

    visitor(ben).send(page, "/call-off/")

    shown = page_of(ann, game)
    assert shown.title == "The game was called off"
    assert "A player called the game off before the first round." in shown.words
    assert "not done" in visitor(ann).post(f"/games/{game}/call-off/").words


def test_once_the_first_round_has_begun_all_have_to_agree(game: str, ann: Person) -> None:
    page = page_of(ann, game)

    assert not page.has_form("/call-off/")
    assert "Propose to call it off" in page.words
    stale = visitor(ann).post(f"/games/{game}/call-off/")
    assert stale.status == 400
    assert "propose to call the game off" in stale.words


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        ("last_camp", "The last camp stands"),
        ("no_destination", "No free space is left"),
        ("all_passed", "Nobody could take a card"),
        ("forfeit", "All others are out of the game"),
        ("operator", "The game was called off."),
        ("first_round", "before the first round"),
        ("agreed", "All agreed"),
        ("called_off", "called it off before the game"),
        (None, ""),
    ],
)
def test_every_way_to_end_has_words(ending: str | None, words: str) -> None:
    assert words in ending_words(ending)


def test_how_a_game_ended_is_said_on_its_page_and_in_the_list(ann: Person, ben: Person) -> None:
    forfeited = start(ann, ben, absence="forfeit")
    absence.leave(ben.player, forfeited)
    table = services.create_game(ann.player, NewGame(players=2, seats=("me", "open"))).pk
    absence.call_off(ann.player, table)

    for game, words in (
        (forfeited, "All others are out of the game."),
        (table, "Whoever opened the table called it off before the game."),
    ):
        assert words in page_of(ann, game).words
        assert words in visitor(ann).get("/").words
    assert page_of(ann, forfeited).title.startswith("You win with")


# ---- About me ----------------------------------------------------------------------------------


def test_night_hours_and_free_days_are_set_and_shown(ann: Person) -> None:
    fields = {"begins": "22:30", "ends": "07:00", "weekdays": ["6", "7"]}

    page = visitor(ann).post("/me/rests/", fields)

    mine = rests.rests_of(ann.player)
    assert (mine.night, mine.weekdays) == ((1350, 420), (6, 7))
    assert "It counts from the next question that you are asked." in page.words
    assert page.form("/me/rests/").fields["begins"] == "22:30"
    assert page.form("/me/rests/").fields["ends"] == "07:00"
    assert page.html.count("checked") == 2 + 3  # two days, and all reminders
    visitor(ann).post("/me/rests/", {})
    mine = rests.rests_of(ann.player)
    assert (mine.night, mine.weekdays) == (None, ())


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"begins": "22:00"}, "A night has a beginning and an end"),
        ({"begins": "22:00", "ends": "22:00"}, "at most 12 hours later"),
        ({"begins": "08:00", "ends": "21:00"}, "at most 12 hours later"),
        ({"begins": "late", "ends": "07:00"}, "Enter a valid time"),
        ({"weekdays": ["5", "6", "7"]}, "at most 2 can be free"),
        ({"weekdays": ["8"]}, "not one of the available choices"),
    ],
)
def test_rests_that_are_too_much_are_refused_in_place(
    ann: Person, fields: dict[str, Any], problem: str
) -> None:
    page = visitor(ann).post("/me/rests/", fields)

    assert problem in page.words
    assert "Nothing is changed yet" in page.words
    assert page.has_link("#rests_form")
    assert page.form("/me/rests/").fields["begins"] == fields.get("begins", "")
    assert (rests.rests_of(ann.player).night, rests.rests_of(ann.player).weekdays) == (None, ())


def test_a_vacation_is_booked_shown_and_cancelled(
    from_noon: time_machine.Coordinates, ann: Person
) -> None:
    me = visitor(ann)
    move_to(ann, "Pacific/Auckland")
    fields = {"first": "2026-12-24", "last": "2027-01-02"}

    for _ in range(2):
        page = me.post("/me/vacations/", fields)
        assert "Thu 24 Dec 2026 to Sat 2 Jan 2027" in page.words
        assert "20 of 30 days left" in page.words
        assert "Nothing is changed yet" not in page.words
    (vacation,) = rests.rests_of(ann.player).vacations
    assert vacation.start == datetime(2026, 12, 23, 11, tzinfo=UTC)

    cancelled = me.send(page, "/vacations/cancel/")
    assert "The vacation is cancelled" in cancelled.words
    assert rests.rests_of(ann.player).vacations == ()
    assert "The vacation is cancelled" in me.send(page, "/vacations/cancel/").words


@pytest.mark.parametrize(
    ("first", "last", "problem"),
    [
        ("2026-12-05", "2026-12-04", "not before its first"),
        ("2026-11-30", "2026-12-04", "begins today at the earliest"),
        ("2026-12-05", "2027-12-04", "for the year that comes"),
        ("2026-12-05", "2027-01-31", "30 days in any 365"),
        ("", "2026-12-04", "This field is required"),
        ("soon", "2026-12-04", "Enter a valid date"),
    ],
)
def test_a_vacation_that_cannot_be_is_refused_in_place(
    at_noon: time_machine.Coordinates, ann: Person, first: str, last: str, problem: str
) -> None:
    page = visitor(ann).post("/me/vacations/", {"first": first, "last": last})

    assert problem in page.words
    assert page.has_link("#vacation_form")
    sent = page.forms[[form.action for form in page.forms].index("/me/vacations/")]
    assert (sent.fields["first"], sent.fields["last"]) == (first, last)
    assert rests.rests_of(ann.player).vacations == ()


def test_a_vacation_that_has_begun_or_is_counted_on_stays(
    from_noon: time_machine.Coordinates, ann: Person, ben: Person
) -> None:
    today = NOON.date()
    begun = rests.book(ann.player, today, today)
    for person in (ann, ben):
        rests.book(person.player, today + timedelta(2), today + timedelta(3))
    game = start(ann, ben)
    asked = asked_person(game, [ann, ben])
    counted = rests.rests_of(asked.player).vacations[-1]

    assert "now" in visitor(ann).get("/me/").words
    for person, vacation in ((ann, begun), (asked, counted)):
        page = visitor(person).post("/me/vacations/cancel/", {"start": vacation.start.isoformat()})
        assert "Nothing is changed yet" in page.words
        assert vacation in rests.rests_of(person.player).vacations
    assert "answer in that game first" in page.words
    assert "valid date" in visitor(ann).post("/me/vacations/cancel/", {"start": "x"}).words


def test_which_reminders_come_is_ones_own_choice(ann: Person) -> None:
    page = visitor(ann).post("/me/reminders/", {"stages": ["last_hour"]})

    ann.player.refresh_from_db()
    assert ann.player.reminders == ["last_hour"]
    assert page.html.count("checked") == 1
    assert "Nothing is changed yet" in visitor(ann).post("/me/reminders/", {"stages": "x"}).words
    visitor(ann).post("/me/reminders/", {})
    ann.player.refresh_from_db()
    assert ann.player.reminders == []


def test_nights_follow_to_another_zone(ann: Person) -> None:
    rests.change(ann.player, (1320, 420), [7])

    move_to(ann, "Asia/Tokyo")

    mine = rests.rests_of(ann.player)
    assert (mine.zone, mine.night, mine.weekdays) == ("Asia/Tokyo", (1320, 420), (7,))
    before = ann.player.rests.count()
    move_to(ann, "Asia/Tokyo")
    assert ann.player.rests.count() == before


def test_the_zone_of_a_new_player_is_that_of_their_nights(db: None) -> None:
    player = Player.objects.with_email("new@example.org")

    Visitor(player).post("/welcome/", {"name": "New", "zone": "Europe/Paris"})

    assert rests.rests_of(Player.objects.get(pk=player.pk)).zone == "Europe/Paris"


def test_nobody_changes_the_rests_of_another(db: None) -> None:
    for path in ("rests", "vacations", "vacations/cancel", "reminders"):
        assert Visitor().post(f"/me/{path}/").path == "/sign-in/"
        assert Visitor().get(f"/me/{path}/").status == 405


# ---- All of them -------------------------------------------------------------------------------


def test_these_pages_have_no_inline_styles_or_handlers(
    game: str, ann: Person, ben: Person, cleo: Person
) -> None:
    link = offered(ann, game)
    consent.propose(ann.player, game, "pause", DAY)
    pages = [visitor(ann).get(path) for path in (f"/games/{game}/", f"/games/{game}/resign/")]
    pages += [visitor(cleo).get(link), visitor(cleo).get(f"{link}x/"), visitor(ben).get("/me/")]

    for page in pages:
        assert "default-src 'self'" in page.response["Content-Security-Policy"]
        assert not re.search(r"\sstyle=|<style|\son\w+=|<script(?![^>]*\ssrc=)", page.html)
