"""Mail comes in by SMTP or LMTP: what we accept is stored, what we cannot store is sent again.

A mail is accepted (250) only when what it caused has been committed. Before that it is still its
sender's: a worker that dies, or a database that is away (451), loses nothing. What comes twice
for that reason is told by its digest.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from email.utils import parseaddr
from typing import Any, Self
from urllib.parse import urlsplit

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings
from django.db import close_old_connections

from dewan_site.listening import listening_socket, reachable
from notifications import tokens
from notifications.inbound import service

log = logging.getLogger("dewan.mail")

PORTS = {"smtp": 25, "lmtp": 24}
"""The port of each protocol where none is given."""

WORKERS = 4
"""How many mails are dealt with at once."""

CONNECTIONS = 100
"""How many may be connected at once; more are told to come back."""

RECIPIENTS = 20
"""How many recipients a mail can have here; it gets to us through one of them."""

LINE = 100_000
"""The longest line of a mail, in bytes: 998 are allowed, and not all programs keep to it."""

PATIENCE = 120.0
"""Seconds a client may take for a command, or for sending a mail."""

LAST_MAIL = 3.0
"""Seconds a mail may take that is under way when the listener stops."""

_BARE = re.compile(rb"(?<!\r)\n|\r(?!\n)")
"""Ends of lines for some programs and not for others: with them mails and headers are smuggled."""


class Listener:
    """Takes mails at an address, in a thread of its own, from ``start`` to ``stop``."""

    def __init__(self, listening: socket.socket, scheme: str) -> None:
        self.url = f"{scheme}://{reachable(listening)}"
        self.sessions: set[_Smtp] = set()
        self.stopping = False
        self._socket = listening
        self._session = {"smtp": _Smtp, "lmtp": _Lmtp}[scheme]
        self._loop = asyncio.new_event_loop()
        self._asked_to_stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="mail-in", daemon=True)

    @classmethod
    def at(cls, url: str) -> Self:
        """Return a listener at an address such as ``lmtp://127.0.0.1:8024``.

        Raises PortTaken, or SettingError if it cannot be listened on.
        """
        where = urlsplit(url)
        port = PORTS[where.scheme] if where.port is None else where.port
        named = "DEWAN_MAIL_IN={host}:{port}"
        return cls(listening_socket(where.hostname or "", port, named), where.scheme)

    def start(self) -> None:
        """Begin to take mails; whoever has connected before has waited."""
        self._thread.start()

    def stop(self) -> None:
        """Take no more mails, and answer those that are under way; they have a few seconds."""
        self._loop.call_soon_threadsafe(self._asked_to_stop.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="mail-in")
        server = await self._loop.create_server(
            lambda: self._session(self, _Handler(pool)), sock=self._socket
        )
        await self._asked_to_stop.wait()
        self.stopping = True
        server.close()
        if under_way := [task for session in list(self.sessions) if (task := session.leave())]:
            await asyncio.wait(under_way, timeout=LAST_MAIL)
        pool.shutdown(wait=False, cancel_futures=True)


# ---- One client --------------------------------------------------------------------------------


class _Smtp(SMTP):
    """A client's connection, which the listener knows of, and can close between two mails."""

    def __init__(self, listener: Listener, handler: _Handler) -> None:
        self.line_length_limit = LINE
        self._listener = listener
        self._under_way = False
        super().__init__(
            handler,
            data_size_limit=settings.DEWAN_MAIL_SIZE,
            enable_SMTPUTF8=True,
            hostname=tokens.reply_address().rpartition("@")[2],
            ident="Dewan by post",
            timeout=PATIENCE,
            loop=asyncio.get_running_loop(),
        )

    def leave(self) -> asyncio.Task[None] | None:
        """Close the connection, now or after the mail that is under way: then return its task."""
        if self._under_way:
            return self._handler_coroutine
        if self.transport is not None:
            self.transport.close()
        return None

    def connection_made(self, transport: Any) -> None:
        """Note a client that has come; send one too many away."""
        super().connection_made(transport)
        self._listener.sessions.add(self)
        if len(self._listener.sessions) > CONNECTIONS:
            transport.write(b"421 4.3.2 too many connections\r\n")
            transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        """Note a client that has gone."""
        self._listener.sessions.discard(self)
        super().connection_lost(error)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802 - called by aiosmtpd
        """Take a mail, and be under way until it is answered."""
        self._under_way = True
        try:
            await super().smtp_DATA(arg)
        finally:
            self._under_way = False
            if self._listener.stopping:
                self.leave()


class _Lmtp(_Smtp, LMTP):
    """A client that speaks LMTP: a mail is answered once for each recipient (RFC 2033)."""

    _answers = 1

    async def push(self, status: Any) -> None:
        """Answer; what follows 354 is the answer to the mail."""
        for _ in range(self._answers):
            await super().push(status)
        mail = self.envelope if str(status).startswith("354") else None
        self._answers = len(mail.rcpt_tos) if mail else 1


class _Handler:
    """Decides what a client is answered; aiosmtpd calls its methods."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool

    async def handle_EHLO(  # noqa: N802
        self, _: SMTP, session: Session, __: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        """Say besides that commands may come several at once; LMTP wants that."""
        session.host_name = hostname
        return [*responses[:-1], "250-PIPELINING", responses[-1]]

    async def handle_RCPT(  # noqa: N802
        self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]
    ) -> str:
        """Accept what is for us, and relay nothing."""
        if not _is_for_us(address):
            return "550 5.1.1 no such mailbox here"
        if len(envelope.rcpt_tos) >= RECIPIENTS:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802
        """Accept a mail once it has been dealt with."""
        raw = envelope.original_content
        assert raw is not None, "this is its content"
        if _BARE.search(raw):
            return "554 5.6.0 lines must end in CR LF"
        sender = "" if envelope.mail_from in (None, "<>") else envelope.mail_from
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._pool, _receive, raw, sender, envelope.rcpt_tos)
        except Exception:
            log.exception("a mail could not be taken in; its sender will try again")
            return "451 4.3.0 not now, try again"
        return "250 2.0.0 OK"

    async def handle_exception(self, error: Exception) -> str:
        """Answer what aiosmtpd could not make sense of, and say nothing of our inside."""
        log.warning("an SMTP command could not be answered: %s", type(error).__name__)
        return "451 4.3.0 not now, try again"


def _is_for_us(address: str) -> bool:
    """Tell whether we take mails to an address: answers, and what comes back to our mails' sender.

    Bounces do, and some mail programs answer From.
    """
    sender = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    return tokens.is_ours(address) or address.lower() == sender.lower()


def _receive(raw: bytes, sender: str | None, recipients: list[str]) -> None:
    close_old_connections()
    try:
        service.receive(raw, sender=sender, recipients=recipients)
    finally:
        close_old_connections()
