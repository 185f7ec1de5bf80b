"""The rules for players, and help with notation."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt

from games import selectors
from games.access import NotVisible
from games.web.doors import player_of

RULES = Path(__file__).resolve().parents[2] / "docs" / "rules.md"

FOR_DEVELOPERS = re.compile(
    r"<!-- for developers -->.*?<!-- for players -->|\s*\(`\w+/[^()]*\)", re.DOTALL
)
"""What the page leaves out: a part of the document, and where in the code each rule lives."""

_RULE = re.compile(r"<li><strong>(R[\d.]+)</strong>(.*?)</li>", re.DOTALL)
_LETTER = re.compile(r"\(([a-e])\)")
_NUMBER = re.compile(r"\b(R\d+\.\d+[a-e]?)\b")
_TITLE = re.compile(r"<h1>.*?</h1>")
_NOTATION = re.compile(r'<a href="notation\.md">.*?</a>')
_OTHER_DOCUMENT = re.compile(r'<a href="[\w-]+\.md">(.*?)</a>')
_CHAPTER = re.compile(r"<h2>(.*?)</h2>")


class Rules(msgspec.Struct, frozen=True):
    """The document as HTML, and the titles of its chapters by their ids."""

    html: SafeString
    chapters: dict[str, str]


@require_safe
def rules_page(request: HttpRequest) -> HttpResponse:
    """Show docs/rules.md to players; every rule can be linked to by its number."""
    context = {"rules": read_rules(), "game_id": _came_from(request)}
    return render(request, "games/rules.html", context)


@require_safe
def notation_page(request: HttpRequest) -> HttpResponse:
    """Explain how a move is written in one line."""
    return render(request, "games/notation.html", {"game_id": _came_from(request)})


def _came_from(request: HttpRequest) -> str:
    """Return the id of the game that the reader came from, if it is one they may see."""
    game_id = request.GET.get("game", "")
    if not re.fullmatch(r"[0-9a-z]{12}", game_id):
        return ""
    try:
        return selectors.seen_by(player_of(request), game_id).game.pk
    except NotVisible:
        return ""


@cache
def read_rules() -> Rules:
    """Return the document for players; ``dewan_site.checks`` says if it is not installed."""
    return for_players(RULES.read_text(encoding="utf-8"))


def for_players(source: str) -> Rules:
    """Render a rules document: ids for chapters, rules (``R3.6``) and their parts (``R8.4a``)."""
    html = MarkdownIt("commonmark", {"html": False}).render(FOR_DEVELOPERS.sub("", source))
    html = _TITLE.sub("", html, count=1)  # It stands above the contents.
    html = _NOTATION.sub(f'<a href="{reverse("notation")}">how moves are written</a>', html)
    html = _OTHER_DOCUMENT.sub(r"\1", html)
    html = _RULE.sub(_rule, html)
    titles = _CHAPTER.findall(html)
    numbers = iter(range(1, len(titles) + 1))
    html = _CHAPTER.sub(lambda title: f'<h2 id="chapter-{next(numbers)}">{title[1]}</h2>', html)
    chapters = {f"chapter-{number}": title for number, title in enumerate(titles, 1)}
    # The document is ours, and whatever looks like HTML in it has been escaped.
    return Rules(SafeString(html), chapters)


def _rule(found: re.Match[str]) -> str:
    number, text = found.groups()
    text = _NUMBER.sub(r'<a href="#\1">\1</a>', text)
    text = _LETTER.sub(rf'<span id="{number}\1">(\1)</span>', text)
    return f'<li id="{number}"><a class="rule" href="#{number}">{number}</a>{text}</li>'
