"""A small IMAP server with one mailbox: as much of the protocol as is needed to look into it."""

from __future__ import annotations

import re
import ssl
import threading
from dataclasses import dataclass, field
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any, Literal

Security = Literal["imap", "imap+tls", "imaps"]


@dataclass
class Kept:
    """A mail of the mailbox."""

    uid: int
    raw: bytes
    flags: set[str] = field(default_factory=set)

    def matches(self, criteria: str) -> bool:
        """Tell whether the mail has none of the flags that are excluded."""
        return not any(f"\\{word[2:].capitalize()}" in self.flags for word in criteria.split())


class Mailbox(ThreadingTCPServer):
    """Listens on a free port of this machine while it is entered."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, security: Security = "imap", certificate: Any = None) -> None:
        super().__init__(("127.0.0.1", 0), _Client)
        self.security = security
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate:
            self.context.load_cert_chain(certificate)
        self.mails: list[Kept] = []
        self.commands: list[str] = []
        self.silent = False

    @property
    def url(self) -> str:
        """The address in the form of ``DEWAN_IMAP_URL``."""
        password = "p%40ss%22word"
        return f"{self.security}://dewan:{password}@localhost:{self.server_address[1]}/INBOX"

    def put(self, raw: bytes, *flags: str) -> Kept:
        """Deliver a mail."""
        self.mails.append(Kept(uid=len(self.mails) + 9, raw=raw, flags=set(flags)))
        return self.mails[-1]

    def __enter__(self) -> Mailbox:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, *_: object) -> None:
        """A client that hangs up is none."""


class _Client(StreamRequestHandler):
    server: Mailbox

    def setup(self) -> None:
        if self.server.security == "imaps":
            self.request = self.server.context.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self) -> None:
        self._say("* OK [CAPABILITY IMAP4rev1 STARTTLS] ready")
        while line := self.rfile.readline().decode().strip():
            tag, _, command = line.partition(" ")
            self.server.commands.append(command)
            if self.server.silent:
                threading.Event().wait(5)
            name, _, rest = command.removeprefix("UID ").partition(" ")
            answer = getattr(self, f"_{name.lower()}")(rest)
            self._say(f"{tag} {answer or 'OK done'}")
            if name == "STARTTLS":
                self.request = self.server.context.wrap_socket(self.request, server_side=True)
                super().setup()
            if name == "LOGOUT":
                return

    def _say(self, line: str) -> None:
        self.wfile.write(line.encode() + b"\r\n")

    def _capability(self, _: str) -> None:
        self._say("* CAPABILITY IMAP4rev1 STARTTLS")

    def _starttls(self, _: str) -> None:
        pass

    def _login(self, rest: str) -> str | None:
        return None if rest == r'"dewan" "p@ss\"word"' else "NO who are you?"

    def _select(self, folder: str) -> str | None:
        self._say(f"* {len(self.server.mails)} EXISTS")
        return None if folder.strip('"') == "INBOX" else "NO no such folder"

    def _search(self, criteria: str) -> None:
        found = [str(mail.uid) for mail in self.server.mails if mail.matches(criteria)]
        self._say(f"* SEARCH {' '.join(reversed(found))}")

    def _mail(self, uid: str) -> Kept:
        return next(mail for mail in self.server.mails if mail.uid == int(uid))

    def _fetch(self, rest: str) -> None:
        asked = re.fullmatch(r"(\d+) \(BODY\.PEEK\[\]<0\.(\d+)>\)", rest)
        assert asked, rest
        raw = self._mail(asked[1]).raw[: int(asked[2])]
        self._say(f"* 1 FETCH (UID {asked[1]} BODY[]<0> {{{len(raw)}}}")
        self.wfile.write(raw + b")\r\n")

    def _store(self, rest: str) -> None:
        asked = re.fullmatch(r"(\d+) \+FLAGS \((.*)\)", rest)
        assert asked, rest
        self._mail(asked[1]).flags.add(asked[2])

    def _expunge(self, _: str) -> None:
        self.server.mails = [mail for mail in self.server.mails if "\\Deleted" not in mail.flags]

    def _logout(self, _: str) -> None:
        self._say("* BYE")
