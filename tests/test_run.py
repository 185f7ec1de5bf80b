"""The embedded service as a process: how it starts, plays, stops, and goes on."""

from __future__ import annotations

import json
import os
import re
import signal
import smtplib
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from dewan_site.listening import PortTaken, listening_socket
from tests.servers import Valkey

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

    def end(self) -> tuple[int, str]:
        """Wait until it ends by itself and return exit code and errors."""
        _, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, err

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
        data = Path(settings.pop("DEWAN_DATA", tmp_path / "data"))
        services.append(Service(data, **settings))
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
    with smtplib.SMTP(ready["mail_in"].removeprefix("smtp://")) as client:
        assert client.ehlo()[0] == 250
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_the_console_says_only_what_there_is_to_say(start: Callable[..., Service]) -> None:
    service = start(DEWAN_HOST="0.0.0.0")
    url = service.ready()["url"]
    assert url.startswith("http://127.0.0.1:")
    for path in ("/", "/rules/", "/static/games/dewan.css", "/static/games/mark.svg", "/dev/mail/"):
        assert httpx.get(f"{url}{path}").status_code == 200

    _, _, err = service.stop()

    said = [line.split(" ")[0] for line in err.splitlines() if line]
    assert said == ["Dewan", "Sign", "Mails", "Answers", "Ctrl-C"], err


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_bad_setting_is_exit_2(start: Callable[..., Service]) -> None:
    code, err = start(DEWAN_TICK="soon").end()

    assert code == 2
    assert re.fullmatch(r"dewan: DEWAN_TICK=soon.*\n", err)


@pytest.mark.slow
def test_a_taken_port_is_exit_3(start: Callable[..., Service]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        service = start(DEWAN_PORT=str(taken.getsockname()[1]))

        code, err = service.end()

    assert code == 3
    assert "cannot listen" in err


@pytest.mark.slow
def test_a_taken_port_for_mail_is_exit_3_if_it_was_asked_for(
    start: Callable[..., Service],
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        service = start(DEWAN_MAIL_IN=f"lmtp://127.0.0.1:{taken.getsockname()[1]}")
        assert service.end()[0] == 3
    first, second = (start(DEWAN_DEMO="0", DEWAN_DATA=f"{service.data}{n}") for n in "ab")

    assert first.ready()["mail_in"] != second.ready()["mail_in"]


@pytest.mark.slow
def test_of_two_that_start_at_once_on_one_port_one_serves(
    start: Callable[..., Service], tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    pair = [start(DEWAN_PORT=port, DEWAN_DATA=str(tmp_path / name)) for name in "ab"]

    until(lambda: any(service.process.poll() is not None for service in pair))

    (refused,) = (service for service in pair if service.process.poll() is not None)
    code, err = refused.end()
    assert (code, len(err.splitlines())) == (3, 1)
    (served,) = (service for service in pair if service is not refused)
    assert httpx.get(f"{served.ready()['url']}/healthz").status_code == 200


@pytest.mark.slow
def test_of_two_that_listen_on_one_port_one_is_told_so() -> None:
    """Two may bind one address as long as neither listens; that must not come to light later."""
    with listening_socket("127.0.0.1", 0) as first, pytest.raises(PortTaken):
        listening_socket("127.0.0.1", first.getsockname()[1])


@pytest.mark.slow
@pytest.mark.parametrize("host", ["not.a.host.invalid", "192.0.2.7", "a..b", "::ffff"])
def test_a_host_that_is_not_here_is_exit_2(start: Callable[..., Service], host: str) -> None:
    code, err = start(DEWAN_HOST=host).end()

    assert code == 2
    assert re.fullmatch(rf"dewan: DEWAN_HOST={re.escape(host)}, .*\n", err)


def _file_for_a_folder(data: Path) -> None:
    data.touch()


def _mail_is_a_file(data: Path) -> None:
    data.mkdir()
    (data / "mail").touch()


def _static_is_a_file(data: Path) -> None:
    data.mkdir()
    (data / "static").touch()


def _key_is_a_folder(data: Path) -> None:
    (data / "secret_key").mkdir(parents=True)


def _garbage_for_a_database(data: Path) -> None:
    data.mkdir()
    (data / "dewan.sqlite3").write_bytes(b"no database at all " * 1000)


def _folder_for_a_database(data: Path) -> None:
    (data / "dewan.sqlite3").mkdir(parents=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "spoil",
    [
        _file_for_a_folder,
        _mail_is_a_file,
        _static_is_a_file,
        _key_is_a_folder,
        _garbage_for_a_database,
        _folder_for_a_database,
    ],
)
def test_a_data_folder_that_cannot_be_used_is_exit_4(
    start: Callable[..., Service], tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(tmp_path / "data")

    code, err = start().end()

    assert code == 4
    assert re.fullmatch(r"dewan: DEWAN_DATA.*\n", err)


@pytest.mark.slow
@pytest.mark.parametrize(
    "url", ["postgres://dewan:secret@127.0.0.1:1/dewan", "sqlite:////proc/nowhere/dewan.sqlite3"]
)
def test_a_database_that_cannot_be_reached_is_exit_2(
    start: Callable[..., Service], url: str
) -> None:
    code, err = start(DATABASE_URL=url).end()

    assert code == 2
    assert re.fullmatch(r"dewan: DATABASE_URL: .*\n", err)
    assert "secret" not in err


@pytest.mark.slow
def test_a_second_service_on_a_data_folder_is_exit_4_and_leaves_the_first_alone(
    start: Callable[..., Service],
) -> None:
    first = start(DEWAN_DEMO="0")
    ready = first.ready()

    code, err = start(DEWAN_DEMO="0").end()

    assert code == 4
    assert re.fullmatch(r"dewan: DEWAN_DATA=.*another dewan_run.*\n", err)
    assert json.loads((first.data / "ready.json").read_text()) == ready
    assert httpx.get(f"{ready['url']}/healthz").status_code == 200


@pytest.mark.slow
def test_what_a_killed_service_left_is_gone_while_the_next_one_starts(
    start: Callable[..., Service],
) -> None:
    first = start(DEWAN_DEMO="0")
    first.ready()
    first.process.kill()
    first.process.wait()
    assert (first.data / "ready.json").exists()

    # It gets as far as the database, which cannot be used.
    assert start(DATABASE_URL="postgres://127.0.0.1:1/dewan").end()[0] == 2
    assert not (first.data / "ready.json").exists()


# ---- Stopping --------------------------------------------------------------------------------


def listens(pid: int) -> bool:
    """Tell whether a process has begun to hear of TERM: Python takes a moment to come up."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = re.search(r"^SigCgt:\s*(\w+)$", status, re.MULTILINE)
    assert caught
    return int(caught[1], 16) >> (signal.SIGTERM - 1) & 1 == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("after", [0, 0.7, 1.4])
def test_told_to_stop_while_it_starts_is_exit_0(
    start: Callable[..., Service], number: int, after: float
) -> None:
    service = start()
    until(lambda: listens(service.process.pid))
    time.sleep(after)

    code, _, err = service.stop(number)

    assert code == 0, err
    assert "Traceback" not in err
    assert not (service.data / "ready.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_no_signal_is_lost_between_starting_and_serving(number: int) -> None:
    """A signal that comes when the server has no handlers of its own yet, nor we any that leave."""
    code = f"""
import os, signal, threading
os.environ["DJANGO_SETTINGS_MODULE"] = "dewan_site.settings"
import django
django.setup()
from dewan_site import embedded
from dewan_site.listening import listening_socket
from dewan_site.stopping import Stop
from notifications.ways_in.listener import Listener
stop = Stop()
start = threading.Thread.start
def start_and_signal(thread):
    start(thread)
    if thread.name == "Beat":
        os.kill(os.getpid(), {number})
threading.Thread.start = start_and_signal
embedded.serve(listening_socket("127.0.0.1", 0), Listener.at("smtp://127.0.0.1:0"), stop)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        cwd=ROOT,
        capture_output=True,
        timeout=30,
    )

    assert (done.returncode, done.stdout) == (0, b""), done.stderr


@pytest.mark.slow
def test_a_task_that_never_ends_keeps_nobody_from_stopping(
    start: Callable[..., Service],
) -> None:
    with socket.socket() as silent:  # a mail server that accepts and says nothing
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        mail = f"smtp://127.0.0.1:{silent.getsockname()[1]}"
        service = start(DEWAN_DEMO="0", EMAIL_URL=mail)
        url = service.ready()["url"]
        ask_for_link(url, "ann@example.org")
        silent.accept()
        asked = time.monotonic()

        code, _, _ = service.stop()

    assert code == 0
    assert time.monotonic() - asked < 6


def ask_for_link(url: str, address: str) -> httpx.Response:
    with httpx.Client(base_url=url, follow_redirects=True) as client:
        form = client.get("/sign-in/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
        assert token
        return client.post("/sign-in/", data={"email": address, "csrfmiddlewaretoken": token[1]})


@pytest.mark.slow
def test_without_its_broker_it_serves_signs_in_and_stops(start: Callable[..., Service]) -> None:
    service = start(REDIS_URL="redis://127.0.0.1:1/0", DEWAN_DEMO="0")
    url = service.ready()["url"]

    assert "Look in your mailbox" in ask_for_link(url, "ann@example.org").text
    ann = service.player(url, "ann")
    asked = time.monotonic()
    body = {"players": 2, "seats": ["me", "bot"], "move_time": "PT1H"}
    assert ann.post("/games", json=body).status_code == 201
    assert time.monotonic() - asked < 3
    asked = time.monotonic()
    code, _, err = service.stop()

    assert code == 0
    assert time.monotonic() - asked < 6
    assert "the broker is out of reach" in err
    assert "the cache is out of reach" in err


@pytest.mark.slow
def test_when_the_broker_comes_back_the_sweeps_make_up_for_what_was_lost(
    start: Callable[..., Service],
) -> None:
    with Valkey() as broker:
        broker.stop()
        service = start(REDIS_URL=broker.url, DEWAN_DEMO="0")
        ann = service.player(service.ready()["url"], "ann")
        body = {"players": 2, "seats": ["bot", "me"], "move_time": "PT1H"}
        ann.post("/games", json=body).raise_for_status()

        broker.start()

        until(lambda: letters(service.data, "started"))
        assert service.stop()[0] == 0
