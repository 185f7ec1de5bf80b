"""Take mails in: listen for them, take one from standard input, or look into the mailbox."""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from dewan_site.env import SettingError
from dewan_site.listening import PortTaken
from dewan_site.reach import reach_database
from dewan_site.stopping import SIGNALS, leave_in_time
from notifications.inbound import service
from notifications.ways_in import imap
from notifications.ways_in.listener import Listener

PORT_TAKEN = 3


class Command(BaseCommand):
    """Listens at ``DEWAN_MAIL_IN`` until INT or TERM, unless an option says otherwise."""

    help = "Take mails in: listen at DEWAN_MAIL_IN, read one (--once), or fetch them (--imap)."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--once", action="store_true", help="Read one mail from stdin.")
        parser.add_argument("--imap", action="store_true", help="Look into DEWAN_IMAP_URL once.")

    def handle(self, *_: Any, **options: Any) -> None:
        """Take mails in; exit 75 if one could not be stored, for its sender to try again."""
        if options["once"]:
            self._once()
        elif options["imap"]:
            self._fetch()
        else:
            self._listen()

    def _once(self) -> None:
        try:
            outcome = service.receive(sys.stdin.buffer.read())
        except Exception as error:  # noqa: BLE001 - whatever it was, the mail must not be lost
            self._try_again(error)
        self.stdout.write(json.dumps({"outcome": outcome}))

    def _fetch(self) -> None:
        if not settings.DEWAN_IMAP_URL:
            raise SettingError("DEWAN_IMAP_URL is not set; needs imaps://user:password@host/INBOX")
        reach_database()
        try:
            taken = imap.fetch()
        except imap.MailboxTrouble as error:
            self._try_again(error)
        self.stdout.write(json.dumps({"mails": taken}))

    def _try_again(self, error: Exception) -> None:
        self.stderr.write(f"dewan: not taken in: {type(error).__name__}: {error}")
        sys.exit(os.EX_TEMPFAIL)

    def _listen(self) -> None:
        if not settings.DEWAN_MAIL_IN:
            raise SettingError("DEWAN_MAIL_IN is not set; needs lmtp://127.0.0.1:8024 or smtp://…")
        reach_database()
        try:
            listener = Listener.at(settings.DEWAN_MAIL_IN)
        except PortTaken as error:
            self.stderr.write(f"dewan: {error}")
            sys.exit(PORT_TAKEN)
        # Before there are threads: they must leave these signals to us.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        listener.start()
        ready = json.dumps({"mail_in": listener.url, "pid": os.getpid()})
        self.stdout.write(f"READY {ready}")
        self.stdout.flush()
        signal.sigwait(SIGNALS)
        leave_in_time()
        listener.stop()
