"""Chance: every draw follows from the committed seed and the players' contributions.

docs/chance.md: nobody can tell an order in advance, and after the end anyone can
recompute all of them. The module ``random`` is never used.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Collection, Iterator, Sequence
from itertools import count

WORDS = 2**64
SECRET_BYTES = 32
"""Length of a seed and of a contribution."""


def commitment(game: str, seed: bytes) -> str:
    """Return what is published before anyone contributes: it binds the server to its seed."""
    return hashlib.sha256(b"dewan-seed/1" + game.encode() + seed).hexdigest()


class Chance:
    """The chance of one game. The n-th use, from 0, always gives the same answer."""

    def __init__(self, seed: bytes, contributions: Sequence[bytes | None]) -> None:
        """Derive the key from the seed and the contributions in seat order (None for a bot)."""
        given = b"".join(part for part in contributions if part is not None)
        self._key = hashlib.sha256(b"dewan-chance/1" + seed + given).digest()

    def below(self, use: int, limit: int, times: int = 1) -> list[int]:
        """Return ``times`` even numbers from 0 to ``limit`` - 1: one use of chance."""
        words = self._words(use)
        return [_below(words, limit) for _ in range(times)]

    def shuffle(self, use: int, ids: Collection[str]) -> tuple[str, ...]:
        """Return the ids in an even random order, top first: one use of chance."""
        words = self._words(use)
        pile = sorted(ids)
        for last in range(len(pile) - 1, 0, -1):
            other = _below(words, last + 1)
            pile[last], pile[other] = pile[other], pile[last]
        return tuple(pile)

    def _words(self, use: int) -> Iterator[int]:
        for block in count():
            message = use.to_bytes(8, "big") + block.to_bytes(8, "big")
            digest = hmac.digest(self._key, message, "sha256")
            for start in range(0, len(digest), 8):
                yield int.from_bytes(digest[start : start + 8], "big")


def _below(words: Iterator[int], limit: int) -> int:
    fair = WORDS // limit * limit
    return next(word for word in words if word < fair) % limit
