"""Fold every game again and compare with what the projections say."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from games import projections
from games.models import Game


class Command(BaseCommand):
    """Prints each game whose projections differ from its log, then one JSON object."""

    help = "Fold games from their logs and compare with the projections; exit 1 if one differs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("games", nargs="*", help="Game ids; none folds all.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Fold, compare, and exit."""
        games = Game.objects.exclude(version=0)
        if options["games"]:
            games = games.filter(pk__in=options["games"])
        folded, differing = 0, 0
        for game_id in games.values_list("pk", flat=True).iterator():
            folded += 1
            for difference in projections.differences(game_id):
                differing += 1
                self.stdout.write(f"{game_id}: {difference}")
        self.stdout.write(json.dumps({"games": folded, "differences": differing}))
        if differing:
            sys.exit(1)
