"""What a mail says, for its text and its HTML version alike."""

from __future__ import annotations

import msgspec


class NoLongerTrue(Exception):
    """The mail must not go out, mostly since it is no longer so; the text is why it is dropped."""


class Choice(msgspec.Struct, frozen=True):
    """A numbered move: its line of notation, what it comes to, and where a tap on it leads."""

    line: str
    comes_to: str
    link: str


class Link(msgspec.Struct, frozen=True):
    """A page of ours, and what it is for."""

    words: str
    address: str


class Picture(msgspec.Struct, frozen=True):
    """A picture of the HTML version: its Content-ID, and itself in words."""

    cid: str
    png: bytes
    words: str


class Section(msgspec.Struct, frozen=True):
    """A titled part of a mail: a map, lines of a list, numbered choices, links to pages of ours.

    ``drawn`` lines stand as they are, ``typed`` ones are notation. Where there is a picture, HTML
    has it instead of what is drawn.
    """

    title: str
    lines: list[str] = []
    typed: bool = False
    choices: list[Choice] = []
    links: list[Link] = []
    drawn: list[str] = []
    picture: Picture | None = None

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

    @property
    def pictures(self) -> list[Picture]:
        """Return the pictures of all sections."""
        return [section.picture for section in self.sections if section.picture]

    def with_footer(self, footer: list[str]) -> Letter:
        """Return the letter with these lines below it."""
        return msgspec.structs.replace(self, footer=footer)
