"""What the site answers before any page, and what it refuses to start without."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.test import AsyncClient, Client

from dewan_site import checks
from games.web import rules

ROOT = Path(__file__).parent.parent


def test_a_probe_needs_no_host_name(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["dewan.example"]

    for host in ("10.0.0.7:8000", "web_1:8000", "localhost"):
        assert Client().get("/healthz", HTTP_HOST=host).status_code == 200
        assert Client().get("/rules/", HTTP_HOST=host).status_code == 400


async def _served(path: str, method: str = "get", **headers: str) -> Any:
    return await getattr(AsyncClient(), method)(path, headers=headers)


def test_static_files_are_sent_whole_under_asgi() -> None:
    """Under ASGI Django warns of responses that are sent piece by piece, as WhiteNoise's are."""

    async def ask() -> tuple[Any, Any, Any]:
        shown = await _served("/static/games/dewan.css")
        head = await _served("/static/games/dewan.css", "head")
        again = await _served(
            "/static/games/dewan.css", **{"if-modified-since": shown["Last-Modified"]}
        )
        return shown, head, again

    shown, head, again = asyncio.run(ask())

    assert shown.content == (ROOT / "games/static/games/dewan.css").read_bytes()
    assert shown["Content-Type"] == 'text/css; charset="utf-8"'
    assert head["Content-Length"] == shown["Content-Length"] == str(len(shown.content))
    assert (again.status_code, again.content) == (304, b"")
    assert not any(response.streaming for response in (shown, head, again))


def test_the_rules_must_be_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    checks.refuse_to_start_incomplete()
    monkeypatch.setattr(rules, "RULES", tmp_path / "rules.md")

    with pytest.raises(SystemCheckError, match=r"rules\.md is missing"):
        checks.refuse_to_start_incomplete()
    with pytest.raises(SystemCheckError, match=r"dewan\.E001"):
        call_command("check")


def test_static_files_must_be_collected(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path)

    with pytest.raises(SystemCheckError, match="collectstatic"):
        checks.refuse_to_start_incomplete()


def test_the_openapi_document_has_no_warnings_and_says_how_to_sign_in() -> None:
    command = [sys.executable, "manage.py", "spectacular", "--validate", "--fail-on-warn"]

    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert "scheme: bearer" in done.stdout
