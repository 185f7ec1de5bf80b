"""REST v1 as the contract has it."""

from __future__ import annotations

from itertools import pairwise

import pytest

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
    assert response.data["seats"][1] == {"seat": 1, "name": None, "kind": "human"}
    assert response.data["join_url"].endswith(f"/games/{response.data['id']}/join/")
    assert response.data["state"] is None
    assert len(response.data["commitment"]) == 64


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"players": 5}, "players"),
        ({"seats": ["me"]}, "seats"),
        ({"seats": ["me", "me"]}, "seats"),
        ({"seats": ["bot", "bot"]}, "seats"),
        ({"seats": ["me", "dog"]}, "seats"),
        ({"scenario": "chess"}, "scenario"),
        ({"visibility": "secret"}, "visibility"),
        ({"move_time": 1}, "move_time"),
        ({"move_time": "P31D"}, "move_time"),
        ({"move_time": "soon"}, "move_time"),
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
    assert ben.post(f"/{game}/seats", {"contribution": "short"}).status_code == 400
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
    assert ann.view(game, at=0)["state"] is None


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
    assert ann.client.get("/api/v1/components/0000").status_code == 404


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
