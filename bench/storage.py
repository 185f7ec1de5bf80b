"""Resuming a game of 150 events from each database, in a process of its own for each.

``python -m bench.storage`` is that process: it prints milliseconds, one a line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from bench.figures import Figure, seconds

if TYPE_CHECKING:
    from games.models import Game

EVENTS = 150
TIMES = 200
RUNS = 9


def resume_figure(database: str, url: str, data: str) -> Figure:
    """Milliseconds to resume a game from a database."""
    environment = os.environ | {"DATABASE_URL": url, "DEWAN_DATA": data}
    printed = subprocess.run(
        [sys.executable, "-m", "bench.storage"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    times = [float(line) for line in printed.split()]
    name = f"resume of a {EVENTS}-event game from {database}"
    return Figure(name, "ms", times, 3, 1.5, low_is_good=True)


def main() -> None:
    """Store a game, then read and fold it again and again."""
    import django  # noqa: PLC0415

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    from games import store  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    game = _stored_game()

    def resume_often() -> None:
        for _ in range(TIMES):
            store.forget_all()
            store.state_of(game)

    resume_often()
    for _ in range(RUNS):
        print(seconds(resume_often) / TIMES * 1000)


def _stored_game() -> Game:
    """Store as much of a bots' game as has 150 events."""
    from bench.games import played  # noqa: PLC0415
    from dewan_site.accounts.models import Player  # noqa: PLC0415
    from games import services, store  # noqa: PLC0415

    player = Player.objects.with_email("bench@example.org")
    wanted = services.NewGame(players=3, seats=("me", "open", "open"))
    game = services.create_game(player, wanted)
    state, events = None, 0
    for row, _ in played(1, 3):
        if events < EVENTS:
            move, state = store.next_row(
                game,
                state,
                seat=row.seat,
                actor=row.actor,
                decision=None,
                commands=(),
                events=row.events,
            )
            move.save()
            events += len(row.events)
    return game


if __name__ == "__main__":
    main()
