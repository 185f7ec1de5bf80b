"""REST of a table that survives absence: clocks, leaving, handing over, consent, pace."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone
from rest_framework.response import Response

from engine import codec
from games import absence, services
from games.models import Decision, Move
from tests.clocks import clock_of, let_run_out, open_decision
from tests.people import Person, asked_person, draft, start_game

DAY = 86400
NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)


def send(person: Person, method: str, path: str, body: Any = None) -> Response:
    """Send a request to a path below /api/v1."""
    response: Response = getattr(person.client, method)(f"/api/v1{path}", body, format="json")
    return response


def leave(person: Person, game: str) -> Response:
    return send(person, "delete", f"/games/{game}/seats/mine")


def offer(person: Person, game: str) -> str:
    """Offer a seat, and return the token."""
    response = person.post(f"/{game}/offer")
    assert response.status_code in (200, 201), response.data
    token: str = response.data["offer"]
    return token


def propose(person: Person, game: str, kind: str, **fields: Any) -> dict[str, Any]:
    response = person.post(f"/{game}/proposals", {"kind": kind, **fields})
    assert response.status_code == 201, response.data
    data: dict[str, Any] = response.json()
    return data


def agree(person: Person, game: str, proposal: dict[str, Any], answer: bool = True) -> Response:
    return person.post(f"/{game}/proposals/{proposal['proposal']}", {"agree": answer})


def refused(response: Response, status: int, code: str, words: str = "") -> None:
    """Check a refusal."""
    assert (response.status_code, response.data.get("code")) == (status, code), response.data
    assert words in response.data["detail"]


def run_out(game: str) -> None:
    """Let time be up for whoever is asked, and the sweep see it."""
    let_run_out(game)
    absence.wake(game, open_decision(game).pk)


def let_bot_play(game: str) -> None:
    while services.play_bot(game):
        pass


def events(person: Person, game: str, after: int = 0) -> list[dict[str, Any]]:
    """Return the events after a move, as somebody sees them."""
    moves = person.get(f"/{game}/moves", after=after).json()["moves"]
    return [event for move in moves for event in move["events"]]


def standings(person: Person, game: str) -> list[str]:
    return [seat["standing"] for seat in person.view(game)["seats"]]


@pytest.fixture
def game(ann: Person, ben: Person) -> str:
    """A game of Ann and Ben whose first round has begun."""
    game = start_game(ann, ben)
    draft(game, [ann, ben])
    return game


# ---- Options -----------------------------------------------------------------------------------

DEFAULTS = {
    "move_time": 3 * DAY,
    "bank": None,
    "bank_cap": None,
    "rests": True,
    "absence": "move",
    "excused_misses": 0,
}


def test_by_default_a_turn_has_a_fixed_time_and_then_the_clock_moves(
    ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    view = ann.view(game)

    assert view.items() >= DEFAULTS.items()
    assert ann.get("").json()["games"][0].items() >= DEFAULTS.items()
    assert [seat["standing"] for seat in view["seats"]] == ["playing"] * 2
    assert [seat["misses_left"] for seat in view["seats"]] == [0, 0]
    (asked,) = view["awaiting"]
    taken = datetime.fromisoformat(asked["deadline"]) - datetime.fromisoformat(asked["asked_at"])
    assert taken == timedelta(days=3)
    assert asked["latest"] == asked["deadline"]
    assert (asked["resting"], asked["rests"]) == (None, [])
    run_out(game)
    assert Move.objects.get(game=game, number=2).actor == "clock"
    assert standings(ann, game) == ["playing"] * 2


@pytest.mark.parametrize("absence", ["move", "bot", "replacement", "forfeit"])
def test_a_table_shows_how_it_treats_time_and_absence(
    ann: Person, ben: Person, absence: str
) -> None:
    wanted = {
        "move_time": "PT12H",
        "bank": "P5D",
        "bank_cap": 7 * DAY,
        "rests": False,
        "absence": absence,
        "excused_misses": 2,
    }
    game = start_game(ann, ben, **wanted)

    shown = wanted | {"move_time": DAY // 2, "bank": 5 * DAY}
    view = ann.view(game)
    assert view.items() >= shown.items()
    assert ben.get("").json()["games"][0].items() >= shown.items()
    assert [seat["misses_left"] for seat in view["seats"]] == [2, 2]
    assert clock_of(open_decision(game)).left > timedelta(days=4)


def test_null_is_no_bank(ann: Person) -> None:
    game = ann.open("me", "open", bank=None, bank_cap=None)

    assert ann.view(game).items() >= DEFAULTS.items()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"bank": "P5D"}, "bank_cap"),
        ({"bank_cap": "P5D"}, "bank_cap: only with a bank"),
        ({"bank": "P5D", "bank_cap": "P4D"}, "bank_cap: at least the bank"),
        ({"bank": "P1D", "bank_cap": "P2D"}, "bank_cap: at least"),
        ({"bank": 1, "bank_cap": "P5D"}, "bank: 2 to"),
        ({"bank": "P5D", "bank_cap": "P31D"}, "bank_cap: 2 to"),
        ({"bank": True, "bank_cap": "P5D"}, "bank: write seconds"),
        ({"bank": "soon", "bank_cap": "P5D"}, "bank: write seconds"),
        ({"bank": [], "bank_cap": {}}, "bank_cap: write seconds"),
        ({"move_time": None}, "move_time"),
        ({"rests": None}, "rests"),
        ({"rests": "true"}, "rests"),
        ({"rests": 1}, "rests"),
        ({"absence": "shrug"}, "absence"),
        ({"absence": None}, "absence"),
        ({"excused_misses": 6}, "excused_misses"),
        ({"excused_misses": -1}, "excused_misses"),
        ({"excused_misses": "1"}, "excused_misses"),
        ({"excused_misses": True}, "excused_misses"),
    ],
)
def test_an_option_that_cannot_be_had_is_refused_by_name(
    ann: Person, change: dict[str, object], word: str
) -> None:
    refused(
        ann.post("", {"players": 2, "seats": ["me", "open"]} | change),
        400,
        "invalid_request",
        word,
    )
    assert ann.get("").data["games"] == []


def test_an_excused_miss_starts_the_clock_anew_and_the_next_one_counts(
    ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, excused_misses=1, absence="bot")
    late = asked_person(game, [ann, ben])
    seat = late.view(game)["you"]
    asked = late.view(game)["awaiting"][0]["decision"]

    run_out(game)
    view = late.view(game)
    assert [one["misses_left"] for one in view["seats"]][seat] == 0
    assert view["awaiting"][0]["decision"] == asked
    assert events(late, game, 1) == [{"type": "miss_excused", "seat": seat, "left": 0}]
    run_out(game)
    assert standings(late, game)[seat] == "absent"


# ---- Leaving -----------------------------------------------------------------------------------


def test_before_the_start_the_seat_of_who_leaves_is_free_again(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = ann.open("me", "open", "open")
    ben.post(f"/{game}/seats")

    response = leave(ben, game)

    assert (response.status_code, response.data) == (200, {"id": game, "status": "open"})
    assert [seat["name"] for seat in ann.view(game)["seats"]] == ["Ann", None, None]
    refused(ben.get(f"/{game}"), 404, "not_found")
    refused(leave(ben, game), 404, "not_found")
    assert cleo.post(f"/{game}/seats").data["you"] == 1
    assert ben.post(f"/{game}/seats").data["status"] == "running"


def test_who_has_opened_a_table_can_get_up_from_it_and_sees_it_still(
    ann: Person, ben: Person
) -> None:
    game = ann.open("me", "open")

    assert leave(ann, game).status_code == 200
    assert ann.view(game)["you"] is None
    assert ben.post(f"/{game}/seats").status_code == 201
    assert ann.post(f"/{game}/seats").data["you"] == 1


def test_who_resigns_sees_nothing_more_of_a_private_game(
    ann: Person, ben: Person, game: str
) -> None:
    body = ann.legal(game)
    move = {"decision": body["decision"], "expected_version": body["version"], "text": "take 1-2"}
    version = ann.view(game)["version"]

    response = leave(ann, game)

    assert (response.status_code, response.data) == (200, {"id": game, "status": "running"})
    for gone in (
        ann.get(f"/{game}"),
        ann.get(f"/{game}", at=1),
        ann.get(f"/{game}/legal"),
        ann.get(f"/{game}/legal/routes", to="C4"),
        ann.get(f"/{game}/moves"),
        ann.get(f"/{game}/export"),
        ann.post(f"/{game}/moves", move),
        ann.post(f"/{game}/moves", {"nonsense": True}),
        ann.post(f"/{game}/return"),
        ann.post(f"/{game}/offer"),
        send(ann, "delete", f"/games/{game}/offer"),
        ann.post(f"/{game}/cancel"),
        ann.post(f"/{game}/proposals", {"kind": "cancel"}),
        ann.post(f"/{game}/proposals", {"nonsense": True}),
        leave(ann, game),
    ):
        refused(gone, 404, "not_found")
    assert ann.get("").json()["games"] == []
    assert standings(ben, game) == ["left", "playing"]
    assert ben.view(game)["seats"][0]["name"] is None
    left = {"type": "seat_left", "seat": 0, "reason": "resigned"}
    assert events(ben, game, version) == [left]


def test_a_game_goes_on_with_a_bot_and_ends_whoever_has_left(
    ann: Person, ben: Person, game: str
) -> None:
    leave(ann, game)

    while ben.view(game)["status"] == "running":
        let_bot_play(game)
        if ben.legal(game)["entries"]:
            assert ben.choose(game).status_code == 201

    assert ben.view(game)["result"]["scores"][0]["seat"] == 0
    refused(leave(ben, game), 409, "game_over")
    refused(ann.get(f"/{game}"), 404, "not_found")


def test_of_a_public_game_who_has_left_sees_what_everybody_sees(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, visibility="public")

    leave(ann, game)

    view = ann.view(game)
    assert view["you"] is None
    assert [tribe["hand"]["cards"] for tribe in view["state"]["tribes"]] == [[], []]
    refused(leave(ann, game), 404, "not_found")


def test_who_leaves_a_table_that_forfeits_is_out_and_sees_how_it_goes_on(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, cleo, absence="forfeit")
    draft(game, [ann, ben, cleo])

    response = leave(ann, game)

    assert (response.status_code, response.data["status"]) == (200, "running")
    view = ann.view(game)
    assert (view["you"], view["seats"][0]["standing"]) == (0, "out")
    assert [tribe["out"] for tribe in view["state"]["tribes"]] == [True, False, False]
    assert ann.legal(game)["entries"] == []
    assert leave(ben, game).data["status"] == "finished"
    view = cleo.view(game)
    assert (view["ending"], view["result"]["winners"]) == ("forfeit", [2])


def test_a_seat_forfeits_once(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben, cleo, absence="forfeit")
    draft(game, [ann, ben, cleo])
    leave(ann, game)
    version = ben.view(game)["version"]

    refused(leave(ann, game), 400, "invalid_request")
    assert ben.view(game)["version"] == version


def test_strangers_and_spectators_have_no_seat_to_leave(
    ann: Person, ben: Person, cleo: Person
) -> None:
    for visibility in ("private", "public"):
        game = start_game(ann, ben, visibility=visibility)
        for gone in (
            leave(cleo, game),
            cleo.post(f"/{game}/return"),
            cleo.post(f"/{game}/offer"),
            send(cleo, "delete", f"/games/{game}/offer"),
            cleo.post(f"/{game}/cancel"),
            cleo.post(f"/{game}/proposals", {"kind": "cancel"}),
            cleo.post(f"/{game}/proposals", {"kind": "dance"}),
            cleo.post(f"/{game}/proposals/1", {"agree": True}),
            cleo.post(f"/{game}/proposals/1", {}),
        ):
            refused(gone, 404, "not_found")


# ---- Taking a seat that was left ---------------------------------------------------------------


def test_a_seat_that_was_left_is_taken_by_who_knows_the_game(
    ann: Person, ben: Person, cleo: Person, game: str
) -> None:
    refused(cleo.post(f"/{game}/seats"), 409, "game_full")
    leave(ann, game)

    response = cleo.post(f"/{game}/seats")

    assert response.status_code == 201
    assert (response.data["you"], response.data["seats"][0]["name"]) == (0, "Cleo")
    assert standings(ben, game) == ["playing"] * 2
    assert events(ben, game)[-1] == {
        "type": "seat_taken_over",
        "seat": 0,
        "handed_over": False,
    }
    assert cleo.post(f"/{game}/seats").status_code == 200
    refused(ann.post(f"/{game}/seats"), 409, "game_full")
    refused(ann.get(f"/{game}"), 404, "not_found")


def test_who_has_resigned_can_take_the_seat_back_while_it_is_free(ann: Person, game: str) -> None:
    before = seen(ann, game)
    leave(ann, game)

    assert ann.post(f"/{game}/seats").status_code == 201
    assert seen(ann, game) == before


def test_nobody_takes_another_seat_of_a_game_they_have_left(
    ann: Person, ben: Person, cleo: Person
) -> None:
    """Or they would know two hands."""
    game = start_game(ann, ben, cleo)
    dora = Person("Dora")
    leave(ann, game)
    dora.post(f"/{game}/seats")
    leave(ben, game)

    refused(ann.post(f"/{game}/seats"), 409, "game_full")


def seen(person: Person, game: str) -> bytes:
    """Return all that somebody sees of a game but who sits there and how the clock stands."""
    changing = {"version", "server_time", "seats", "awaiting"}
    view = {name: value for name, value in person.view(game).items() if name not in changing}
    asked = [(a["decision"], a["kind"], a["since"]) for a in person.view(game)["awaiting"]]
    legal = person.legal(game)
    routes = person.get(f"/{game}/legal/routes", to="C4").json()
    return codec.canonical([view, asked, legal["decision"], legal["entries"], routes])


def log_upto(person: Person, game: str, version: int) -> list[list[Any]]:
    """Return the first moves of a game as the log and as the file has them."""
    moves = person.get(f"/{game}/moves").json()["moves"]
    exported = person.get(f"/{game}/export").json()
    return [moves[:version], exported["moves"][:version], exported["view"]]


@pytest.mark.parametrize("handed_over", [True, False])
def test_a_replacement_sees_what_the_seat_could_see_to_the_byte(
    ann: Person, ben: Person, cleo: Person, game: str, handed_over: bool
) -> None:
    people = [ann, ben]
    for _ in range(6):
        asked_person(game, people).choose(game, "take")
    while asked_person(game, people) is not ann:
        ben.choose(game)
    version = ann.view(game)["version"]
    before, log = seen(ann, game), log_upto(ann, game, version)
    pasts = [ann.view(game, at=number)["state"] for number in range(1, version + 1)]
    others = seen(ben, game)

    token = {"offer": offer(ann, game)} if handed_over else {}
    if not handed_over:
        leave(ann, game)
    assert cleo.post(f"/{game}/seats", token).status_code == 201

    assert seen(cleo, game) == before
    assert log_upto(cleo, game, version) == log
    assert [cleo.view(game, at=number)["state"] for number in range(1, version + 1)] == pasts
    assert seen(ben, game) == others
    refused(ann.get(f"/{game}"), 404, "not_found")
    assert ann.get("").json()["games"] == []
    assert [entry["id"] for entry in cleo.get("").json()["games"]] == [game]
    assert cleo.choose(game, "take").status_code == 201


def test_the_clock_of_a_replacement_begins_anew(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben)
    late = asked_person(game, [ann, ben])
    let_run_out(game, left=timedelta(hours=1))

    leave(late, game)
    cleo.post(f"/{game}/seats")

    assert clock_of(open_decision(game)).left > timedelta(days=2)


def test_a_seat_that_runs_out_of_time_can_be_opened_to_others(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, absence="replacement")
    late = asked_person(game, [ann, ben])
    seat = late.view(game)["you"]

    run_out(game)

    refused(late.get(f"/{game}"), 404, "not_found")
    assert cleo.post(f"/{game}/seats").data["you"] == seat
    assert cleo.legal(game)["entries"]


def test_a_contribution_to_a_running_game_changes_nothing(
    ann: Person, ben: Person, cleo: Person, game: str
) -> None:
    before = ben.get(f"/{game}/export").json()["contributions"]
    leave(ann, game)

    refused(cleo.post(f"/{game}/seats", {"contribution": "short"}), 400, "invalid_request")
    assert cleo.post(f"/{game}/seats", {"contribution": "c" * 64}).status_code == 201
    assert ben.get(f"/{game}/export").json()["contributions"] == before


# ---- Coming back -------------------------------------------------------------------------------


def test_who_comes_back_plays_for_themselves_again(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, absence="bot")
    late = asked_person(game, [ann, ben])
    seat = late.view(game)["you"]
    run_out(game)
    assert standings(late, game)[seat] == "absent"

    response = late.post(f"/{game}/return")

    assert response.status_code == 200
    assert response.data["seats"][seat]["standing"] == "playing"
    version = response.data["version"]
    assert events(late, game)[-1] == {"type": "seat_returned", "seat": seat}
    again = late.post(f"/{game}/return")
    assert (again.status_code, again.data["version"]) == (200, version)
    assert late.choose(game).status_code == 201


def test_who_moves_has_come_back(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben, absence="bot")
    late = asked_person(game, [ann, ben])
    run_out(game)

    refused(late.answer(game, "story 9"), 422, "illegal_move")
    assert "absent" in standings(late, game)
    assert late.choose(game).status_code == 201
    assert standings(late, game) == ["playing"] * 2


def test_coming_back_to_where_nobody_was_missed_changes_nothing(
    ann: Person, ben: Person, game: str
) -> None:
    open_game = ann.open("me", "open")
    before = ann.view(game)["version"]

    assert ann.post(f"/{game}/return").data["version"] == before
    assert ann.post(f"/{open_game}/return").data["status"] == "open"


# ---- Offering a seat ---------------------------------------------------------------------------


def test_an_offer_is_one_link_until_it_is_withdrawn(ann: Person, cleo: Person, game: str) -> None:
    first, again = ann.post(f"/{game}/offer"), ann.post(f"/{game}/offer")

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.data == again.data
    token = first.data["offer"]
    assert first.data["url"].startswith("http")
    assert first.data["url"].endswith(f"/games/{game}/take/{token}/")
    for _ in range(2):
        withdrawn = send(ann, "delete", f"/games/{game}/offer")
        assert (withdrawn.status_code, withdrawn.content) == (204, b"")
    refused(cleo.post(f"/{game}/seats", {"offer": token}), 404, "not_found")
    assert ann.post(f"/{game}/offer").data["offer"] != token


def test_a_seat_is_handed_over_by_its_offer_and_the_offer_dies_with_it(
    ann: Person, ben: Person, cleo: Person, game: str
) -> None:
    token = offer(ann, game)
    dora = Person("Dora")

    response = cleo.post(f"/{game}/seats", {"offer": token})

    assert (response.status_code, response.data["you"]) == (201, 0)
    assert cleo.post(f"/{game}/seats", {"offer": token}).status_code == 200
    refused(dora.post(f"/{game}/seats", {"offer": token}), 404, "not_found")
    refused(ann.get(f"/{game}"), 404, "not_found")
    assert standings(ben, game) == ["playing"] * 2


@pytest.mark.parametrize("absence", ["move", "bot", "replacement", "forfeit"])
def test_an_offer_dies_when_its_seat_is_left(
    ann: Person, ben: Person, cleo: Person, absence: str
) -> None:
    game = start_game(ann, ben, cleo, absence=absence)
    draft(game, [ann, ben, cleo])
    token = offer(ann, game)
    leave(ann, game)

    refused(Person("Dora").post(f"/{game}/seats", {"offer": token}), 404, "not_found")


def test_an_offer_dies_when_time_runs_out_for_good(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben, cleo, absence="forfeit")
    people = [ann, ben, cleo]
    draft(game, people)
    late = asked_person(game, people)
    token = offer(late, game)
    run_out(game)

    refused(Person("Dora").post(f"/{game}/seats", {"offer": token}), 404, "not_found")


@pytest.mark.parametrize("status", ["open", "running", "cancelled"])
def test_an_offer_that_does_not_stand_is_404_whatever_the_game_is(
    ann: Person, ben: Person, cleo: Person, status: str
) -> None:
    game = ann.open("me", "open") if status == "open" else start_game(ann, ben)
    if status == "cancelled":
        services.cancel_game(game)

    refused(cleo.post(f"/{game}/seats", {"offer": "nothing"}), 404, "not_found")
    refused(cleo.post("/nothing00000/seats", {"offer": "nothing"}), 404, "not_found")
    for wrong in ("", None, 1, "x" * 101, "\0", ["x"]):
        refused(cleo.post(f"/{game}/seats", {"offer": wrong}), 400, "invalid_request", "offer")


def test_an_offer_is_for_its_own_game(ann: Person, ben: Person, cleo: Person, game: str) -> None:
    other = start_game(ann, ben)

    refused(cleo.post(f"/{other}/seats", {"offer": offer(ann, game)}), 404, "not_found")


def test_a_seat_is_offered_while_the_game_runs(ann: Person, ben: Person) -> None:
    refused(ann.post(f"/{ann.open('me', 'open')}/offer"), 409, "not_your_decision")
    game = start_game(ann, ben)
    services.cancel_game(game)
    refused(ann.post(f"/{game}/offer"), 409, "game_over")


def test_a_seat_that_is_out_cannot_be_offered(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben, cleo, absence="forfeit")
    draft(game, [ann, ben, cleo])
    leave(ann, game)

    refused(ann.post(f"/{game}/offer"), 400, "invalid_request", "forfeited")


def test_who_is_away_can_hand_over_and_the_bot_stops(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben, absence="bot")
    late = asked_person(game, [ann, ben])
    run_out(game)

    response = cleo.post(f"/{game}/seats", {"offer": offer(late, game)})

    assert response.status_code == 201
    assert not services.play_bot(game)
    assert cleo.choose(game).status_code == 201


# ---- Calling off -------------------------------------------------------------------------------


def test_who_has_opened_a_table_calls_it_off_before_the_start(ann: Person, ben: Person) -> None:
    game = ann.open("me", "open", "open")
    ben.post(f"/{game}/seats")

    refused(ben.post(f"/{game}/cancel"), 400, "invalid_request", "you can leave it")
    response = ann.post(f"/{game}/cancel")

    assert response.status_code == 200
    assert (response.data["status"], response.data["ending"]) == ("cancelled", "called_off")
    refused(ann.post(f"/{game}/cancel"), 409, "game_over")
    refused(ben.post(f"/{game}/cancel"), 409, "game_over")


def test_who_has_opened_a_table_for_others_calls_it_off(ann: Person) -> None:
    game = ann.open("open", "open")

    assert ann.post(f"/{game}/cancel").data["status"] == "cancelled"
    assert ann.post(f"/{game}/cancel").status_code in (404, 409)
    assert ann.view(game)["status"] == "cancelled"


def test_any_player_calls_a_game_off_before_its_first_round(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)

    response = ben.post(f"/{game}/cancel")

    assert (response.data["status"], response.data["ending"]) == ("cancelled", "first_round")
    assert ann.get(f"/{game}/export").json()["seed"]
    refused(ann.post(f"/{game}/cancel"), 409, "game_over")


def test_in_the_first_round_everybody_has_to_agree(ann: Person, ben: Person, game: str) -> None:
    refused(ann.post(f"/{game}/cancel"), 400, "invalid_request", "propose to call the game off")
    assert ben.view(game)["status"] == "running"


def test_who_is_out_calls_nothing_off(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben, cleo, absence="forfeit")
    leave(ann, game)

    assert ann.post(f"/{game}/cancel").status_code == 400
    assert ben.view(game)["status"] == "running"


# ---- Proposals ---------------------------------------------------------------------------------


def test_a_game_is_called_off_when_all_agree(ann: Person, ben: Person, game: str) -> None:
    proposal = propose(ann, game, "cancel")

    assert proposal.items() >= {"kind": "cancel", "seat": 0, "agreed": [0], "state": "open"}.items()
    assert proposal["missing"] == [1]
    assert ben.view(game)["proposals"] == ann.view(game)["proposals"] == [proposal]
    answered = agree(ben, game, proposal)
    assert answered.status_code == 200
    assert (answered.data["state"], answered.data["agreed"]) == ("agreed", [0, 1])
    view = ann.view(game)
    assert (view["status"], view["ending"], view["proposals"]) == ("cancelled", "agreed", [])
    assert agree(ben, game, proposal).data["state"] == "agreed"
    refused(ann.post(f"/{game}/proposals", {"kind": "cancel"}), 409, "game_over")


def test_a_game_is_paused_and_resumed_by_consent(ann: Person, ben: Person, game: str) -> None:
    refused(ann.post(f"/{game}/proposals", {"kind": "resume"}), 400, "invalid_request", "paused")
    before = datetime.fromisoformat(ann.view(game)["awaiting"][0]["deadline"])
    proposal = propose(ann, game, "pause", seconds=7 * DAY)
    assert ann.view(game)["paused_until"] is None

    assert agree(ben, game, proposal).data["state"] == "agreed"

    view = ann.view(game)
    (asked,) = view["awaiting"]
    assert asked["resting"] == "stopped"
    assert datetime.fromisoformat(asked["deadline"]) - before > timedelta(days=6, hours=23)
    until = datetime.fromisoformat(view["paused_until"]) - timezone.now()
    assert timedelta(days=6) < until <= timedelta(days=7)
    assert ann.get("").json()["games"][0]["paused_until"] == view["paused_until"]
    again = ann.post(f"/{game}/proposals", {"kind": "pause", "seconds": 7 * DAY})
    refused(again, 400, "invalid_request", "paused already")
    agree(ann, game, propose(ben, game, "resume"))
    assert ann.view(game)["paused_until"] is None
    assert ann.view(game)["awaiting"][0]["resting"] is None
    assert [event["type"] for event in events(ann, game)[-2:]] == ["game_paused", "game_resumed"]


def row_filled(person: Person, game: str, after: int) -> list[dict[str, Any]]:
    return [event for event in events(person, game, after) if event["type"] == "row_filled"]


def test_a_move_that_drew_cards_is_taken_back_by_consent_and_draws_the_same_again(
    ann: Person, ben: Person, game: str
) -> None:
    mover, other = people_by_turn(game, ann, ben)
    before = mover.view(game)
    assert mover.answer(game, "take 1-2").status_code == 201
    assert mover.view(game)["undo"] is None, "cards were drawn, so it is not free"
    drawn = row_filled(other, game, before["version"])
    assert len(drawn) == 2

    proposal = propose(mover, game, "undo")
    assert (proposal["first"], proposal["seconds"]) == (before["version"] + 1, None)
    assert agree(other, game, proposal).data["state"] == "agreed"

    view = mover.view(game)
    assert view["state"] == before["state"]
    (asked,) = view["awaiting"]
    assert (asked["seat"], asked["kind"]) == (mover.view(game)["you"], "turn")
    undone = {"type": "undone", "from": proposal["first"], "to": proposal["first"]}
    assert events(other, game)[-1] == undone | {"agreed": [0, 1]}
    assert mover.answer(game, "take 1-2").status_code == 201
    assert row_filled(other, game, view["version"]) == drawn


def people_by_turn(game: str, *people: Person) -> tuple[Person, Person]:
    """Return who is asked, and the other one."""
    asked = asked_person(game, people)
    (other,) = (person for person in people if person is not asked)
    return asked, other


def test_an_undo_by_consent_reaches_back_over_the_moves_of_others(
    ann: Person, ben: Person, game: str
) -> None:
    mover, other = people_by_turn(game, ann, ben)
    before = mover.view(game)
    mover.answer(game, "take 1-2")
    other.answer(game, "take 1-2")

    agree(other, game, propose(mover, game, "undo"))

    assert mover.view(game)["state"] == before["state"]


def test_there_must_be_a_move_to_take_back(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)

    response = ann.post(f"/{game}/proposals", {"kind": "undo"})

    refused(response, 422, "illegal_move", "you have made no move")
    assert response.data["rule"] == "undo"
    refused(ann.post(f"/{game}/proposals", {"kind": "undo_time_out"}), 422, "illegal_move", "late")


def test_what_the_clock_played_is_taken_back_by_consent(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    before = ann.view(game)
    late, other = people_by_turn(game, ann, ben)
    run_out(game)

    proposal = propose(other, game, "undo_time_out")
    assert proposal["first"] == before["version"] + 1
    assert agree(late, game, proposal).data["state"] == "agreed"

    assert ann.view(game)["state"] == before["state"]
    assert asked_person(game, [ann, ben]) is late
    assert clock_of(open_decision(game)).left > timedelta(hours=23)


def test_who_has_resigned_is_not_brought_back_by_others(
    ann: Person, ben: Person, cleo: Person
) -> None:
    people = [ann, ben, cleo, Person("Dora")]
    game = start_game(*people, absence="forfeit")
    draft(game, people)
    late = asked_person(game, people)
    run_out(game)
    staying = asked_person(game, people)
    resigning, other = (person for person in people if person not in (late, staying))
    leave(resigning, game)

    refused(
        staying.post(f"/{game}/proposals", {"kind": "undo_time_out"}), 422, "illegal_move", "resign"
    )
    assert standings(other, game).count("out") == 2


def test_a_proposal_to_resume_dies_with_its_pause(ann: Person, ben: Person) -> None:
    with time_machine.travel(NOON, tick=False) as travel:
        game = start_game(ann, ben)
        agree(ben, game, propose(ann, game, "pause", seconds=3600))
        proposal = propose(ann, game, "resume")
        travel.shift(timedelta(hours=2))
        absence.wake(game, open_decision(game).pk)

        assert ann.view(game)["proposals"] == []
        refused(agree(ben, game, proposal), 400, "invalid_request", "does not stand any more")
        resumed = [event for event in events(ann, game) if event["type"] == "game_resumed"]
        assert len(resumed) == 1


def test_what_somebody_refuses_is_not_done_nor_asked_again_at_once(
    ann: Person, ben: Person, game: str
) -> None:
    proposal = propose(ann, game, "cancel")

    assert agree(ben, game, proposal, answer=False).data["state"] == "refused"

    assert ann.view(game)["proposals"] == []
    assert agree(ann, game, proposal).data["state"] == "refused"
    again = ann.post(f"/{game}/proposals", {"kind": "cancel"})
    refused(again, 400, "invalid_request", "after the next move")
    asked_person(game, [ann, ben]).choose(game, "take")
    assert propose(ann, game, "cancel")["state"] == "open"


def test_who_has_proposed_something_withdraws_it(ann: Person, ben: Person, game: str) -> None:
    proposal = propose(ann, game, "pause", seconds=3600)

    assert agree(ann, game, proposal, answer=False).data["state"] == "withdrawn"
    assert agree(ben, game, proposal).data["state"] == "withdrawn"
    assert ben.view(game)["paused_until"] is None
    assert propose(ann, game, "pause", seconds=3600)["state"] == "open"


def test_the_same_is_proposed_once_and_agreed_to_once(ann: Person, ben: Person) -> None:
    cleo = Person("Cleo")
    game = start_game(ann, ben, cleo)
    proposal = propose(ann, game, "cancel")

    for person in (ann, ben):
        again = person.post(f"/{game}/proposals", {"kind": "cancel"})
        refused(again, 400, "invalid_request", "proposed already")
    for _ in range(2):
        assert agree(ben, game, proposal).data["agreed"] == [0, 1]
    assert ann.view(game)["status"] == "running"
    assert agree(cleo, game, proposal).data["state"] == "agreed"


def test_a_proposal_to_take_a_move_back_dies_with_the_next_move(
    ann: Person, ben: Person, game: str
) -> None:
    mover, other = people_by_turn(game, ann, ben)
    mover.answer(game, "take 1-2")
    undo, pause = propose(mover, game, "undo"), propose(mover, game, "pause", seconds=3600)
    assert [entry["kind"] for entry in other.view(game)["proposals"]] == ["undo", "pause"]

    other.answer(game, "take 1-2")

    assert [entry["kind"] for entry in other.view(game)["proposals"]] == ["pause"]
    version = other.view(game)["version"]
    refused(agree(other, game, undo), 400, "invalid_request", "does not stand any more")
    assert other.view(game)["version"] == version
    assert agree(other, game, pause).data["state"] == "agreed"


def test_other_proposals_die_after_a_week(ann: Person, ben: Person) -> None:
    with time_machine.travel(NOON, tick=False) as travel:
        game = start_game(ann, ben, move_time="P30D")
        proposal = propose(ann, game, "pause", seconds=3600)
        travel.shift(timedelta(days=7))

        assert ann.view(game)["proposals"] == []
        refused(agree(ben, game, proposal), 400, "invalid_request", "does not stand any more")


def test_who_is_away_is_not_asked(ann: Person, ben: Person, cleo: Person) -> None:
    game = start_game(ann, ben, cleo, absence="bot")
    people = [ann, ben, cleo]
    away = asked_person(game, people)
    run_out(game)
    first, second = (person for person in people if person is not away)

    refused(
        away.post(f"/{game}/proposals", {"kind": "cancel"}), 400, "invalid_request", "come back"
    )
    proposal = propose(first, game, "pause", seconds=3600)
    refused(agree(away, game, proposal), 400, "invalid_request", "come back")
    assert agree(second, game, proposal).data["state"] == "agreed"
    assert ann.view(game)["paused_until"]


def test_who_has_left_is_not_asked_and_one_alone_agrees_with_themselves(
    ann: Person, ben: Person, game: str
) -> None:
    leave(ann, game)

    assert propose(ben, game, "cancel")["state"] == "agreed"
    assert ben.view(game)["status"] == "cancelled"


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "kind"),
        ({"kind": None}, "kind"),
        ({"kind": "dance"}, "kind"),
        ({"kind": ["undo"]}, "kind"),
        ({"kind": "pause"}, "seconds"),
        ({"kind": "pause", "seconds": None}, "seconds"),
        ({"kind": "pause", "seconds": "3600"}, "seconds"),
        ({"kind": "pause", "seconds": 3599}, "seconds"),
        ({"kind": "pause", "seconds": 2**50}, "seconds"),
        ({"kind": "pause", "seconds": True}, "seconds"),
        ({"kind": "cancel", "seconds": 3600}, "seconds: only a pause"),
        ({"kind": "cancel", "why": "tired"}, "why"),
    ],
)
def test_a_proposal_that_cannot_be_read_is_refused_by_name(
    ann: Person, ben: Person, game: str, body: dict[str, Any], word: str
) -> None:
    refused(ann.post(f"/{game}/proposals", body), 400, "invalid_request", word)
    assert ben.view(game)["proposals"] == []


@pytest.mark.parametrize(
    "body", [{}, {"agree": None}, {"agree": "yes"}, {"agree": 1}, {"no": True}]
)
def test_an_answer_is_yes_or_no(ann: Person, ben: Person, game: str, body: dict[str, Any]) -> None:
    path = f"/{game}/proposals/{propose(ann, game, 'cancel')['proposal']}"

    refused(ben.post(path, body), 400, "invalid_request")
    assert ben.view(game)["status"] == "running"


def test_a_proposal_is_answered_at_its_own_table(ann: Person, ben: Person, game: str) -> None:
    proposal, other = propose(ann, game, "cancel"), start_game(ann, ben)

    refused(agree(ben, other, proposal), 404, "not_found")
    for number in (0, 10**30):
        refused(agree(ben, game, {"proposal": number}), 404, "not_found")
    assert ben.view(game)["status"] == "running"


def test_before_the_start_nothing_is_proposed(ann: Person) -> None:
    game = ann.open("me", "open")

    refused(ann.post(f"/{game}/proposals", {"kind": "cancel"}), 409, "not_your_decision")


# ---- Pace --------------------------------------------------------------------------------------


def answered(person: Person, game: str, times: list[int]) -> None:
    """Put down that somebody has answered turns after so many seconds; one not in time if < 0."""
    now = timezone.now()
    for number, seconds in enumerate(times):
        asked_at = now - timedelta(seconds=abs(seconds))
        Decision.objects.create(
            game_id=game,
            decision=f"{1000 + number}-{person.player.pk}",
            seat=9,
            kind="turn",
            since=0,
            asked_at=asked_at,
            player=person.player,
            runs_from=asked_at,
            granted=timedelta(days=1),
            answered_at=now,
            closed_by=Move.Actor.PLAYER if seconds > 0 else Move.Actor.CLOCK,
        )


def test_the_pace_of_those_at_the_table_is_shown_to_who_may_join(
    ann: Person, ben: Person, cleo: Person
) -> None:
    game = ann.open("me", "open", "bot")
    answered(ann, game, [100, 200, 300, 400, 500, -9000])

    pace = {"turns": 6, "median": 300, "slow": 460, "in_time": 5 / 6}
    rows = [{"seat": 0, "pace": pace}, {"seat": 1, "pace": None}, {"seat": 2, "pace": None}]
    response = cleo.get(f"/{game}/pace")
    assert (response.status_code, response.json()) == (200, {"seats": rows})
    assert send(ann, "get", "/me").json()["pace"] == pace
    ben.post(f"/{game}/seats")
    assert ben.get(f"/{game}/pace").json() == {"seats": rows}
    refused(cleo.get(f"/{game}/pace"), 404, "not_found")
    leave(ann, game)
    assert cleo.get(f"/{game}/pace").json()["seats"][0] == {"seat": 0, "pace": None}
    refused(cleo.get("/nothing00000/pace"), 404, "not_found")


def test_of_a_public_game_everybody_sees_the_pace_and_of_a_past_one_who_saw_it(
    ann: Person, ben: Person, cleo: Person, game: str
) -> None:
    public = start_game(ann, ben, visibility="public")
    assert cleo.get(f"/{public}/pace").status_code == 200

    leave(ben, game)
    services.cancel_game(game)
    assert ann.get(f"/{game}/pace").status_code == 200
    for person in (ben, cleo):
        refused(person.get(f"/{game}/pace"), 404, "not_found")


# ---- Me ----------------------------------------------------------------------------------------


def me(person: Person) -> dict[str, Any]:
    data: dict[str, Any] = send(person, "get", "/me").json()
    return data


def test_me_at_first(ann: Person) -> None:
    mails = {
        "stopped": False,
        "rhythm": "at_once",
        "digest_at": "08:00",
        "quiet": None,
        "games": [],
    }
    assert me(ann) == {
        "mails": mails,
        "trouble": None,
        "player": "Ann",
        "zone": "UTC",
        "reminders": ["half", "last_tenth", "last_hour"],
        "rests": {"night": None, "weekdays": []},
        "vacations": [],
        "days_left": 30,
        "pace": None,
    }


def test_my_rests_are_set_as_a_whole_and_count_from_what_i_am_asked_next(
    ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    mine = asked_person(game, [ann, ben])
    night = {"from": "22:00", "to": "07:00"}
    body = {"night": night, "weekdays": [7, 6]}

    for _ in range(2):
        response = send(mine, "put", "/me/rests", body)
        assert response.status_code == 200
        assert response.data["rests"] == {"night": night, "weekdays": [6, 7]}
    assert me(mine)["rests"] == response.data["rests"]
    assert mine.view(game)["awaiting"][0]["rests"] == []
    draft(game, [ann, ben])
    while asked_person(game, [ann, ben]) is not mine:
        asked_person(game, [ann, ben]).choose(game)
    (asked,) = mine.view(game)["awaiting"]
    assert {"night", "weekday"} >= set(asked["rests"]) >= {"night"}
    assert asked["deadline"] < asked["latest"]
    assert send(mine, "put", "/me/rests", {"night": None, "weekdays": []}).status_code == 200
    assert me(mine)["rests"] == {"night": None, "weekdays": []}


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({}, "night"),
        ({"weekdays": []}, "night"),
        ({"night": None}, "weekdays"),
        ({"night": {"from": "22:00"}, "weekdays": []}, "to"),
        ({"night": {"from": "22:00", "to": "24:00"}, "weekdays": []}, "to"),
        ({"night": {"from": "9:00", "to": "11:00"}, "weekdays": []}, "from"),
        ({"night": {"from": 22, "to": 7}, "weekdays": []}, "from"),
        ({"night": {"from": "22:00", "to": "07:00", "zone": "UTC"}, "weekdays": []}, "zone"),
        ({"night": {"from": "20:00", "to": "08:01"}, "weekdays": []}, "12 hours"),
        ({"night": {"from": "20:00", "to": "20:00"}, "weekdays": []}, "another time"),
        ({"night": "22:00-07:00", "weekdays": []}, "night"),
        ({"night": None, "weekdays": [5, 6, 7]}, "at most 2 can be free"),
        ({"night": None, "weekdays": [0]}, "weekdays"),
        ({"night": None, "weekdays": [8]}, "weekdays"),
        ({"night": None, "weekdays": ["6"]}, "weekdays"),
        ({"night": None, "weekdays": [True]}, "weekdays"),
        ({"night": None, "weekdays": 6}, "weekdays"),
        ({"night": None, "weekdays": [], "zone": "UTC"}, "zone"),
    ],
)
def test_rests_that_cannot_be_are_refused_and_say_what_would_do(
    ann: Person, body: dict[str, Any], word: str
) -> None:
    refused(send(ann, "put", "/me/rests", body), 400, "invalid_request", word)
    assert me(ann)["rests"] == {"night": None, "weekdays": []}


def test_i_choose_when_i_am_reminded(ann: Person) -> None:
    for stages in (["last_hour", "half"], ["half", "half", "last_hour"]):
        response = send(ann, "put", "/me/reminders", {"stages": stages})
        assert response.status_code == 200
        assert response.data["reminders"] == me(ann)["reminders"] == ["half", "last_hour"]
    assert send(ann, "put", "/me/reminders", {"stages": []}).data["reminders"] == []
    for wrong in ({}, {"stages": None}, {"stages": ["weekly"]}, {"stages": "half"}, {"stage": []}):
        refused(send(ann, "put", "/me/reminders", wrong), 400, "invalid_request", "stage")
    assert me(ann)["reminders"] == []


def test_a_vacation_is_booked_shown_and_cancelled(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    first = (timezone.now() + timedelta(days=40)).date()
    body = {"first": first.isoformat(), "last": (first + timedelta(days=9)).isoformat()}

    booked = send(ann, "post", "/me/vacations", body)

    assert booked.status_code == 201
    begin, end = (datetime.fromisoformat(booked.data[name]) for name in ("start", "end"))
    assert (begin.date(), end - begin) == (first, timedelta(days=10))
    assert me(ann)["vacations"] == [booked.data]
    assert me(ann)["days_left"] == 20
    assert ben.view(game)["seats"][0]["vacation"] == booked.data
    assert ben.get("").json()["games"][0]["seats"][0]["vacation"] == booked.data
    refused(send(ann, "post", "/me/vacations", body), 400, "invalid_request", "already")
    refused(send(ben, "delete", f"/me/vacations/{booked.data['start']}"), 404, "not_found")
    gone = send(ann, "delete", f"/me/vacations/{booked.data['start']}")
    assert (gone.status_code, gone.content) == (204, b"")
    assert (me(ann)["vacations"], me(ann)["days_left"]) == ([], 30)
    refused(send(ann, "delete", f"/me/vacations/{booked.data['start']}"), 404, "not_found")


def test_a_vacation_that_has_begun_is_not_cancelled_and_one_that_is_over_not_listed(
    ann: Person,
) -> None:
    with time_machine.travel(NOON, tick=True) as travel:
        body = {"first": "2027-03-01", "last": "2027-03-02"}
        start = send(ann, "post", "/me/vacations", body).data["start"]
        refused(send(ann, "delete", f"/me/vacations/{start}"), 400, "invalid_request", "not begun")
        travel.shift(timedelta(days=3))
        assert me(ann)["vacations"] == []
        assert me(ann)["days_left"] == 28


@pytest.mark.parametrize(
    ("first", "last", "words"),
    [
        ("2027-03-05", "2027-03-04", "not before"),
        ("2027-02-28", "2027-03-04", "today at the earliest"),
        ("2027-03-05", "2027-04-30", "too much vacation"),
        ("2028-03-05", "2028-03-06", "not later"),
        ("2027-02-30", "2027-03-04", "first"),
        ("20270305", "2027-03-06", "first"),
        ("0001-01-01", "2027-03-06", "first"),
        ("2027-03-05", "9999-12-31", "last"),
        ("2027-03-05", "2999-12-31", "not later"),
        ("2027-03-05T00:00:00Z", "2027-03-06", "first"),
        (20270305, "2027-03-06", "first"),
        (None, "2027-03-06", "first"),
    ],
)
def test_a_vacation_that_cannot_be_is_refused(
    ann: Person, first: object, last: object, words: str
) -> None:
    with time_machine.travel(NOON, tick=True):
        response = send(ann, "post", "/me/vacations", {"first": first, "last": last})

        refused(response, 400, "invalid_request", words)
        assert me(ann)["vacations"] == []


@pytest.mark.parametrize("start", ["soon", "2027-03-01", "%00", "2027-03-01T00:00:00.000000Z"])
def test_no_vacation_begins_at_such_a_time(ann: Person, start: str) -> None:
    refused(send(ann, "delete", f"/me/vacations/{start}"), 404, "not_found")


def test_nothing_of_this_is_told_without_a_token(ann: Person, game: str) -> None:
    ann.client.credentials()

    for method, path in (
        ("delete", f"/games/{game}/seats/mine"),
        ("post", f"/games/{game}/return"),
        ("post", f"/games/{game}/offer"),
        ("delete", f"/games/{game}/offer"),
        ("post", f"/games/{game}/cancel"),
        ("post", f"/games/{game}/proposals"),
        ("post", f"/games/{game}/proposals/1"),
        ("get", f"/games/{game}/pace"),
        ("get", "/me"),
        ("put", "/me/rests"),
        ("put", "/me/reminders"),
        ("post", "/me/vacations"),
        ("delete", "/me/vacations/2027-03-01T00:00:00.000000Z"),
    ):
        refused(send(ann, method, path), 401, "not_authenticated")


def test_a_second_request_takes_back_not_one_move_more(ann: Person) -> None:
    game = ann.open("me", "bot")
    for _ in range(3):
        ann.choose(game)
        while services.play_bot(game):
            pass
    body = {"kind": "undo", "expected_version": ann.view(game)["version"]}

    assert ann.post(f"/{game}/proposals", body).data["state"] == "agreed"
    refused(ann.post(f"/{game}/proposals", body), 409, "stale_move")
    del body["expected_version"]
    assert ann.post(f"/{game}/proposals", body).data["state"] == "agreed"
