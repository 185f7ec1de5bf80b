"""Bytes that must be the same for ever: canonical JSON, hash chain, events (docs/export.md)."""

from __future__ import annotations

import hashlib
from typing import Any

import msgspec

from engine.commands import Command
from engine.events import Event

NONCE_BYTES = 32

_events = msgspec.json.Decoder(tuple[Event, ...])
_commands = msgspec.json.Decoder(tuple[Command, ...])


def canonical(value: Any) -> bytes:
    """Return canonical JSON: UTF-8, sorted keys, no spaces, integers only."""
    return msgspec.json.encode(value, order="sorted")


def decode_events(text: str | bytes) -> tuple[Event, ...]:
    """Read the stored events of a row."""
    return _events.decode(text)


def decode_commands(text: str | bytes) -> tuple[Command, ...]:
    """Read the stored commands of a row."""
    return _commands.decode(text)


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a game's hash chain starts from. Seats are their number and kind, never names."""

    format: str = "dewan-game/1"
    game: str
    ruleset: str
    component_set: str
    layout: str
    scenario: str
    seats: tuple[dict[str, Any], ...]
    commitment: str
    contributions: tuple[str | None, ...]

    @property
    def digest(self) -> bytes:
        """SHA-256 of the canonical header: the first row's ``prev_hash``."""
        return hashlib.sha256(canonical(self)).digest()


class LogRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the move log as it is hashed. ``commands`` and ``events`` are canonical JSON.

    ``seat`` is the seat whose decision was answered or that forfeits, null for the set-up and for
    what happens to the table; ``actor`` is ``player``, ``bot``, ``clock``, ``operator`` or
    ``service``; ``at`` is UTC, ISO 8601.
    """

    number: int
    seat: int | None
    actor: str
    decision: str | None
    commands: msgspec.Raw
    events: msgspec.Raw
    at: str

    def digest(self, prev_hash: bytes, nonce: bytes) -> bytes:
        """Return the row's hash: SHA-256 of previous hash, secret nonce and canonical row."""
        return hashlib.sha256(prev_hash + nonce + canonical(self)).digest()
