"""From raw bytes to what a mail says: pure, and it never raises, whatever it is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

Verdict = Literal["passed", "failed", "none"]


class Bounce(msgspec.Struct, frozen=True, kw_only=True):
    """What a delivery report says of one address (RFC 3464).

    ``message_id`` is that of our mail; ``permanent`` tells whether it will not be tried again.
    """

    address: str
    permanent: bool
    status: str = ""
    message_id: str = ""


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """A mail as far as we read it; addresses are in lower case.

    ``digest`` is the same for every copy of the mail: of its Message-ID, or without one of its
    bytes. ``message_id`` is empty if it is none that may be written into a header.
    ``sender`` is the one address of From, ``recipients`` are those of the envelope and
    of the headers, ``references`` the Message-IDs that it answers, the nearest first.
    ``automatic`` is why no person has written it; empty if one has. ``words`` are the sender's own
    lines, without what is quoted, forwarded or a signature. ``authentic`` is what
    the receiving server has found out about the sender.
    """

    digest: str
    message_id: str = ""
    sender: str = ""
    recipients: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    automatic: str = ""
    bounces: tuple[Bounce, ...] = ()
    words: tuple[str, ...] = ()
    authentic: Verdict = "none"


def read(
    raw: bytes, *, sender: str | None = None, recipients: Sequence[str] = (), authserv: str = ""
) -> Incoming:
    """Read a mail; ``sender`` and ``recipients`` are those of the envelope, where it is known.

    ``authserv`` is the name under which the receiving server writes Authentication-Results (RFC
    8601); those of others are not believed.
    """
    raise NotImplementedError
