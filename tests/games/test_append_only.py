"""The move log is append-only in the database itself, after all migrations."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client

from games.models import Move
from tests.people import Person, start_game
from tests.plugin import ON_SQLITE

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("committed")]


@pytest.fixture
def ann() -> Person:
    return Person("Ann")


@pytest.fixture
def move(ann: Person) -> Move:
    return Move.objects.get(game=start_game(ann, Person("Ben")))


def execute(statement: str) -> Callable[[Move], object]:
    def run(move: Move) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement.format(id=move.pk, game=move.game_id))

    return run


def save_again(move: Move) -> None:
    move.at = "another time"
    move.save()


ROW = "(id, game_id, number, actor, commands, events, at, ruleset, prev_hash, nonce, hash)"
VALUES = "('{id}', '{game}', 1, 'player', '[]', '[]', '', '1', '', '', '')"
REPLACES = {
    "insert or replace": f"INSERT OR REPLACE INTO games_move {ROW} VALUES {VALUES}",
    "replace by number": f"REPLACE INTO games_move {ROW} VALUES {VALUES}".replace("'{id}'", "NULL"),
}
TRUNCATE = {"truncate": "TRUNCATE games_move CASCADE"}
ATTEMPTS: dict[str, Callable[[Move], object]] = {
    "update in SQL": execute("UPDATE games_move SET events = '[]' WHERE id = {id}"),
    "delete in SQL": execute("DELETE FROM games_move WHERE id = {id}"),
    "upsert": execute(
        f"INSERT INTO games_move {ROW} VALUES {VALUES} "
        "ON CONFLICT (game_id, number) DO UPDATE SET events = '[]'"
    ),
    "QuerySet.update": lambda move: Move.objects.filter(pk=move.pk).update(events="[]"),
    "QuerySet.delete": lambda move: Move.objects.filter(pk=move.pk).delete(),
    "bulk_update": lambda move: Move.objects.bulk_update([move], ["events"]),
    "save": save_again,
    "delete": lambda move: move.delete(),
    **{name: execute(sql) for name, sql in (REPLACES if ON_SQLITE else TRUNCATE).items()},
}


@pytest.mark.parametrize("attempt", ATTEMPTS.values(), ids=ATTEMPTS)
def test_every_way_to_change_a_row_is_refused(
    move: Move, attempt: Callable[[Move], object]
) -> None:
    before = Move.objects.filter(pk=move.pk).values().get()

    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        attempt(move)

    assert Move.objects.filter(pk=move.pk).values().get() == before


def test_the_triggers_are_there_after_all_migrations() -> None:
    names = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'games_move'"
    if not ON_SQLITE:
        names = (
            "SELECT DISTINCT trigger_name || ' ' || event_manipulation "
            "FROM information_schema.triggers WHERE event_object_table = 'games_move' "
            "UNION SELECT tgname || ' enabled' FROM pg_trigger "
            "WHERE tgrelid = 'games_move'::regclass AND NOT tgisinternal AND tgenabled = 'O' "
            "UNION SELECT tgname || ' TRUNCATE' FROM pg_trigger "
            "WHERE tgrelid = 'games_move'::regclass AND tgtype & 32 > 0"
        )
    with connection.cursor() as cursor:
        cursor.execute(names)
        found = {row[0] for row in cursor.fetchall()}

    refused = {"no_update", "no_delete", "no_replace"}
    on_postgresql = {
        f"games_move_append_only {event}" for event in ("UPDATE", "DELETE", "TRUNCATE", "enabled")
    }
    assert found == ({f"games_move_{name}" for name in refused} if ON_SQLITE else on_postgresql)


def test_the_admin_pages_only_show(move: Move, ann: Person) -> None:
    ann.player.is_staff = ann.player.is_superuser = True
    ann.player.save()
    browser = Client()
    browser.force_login(ann.player, "sesame.backends.ModelBackend")

    assert browser.get(f"/admin/games/move/{move.pk}/change/").status_code == 200
    for path in (f"{move.pk}/change/", f"{move.pk}/delete/", "add/"):
        assert browser.post(f"/admin/games/move/{path}", {"events": "[]"}).status_code == 403
    action = {"action": "delete_selected", "_selected_action": move.pk, "post": "yes"}
    browser.post("/admin/games/move/", action)
    assert Move.objects.filter(pk=move.pk).exists()
