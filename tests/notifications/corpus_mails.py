"""The corpus: raw mails as programs and people write them, and what each is read as.

The files have LF for CRLF, and places such as ``{play}`` for what depends on the game: see
``Places``. What would be silly as a file is made by a recipe.
"""

from __future__ import annotations

import base64
import quopri
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from notifications.inbound.outcomes import Outcome
from notifications.inbound.reading import Bounce, Verdict

CORPUS = Path(__file__).parent / "corpus"


class Places(msgspec.Struct, kw_only=True):
    """What a game puts into the mails. ``sender`` is asked ``play`` or ``other``, both legal.

    ``number`` is that of ``play`` in the shortlist. ``text`` and ``html`` are those of our mail
    that is answered, ``message_id`` its Message-ID; the reply addresses carry tokens, of
    which ``reply_to`` is the right one. ``address`` is ours without a token.
    """

    sender: str
    opponent: str
    address: str
    reply_to: str
    other_reply_to: str
    old_reply_to: str
    message_id: str
    play: str
    other: str
    number: str
    text: str
    html: str

    def fill(self, template: str) -> str:
        """Return a text with the places filled in."""
        lines = self.text.split("\n")
        places = msgspec.structs.asdict(self) | {
            "quote": "\n".join(f"> {line}" for line in lines),
            "bars": "\n".join(f" |{line}" for line in lines),
            "indented": "\n".join(f"    {line}" for line in lines),
            "unmarked": self.text,
            "play_dashed": self.play.replace("-", "–"),
            "play_spaced": self.play.replace(" ", "\xa0"),
            "invented_reply_to": self.reply_to[:-20] + "0000" + self.reply_to[-16:],
        }
        return re.sub(r"\{([a-z_]+)\}", lambda place: str(places.get(place[1], place[0])), template)


class Expected(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What a mail is read as, what becomes of it, and whether it plays ``play``.

    ``after`` names the mail that comes in before it.
    """

    outcome: Outcome
    plays: bool = False
    words: list[str] = []
    automatic: bool = False
    bounces: list[Bounce] = []
    sender: str = "{sender}"
    authentic: Verdict = "none"
    encode: tuple[str, str] = ("utf-8", "")
    recipe: bool = False
    after: str = ""

    def filled(self, places: Places) -> Expected:
        """Return it with the places filled in."""
        return msgspec.convert(_filled(msgspec.to_builtins(self), places), Expected)


def _filled(value: Any, places: Places) -> Any:
    match value:
        case str():
            return places.fill(value)
        case list() | tuple():
            return [_filled(each, places) for each in value]
        case dict():
            return {key: _filled(each, places) for key, each in value.items()}
    return value


EXPECTED = msgspec.convert(
    tomllib.loads((CORPUS / "expected.toml").read_text("utf-8")), dict[str, Expected]
)


def raw_mail(name: str, places: Places) -> bytes:
    """Return a mail of the corpus as it comes in."""
    if EXPECTED[name].recipe:
        return RECIPES[name](places)
    text = places.fill((CORPUS / f"{name}.eml").read_text("utf-8")).replace("\n", "\r\n")
    head, _, body = text.partition("\r\n\r\n")
    charset, transfer = EXPECTED[name].encode
    if transfer:
        head += f"\r\nContent-Transfer-Encoding: {transfer}"
    return f"{head}\r\n\r\n".encode() + TRANSFERS[transfer](body.encode(charset))


TRANSFERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda body: body,
    "8bit": lambda body: body,
    "base64": base64.encodebytes,
    "quoted-printable": quopri.encodestring,
}


# ---- Recipes -----------------------------------------------------------------------------------


def _recipe(places: Places, body: str, content_type: str = "text/plain", more: str = "") -> bytes:
    head = (
        "From: {sender}\r\nTo: {reply_to}\r\nSubject: Re: Dewan\r\n"
        f"{more}MIME-Version: 1.0\r\nContent-Type: {content_type}\r\n\r\n"
    )
    return places.fill(head + body).encode()


def _nested(depth: int) -> str:
    levels = (
        f'--b{level}\r\nContent-Type: multipart/mixed; boundary="b{level + 1}"\r\n\r\n'
        for level in range(depth)
    )
    return "".join(levels) + f"--b{depth}\r\n\r\n{{other}}\r\n"


RECIPES: dict[str, Callable[[Places], bytes]] = {
    "huge_body": lambda places: _recipe(
        places, "{other}\r\n\r\n" + "> so much to tell\r\n" * 90_000
    ),
    "nul_bytes": lambda places: _recipe(places, "\0{play}\0\0\r\n\0\r\n"),
    "deep_nesting": lambda places: _recipe(places, _nested(3000), "multipart/mixed; boundary=b0"),
    "many_headers": lambda places: _recipe(places, "{play}", more="X-Header: none\r\n" * 8000),
    "many_parts": lambda places: _recipe(
        places,
        "--b\r\n\r\n{play}\r\n" + "--b\r\n\r\n{other}\r\n" * 9000,
        "multipart/mixed; boundary=b",
    ),
    "long_line": lambda places: _recipe(places, "{play} and " + "so on and " * 60_000),
    "deep_html": lambda places: _recipe(
        places, "{play}" + "<div><blockquote>" * 5000 + "{other}", "text/html"
    ),
    "many_quotes": lambda places: _recipe(
        places, "{play}\r\n\r\n" + "On Monday, Ben wrote:\r\n\r\n> {other}\r\n" * 9000
    ),
}
