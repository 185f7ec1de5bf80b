"""The people at the tables of these tests."""

from tests.fixtures import ann, ben, cleo, known_chance, sink

__all__ = ["ann", "ben", "cleo", "known_chance", "sink"]
