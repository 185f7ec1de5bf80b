"""The embedded service as a process: how it starts, plays, stops, and goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parent.parent
PATIENCE = 30.0


class Service:
    """A running ``manage.py dewan_run`` with a data folder of its own."""

    def __init__(self, data: Path, **settings: str) -> None:
        self.data = data
        keep = {"PATH", "HOME", "LANG", "VIRTUAL_ENV"}
        self.environment = {name: os.environ[name] for name in keep if name in os.environ}
        self.environment |= {
            "DEWAN_DATA": str(data),
            "DEWAN_PORT": "0",
            "DEWAN_TICK": "1",
            "DEWAN_UNDO_HOLD": "0",
            "DEWAN_MIN_MOVE_TIME": "PT2S",
            **settings,
        }
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "dewan_run"],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ready(self) -> dict[str, Any]:
        """Wait for the READY line and return what it says."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("READY "), self.process.communicate()
        ready: dict[str, Any] = json.loads(line.removeprefix("READY "))
        return ready

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, str, str]:
        """Send a signal and return exit code, further output and errors."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def manage(self, *arguments: str) -> str:
        """Run another command beside it."""
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True
        )
        return done.stdout

    def player(self, url: str, name: str) -> httpx.Client:
        """Make a player while it runs and return their REST client."""
        made = self.manage("dewan_player", "--email", f"{name}@example.org", "--name", name)
        headers = {"Authorization": f"Bearer {json.loads(made)['token']}"}
        return httpx.Client(base_url=f"{url}/api/v1", headers=headers)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    services: list[Service] = []

    def run(**settings: str) -> Service:
        services.append(Service(tmp_path / "data", **settings))
        return services[-1]

    yield run
    for service in services:
        if service.process.poll() is None:
            service.process.kill()
        service.process.wait()


def until(condition: Callable[[], object]) -> Any:
    """Wait until a condition holds and return it."""
    limit = time.monotonic() + PATIENCE
    while not (result := condition()):
        assert time.monotonic() < limit, "waited too long"
        time.sleep(0.05)
    return result


def letters(data: Path, kind: str) -> list[str]:
    texts = [path.read_text() for path in sorted((data / "mail").glob("*.eml"))]
    return [text for text in texts if f"X-Dewan-Kind: {kind}" in text]


def test_it_says_when_it_is_ready_plays_and_stops_cleanly(start: Callable[..., Service]) -> None:
    service = start(DEWAN_DEMO="0")
    ready = service.ready()

    assert json.loads((service.data / "ready.json").read_text()) == ready
    assert ready["pid"] == service.process.pid
    assert ready["mail_dir"] == str(service.data / "mail")
    assert httpx.get(f"{ready['url']}/healthz").status_code == 200
    ann = service.player(ready["url"], "ann")
    body = {"players": 2, "seats": ["me", "bot"], "move_time": "PT1H"}
    game = ann.post("/games", json=body).raise_for_status().json()["id"]

    def my_turn() -> bool:
        asked = ann.get(f"/games/{game}").json()["awaiting"]
        return bool(asked) and asked[0]["seat"] == 0

    for _ in range(3):
        until(my_turn)  # the bot answers by itself
        legal = ann.get(f"/games/{game}/legal").json()
        body = {"decision": legal["decision"], "expected_version": legal["version"]}
        text = {"text": legal["entries"][0]["text"]}
        ann.post(f"/games/{game}/moves", json=body | text).raise_for_status()
    until(lambda: letters(service.data, "turn"))
    assert any("ann@example.org" in text for text in letters(service.data, "started"))

    code, out, _ = service.stop()

    assert (code, out) == (0, "")
    assert not (service.data / "ready.json").exists()


def test_it_goes_on_where_it_was_even_after_kill_9(start: Callable[..., Service]) -> None:
    first = start()
    url = first.ready()["url"]
    ann = first.player(url, "robin")
    games = ann.get("/games").json()["games"]
    assert [game["seats"][1]["kind"] for game in games] == ["bot", "bot"]
    first.process.kill()
    first.process.wait()

    second = start()
    ready = second.ready()
    again = httpx.get(f"{ready['url']}/api/v1/games", headers=ann.headers).json()["games"]

    assert [game["id"] for game in again] == [game["id"] for game in games]
    assert [game["version"] for game in again] >= [game["version"] for game in games]
    assert second.stop(signal.SIGINT)[0] == 0


def test_the_clock_plays_when_time_is_up(start: Callable[..., Service]) -> None:
    service = start(DEWAN_DEMO="0")
    ann = service.player(service.ready()["url"], "ann")
    body = {"players": 2, "seats": ["me", "bot"], "move_time": "PT2S"}
    game = ann.post("/games", json=body).raise_for_status().json()["id"]

    def clock_played() -> bool:
        moves = ann.get(f"/games/{game}/moves").json()["moves"]
        return any(move["actor"] == "clock" and move["seat"] == 0 for move in moves)

    until(clock_played)
    until(lambda: letters(service.data, "timed_out"))


def test_the_console_says_only_what_there_is_to_say(start: Callable[..., Service]) -> None:
    service = start(DEWAN_HOST="0.0.0.0")
    url = service.ready()["url"]
    assert url.startswith("http://127.0.0.1:")
    for path in ("/", "/rules/", "/static/games/dewan.css", "/static/games/mark.svg", "/dev/mail/"):
        assert httpx.get(f"{url}{path}").status_code == 200

    _, _, err = service.stop()

    said = [line.split(" ")[0] for line in err.splitlines() if line]
    assert said == ["Dewan", "Sign", "Mails", "Ctrl-C"], err


def test_collected_static_files_are_cached_for_ever(
    start: Callable[..., Service], tmp_path: Path
) -> None:
    static = {"DEWAN_STATIC": str(tmp_path / "static"), "DEWAN_DATA": str(tmp_path / "data")}
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "-v", "0"]
    subprocess.run(command, cwd=ROOT, env=os.environ | static, check=True)
    url = start(DEWAN_DEMO="0", **static).ready()["url"]

    link = re.search(r"/static/games/dewan\.\w{12}\.css", httpx.get(f"{url}/").text)
    assert link
    style = httpx.get(f"{url}{link[0]}")

    assert style.status_code == 200
    assert "immutable" in style.headers["Cache-Control"]
    assert style.headers["Content-Encoding"] == "gzip"


def test_a_bad_setting_is_exit_2(start: Callable[..., Service]) -> None:
    service = start(DEWAN_TICK="soon")

    _, err = service.process.communicate(timeout=PATIENCE)

    assert service.process.returncode == 2
    assert "DEWAN_TICK=soon" in err
    assert "Traceback" not in err


def test_a_taken_port_is_exit_3(start: Callable[..., Service]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        service = start(DEWAN_PORT=str(taken.getsockname()[1]))

        _, err = service.process.communicate(timeout=PATIENCE)

    assert service.process.returncode == 3
    assert "cannot listen" in err


def test_a_data_folder_that_cannot_be_used_is_exit_4(
    start: Callable[..., Service], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    service = start(DEWAN_DATA=str(tmp_path / "file" / "data"))

    _, err = service.process.communicate(timeout=PATIENCE)

    assert service.process.returncode == 4
    assert "DEWAN_DATA" in err
