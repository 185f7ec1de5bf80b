"""Reads the documents that tests hold the code to."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2]
ITEM = re.compile(r"^- \*\*(R\d+\.\d+)\*\* (.*?)(?=^- |^#|\Z)", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"`([a-z_/]+\.py)`((?:\s+`[A-Za-z_.]+`,?)+)")


class Rule(msgspec.Struct, frozen=True):
    """A rule of docs/rules.md: its number, its text, and the modules and names where it lives."""

    number: str
    text: str
    places: tuple[tuple[str, str], ...]


@cache
def text_of(name: str) -> str:
    """Return a document."""
    return (ROOT / "docs" / name).read_text()


def code_of(name: str) -> str:
    """Return the Python program of a document."""
    (program,) = re.findall(r"^```python\n(.*?)^```$", text_of(name), re.MULTILINE | re.DOTALL)
    return str(program)


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules that are played, in the order of the document."""
    return tuple(
        Rule(
            number,
            text,
            tuple(
                (module, name)
                for module, names in PLACE.findall(text)
                for name in re.findall(r"`([^`]+)`", names)
            ),
        )
        for number, text in ITEM.findall(text_of("rules.md"))
    )
