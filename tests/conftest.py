"""Fixtures shared by all tests that need the database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.plugin import ON_SQLITE


@pytest.fixture(scope="session")
def django_db_modify_db_settings(servers: None, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Have the servers up, and SQLite's database in a file, before pytest-django makes it."""
    from django.db import connections  # noqa: PLC0415 - not before the settings

    if ON_SQLITE:
        path = tmp_path_factory.mktemp("db") / "tests.sqlite3"
        connections["default"].settings_dict["TEST"]["NAME"] = str(path)


@pytest.fixture(scope="session")
def template(
    servers: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The name of a migrated database that others are copied from."""
    from django.core.management import call_command  # noqa: PLC0415 - not before the settings

    name = str(tmp_path_factory.mktemp("db") / "template.sqlite3") if ON_SQLITE else "template"
    if not ON_SQLITE:
        _administer('CREATE DATABASE "template"')
    with django_db_blocker.unblock(), _connected_to(name):
        call_command("migrate", verbosity=0)
    return name


@pytest.fixture
def committed(template: str, django_db_blocker: Any, tmp_path: Path) -> Iterator[None]:
    """A fresh database in which transactions really commit, for tests with several connections.

    It is copied from a template and dropped: the log's triggers refuse to have it emptied.
    """
    with django_db_blocker.unblock():
        if ON_SQLITE:
            fresh = shutil.copy(template, tmp_path / "fresh.sqlite3")
            with _connected_to(str(fresh)):
                yield
        else:
            _administer(f'CREATE DATABASE "fresh" TEMPLATE "{template}"')
            with _connected_to("fresh"):
                yield
            _administer('DROP DATABASE "fresh" WITH (FORCE)')


@contextmanager
def _connected_to(name: str) -> Iterator[None]:
    """Have every connection, in every thread, go to another database for a while."""
    from django.db import connections  # noqa: PLC0415

    settings = connections["default"].settings_dict
    connections.close_all()
    before, settings["NAME"] = settings["NAME"], name
    try:
        yield
    finally:
        connections.close_all()
        settings["NAME"] = before


def _administer(statement: str) -> None:
    from django.conf import settings  # noqa: PLC0415

    where = settings.DATABASE_URL.rpartition("/")[0]
    with psycopg.connect(f"{where}/postgres", autocommit=True) as admin:
        admin.execute(statement)  # type: ignore[call-overload]
