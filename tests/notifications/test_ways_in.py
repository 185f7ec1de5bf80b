"""Mail comes in: by SMTP, LMTP and from a mailbox, and what is accepted has been stored."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import signal
import smtplib
import socket
import sqlite3
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.db import InterfaceError, OperationalError

from dewan_site.env import SettingError
from dewan_site.listening import PortTaken, listening_socket
from notifications import probe, tasks
from notifications.inbound import service
from notifications.inbound.outcomes import Outcome
from notifications.ways_in import imap, listener
from notifications.ways_in.listener import Listener
from tests.imap import Mailbox, Security
from tests.servers import free_port

ROOT = Path(__file__).parents[2]
US = "dewan@dewan.example"
OURS = "dewan+abc@dewan.example"
ANN = "ann@example.org"
MAIL = b"From: ann@example.org\r\nSubject: Re: Dewan\r\n\r\ntake 1-2\r\n"


class Taken:
    """What has been given to ``receive``, which can be made to fail or to wait."""

    def __init__(self) -> None:
        self.mails: list[bytes] = []
        self.senders: list[str | None] = []
        self.recipients: list[list[str]] = []
        self.trouble: Exception | None = None
        self.fails: Callable[[bytes], bool] = lambda _: True
        self.begun = threading.Event()
        self.goes_on = threading.Event()
        self.goes_on.set()

    def receive(self, raw: bytes, *, sender: str | None = None, recipients: Any = ()) -> Outcome:
        self.begun.set()
        assert self.goes_on.wait(10)
        if self.trouble and self.fails(raw):
            raise self.trouble
        self.mails.append(raw)
        self.senders.append(sender)
        self.recipients.append(list(recipients))
        return Outcome.DONE


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Taken:
    settings.DEFAULT_FROM_EMAIL = f"Dewan by post <{US}>"
    taken = Taken()
    monkeypatch.setattr(service, "receive", taken.receive)
    return taken


@pytest.fixture
def start(taken: Taken) -> Iterator[Callable[[str], int]]:
    """Start a listener that speaks a protocol, and return its port."""
    running: list[Listener] = []

    def run(scheme: str) -> int:
        running.append(Listener.at(f"{scheme}://127.0.0.1:0"))
        running[-1].start()
        return int(running[-1].url.rpartition(":")[2])

    yield run
    for one in running:
        one.stop()


@pytest.fixture
def smtp(start: Callable[[str], int]) -> Iterator[smtplib.SMTP]:
    with smtplib.SMTP("127.0.0.1", start("smtp"), timeout=10) as client:
        yield client


def send(port: int, raw: bytes = MAIL) -> None:
    with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
        client.sendmail(ANN, [OURS], raw)


class Raw:
    """A client that sends just these bytes."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self._lines = self._socket.makefile("rb")
        self.line()

    def send(self, *lines: bytes) -> None:
        self._socket.sendall(b"".join(line + b"\r\n" for line in lines))

    def line(self) -> str:
        """Return the last line of the next answer."""
        while (line := self._lines.readline().decode())[3:4] == "-":
            pass
        return line.strip()

    def lines(self, count: int) -> list[str]:
        return [self.line() for _ in range(count)]


# ---- What is taken ---------------------------------------------------------------------------


def test_a_mail_to_us_is_taken_byte_for_byte(smtp: smtplib.SMTP, taken: Taken) -> None:
    raw = MAIL + b"..two dots\r\n.\x00one dot\xff\r\n\r\n.\r\n"

    assert smtp.sendmail(ANN, [OURS, US], raw) == {}

    assert taken.mails == [raw]
    assert (taken.senders, taken.recipients) == ([ANN], [[OURS, US]])


def test_nothing_is_relayed(smtp: smtplib.SMTP, taken: Taken) -> None:
    refused = smtp.sendmail(ANN, [OURS, "ben@example.org", "dewan@example.org"], MAIL)

    assert {address: code for address, (code, _) in refused.items()} == {
        "ben@example.org": 550,
        "dewan@example.org": 550,
    }
    assert taken.recipients == [[OURS]]
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        smtp.sendmail(ANN, ["other@dewan.example", "<@dewan.example:ben@example.org>"], MAIL)


def test_what_comes_back_to_the_sender_of_our_mails_is_taken_too(
    smtp: smtplib.SMTP, taken: Taken, settings: Any
) -> None:
    settings.DEWAN_REPLY_TO = "play@dewan.example"

    assert list(smtp.sendmail(ANN, ["play+abc@dewan.example", US, OURS], MAIL)) == [OURS]
    assert taken.recipients == [["play+abc@dewan.example", US]]


def test_bounces_have_no_sender(smtp: smtplib.SMTP, taken: Taken) -> None:
    smtp.sendmail("", [OURS], MAIL)

    assert taken.senders == [""]


def test_addresses_can_be_in_any_script(smtp: smtplib.SMTP, taken: Taken) -> None:
    smtp.ehlo()
    smtp.mail("änne@example.org", ["SMTPUTF8", "BODY=8BITMIME"])
    smtp.command_encoding = "utf-8"
    assert smtp.rcpt(OURS)[0] == 250
    assert smtp.data(MAIL)[0] == 250

    assert taken.senders == ["änne@example.org"]


def test_a_mail_that_is_too_large_is_refused_as_soon_as_that_is_known(
    smtp: smtplib.SMTP, taken: Taken, settings: Any
) -> None:
    smtp.ehlo()
    assert smtp.esmtp_features["size"] == str(settings.DEWAN_MAIL_SIZE)
    large = MAIL + b"lorem\r\n" * (settings.DEWAN_MAIL_SIZE // 7)

    assert smtp.mail(ANN, [f"SIZE={len(large)}"])[0] == 552
    smtp.mail(ANN)
    smtp.rcpt(OURS)
    assert smtp.data(large)[0] == 552
    smtp.sendmail(ANN, [OURS], MAIL)

    assert taken.mails == [MAIL]


def test_long_lines_are_no_reason_to_lose_a_mail(smtp: smtplib.SMTP, taken: Taken) -> None:
    long = MAIL + b"x" * (listener.LINE - 2) + b"\r\n"

    smtp.sendmail(ANN, [OURS], long)
    smtp.mail(ANN)
    smtp.rcpt(OURS)
    assert smtp.data(MAIL + b"x" * (listener.LINE * 3) + b"\r\n")[0] == 500
    smtp.sendmail(ANN, [OURS], MAIL)

    assert taken.mails == [long, MAIL]


def test_a_mail_has_so_many_recipients_and_no_more(smtp: smtplib.SMTP, taken: Taken) -> None:
    addresses = [f"dewan+{number}@dewan.example" for number in range(listener.RECIPIENTS + 1)]

    refused = smtp.sendmail(ANN, addresses, MAIL)

    assert {address: code for address, (code, _) in refused.items()} == {addresses[-1]: 452}
    assert taken.recipients == [addresses[:-1]]


ENVELOPE = [b"EHLO there", b"MAIL FROM:<ann@example.org>", b"RCPT TO:<" + OURS.encode() + b">"]
SMUGGLED = b"MAIL FROM:<ben@example.org>"


@pytest.mark.parametrize(
    "end", [b"\n.\n", b"\n.\r\n", b"\r\n.\n", b"\r.\r", b"\r\n.\r", b"\r.\r\n"]
)
def test_no_mail_is_smuggled_in_another(
    start: Callable[[str], int], taken: Taken, end: bytes
) -> None:
    client = Raw(start("smtp"))
    client.send(*ENVELOPE, b"DATA", b"Subject: a" + end + SMUGGLED, b".", b"QUIT")

    answers = client.lines(6)

    assert [answer[:3] for answer in answers] == ["250", "250", "250", "354", "554", "221"]
    assert taken.mails == []


@pytest.mark.parametrize("hidden", [b"\r", b"\n"])
def test_no_header_is_hidden_in_another(
    start: Callable[[str], int], taken: Taken, hidden: bytes
) -> None:
    client = Raw(start("lmtp"))
    header = b"Subject: a" + hidden + b"Authentication-Results: mx; dmarc=pass"
    client.send(b"LHLO there", *ENVELOPE[1:], b"DATA", header, b"", b"take 1-2", b".")

    assert client.lines(5)[-1].startswith("554")
    assert taken.mails == []


# ---- Only what is stored is accepted -----------------------------------------------------------


@pytest.mark.parametrize(
    "trouble", [OperationalError("gone"), InterfaceError("closed"), ValueError("of our own")]
)
def test_what_cannot_be_stored_is_sent_again(
    smtp: smtplib.SMTP, taken: Taken, trouble: Exception
) -> None:
    taken.trouble = trouble
    with pytest.raises(smtplib.SMTPDataError) as refused:
        smtp.sendmail(ANN, [OURS], MAIL)
    assert refused.value.smtp_code == 451
    assert str(trouble) not in str(refused.value)

    taken.trouble = None
    smtp.sendmail(ANN, [OURS], MAIL)

    assert taken.mails == [MAIL]


def test_a_mail_is_accepted_only_when_all_is_done(
    start: Callable[[str], int], taken: Taken
) -> None:
    taken.goes_on.clear()
    client = Raw(start("smtp"))
    client.send(*ENVELOPE, b"DATA", MAIL, b".")
    client.lines(4)

    assert taken.begun.wait(10)
    client._socket.settimeout(0.2)
    with pytest.raises(TimeoutError):
        client._socket.recv(1)
    client._socket.settimeout(10)
    taken.goes_on.set()

    assert client._socket.recv(100).startswith(b"250")


def test_mails_do_not_wait_for_each_other(
    start: Callable[[str], int], taken: Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = threading.Barrier(listener.WORKERS)
    monkeypatch.setattr(service, "receive", lambda *_, **__: together.wait(10))
    port = start("smtp")

    with ThreadPoolExecutor(listener.WORKERS) as pool:
        list(pool.map(send, [port] * listener.WORKERS))


def test_when_it_stops_the_mail_under_way_is_answered_and_others_are_not_taken(
    taken: Taken,
) -> None:
    running = Listener.at("smtp://127.0.0.1:0")
    running.start()
    port = int(running.url.rpartition(":")[2])
    idle, busy = Raw(port), Raw(port)
    taken.goes_on.clear()
    busy.send(*ENVELOPE, b"DATA", MAIL, b".", *ENVELOPE[1:], b"DATA", MAIL, b".")
    busy.lines(4)
    assert taken.begun.wait(10)

    stopping = threading.Thread(target=running.stop)
    stopping.start()
    assert idle.line() == ""
    taken.goes_on.set()
    stopping.join(10)

    assert busy.line().startswith("250")
    assert busy.line() == ""
    assert len(taken.mails) == 1
    with pytest.raises(ConnectionRefusedError):
        Raw(port)


# ---- LMTP --------------------------------------------------------------------------------------


def test_lmtp_answers_for_each_recipient_also_if_all_comes_at_once(
    start: Callable[[str], int], taken: Taken
) -> None:
    client = Raw(start("lmtp"))
    two = [*ENVELOPE[1:], b"RCPT TO:<ben@example.org>", b"RCPT TO:<dewan@dewan.example>"]
    mail = [*two, b"DATA", MAIL, b"."]
    client.send(b"LHLO there", *mail, *mail, b"NOOP", b"QUIT")

    answers = [answer[:3] for answer in client.lines(17)]

    assert answers == ["250", *["250", "250", "550", "250", "354", "250", "250"] * 2, "250", "221"]
    assert taken.mails == [MAIL + b"\r\n"] * 2
    assert taken.recipients == [[OURS, US]] * 2


def test_lmtp_answers_for_each_recipient_also_if_it_is_no(
    start: Callable[[str], int], taken: Taken, settings: Any
) -> None:
    settings.DEWAN_MAIL_SIZE = 100
    client = Raw(start("lmtp"))
    two = [*ENVELOPE[1:], b"RCPT TO:<dewan@dewan.example>", b"DATA"]
    client.send(b"LHLO there", b"DATA", *two, b"x" * 101, b".", *two, b"x\ry", b".", b"NOOP")

    answers = [answer[:3] for answer in client.lines(15)]

    refusals = ["250", "250", "250", "354", "552", "552", "250", "250", "250", "354", "554", "554"]
    assert answers == ["250", "503", *refusals, "250"]


def test_lmtp_is_not_smtp(start: Callable[[str], int]) -> None:
    client = Raw(start("lmtp"))
    client.send(b"EHLO there", b"HELO there", *ENVELOPE[1:])

    assert [answer[:3] for answer in client.lines(4)] == ["500", "500", "503", "503"]


# ---- Clients that are a nuisance ---------------------------------------------------------------


def test_who_says_nothing_is_sent_away(
    start: Callable[[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "PATIENCE", 0.2)
    port = start("smtp")
    silent, slow = Raw(port), Raw(port)
    slow.send(*ENVELOPE, b"DATA", b"Subject: a")
    slow.lines(4)

    assert (silent.line(), slow.line()) == ("", "")


def test_one_too_many_comes_back_later(
    start: Callable[[str], int], taken: Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "CONNECTIONS", 1)
    port = start("smtp")
    first = Raw(port)
    with pytest.raises(smtplib.SMTPConnectError) as refused:
        smtplib.SMTP("127.0.0.1", port, timeout=10)
    assert refused.value.smtp_code == 421

    first.send(b"QUIT")
    assert first.line().startswith("221")
    assert first.line() == ""
    send(port)

    assert taken.mails == [MAIL]


def test_rubbish_is_answered_and_hurts_nobody(
    start: Callable[[str], int], taken: Taken, caplog: pytest.LogCaptureFixture
) -> None:
    port = start("smtp")
    client = Raw(port)
    rubbish = [b"\xff\xfe", b"VRFY \xff\xfe", b"MAIL FROM:<a SIZE=\xc2\xb2", b"", b"x" * 5000]
    client.send(b"EHLO \xff", *rubbish, b"QUIT")
    answers = client.lines(7)

    assert all(answer[:1] in "245" for answer in answers)
    assert not any("Error: (" in answer for answer in answers)
    send(port)
    assert taken.mails == [MAIL]


def test_addresses_are_not_logged() -> None:
    assert logging.getLogger("mail.log").getEffectiveLevel() >= logging.WARNING


# ---- Where it listens ----------------------------------------------------------------------------


def test_a_port_that_is_taken_or_that_nobody_can_listen_on() -> None:
    with listening_socket("127.0.0.1", 0) as other, pytest.raises(PortTaken):
        Listener.at(f"smtp://127.0.0.1:{other.getsockname()[1]}")
    with pytest.raises(SettingError, match=r"^DEWAN_MAIL_IN=192\.0\.2\.7:8025: "):
        Listener.at("lmtp://192.0.2.7:8025")


# ---- From a mailbox ------------------------------------------------------------------------------


@pytest.fixture
def mailbox(servers: None, taken: Taken, settings: Any) -> Iterator[Mailbox]:
    cache.clear()
    with Mailbox() as mailbox:
        settings.DEWAN_IMAP_URL = mailbox.url
        yield mailbox
    cache.clear()


@pytest.fixture(autouse=True)
def _moves_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "takes_moves", lambda: True)


def test_unseen_mails_are_taken_oldest_first_and_once(mailbox: Mailbox, taken: Taken) -> None:
    for text in (b"one", b"two", b"three"):
        mailbox.put(MAIL + text)
    mailbox.put(b"seen", "\\Seen")

    assert (imap.fetch(), imap.fetch()) == (3, 0)

    assert taken.mails == [MAIL + text for text in (b"one", b"two", b"three")]
    assert {frozenset(mail.flags) for mail in mailbox.mails} == {frozenset({"\\Seen"})}


def test_nothing_is_deleted_for_good(mailbox: Mailbox) -> None:
    mailbox.put(b"somebody will want it back", "\\Deleted")
    mailbox.put(MAIL)

    imap.fetch()

    assert len(mailbox.mails) == 2
    assert not {"EXPUNGE", "CLOSE"} & set(mailbox.commands)


def test_a_mail_is_marked_after_the_commit_only(
    mailbox: Mailbox, taken: Taken, monkeypatch: pytest.MonkeyPatch
) -> None:
    mailbox.put(MAIL)
    mailbox.put(MAIL + b"two")
    taken.trouble = OperationalError("gone")
    monkeypatch.setattr(probe, "takes_moves", lambda: False)

    for _ in range(imap.ATTEMPTS + 2):
        with pytest.raises(OperationalError):
            imap.fetch()
    assert [mail.flags for mail in mailbox.mails] == [set(), set()]

    taken.trouble = None
    assert imap.fetch() == 2


def test_a_mail_that_fails_holds_up_no_other_and_is_left_alone_in_the_end(
    mailbox: Mailbox, taken: Taken
) -> None:
    bad = mailbox.put(b"bad")
    taken.trouble, taken.fails = ValueError("odd"), lambda raw: raw == b"bad"
    for number in range(imap.ATTEMPTS):
        assert bad.flags == set()
        mailbox.put(MAIL + str(number).encode())
        assert imap.fetch() == 1

    assert bad.flags == {"\\Flagged"}
    taken.trouble = None
    assert imap.fetch() == 0
    bad.flags.clear()  # somebody has looked into it, and wants it tried again
    assert imap.fetch() == 1


def test_of_a_mail_that_is_too_large_only_the_beginning_is_fetched(
    mailbox: Mailbox, taken: Taken, settings: Any
) -> None:
    mailbox.put(MAIL + b"x" * (2 * settings.DEWAN_MAIL_SIZE))

    assert imap.fetch() == 1

    assert len(taken.mails[0]) == settings.DEWAN_MAIL_SIZE + 1


def test_one_looks_at_a_time_and_a_claim_is_not_for_ever(mailbox: Mailbox, taken: Taken) -> None:
    mailbox.put(MAIL)
    taken.goes_on.clear()
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(imap.fetch)
        assert taken.begun.wait(10)
        assert imap.fetch() == 0
        taken.goes_on.set()
        assert first.result() == 1
    mailbox.put(MAIL)
    assert imap.fetch() == 1
    assert imap.CLAIM < 600


def test_a_mailbox_that_cannot_be_asked_is_asked_again(
    mailbox: Mailbox, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    mailbox.put(MAIL)
    wrong = settings.DEWAN_IMAP_URL.replace("p%40ss", "secret")
    gone = f"imap://dewan:secret@127.0.0.1:{free_port()}"
    for url in (wrong, gone, mailbox.url.replace("INBOX", "Elsewhere")):
        settings.DEWAN_IMAP_URL = url
        with pytest.raises(imap.MailboxTrouble):
            imap.fetch()
        tasks.fetch_mail()
    assert "the mailbox cannot be asked" in caplog.text
    assert "secret" not in caplog.text

    settings.DEWAN_IMAP_URL = mailbox.url
    tasks.fetch_mail()
    assert mailbox.mails[0].flags == {"\\Seen"}


def test_a_server_that_says_nothing_is_not_waited_for(
    mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imap, "PATIENCE", 0.2)
    mailbox.silent = True
    began = time.monotonic()

    with pytest.raises(imap.MailboxTrouble):
        imap.fetch()

    assert time.monotonic() - began < 3


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of localhost that nobody vouches for, in one file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl to make a certificate")
    folder = tmp_path_factory.mktemp("certificate")
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "certificate")]
    request = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", *name, *files]
    subprocess.run(request, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "key").read_bytes() + (folder / "certificate").read_bytes())
    return both


@pytest.mark.parametrize("security", ["imaps", "imap+tls"])
def test_a_server_gets_the_password_only_if_it_is_the_one(
    servers: None,
    taken: Taken,
    settings: Any,
    certificate: Path,
    security: Security,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cache.clear()
    with Mailbox(security, certificate) as mailbox:
        mailbox.put(MAIL)
        settings.DEWAN_IMAP_URL = mailbox.url
        with pytest.raises(imap.MailboxTrouble, match=ssl.SSLCertVerificationError.__name__):
            imap.fetch()
        assert not any("LOGIN" in command for command in mailbox.commands)

        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert imap.fetch() == 1


# ---- The processes -------------------------------------------------------------------------------


class Service:
    """Commands on a database and a data folder of their own."""

    def __init__(self, data: Path) -> None:
        keep = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.environment = keep | {"DEWAN_DATA": str(data)}
        self.database = data / "dewan.sqlite3"

    def start(self, *arguments: str, **settings: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment | settings,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str, raw: bytes = b"", **settings: str) -> tuple[int, str]:
        """Run a command to its end; return its exit code and what it has said."""
        out, err = (process := self.start(*arguments, **settings)).communicate(raw, timeout=30)
        return process.returncode, out.decode() + err.decode()

    def listen(self) -> tuple[subprocess.Popen[bytes], int]:
        """Start what listens, and return it and its port when it is ready."""
        port = free_port()
        process = self.start("dewan_mail_in", DEWAN_MAIL_IN=f"smtp://127.0.0.1:{port}")
        assert process.stdout is not None
        ready = process.stdout.readline().decode()
        expected = {"mail_in": f"smtp://127.0.0.1:{port}", "pid": process.pid}
        assert ready.startswith("READY "), process.communicate()
        assert json.loads(ready.removeprefix("READY ")) == expected
        return process, port

    def stored(self) -> list[tuple[str]]:
        with closing(sqlite3.connect(self.database)) as database:
            return database.execute("SELECT outcome FROM notifications_inboundmail").fetchall()


@pytest.fixture(scope="module")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("migrated")
    service = Service(data)
    assert service.run("migrate", "--verbosity", "0") == (0, "")
    assert service.run("dewan_player", "--email", ANN)[0] == 0
    return data


@pytest.fixture
def service_of(migrated: Path, tmp_path: Path) -> Service:
    shutil.copytree(migrated, tmp_path / "data")
    return Service(tmp_path / "data")


LOST = b"From: ann@example.org\r\nTo: dewan@localhost\r\nMessage-ID: <1@ann>\r\n\r\n1\r\n"
"""A mail of a player without a token: that it has come is kept."""


def submit(port: int) -> int:
    """Send a mail, and return the code it is answered with; 0 if it is not."""
    try:
        with smtplib.SMTP("127.0.0.1", port, timeout=60) as client:
            client.ehlo()
            client.mail(ANN)
            client.rcpt("dewan@localhost")
            return client.data(LOST)[0]
    except (smtplib.SMTPServerDisconnected, ConnectionError):
        return 0


@pytest.mark.slow
def test_what_was_not_accepted_when_it_was_killed_is_sent_again(service_of: Service) -> None:
    first, port = service_of.listen()
    with closing(sqlite3.connect(service_of.database)) as other, ThreadPoolExecutor(1) as pool:
        other.execute("BEGIN IMMEDIATE")  # what comes in has to wait
        answer = pool.submit(submit, port)
        time.sleep(0.5)
        assert not answer.done()
        first.kill()
        assert answer.result(10) == 0
    first.communicate()
    assert service_of.stored() == []

    second, port = service_of.listen()
    assert submit(port) == 250
    second.kill()  # what was accepted is there
    second.communicate()

    assert service_of.stored() == [("no_token",)]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.slow
def test_told_to_stop_it_finishes_the_mail_in_hand(service_of: Service, number: int) -> None:
    process, port = service_of.listen()
    with closing(sqlite3.connect(service_of.database)) as other, ThreadPoolExecutor(1) as pool:
        other.execute("BEGIN IMMEDIATE")
        answer = pool.submit(submit, port)
        time.sleep(0.5)
        process.send_signal(number)
        time.sleep(0.3)
        assert not answer.done()
        other.rollback()
        assert answer.result(10) == 250
    out, err = process.communicate(timeout=10)

    assert (process.returncode, out, err) == (0, b"", b"")
    assert service_of.stored() == [("no_token",)]


@pytest.mark.slow
def test_it_stops_in_time_though_a_mail_in_hand_does_not_end(service_of: Service) -> None:
    process, port = service_of.listen()
    with closing(sqlite3.connect(service_of.database)) as other, ThreadPoolExecutor(1) as pool:
        other.execute("BEGIN IMMEDIATE")
        answer = pool.submit(submit, port)
        time.sleep(0.5)
        process.terminate()
        process.communicate(timeout=8)
        assert answer.result(10) == 0

    assert process.returncode == 0


def test_a_program_can_hand_over_a_mail(service_of: Service) -> None:
    code, said = service_of.run("dewan_mail_in", "--once", raw=LOST.replace(b"\r\n", b"\n"))

    assert (code, said) == (0, '{"outcome": "no_token"}\n')
    assert service_of.stored() == [("no_token",)]


def test_a_mail_from_a_program_that_cannot_be_stored_is_tried_again(service_of: Service) -> None:
    gone = {"DATABASE_URL": "postgres://dewan:secret@127.0.0.1:1/dewan"}

    code, said = service_of.run("dewan_mail_in", "--once", raw=LOST, **gone)

    assert code == os.EX_TEMPFAIL
    assert "secret" not in said


@pytest.mark.parametrize(
    ("options", "settings", "code"),
    [
        ([], {}, 2),
        (["--imap"], {}, 2),
        ([], {"DEWAN_MAIL_IN": "smtp://192.0.2.7:8025"}, 2),
        ([], {"DEWAN_MAIL_IN": "smtp://127.0.0.1:8025", "DATABASE_URL": "postgres://h:1/d"}, 2),
        (["--imap"], {"DEWAN_IMAP_URL": "imap://me:secret@127.0.0.1:1"}, os.EX_TEMPFAIL),
    ],
)
@pytest.mark.slow
def test_what_it_cannot_do_is_one_line(
    service_of: Service, options: list[str], settings: dict[str, str], code: int
) -> None:
    ended, said = service_of.run("dewan_mail_in", *options, **settings)

    assert ended == code
    assert re.fullmatch(r"dewan: .*\n", said)
    assert "secret" not in said


@pytest.mark.slow
def test_a_taken_port_is_exit_3(service_of: Service) -> None:
    with listening_socket("127.0.0.1", 0) as other:
        where = f"lmtp://127.0.0.1:{other.getsockname()[1]}"
        code, said = service_of.run("dewan_mail_in", DEWAN_MAIL_IN=where)

    assert code == 3
    assert re.fullmatch(r"dewan: cannot listen on .*\n", said)


@pytest.mark.slow
def test_the_mailbox_can_be_tried_by_hand(service_of: Service) -> None:
    with Mailbox() as mailbox:
        mailbox.put(LOST)
        code, said = service_of.run("dewan_mail_in", "--imap", DEWAN_IMAP_URL=mailbox.url)

    assert (code, said) == (0, '{"mails": 1}\n')
    assert service_of.stored() == [("no_token",)]
    assert mailbox.mails[0].flags == {"\\Seen"}
