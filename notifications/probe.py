"""Whether the service takes moves, asked the way a move goes: the web server writes a row.

A clock must not run while nobody can play. So the sweep asks the web server to write, over HTTP,
before it does anything; where it does not know the address, it writes itself.
"""

from __future__ import annotations

import logging
from http import HTTPStatus
from urllib.error import URLError
from urllib.request import Request, urlopen

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.db import DatabaseError, transaction
from django.utils import timezone

from notifications.models import Heartbeat

log = logging.getLogger("dewan.clock")

PATIENCE = 5
"""How many seconds the web server has to answer."""

_signer = TimestampSigner(salt="dewan.probe")
_WORD = "probe"


def takes_moves() -> bool:
    """Tell whether a move would be taken now."""
    if not settings.DEWAN_PROBE_URL:
        return _writes()
    body = _signer.sign(_WORD).encode()
    request = Request(f"{settings.DEWAN_PROBE_URL}/healthz", data=body, method="POST")  # noqa: S310
    try:
        with urlopen(request, timeout=PATIENCE) as response:  # noqa: S310 - an http origin
            return bool(response.status == HTTPStatus.OK)
    except (URLError, OSError) as error:
        log.warning("the web server does not take moves: %s", error)
        return False


def answer(body: bytes) -> HTTPStatus:
    """Write for the sweep, in the web server; what it has not signed is not served."""
    try:
        _signer.unsign(body.decode(errors="replace"), max_age=3600)
    except BadSignature:
        return HTTPStatus.FORBIDDEN
    return HTTPStatus.OK if _writes() else HTTPStatus.SERVICE_UNAVAILABLE


def _writes() -> bool:
    try:
        with transaction.atomic():
            Heartbeat.objects.update_or_create(
                pk=Heartbeat.WEB, defaults={"swept_at": timezone.now()}
            )
    except DatabaseError as error:
        log.warning("the database takes no moves: %s", type(error).__name__)
        return False
    return True
