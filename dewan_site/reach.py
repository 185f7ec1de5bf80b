"""Whether the database can be used: asked once, before a command does anything with it."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

from dewan_site.env import DataFolderError, SettingError


def reach_database() -> None:
    """Raise SettingError or DataFolderError if the database cannot be read."""
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1" if connection.vendor == "postgresql" else "SELECT 1 FROM sqlite_master"
            )
    except DatabaseError as error:
        problem = " ".join(str(error).split())
        if _is_in_data_folder():
            name = connection.settings_dict["NAME"]
            raise DataFolderError(f"DEWAN_DATA: {name}: {problem}") from error
        raise SettingError(f"DATABASE_URL: the database cannot be used: {problem}") from error


def _is_in_data_folder() -> bool:
    if connection.vendor != "sqlite":
        return False
    return Path(connection.settings_dict["NAME"]).resolve().is_relative_to(settings.DEWAN_DATA)
