"""Make a player and a token for the REST API."""

from __future__ import annotations

import json
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.validators import validate_email
from knox.models import AuthToken

from dewan_site.accounts.models import Player, validate_zone
from dewan_site.accounts.names import NAME_LENGTH, clean_name
from dewan_site.reach import reach_database


class Command(BaseCommand):
    """Prints ``{"player", "token"}``; the same address is the same player, each token is new."""

    help = "Make a player (or find one by address) and print a new API token."
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--email", required=True)
        parser.add_argument("--name", default="")
        parser.add_argument("--zone", default="")
        parser.add_argument("--staff", action="store_true", help="May read the admin pages.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Make or find the player."""
        try:
            validate_email(options["email"])
            name = _name(options["name"])
            if options["zone"]:
                validate_zone(options["zone"])
        except ValidationError as error:
            raise CommandError("; ".join(error.messages)) from error
        reach_database()
        call_command("migrate", verbosity=0, interactive=False)
        player = Player.objects.with_email(options["email"])
        if name or options["zone"] or options["staff"]:
            player.name = name or player.name
            player.zone = options["zone"] or player.zone
            player.introduced = player.introduced or bool(name)
            player.is_staff = player.is_superuser = options["staff"] or player.is_staff
            player.save()
        _, token = AuthToken.objects.create(player)
        self.stdout.write(json.dumps({"player": player.pk, "token": token}))


def _name(given: str) -> str:
    """Return the name to give, cut to its length; none if none is given."""
    return clean_name(" ".join(given.split())[:NAME_LENGTH]) if given else ""
