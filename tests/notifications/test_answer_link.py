"""Answer by link: a page that shows a move, a button that plays it once, and what is left of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.test import Client
from django.urls import reverse

from engine.views import mask
from games import absence, services, store
from games.models import Game, Move, Seat
from notifications import clock, shortlists, tokens
from notifications.models import Shortlist
from notifications.tokens import Purpose
from tests.clocks import let_run_out
from tests.games.test_sealed import go_fishing
from tests.pages import Page, Visitor
from tests.people import Person, asked_person, draft, start_game
from tests.threads import at_once

CARD = re.compile(r"\bT\d\d\b")
CARD_FACE = 'class="card'
LONGEST = 150


@pytest.fixture
def people(ann: Person, ben: Person) -> list[Person]:
    return [ann, ben]


@pytest.fixture
def game(people: list[Person]) -> str:
    """A game whose first round has begun."""
    game = start_game(*people)
    draft(game, people)
    return game


def mailed(game: str, people: list[Person]) -> tuple[Person, str, list[str]]:
    """Return who is asked, the token that a mail about it would carry, and its numbered lines."""
    row, person = Game.objects.get(pk=game), asked_person(game, people)
    state = store.state_of(row)
    assert state is not None
    seat = Seat.objects.get(game=game, player=person.player)
    lines = shortlists.numbered(row, seat.number, mask(state, seat.number))
    return person, tokens.make(Purpose.LINK, seat, state.since), lines


def link(token: str, number: int = 1) -> str:
    return reverse("answer_link", args=[token, number])


def moves(game: str) -> int:
    return Move.objects.filter(game=game).count()


def everything_stored() -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables but sessions."""
    models = [m for m in apps.get_models() if m._meta.label != "sessions.Session"]
    return {m._meta.label: list(m.objects.order_by("pk").values_list()) for m in models}


def hand_of(person: Person, game: str) -> set[str]:
    view = person.view(game)
    return set(view["state"]["tribes"][view["you"]]["hand"]["cards"])


def secret_cards(game: str, person: Person, other: Person) -> set[str]:
    """Return the cards of a hand that the others do not know."""
    number = person.view(game)["you"]
    known = set(other.view(game)["state"]["tribes"][number]["hand"]["cards"])
    return hand_of(person, game) - known


def play_until(
    game: str, people: list[Person], is_there: Callable[[Page, Person], bool]
) -> tuple[Page, Person, str]:
    """Answer by links until a page afterwards has something; return it, whose, and the token."""
    for turn in range(LONGEST):
        person, token, lines = mailed(game, people)
        page = Visitor().post(link(token, turn % len(lines) + 1))
        if is_there(page, person):
            return page, person, token
    raise AssertionError("that never happened")


# ---- Looking -----------------------------------------------------------------------------------


def test_a_link_shows_the_move_and_one_button_without_signing_in(
    game: str, people: list[Person]
) -> None:
    _, token, lines = mailed(game, people)

    page = Visitor().get(link(token, 2))

    assert page.status == 200
    assert f"In notation: {lines[1]}" in page.words
    assert " left, until " in page.words
    assert 'class="board"' in page.html
    (form,) = page.forms
    assert (form.method, form.action, form.fields) == ("post", "", {})
    assert {"Play it"} == {b.strip() for b in re.findall(r"<button[^>]*>([^<]*)<", page.html)}
    assert CARD_FACE in page.html


def test_looking_changes_nothing_however_often_and_whatever_a_scanner_follows(
    game: str, people: list[Person]
) -> None:
    _, token, _ = mailed(game, people)
    before = everything_stored()

    scanner = Client(headers={"Sec-Purpose": "prefetch"})
    for path in (link(token), *Page(scanner.get(link(token))).links):  # type: ignore[arg-type]
        if path.startswith("/"):
            scanner.get(path)
            scanner.head(path)
            scanner.options(path)

    assert everything_stored() == before


def test_the_address_stays_between_the_player_and_us(game: str, people: list[Person]) -> None:
    _, token, _ = mailed(game, people)

    page = Visitor().get(link(token))

    assert page.response.headers["Referrer-Policy"] == "no-referrer"
    assert "noindex" in page.response.headers["X-Robots-Tag"]
    assert "no-store" in page.response.headers["Cache-Control"]
    loaded = re.findall(r'(?:src|href)="([^"]*)"', page.html)
    assert [address for address in loaded if not address.startswith(("/", "#"))] == []


def test_deadlines_are_in_the_zone_of_whose_link_it_is(game: str, people: list[Person]) -> None:
    person, token, _ = mailed(game, people)
    person.player.zone = "Asia/Tokyo"
    person.player.save()

    assert "Asia/Tokyo" in Visitor().get(link(token)).words


def test_a_number_that_was_not_mailed_shows_those_that_were(
    game: str, people: list[Person]
) -> None:
    _, token, lines = mailed(game, people)

    for page in (Visitor().get(link(token, 0)), Visitor().post(link(token, 99))):
        assert page.status == 404
        assert page.has_link(link(token, len(lines)))
        assert all(line in page.words for line in lines)


# ---- Playing -----------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_the_button_plays_what_the_number_stood_for_and_only_once(
    game: str, people: list[Person]
) -> None:
    person, token, lines = mailed(game, people)
    before = moves(game)

    pages = [Visitor().post(link(token, 3)) for _ in range(3)]

    assert moves(game) == before + 1
    move = Move.objects.get(game=game, number=before + 1)
    shown = person.get(f"/{game}/moves", after=before).json()["moves"][0]
    assert (move.seat, move.actor) == (person.view(game)["you"], Move.Actor.PLAYER)
    command = shown["commands"][0]
    assert lines[2].startswith(command["type"])
    for page in pages:
        assert (page.status, page.title) == (200, "Answered")
        assert person.player.name in page.words
        assert "was not played" not in page.words


@pytest.mark.both_databases
@pytest.mark.usefixtures("committed")
def test_two_tabs_at_once_play_one_move() -> None:
    people = [Person("Ann"), Person("Ben")]
    game = start_game(*people)
    draft(game, people)
    _, token, _ = mailed(game, people)
    before = moves(game)

    same = at_once(*[lambda: Visitor().post(link(token, 1))] * 3)
    assert [page.status for page in same] == [200, 200, 200]
    assert moves(game) == before + 1

    _, token, _ = mailed(game, people)
    different = at_once(*[lambda n=n: Visitor().post(link(token, n)) for n in (1, 2)])
    assert sorted(page.status for page in different) == [200, 409]
    assert moves(game) == before + 2


def test_another_number_of_an_answered_decision_plays_nothing(
    game: str, people: list[Person]
) -> None:
    _, token, _ = mailed(game, people)
    Visitor().post(link(token, 1))
    before = moves(game)

    page = Visitor().post(link(token, 2))

    assert (page.status, page.title, moves(game)) == (409, "Answered", before)
    assert "What you have just pressed was not played." in page.words


def test_no_cookie_is_needed_and_none_lends_its_power(game: str, people: list[Person]) -> None:
    _, token, _ = mailed(game, people)
    strict = Client(enforce_csrf_checks=True)

    assert strict.get(link(token)).cookies == {}
    assert strict.post(link(token), headers={"Origin": "null"}).status_code == 302
    assert moves(game) == 4


def test_the_player_signed_in_answers_by_the_same_link(game: str, people: list[Person]) -> None:
    person, token, _ = mailed(game, people)

    page = Visitor(person.player).post(link(token))

    assert page.title == "Answered"
    assert page.has_link(f"/games/{game}/")


def test_a_move_that_was_played_can_be_taken_back_from_its_own_page_while_that_is_free(
    game: str, people: list[Person]
) -> None:
    page, person, token = play_until(game, people, lambda page, _: "Take it back" in page.words)
    undone = person.view(game)["undo"]
    assert undone == moves(game)

    back = Visitor().send(page, "")

    assert moves(game) == undone + 1
    assert person.view(game)["undo"] is None
    assert "was taken back" in back.words
    assert "Take it back" not in back.words
    assert Visitor().post(link(token), {"undo": "1"}).status == 200
    assert moves(game) == undone + 1
    again = Visitor().follow(back, "/answer/")
    assert Visitor().send(again, "").title == "Answered"
    assert moves(game) == undone + 2


def test_nobody_takes_back_by_a_link_what_did_not_answer_its_decision(
    game: str, people: list[Person]
) -> None:
    _, old, _ = mailed(game, people)
    Visitor().post(link(old))
    _, person, _ = play_until(game, people, lambda page, _: "Take it back" in page.words)
    before = moves(game)
    undoable = person.view(game)["undo"]

    page = Visitor().post(link(old), {"undo": "1"})

    assert (moves(game), person.view(game)["undo"]) == (before, undoable)
    assert "Take it back" not in page.words


def test_a_turn_with_more_than_one_question_is_finished_without_signing_in(
    game: str, people: list[Person]
) -> None:
    page, person, _ = play_until(game, people, lambda page, _: "You are asked next" in page.words)
    asked = person.view(game)["awaiting"][0]
    assert asked["seat"] == person.view(game)["you"]
    before = moves(game)

    follow_up = Visitor().follow(page, "/answer/")
    assert "In notation: " in follow_up.words
    done = Visitor().send(follow_up, "")

    assert done.title == "Answered"
    assert moves(game) == before + 1


def test_a_line_that_was_mailed_is_what_is_played_though_others_would_be_listed_now(
    game: str, people: list[Person]
) -> None:
    person, token, _ = mailed(game, people)
    entries = person.legal(game)["entries"]
    Shortlist.objects.filter(game=game).update(lines=[entries[-1]["text"]])

    Visitor().post(link(token))

    played = person.get(f"/{game}/moves", after=3).json()["moves"][0]["commands"]
    assert played == [entries[-1]["command"]]


# ---- When the decision is dead -----------------------------------------------------------------


def dead(page: Page) -> None:
    assert page.status == 200
    assert not page.has_form("")
    assert not page.has_link("/answer/")


def test_a_dead_link_tells_what_is_new_and_nothing_of_the_hand(
    game: str, people: list[Person], ann: Person, ben: Person
) -> None:
    person, token, lines = mailed(game, people)
    other = ben if person is ann else ann
    taking = next(number for number, line in enumerate(lines, 1) if line.startswith("take"))
    Visitor().post(link(token, taking))
    other.choose(game, "take")
    person.choose(game, "take")
    other.choose(game, "take")

    page = Visitor().get(link(token, 4))

    dead(page)
    assert f"Since the last move of {person.player.name}" in page.words
    assert f"{other.player.name} took" in page.words
    assert f"Waiting for {person.player.name}" in page.words
    assert "you are asked something now" in page.words
    hidden = secret_cards(game, person, other)
    assert hidden
    assert not [card for card in hidden if card in page.html]
    assert CARD_FACE not in page.html


def test_what_an_undo_by_somebody_else_took_away_is_not_asked_any_more(
    game: str, people: list[Person]
) -> None:
    def is_free_and_over(page: Page, mover: Person) -> bool:
        return "Take it back" in page.words and asked_person(game, people) is not mover

    _, mover, _ = play_until(game, people, is_free_and_over)
    _, token, _ = mailed(game, people)
    undo = {"decision": None, "expected_version": moves(game), "text": "undo"}
    assert mover.post(f"/{game}/moves", undo).status_code == 201

    page = Visitor().get(link(token))

    dead(page)
    assert page.title == "This is not asked any more"
    assert "was taken back" in page.words
    assert Visitor().post(link(token)).status == 409


def test_a_link_whose_time_is_up_says_what_the_clock_has_played(
    game: str, people: list[Person]
) -> None:
    person, token, _ = mailed(game, people)
    let_run_out(game)
    clock.sweep()
    before = moves(game)

    page = Visitor().post(link(token))

    assert (page.status, moves(game)) == (409, before)
    assert person.player.name in page.words
    dead(Visitor().get(link(token)))


@pytest.mark.slow
def test_after_the_game_a_link_says_who_won(game: str, people: list[Person]) -> None:
    _, first, _ = mailed(game, people)
    for turn in range(LONGEST):
        if people[0].view(game)["status"] != "running":
            break
        _, token, lines = mailed(game, people)
        Visitor().post(link(token, turn % len(lines) + 1))

    page = Visitor().get(link(first))

    dead(page)
    assert re.search(r"(wins?|share) ", page.words)
    assert Visitor().post(link(first, 2)).status == 409


def test_a_cancelled_game_has_no_live_links(game: str, people: list[Person]) -> None:
    _, token, _ = mailed(game, people)
    services.cancel_game(game)

    dead(Visitor().get(link(token)))
    assert Visitor().post(link(token)).status == 409


def test_a_sealed_answer_is_said_to_be_sealed_and_to_nobody_else(
    people: list[Person],
) -> None:
    game = go_fishing(people)
    person, token, _ = mailed(game, people)
    other = people[1 - people.index(person)]
    before = other.view(game)["awaiting"], Visitor(other.player).get(f"/games/{game}/").words

    page = Visitor().post(link(token))

    assert page.title == "Your answer is sealed until the others have answered"
    assert not page.has_form("")
    assert Visitor().get(link(token, 2)).title == page.title
    refused = Visitor().post(link(token, 2))
    assert (refused.status, refused.title) == (409, page.title)
    assert other.view(game)["awaiting"] == before[0]
    assert Visitor(other.player).get(f"/games/{game}/").words == before[1]


# ---- Whose link it is --------------------------------------------------------------------------


def no_link(page: Page) -> str:
    assert page.status == 404
    assert page.title == "This link leads nowhere"
    assert not page.forms
    return re.sub(r'nonce="[^"]*"', "", page.html)


def test_what_is_no_link_says_always_the_same(game: str, people: list[Person]) -> None:
    person, token, _ = mailed(game, people)
    seat = Seat.objects.get(game=game, player=person.player)
    since = int(person.view(game)["awaiting"][0]["since"])
    wrong = [
        tokens.make(Purpose.REPLY, seat, since),
        token[:-1],
        token[:-1] + ("0" if token[-1] != "0" else "1"),
        ("0" if token[0] != "0" else "1") + token[1:],
        "0" * tokens.LETTERS,
        "x",
        "-_-",
    ]
    before = moves(game)

    said = {no_link(get(link(one))) for one in wrong for get in (Visitor().get, Visitor().post)}

    assert len(said) == 1
    assert moves(game) == before
    assert person.player.name not in said.pop()


def test_who_has_left_the_seat_has_no_link_any_more(game: str, people: list[Person]) -> None:
    person, token, _ = mailed(game, people)
    absence.leave(person.player, game)

    no_link(Visitor().get(link(token)))
    no_link(Visitor().post(link(token)))


def test_nor_has_who_is_locked_out(game: str, people: list[Person]) -> None:
    person, token, _ = mailed(game, people)
    person.player.is_active = False
    person.player.save()

    no_link(Visitor().post(link(token)))


def test_a_mail_that_was_passed_on_shows_an_opponent_who_is_signed_in_nothing(
    game: str, people: list[Person], cleo: Person
) -> None:
    person, token, _ = mailed(game, people)
    opponent = people[1 - people.index(person)]
    before = moves(game)

    for reader in (opponent, cleo):
        for page in (
            Visitor(reader.player).get(link(token)),
            Visitor(reader.player).post(link(token)),
            Visitor(reader.player).post(link(token), {"undo": "1"}),
        ):
            assert (page.status, page.title) == (403, "This link is for another player")
            assert not page.forms
            assert not CARD.search(page.html)
            assert CARD_FACE not in page.html
            assert 'class="board"' not in page.html
    assert moves(game) == before


def test_a_token_of_another_game_is_about_that_game_only(
    game: str, people: list[Person], ann: Person
) -> None:
    other = start_game(*people)
    draft(other, people)
    _, token, _ = mailed(other, people)
    mailed(game, people)
    before = moves(game)

    Visitor().post(link(token))

    assert (moves(game), moves(other)) == (before, 4)
