"""From raw bytes to what a mail says: pure, and it never raises, whatever it is given."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence

import msgspec

from notifications.inbound.authentication import Verdict, verdict
from notifications.inbound.automatic import is_report, why_automatic
from notifications.inbound.bounces import Bounce, bounces_in
from notifications.inbound.mime import (
    Mail,
    address_in,
    addresses,
    header,
    headers,
    message_ids,
    only_address,
    parsed,
    text_of,
)
from notifications.inbound.quoting import own_lines

__all__ = ["Bounce", "Incoming", "Verdict", "read"]

log = logging.getLogger("dewan.mail")

MOST_RECIPIENTS = 100
MOST_REFERENCES = 50

TO = ("To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To")
"""Headers that say to whom a mail has gone."""


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """A mail as far as we read it; addresses are in lower case.

    ``digest`` is the same for every copy of the mail: of its Message-ID, or without one of its
    bytes. ``message_id`` is empty if it is none that may be written into a header.
    ``sender`` is the one address of From, ``recipients`` are those of the envelope and
    of the headers, ``references`` the Message-IDs that it answers, the nearest first.
    ``automatic`` is why no person has written it; empty if one has. ``words`` are the sender's own
    lines, without what is quoted, forwarded or a signature; nobody's mail has none.
    ``authentic`` is what the receiving server has found out about the sender.
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
    try:
        return _read(parsed(raw), raw, sender, recipients, authserv)
    except Exception:
        log.exception("a mail cannot be read")
        return Incoming(digest=_digest(raw), automatic="it cannot be read")


def _read(
    mail: Mail, raw: bytes, sender: str | None, recipients: Sequence[str], authserv: str
) -> Incoming:
    message_id = _message_id(mail)
    author = only_address(headers(mail, "From"))
    to = _recipients(mail, recipients)
    automatic = why_automatic(mail, sender)
    return Incoming(
        digest=_digest(message_id.encode() or raw),
        message_id=message_id,
        sender=author,
        recipients=to,
        references=_references(mail),
        automatic=automatic,
        bounces=bounces_in(mail) if automatic and is_report(mail, sender) else (),
        words=() if automatic else own_lines(text_of(mail), to),
        authentic=verdict(headers(mail, "Authentication-Results"), author, authserv),
    )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _message_id(mail: Mail) -> str:
    value = header(mail, "Message-ID")
    return value if message_ids(value) == [value] else ""


def _recipients(mail: Mail, envelope: Sequence[str]) -> tuple[str, ...]:
    named = addresses([value for name in TO for value in headers(mail, name)])
    sent_to = [address_in(address.strip(" <>")) for address in envelope]
    found = dict.fromkeys(address for address in [*sent_to, *named] if address)
    return tuple(found)[:MOST_RECIPIENTS]


def _references(mail: Mail) -> tuple[str, ...]:
    answered = message_ids(header(mail, "In-Reply-To"))
    thread = message_ids(header(mail, "References"))
    return tuple(dict.fromkeys([*answered, *reversed(thread)]))[:MOST_REFERENCES]
