"""Planning games: the requests that play them to the end, known beforehand from their seeds."""

from __future__ import annotations

from typing import Any

import msgspec
from django.db import transaction
from knox.models import AuthToken

from dewan_site.accounts.models import Player
from engine import bots
from engine.decide import submit
from engine.fold import Row, advance
from engine.views import mask
from games import services
from games.table import Table

SEATS = 4


def plan(number: int, moves: int) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    """Open games among four players and return ``moves`` requests that play them in a row."""
    people = [Player.objects.with_email(f"p{number}.{seat}@example.org") for seat in range(SEATS)]
    headers = [{"Authorization": f"Bearer {AuthToken.objects.create(p)[1]}"} for p in people]
    posts: list[tuple[str, dict[str, Any], dict[str, str]]] = []
    while len(posts) < moves:
        posts += _game(people, headers)
    return posts[:moves]


def _game(
    people: list[Player], headers: list[dict[str, str]]
) -> list[tuple[str, dict[str, Any], dict[str, str]]]:
    seats = ("me", *["open"] * (SEATS - 1))
    game = services.create_game(people[0], services.NewGame(players=SEATS, seats=seats))
    for person in people[1:]:
        services.join_game(person, game.pk)
    with transaction.atomic():
        table = Table.lock(game.pk)
    state = table.running
    posts = []
    while state.questions:
        question = state.questions[0]
        command = bots.choose(mask(state, question.seat), question.seat)
        body = {
            "decision": state.decision_of(question),
            "expected_version": state.version,
            "commands": [msgspec.to_builtins(command)],
        }
        key = {"Idempotency-Key": f"{game.pk}-{state.version}"}
        posts.append((f"/api/v1/games/{game.pk}/moves", body, headers[question.seat] | key))
        outcome = submit(state, question.seat, [command], table.chance)
        state = advance(state, Row(state.version + 1, question.seat, "player", outcome.events))
    return posts
