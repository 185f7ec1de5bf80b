"""The people of the tests: Ann, Ben, Cleo and Dora, with their API tokens and a way to play."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from knox.models import AuthToken
from rest_framework.response import Response
from rest_framework.test import APIClient

from dewan_site.accounts.models import Player
from games.models import Decision

_keys = itertools.count(1)


class Person:
    """A player and their REST client."""

    def __init__(self, name: str) -> None:
        self.player = Player.objects.with_email(
            f"{name.lower()}@example.org", name=name, introduced=True
        )
        self.token: str = AuthToken.objects.create(self.player)[1]
        self.client = APIClient()
        self.client.credentials(HTTP_AUTHORIZATION=f"Bearer {self.token}")

    def get(self, path: str, **query: Any) -> Response:
        """GET a path below /api/v1/games."""
        return self.client.get(f"/api/v1/games{path}", query)

    def post(self, path: str, body: Any = None, key: str | None = None) -> Response:
        """POST to a path below /api/v1/games."""
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.client.post(f"/api/v1/games{path}", body or {}, format="json", headers=headers)

    def open(self, *seats: str, **fields: Any) -> str:
        """Open a game with these seats and return its id."""
        body = {"players": len(seats), "seats": seats, **fields}
        response = self.post("", body)
        assert response.status_code == 201, response.data
        game: str = response.data["id"]
        return game

    def view(self, game: str, **query: Any) -> dict[str, Any]:
        """Return the game as this person sees it."""
        data: dict[str, Any] = self.get(f"/{game}", **query).json()
        return data

    def legal(self, game: str) -> dict[str, Any]:
        """Return what this person may answer."""
        data: dict[str, Any] = self.get(f"/{game}/legal").json()
        return data

    def answer(self, game: str, text: str, **fields: Any) -> Response:
        """Answer what is asked now with a line of notation."""
        return self._answer(game, self.legal(game), text, fields)

    def choose(self, game: str, wanted: str = "", **fields: Any) -> Response:
        """Answer with the first legal entry that begins with the wanted words."""
        asked = self.legal(game)
        texts = (entry["text"] for entry in asked["entries"])
        text = next(text for text in texts if text.startswith(wanted))
        return self._answer(game, asked, text, fields)

    def _answer(
        self, game: str, asked: dict[str, Any], text: str, fields: dict[str, Any]
    ) -> Response:
        body = {"decision": asked["decision"], "expected_version": asked["version"], "text": text}
        return self.post(f"/{game}/moves", body | fields, key=f"key-{next(_keys)}")


def start_game(*people: Person, **fields: Any) -> str:
    """Start a game in which these people sit in this order."""
    first, *others = people
    game = first.open("me", *["open"] * len(others), **fields)
    for person in others:
        assert person.post(f"/{game}/seats").status_code == 201
    return game


def asked_person(game: str, people: Sequence[Person]) -> Person:
    """Return who is asked first now."""
    asked = Decision.objects.filter(game=game, answered_at=None).order_by("pk")
    return people[asked.values_list("seat", flat=True)[0]]


def end_a_turn_that_can_be_taken_back(game: str, people: Sequence[Person]) -> Person:
    """Play on until somebody has ended a turn that they can take back, and return them."""
    for _ in range(60):
        mover = asked_person(game, people)
        texts = [entry["text"] for entry in mover.legal(game)["entries"]]
        camps = [text for text in texts if text.startswith("camp")]
        assert mover.answer(game, [*texts[:1], *camps][-1]).status_code == 201
        if mover.view(game)["undo"] and asked_person(game, people) is not mover:
            return mover
    raise AssertionError("nobody ended a turn that they can take back")


def draft(game: str, people: Sequence[Person]) -> None:
    """Let everybody draft the first story tile of the row."""
    for _ in people:
        assert asked_person(game, people).choose(game, "story").status_code == 201
