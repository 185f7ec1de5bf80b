"""The whole service in one process: web server, worker, beat and mail (docs/operating.md).

For ``make run`` and for a circle of friends on one machine. In production the four are
processes of their own and this module is not used.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import socket
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

import uvicorn
from celery.beat import EmbeddedService, Scheduler
from celery.exceptions import SecurityWarning
from django.conf import settings
from django.db import connections

from dewan_site.asgi import application
from dewan_site.celery import app
from dewan_site.env import DataFolderError, usable
from dewan_site.listening import BACKLOG, PortTaken, reachable
from dewan_site.stopping import Stop, leave_in_time
from notifications.ways_in.listener import Listener

WORKERS = 2
MAIL_PORT = 8025
"""Where mail is listened for unless a setting says otherwise, if nobody else listens there."""
READY_FILE = "ready.json"
LOCK_FILE = "lock"


def lock_data_folder() -> IO[str]:
    """Keep other embedded services off the data folder, as long as the file returned is open."""
    data = Path(settings.DEWAN_DATA)
    with usable(data):
        lock = (data / LOCK_FILE).open("a")
    with suppress(OSError):  # a file system without locks: nobody can be kept off
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            problem = "another dewan_run uses this folder; stop it, or take another folder"
            raise DataFolderError(f"DEWAN_DATA={data}: {problem}") from error
    _ready_file().unlink(missing_ok=True)  # of one that was killed
    return lock


def address_of(listener: socket.socket) -> str:
    """Return the address of the service behind a socket."""
    return settings.DEWAN_URL or local_address_of(listener)


def local_address_of(listener: socket.socket) -> str:
    """Return the address of the service on this machine."""
    return f"http://{reachable(listener)}"


def mail_listener() -> Listener:
    """Return what listens for mail, not yet started: at ``DEWAN_MAIL_IN``, else where it can.

    Raises PortTaken or SettingError if it cannot listen where it was told to.
    """
    if settings.DEWAN_MAIL_IN:
        return Listener.at(settings.DEWAN_MAIL_IN)
    try:
        return Listener.at(f"smtp://127.0.0.1:{MAIL_PORT}")
    except PortTaken:
        return Listener.at("smtp://127.0.0.1:0")


class _Server(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        stop: Stop,
        on_start: Callable[[], None],
        before_end: Callable[[], None],
    ) -> None:
        super().__init__(config)
        self._stop = stop
        self._on_start = on_start
        self._before_end = before_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._stop.asked:  # before uvicorn heard of signals
            self.should_exit = True
        elif self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        leave_in_time()
        await asyncio.to_thread(self._before_end)
        await super().shutdown(sockets)


def serve(listener: socket.socket, mail: Listener, stop: Stop) -> None:
    """Serve until SIGINT or SIGTERM, then stop all the others, and do not wait for long."""
    # Each request has a thread of its own here, so a connection that is kept is never used again.
    connections["default"].settings_dict["CONN_MAX_AGE"] = 0
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
    ready = {"url": address_of(listener), "mail_in": mail.url}

    def stop_tasks() -> None:
        beat.service.stop()
        worker.stop()  # its tasks have ended then; the thread waits for others, a while longer

    # Tasks end before the web server, which they ask whether moves are taken.
    server = _Server(_config(), stop, lambda: _announce(ready), before_end=stop_tasks)
    stop.starting = False
    running.start()
    beat.start()
    mail.start()
    try:
        server.run(sockets=[listener])
    finally:
        leave_in_time()
        _ready_file().unlink(missing_ok=True)
        mail.stop()
        stop_tasks()


def _config() -> uvicorn.Config:
    return uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        backlog=BACKLOG,
        lifespan="off",
        proxy_headers=False,  # DEWAN_BEHIND_PROXY decides whom to believe
        timeout_graceful_shutdown=2,
    )


def _ready_file() -> Path:
    return Path(settings.DEWAN_DATA) / READY_FILE


def _announce(ready: dict[str, str]) -> None:
    """Say once, to programs that wait for it, that the service answers."""
    own = {"mail_dir": str(settings.DEWAN_MAIL_DIR), "pid": os.getpid()}
    line = json.dumps(ready | own)
    part = _ready_file().with_suffix(".part")
    part.write_text(line + "\n")
    part.replace(_ready_file())
    sys.stdout.write(f"READY {line}\n")
    sys.stdout.flush()
