"""A mail program in one function: an answer to a mail of ours, for the local mailbox's page."""

from __future__ import annotations

import email.policy
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr

from django.utils import timezone

from notifications import tokens


def can_be_answered(letter: EmailMessage) -> bool:
    """Tell whether an answer to a mail would come to us."""
    return tokens.is_ours(parseaddr(letter.get("Reply-To", ""))[1])


def answer_to(letter: EmailMessage, text: str) -> EmailMessage:
    """Return the answer to a mail, as mail programs write it: the text, then the mail quoted."""
    answer = EmailMessage(email.policy.SMTP)
    answer["From"] = letter["To"]
    answer["To"] = letter["Reply-To"]
    answer["Subject"] = f"Re: {letter['Subject']}"
    answer["Date"] = format_datetime(timezone.now())
    answer["Message-ID"] = make_msgid(domain="localhost")
    answer["In-Reply-To"] = letter["Message-ID"]
    answer["References"] = f"{letter.get('References', '')} {letter['Message-ID']}".strip()
    answer.set_content(f"{text}\n\n{_quoted(letter)}")
    return answer


def _quoted(letter: EmailMessage) -> str:
    body = letter.get_body(("plain",))
    lines = str(body.get_content()).splitlines() if body else []
    quoted = [f"> {line}".rstrip() for line in lines]
    return "\n".join([f"On {letter['Date']}, {letter['From']} wrote:", *quoted, ""])
