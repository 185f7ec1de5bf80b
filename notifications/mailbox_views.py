"""The local mailbox as pages: what the service would have sent, for whoever sits at the machine.

It exists only while no mail server is set (``EMAIL_URL``) and nobody plays from elsewhere
(``DEWAN_URL``), and for clients on this machine only: whoever reads it can sign in as anybody.
"""

from __future__ import annotations

import email.policy
from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec

import msgspec
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from dewan_site.env import is_public, is_this_machine
from notifications.transports.mailbox import letters

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

    return require_safe(never_cache(guarded))


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


def _read(path: Path) -> Letter:
    message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
    assert isinstance(message, EmailMessage), "the policy makes these"
    return Letter(
        number=int(path.stem),
        sent=datetime.fromtimestamp(path.stat().st_mtime).astimezone(),
        kind=message.get("X-Dewan-Kind", "").replace("_", " "),
        to=message.get("To", ""),
        subject=message.get("Subject", ""),
        headers=[(name, str(value)) for name, value in message.items()],
        text=_body(message, "plain"),
        html=_body(message, "html"),
    )


def _body(message: EmailMessage, kind: str) -> str:
    part = message.get_body(preferencelist=(kind,))
    return str(part.get_content()) if part else ""


def _path(number: int) -> Path:
    path = Path(settings.DEWAN_MAIL_DIR) / f"{number:06d}.eml"
    if not path.is_file():
        raise Http404
    return path


@_local
def mailbox(request: HttpRequest) -> HttpResponse:
    """List the mails, newest first."""
    newest = [_read(path) for path in letters()[:SHOWN]]
    return render(request, "notifications/mailbox.html", {"letters": newest})


@_local
def letter(request: HttpRequest, number: int) -> HttpResponse:
    """Show one mail: its text, its HTML in a frame without rights, and its headers."""
    return render(request, "notifications/letter.html", {"letter": _read(_path(number))})


@_local
@xframe_options_sameorigin
def letter_html(request: HttpRequest, number: int) -> HttpResponse:
    """Show the HTML of a mail, which may style itself and do nothing else."""
    del request
    policy = {"Content-Security-Policy": LETTER_POLICY}
    return HttpResponse(_read(_path(number)).html, headers=policy)


@_local
def letter_raw(request: HttpRequest, number: int) -> HttpResponse:
    """Return a mail as it was sent, byte for byte."""
    del request
    name = f'attachment; filename="{number:06d}.eml"'
    content = _path(number).read_bytes()
    return HttpResponse(
        content, content_type="message/rfc822", headers={"Content-Disposition": name}
    )
