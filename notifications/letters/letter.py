"""What a mail says, for its text and its HTML version alike."""

from __future__ import annotations

import msgspec


class NoLongerTrue(Exception):
    """The mail must not go out, mostly since it is no longer so; the text is why it is dropped."""


class Section(msgspec.Struct, frozen=True):
    """A titled list of lines; ``typed`` ones are notation."""

    title: str
    lines: list[str]
    typed: bool = False

    @property
    def bullet(self) -> str:
        """Return what begins a line in the text version."""
        return "  " if self.typed else "- "


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a mail; ``answers`` is the Message-ID of the mail that it answers."""

    headline: str
    answers: str = ""
    lines: list[str] = []
    sections: list[Section] = []
    link: str = ""
    link_label: str = ""
    preheader: str = ""
    footer: list[str] = []

    def with_footer(self, footer: list[str]) -> Letter:
        """Return the letter with these lines below it."""
        return msgspec.structs.replace(self, footer=footer)
