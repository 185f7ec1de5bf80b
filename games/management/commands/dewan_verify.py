"""Check games: hash chain, chance, fold and score."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine.verify import Report, verify
from games import selectors
from games.models import Game


class Command(BaseCommand):
    """Prints a line for each problem or note, then one JSON object; exits 1 on a problem."""

    help = "Check hash chain, chance, fold and score of games here, or of an exported file."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("games", nargs="*", help="Game ids; none checks all.")
        parser.add_argument("--file", help="Check an exported game instead.")
        parser.add_argument("--head", help="number:hash that a mail of the game has printed.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Check, report, and exit."""
        reports = [verify(export, options["head"]) for export in self._exports(options)]
        for report in reports:
            self._say(report)
        problems = sum(not report.ok for report in reports)
        moves = sum(report.moves for report in reports)
        summary = {"games": len(reports), "moves": moves, "games_with_problems": problems}
        self.stdout.write(json.dumps(summary))
        if problems:
            sys.exit(1)

    def _exports(self, options: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        if options["file"]:
            yield json.loads(Path(options["file"]).read_text())
            return
        games = Game.objects.exclude(version=0).order_by("created_at")
        if options["games"]:
            games = games.filter(pk__in=options["games"])
            missing = set(options["games"]) - set(games.values_list("pk", flat=True))
            if missing:
                raise CommandError(f"there is no begun game {', '.join(sorted(missing))}")
        for game in games.iterator():
            yield selectors.open_export(game)

    def _say(self, report: Report) -> None:
        for problem in report.problems:
            self.stdout.write(f"{report.game}: PROBLEM {problem}")
        for note in report.notes:
            self.stdout.write(f"{report.game}: note: {note}")
