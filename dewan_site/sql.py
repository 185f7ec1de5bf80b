"""Several statements in one round trip, and queries that are compiled once (docs/adr/0007).

Building a statement costs Django more than running it costs the database, and a move takes a
dozen of them. Here statements are built from the models, as always, but compiled once a process,
and sent together: on PostgreSQL as one message, on SQLite one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.db import connection, models
from django.db.models import QuerySet

Statement = tuple[str, Sequence[Any]]


class Prepared:
    """A query with one kind of values, compiled at its first use.

    ``build`` returns a queryset of ``values_list`` for example values; the values of a call must
    come in the order in which they stand in the SQL, and every selected column must be one that
    both databases return as text or number.
    """

    def __init__(self, build: Callable[[], QuerySet[Any, Any]]) -> None:
        self._build = build
        self._sql: dict[str, str] = {}

    def __call__(self, *values: Any) -> Statement:
        """Return the statement with these values."""
        sql = self._sql.get(connection.vendor)
        if sql is None:
            sql = self._sql[connection.vendor] = self._build().query.sql_with_params()[0]
        return sql, values


def read(*statements: Statement) -> list[list[tuple[Any, ...]]]:
    """Run queries and return the rows of each."""
    with connection.cursor() as cursor:
        if connection.vendor != "postgresql":
            return [list(cursor.execute(*statement).fetchall()) for statement in statements]
        cursor.execute(*_joined(statements))
        results = [cursor.fetchall()]
        while cursor.nextset():
            results.append(cursor.fetchall())
        return results


def write(statements: Sequence[Statement]) -> None:
    """Run statements that return nothing; raise IntegrityError as Django does."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(*_joined(statements))
        else:
            for statement in statements:
                cursor.execute(*statement)


def _joined(statements: Sequence[Statement]) -> Statement:
    # Django binds values on the client, so that several statements may be one message.
    return "; ".join(sql for sql, _ in statements), [v for _, values in statements for v in values]


def inserting(instance: models.Model, *, or_ignore: bool = False) -> Statement:
    """Return the statement that inserts a new row; its database-made id stays unknown."""
    fields, sql = _insert(type(instance), connection.vendor)
    values = [
        field.get_db_prep_save(field.pre_save(instance, True), connection) for field in fields
    ]
    return (f"{sql} ON CONFLICT DO NOTHING" if or_ignore else sql), values


@cache
def _insert(model: type[models.Model], _vendor: str) -> tuple[list[Any], str]:
    fields = [f for f in model._meta.concrete_fields if not isinstance(f, models.AutoField)]
    columns = ", ".join(f'"{field.column}"' for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    table = model._meta.db_table
    return fields, f'INSERT INTO "{table}" ({columns}) VALUES ({marks})'  # noqa: S608 - our own names


def returning(statement: Statement, column: str = "1") -> Statement:
    """Return a statement that changes rows, as one that can be read like a query."""
    sql, values = statement
    return f"{sql} RETURNING {column}", values


def updating(
    instance: models.Model, names: Sequence[str], still: Mapping[str, Any] | None = None
) -> Statement:
    """Return the statement that writes these fields of a row, if others ``still`` are like this."""
    held = still or {}
    fields, sql = _update(type(instance), tuple(names), tuple(held), connection.vendor)
    values = [
        field.get_db_prep_save(field.pre_save(instance, False), connection)
        for field in fields[: len(names)]
    ]
    stay = zip(fields[len(names) :], held.values(), strict=True)
    return sql, [*values, instance.pk, *(f.get_db_prep_save(v, connection) for f, v in stay)]


@cache
def _update(
    model: type[models.Model], names: tuple[str, ...], still: tuple[str, ...], _vendor: str
) -> tuple[list[Any], str]:
    fields: list[Any] = [model._meta.get_field(name) for name in (*names, *still)]
    key, table = model._meta.pk, model._meta.db_table
    assert key is not None, "every model has a key"
    marks = [f'"{field.column}" = %s' for field in fields]
    columns = ", ".join(marks[: len(names)])
    where = " AND ".join([f'"{key.column}" = %s', *marks[len(names) :]])
    sql = f'UPDATE "{table}" SET {columns} WHERE {where}'  # noqa: S608 - our own names
    return fields, sql


@contextmanager
def committed_with_the_next() -> Iterator[None]:
    """Let transactions be made durable with the next one that is, for what can be done again.

    If PostgreSQL dies just after one, it is as if it had not been; what has been done since, and
    was made durable, did not know of it either. No other database is told anything.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO off")
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET synchronous_commit")
