"""From raw bytes to headers and text, within bounds: whatever a mail is, it takes little time."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses

from notifications.inbound.html_text import text_of_html

SIZE = 1_000_000
"""Bytes of a mail that are looked at."""

BOUNDS = (
    (re.compile(rb"[\r\n]"), 30_000),  # lines
    (re.compile(rb"[\r\n]--"), 300),  # parts
    (re.compile(rb"boundary[*\d\s]*=|message/", re.IGNORECASE), 30),  # how deep they are nested
)
"""What the email package takes long for: a mail is looked at up to the one that is too many."""

HEADER = 10_000
"""Characters of a header that are looked at."""

HEADERS = 20
"""Headers of one name that are looked at."""

TEXT = 100_000
"""Characters of the text that are looked at."""

_ADDRESS = re.compile(r"""[^\s@<>()\[\]\\,;:"]+@[^\s@<>()\[\]\\,;:"]+""")
_MESSAGE_ID = re.compile(r"<[!-;=?A-~]{1,240}@[!-;=?A-~]{1,240}>")
_ASIDE = re.compile(r'"(?:[^"\\]|\\.)*"|\([^()]*\)')
COMMENTS = 50
LONGEST_ADDRESS = 254
LONGEST_MESSAGE_ID = 250

Mail = Message


class _Bounded(Compat32):
    """Cuts headers: the email package takes quadratic time for the parameters of one."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines[:HEADER])
        return name, value[:HEADER]


_POLICY = _Bounded()


def parsed(raw: bytes) -> Mail:
    """Return the mail as the email package sees it, up to its bounds."""
    raw = raw[:SIZE]
    for pattern, most in BOUNDS:
        for count, found in enumerate(pattern.finditer(raw), 1):
            if count > most:
                raw = raw[: found.start()]
                break
    return message_from_bytes(raw, policy=_POLICY)


def parts_of(mail: Mail) -> Iterator[Mail]:
    """Yield the parts that a mail consists of; mails inside it are not gone into."""
    if mail.get_content_maintype() == "message" or not mail.is_multipart():
        yield mail
        return
    for part in inside(mail):
        yield from parts_of(part)


def inside(mail: Mail) -> list[Mail]:
    """Return the parts that a part consists of, or the mails in it; none if it is no such part."""
    payload = mail.get_payload()
    return payload if isinstance(payload, list) else []  # type: ignore[return-value]


# ---- Headers -----------------------------------------------------------------------------------


def headers(mail: Mail, name: str) -> list[str]:
    """Return the values of all headers with a name, topmost first, each on one line."""
    return [" ".join(str(value).split()) for value in mail.get_all(name, [])[:HEADERS]]


def header(mail: Mail, name: str) -> str:
    """Return the value of the topmost header with a name; empty if there is none."""
    return next(iter(headers(mail, name)), "")


def subject_of(mail: Mail) -> str:
    """Return the subject as its sender has seen it; empty if it cannot be decoded."""
    with suppress(LookupError, ValueError, HeaderParseError):
        return plain(str(make_header(decode_header(header(mail, "Subject"))))).strip()
    return ""


def address_in(text: str) -> str:
    """Return an address in lower case; empty if the text is none or a strange one."""
    address = text.strip().lower()
    fits = len(address) <= LONGEST_ADDRESS and address.isprintable()
    return address if fits and _ADDRESS.fullmatch(address) else ""


def addresses(values: Iterable[str]) -> list[str]:
    """Return the addresses in headers; an entry that is no plain address is an empty text."""
    # Each comment inside a comment is a call inside a call of the parser.
    values = [value if value.count("(") <= COMMENTS else "" for value in values]
    return [address_in(address) for _, address in getaddresses(values)]


def only_address(values: Sequence[str]) -> str:
    """Return the one address that a header has; empty if that is not plain."""
    unquoted = [_ASIDE.sub("", value) for value in values]
    found = addresses(values)
    return found[0] if len(found) == "".join(unquoted).count("@") == 1 else ""


def message_ids(text: str) -> list[str]:
    """Return the Message-IDs in a text that may be written into a header."""
    found = _MESSAGE_ID.findall(text)
    return [message_id for message_id in found if len(message_id) <= LONGEST_MESSAGE_ID]


# ---- Text --------------------------------------------------------------------------------------


def text_of(mail: Mail) -> str:
    """Return a mail's text: its first text/plain part, or without one its first text/html."""
    texts = [part for part in parts_of(mail) if part.get_content_disposition() != "attachment"]
    for kind, read in (("text/plain", _plain_text), ("text/html", _html_text)):
        first = next((part for part in texts if part.get_content_type() == kind), None)
        if first is not None and (text := read(first)).strip():
            return text
    return ""


def _plain_text(part: Mail) -> str:
    text = _cut(decoded(part), TEXT)
    if str(part.get_param("format")).lower() == "flowed":
        text = _unflowed(text, delete_space=str(part.get_param("delsp")).lower() == "yes")
    return plain(text)


def _html_text(part: Mail) -> str:
    return _cut(plain(text_of_html(_cut(decoded(part), 2 * TEXT, ">"))), TEXT)


def _cut(text: str, most: int, end: str = "\n") -> str:
    """Cut a text that is too long where something ends, so that nothing is half there."""
    return text if len(text) <= most else text[:most].rpartition(end)[0]


def decoded(part: Mail) -> str:
    r"""Return the text of a part, its lines ended by \n."""
    payload = part.get_payload(decode=True)
    text = _text(payload, part.get_content_charset("utf-8")) if isinstance(payload, bytes) else ""
    return text.replace("\r\r\n", "\n").replace("\r\n", "\n")


def _text(payload: bytes, charset: str) -> str:
    """Decode a text from its charset, else as UTF-8, else as what Windows writes."""
    for name in (_marked(payload) or charset, "utf-8"):
        with suppress(LookupError, ValueError):
            return payload.decode(_codec(name))
    return payload.decode("windows-1252", "replace")


def _marked(payload: bytes) -> str:
    utf_16 = payload.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return "utf-16" if utf_16 else ""


def _codec(charset: str) -> str:
    """Return the codec for a charset; raise LookupError or ValueError if it is none of mails.

    Who writes Latin-1 means the superset of it that Windows has.
    """
    name = codecs.lookup(charset).name
    if name in {"punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined"}:
        raise LookupError(name)
    return "windows-1252" if name == "iso8859-1" else name


_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
_SPACES = dict.fromkeys(
    [
        *map(ord, "\t\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"),
        *range(0x2000, 0x200B),
    ],
    " ",
)
_QUOTES = {**dict.fromkeys(map(ord, "‘’‚‛"), "'"), **dict.fromkeys(map(ord, "“”„‟"), '"')}
_INVISIBLE = dict.fromkeys(
    [
        *(code for code in range(0x20) if chr(code) not in "\n\t\v\f\r\x1c\x1d\x1e\x1f"),
        *range(0x7F, 0x85),
        *range(0x86, 0xA0),
        0xAD,
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xD800, 0xE000),  # halves of characters, which UTF-7 lets in
        0xFEFF,
        *range(0xFFF9, 0xFFFC),
    ]
)
_TABLE = {**_INVISIBLE, **_SPACES, **_DASHES, **_QUOTES}


def plain(text: str) -> str:
    r"""Return a text with plain dashes, quotes and spaces, and nothing that cannot be seen.

    Lines end with \n only: other marks of a new line are spaces, since one inside a quoted line
    would make the rest of it look like the sender's own. Compatible characters (full-width or
    circled digits) stay what they are: ``①`` or ``3²`` is no number that was plainly written.
    """
    return unicodedata.normalize("NFC", text.translate(_TABLE))


def _unflowed(text: str, *, delete_space: bool) -> str:
    """Join the lines of paragraphs again (RFC 3676); quoted lines stay as they are."""
    lines: list[str] = []
    open_ended = False
    for line in text.split("\n"):
        own = line.removeprefix(" ")
        if open_ended and own.strip() not in {"", "--"} and not own.startswith(">"):
            lines[-1] += own
        else:
            lines.append(line if line.startswith(">") else own)
        open_ended = own.endswith(" ") and own != "-- " and not own.startswith(">")
        if open_ended and delete_space:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)
