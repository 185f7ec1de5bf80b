"""A real browser, and the real service as ``make run`` starts it."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.web.people import PHONE, Person

ROOT = Path(__file__).parents[2]
START_TIME = 60
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOW_TO_GET_IT = """These tests drive a real browser, and Debian's chromium is not installed:
    apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core
or set DEWAN_CHROMIUM to the path of another Chromium."""

NewPerson = Callable[..., Person]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The browser; fails, and says how to get one, if there is none."""
    path = os.environ.get("DEWAN_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.fail(HOW_TO_GET_IT, pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM_FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the whole service, running in a process of its own."""
    data = tmp_path_factory.mktemp("service")
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("DEWAN_") and name not in ("DATABASE_URL", "REDIS_URL", "EMAIL_URL")
    }
    own = {"DEWAN_DATA": str(data), "DEWAN_PORT": "0", "DEWAN_UNDO_HOLD": "0", "DEWAN_TICK": "1"}
    with (data / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "dewan_run"],
            cwd=ROOT,
            env=inherited | own,
            stdout=log,
            stderr=log,
        )
    try:
        yield _ready(process, data)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)


def _ready(process: subprocess.Popen[bytes], data: Path) -> str:
    limit = time.monotonic() + START_TIME
    ready = data / "ready.json"
    while not ready.exists():
        if process.poll() is not None or time.monotonic() > limit:
            pytest.fail(f"the service did not start:\n{(data / 'log').read_text()}", pytrace=False)
        time.sleep(0.1)
    url: str = json.loads(ready.read_text())["url"]
    return url


_numbers = itertools.count(1)


@pytest.fixture
def new_person(browser: Browser, service: str) -> Iterator[NewPerson]:
    """A function that brings somebody with a phone; ``script=False`` switches JavaScript off."""
    people: list[Person] = []

    def bring(name: str = "", *, script: bool = True, **options: Any) -> Person:
        context = browser.new_context(
            **{
                "viewport": PHONE,
                "base_url": service,
                "java_script_enabled": script,
                "timezone_id": "Europe/Amsterdam",
                **options,
            }
        )
        person = Person(context, f"player{next(_numbers)}@example.org")
        people.append(person)
        if name:
            person.sign_in(name)
        return person

    yield bring
    for person in people:
        person.context.close()


@pytest.fixture
def ann(new_person: NewPerson) -> Person:
    """Ann, signed in on her phone."""
    return new_person("Ann")


@pytest.fixture
def ben(new_person: NewPerson) -> Person:
    """Ben, signed in on his phone."""
    return new_person("Ben")
