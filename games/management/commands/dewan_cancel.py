"""Call a game off."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engine.errors import GameError
from games import services
from games.access import NotVisible


class Command(BaseCommand):
    """Ends a game without a result; it stays in the players' lists, and its seed is revealed."""

    help = "Call a game off: it ends without a result and stays listed."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("game")

    def handle(self, *_: Any, **options: Any) -> None:
        """Cancel the game."""
        try:
            services.cancel_game(options["game"])
        except NotVisible as error:
            raise CommandError(f"there is no game {options['game']}") from error
        except GameError as error:
            raise CommandError(error.detail) from error
        self.stdout.write(f"game {options['game']} is called off")
