"""Fixtures shared by all tests that need the database."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
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
def committed(other_database: Callable[[], None], django_db_blocker: Any) -> Iterator[None]:
    """A fresh database in which transactions really commit, for tests with several connections.

    It is copied from a template and dropped: the log's triggers refuse to have it emptied.
    """
    with django_db_blocker.unblock():
        other_database()
        yield


@pytest.fixture
def other_database(template: str, tmp_path: Path) -> Iterator[Callable[..., None]]:
    """A function that goes over to another fresh database, for good until the test ends.

    With ``empty`` it has not even tables.
    """
    with ExitStack() as undo:
        numbers = itertools.count()

        def go(*, empty: bool = False) -> None:
            if ON_SQLITE:
                path = tmp_path / f"fresh{next(numbers)}.sqlite3"
                if not empty:
                    shutil.copy(template, path)
                undo.enter_context(_connected_to(str(path)))
                return
            name = f"fresh{next(numbers)}"
            of = "template1" if empty else template
            _administer(f'CREATE DATABASE "{name}" TEMPLATE "{of}"')
            undo.callback(_administer, f'DROP DATABASE "{name}" WITH (FORCE)')
            undo.enter_context(_connected_to(name))

        yield go


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
