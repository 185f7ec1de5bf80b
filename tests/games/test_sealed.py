"""R13.5: sealed answers. Until the last is in, nobody can tell who has answered, or what."""

from __future__ import annotations

import gzip
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.verify import verify
from games import backup, projections, services, store
from games.models import Move, SealedAnswer
from notifications import clock, outbox
from notifications.models import OutboxMail
from tests.clocks import let_run_out
from tests.pages import Visitor
from tests.people import Person, asked_person, start_game
from tests.smtp import Sink
from tests.threads import at_once

LONGEST = 200


def go_fishing(people: list[Person]) -> str:
    """Play a game until two seats are asked for a card at once; return its id."""
    game = start_game(*people, scenario="lake_villages")
    for _ in range(LONGEST):
        asked = people[0].view(game)["awaiting"]
        if [decision["kind"] for decision in asked] == ["fish", "fish"]:
            return game
        person = people[asked[0]["seat"]]
        entries = person.legal(game)["entries"]
        text = best(person.view(game), entries)
        assert person.answer(game, text).status_code == 201
    raise AssertionError("the villages never went fishing together")


def best(view: dict[str, Any], entries: list[dict[str, Any]]) -> str:
    """Build a village, and keep a card; else take cards."""
    water = {space["space"] for space in view["state"]["spaces"] if space["terrain"] == "water"}
    hand = len(view["state"]["tribes"][view["you"]]["hand"]["cards"])
    villages = [
        entry["text"]
        for entry in entries
        if entry["command"]["type"] == "camp"
        and entry["command"]["route"][-1] in water
        and len(entry["command"]["payment"]) < hand
    ]
    has_village = any(
        space["camp"] and space["camp"]["seat"] == view["you"] and space["space"] in water
        for space in view["state"]["spaces"]
    )
    if villages and not has_village:
        return villages[0]
    text: str = entries[0]["text"]
    return text


@pytest.fixture
def people(db: None) -> list[Person]:
    return [Person("Ann"), Person("Ben")]


@pytest.fixture
def game(people: list[Person]) -> str:
    return go_fishing(people)


def body_of(person: Person, game: str, index: int = 0, **fields: Any) -> dict[str, Any]:
    legal = person.legal(game)
    command = legal["entries"][index]["command"]
    return {
        "decision": legal["decision"],
        "expected_version": legal["version"],
        "commands": [command],
        **fields,
    }


def served(person: Person, game: str) -> list[object]:
    """Return everything that a player can get about a game, but for the moment it was served."""
    view = person.view(game)
    del view["server_time"]
    listed = person.get("").json()
    paths = ("moves", "export", "legal", "legal/routes?to=A1")
    return [view, listed, *(person.get(f"/{game}/{path}").json() for path in paths)]


def mails_of(game: str) -> list[tuple[int, str, int]]:
    mails = OutboxMail.objects.filter(game=game).order_by("pk")
    return list(mails.values_list("pk", "state", "seat"))


def assert_consistent(game: str, person: Person) -> None:
    assert projections.differences(game) == []
    services.cancel_game(game)
    assert verify(person.get(f"/{game}/export").json()).problems == ()


def test_r13_5_nobody_else_can_tell_who_has_answered(game: str, people: list[Person]) -> None:
    ann, ben = people
    before = served(ben, game)
    mails = mails_of(game)

    answer = ann.post(f"/{game}/moves", body_of(ann, game, message="caught one"))

    assert answer.status_code == 201
    assert (answer.data["number"], answer.data["events"]) == (None, [])
    assert served(ben, game) == before
    assert mails_of(game) == mails
    assert [d["seat"] for d in ann.view(game)["awaiting"]] == [0, 1]


def test_r13_5_who_has_answered_is_not_asked_again(game: str, people: list[Person]) -> None:
    ann = people[0]
    body = body_of(ann, game)
    first = ann.post(f"/{game}/moves", body, key="mine")

    again = ann.post(f"/{game}/moves", body, key="mine")
    another = ann.post(f"/{game}/moves", body | {"commands": [{"type": "fish", "card": None}]})

    assert ann.legal(game)["decision"] is None
    assert (again.status_code, again.data) == (201, first.data)
    assert (another.status_code, another.data["code"]) == (409, "not_your_decision")
    assert SealedAnswer.objects.filter(game=game).count() == 1


def test_r13_5_the_last_answer_resolves_them_in_turn_order(game: str, people: list[Person]) -> None:
    version = people[0].view(game)["version"]
    active = people[0].view(game)["state"]["active"]
    for person in people:
        card = body_of(person, game)["commands"][0]["card"]
        text = f"fish {card}"
        assert person.answer(game, text, message=f"{card} it is").status_code == 201

    moves = people[0].get(f"/{game}/moves", after=version).json()["moves"]
    mine = [move["commands"][0]["card"] for move in moves]

    assert [move["seat"] for move in moves] == [active, 1 - active]
    assert moves[0]["events"] == []
    assert moves[1]["events"][0]["type"] == "fish_resolved"
    assert [answer["seat"] for answer in moves[1]["events"][0]["answers"]] == [active, 1 - active]
    # Until the end each seat is shown its own command only; what came of it is in the event.
    assert [card is not None for card in mine] == [move["seat"] == 0 for move in moves]
    assert not SealedAnswer.objects.exists()
    assert_consistent(game, people[0])


def test_r13_5_an_answer_after_a_restart_finds_the_one_before(
    game: str, people: list[Person]
) -> None:
    ann, ben = people
    ann.choose(game, "fish")
    store.forget_all()

    assert ben.choose(game, "fish nothing").status_code == 201
    assert [d["kind"] for d in ann.view(game)["awaiting"]] != ["fish", "fish"]
    assert_consistent(game, ann)


def test_r13_5_projections_can_be_rebuilt_while_answers_are_sealed(
    game: str, people: list[Person]
) -> None:
    people[0].choose(game, "fish")
    projections.rebuild(game)
    assert people[0].legal(game)["decision"] is None
    people[1].choose(game, "fish")
    assert_consistent(game, people[0])


def test_r13_5_the_clock_answers_for_who_does_not(game: str, people: list[Person]) -> None:
    people[0].choose(game, "fish nothing")
    version = people[0].view(game)["version"]
    let_run_out(game)

    clock.sweep()
    clock.sweep()

    rows = Move.objects.filter(game=game, number__gt=version)[:2]
    assert {(row.seat, row.actor) for row in rows} == {(0, "player"), (1, "clock")}
    assert [decision["kind"] for decision in people[0].view(game)["awaiting"]] == ["turn"]


def test_r13_5_who_has_answered_gets_no_reminder_and_no_turn_mail(
    game: str, people: list[Person], sink: Sink
) -> None:
    outbox.deliver()
    before = len(sink.to(people[0].player.email))
    people[0].choose(game, "fish")
    let_run_out(game, left=timedelta(minutes=59))

    clock.sweep()
    outbox.deliver()

    assert len(sink.to(people[0].player.email)) == before
    assert [mail["X-Dewan-Kind"] for mail in sink.to(people[1].player.email)][-1] == "reminder"


def test_r13_5_a_bot_answers_sealed_too(people: list[Person]) -> None:
    ann = people[0]
    game = ann.open("me", "bot", scenario="lake_villages")
    for _ in range(LONGEST):
        while services.play_bot(game):
            pass
        view = ann.view(game)
        if view["status"] == "finished":
            break
        kinds = [decision["kind"] for decision in view["awaiting"]]
        entries = ann.legal(game)["entries"]
        assert ann.answer(game, best(view, entries)).status_code == 201, kinds
    assert verify(ann.get(f"/{game}/export").json()).problems == ()


@pytest.mark.usefixtures("committed")
def test_a_backup_holds_sealed_answers(tmp_path: Path) -> None:
    people = [Person("Ann"), Person("Ben")]
    people[0].choose(go_fishing(people), "fish")
    file = tmp_path / "backup"
    backup.write(file)
    assert "games.sealedanswer" in gzip.decompress(file.read_bytes()).decode()


@pytest.mark.both_databases
@pytest.mark.usefixtures("committed")
def test_r13_5_two_answers_at_once_are_both_kept() -> None:
    people = [Person("Ann"), Person("Ben")]
    game = go_fishing(people)
    version = people[0].view(game)["version"]
    bodies = [body_of(person, game) for person in people]

    responses = at_once(
        *[
            partial(person.post, f"/{game}/moves", body, "key")
            for person, body in zip(people * 2, bodies * 2, strict=True)
        ]
    )

    assert [response.status_code for response in responses] == [201] * 4
    rows = Move.objects.filter(game=game, number__gt=version, decision__startswith=f"{version}-")
    assert sorted(row.seat for row in rows if row.seat is not None) == [0, 1]
    assert asked_person(game, people)
    assert_consistent(game, people[0])


def test_r13_5_ones_own_list_knows_that_one_has_answered(game: str, people: list[Person]) -> None:
    ann, ben = people
    ann.choose(game, "fish")

    mine, theirs = (person.get("").json()["games"][0] for person in people)

    assert mine["deadline"] is None
    assert theirs["deadline"] is not None
    assert [decision["seat"] for decision in mine["awaiting"]] == [0, 1]
    assert "Your turn" not in Visitor(ann.player).get("/").words
    assert "Your turn" in Visitor(ben.player).get("/").words
