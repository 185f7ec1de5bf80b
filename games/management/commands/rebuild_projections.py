"""Delete the projections and make them again from the move log."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from games import projections
from games.models import Game


class Command(BaseCommand):
    """Rebuilds one game after another, each in a transaction of its own."""

    help = "Rebuild the projections of games (all, if none is named) from their logs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("games", nargs="*", help="Game ids; none rebuilds all.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Rebuild."""
        games = Game.objects.exclude(moves=None)
        if options["games"]:
            games = games.filter(pk__in=options["games"])
        rebuilt = list(games.values_list("pk", flat=True))
        for game_id in rebuilt:
            projections.rebuild(game_id)
        self.stdout.write(json.dumps({"games": len(rebuilt)}))
