"""Whether the installation is complete: the files beside the code that are read while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management.base import SystemCheckError

from games.web import rules

TAG = "dewan"


@checks.register(TAG)
def rules_are_installed(**_: Any) -> list[checks.CheckMessage]:
    """Tell whether the page of the rules has something to show."""
    if rules.RULES.is_file():
        return []
    hint = "docs/rules.md belongs to the service: the page /rules/ shows it."
    return [checks.Error(f"{rules.RULES} is missing", hint=hint, id="dewan.E001")]


@checks.register(TAG)
def static_files_are_collected(**_: Any) -> list[checks.CheckMessage]:
    """Tell whether ``DEWAN_STATIC`` holds what pages link to."""
    folder = settings.STATIC_ROOT
    if folder is None or (Path(folder) / "staticfiles.json").is_file():
        return []
    hint = "Run `manage.py collectstatic --noinput` with the same environment."
    problem = f"DEWAN_STATIC={folder} holds no static files"
    return [checks.Error(problem, hint=hint, id="dewan.E002")]


def refuse_to_start_incomplete() -> None:
    """Raise SystemCheckError if something is missing; servers run no checks of their own."""
    errors = checks.run_checks(tags=[TAG])
    if errors:
        raise SystemCheckError("\n".join(map(str, errors)))
