"""Replies to our mails, as a mail program writes them."""

from __future__ import annotations

import itertools
from email.message import EmailMessage
from email.utils import parseaddr

from notifications.inbound import service
from notifications.inbound.outcomes import Outcome

_numbers = itertools.count(1)


def text_of(mail: EmailMessage) -> str:
    """Return the text version of a mail."""
    body = mail.get_body(("plain",))
    assert body is not None
    return str(body.get_content())


def reply(mail: EmailMessage, text: str, *, to: str = "", **headers: str) -> EmailMessage:
    """Return a reply to a mail from whom it went to, with the mail quoted below the text.

    ``headers`` replace those of the reply: ``From``, ``Message_ID`` and so on; empty ones are left
    out.
    """
    quoted = "\n".join(f"> {line}" for line in text_of(mail).splitlines())
    made = {
        "From": str(mail["To"]),
        "To": to or str(mail["Reply-To"] or mail["From"]),
        "Subject": f"Re: {mail['Subject']}",
        "Message-ID": f"<reply-{next(_numbers)}@example.org>",
        "In-Reply-To": str(mail["Message-ID"]),
        "References": f"{mail['References']} {mail['Message-ID']}",
    }
    made |= {name.replace("_", "-"): value for name, value in headers.items()}
    answer = EmailMessage()
    for name, value in made.items():
        if value:
            answer[name] = value
    answer.set_content(f"{text}\n\nOn Mon, 30 Nov 2026, Dewan by post wrote:\n\n{quoted}\n")
    return answer


def send(mail: EmailMessage) -> Outcome:
    """Let a mail come in, as from its sender to its recipients."""
    sender, to = parseaddr(str(mail["From"]))[1], parseaddr(str(mail["To"]))[1]
    return service.receive(mail.as_bytes(), sender=sender, recipients=[to])
