"""Addresses of our own pages, for mails and clients."""

from __future__ import annotations

from typing import Any

from django.conf import settings


def absolute(path: str, request: Any = None) -> str:
    """Return the full address of a path: from ``DEWAN_URL``, else as the request came in."""
    if settings.DEWAN_URL:
        return f"{settings.DEWAN_URL}{path}"
    if request is not None:
        address: str = request.build_absolute_uri(path)
        return address
    return f"http://{settings.DEWAN_HOST}:{settings.DEWAN_PORT}{path}"
