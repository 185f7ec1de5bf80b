"""Accepted moves a second over HTTP, beside a bare view that inserts one row, in the same run.

Each of 8 connections plays a game of its own. The games are planned beforehand, from their
seeds, so that nothing but the moves is measured. ``python -m bench.http`` plans them.
"""

from __future__ import annotations

import http.client
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.figures import Figure
from tests.servers import free_port, wait_until

CONNECTIONS = 8
ROUNDS = 7
MOVES = 25
"""Moves of each game in one round."""

Post = tuple[str, dict[str, Any], dict[str, str]]
"""A request: path, body, headers."""


class Rates:
    """Requests a second of both, round by round."""

    def __init__(self) -> None:
        self.moves: list[float] = []
        self.bare: list[float] = []

    @property
    def ratios(self) -> list[float]:
        """Moves for each bare insert, round by round."""
        return [moves / bare for moves, bare in zip(self.moves, self.bare, strict=True)]


def measure(environment: dict[str, str]) -> Rates:
    """Serve the site with this environment, and alternate rounds of bare inserts and moves."""
    games = _planned(environment)
    rates = Rates()
    with _served(environment) as port:
        _round(port, [[_bare()] * MOVES] * CONNECTIONS)
        for number in range(ROUNDS):
            rates.bare.append(_round(port, [[_bare()] * MOVES] * CONNECTIONS))
            part = slice(number * MOVES, (number + 1) * MOVES)
            rates.moves.append(_round(port, [game[part] for game in games]))
    return rates


def figures(on_postgresql: Rates, on_sqlite: Rates) -> list[Figure]:
    """Return the ratios that are asked for, and the rates they come from."""
    postgresql = statistics.median(on_postgresql.moves)
    beside = [rate / postgresql for rate in on_sqlite.moves]
    name = f"moves over HTTP, PostgreSQL, {CONNECTIONS} connections"
    return [
        Figure(f"{name}, of a bare insert", "of it", on_postgresql.ratios, 0.35, 0.55),
        Figure("moves over HTTP, SQLite, of PostgreSQL", "of it", beside, 0.6, 0.8),
        Figure(name, "moves/s", on_postgresql.moves),
        Figure("bare inserts over HTTP, PostgreSQL", "rows/s", on_postgresql.bare),
        Figure("moves over HTTP, SQLite", "moves/s", on_sqlite.moves),
    ]


def _bare() -> Post:
    return "/bench/row", {"at": "2026-11-30T00:00:00Z"}, {}


def _round(port: int, lists: list[list[Post]]) -> float:
    """Send each list over a connection of its own, all at once; return requests a second."""
    together = threading.Barrier(len(lists) + 1)
    failures: list[str] = []

    def send(posts: list[Post]) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.connect()
        together.wait()
        for path, body, headers in posts:
            content = {"Content-Type": "application/json", **headers}
            connection.request("POST", path, json.dumps(body), content)
            response = connection.getresponse()
            answer = response.read()
            if response.status != 201:
                failures.append(f"{response.status} {answer[:300]!r}")
        connection.close()

    threads = [threading.Thread(target=send, args=(posts,)) for posts in lists]
    for thread in threads:
        thread.start()
    together.wait()
    start = time.perf_counter()
    for thread in threads:
        thread.join()
    spent = time.perf_counter() - start
    if failures:
        raise RuntimeError(f"{len(failures)} requests were refused, the first: {failures[0]}")
    return sum(map(len, lists)) / spent


@contextmanager
def _served(environment: dict[str, str]) -> Iterator[int]:
    port = free_port()
    log = Path(environment["DEWAN_DATA"]) / "gunicorn.log"
    arguments = [
        "-b",
        f"127.0.0.1:{port}",
        "-w",
        "2",
        "--threads",
        "4",
        "--keep-alive",
        "75",
        "--log-file",
        str(log),
    ]
    command = [sys.executable, "-m", "gunicorn", *arguments, "bench.wsgi:application"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _healthy(port), "gunicorn")
        yield port
    finally:
        process.terminate()
        process.wait()


def _healthy(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    connection.request("GET", "/healthz")
    if connection.getresponse().status != http.HTTPStatus.OK:
        raise RuntimeError("not healthy")


def _planned(environment: dict[str, str]) -> list[list[Post]]:
    command = [sys.executable, "-m", "bench.http"]
    planned = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return [[tuple(post) for post in game] for game in json.loads(planned.stdout)]


def main() -> None:
    """Open the games and print, for each, the requests that play it."""
    import django  # noqa: PLC0415

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    from bench.plan import plan  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    print(json.dumps([plan(number, ROUNDS * MOVES) for number in range(CONNECTIONS)]))


if __name__ == "__main__":
    main()
