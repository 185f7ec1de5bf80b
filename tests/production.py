"""The service as in production: web, worker and beat as processes of their own, on real servers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from tests.servers import PostgreSQL, Valkey, free_port, wait_until
from tests.smtp import Sink

ROOT = Path(__file__).parent.parent


class Production:
    """Everything that production runs, on free ports, with mails going to ``sink``."""

    def __init__(self, *further: list[str], **settings: str) -> None:
        """``settings`` are environment variables on top of those a quick test wants.

        ``further`` are the command lines of more processes, without ``python -m``.
        """
        self.sink = Sink()
        self.postgresql = PostgreSQL()
        self.valkey = Valkey()
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._settings = settings
        self._further = further
        self._open = ExitStack()

    def __enter__(self) -> Self:
        data = self._open.enter_context(tempfile.TemporaryDirectory(prefix="dewan-production-"))
        for server in (self.sink, self.postgresql, self.valkey):
            self._open.enter_context(server)
        self.environment = os.environ | {
            "DATABASE_URL": self.postgresql.url,
            "REDIS_URL": self.valkey.url,
            "EMAIL_URL": self.sink.url,
            "DEWAN_URL": self.url,
            "DEWAN_PROBE_URL": self.url,
            "DEWAN_DATA": data,
            "DEWAN_SECRET_KEY": "production of the tests",
            "DEWAN_TICK": "1",
            "DEWAN_UNDO_HOLD": "0",
            "DEWAN_MAIL_FROM": "Dewan by post <dewan@dewan.example>",
            **self._settings,
        }
        self.manage("migrate", "--verbosity", "0")
        log = self._open.enter_context((Path(data) / "processes.log").open("ab"))
        web = ["-b", f"127.0.0.1:{self.port}", "-w", "2", "--threads", "4", "--keep-alive", "75"]
        for command in (
            ["gunicorn", *web, "dewan_site.wsgi:application"],
            ["celery", "-A", "dewan_site", "worker", "--pool", "threads", "-c", "4"],
            ["celery", "-A", "dewan_site", "beat", "-s", f"{data}/beat"],
            *self._further,
        ):
            self._start(command, log.fileno())
        wait_until(lambda: httpx.get(f"{self.url}/healthz").raise_for_status(), "the web process")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._open.close()

    def _start(self, command: list[str], log: int) -> None:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=self.environment,
            stdout=log,
            stderr=log,
        )
        self._open.callback(process.wait)
        self._open.callback(process.terminate)

    def manage(self, *arguments: str) -> str:
        """Run a management command and return what it prints."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    def player(self, name: str) -> tuple[str, httpx.Client]:
        """Make a player; return their address and a REST client of theirs."""
        email = f"{name.lower()}@players.example"
        made = json.loads(self.manage("dewan_player", "--email", email, "--name", name))
        headers = {"Authorization": f"Bearer {made['token']}"}
        return email, httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=30)
