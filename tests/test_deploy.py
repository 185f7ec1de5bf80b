"""What is in deploy/ fits together and fits the service."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
DEPLOY = ROOT / "deploy"
UNITS = DEPLOY / "systemd"
SERVICES = ("web", "worker", "beat", "mail-in")


def copied() -> list[str]:
    """What the Containerfile copies out of the repository."""
    lines = (DEPLOY / "Containerfile").read_text().splitlines()
    return [line.split()[1] for line in lines if re.match(r"COPY (?!--)", line)]


def test_what_the_image_is_made_of_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()

    assert "*" in ignored
    assert {line.removeprefix("!") for line in ignored if line.startswith("!")} == set(copied())


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the image has."""
    folder = tmp_path_factory.mktemp("image")
    for name in copied():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("*.pyc"))
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    ours = re.compile(r"DEWAN_|DJANGO_|PYTHON|(DATABASE|REDIS|EMAIL)_URL$")
    environment = {name: value for name, value in os.environ.items() if not ours.match(name)}
    environment |= {
        "DEWAN_DATA": str(folder.parent / "data"),
        "DEWAN_STATIC": str(folder / "static"),
        "DEWAN_URL": "https://dewan.example",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )


PROBE = """
from dewan_site.wsgi import application
from django.test import Client
ask = lambda path, **more: Client().get(path, **more).status_code
print(ask("/rules/", HTTP_HOST="dewan.example"), ask("/healthz", HTTP_HOST="10.0.0.7:8000"))
"""


@pytest.mark.slow
def test_the_image_has_all_that_is_read_while_it_runs(image: Path) -> None:
    refused = run(image, "-c", PROBE)
    assert refused.returncode != 0
    assert "Run `manage.py collectstatic --noinput`" in refused.stderr

    for command in (["collectstatic", "--noinput", "-v", "0"], ["migrate", "-v", "0"]):
        done = run(image, "manage.py", *command)
        assert (done.returncode, done.stderr) == (0, "")
    assert run(image, "-c", PROBE).stdout == "200 200\n"

    (image / "docs" / "rules.md").unlink()
    refused = run(image, "manage.py", "migrate")
    assert refused.returncode != 0
    assert "docs/rules.md belongs to the service" in refused.stderr


def test_containers_wait_for_the_migration_and_are_probed() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]

    for name in SERVICES:
        waits = compose[name]["depends_on"]["migrate"]
        assert waits == {"condition": "service_completed_successfully"}
    assert {"postgresql", "valkey"} == set(compose["migrate"]["depends_on"])
    for name in ("web", "worker", "postgresql", "valkey"):
        assert "healthcheck" in compose[name]
    assert "/healthz" in json.dumps(compose["web"]["healthcheck"])
    assert compose["proxy"]["environment"] == {"DEWAN_UPSTREAM": "web:8000"}


def unit(name: str) -> configparser.ConfigParser:
    read: Any = configparser.RawConfigParser(strict=False)
    read.optionxform = str
    read.read(UNITS / f"dewan-{name}.service")
    return read


def test_units_wait_for_the_migration_in_the_same_environment() -> None:
    migrate = unit("migrate")
    assert migrate["Service"]["Type"] == "oneshot"
    same = ("User", "WorkingDirectory", "EnvironmentFile", "Environment", "StateDirectory")
    for name in SERVICES:
        service = unit(name)
        assert service["Unit"]["Requires"] == "dewan-migrate.service"
        assert "dewan-migrate.service" in service["Unit"]["After"]
        assert f"dewan-{name}.service" in migrate["Unit"]["Before"]
        assert [service["Service"][key] for key in same] == [
            migrate["Service"][key] for key in same
        ]
    manage = (UNITS / "dewan-manage").read_text()
    for setting in migrate["Service"]["Environment"].split():
        assert f"\n{setting}\n" in manage
    assert migrate["Service"]["EnvironmentFile"] in manage


def test_the_settings_file_is_read_alike_by_systemd_and_shells(tmp_path: Path) -> None:
    """And filled in as the example is, it starts the service; so do the lines for compose."""
    example = (DEPLOY / "dewan.env.example").read_text()
    for file in (example, re.sub(r"^#(?=[A-Z_]+=)", "", example, flags=re.MULTILINE)):
        lines = [line for line in file.splitlines() if line and not line.startswith("#")]
        # A value in single quotes is the same to systemd, compose and shells.
        assert all(re.fullmatch(r"[A-Z_]+='[^']*'", line) for line in lines), lines
        expected = dict(shlex.split(line)[0].split("=", 1) for line in lines)
        (tmp_path / "dewan.env").write_text(file)
        script = f'set -eua; . {tmp_path}/dewan.env; exec "$0" manage.py "$@"'
        command = ["sh", "-c", script, sys.executable, "shell", "--no-imports", "-c", SHOW]

        done = subprocess.run(
            command,
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "DEWAN_DATA": str(tmp_path)},
            check=False,
            capture_output=True,
            text=True,
        )

        assert done.stderr == ""
        shown = json.loads(done.stdout)
        assert {name: shown.get(name) for name in expected} == expected


SHOW = "import json, os; print(json.dumps(dict(os.environ)))"
