"""What games from before go on with: each migration that carries data over, on both databases."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from games.models import Decision, Game, Sitting
from tests.clocks import clock_of

pytestmark = pytest.mark.both_databases

BEFORE = [("accounts", "0002_name_validator"), ("games", "0003_sealed_answers"),
          ("notifications", "0001_initial")]  # fmt: skip
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def old(
    other_database: Callable[..., None], django_db_blocker: Any
) -> Iterator[Callable[[str, str], Any]]:
    """The models of a database as it was before deadlines were reckoned."""
    with django_db_blocker.unblock():
        other_database(empty=True)
        executor = MigrationExecutor(connection)
        everything = [node for node in executor.loader.graph.leaf_nodes() if node[0] in _OTHERS]
        state = executor.migrate([*BEFORE, *everything])
        yield state.apps.get_model


_OTHERS = {"auth", "admin", "contenttypes", "sessions", "knox"}


def test_a_running_clock_goes_on_as_it_was(old: Callable[[str, str], Any]) -> None:
    """A deadline of a day, moved by an outage of two hours, stays where it was."""
    game = _old_game(old)
    old("notifications", "RecordedOutage").objects.create(start=NOON + HOUR, end=NOON + 3 * HOUR)
    _old_decision(old, game, "1-0", 0, NOON - DAY, NOON, answered_at=NOON - HOUR)
    _old_decision(old, game, "2-1", 1, NOON, NOON + DAY + 2 * HOUR, answered_at=None)
    _old_move(old, game, 2, seat=0, decision="1-0")

    call_command("migrate", verbosity=0)

    answered, running = Decision.objects.order_by("since")
    assert (answered.closed_by, answered.granted) == ("player", DAY)
    assert (running.closed_by, running.granted) == ("", DAY)
    assert clock_of(running).deadline == NOON + DAY + 2 * HOUR
    assert running.player_id == Sitting.objects.get(seat=1).player_id
    assert running.wake_at is not None
    assert Game.objects.get().credited > "2026", "the outage is in it already"


def _old_game(old: Callable[[str, str], Any]) -> Any:
    players = [
        old("accounts", "Player").objects.create(email=f"{name}@example.org", name=name, zone="UTC")
        for name in ("ann", "ben")
    ]
    components = old("games", "StoredComponentSet").objects.create(digest="0" * 64, data="{}")
    game = old("games", "Game").objects.create(
        id="old000000000", scenario="base", players=2, layout="two", ruleset="1",
        component_set_id=components.pk, commitment="0" * 64, move_time=86400, visibility="private",
        status="running", version=2,
    )  # fmt: skip
    for number, player in enumerate(players):
        old("games", "Seat").objects.create(
            game_id=game.pk, number=number, kind="human", player_id=player.pk
        )
    return game


def _old_decision(
    old: Callable[[str, str], Any],
    game: Any,
    name: str,
    seat: int,
    asked_at: datetime,
    deadline: datetime,
    answered_at: datetime | None,
) -> None:
    old("games", "Decision").objects.create(
        game_id=game.pk, decision=name, seat=seat, kind="turn", since=int(name[0]),
        asked_at=asked_at, deadline=deadline, answered_at=answered_at,
    )  # fmt: skip


def _old_move(
    old: Callable[[str, str], Any], game: Any, number: int, seat: int, decision: str
) -> None:
    old("games", "Move").objects.create(
        game_id=game.pk, number=number, seat=seat, actor="player", decision=decision, commands="[]",
        events="[]", at="2026-11-01T11:00:00.000000Z", ruleset="1", prev_hash="", nonce="", hash="",
    )  # fmt: skip
