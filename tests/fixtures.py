"""Fixtures of tests that play: Ann, Ben and Cleo, and chance that is the same in every run."""

import hashlib
import itertools
from types import SimpleNamespace

import pytest

from games import services
from tests.people import Person


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
