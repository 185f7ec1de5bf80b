"""From HTML to the lines that are seen; quoted ones begin with ``>``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from html.parser import HTMLParser
from itertools import count
from typing import NamedTuple

DEEPEST = 200
"""How deep elements may be nested: what comes after a deeper one is not read."""

_TAIL = "<!--]]>-->"
"""Ends whatever is still open at the end: the parser takes quadratic time for what is not."""

_VOID = re.compile(r"area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr")
_UNSEEN = re.compile(
    r"head|title|style|script|template|noscript|select|textarea|button|object|iframe|svg|math"
    r"|audio|video|canvas|del|s|strike"
)
"""What is not seen as text, or is struck out."""

_BLOCK = re.compile(
    r"address|article|aside|blockquote|body|center|d[dlt]|div|fieldset|figure|footer|form|h[1-6]"
    r"|header|hr|li|main|nav|ol|p|pre|section|table|tbody|tr|ul"
)
_ENDS_ITSELF = re.compile(r"p|li|tr|td|th|dd|dt")
"""What ends where the next of its kind begins, if nothing else is open inside it."""

_HIDDEN = re.compile(
    r"display:none|visibility:hidden|mso-hide:all|line-through"
    r"|(?:font-size|max-height|opacity):\.?0[.0]*(?![.\d]*[1-9])"
)
_TIGHT = re.compile(r"\bmso|(?:^|;)margin(?:-(?:top|bottom))?:0")

_QUOTES = re.compile(
    r"gmail_attr|moz-cite-prefix|moz-forward-container|yahoo_quoted|protonmail_quote|zmail_extra"
    r"|tutanota_quote|outlookmessageheader|reply-intro"
)
"""Classes and ids of elements in which mail programs put what they quote."""

_SIGNATURE = re.compile(
    r"(?:gmail|moz|ms-outlook-mobile)[-_]signature|protonmail_signature_block|(?:applemail)?signature"
)
_REST = re.compile(
    r"divrplyfwdmsg|appendonsend|mail-editor-reference-message-container"
    r"|ms-outlook-mobile-reference-message"
)
"""Classes and ids of what stands before a mail that is quoted to its end, as Outlook does."""


class _Open(NamedTuple):
    """An element that is open: whether what is in it is unseen, quoted, or keeps its spaces.

    A loose one has an empty line before and after it. ``numbers`` are those of a list's items.
    """

    tag: str = ""
    unseen: bool = False
    quoted: bool = False
    kept: bool = False
    loose: bool = False
    numbers: Iterator[int] | None = None


def text_of_html(html: str) -> str:
    """Return the text as it is seen, a line for each line, quoted ones with ``>``."""
    reader = _Reader()
    # A broken declaration is an AssertionError of the parser, a number with thousands of digits
    # a ValueError: what came before counts.
    with suppress(AssertionError, ValueError):
        reader.feed(html + _TAIL)
        reader.close()
    reader.end_line()
    return "\n".join(reader.lines)


class _Reader(HTMLParser):
    """Collects lines while it goes through the elements."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[str] = []
        self._line: list[str] = []
        self._open = [_Open()]
        self._number = ""
        self._over = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._over:
            return
        if _ENDS_ITSELF.fullmatch(tag) and self._open[-1].tag == tag:
            self.handle_endtag(tag)
        if _BLOCK.fullmatch(tag):
            self.end_line()
        if tag == "br":
            self._put_line()
        elif tag in {"td", "th"}:
            self._line.append(" ")
        elif tag == "li":
            self._number = self._next_number()
        if tag == "body":
            self.handle_endtag("head")
        if not _VOID.fullmatch(tag):
            self._enter(tag, {name: value or "" for name, value in attrs})

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)  # as browsers do: a slash closes nothing

    def handle_endtag(self, tag: str) -> None:
        if self._over:
            return
        at = next((at for at in range(len(self._open) - 1, 0, -1) if self._open[at].tag == tag), 0)
        closed = self._open[at]
        if _BLOCK.fullmatch(tag) or (at and closed.quoted):
            self.end_line()
        if at:
            del self._open[at:]
        if tag in {"li", "ol"}:
            self._number = ""
        if closed.loose:
            self._put_gap()

    def handle_data(self, data: str) -> None:
        if self._is_unseen():
            return
        if self._open[-1].kept:
            *lines, data = data.split("\n")
            for line in lines:
                self._line.append(line)
                self._put_line()
        self._line.append(re.sub(r"[ \t\r\n\f]+", " ", data))

    def _enter(self, tag: str, attributes: dict[str, str]) -> None:
        around = self._open[-1]
        names = {attributes.get("id", ""), *attributes.get("class", "").split()}
        names = {name.lower().removeprefix("x_") for name in names}
        style = re.sub(r"/\*.*?\*/|\s", "", attributes.get("style", "").lower())
        element = _Open(
            tag,
            unseen=around.unseen or _is_unseen(tag, attributes, names, style),
            quoted=around.quoted or _is_quoted(tag, attributes, names),
            kept=around.kept or tag == "pre",
            loose=tag == "p" and not any(map(_TIGHT.search, (style, *names))),
            numbers=_numbers(attributes.get("start", "")) if tag == "ol" else None,
        )
        if element.quoted > around.quoted:
            self.end_line()
        if element.loose:
            self._put_gap()
        self._over |= len(self._open) > DEEPEST or _any_is(_REST, names)
        self._open.append(element)

    def end_line(self) -> None:
        """End the line, if there is something on it."""
        if "".join(self._line).strip(" "):
            self._put_line()
        self._line.clear()

    def _put_line(self) -> None:
        text = "".join(self._line).strip()
        if text:
            text, self._number = f"{self._number}{text}", ""
        self._put("> " * self._open[-1].quoted + text)
        self._line.clear()

    def _next_number(self) -> str:
        """Return what stands before an item: its number, since that is seen too."""
        around = next((each for each in reversed(self._open) if each.tag in {"ol", "ul"}), None)
        return f"{next(around.numbers)}. " if around and around.numbers else ""

    def _put_gap(self) -> None:
        if self.lines and self.lines[-1]:
            self._put("")

    def _put(self, line: str) -> None:
        if not self._is_unseen():
            self.lines.append(line)

    def _is_unseen(self) -> bool:
        return self._over or self._open[-1].unseen


def _is_unseen(tag: str, attributes: dict[str, str], names: set[str], style: str) -> bool:
    is_signature = _any_is(_SIGNATURE, names)
    is_unseen = bool(_UNSEEN.fullmatch(tag))
    return is_unseen or "hidden" in attributes or is_signature or bool(_HIDDEN.search(style))


def _is_quoted(tag: str, attributes: dict[str, str], names: set[str]) -> bool:
    marked = attributes.get("name", "").lower() == "quote"
    return tag == "blockquote" or marked or _any_is(_QUOTES, names)


def _numbers(start: str) -> Iterator[int]:
    return count(int(start) if re.fullmatch(r"[0-9]{1,6}", start) else 1)


def _any_is(kind: re.Pattern[str], names: set[str]) -> bool:
    return any(map(kind.fullmatch, names))
