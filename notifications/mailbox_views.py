"""The local mailbox as pages: what the service would have sent, for whoever sits at the machine.

They can answer it here too: what they write comes in as any other mail does.

It exists only while no mail server is set (``EMAIL_URL``) and nobody plays from elsewhere
(``DEWAN_URL``), and for clients on this machine only: whoever reads it can sign in as anybody.
"""

from __future__ import annotations

import email.policy
import time
from base64 import b64encode
from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from email.utils import parseaddr
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import msgspec
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_POST, require_safe

from dewan_site.env import is_public, is_this_machine
from notifications import notices, outbox
from notifications.inbound import service
from notifications.inbound.outcomes import Outcome
from notifications.models import InboundMail, OutboxMail
from notifications.transports.mailbox import letters
from notifications.ways_in import by_hand

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]

SHOWN = 200
"""How many mails the mailbox lists, at most."""

LETTER_POLICY = (
    "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
)
"""What the HTML of a mail may do: style itself, and nothing else."""

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-IP")


def is_open() -> bool:
    """Tell whether the mailbox exists: not where mail or people come from outside."""
    return not settings.EMAIL_URL and not is_public(settings.DEWAN_URL)


def is_open_to(request: HttpRequest) -> bool:
    """Tell whether the mailbox exists for this client.

    A proxy on this machine need not say that it is one, and a name of somebody else's may lead
    here: so the client must also have asked for this machine.
    """
    asked_for = split_domain_port(request.META.get("HTTP_HOST", ""))[0].strip("[]")
    return (
        is_open()
        and is_this_machine(request.META.get("REMOTE_ADDR", ""))
        and is_this_machine(asked_for)
        and not any(name in request.headers for name in _FORWARDED)
    )


def _local(view: View[P]) -> View[P]:
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not is_open_to(request):
            raise Http404
        return view(request, *args, **kwargs)

    return never_cache(guarded)


class Letter(msgspec.Struct, frozen=True):
    """A mail of the mailbox, for its pages."""

    number: int
    sent: datetime
    kind: str
    to: str
    subject: str
    headers: list[tuple[str, str]]
    text: str
    html: str
    can_be_answered: bool


def _message(path: Path) -> EmailMessage:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    assert isinstance(message, EmailMessage), "the policy makes these"
    return message


def _read(path: Path) -> Letter:
    message = _message(path)
    return Letter(
        number=int(path.stem),
        sent=datetime.fromtimestamp(path.stat().st_mtime).astimezone(),
        kind=message.get("X-Dewan-Kind", "").replace("_", " "),
        to=message.get("To", ""),
        subject=message.get("Subject", ""),
        headers=[(name, str(value)) for name, value in message.items()],
        text=_body(message, "plain"),
        html=_with_pictures(message, _body(message, "html")),
        can_be_answered=by_hand.can_be_answered(message),
    )


def _body(message: EmailMessage, kind: str) -> str:
    part = message.get_body(preferencelist=(kind,))
    return str(part.get_content()) if part else ""


def _with_pictures(message: EmailMessage, html: str) -> str:
    """Put the pictures of a mail into its HTML: the frame can fetch none."""
    for part in message.walk():
        if part.get_content_maintype() == "image" and part["Content-ID"]:
            content = b64encode(part.get_content()).decode()
            data = f"data:{part.get_content_type()};base64,{content}"
            html = html.replace(f"cid:{part['Content-ID'].strip().strip('<>')}", data)
    return html


def _path(number: int) -> Path:
    path = Path(settings.DEWAN_MAIL_DIR) / f"{number:06d}.eml"
    if not path.is_file():
        raise Http404
    return path


@_local
@require_safe
def mailbox(request: HttpRequest) -> HttpResponse:
    """List the mails, newest first."""
    newest = [_read(path) for path in letters()[:SHOWN]]
    return render(request, "notifications/mailbox.html", {"letters": newest})


@_local
@require_safe
def letter(request: HttpRequest, number: int) -> HttpResponse:
    """Show one mail: its text, its HTML in a frame without rights, and its headers."""
    shown = {"letter": _read(_path(number)), "answer_length": ANSWER_LENGTH}
    return render(request, "notifications/letter.html", shown)


@_local
@require_safe
@xframe_options_sameorigin
def letter_html(request: HttpRequest, number: int) -> HttpResponse:
    """Show the HTML of a mail, which may style itself and do nothing else."""
    del request
    policy = {"Content-Security-Policy": LETTER_POLICY}
    return HttpResponse(_read(_path(number)).html, headers=policy)


@_local
@require_safe
def letter_raw(request: HttpRequest, number: int) -> HttpResponse:
    """Return a mail as it was sent, byte for byte."""
    del request
    name = f'attachment; filename="{number:06d}.eml"'
    content = _path(number).read_bytes()
    return HttpResponse(
        content, content_type="message/rfc822", headers={"Content-Disposition": name}
    )


# ---- Answering -----------------------------------------------------------------------------------

ANSWER_LENGTH = 20_000
"""How long an answer that is written here can be, in characters."""

ANSWER_TIME = 3.0
"""Seconds to wait for our answer to it, which somebody else may be sending already."""

WHAT_BECAME_OF_IT = {
    Outcome.DONE: "What you wrote has been done.",
    Outcome.REFUSED: "What you wrote cannot be done, and nothing has been.",
    Outcome.UNREADABLE: "What you wrote cannot be read, and nothing has been done.",
    Outcome.NOT_AUTHENTIC: "It is not certain that you wrote that, and nothing has been done.",
    Outcome.TOO_MANY: "You have written too many mails in this hour; nothing has been done.",
    Outcome.NO_TOKEN: "The mail you answered cannot be answered any more.",
    Outcome.AUTOMATIC: "That looks as if a program had written it; nothing has been done.",
}


@_local
@require_POST
def answer_letter(request: HttpRequest, number: int) -> HttpResponse:
    """Take in an answer to a mail, and show what became of it: our answer, if there is one."""
    message = _message(_path(number))
    if not by_hand.can_be_answered(message):
        raise Http404
    answer = by_hand.answer_to(message, request.POST.get("text", "")[:ANSWER_LENGTH])
    outcome = _handed_in(answer)
    words = WHAT_BECAME_OF_IT.get(outcome, f"Nothing has been done: {outcome}.")
    level = messages.SUCCESS if outcome == Outcome.DONE else messages.WARNING
    messages.add_message(request, level, words)
    return redirect("letter", _answer_to(answer["Message-ID"]) or number)


def _handed_in(answer: EmailMessage) -> Outcome:
    sender, recipient = (parseaddr(answer[name])[1] for name in ("From", "To"))
    return service.receive(answer.as_bytes(), sender=sender, recipients=[recipient])


def _answer_to(message_id: str) -> int | None:
    """Return the number of our answer to a mail, as soon as it is there; None if there is none."""
    came = InboundMail.objects.filter(message_id=message_id).values_list("pk", flat=True)
    answers = OutboxMail.objects.filter(kind=notices.ANSWER, stage__in=map(str, came))
    waiting = answers.filter(state__in=[*OutboxMail.WAITING, OutboxMail.State.INFLIGHT])
    limit = time.monotonic() + ANSWER_TIME
    outbox.deliver()
    while waiting.exists() and time.monotonic() < limit:  # a worker is sending it
        time.sleep(0.1)
    ours = set(answers.values_list("message_id", flat=True))
    found = (path for path in letters()[:SHOWN] if _message(path)["Message-ID"] in ours)
    return next((int(path.stem) for path in found), None)
