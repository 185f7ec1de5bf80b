"""Give the players of a game more time."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dewan_site.env import duration
from engine.errors import GameError
from games import selectors, services
from games.access import NotVisible


class Command(BaseCommand):
    """Moves the open deadlines of a game; the log records it."""

    help = "Give the open decisions of a game more time."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("game")
        parser.add_argument("by", help="Seconds (3600) or ISO 8601 (P2D).")

    def handle(self, *_: Any, **options: Any) -> None:
        """Extend the deadlines."""
        by = duration(options["by"])
        if by is None:
            raise CommandError(f"{options['by']}: needs seconds (3600) or ISO 8601 (P2D)")
        try:
            game = services.extend_game(options["game"], by)
        except NotVisible as error:
            raise CommandError(f"there is no game {options['game']}") from error
        except GameError as error:
            raise CommandError(error.detail) from error
        for seat, deadline in selectors.deadlines_of(game):
            self.stdout.write(f"seat {seat} has until {deadline.isoformat()}")
