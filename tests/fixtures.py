"""Fixtures of tests that play: Ann, Ben and Cleo, their mail server, and known chance."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from games import services
from tests.people import Person
from tests.smtp import Sink


@pytest.fixture(autouse=True)
def known_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make seeds and contributions the same in every run, so that no test depends on luck."""
    numbers = itertools.count()

    def token_bytes(_: int) -> bytes:
        return hashlib.sha256(f"tests {next(numbers)}".encode()).digest()

    known = SimpleNamespace(token_bytes=token_bytes, token_hex=lambda size: token_bytes(size).hex())
    monkeypatch.setattr(services, "secrets", known)


@pytest.fixture
def ann(db: None) -> Person:
    """Ann, who opens the games."""
    return Person("Ann")


@pytest.fixture
def ben(db: None) -> Person:
    """Ben, who joins them."""
    return Person("Ben")


@pytest.fixture
def cleo(db: None) -> Person:
    """Cleo, a stranger or a third player."""
    return Person("Cleo")


@pytest.fixture
def sink(settings: Any) -> Iterator[Sink]:
    """The SMTP server that our mails go to; it refuses addresses that begin with "broken"."""
    with Sink(refuses=lambda address: address.startswith("broken")) as sink:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", sink.port
        yield sink
