"""The OpenAPI document, docs/api.md and the service agree, whatever a client sends."""

from __future__ import annotations

import functools
import itertools
import json
import re
import shlex
import string
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
import time_machine
from django.core import signals
from django.db import close_old_connections
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from rest_framework.response import Response
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from dewan_site.wsgi import application
from games import services
from games.models import Game
from tests.people import Person, asked_person, draft, start_game

SCHEMA = schemathesis.openapi.from_wsgi("/api/v1/schema/", application)
OPERATIONS: dict[str, Any] = {
    operation.definition.raw["operationId"]: operation
    for operation in (found.ok() for found in SCHEMA.get_all_operations())
}
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
A_FEW = settings(
    max_examples=12,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@contextmanager
def one_connection() -> Iterator[None]:
    """Keep the test's transaction: a request through WSGI would close its connection."""
    around = (signals.request_started, signals.request_finished)
    for signal in around:
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in around:
            signal.connect(close_old_connections)


def at_this_table(ann: Person) -> Callable[[Case], None]:
    """Return what makes most cases be about what there is: a game, a proposal, a vacation.

    It is the caller's turn, and Ben has proposed what she can agree to.
    """
    game = ann.open("me", "bot")
    legal = ann.get(f"/{game}/legal").json()
    there_is, proposed = {"game_id": game, "start": booked_by(ann)}, proposed_to(ann)
    numbers = itertools.count()

    def change(case: Case) -> None:
        number, path = next(numbers), case.path_parameters
        known = proposed if "proposal" in path else there_is
        if number % 4:
            path |= {name: known[name] for name in known.keys() & path.keys()}
        if isinstance(case.body, dict) and "expected_version" in case.body:
            now = {"decision": legal["decision"], "expected_version": legal["version"]}
            case.body |= {name: now[name] for name in now.keys() & case.body.keys()}
            case.body.pop(("text", "commands")[number % 2], None)
        if number % 4 == 1 and isinstance(case.body, dict) and "kind" in case.body:
            case.body = {"kind": "cancel"}  # what can be proposed always, and nothing besides

    return change


def booked_by(person: Person) -> str:
    """Book a vacation and return what it is called."""
    day = (timezone.now() + timedelta(days=60)).date().isoformat()
    body = {"first": day, "last": day}
    start: str = person.client.post("/api/v1/me/vacations", body, format="json").data["start"]
    return start


def proposed_to(person: Person) -> dict[str, Any]:
    """Return where another player of a game has proposed something."""
    ben = Person("Ben")
    game = start_game(ben, person)
    proposal = ben.post(f"/{game}/proposals", {"kind": "cancel"}).data["proposal"]
    return {"game_id": game, "proposal": proposal}


def agree(ann: Person, name: str, mode: GenerationMode) -> set[int]:
    """Send a few requests, check each answer against the document, and return their statuses."""
    change = at_this_table(ann)
    statuses = set()

    @A_FEW
    @given(OPERATIONS[name].as_strategy(generation_mode=mode))
    def send(case: Case) -> None:
        change(case)
        response = case.call(headers={"Authorization": f"Bearer {ann.token}"})
        case.validate_response(response, checks=CHECKS)
        statuses.add(response.status_code)

    with one_connection():
        send()
    return statuses


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_the_document_allows_is_answered_as_it_says(ann: Person, name: str) -> None:
    statuses = agree(ann, name, GenerationMode.POSITIVE)

    assert EXPECTED.get(name, 200) in statuses
    assert 401 not in statuses


EXPECTED = {
    "get_components": 404, "submit_move": 400, "open_game": 400, "offer_seat": 201,
    "withdraw_offer": 204, "propose": 201, "book_vacation": 400, "cancel_vacation": 204,
}  # fmt: skip
"""What some case of an operation is answered with, if not 200."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in OPERATIONS if name != "get_components"])
def test_what_it_does_not_allow_is_refused_as_it_says(ann: Person, name: str) -> None:
    assert agree(ann, name, GenerationMode.NEGATIVE) & {400, 401, 404}


# ---- docs/api.md -----------------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def play(people: list[Person], game: str) -> None:
    """Play on to the end, always by the last legal entry that does something."""
    while people[0].view(game)["status"] == "running":
        asked = asked_person(game, people)
        texts = [entry["text"] for entry in asked.legal(game)["entries"]]
        text = next(text for text in reversed(texts) if text != "tuck nothing")
        assert asked.answer(game, text, message="Ha!").status_code == 201


def names(data: Any) -> set[str]:
    """Return the names of all fields in an answer, with where they are."""
    if isinstance(data, list):
        return set().union(*map(names, data))
    if not isinstance(data, dict):
        return set()
    inner = {f"{name}.{below}" for name, value in data.items() for below in names(value)}
    return {*data, *inner}


def rested(person: Person) -> dict[str, Any]:
    """Return what a player has chosen who has chosen something everywhere."""
    booked_by(person)
    quiet = {"from": "22:00", "to": "07:30"}
    mails = {"stopped": False, "rhythm": "batched", "digest_at": "08:00", "quiet": quiet}
    person.client.put("/api/v1/me/mails", mails, format="json")
    game = person.open("me", "bot")
    person.client.put(f"/api/v1/games/{game}/mails", {"rhythm": "off"}, format="json")
    body = {"night": {"from": "22:00", "to": "07:00"}, "weekdays": [7]}
    me: dict[str, Any] = person.client.put("/api/v1/me/rests", body, format="json").json()
    return me


def test_every_field_of_the_document_is_on_the_page() -> None:
    parts = SCHEMA.raw_schema["components"]["schemas"].values()
    fields = {name for part in parts for name in part.get("properties", {})}

    assert {name for name in fields if not re.search(rf"[`\"]{name}[`\"]", PAGE)} == set()


def test_the_examples_have_the_fields_of_the_answers(ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    asked = asked_person(game, people)
    legal, listed = asked.legal(game), ann.get("").json()
    ways = [entry["command"].get("route") for entry in legal["entries"]]
    to = next(route[-1] for route in ways if route)
    routes = asked.get(f"/{game}/legal/routes", to=to).json()
    problem = asked.answer(game, "take 1-3").json()
    proposal = ben.post(f"/{game}/proposals", {"kind": "pause", "seconds": 3600}).json()
    play(people, game)
    paces, me = ann.get(f"/{game}/pace").json(), rested(ann)
    moves = ann.get(f"/{game}/moves").json()
    over = ann.view(game)
    tribe = max(over["state"]["tribes"], key=lambda tribe: len(tribe["tucked"]))
    answers = [tribe, over["result"], listed, legal, routes, moves, proposal, paces, me, problem]

    for example, answer in zip(map(json.loads, blocks("json")), answers, strict=True):
        assert example.keys() == answer.keys()
        assert names(example) <= names(answer)


def test_the_program_plays_a_game_to_its_end(
    ann: Person, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (program,) = blocks("python")
    assert len(program.splitlines()) <= 20
    transport = httpx.WSGITransport(app=application)
    monkeypatch.setattr(httpx, "Client", functools.partial(httpx.Client, transport=transport))
    monkeypatch.setattr(time, "sleep", lambda _: services.play_bot(Game.objects.get().pk))
    monkeypatch.setenv("DEWAN_TOKEN", ann.token)

    with one_connection():
        exec(compile(program, "docs/api.md", "exec"), {})

    assert Game.objects.get().status == Game.Status.FINISHED
    assert capsys.readouterr().out in ("I won\n", "the bot won\n")


def test_the_lines_for_curl_are_answered_as_the_page_says(
    ann: Person, ben: Person, cleo: Person
) -> None:
    (lines,) = blocks("bash")
    known = {"API": "/api/v1"}
    said = re.findall(r"^as \$(\w+) (.*?)  # (\d+)$", lines, re.DOTALL | re.MULTILINE)
    assert len(said) == lines.count("\nas $")
    with time_machine.travel(datetime(2027, 6, 1, tzinfo=UTC)):
        for who, line, status in said:
            words = shlex.split(string.Template(line).safe_substitute(known))
            response = sent({"ANN": ann, "BEN": ben, "CLEO": cleo}[who], words)
            assert response.status_code == int(status), line
            known |= called(response)


def sent(person: Person, words: list[str]) -> Response:
    """Send what curl would."""
    flags = {flag: words[words.index(flag) + 1] for flag in ("-X", "-d") if flag in words}
    (path,) = (word for word in words if word.startswith("/api/"))
    body = json.loads(flags.get("-d", "{}"))
    return person.client.generic(
        flags.get("-X", "GET"), path, json.dumps(body), content_type="application/json"
    )


def called(response: Response) -> dict[str, str]:
    """Return what the lines that follow call what is in an answer."""
    names = {"id": "GAME", "proposal": "PROPOSAL", "offer": "OFFER"}
    data = response.json() if response.content else {}
    return {names[field]: str(data[field]) for field in names.keys() & data.keys()}
