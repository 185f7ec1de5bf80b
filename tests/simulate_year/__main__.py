"""A year of synthetic players on the real services: ``python -m tests.simulate_year --games 2000``.

Players of several zones and habits play games with every option there is, through both changes of
the clocks and three outages, on PostgreSQL and with a clock that is moved from event to event
(``year``). Around every sweep, and at the end, it is looked at whether what must hold does
(``proofs``). The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from tests.servers import PostgreSQL
from tests.simulate_year.shard import Shard, environment_for, live

ROOT = Path(__file__).parent.parent.parent

Figures = dict[str, Any]


def main(arguments: Sequence[str]) -> int:
    """Simulate the year, print its figures; return 1 if anything did not hold."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulate_year", description=__doc__)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args(arguments)
    began = time.monotonic()
    with PostgreSQL() as server:
        _migrate(server)
        shards = _shards(server, options)
        with ProcessPoolExecutor(options.jobs, get_context("spawn")) as pool:
            figures = _together(list(pool.map(live, shards)))
    failures = figures.pop("failures")
    seconds = round(time.monotonic() - began, 1)
    figures |= {"seconds": seconds, "moves_per_second": round(figures["moves"] / seconds)}
    sys.stdout.write(json.dumps(figures | {"failures": failures}) + "\n")
    return 1 if failures else 0


def _migrate(server: PostgreSQL) -> None:
    with TemporaryDirectory(prefix="dewan-year-") as data:
        environment = os.environ | environment_for(server.url, data)
        command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True)


def _shards(server: PostgreSQL, options: argparse.Namespace) -> list[Shard]:
    """Deal the games out; each process has a copy of the migrated database."""
    end = options.first + options.games
    numbers = [range(options.first + job, end, options.jobs) for job in range(options.jobs)]
    return [
        Shard(options.seed, part, _copy(server, f"year{job}"))
        for job, part in enumerate(numbers)
        if part
    ]


def _copy(server: PostgreSQL, name: str) -> str:
    where = server.url.rpartition("/")[0]
    with psycopg.connect(f"{where}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE dewan")
    return f"{where}/{name}"


def _together(parts: list[Figures]) -> Figures:
    """Add up the figures of all shards; the outages are the same in all of them."""
    whole = {name: _added([part[name] for part in parts]) for name in parts[0]}
    for name in ("most_reminders", "outages"):
        whole[name] = max(part[name] for part in parts)
    mean = round(whole["reminders"] / max(whole["decisions"], 1), 3)
    whole["reminders_per_decision"] = {"mean": mean, "max": whole.pop("most_reminders")}
    return whole


def _added(values: list[Any]) -> Any:
    if isinstance(values[0], dict):
        return dict(sum(map(Counter, values), Counter[str]()))
    return sum(values, type(values[0])())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
