"""The environment the service is configured by (docs/settings.md): read once, checked, typed."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from django.utils.dateparse import parse_duration


class SettingError(Exception):
    """A setting has a value that cannot be used. The message names it and says what would do."""


class DataFolderError(Exception):
    """The data folder cannot be used."""


class Environment:
    """Typed access to environment variables; each method names the variable when it refuses it."""

    def __init__(self, values: Mapping[str, str] = os.environ) -> None:
        self._values = values

    def text(self, name: str, default: str = "") -> str:
        """Return a variable, or the default if it is unset or empty."""
        return self._values.get(name, "").strip() or default

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``."""
        text = self.text(name, str(default))
        if not (text.isdecimal() and low <= int(text) <= high):
            raise SettingError(f"{name}={text}: needs a whole number from {low} to {high}")
        return int(text)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a yes/no setting, written 1 or 0."""
        text = self.text(name, "1" if default else "0")
        if text not in ("0", "1"):
            raise SettingError(f"{name}={text}: needs 1 or 0")
        return text == "1"

    def duration(self, name: str, default: str) -> timedelta:
        """Return a duration, written in seconds (``90``) or ISO 8601 (``PT1H``)."""
        text = self.text(name, default)
        length = duration(text)
        if length is None:
            raise SettingError(f"{name}={text}: needs seconds (90) or ISO 8601 (PT1H), not below 0")
        return length

    def data_folder(self) -> Path:
        """Return ``DEWAN_DATA``, made if need be; raise DataFolderError if it cannot be written."""
        path = Path(self.text("DEWAN_DATA", "var")).resolve()
        try:
            path.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=path).close()
        except OSError as error:
            raise DataFolderError(f"DEWAN_DATA={path}: {error.strerror or error}") from error
        return path


def duration(text: str) -> timedelta | None:
    """Read a duration in seconds or ISO 8601; None if it is neither, or negative."""
    if text.replace(".", "", 1).isdecimal():
        return timedelta(seconds=float(text))
    length = parse_duration(text) if text.startswith("P") else None
    return length if length is not None and length >= timedelta(0) else None


def secret_key(values: Environment, data: Path) -> str:
    """Return the key that signs sessions and links: ``DEWAN_SECRET_KEY``, else one kept in data."""
    given = values.text("DEWAN_SECRET_KEY")
    if given:
        return given
    path = data / "secret_key"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text()
    with os.fdopen(descriptor, "w") as file:
        key = secrets.token_urlsafe(50)
        file.write(key)
    return key
