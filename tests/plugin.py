"""Pytest plugin: the environment of the tests, and the servers they run on.

It is loaded before Django's settings are read. ``DEWAN_TEST_DATABASE=sqlite`` runs the tests
marked ``both_databases`` on the embedded default's database instead of PostgreSQL.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest

from tests.servers import PostgreSQL, Valkey, free_port

ON_SQLITE = os.environ.get("DEWAN_TEST_DATABASE") == "sqlite"
_POSTGRESQL_PORT = free_port()
_VALKEY_PORT = free_port()
_DATA = tempfile.mkdtemp(prefix="dewan-tests-")

os.environ |= {
    "DEWAN_DATA": _DATA,
    "DEWAN_MIN_MOVE_TIME": "PT2S",
    "DEWAN_UNDO_HOLD": "0",
    "DEWAN_SECRET_KEY": "tests only",
    "DATABASE_URL": f"sqlite:///{_DATA}/dewan.sqlite3"
    if ON_SQLITE
    else f"postgres://dewan@127.0.0.1:{_POSTGRESQL_PORT}/dewan",
    "REDIS_URL": f"redis://127.0.0.1:{_VALKEY_PORT}/0",
}
for _name in ("EMAIL_URL", "DEWAN_URL", "DEWAN_ALLOWED_HOSTS"):
    os.environ.pop(_name, None)


@pytest.fixture(scope="session")
def servers() -> Iterator[None]:
    """Run PostgreSQL and Valkey for the whole session."""
    with Valkey(_VALKEY_PORT):
        if ON_SQLITE:
            yield
        else:
            with PostgreSQL(_POSTGRESQL_PORT):
                yield


def pytest_configure() -> None:
    """Save what thousands of tests would do again and again."""
    from django.conf import settings  # noqa: PLC0415 - not before the environment is set

    settings.WHITENOISE_AUTOREFRESH = True  # else each test client looks for all static files
    gc.set_threshold(100_000, 50, 50)


def pytest_unconfigure() -> None:
    """Take the data folder away."""
    shutil.rmtree(_DATA, ignore_errors=True)
