"""``make bench``: measure everything, print a line a figure and one JSON object at the end."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator

from bench import clock, engine, http, mail, replies, storage
from bench.figures import Figure
from tests.servers import PostgreSQL, Valkey


def main() -> int:
    """Measure, print, and return 1 if a floor is missed."""
    measured = []
    for figure in _figures():
        print(figure.line(), flush=True)
        measured.append(figure)
    print(json.dumps({figure.name: figure.as_json() for figure in measured}))
    return int(any(figure.verdict == "MISSED" for figure in measured))


def _figures() -> Iterator[Figure]:
    yield from engine.fold_figures()
    yield from engine.playout_figures()
    with tempfile.TemporaryDirectory() as data, Valkey() as valkey:
        with PostgreSQL(durable=True) as postgresql:
            yield storage.resume_figure("PostgreSQL", postgresql.url, f"{data}/pg")
            yield from mail.figures(postgresql.url, f"{data}/pg")
            yield replies.figure("PostgreSQL", postgresql.url, f"{data}/pg")
            yield from clock.figures(postgresql.url, f"{data}/pg")
            on_postgresql = http.measure(_environment(postgresql.url, valkey.url, f"{data}/pg"))
        sqlite = f"sqlite:///{data}/sqlite/dewan.sqlite3"
        yield storage.resume_figure("SQLite", sqlite, f"{data}/sqlite")
        yield replies.figure("SQLite", sqlite, f"{data}/sqlite")
        on_sqlite = http.measure(_environment(sqlite, valkey.url, f"{data}/sqlite"))
    yield from http.figures(on_postgresql, on_sqlite)


def _environment(database: str, broker: str, data: str) -> dict[str, str]:
    production = {"DATABASE_URL": database, "REDIS_URL": broker, "DEWAN_DATA": data}
    return os.environ | production | {"EMAIL_URL": "smtp://127.0.0.1:1", "DEWAN_UNDO_HOLD": "120"}


if __name__ == "__main__":
    sys.exit(main())
