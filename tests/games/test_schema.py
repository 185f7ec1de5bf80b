"""The OpenAPI document and the service agree, whatever a client sends."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import schemathesis
from django.core import signals
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from dewan_site.wsgi import application
from tests.people import Person

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
    """Return what makes most cases be about a game in which it is the caller's turn."""
    game = ann.open("me", "bot")
    legal = ann.get(f"/{game}/legal").json()
    numbers = itertools.count()

    def change(case: Case) -> None:
        number = next(numbers)
        if "game_id" in case.path_parameters and number % 4:
            case.path_parameters["game_id"] = game
        if isinstance(case.body, dict) and "expected_version" in case.body:
            case.body |= {"decision": legal["decision"], "expected_version": legal["version"]}
            case.body.pop(("text", "commands")[number % 2], None)

    return change


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


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_the_document_allows_is_answered_as_it_says(ann: Person, name: str) -> None:
    statuses = agree(ann, name, GenerationMode.POSITIVE)

    expected = {"get_components": 404, "get_routes": 200, "submit_move": 400, "open_game": 400}
    assert expected.get(name, 200) in statuses
    assert 401 not in statuses


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name != "get_components"])
def test_what_it_does_not_allow_is_refused_as_it_says(ann: Person, name: str) -> None:
    assert agree(ann, name, GenerationMode.NEGATIVE) & {400, 401, 404}
