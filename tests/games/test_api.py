"""REST v1 as the contract has it."""

from __future__ import annotations

import logging
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from rest_framework.response import Response

from engine.bots import choose
from games import selectors, services
from games.models import Submission
from tests.games.test_sealed import go_fishing
from tests.people import Person, asked_person, draft, start_game

GAME_VIEW = {
    "id", "version", "status", "scenario", "ruleset", "you", "seats", "awaiting", "server_time",
    "commitment", "component_set", "result", "state",
}  # fmt: skip
STATE = {
    "round", "start_seat", "spaces", "sites", "row", "pile", "discard", "stories", "tribes",
}  # fmt: skip


def test_opening_a_game_returns_its_view_and_where_to_join(ann: Person) -> None:
    response = ann.post("", {"players": 2, "seats": ["me", "open"], "move_time": "P2D"})

    assert response.status_code == 201
    assert response.data.keys() >= GAME_VIEW | {"join_url"}
    assert response.data["status"] == "open"
    assert response.data["move_time"] == 2 * 86400
    assert response.data["you"] == 0
    assert response.data["seats"][1].items() >= {"seat": 1, "name": None, "kind": "human"}.items()
    assert response.data["join_url"].endswith(f"/games/{response.data['id']}/join/")
    assert response.data["state"] is None
    assert len(response.data["commitment"]) == 64


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"players": 5}, "players"),
        ({"players": "2"}, "players"),
        ({"players": 2.0}, "players"),
        ({"players": 10**15}, "players"),
        ({"players": True}, "players"),
        ({"plyers": 2, "seets": []}, "plyers: there is no such field; seets"),
        ({"seats": ["me"]}, "seats"),
        ({"seats": ["me", "me"]}, "seats"),
        ({"seats": ["bot", "bot"]}, "seats"),
        ({"seats": ["me", "dog"]}, "seats"),
        ({"scenario": "chess"}, "scenario"),
        ({"visibility": "secret"}, "visibility"),
        ({"move_time": 1}, "move_time"),
        ({"move_time": "P31D"}, "move_time"),
        ({"move_time": "soon"}, "move_time"),
        ({"move_time": 10**15}, "move_time"),
        ({"move_time": "1" + "0" * 400}, "move_time"),
        ({"move_time": "P99999999999D"}, "move_time"),
        ({"move_time": "\u0663\u0660\u0660\u0660\u0660"}, "move_time"),
        ({"move_time": 86400.0}, "move_time"),
        ({"move_time": [[]]}, "move_time"),
    ],
)
def test_a_game_that_cannot_be_played_is_refused_by_name(
    ann: Person, change: dict[str, object], word: str
) -> None:
    response = ann.post("", {"players": 2, "seats": ["me", "open"]} | change)

    assert response.status_code == 400
    assert response.data["code"] == "invalid_request"
    assert word in response.data["detail"]
    assert ann.get("").data["games"] == []


def test_the_last_one_to_sit_down_starts_the_game(ann: Person, ben: Person) -> None:
    game = ann.open("me", "open")

    response = ben.post(f"/{game}/seats")

    assert response.status_code == 201
    assert response.data["status"] == "running"
    assert response.data["version"] == 1
    assert response.data["state"].keys() >= STATE
    assert [asked["kind"] for asked in response.data["awaiting"]] == ["draft"]


def test_joining_twice_takes_one_seat(ann: Person, ben: Person) -> None:
    game = ann.open("me", "open", "open")

    assert ben.post(f"/{game}/seats").status_code == 201
    again = ben.post(f"/{game}/seats")

    assert again.status_code == 200
    assert [seat["name"] for seat in again.data["seats"]] == ["Ann", "Ben", None]


def test_a_full_game_takes_nobody_else(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben)

    response = cleo.post(f"/{game}/seats")

    assert response.status_code == 409
    assert response.data["code"] == "game_full"


def test_contributions_are_taken_over(ann: Person, ben: Person) -> None:
    game = ann.open("me", "open")
    ann.post(f"/{game}/seats", {"contribution": "a" * 64})
    for wrong in ("short", int("1" * 64), "b" * 65, "b" * 63 + "\u0663", ["b" * 64]):
        assert ben.post(f"/{game}/seats", {"contribution": wrong}).status_code == 400
    ben.post(f"/{game}/seats", {"contribution": "b" * 64})

    exported = ann.get(f"/{game}/export").json()

    assert exported["contributions"] == ["a" * 64, "b" * 64]


def test_without_a_token_everything_is_401(ann: Person) -> None:
    game = ann.open("me", "open")
    ann.client.credentials()

    for path in ("", f"/{game}", f"/{game}/legal", f"/{game}/moves", f"/{game}/export"):
        response = ann.get(path)
        assert response.status_code == 401
        assert response["Content-Type"] == "application/problem+json"
        assert response.json()["code"] == "not_authenticated"
        assert "Bearer" in response["WWW-Authenticate"]


def test_strangers_get_404_from_a_private_game(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben)
    body = {"decision": "1-0", "expected_version": 1, "text": "story 1"}

    for response in (
        cleo.get(f"/{game}"),
        cleo.get(f"/{game}", at="what"),
        cleo.get(f"/{game}/legal"),
        cleo.get(f"/{game}/legal/routes"),
        cleo.get(f"/{game}/moves"),
        cleo.get(f"/{game}/export"),
        cleo.post(f"/{game}/moves", body),
        cleo.post(f"/{game}/moves", {"nonsense": True}),
        cleo.get("/nothing00000"),
    ):
        assert response.status_code == 404
        assert response.json()["code"] == "not_found"


def test_spectators_of_a_public_game_see_the_public_view(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, visibility="public")

    view = cleo.view(game)

    assert view["you"] is None
    assert [tribe["hand"] for tribe in view["state"]["tribes"]] == [
        {"cards": [], "unknown": 2},
        {"cards": [], "unknown": 2},
    ]
    assert cleo.legal(game) == {"version": 1, "decision": None, "entries": []}
    refused = cleo.answer(game, "story 1")
    assert refused.status_code == 409
    assert refused.data["code"] == "not_your_decision"


def test_every_legal_entry_can_be_posted_as_it_is(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    asked = asked_person(game, [ann, ben])
    legal = asked.legal(game)

    command = legal["entries"][0]["command"]
    body = {"decision": legal["decision"], "expected_version": legal["version"]}
    response = asked.post(f"/{game}/moves", body | {"commands": [command]})

    assert response.status_code == 201
    assert response.data["number"] == response.data["version"] == 2
    assert response.data["unapplied"] == []
    assert response.data["events"][0]["type"] == "story_taken"


def test_the_log_pages_and_hides(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    draft(game, [ann, ben])

    moves = ann.get(f"/{game}/moves").json()["moves"]
    later = ann.get(f"/{game}/moves", after=2).json()["moves"]

    assert [move["number"] for move in moves] == [1, 2, 3]
    assert [move["number"] for move in later] == [3]
    assert (moves[0]["seat"], moves[0]["actor"]) == (None, "service")
    set_up = moves[0]["events"][0]
    assert set_up["hands"][1] is None
    assert len(set_up["hands"][0]) == 2
    assert set_up["pile"] is None
    assert set_up["stories"]["pile"] is None
    assert "small_pile" in set_up


def test_a_game_can_be_seen_as_it_was(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    before = ann.view(game)
    draft(game, [ann, ben])

    then = ann.view(game, at=1)

    assert then["state"] == before["state"]
    assert then["awaiting"] == before["awaiting"]
    assert ann.get(f"/{game}", at=99).status_code == 400
    assert ann.get(f"/{game}", at="\u0661").status_code == 400
    beginning = ann.view(game, at=0)
    assert (beginning["status"], beginning["version"]) == ("open", 0)
    assert (beginning["state"], beginning["awaiting"]) == (None, [])


def test_the_etag_changes_with_what_is_seen(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    etag = ann.get(f"/{game}")["ETag"]

    same = ann.client.get(f"/api/v1/games/{game}", headers={"If-None-Match": etag})
    draft(game, [ann, ben])
    changed = ann.client.get(f"/api/v1/games/{game}", headers={"If-None-Match": etag})

    assert same.status_code == 304
    assert changed.status_code == 200
    assert changed["ETag"] != etag


def test_my_games_are_sorted_by_my_time_left(ann: Person, ben: Person) -> None:
    slow = start_game(ann, ben, move_time="P5D")
    quick = start_game(ann, ben, move_time="P1D")
    waiting = ann.open("me", "open")
    for game in (slow, quick):
        while asked_person(game, [ann, ben]) is ben:
            ben.choose(game)

    listed = ann.get("").json()["games"]

    assert [game["id"] for game in listed] == [quick, slow, waiting]
    deadlines = [game["deadline"] for game in listed[:2]]
    assert all(a < b for a, b in pairwise(deadlines))
    assert listed[2]["deadline"] is None


def test_a_component_set_is_served_by_its_digest(ann: Person) -> None:
    import hashlib  # noqa: PLC0415

    digest = ann.view(ann.open("me", "open"))["component_set"]
    ann.client.credentials()

    response = ann.client.get(f"/api/v1/components/{digest}")

    assert hashlib.sha256(response.content).hexdigest() == digest
    missing = ann.client.get("/api/v1/components/0000")
    assert missing.status_code == 404
    assert missing.json()["detail"] == "there is no component set with this digest"


def test_an_illegal_move_says_why_and_what_would_be_legal(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    draft(game, [ann, ben])
    asked = asked_person(game, [ann, ben])

    response = asked.answer(game, "take 2-4")

    assert response.status_code == 422
    problem = response.json()
    assert problem["code"] == "illegal_move"
    assert problem["rule"] == "R3.2"
    assert problem["command_index"] == 0
    assert 0 < len(problem["legal"]) <= 20
    assert problem["legal_url"] == f"/api/v1/games/{game}/legal"
    assert asked.view(game)["version"] == 3


def test_wrong_text_is_400_and_names_what_would_be_right(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)

    response = asked_person(game, [ann, ben]).answer(game, "grab 3")

    assert response.status_code == 400
    assert response.json()["code"] == "invalid_command"
    assert "take 3-4" in response.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        [],
        {},
        {"decision": "1-0", "expected_version": 1},
        {"decision": "1-0", "expected_version": "x", "text": "pass"},
        {"decision": "1-0", "expected_version": "1", "text": "pass"},
        {"decision": "1-0", "expected_version": 1.0, "text": "pass"},
        {"decision": "1-0", "expected_version": 10**30, "text": "pass"},
        {"decision": 1, "expected_version": 1, "text": "pass"},
        {"decision": "1-0", "expected_version": 1, "text": 1},
        {"decision": "1-0", "expected_version": 1, "text": "pass", "mesage": "Hi"},
        {"decision": "1-0", "expected_version": 1, "text": "pass", "message": None},
        {"decision": "1-0", "expected_version": 1, "text": "pass\0"},
        {"decision": "1-0", "expected_version": 1, "text": ",".join(["pass"] * 9)},
        {"decision": "1-0", "expected_version": 1, "commands": [{"type": "pass"}] * 9},
        {"decision": "1-0", "expected_version": 1, "commands": [{"type": "story", "place": 2**60}]},
        {"decision": "1-0", "expected_version": 1, "text": "pass", "commands": [{"type": "pass"}]},
        {"decision": "1-0", "expected_version": 1, "commands": [{"type": "fly"}]},
        {"decision": "1-0", "expected_version": 1, "commands": [{"type": "take", "places": "3"}]},
        {"decision": "1-0", "expected_version": 1, "commands": "take"},
        {"decision": "1-0", "expected_version": 1, "commands": []},
    ],
)
def test_a_body_that_cannot_be_read_is_400(ann: Person, ben: Person, body: object) -> None:
    game = start_game(ann, ben)

    response = ann.client.post(f"/api/v1/games/{game}/moves", body, format="json")

    assert response.status_code == 400
    assert response.json()["code"] in ("invalid_request", "invalid_command")
    assert ann.view(game)["version"] == 1


def test_an_ambiguous_text_lists_its_candidates(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    draft(game, [ann, ben])
    people = [ann, ben]
    while True:  # until somebody's hand can pay one route in two ways
        asked = asked_person(game, people)
        entries = asked.legal(game)["entries"]
        for entry in entries:
            if entry["text"].startswith("camp"):
                bare = entry["text"].partition(" pay ")[0]
                response = asked.answer(game, bare)
                if response.status_code == 422:
                    problem = response.json()
                    assert problem["code"] == "ambiguous_command"
                    assert len(problem["candidates"]) >= 2
                    chosen = problem["candidates"][1]
                    assert asked.answer(game, chosen["text"]).status_code == 201
                    return
                assert response.status_code == 201
                break
        else:
            asked.choose(game)


def test_schema_and_documentation_are_served(client: object, db: None) -> None:
    from django.test import Client  # noqa: PLC0415

    browser = Client()

    schema = browser.get("/api/v1/schema/", headers={"Accept": "application/json"})

    assert schema.json()["openapi"].startswith("3.1")
    assert "/api/v1/games/{game_id}/moves" in schema.json()["paths"]
    assert b"swagger" in browser.get("/api/v1/docs/").content


# ---- Requests that mean harm -----------------------------------------------------------------


def post_raw(person: Person, path: str, body: bytes, kind: str = "application/json") -> Response:
    """POST some bytes to a path below /api/v1/games; a bug is an answer, as for clients."""
    person.client.raise_request_exception = False
    return person.client.post(f"/api/v1/games{path}", data=body, content_type=kind)


def assert_problem(response: Response, status: int, code: str) -> None:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert (problem["status"], problem["code"]) == (status, code)


NESTED = b"[" * 900 + b"]" * 900
HALF = b'"\\ud800"'


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"[" * 60_000, id="nested without end"),
        pytest.param(b'{"seats": %b, "contribution": %b, "text": %b}' % ((NESTED,) * 3), id="deep"),
        pytest.param(b'{"players": 2, "seats": ["me", %b]}' % HALF, id="half a character"),
        pytest.param(
            b'{"decision": null, "expected_version": 1, "commands": [{"type": %b}]}' % HALF,
            id="half a type",
        ),
        pytest.param(b"{%b: 1}" % HALF, id="half a name"),
        pytest.param(b'{"players": 1%b}' % (b"0" * 400), id="large"),
        pytest.param(b'{"players": 1%b}' % (b"0" * 5000), id="larger"),
        pytest.param(b'{"players": NaN}', id="no number"),
        pytest.param(b'{"\xff": 1}', id="no UTF-8"),
        pytest.param(b"{", id="cut"),
    ],
)
def test_a_body_that_means_harm_is_400(ann: Person, body: bytes) -> None:
    game = ann.open("me", "bot")

    for path in ("", f"/{game}/seats", f"/{game}/moves"):
        assert_problem(post_raw(ann, path, body), 400, "invalid_request")


@pytest.mark.parametrize(
    "command",
    [
        {"type": "\0"},
        {"type": "take", "places": [2**53]},
        {"type": "tuck", "card": "\0"},
        {"type": "water", "space": "\0"},
        {"type": "camp", "route": ["\0", "\0"], "payment": [{"card": "\0", "spaces": ["\0"]}]},
        {"type": "share", "shares": [{"space": "\0", "berries": -(2**53)}]},
    ],
)
def test_a_command_that_means_harm_is_refused(
    ann: Person, ben: Person, command: dict[str, Any]
) -> None:
    game = start_game(ann, ben)
    asked = asked_person(game, [ann, ben])
    legal = asked.legal(game)
    body = {"decision": legal["decision"], "expected_version": legal["version"]}

    for key in ("one", "one"):
        refused = asked.post(f"/{game}/moves", body | {"commands": [command]}, key=key)
        assert refused.status_code in (400, 422)


@pytest.mark.parametrize(
    "path",
    [
        "games/%00", "games/%00/legal", "games/%00/moves", "components/%00", "games/a/legal?to=%00",
        "games/", "nothing", "", "games/%F0%9F%90%AA", "games?after=%00", "games/a?at=%00",
    ],
)  # fmt: skip
def test_no_address_is_an_error_of_ours(ann: Person, path: str) -> None:
    ann.client.raise_request_exception = False
    status, code = (400, "invalid_request") if "games?" in path else (404, "not_found")

    assert_problem(ann.client.get(f"/api/v1/{path}"), status, code)


@pytest.mark.parametrize("path", ["/api/", "/api/v2/games", "/api/v1/games/x/y/z", "/api/v1/%00"])
def test_an_address_without_anything_is_a_problem_too(ann: Person, path: str) -> None:
    for method in ("get", "post", "delete", "options"):
        assert_problem(getattr(ann.client, method)(path), 404, "not_found")
    ann.client.credentials()
    assert_problem(ann.client.get(path), 401, "not_authenticated")


def test_no_error_under_api_is_a_page(
    ann: Person,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    game = ann.open("me", "bot")
    for size in (70_000, 3_000_000):  # more than we read, more than Django reads
        for path in ("", f"/{game}/moves"):
            assert_problem(post_raw(ann, path, b'"%b"' % (b"x" * size)), 413, "too_large")
    assert_problem(post_raw(ann, "", b"{}", "text/plain"), 415, "unsupported_media_type")
    xml = ann.client.get("/api/v1/games", headers={"Accept": "text/xml"})
    assert_problem(xml, 406, "not_acceptable")
    assert ann.client.get("/api/v1/games?format=api").status_code == 200

    settings.ALLOWED_HOSTS = ["dewan.example"]
    assert_problem(ann.get(""), 400, "invalid_request")
    settings.ALLOWED_HOSTS = ["*"]

    monkeypatch.delattr(selectors, "my_games")
    with caplog.at_level(logging.ERROR, "django.request"):
        assert_problem(ann.get(""), 500, "internal_error")
    assert "Internal Server Error: /api/v1/games" in caplog.text
    assert "AttributeError" in caplog.text


def test_pages_are_pages_still(client: Any, db: None, settings: Any) -> None:
    assert b"Nothing here but sand" in client.get("/nothing/").content
    settings.ALLOWED_HOSTS = ["dewan.example"]
    assert client.get("/")["Content-Type"].startswith("text/html")


# ---- The order of the checks -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"{", "application/json"),
        (b"{}", "text/plain"),
        (b"x" * 70_000, "application/json"),
        (b"x" * 3_000_000, "application/json"),
    ],
)
def test_404_goes_before_everything_in_the_body(
    ann: Person, cleo: Person, body: bytes, kind: str
) -> None:
    game = ann.open("me", "bot")

    for path in (f"/{game}/moves", "/nope/moves", "/nope/seats"):
        assert_problem(post_raw(cleo, path, body, kind), 404, "not_found")


def test_400_goes_before_409(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben, visibility="public")
    body = {"decision": None, "expected_version": 1}

    for person in (ann, cleo):
        refused = person.post(f"/{game}/moves", body | {"text": "fly"})
        assert (refused.status_code, refused.data["code"]) == (400, "invalid_command")


def test_a_used_key_goes_before_every_other_refusal(ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    asked = asked_person(game, people)
    body = {"decision": asked.legal(game)["decision"], "expected_version": 3}
    first = asked.post(f"/{game}/moves", body | {"text": "take 1-2"}, key="k")
    assert first.status_code == 201
    seat = asked.view(game)["you"]

    def refusals() -> None:
        current = asked.legal(game)
        answering = {"decision": current["decision"], "expected_version": current["version"]}
        for other in (
            body | {"text": "take 2-3"},  # stale
            body | {"decision": f"99-{seat}", "text": "take 1-2"},  # not asked
            answering | {"text": "take 1-6"},  # illegal, if it is my turn
            answering | {"text": "undo"},
            answering | {"text": "take 2-3"},  # legal, if it is my turn
        ):
            refused = asked.post(f"/{game}/moves", other, key="k")
            assert (refused.status_code, refused.data["code"]) == (422, "idempotency_key_reused")
        again = asked.post(f"/{game}/moves", body | {"text": "take 1-2"}, key="k")
        assert (again.status_code, again.data) == (201, first.data)

    refusals()
    asked_person(game, people).choose(game)
    refusals()
    services.cancel_game(game)
    refusals()
    assert Submission.objects.filter(game=game, key="k").count() == 1


def test_an_accepted_move_does_not_look_for_its_key(
    ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = start_game(ann, ben)
    monkeypatch.delattr(services, "_first_answer")

    assert asked_person(game, [ann, ben]).choose(game).status_code == 201


def test_a_stale_move_says_where_the_game_is_and_pages_what_was_missed(
    ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [ann, ben]
    game = start_game(*people)
    asked = asked_person(game, people)
    old = {"decision": asked.legal(game)["decision"], "expected_version": 1, "text": "story 1"}
    draft(game, people)
    for _ in range(3):
        asked_person(game, people).choose(game, "take")
    monkeypatch.setattr(selectors, "PAGE", 2)

    problem = asked.post(f"/{game}/moves", old).json()
    ahead = asked.post(f"/{game}/moves", old | {"expected_version": 99}).json()

    assert (problem["code"], problem["version"], problem["next"]) == ("stale_move", 6, 3)
    assert [move["number"] for move in problem["moves"]] == [2, 3]
    assert (ahead["version"], ahead["moves"], ahead["next"]) == (6, [], None)


# ---- Undo ------------------------------------------------------------------------------------


@pytest.fixture
def free_move(ann: Person, ben: Person) -> tuple[Person, str, dict[str, Any]]:
    """Somebody, a game, and the body of the move they have made and can take back."""
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    while True:
        asked = asked_person(game, people)
        body = bot_body(asked, game)
        assert asked.post(f"/{game}/moves", body).status_code == 201
        if asked.view(game)["undo"]:
            return asked, game, body


def bot_body(person: Person, game: str) -> dict[str, Any]:
    """Return the body of what the bot would do."""
    (_, seat), state = selectors.seen_state(person.player, game)
    assert state is not None
    assert seat is not None
    command = choose(state, seat)
    legal = person.legal(game)
    return {
        "decision": legal["decision"],
        "expected_version": legal["version"],
        "commands": [msgspec.to_builtins(command)],
    }


@pytest.mark.parametrize("text", ["undo", "undo;", " Undo ,\n"])
@pytest.mark.parametrize("named", [True, False])
def test_an_undo_names_the_decision_it_opens_again_or_none(
    free_move: tuple[Person, str, dict[str, Any]], text: str, named: bool
) -> None:
    asked, game, body = free_move
    version = asked.view(game)["version"]
    undo = {"expected_version": version, "text": text}

    for wrong, code in (
        ("garbage", "not_your_decision"),
        ("99-0", "not_your_decision"),
        (f"{version}-{1 - asked.view(game)['you']}", "not_your_decision"),
        ("\u0661-0", "not_your_decision"),
        (f"1-{asked.view(game)['you']}", "stale_move"),
    ):
        refused = asked.post(f"/{game}/moves", undo | {"decision": wrong})
        assert (refused.status_code, refused.data["code"]) == (409, code), wrong
    decision = body["decision"] if named else None
    assert asked.post(f"/{game}/moves", undo | {"decision": decision}).status_code == 201
    move = asked.get(f"/{game}/moves", after=version).json()["moves"][0]
    assert (move["decision"], move["commands"]) == (body["decision"], [{"type": "undo"}])


# ---- What is said to the table ---------------------------------------------------------------


def test_a_message_is_one_line_of_what_is_seen_and_can_be_read(ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    said = (
        " Two\nlines,\t\u202eevil\u2066 \x07 tones\u2028and \u200fmarks \U0001f468\u200d\U0001f33e "
    )

    answers = [
        asked_person(game, people).choose(game, message=message).status_code
        for message in (said, "", "\u202e\n")
    ]

    assert answers == [201] * 3
    moves = ben.get(f"/{game}/moves").json()["moves"]
    line = "Two lines, evil tones and marks \U0001f468\u200d\U0001f33e"
    assert [move["message"] for move in moves] == [None, line, None, None]
    exported = ben.get(f"/{game}/export").json()
    assert not any("message" in move for move in exported["moves"])


def test_what_is_said_with_a_sealed_answer_is_sealed(ann: Person, ben: Person) -> None:
    game = go_fishing([ann, ben])
    version = ann.view(game)["version"]

    assert ann.choose(game, "fish", message="caught\none").data["number"] is None
    assert ben.get(f"/{game}/moves", after=version).json()["moves"] == []
    assert ben.choose(game, "fish", message="nothing").status_code == 201
    moves = ben.get(f"/{game}/moves", after=version).json()["moves"]

    assert {move["seat"]: move["message"] for move in moves} == {0: "caught one", 1: "nothing"}


# ---- Pages of my games -----------------------------------------------------------------------


def test_my_games_come_in_pages_that_never_go_round(
    ann: Person, ben: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        start_game(ann, ben)
        ann.open("me", "open")
    whole = [entry["id"] for entry in ann.get("").json()["games"]]
    monkeypatch.setattr(selectors, "PAGE", 2)

    page = ann.get("").json()
    seen = [entry["id"] for entry in page["games"]]
    services.cancel_game(seen[-1])  # its place now is behind all the others
    while page["next"] and len(seen) < 20:
        page = ann.get("", after=page["next"]).json()
        seen += [entry["id"] for entry in page["games"]]

    assert seen == [*whole, whole[1]]


@pytest.mark.parametrize("after", ["zzz", "\0", "1.2", "1.x.abc", "\u0661.1.abc", "1.1.abc;", "0"])
def test_an_unknown_place_in_my_games_is_400(ann: Person, after: str) -> None:
    game = ann.open("me", "open")

    for wrong in (after, game):
        assert_problem(ann.get("", after=wrong), 400, "invalid_request")
