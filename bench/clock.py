"""The sweep on PostgreSQL: a million open games of which none is due, and 500 that expire at once.

``python -m bench.clock`` is a process of its own: it prints one JSON object of lists of seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, seconds

if TYPE_CHECKING:
    from games.models import Game

OPEN_GAMES = 1_000_000
EXPIRING = 500
RUNS = 9
EXPIRIES = 3


def figures(url: str, data: str) -> list[Figure]:
    """Milliseconds in the database of an idle sweep; seconds of one with 500 that are late."""
    printed = subprocess.run(
        [sys.executable, "-m", "bench.clock"],
        env=os.environ | {"DATABASE_URL": url, "DEWAN_DATA": data},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    found = json.loads(printed)
    idle = [each * 1000 for each in found["idle"]]
    return [
        Figure(f"idle sweep of {OPEN_GAMES:,} open games", "ms", idle, 3, 1, low_is_good=True),
        Figure(
            f"{EXPIRING} clocks that expire at once, one worker",
            "s",
            found["expiring"],
            2.5,
            1,
            low_is_good=True,
        ),
    ]


def main() -> None:
    """Make the games, sweep, and print what it took."""
    import django  # noqa: PLC0415

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    expiring = [_expiring() for _ in range(EXPIRIES)]
    _open_a_million()
    print(json.dumps({"idle": [_idle() for _ in range(RUNS)], "expiring": expiring}))


# ---- 500 at once -------------------------------------------------------------------------------


def _expiring() -> float:
    """Return the seconds of a sweep that plays for 500 seats, whose games it has to read first."""
    from django.db import connection  # noqa: PLC0415
    from django.db.models import F  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from games import store  # noqa: PLC0415
    from games.models import Decision, Move  # noqa: PLC0415
    from notifications import clock  # noqa: PLC0415

    games = [_game_in_its_first_round(number) for number in range(EXPIRING)]
    late = Decision.objects.filter(game__in=games, answered_at=None)
    late.update(runs_from=timezone.now() - F("granted"), wake_at=timezone.now())
    store.forget_all()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as PostgreSQL does by itself, but not within seconds
    spent = seconds(clock.sweep)
    played = Move.objects.filter(game__in=games, actor=Move.Actor.CLOCK).values("game")
    assert played.distinct().count() == EXPIRING, "every one of them was played for"
    return spent


def _game_in_its_first_round(number: int) -> Game:
    """Open a game of two people, and draft for them."""
    from dewan_site.accounts.models import Player  # noqa: PLC0415
    from engine.legal import legal  # noqa: PLC0415
    from engine.views import mask  # noqa: PLC0415
    from games import services, store  # noqa: PLC0415

    people = [Player.objects.with_email(f"late{seat}.{number}@example.org") for seat in range(2)]
    game = services.create_game(people[0], services.NewGame(players=2, seats=("me", "open")))
    services.join_game(people[1], game.pk)
    for _ in people:
        state = store.state_of(game)
        assert state is not None, "it has begun"
        question = state.questions[0]
        first = legal(mask(state, question.seat), question.seat)[0]
        submitted = services.Submitted(
            decision=state.decision_of(question),
            expected_version=state.version,
            commands=(first.command,),
        )
        services.submit_move(people[question.seat], game.pk, submitted)
    return game


# ---- A million -----------------------------------------------------------------------------------


def _open_a_million() -> None:
    """Copy one game and its open decision a million times, due in the days to come."""
    from django.db import connection  # noqa: PLC0415

    from games.models import Decision, Game  # noqa: PLC0415

    game = _game_in_its_first_round(EXPIRING)
    decision = Decision.objects.get(game=game, answered_at=None)
    id_of_copy = "lpad(n::text, 12, '0')"
    later = "now() + (1 + n %% 2592000) * interval '1 second' + interval '1 hour'"
    with connection.cursor() as cursor:
        cursor.execute(*_copying(Game, {"id": id_of_copy}, game.pk))
        cursor.execute(*_copying(Decision, {"game_id": id_of_copy, "wake_at": later}, decision.pk))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE games_decision")
        cursor.execute("VACUUM ANALYZE games_game")


def _copying(model: Any, changes: dict[str, str], key: Any) -> tuple[str, list[Any]]:
    fields = [f for f in model._meta.concrete_fields if not f.primary_key or f.column in changes]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    values = ", ".join(changes.get(field.column, f'"{field.column}"') for field in fields)
    table, by = model._meta.db_table, model._meta.pk.column
    return (
        f'INSERT INTO "{table}" ({columns}) SELECT {values} FROM "{table}",'
        f' generate_series(1, %s) AS n WHERE "{by}" = %s',
        [OPEN_GAMES, key],
    )


def _idle() -> float:
    """Return the seconds that the statements of a sweep take that finds nothing to do."""
    from django.db import connection  # noqa: PLC0415

    from notifications import clock  # noqa: PLC0415

    spent: list[float] = []

    def timed(execute: Callable[..., Any], *arguments: Any) -> Any:
        begun = time.perf_counter()
        result = execute(*arguments)
        spent.append(time.perf_counter() - begun)
        return result

    with connection.execute_wrapper(timed):
        clock.sweep()
    _assert_by_index()
    return sum(spent)


def _assert_by_index() -> None:
    """Fail unless what is due is found by the index on the moments to wake at."""
    from django.db import connection  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from notifications import clock  # noqa: PLC0415

    with connection.cursor() as cursor:
        query, values = clock.due(timezone.now()).query.sql_with_params()
        cursor.execute(f"EXPLAIN {query}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "open_by_waking" in plan and "Seq Scan" not in plan, plan  # noqa: PT018


if __name__ == "__main__":
    main()
