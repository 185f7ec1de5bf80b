"""Every setting: what is refused, with a line that helps, and what follows from what."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dewan_site.env import SettingError

ROOT = Path(__file__).parent.parent
OURS = re.compile(r"DEWAN_|(DATABASE|REDIS|EMAIL)_URL$")

Settings = dict[str, Any]


@pytest.fixture
def settings_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Settings]:
    """Read the settings as a process with exactly these variables would."""
    for name in filter(OURS.match, list(os.environ)):
        monkeypatch.delenv(name)

    def read(**variables: str) -> Settings:
        for name, value in ({"DEWAN_DATA": str(tmp_path)} | variables).items():
            monkeypatch.setenv(name, value)
        return runpy.run_path(str(ROOT / "dewan_site" / "settings.py"))

    return read


REFUSED = {
    "DEWAN_PORT": ["web", "-1", "65536", "80.5", "9" * 5000],
    "DEWAN_DEMO": ["yes", "2", "true"],
    "DEWAN_DEBUG": ["yes", "-1"],
    "DEWAN_BEHIND_PROXY": ["caddy"],
    "DEWAN_URL": [
        "foo",
        "dewan.example",
        "ftp://dewan.example",
        "https://",
        "https://dewan.example/play",
        "https://dewan.example?x",
        "https://me@dewan.example",
        "https://dewan.example:web",
        "https://dewan.example:0",
        "https://dewan example",
        "https://[::1",
        "https://*",
    ],
    "DEWAN_ALLOWED_HOSTS": ["https://dewan.example", "dewan.example:80", "a b", "a,b/c"],
    "DEWAN_MIN_MOVE_TIME": ["P60D", "P31D", "0", "-5", "P-1D", "-P1D", "soon", "9" * 40, "PT"],
    "DEWAN_TICK": ["0", "-1", "soon", "P1D", "PT0S"],
    "DEWAN_UNDO_HOLD": ["-1", "P2D", "later", "P999999999999D"],
    "DEWAN_MAX_PAUSE": ["PT30M", "P91D", "long"],
    "DEWAN_TIME_OUT_UNDO": ["-1", "P8D", "never"],
    "DEWAN_PROBE_URL": ["web:8000", "http://web:8000/healthz"],
    "DEWAN_MAIL_FROM": [
        "dewan",
        "Dewan by post",
        "<dewan>",
        "Dewan <a@b> by post",
        "a@b\nBcc: c@d",
    ],
    "DEWAN_LOG_LEVEL": ["LOUD", "warning", "10"],
    "DATABASE_URL": [
        "foo",
        "postgres://",
        "postgres://dewan:secret@localhost",
        "postgres://dewan:secret@localhost:port/dewan",
        "mysql://dewan:secret@localhost/dewan",
        "sqlite://",
        "sqlite:///",
        "sqlite://:memory:",
    ],
    "REDIS_URL": [
        "foo",
        "redis://",
        "amqp://guest:secret@localhost",
        "redis://h:x/0",
        "redis://h/x",
    ],
    "EMAIL_URL": ["foo", "smtp://", "http://me:secret@mail.example", "smtp://mail.example:smtp"],
    "DEWAN_REPLY_TO": ["dewan", "dewan+x@dewan.example", "Dewan <dewan@dewan.example>"],
    "DEWAN_MAIL_IN": ["8025", "127.0.0.1:8025", "smtp://", "smtps://h:25", "lmtp://h:0"],
    "DEWAN_IMAP_URL": ["foo", "imaps://mail.example", "imaps://me@h", "pop3://me:secret@h"],
    "DEWAN_MAIL_AUTH": ["strict", "1", "passed"],
    "DEWAN_MAILS_PER_HOUR": ["0", "many"],
    "DEWAN_MAIL_SIZE": ["1000", "1MB"],
}
"""Values that must not start a service."""

ANY = {
    "DEWAN_DATA",
    "DEWAN_HOST",
    "DEWAN_SECRET_KEY",
    "DEWAN_STATIC",
    "DEWAN_MAIL_AUTHSERV",
}
"""Settings with another way to be refused (exit codes 3 and 4), or none."""


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in REFUSED.items() for value in values]
)
def test_a_bad_value_is_refused_with_a_line_that_helps(
    settings_of: Callable[..., Settings], name: str, value: str
) -> None:
    with pytest.raises(SettingError, match=f"^{name}.*needs ") as refused:
        settings_of(**{name: value})

    assert "secret" not in str(refused.value)


def test_every_setting_is_tried_here() -> None:
    page = (ROOT / "docs" / "settings.md").read_text()
    documented = re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)
    assert set(documented) == {*REFUSED, *ANY}


@pytest.mark.parametrize(
    ("name", "value"),
    [("DATABASE_URL", "foo"), ("EMAIL_URL", "foo"), ("DEWAN_MIN_MOVE_TIME", "P60D")],
)
def test_a_bad_value_stops_a_process_with_exit_code_2(
    tmp_path: Path, name: str, value: str
) -> None:
    environment = {**os.environ, "DEWAN_DATA": str(tmp_path), name: value}
    command = [sys.executable, "manage.py", "check"]

    done = subprocess.run(
        command, check=False, cwd=ROOT, env=environment, capture_output=True, text=True
    )

    assert done.returncode == 2
    assert re.fullmatch(rf"dewan: {name}.*\n", done.stderr)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("postgres://dewan:p%40ss@db:5433/dewan", ("dewan", "p@ss", "db", 5433)),
        ("postgresql:///dewan", ("dewan", "", "", "")),
        ("sqlite:////srv/a%2Bb/dewan.sqlite3", ("/srv/a+b/dewan.sqlite3", "", "", "")),
    ],
)
def test_databases(
    settings_of: Callable[..., Settings], url: str, expected: tuple[Any, ...]
) -> None:
    found = settings_of(DATABASE_URL=url)["DATABASES"]["default"]

    assert tuple(found[name] for name in ("NAME", "PASSWORD", "HOST", "PORT")) == expected


def test_the_database_lies_in_the_data_folder_whatever_that_is_called(
    settings_of: Callable[..., Settings], tmp_path: Path
) -> None:
    data = tmp_path / "100% a+b?#"

    found = settings_of(DEWAN_DATA=str(data))["DATABASES"]["default"]

    assert found["NAME"] == str(data / "dewan.sqlite3")


def test_good_values(settings_of: Callable[..., Settings]) -> None:
    found = settings_of(
        DEWAN_URL="https://Dewan.example:8443/",
        DEWAN_ALLOWED_HOSTS="www.dewan.example, 192.0.2.1,[2001:db8::1]",
        DEWAN_MIN_MOVE_TIME="P10D",
        DEWAN_TICK="0.5",
        DEWAN_MAIL_FROM="dewan@localhost",
        REDIS_URL="rediss://:word@valkey:6379/1",
        EMAIL_URL="smtp+tls://me:word@mail.example:587",
    )

    assert found["DEWAN_URL"] == "https://dewan.example:8443"
    allowed = ["www.dewan.example", "192.0.2.1", "[2001:db8::1]", "dewan.example"]
    assert found["ALLOWED_HOSTS"] == allowed
    assert found["DEWAN_MOVE_TIME"] == found["DEWAN_MIN_MOVE_TIME"]
    assert (found["EMAIL_HOST"], found["EMAIL_USE_TLS"]) == ("mail.example", True)
    assert found["EMAIL_BACKEND"].endswith("smtp.EmailBackend")


@pytest.mark.parametrize(
    ("variables", "demo"),
    [
        ({}, True),
        ({"EMAIL_URL": "smtp://mail.example"}, True),
        ({"DEWAN_URL": "http://localhost:8000"}, True),
        ({"DEWAN_URL": "http://127.0.0.1", "EMAIL_URL": "smtp://mail.example"}, True),
        ({"DEWAN_URL": "http://[::1]:8000"}, True),
        ({"DEWAN_URL": "https://dewan.example"}, False),
        ({"DEWAN_URL": "http://192.0.2.7:8000"}, False),
        ({"DEWAN_URL": "https://dewan.example", "DEWAN_DEMO": "1"}, True),
        ({"DEWAN_DEMO": "0"}, False),
    ],
)
def test_the_demo_is_for_trying_out(
    settings_of: Callable[..., Settings], variables: dict[str, str], demo: bool
) -> None:
    assert settings_of(**variables)["DEWAN_DEMO"] is demo


@pytest.mark.parametrize(
    ("variables", "believed"),
    [
        ({}, False),
        ({"DEWAN_URL": "http://192.0.2.1:8000"}, False),
        ({"DEWAN_URL": "https://dewan.example"}, True),
        ({"DEWAN_URL": "http://dewan.intranet", "DEWAN_BEHIND_PROXY": "1"}, True),
        ({"DEWAN_URL": "https://dewan.example", "DEWAN_BEHIND_PROXY": "0"}, False),
    ],
)
def test_a_proxy_is_believed_only_where_there_is_one(
    settings_of: Callable[..., Settings], variables: dict[str, str], believed: bool
) -> None:
    found = settings_of(**variables)

    assert found["DEWAN_BEHIND_PROXY"] is believed
    assert bool(found["SECURE_PROXY_SSL_HEADER"]) is believed


def test_the_key_is_made_once(settings_of: Callable[..., Settings], tmp_path: Path) -> None:
    first, second = settings_of()["SECRET_KEY"], settings_of()["SECRET_KEY"]

    assert len(first) > 50
    assert first == second
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert settings_of(DEWAN_SECRET_KEY="given")["SECRET_KEY"] == "given"
