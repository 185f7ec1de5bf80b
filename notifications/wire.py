"""One connection to the mail server, and what its errors mean.

A refusal of one mail is that mail's, or its address's; a server that does not answer is nobody's.
"""

from __future__ import annotations

from contextlib import suppress
from smtplib import (
    SMTPDataError,
    SMTPException,
    SMTPRecipientsRefused,
    SMTPResponseException,
    SMTPServerDisconnected,
)
from types import TracebackType
from typing import Self

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

CLOSING = 421
"""The code of a server that breaks the conversation off."""

_SIGN_IN_FIRST = frozenset({530, 534, 535, 538})
"""The codes of a server that does not want to be spoken to by us."""


class ServerAway(Exception):
    """The mail server cannot be spoken to; the text is why."""


class Interrupted(Exception):
    """The conversation broke off in the middle of a mail; the text is why."""


class Refused(Exception):
    """The address of a mail was refused for good, as far as the server knows; the text is why."""


class Wire:
    """A connection that is opened for the first mail and stays open while it is entered."""

    def __init__(self) -> None:
        self._backend: BaseEmailBackend = get_connection()
        self._is_open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._hang_up()

    def send(self, message: EmailMessage) -> None:
        """Return once the server has taken a mail; raise what the errors above say.

        A server may have ended a conversation that was going on; that is tried again, once.
        """
        if self._is_open:
            try:
                self._send(message)
            except Interrupted:
                pass
            else:
                return
        self._send(message)

    def _send(self, message: EmailMessage) -> None:
        self._open()
        message.connection = self._backend
        try:
            message.send()
        except (SMTPException, OSError) as error:
            raise self._meaning(error) from error

    def _open(self) -> None:
        if self._is_open:
            return
        try:
            self._backend.open()
        except (SMTPException, OSError) as error:
            self._hang_up()
            raise ServerAway(_words(error)) from error
        self._is_open = True

    def _hang_up(self) -> None:
        self._is_open = False
        with suppress(SMTPException, OSError):
            self._backend.close()

    def _meaning(self, error: SMTPException | OSError) -> Exception:
        """Return what an error means; hang up if the conversation is over."""
        code = _code(error)
        if code in _SIGN_IN_FIRST:
            self._hang_up()
            return ServerAway(_words(error))
        if code == CLOSING or _is_broken_off(error):
            self._hang_up()
            return Interrupted(_words(error))
        about_the_address = isinstance(error, SMTPRecipientsRefused | SMTPDataError)
        return Refused(_words(error)) if about_the_address and code >= 500 else error


def _is_broken_off(error: SMTPException | OSError) -> bool:
    return isinstance(error, SMTPServerDisconnected) or not isinstance(error, SMTPException)


def _code(error: Exception) -> int:
    """Return the code of a reply, 0 if it was none."""
    if isinstance(error, SMTPRecipientsRefused):
        return next(iter(error.recipients.values()))[0]
    return error.smtp_code if isinstance(error, SMTPResponseException) else 0


def _words(error: Exception) -> str:
    """Return an error as a line: its kind, and what the server said."""
    said: object = error
    if isinstance(error, SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
        said = f"{code} {_text(text)}"
    elif isinstance(error, SMTPResponseException):
        said = f"{error.smtp_code} {_text(error.smtp_error)}"
    return " ".join(f"{type(error).__name__}: {said}".split())[:200]


def _text(text: bytes | str) -> str:
    return text.decode(errors="replace") if isinstance(text, bytes) else text
