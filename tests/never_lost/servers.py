"""The servers of the ordeal: each of them goes away now and then, and comes back as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from asyncio import BaseTransport
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import redis
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP

from tests.servers import PostgreSQL, Valkey
from tests.smtp import Sink

ROOT = Path(__file__).parent.parent.parent


class _Door(Controller):
    """Counts the conversations that go on."""

    conversations = 0

    def factory(self) -> SMTP:
        door = self

        class Conversation(SMTP):
            def connection_made(self, transport: BaseTransport) -> None:
                door.conversations += 1
                super().connection_made(transport)

            def connection_lost(self, error: Exception | None) -> None:
                super().connection_lost(error)
                door.conversations -= 1

        return Conversation(self.handler, **self.SMTP_kwargs)


class PostOffice(Sink):
    """A mail server that can go away, and keeps what it has taken all the same."""

    def __init__(self) -> None:
        super().__init__()
        self._controller = self._door = _Door(self, hostname="127.0.0.1", port=self.port)

    @property
    def copies(self) -> Counter[str]:
        """How many copies of each mail it has taken, by Message-ID."""
        return Counter(str(mail["Message-ID"]) for mail in self.mails)

    def go_away(self) -> None:
        """Take no more mails, nor connections."""
        self._controller.stop()

    def come_back(self) -> None:
        """Listen at the same port again."""
        self._controller = self._door = _Door(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    def hang_up(self) -> None:
        """Return when every conversation has ended: what was on its way has come, or never will."""
        while self._door.conversations:
            time.sleep(0.005)


class Workers:
    """A mail server, and workers that are started one by one; the other servers are there."""

    def __init__(self, log: Path) -> None:
        self.post = PostOffice()
        self.log = log
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(["tests.never_lost.worker"])

    def worker(self, threads: int = 1) -> BaseProcess:
        """Start a worker."""
        from tests.never_lost.worker import work  # noqa: PLC0415 - not before the settings

        process = self._context.Process(target=work, args=(threads, self.log))
        process.start()
        return process

    @contextmanager
    def workers(self, number: int) -> Iterator[None]:
        """Have some workers until this is left."""
        processes = [self.worker(threads=2) for _ in range(number)]
        try:
            yield
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.join()

    def empty_the_broker(self) -> None:
        """Lose every task that was asked for."""
        with redis.Redis.from_url(os.environ["REDIS_URL"]) as client:
            client.flushall()


class Servers(Workers):
    """PostgreSQL, Valkey, a mail server, beat, and workers."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._data = self._open.enter_context(TemporaryDirectory(prefix="dewan-never-lost-"))
        super().__init__(Path(self._data) / "workers.log")
        self.postgresql = PostgreSQL()
        self.valkey = Valkey()

    def __enter__(self) -> Self:
        for server in (self.postgresql, self.valkey, self.post):
            self._open.enter_context(server)
        os.environ |= {
            "DATABASE_URL": self.postgresql.url,
            "REDIS_URL": self.valkey.url,
            "EMAIL_URL": self.post.url,
            "DEWAN_DATA": self._data,
            "DEWAN_URL": "http://dewan.example",
            "DEWAN_SECRET_KEY": "never lost",
            "DEWAN_TICK": "1",
            "DEWAN_UNDO_HOLD": "0",
            "DEWAN_LOG_LEVEL": "CRITICAL",
            "DJANGO_SETTINGS_MODULE": "dewan_site.settings",
        }
        self._run("manage.py", "migrate", "--verbosity", "0").wait()
        schedule = f"{self._data}/beat"
        beat = self._run("-m", "celery", "-q", "-A", "dewan_site", "beat", "-s", schedule)
        self._open.callback(beat.wait)
        self._open.callback(beat.terminate)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._open.close()

    def _run(self, *command: str) -> subprocess.Popen[bytes]:
        quiet = subprocess.DEVNULL
        return subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=quiet, stderr=quiet)

    def restart_the_database(self) -> None:
        """Break every connection and every transaction off."""
        from django.db import connections  # noqa: PLC0415

        self.postgresql.stop()
        self.postgresql.start()
        connections.close_all()
