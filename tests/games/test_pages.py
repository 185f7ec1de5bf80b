"""The pages about games, as Django answers them; tests/web drives them in a browser."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dewan_site.accounts.models import Player
from engine import bots
from engine.verify import verify
from games import selectors, services
from games.models import Game, GameSecret, Move
from games.services import NewGame, Submitted
from tests.pages import Page, Visitor
from tests.people import Person, asked_person, draft, start_game


@pytest.fixture
def game(ann: Person, ben: Person) -> str:
    """A game of Ann and Ben in which both have drafted."""
    game = start_game(ann, ben)
    draft(game, [ann, ben])
    return game


def visitor(person: Person) -> Visitor:
    return Visitor(person.player)


def moves(game: str) -> int:
    return Move.objects.filter(game=game).count()


def play_out(game: str, people: list[Person]) -> None:
    """Play a game to its end: everybody does what the bot would do."""
    while Game.objects.get(pk=game).status == Game.Status.RUNNING:
        person = asked_person(game, people)
        (_, seat), state = selectors.seen_state(person.player, game)
        assert seat is not None
        assert state is not None
        question = state.question_of(seat)
        assert question is not None
        submitted = Submitted(
            decision=state.decision_of(question),
            expected_version=state.version,
            commands=(bots.choose(state, seat),),
        )
        services.submit_move(person.player, game, submitted)


def look_at(person: Person, game: str, text: str) -> Page:
    """Return the page that asks whether to play a line."""
    return visitor(person).get(f"/games/{game}/confirm/", data={"text": text})


# ---- Lists -----------------------------------------------------------------------------------


def test_the_first_page_says_what_this_is_and_whose_game_it_is(db: None) -> None:
    page = Visitor().get("/")

    assert page.status == 200
    assert page.has_form("/sign-in/")
    assert "Dewan is a game by Johannes Goupy and Yoann Levet, published by Space Cowboys" in (
        page.words
    )


def test_my_games_begin_with_the_one_that_has_least_time_left(ann: Person) -> None:
    slow = ann.open("me", "open", move_time="P7D")
    fast = ann.open("me", "open", move_time="PT2H")
    for game in (slow, fast):
        Person("Ben").post(f"/{game}/seats")
        draft_until_asked(game, ann)

    page = visitor(ann).get("/")

    games = [link for link in page.links if re.fullmatch(r"/games/\w{12}/", link)]
    assert games == [f"/games/{fast}/", f"/games/{slow}/"]
    assert "Ben" in page.words
    assert "left" in page.words


def draft_until_asked(game: str, person: Person) -> None:
    people = [person, Person("Ben")]
    while asked_person(game, people) is not person:
        people[1].choose(game, "story")


def test_open_public_tables_are_offered_to_others(ann: Person, ben: Person) -> None:
    public = ann.open("me", "open", visibility="public")
    private = ann.open("me", "open")

    page = visitor(ben).get("/")

    assert page.has_link(f"/games/{public}/join/")
    assert not page.has_link(private)


# ---- Coming to a table -----------------------------------------------------------------------


NEW = {"players": "2", "scenario": "base", "move_time": "259200", "visibility": "private"}


def test_a_game_against_a_bot_begins_at_once(ann: Person) -> None:
    page = visitor(ann).post("/games/new/", NEW | {"seat1": "bot", "seat2": "me"})

    game = Game.objects.get()
    assert page.path == f"/games/{game.pk}/"
    assert game.status == Game.Status.RUNNING
    assert "Ash (bot)" in page.words


@pytest.mark.parametrize("seats", [("me", "me"), ("open", "bot")])
def test_a_player_sits_down_exactly_once(ann: Person, seats: tuple[str, str]) -> None:
    page = visitor(ann).post("/games/new/", NEW | {"seat1": seats[0], "seat2": seats[1]})

    assert page.status == 400
    assert "Sit down on exactly one of the seats" in page.words
    assert not Game.objects.exists()


def test_times_that_are_too_short_here_are_not_offered(ann: Person, settings: Any) -> None:
    settings.DEWAN_MIN_MOVE_TIME = settings.DEWAN_MOVE_TIME

    page = visitor(ann).get("/games/new/")

    assert "3 days" in page.words
    assert "2 days" not in page.words


def test_an_open_seat_is_taken_by_its_link(ann: Person, ben: Person) -> None:
    game = ann.open("me", "open")
    invitation = f"/games/{game}/join/"
    assert invitation in visitor(ann).get(f"/games/{game}/").html

    shown = visitor(ben).get(invitation)
    assert "Ann invites you" in shown.words
    assert Game.objects.get().status == Game.Status.OPEN

    page = visitor(ben).send(shown, "")
    assert page.path == f"/games/{game}/"
    assert Game.objects.get().status == Game.Status.RUNNING
    assert visitor(ben).get(invitation).path == f"/games/{game}/"


def test_who_is_not_signed_in_comes_back_to_the_invitation(ann: Person) -> None:
    invitation = f"/games/{ann.open('me', 'open')}/join/"

    page = Visitor().get(invitation)

    assert page.path == "/sign-in/"
    assert page.form("/sign-in/").fields["next"] == invitation


def test_who_comes_too_late_is_told_so(game: str, cleo: Person) -> None:
    for page in (
        visitor(cleo).get(f"/games/{game}/join/"),
        visitor(cleo).post(f"/games/{game}/join/"),
    ):
        assert page.status == 409
        assert page.title == "Every seat is taken"
        assert "Ann" not in page.words


def test_two_open_tables_are_told_apart(ann: Person) -> None:
    ann.open("me", "open", move_time="PT2H")
    ann.open("me", "open", "open", move_time="P7D", visibility="public")

    words = visitor(ann).get("/").words

    assert re.search(r"opened \w+ \d+ \w+, \d\d:\d\d · 2 hours a turn · private", words)
    assert re.search(r"opened \w+ \d+ \w+, \d\d:\d\d · 7 days a turn · public", words)


# ---- Calling a table off ---------------------------------------------------------------------


def test_who_opened_a_table_by_mistake_calls_it_off(ann: Person, ben: Person) -> None:
    game = ann.open("me", "open", "bot")
    me = visitor(ann)

    page = me.send(me.get(f"/games/{game}/"), "/call-off/")

    assert page.title == "My games"
    assert "The table is called off" in page.words
    assert Game.objects.get().status == Game.Status.CANCELLED
    again = me.post(f"/games/{game}/call-off/")
    assert again.title == "The game was called off"
    late = visitor(ben).get(f"/games/{game}/join/")
    assert (late.status, late.title) == (409, "The game was called off")
    assert not me.get(f"/games/{game}/").has_form("/call-off/")


def test_a_table_where_somebody_has_sat_down_can_still_be_called_off(
    ann: Person, ben: Person
) -> None:
    game = ann.open("me", "open", "open")
    ben.post(f"/{game}/seats")
    me = visitor(ann)

    me.send(me.get(f"/games/{game}/"), "/call-off/")

    assert Game.objects.get().ending == "called_off"


def test_nobody_else_calls_a_table_off(ann: Person, ben: Person, cleo: Person) -> None:
    game = ann.open("me", "open", "open", visibility="public")
    ben.post(f"/{game}/seats")

    for person, status in ((ben, 400), (cleo, 404)):
        assert not visitor(person).get(f"/games/{game}/").has_form("/call-off/")
        assert visitor(person).post(f"/games/{game}/call-off/").status == status
    assert visitor(ann).get(f"/games/{game}/call-off/").status == 405
    assert Visitor().post(f"/games/{game}/call-off/").path == "/sign-in/"
    assert Game.objects.get().status == Game.Status.OPEN


def test_a_game_that_has_begun_cannot_be_called_off(game: str, ann: Person) -> None:
    assert visitor(ann).post(f"/games/{game}/call-off/").status == 400
    assert Game.objects.get().status == Game.Status.RUNNING


# ---- Who may look ----------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "version.json", "confirm/?text=take 1-2", "camp/A1/", "pay/"])
def test_a_private_game_does_not_exist_for_strangers(game: str, cleo: Person, path: str) -> None:
    for name in (game, "nosuchgame00"):
        assert visitor(cleo).get(f"/games/{name}/{path}").status == 404
        assert Visitor().get(f"/games/{name}/{path}").path == "/sign-in/"


def test_a_page_that_is_not_there_looks_like_the_site(db: None) -> None:
    for path in ("/nowhere/", "/games/no%00such/", "/games/a b/", "/me/tokens/%00/revoke/"):
        page = Visitor().get(path)
        assert page.status == 404
        assert page.title == "Nothing here but sand"


def test_anybody_watches_a_public_game_and_can_do_nothing(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, visibility="public")

    page = Visitor().get(f"/games/{game}/")

    assert page.status == 200
    assert page.title.startswith("Waiting for ")
    assert not page.has_link("/confirm/")
    assert not page.has_form("/play/")
    assert "Your hand" not in page.words


def test_nobody_sees_the_cards_dealt_to_another(game: str, ann: Person, ben: Person) -> None:
    for me, other in ((ann, ben), (ben, ann)):
        secret = other.view(game)["state"]["tribes"][other.view(game)["you"]]["hand"]["cards"]
        page = visitor(me).get(f"/games/{game}/")
        assert len(secret) == 2
        # As words: at ten o'clock every time of the page has a T10 in it.
        assert not any(re.search(rf"\b{card}\b", page.html) for card in secret)
        assert "2 of them unknown" in page.words


# ---- The table -------------------------------------------------------------------------------


def test_who_is_asked_sees_what_and_until_when(game: str, ann: Person, ben: Person) -> None:
    mover = asked_person(game, [ann, ben])
    mover.player.zone = "Asia/Tokyo"
    mover.player.save()

    page = visitor(mover).get(f"/games/{game}/")

    assert page.title == "Your turn: take 2 cards or place a camp"
    assert "( Asia/Tokyo ;" in page.words
    assert "Times are in Asia/Tokyo" in page.words
    assert "2 days and 23 hours left" in page.words
    assert {"seat-1", "seat-2", "row", "stories"} <= page.ids


def test_the_page_loads_itself_again_only_while_others_are_to_move(
    game: str, ann: Person, ben: Person
) -> None:
    for person in (ann, ben):
        page = visitor(person).get(f"/games/{game}/")
        waits = person is not asked_person(game, [ann, ben])
        assert ('http-equiv="refresh"' in page.html) == waits


def test_pages_have_no_inline_styles_or_handlers(game: str, ann: Person, ben: Person) -> None:
    mover = asked_person(game, [ann, ben])
    pages = [
        Visitor().get("/"),
        Visitor().get("/rules/notation/"),
        *(visitor(mover).get(path) for path in ("/", "/me/", "/games/new/", f"/games/{game}/")),
        look_at(mover, game, "take 3-4"),
    ]
    for page in pages:
        assert "default-src 'self'" in page.response["Content-Security-Policy"]
        assert not re.search(r"\sstyle=|<style|\son\w+=|<script(?![^>]*\ssrc=)", page.html)


def test_a_game_that_goes_on_can_be_noticed(ann: Person, ben: Person) -> None:
    game = ann.open("me", "open", "open")

    def stage() -> str:
        return str(visitor(ann).client.get(f"/games/{game}/version.json").json()["version"])

    seen = [stage()]
    for person in (ben, Person("Dora")):
        person.post(f"/{game}/seats")
        seen.append(stage())
    asked_person(game, [ann, ben, Person("Dora")]).choose(game, "story")
    seen.append(stage())

    assert len(set(seen)) == 4


def test_the_game_can_be_stepped_back_through(game: str, ann: Person) -> None:
    now = visitor(ann).get(f"/games/{game}/")
    before = visitor(ann).follow(now, "?at=2")

    assert before.title == "As it was after move 2 of 3"
    assert not before.has_link("/confirm/")
    assert not before.has_form("/play/")
    assert visitor(ann).follow(before, "?at=1").title == "As it was after move 1 of 3"
    large = visitor(ann).get(f"/games/{game}/?at=2&zoom=1")
    steps = [link for link in large.links if "at=" in link]
    assert all("zoom=1" in link or link.endswith("#map") for link in steps)
    assert large.has_link(f"/games/{game}/?zoom=1")
    for at in ("0", "4", "-1", "x", "9" * 20):
        assert visitor(ann).get(f"/games/{game}/?at={at}").status == 404


# ---- Playing ---------------------------------------------------------------------------------


def test_taking_cards_is_two_taps_with_a_line_to_the_table(
    game: str, ann: Person, ben: Person
) -> None:
    mover = asked_person(game, [ann, ben])
    me = visitor(mover)
    shown = me.follow(me.get(f"/games/{game}/"), "text=take")
    assert shown.title == "Take 2 cards from places 1 and 2?"
    assert "In hand then 4 cards" in shown.words
    assert moves(game) == 3

    page = me.send(shown, "/play/", message="  what a <row>\n of cards ")

    assert moves(game) == 4
    assert f"{mover.player.name} took" in page.words
    assert "what a <row> of cards" in page.words
    assert "<row>" not in page.html


def test_the_same_form_sent_twice_plays_once(game: str, ann: Person, ben: Person) -> None:
    mover = asked_person(game, [ann, ben])
    shown = look_at(mover, game, "take 3-4")

    first, second = (visitor(mover).send(shown, "/play/") for _ in range(2))

    assert moves(game) == 4
    assert first.path == second.path
    assert "took" in second.words


def test_a_form_from_before_the_last_move_is_told_what_is_new(
    game: str, ann: Person, ben: Person
) -> None:
    mover = asked_person(game, [ann, ben])
    stale = look_at(mover, game, "take 1-2")
    mover.choose(game, "take 5-6")

    page = visitor(mover).send(stale, "/play/")

    assert moves(game) == 4
    assert page.path == f"/games/{game}/"
    assert "The game has gone on" in page.words
    assert f"{mover.player.name} took" in page.words


def test_looking_never_plays(game: str, ann: Person, ben: Person) -> None:
    mover = asked_person(game, [ann, ben])
    look_at(mover, game, "take 1-2")

    assert visitor(mover).get(f"/games/{game}/play/").status == 405
    assert visitor(mover).get(f"/games/{game}/rematch/").status == 405
    assert moves(game) == 3


@pytest.mark.parametrize(
    "fields",
    [
        {"text": ""},
        {"version": ""},
        {"version": "9" * 5000},
        {"version": "-1"},
        {"message": "a\0b"},
        {"message": "x" * 201},
        {"key": "k" * 201},
    ],
)
def test_a_form_that_no_page_would_send_plays_nothing(
    game: str, ann: Person, ben: Person, fields: dict[str, str]
) -> None:
    mover = asked_person(game, [ann, ben])
    shown = look_at(mover, game, "take 1-2")

    page = visitor(mover).send(shown, "/play/", **fields)

    assert page.status == 400
    assert page.title == "That does not work"
    assert moves(game) == 3


def test_who_is_not_asked_is_sent_back_to_the_game(game: str, ann: Person, ben: Person) -> None:
    waiting = next(person for person in (ann, ben) if person is not asked_person(game, [ann, ben]))

    assert look_at(waiting, game, "take 1-2").path == f"/games/{game}/"


def test_text_that_is_no_move_is_answered_with_how_to_write_one(
    game: str, ann: Person, ben: Person
) -> None:
    page = look_at(asked_person(game, [ann, ben]), game, "jump over <b>the moon")

    assert page.status == 400
    assert page.title == "That cannot be read"
    assert page.has_link("/rules/notation/")
    assert page.form("/confirm/").fields["text"] == "jump over <b>the moon"
    assert "<b>the" not in page.html


@pytest.mark.parametrize(
    ("text", "rule"),
    [("take 1-3", "R3.2"), ("pass", "R3.5"), ("story 1", "R3.1"), ("camp A0", "R3.6")],
)
def test_a_move_that_is_not_allowed_is_answered_with_the_rule_and_what_is(
    game: str, ann: Person, ben: Person, text: str, rule: str
) -> None:
    page = look_at(asked_person(game, [ann, ben]), game, text)

    assert page.status == 422
    assert page.title == "That is not allowed"
    assert page.has_link(f"/rules/?game={game}#{rule}")
    assert page.has_link("confirm/?text=take+1-2")


def camp_with_choices(person: Person, game: str) -> str:
    """Return a space that the person can reach and pay for in more than one way."""
    for entry in person.legal(game)["entries"]:
        if entry["command"]["type"] == "camp":
            space: str = entry["command"]["route"][-1]
            if look_at(person, game, f"camp {space}").title == "That could mean several things":
                return space
    raise AssertionError("no space can be reached in two ways")


@pytest.fixture
def rich(game: str, ann: Person, ben: Person) -> Person:
    """Whoever is asked in a game in which both have taken cards three times."""
    for _ in range(6):
        asked_person(game, [ann, ben]).choose(game, "take 3-4")
    return asked_person(game, [ann, ben])


def test_words_that_fit_several_moves_are_answered_with_these(game: str, rich: Person) -> None:
    page = look_at(rich, game, f"camp {camp_with_choices(rich, game)}")

    assert page.status == 422
    chosen = visitor(rich).follow(page, "confirm/?text=camp")
    assert chosen.title.startswith("Place a camp on")


def test_a_camp_is_placed_by_tapping_space_way_and_cards(game: str, rich: Person) -> None:
    me = visitor(rich)
    page = me.get(f"/games/{game}/camp/{camp_with_choices(rich, game)}/")
    if page.title.startswith("Which way"):
        page = me.follow(page, "/pay/?route=")
    assert page.title.startswith("Which cards pay")
    shown = me.send(page, "/pay/")
    assert shown.title.startswith("Place a camp on")
    assert "You spend" in shown.words

    page = me.send(shown, "/play/")

    assert "placed a camp on" in page.words
    assert Move.objects.get(game=game, number=moves(game)).commands.startswith('[{"payment"')


def test_what_leaves_no_choice_is_not_asked(game: str, ann: Person, ben: Person) -> None:
    mover = asked_person(game, [ann, ben])
    camps = [e for e in mover.legal(game)["entries"] if e["command"]["type"] == "camp"]
    single = next(e for e in camps if len(e["command"]["route"]) == 2)

    page = visitor(mover).get(f"/games/{game}/camp/{single['command']['route'][-1]}/")

    assert not page.title.startswith("Which way")


def test_a_space_that_cannot_be_reached_says_why(game: str, ann: Person, ben: Person) -> None:
    mover = asked_person(game, [ann, ben])
    space = next(s for s in mover.view(game)["state"]["spaces"] if s["terrain"] == "water")

    page = visitor(mover).get(f"/games/{game}/camp/{space['space']}/")

    assert page.status == 422
    assert "it is water" in page.words


def test_what_was_sent_in_advance_and_not_played_is_told(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, scenario="downpour")
    draft(game, [ann, ben])
    mover = asked_person(game, [ann, ben])

    page = visitor(mover).send(look_at(mover, game, "take 1-2, water A1"), "/play/")

    assert "it was not played: “water A1”" in page.words


def test_a_move_that_nobody_has_learnt_from_can_be_taken_back(game: str, rich: Person) -> None:
    tribes = rich.view(game, at=1)["state"]["tribes"]
    dealt = {card for tribe in tribes for card in tribe["hand"]["cards"]}
    open_camp = next(
        entry["text"]
        for entry in rich.legal(game)["entries"]
        if entry["command"]["type"] == "camp"
        and dealt.isdisjoint(paid["card"] for paid in entry["command"]["payment"])
    )
    me = visitor(rich)
    page = me.send(look_at(rich, game, open_camp), "/play/")
    before = moves(game)

    undone = me.send(page, "/play/")

    assert moves(game) == before + 1
    assert "was taken back" in undone.words
    assert undone.title == "Your turn: take 2 cards or place a camp"
    assert not undone.has_form("/play/")


# ---- The end ---------------------------------------------------------------------------------


def test_a_finished_game_shows_the_score_line_by_line_and_can_be_played_again(
    game: str, ann: Person, ben: Person, cleo: Person
) -> None:
    play_out(game, [ann, ben])

    page = visitor(ann).get(f"/games/{game}/")
    assert re.match(r"(You|Ben|You and Ben) (win|share)", page.title)
    for rule in ("R8.4a", "R8.4b", "R8.4c", "R8.4d", "R8.4e", "R8.6"):
        assert page.has_link(f"/rules/?game={game}#{rule}")
    total = ann.view(game)["result"]["scores"][0]["total"]
    assert f"points {total} " in page.words

    assert visitor(cleo).post(f"/games/{game}/rematch/").status == 404
    again = visitor(ann).send(page, "/rematch/")
    rematch = Game.objects.get(rematch_of=game)
    assert again.path == f"/games/{rematch.pk}/"
    assert visitor(ben).get(f"/games/{game}/").has_link(f"/games/{rematch.pk}/join/")
    assert visitor(ben).post(f"/games/{game}/rematch/").path == f"/games/{rematch.pk}/join/"
    assert [seat.player for seat in rematch.seats.all()] == [ann.player, None]


def test_a_game_that_is_over_can_be_downloaded_and_checked(
    game: str, ann: Person, ben: Person, cleo: Person
) -> None:
    address = f"/games/{game}/game.json"
    before = visitor(ann).get(f"/games/{game}/")
    secret = GameSecret.objects.get(game=game).seed
    assert Game.objects.get().commitment in before.html
    assert secret not in before.html
    assert not before.has_link(address)
    assert visitor(ann).get(address).status == 404
    play_out(game, [ann, ben])

    page = visitor(ann).get(f"/games/{game}/")
    assert page.has_link(f"/rules/?game={game}#checking")
    assert secret in page.words
    assert Game.objects.get().commitment in page.words

    answer = visitor(ben).client.get(page.link(address))
    assert answer["Content-Disposition"] == f'attachment; filename="dewan-{game}.json"'
    assert verify(answer.json()).problems == ()
    assert visitor(cleo).get(address).status == 404
    assert Visitor().get(address).path == "/sign-in/"


def test_anybody_downloads_a_public_game_that_is_over(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, visibility="public")
    services.cancel_game(game)

    page = Visitor().get(f"/games/{game}/")

    assert Visitor().client.get(page.link("/game.json")).json()["view"] == "open"


def test_in_a_rematch_everything_else_stays(ann: Person) -> None:
    wanted = NewGame(players=3, seats=("bot", "me", "open"), visibility="public", move_time=7200)
    game = services.create_game(ann.player, wanted)
    services.cancel_game(game.pk)

    rematch = services.rematch(ann.player, game.pk)

    assert services.rematch(ann.player, game.pk) == rematch
    assert [seat.kind for seat in rematch.seats.all()] == ["bot", "human", "human"]
    assert [seat.player_id for seat in rematch.seats.all()] == [None, ann.player.pk, None]
    assert (rematch.visibility, rematch.move_time, rematch.scenario) == ("public", 7200, "base")


def test_a_game_that_goes_on_has_no_rematch(game: str, ann: Person) -> None:
    page = visitor(ann).post(f"/games/{game}/rematch/")

    assert page.status == 400
    assert "when it is over" in page.words


def test_a_player_without_a_seat_cannot_play(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben, visibility="public")

    assert look_at(cleo, game, "story 1").path == f"/games/{game}/"
    assert isinstance(cleo.player, Player)
