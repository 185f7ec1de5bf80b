"""The whole service in one process: web server, Celery worker and beat (docs/operating.md).

For ``make run`` and for a circle of friends on one machine. In production the three are
processes of their own and this module is not used.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import uvicorn
from celery.beat import EmbeddedService, Scheduler
from celery.exceptions import SecurityWarning
from django.conf import settings
from django.db import connections

from dewan_site.asgi import application
from dewan_site.celery import app

WORKERS = 2
READY_FILE = "ready.json"


class PortTaken(Exception):
    """The address cannot be listened on."""


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the address; port 0 takes a free one. Raises PortTaken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise PortTaken(f"cannot listen on {host}:{port}: {error.strerror}") from error
    listener.set_inheritable(True)
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address of the service behind a socket."""
    return settings.DEWAN_URL or local_address_of(listener)


def local_address_of(listener: socket.socket) -> str:
    """Return the address of the service on this machine."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - what was asked for
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()


def serve(listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM, then stop the worker and beat cleanly."""
    # Each request has a thread of its own here, so a connection that is kept is never used again.
    connections["default"].settings_dict["CONN_MAX_AGE"] = 0
    # uvicorn stops on these by itself and then raises them again: by then they mean nothing more.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _ignore)
    # As root in a container Celery warns of pickled tasks; ours are JSON.
    warnings.simplefilter("ignore", SecurityWarning)
    worker = app.Worker(
        pool="threads",
        concurrency=WORKERS,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
        quiet=True,
    )
    beat = EmbeddedService(app, thread=True, scheduler_cls=Scheduler)
    running = threading.Thread(target=worker.start, name="celery-worker", daemon=True)
    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        lifespan="off",
        proxy_headers=False,  # DEWAN_BEHIND_PROXY decides whom to believe
        timeout_graceful_shutdown=3,
    )
    server = _Server(config, on_start=lambda: _announce(address_of(listener)))
    running.start()
    beat.start()
    try:
        server.run(sockets=[listener])
    finally:
        beat.stop()
        worker.stop()
        running.join(timeout=5)
        _ready_file().unlink(missing_ok=True)


def _ignore(_: int, __: FrameType | None) -> None:
    pass


def _ready_file() -> Path:
    return Path(settings.DEWAN_DATA) / READY_FILE


def _announce(url: str) -> None:
    """Say once, to programs that wait for it, that the service answers."""
    ready = json.dumps({"url": url, "mail_dir": str(settings.DEWAN_MAIL_DIR), "pid": os.getpid()})
    part = _ready_file().with_suffix(".part")
    part.write_text(ready + "\n")
    part.replace(_ready_file())
    sys.stdout.write(f"READY {ready}\n")
    sys.stdout.flush()
