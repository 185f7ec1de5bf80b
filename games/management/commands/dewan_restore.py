"""Load a backup into an empty database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from games import backup


class Command(BaseCommand):
    """Prints ``{"rows"}``. The database may be the other kind than the backup came from."""

    help = "Load a backup into an empty database."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the arguments."""
        parser.add_argument("file", help="The backup, a .jsonl.gz file.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Migrate, then load the backup; all or nothing."""
        call_command("migrate", verbosity=0, interactive=False)
        try:
            rows = backup.restore(Path(options["file"]))
        except (backup.BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps({"rows": rows}))
