"""The operator's commands."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from dewan_site.accounts.models import Player
from games.models import Decision, Game, Move
from notifications.models import OutboxMail
from tests.clocks import deadline_of, open_decision
from tests.people import Person, asked_person, draft, start_game

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("known_chance", "committed")]


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue().strip()


@pytest.fixture
def people() -> list[Person]:
    return [Person("Ann"), Person("Ben")]


@pytest.fixture
def game(people: list[Person]) -> str:
    game = start_game(*people)
    draft(game, people)
    asked_person(game, people).choose(game)
    return game


def test_dewan_player_makes_a_player_once_and_a_token_each_time() -> None:
    arguments = ("dewan_player", "--email", "Eve@Example.org", "--name", "Eve")

    first = json.loads(run(*arguments, "--zone", "Europe/Lisbon"))
    second = json.loads(run(*arguments))

    assert first["player"] == second["player"]
    assert first["token"] != second["token"]
    eve = Player.objects.get()
    assert (eve.email, eve.name, eve.zone) == ("eve@example.org", "Eve", "Europe/Lisbon")


@pytest.mark.parametrize("wrong", [["--email", "nobody"], ["--email", "a@b.org", "--zone", "Mars"]])
def test_dewan_player_says_what_is_wrong(wrong: list[str]) -> None:
    with pytest.raises(CommandError):
        run("dewan_player", *wrong)
    assert not Player.objects.exists()


def test_dewan_extend_and_cancel(game: str) -> None:
    before = deadline_of(open_decision(game))

    run("dewan_extend", game, "P1D")

    after = deadline_of(open_decision(game))
    assert (after - before).days == 1
    run("dewan_cancel", game)
    assert Game.objects.get(pk=game).status == "cancelled"
    for command in (("dewan_cancel", game), ("dewan_extend", game, "60"), ("dewan_cancel", "no")):
        with pytest.raises(CommandError):
            run(*command)
    with pytest.raises(CommandError, match="ISO 8601"):
        run("dewan_extend", game, "tomorrow")


def test_dewan_verify_finds_every_game_whole(game: str) -> None:
    head = Game.objects.get(pk=game)

    summary = json.loads(run("dewan_verify", game, "--head", f"{head.version}:{head.head_hash}"))

    assert summary == {"games": 1, "moves": 4, "games_with_problems": 0}
    with pytest.raises(SystemExit):
        run("dewan_verify", game, "--head", f"4:{'0' * 64}")


def test_dewan_verify_reads_a_file(people: list[Person], game: str, tmp_path: Path) -> None:
    run("dewan_cancel", game)
    path = tmp_path / "game.json"
    export: dict[str, Any] = people[0].get(f"/{game}/export").json()
    path.write_text(json.dumps(export))
    run("dewan_verify", "--file", str(path))

    export["moves"][1]["at"] = export["moves"][0]["at"]
    path.write_text(json.dumps(export))
    with pytest.raises(SystemExit):
        run("dewan_verify", "--file", str(path))


def test_refold_finds_a_wrong_projection_and_rebuild_mends_it(game: str) -> None:
    assert json.loads(run("refold")) == {"games": 1, "differences": 0}

    Game.objects.update(round=9)
    Decision.objects.filter(answered_at=None).delete()
    with pytest.raises(SystemExit):
        run("refold")

    run("rebuild_projections")
    assert json.loads(run("refold"))["differences"] == 0


def test_a_finished_game_is_folded_as_it_is_stored(people: list[Person]) -> None:
    game = start_game(*people)
    while people[0].view(game)["status"] == "running":
        asked = asked_person(game, people)
        texts = [entry["text"] for entry in asked.legal(game)["entries"]]
        assert asked.answer(game, texts[-1]).status_code == 201

    stored = Game.objects.get(pk=game).result
    run("refold")
    run("rebuild_projections")

    assert json.loads(run("refold")) == {"games": 1, "differences": 0}
    assert Game.objects.get(pk=game).result == stored == people[0].view(game)["result"]


def rows() -> dict[str, list[dict[str, Any]]]:
    tables: list[type[Any]] = [Player, Game, Move, Decision, OutboxMail]
    return {table.__name__: list(table.objects.order_by("pk").values()) for table in tables}


def test_a_backup_restores_everything_into_an_empty_database(
    people: list[Person], game: str, tmp_path: Path, other_database: Callable[[], None]
) -> None:
    path = tmp_path / "backup.jsonl.gz"
    before = rows()
    written = json.loads(run("dewan_backup", str(path)))
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(CommandError, match="not empty"):
        run("dewan_restore", str(path))

    other_database()
    assert not Game.objects.exists()
    restored = json.loads(run("dewan_restore", str(path)))

    assert restored == written
    assert rows() == before
    assert json.loads(run("dewan_verify"))["games_with_problems"] == 0
    assert json.loads(run("refold"))["differences"] == 0
    asked_person(game, people).choose(game)
    start_game(*people)


def test_a_damaged_backup_restores_nothing(
    game: str, tmp_path: Path, other_database: Callable[[], None]
) -> None:
    import gzip  # noqa: PLC0415

    path = tmp_path / "backup.jsonl.gz"
    run("dewan_backup", str(path))
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    path.write_bytes(gzip.compress("\n".join([*lines[:-3], lines[-1]]).encode()))

    other_database()
    with pytest.raises(CommandError, match="cut or changed"):
        run("dewan_restore", str(path))

    assert not Player.objects.exists()
    assert connection.is_usable()
