"""The local mailbox of the embedded service: each mail a file, with the bytes as sent.

Files are ``NNNNNN.eml`` in ``DEWAN_MAIL_DIR``, numbered in the order they were sent, and
appear whole: they are written under another name and renamed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class MailboxBackend(BaseEmailBackend):
    """Puts mails into the local mailbox."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Write each message to a file of its own; return how many."""
        for message in email_messages:
            _put(message.message().as_bytes(linesep="\r\n"))  # type: ignore[call-arg]
        return len(email_messages)


def _put(content: bytes) -> None:
    folder: Path = settings.DEWAN_MAIL_DIR
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f".{os.getpid()}-{id(content)}.part"
    part.write_bytes(content)
    try:
        for number in count(_last_number(folder) + 1):
            try:
                # A hard link fails if the name is taken: two writers never share a number.
                os.link(part, folder / f"{number:06d}.eml")
            except FileExistsError:
                continue
            return
    finally:
        part.unlink()


def _last_number(folder: Path) -> int:
    return max((int(path.stem) for path in folder.glob("[0-9]*.eml")), default=0)


def letters() -> list[Path]:
    """Return the files of the mailbox, newest first."""
    return sorted(Path(settings.DEWAN_MAIL_DIR).glob("[0-9]*.eml"), reverse=True)
