"""What a report of delivery says of our mails: RFC 3464, and the many that heed no standard."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import msgspec
from flufl.bounce import all_failures

from notifications.inbound.mime import (
    Mail,
    address_in,
    decoded,
    header,
    inside,
    message_ids,
    parsed,
    parts_of,
)

log = logging.getLogger("dewan.mail")

MOST = 50
"""Bounces that one report can tell of."""


class Bounce(msgspec.Struct, frozen=True, kw_only=True):
    """What a delivery report says of one address (RFC 3464).

    ``message_id`` is that of our mail; ``permanent`` tells whether it will not be tried again.
    """

    address: str
    permanent: bool
    status: str = ""
    message_id: str = ""


def bounces_in(mail: Mail) -> tuple[Bounce, ...]:
    """Return what a report says, each address once."""
    message_id = _returned(mail)
    found: dict[str, Bounce] = {}
    for bounce in [*_standard(mail, message_id)] or _odd(mail, message_id):
        found.setdefault(bounce.address, bounce)
    return tuple(found.values())[:MOST]


# ---- RFC 3464 ----------------------------------------------------------------------------------

PERMANENT = {"failed": True, "delayed": False, "5": True, "4": False}
"""By the action, or else the class of the status: whether it will not be tried again.

What was delivered, relayed or expanded is no bounce.
"""

_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")


def _standard(mail: Mail, message_id: str) -> Iterator[Bounce]:
    for part in parts_of(mail):
        if part.get_content_type() in {"message/delivery-status", "message/global-delivery-status"}:
            for fields in inside(part):
                yield from _of_recipient(fields, message_id)


def _of_recipient(fields: Mail, message_id: str) -> Iterator[Bounce]:
    address = _recipient(header(fields, "Original-Recipient")) or _recipient(
        header(fields, "Final-Recipient")
    )
    found = _STATUS.search(header(fields, "Status"))
    status = found.group() if found else ""
    action = re.match(r"\w*", header(fields, "Action").lower())
    permanent = PERMANENT.get((action and action.group()) or status[:1])
    if address and permanent is not None:
        yield Bounce(address=address, permanent=permanent, status=status, message_id=message_id)


def _recipient(field: str) -> str:
    """Return the address of a field such as ``rfc822;ann@example.org``."""
    return address_in(field.partition(";")[2].strip(" <>"))


# ---- Others ------------------------------------------------------------------------------------


def _odd(mail: Mail, message_id: str) -> Iterator[Bounce]:
    try:
        temporary, permanent = all_failures(mail)
    except Exception:
        log.exception("a bounce cannot be read")
        return
    for found, is_permanent in ((permanent, True), (temporary, False)):
        for raw in sorted(found):
            if address := address_in(raw.decode("ascii", "replace")):
                yield Bounce(address=address, permanent=is_permanent, message_id=message_id)


# ---- Which mail came back ----------------------------------------------------------------------

_HEADERS = {"message/rfc822", "message/global", "text/rfc822-headers", "message/rfc822-headers"}
_LINE = re.compile(r"^[ >]*message-id:\s*(<[^<>\s]+>)", re.IGNORECASE | re.MULTILINE)


def _returned(mail: Mail) -> str:
    """Return the Message-ID of the mail that came back; empty if the report does not tell."""
    parts = list(parts_of(mail))
    for part in parts:
        if part.get_content_type() in _HEADERS:
            for inner in inside(part) or [parsed(decoded(part).encode())]:
                if found := message_ids(header(inner, "Message-ID")):
                    return found[0]
    texts = (decoded(part) for part in parts if part.get_content_type() == "text/plain")
    lines = [found for text in texts for found in _LINE.findall(text)]
    answered = [header(mail, "In-Reply-To"), header(mail, "References")]
    return next(iter(message_ids(" ".join([*lines, *answered]))), "")
