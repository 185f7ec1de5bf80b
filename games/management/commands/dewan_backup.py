"""Write a backup of everything the service needs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games import backup


class Command(BaseCommand):
    """Prints ``{"rows"}``; the service may run meanwhile. The file holds secrets: keep it so."""

    help = "Write a backup, on either database, while the service runs."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", help="The backup, a .jsonl.gz file.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Write the backup."""
        try:
            rows = backup.write(Path(options["file"]))
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}") from error
        self.stdout.write(json.dumps({"rows": rows}))
