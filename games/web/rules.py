"""The rules for players, and help with notation."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from games.web import markdown

SOURCES = re.compile(r"\s*\(`\w+/[^()]*\)")
"""Where in the code a rule lives, in brackets: for people who read the document itself."""

RULES = Path(__file__).resolve().parents[2] / "docs" / "rules.md"


@require_safe
def rules_page(request: HttpRequest) -> HttpResponse:
    """Show docs/rules.md to players; every rule can be linked to by its number."""
    try:
        return render(request, "games/rules.html", {"rules": read_rules()})
    except FileNotFoundError:
        raise Http404 from None


@cache
def read_rules() -> SafeString:
    """Return the document as HTML; raises FileNotFoundError if it is not installed."""
    return markdown.render(SOURCES.sub("", RULES.read_text(encoding="utf-8")))


@require_safe
def notation_page(request: HttpRequest) -> HttpResponse:
    """Explain how a move is written in one line."""
    return render(request, "games/notation.html")
