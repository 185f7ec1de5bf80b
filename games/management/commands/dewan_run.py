"""Run the whole service in one process (``make run``)."""

from __future__ import annotations

import socket
import sys
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from dewan_site import embedded
from dewan_site.accounts.links import sign_in_path
from dewan_site.listening import PortTaken, listening_socket
from dewan_site.reach import reach_database
from dewan_site.stopping import Stop
from games import demo
from notifications import mailbox_views
from notifications.ways_in.listener import Listener

PORT_TAKEN = 3
"""The exit code where somebody else listens."""


class Command(BaseCommand):
    """Migrates, makes the demo games, and serves until it is told to stop."""

    help = "Run web server, worker and beat in one process, on the embedded default."
    requires_migrations_checks = False

    def handle(self, *_: Any, **__: Any) -> None:
        """Serve; exit 0 on INT or TERM, 3 if the port is taken."""
        stop = Stop()
        try:
            listener = listening_socket(settings.DEWAN_HOST, settings.DEWAN_PORT)
            mail = embedded.mail_listener()
        except PortTaken as error:
            self.stderr.write(f"dewan: {error}")
            sys.exit(PORT_TAKEN)
        with listener, embedded.lock_data_folder():
            settings.DEWAN_PORT = listener.getsockname()[1]
            settings.DEWAN_PROBE_URL = settings.DEWAN_PROBE_URL or embedded.local_address_of(
                listener
            )
            reach_database()
            call_command("migrate", verbosity=0, interactive=False)
            self._welcome(listener, mail)
            embedded.serve(listener, mail, stop)

    def _welcome(self, listener: socket.socket, mail: Listener) -> None:
        """Make the demo, and say where everything is."""
        url = embedded.address_of(listener)
        lines = [f"Dewan by post is at {url}"]
        if settings.DEWAN_DEMO:
            player = demo.set_up()
            lines.append(f"Sign in as {player.name}: {url}{sign_in_path(player)}")
        if not settings.EMAIL_URL:
            lines.append(f"Mails lie in {settings.DEWAN_MAIL_DIR}{_reading(listener)}")
        lines.append(f"Answers by mail are taken at {mail.url}")
        lines.append("Ctrl-C stops it; the games are kept.")
        self.stderr.write("\n".join(["", *lines, ""]))


def _reading(listener: socket.socket) -> str:
    """Say where the mails can be read in a browser, if they can."""
    page = f"{embedded.local_address_of(listener)}/dev/mail/"
    return f", to read at {page}" if mailbox_views.is_open() else ""
