"""Sockets that listen: of two processes that want the same one, the second is told so."""

from __future__ import annotations

import errno
import socket

from dewan_site.env import SettingError

BACKLOG = 2048


class PortTaken(Exception):
    """Somebody else listens on the port."""


def listening_socket(
    host: str, port: int, named: str = "DEWAN_HOST={host}, DEWAN_PORT={port}"
) -> socket.socket:
    """Return a socket that listens on the address; port 0 takes a free one.

    Raises PortTaken, or SettingError if no port of this host could be listened on: it says which
    settings are ``named`` so.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)  # of two that bind at the same moment, only one can
    except (OSError, UnicodeError) as error:
        listener.close()
        problem = getattr(error, "strerror", None) or error
        if getattr(error, "errno", None) == errno.EADDRINUSE:
            raise PortTaken(f"cannot listen on {host}:{port}: {problem}") from error
        raise SettingError(f"{named.format(host=host, port=port)}: {problem}") from error
    return listener


def reachable(listener: socket.socket) -> str:
    """Return host and port at which this machine reaches a socket, as they stand in a URL."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - what was asked for
    return f"{f'[{host}]' if ':' in host else host}:{port}"
