"""A part of the year's games in a process of its own, with a database of its own."""

from __future__ import annotations

import os
import tempfile
from typing import Any, NamedTuple


class Shard(NamedTuple):
    """What a process plays: the games with these numbers, on this database."""

    seed: int
    numbers: range
    database: str


def environment_for(database: str, data: str) -> dict[str, str]:
    """Return the settings of the year's services: nobody but us sweeps, plays bots or sends."""
    return {
        "DATABASE_URL": database,
        "REDIS_URL": "",
        "DEWAN_DATA": data,
        "DEWAN_SECRET_KEY": "a year of the tests",
        "DEWAN_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "dewan_site.settings",
    }


def live(shard: Shard) -> dict[str, Any]:
    """Live through the year; return its figures."""
    with tempfile.TemporaryDirectory(prefix="dewan-year-") as data:
        os.environ |= environment_for(shard.database, data)
        import django  # noqa: PLC0415 - not before the settings

        django.setup()
        from tests.simulate_year.year import Year  # noqa: PLC0415

        year = Year(shard.seed, shard.numbers)
        year.live()
        return year.proofs.report()
