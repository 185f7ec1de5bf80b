"""Mail programs, each answering a mail as its users see it do.

Mutt is driven by keys on a terminal, s-nail by commands; both find the mail in the mailbox and
quote it themselves. With swaks somebody writes the whole mail by hand.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from abc import ABC, abstractmethod
from contextlib import suppress
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path
from typing import IO

from tests.mail_game.post_office import Dovecot, Exim, program

EDITOR = """#!/bin/sh
{ cat "$HOME/text"; echo; cat "$1"; } > "$1+" && touch -d '5 seconds ago' "$1+" && mv "$1+" "$1"
"""
"""Puts a text above what mutt gives it. Mutt asks about files that seem to be newer than now."""

PATIENCE = 30
"""Seconds a program may take to send an answer."""


class Program(ABC):
    """A mail program of somebody, with a home of its own."""

    name: str

    def __init__(self, address: str, home: Path, mailboxes: Dovecot, server: Exim) -> None:
        self.address = address
        self.user = address.partition("@")[0]
        self.home = home
        self.mailbox = mailboxes.url(self.user)
        self.server = server
        self.set_up()

    @abstractmethod
    def set_up(self) -> None:
        """Write what configures the program."""

    @abstractmethod
    def answer(self, mail: EmailMessage, text: str) -> None:
        """Answer a mail of the mailbox with a text."""

    @property
    def environment(self) -> dict[str, str]:
        """The program's environment."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), "LANG": "C.UTF-8"}


class Mutt(Program):
    """Mutt: it quotes below what is written, and puts a signature below that."""

    name = "mutt"

    def set_up(self) -> None:
        """Write the settings, and an editor that puts a text above what mutt gives it."""
        editor = self.home / "editor"
        editor.write_text(EDITOR)
        editor.chmod(0o755)
        (self.home / "signature").write_text(f"{self.user.title()}, from a terminal\n")
        (self.home / "muttrc").write_text(
            f"""
set from="{self.address}" realname="{self.user.title()}" use_from
set smtp_url="{self.server.url}" ssl_starttls=no ssl_force_tls=no
set editor="{editor}" autoedit fast_reply include=yes edit_headers=no
set signature="{self.home}/signature" reply_to=yes
set abort_unmodified=no record="" copy=no move=no postpone=no folder="{self.home}"
set sleep_time=0 beep=no wait_key=no
"""
        )

    def answer(self, mail: EmailMessage, text: str) -> None:
        """Press the keys: find the mail, reply, send, leave."""
        (self.home / "text").write_text(f"{text}\n")
        unique = re.findall(r"\w+", mail["Message-ID"])[1]
        keys = f"<limit>~i {unique}<enter><reply><send-message><exit>"
        settings = ["-n", "-F", str(self.home / "muttrc"), "-f", self.mailbox]
        self._on_a_terminal(program("mutt"), *settings, "-e", f'push "{keys}"')

    def _on_a_terminal(self, *command: str) -> None:
        ours, theirs = os.openpty()
        environment = self.environment | {"TERM": "xterm"}
        process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)
        with os.fdopen(ours, "rb", buffering=0) as screen:
            timer = threading.Timer(PATIENCE, process.kill)
            timer.start()
            shown = _all_of(screen)
            timer.cancel()
        if process.wait():
            raise AssertionError(f"mutt: {shown[-2000:]!r}")


def _all_of(screen: IO[bytes]) -> bytes:
    """Read a terminal to its end, which is an error on Linux."""
    shown = b""
    with suppress(OSError):
        while more := screen.read(4096):
            shown += more
    return shown


class SNail(Program):
    """s-nail: it writes to From, not to Reply-To, and puts the text below what it quotes."""

    name = "s-nail"

    def set_up(self) -> None:
        """Write the settings."""
        (self.home / ".mailrc").write_text(
            f"""
set v15-compat=yes
set from="{self.user.title()} <{self.address}>"
set mta={self.server.url} smtp-auth=none
set imap-auth=login
set quote indentprefix='> ' sendwait sendcharsets=utf-8
"""
        )

    def answer(self, mail: EmailMessage, text: str) -> None:
        """Give the commands: reply to the mail, a text, leave."""
        which = f"'(header message-id \"{mail['Message-ID']}\")'"
        commands = f"reply {which}\n\n{text}\n~.\nexit\n"
        environment = self.environment | {"MAILRC": str(self.home / ".mailrc")}
        _run([program("s-nail"), "-:u", "-#", "-f", self.mailbox], environment, commands)


class Swaks(Program):
    """swaks: it sends what it is given, and knows nothing of answers and of mailboxes."""

    name = "swaks"

    def set_up(self) -> None:
        """Do nothing: it has no settings."""

    def answer(self, mail: EmailMessage, text: str) -> None:
        """Write a whole mail: its headers, the text, and the mail quoted."""
        thread = f"{mail.get('References', '')} {mail['Message-ID']}"
        headers = {
            "Subject": f"Re: {mail['Subject']}",
            "In-Reply-To": mail["Message-ID"],
            "References": " ".join(thread.split()),
            "Message-ID": make_msgid(domain="hand.example"),
        }
        envelope = ["--from", self.address, "--to", mail["Reply-To"]]
        given = [f"--header={name}: {value}" for name, value in headers.items()]
        where = ["--server", "127.0.0.1", "--port", str(self.server.port)]
        body = f"{text}\n\n{mail['From']} wrote:\n\n{_quoted(mail)}\n"
        _run([program("swaks"), *where, *envelope, *given, "--body", "-"], self.environment, body)


def _quoted(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body is not None, "every mail of ours has a text"
    return "\n".join(f"> {line}" for line in str(body.get_content()).splitlines())


def _run(command: list[str], environment: dict[str, str], given: str) -> None:
    done = subprocess.run(
        command,
        input=given,
        env=environment,
        timeout=PATIENCE,
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise AssertionError(f"{command[0]}: {done.returncode}: {done.stdout[-2000:]}")
