"""Backups: everything a service needs to go on, in one file, for either database.

A backup is gzipped JSON lines: a header, one object a row in an order that can be loaded,
and a last line that counts and seals them. Sessions are left out: people sign in again.
Restoring inserts into an empty database, so a service can move from SQLite to PostgreSQL.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core import serializers
from django.core.management.color import no_style
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction
from django.utils import timezone

FORMAT = "dewan-backup/1"
MODELS = (
    "accounts.Player",
    "accounts.Rests",
    "knox.AuthToken",
    "games.StoredComponentSet",
    "games.Game",
    "games.GameSecret",
    "games.Seat",
    "games.Sitting",
    "games.Move",
    "games.SealedAnswer",
    "games.Submission",
    "games.TableMessage",
    "games.Decision",
    "games.Proposal",
    "games.SeatOffer",
    "notifications.OutboxMail",
    "notifications.Shortlist",
    "notifications.InboundMail",
    "notifications.Note",
    "notifications.GameRhythm",
    "notifications.LastBatch",
    "notifications.AddressTrouble",
    "notifications.Heartbeat",
    "notifications.RecordedOutage",
)


class BackupError(Exception):
    """The backup cannot be made or restored; the text says why."""


class _Exact(DjangoJSONEncoder):
    """Writes moments in full: Django's encoder cuts them to milliseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if isinstance(o, datetime) else super().default(o)


def write(path: Path) -> int:
    """Write a backup as of one moment, while the service runs; return how many rows it has."""
    part = path.with_suffix(path.suffix + ".part")
    with transaction.atomic():
        _read_one_snapshot()
        with gzip.open(part, "wt", encoding="utf-8") as file:
            count = _write_lines(file)
    part.chmod(0o600)
    part.replace(path)
    return count


def _read_one_snapshot() -> None:
    # On SQLite the transaction has the write lock: nothing changes while it reads.
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _write_lines(file: Any) -> int:
    digest = hashlib.sha256()
    count = 0
    file.write(json.dumps({"format": FORMAT, "at": timezone.now().isoformat()}) + "\n")
    for model in _models():
        for row in model._default_manager.order_by("pk").iterator():
            line = serializers.serialize("json", [row], cls=_Exact)[1:-1]
            digest.update(line.encode())
            file.write(line + "\n")
            count += 1
    file.write(json.dumps({"rows": count, "sha256": digest.hexdigest()}) + "\n")
    return count


def _models() -> list[type[models.Model]]:
    return [apps.get_model(label) for label in MODELS]


@transaction.atomic
def restore(path: Path) -> int:
    """Load a backup into an empty database; return how many rows. Raises BackupError."""
    for model in _models():
        if model._default_manager.exists():
            raise BackupError(
                f"the database is not empty: it has {model._meta.verbose_name_plural}"
            )
    count = 0
    with connection.constraint_checks_disabled():
        for line in _sealed_lines(path):
            for row in serializers.deserialize("json", f"[{line}]"):
                row.save(force_insert=True)
                count += 1
    _reset_sequences()
    return count


def _sealed_lines(path: Path) -> Iterator[str]:
    """Yield the rows of a backup; raise BackupError if it is no backup, or cut or changed."""
    digest = hashlib.sha256()
    with gzip.open(path, "rt", encoding="utf-8") as file:
        header, *rows, seal = file.read().splitlines()
    if json.loads(header).get("format") != FORMAT:
        raise BackupError(f"{path} is no backup of this service")
    for line in rows:
        digest.update(line.encode())
        yield line
    if json.loads(seal) != {"rows": len(rows), "sha256": digest.hexdigest()}:
        raise BackupError(f"{path} was cut or changed; nothing was restored")


def _reset_sequences() -> None:
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), _models()):
            cursor.execute(statement)
