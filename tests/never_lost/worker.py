"""A Celery worker in a process of its own, as in production: it is killed, and others start.

Where time has to pass, rows are moved into the past (``ordeal``); the workers know nothing of it.
"""

from __future__ import annotations

import os
from pathlib import Path


def prepare() -> None:
    """Load everything that a worker needs, so that one can begin without delay."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")
    import django  # noqa: PLC0415

    django.setup()
    import notifications.tasks  # noqa: F401, PLC0415
    from notifications import picture  # noqa: PLC0415

    picture._sheet(2)  # what takes longest when the first mail is made


def work(threads: int, log: Path) -> None:
    """Work until the end of the process, with a file for what it says."""
    with log.open("ab") as file:
        for stream in (1, 2):
            os.dup2(file.fileno(), stream)
    from dewan_site.celery import app  # noqa: PLC0415

    alone = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    app.worker_main(["-q", "worker", "--pool", "threads", "-c", str(threads), *alone])


if __name__ != "__main__":
    prepare()  # the process that workers are forked from does it once for all of them
