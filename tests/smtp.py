"""A real SMTP server that keeps what it is given, and can refuse."""

from __future__ import annotations

from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage
from threading import Condition
from types import TracebackType
from typing import Self

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.servers import free_port


class Sink:
    """Listens on a free port of this machine while it is entered."""

    def __init__(self, refuses: Callable[[str], bool] = lambda _: False) -> None:
        """``refuses`` says which recipients get a 550."""
        self.port = free_port()
        self.mails: list[EmailMessage] = []
        self.arrived = Condition()
        self._to: dict[str, list[EmailMessage]] = {}
        self.refused: list[str] = []
        self._refuses = refuses
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)

    @property
    def url(self) -> str:
        """The address in the form of ``EMAIL_URL``."""
        return f"smtp://127.0.0.1:{self.port}"

    def clear(self) -> None:
        """Forget the mails that have come."""
        self.mails.clear()
        self._to.clear()

    def to(self, address: str) -> list[EmailMessage]:
        """Return the mails to one address, in the order they came."""
        return list(self._to.get(address, ()))

    async def handle_RCPT(  # noqa: N802 - called by aiosmtpd
        self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]
    ) -> str:
        """Accept or refuse a recipient."""
        if self._refuses(address):
            self.refused.append(address)
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _: SMTP, __: Session, envelope: Envelope) -> str:  # noqa: N802
        """Keep a mail."""
        assert isinstance(envelope.content, bytes)
        mail = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        with self.arrived:
            self.mails.append(mail)
            self._to.setdefault(str(mail["To"]), []).append(mail)
            self.arrived.notify_all()
        return "250 OK"

    def __enter__(self) -> Self:
        self._controller.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._controller.stop()
