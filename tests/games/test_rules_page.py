"""The rules document as a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.web import markdown, rules
from tests.pages import Visitor


def html(source: str) -> str:
    return str(markdown.render(source))


def test_a_rule_can_be_linked_to_by_its_number_and_its_letters() -> None:
    shown = html("- R8.4 Base scoring: (a) points;\n  (b) fire, see R5.4")

    assert '<li id="R8.4">' in shown
    assert '<span id="R8.4a">(a)</span> points; <span id="R8.4b">(b)</span>' in shown
    assert '<a href="#R5.4">R5.4</a>' in shown


def test_headings_paragraphs_tables_and_emphasis() -> None:
    shown = html("# Title\nOne *two*\n**three**\n\n| a | b |\n|---|---|\n| c | d |")

    assert "<h1>Title</h1>" in shown
    assert "<p>One <em>two</em> <strong>three</strong></p>" in shown
    assert "<th>a</th><th>b</th>" in shown
    assert "<td>c</td><td>d</td>" in shown


def test_lines_before_a_list_are_a_paragraph() -> None:
    assert html("Intro:\n- one\n- two") == "<p>Intro:</p>\n<ul><li>one</li><li>two</li></ul>"


def test_in_code_nothing_is_read_and_everything_is_escaped() -> None:
    assert html("`*R1.1* <b>`") == "<p><code>*R1.1* &lt;b&gt;</code></p>"
    assert html("```\n<b> **x**\n```") == "<pre><code>&lt;b&gt; **x**</code></pre>"
    assert "<script>" not in html("# <script>\n\n- <script>\n\n[<script>](https://x.org/)")


def test_links_to_other_documents_are_words() -> None:
    assert html("[glossary](glossary.md)") == "<p>glossary</p>"
    assert '<a href="https://x.org/">site</a>' in html("[site](https://x.org/)")


def test_the_page_shows_the_document(
    db: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    document = tmp_path / "rules.md"
    monkeypatch.setattr(rules, "RULES", document)
    rules.read_rules.cache_clear()
    document.write_text(
        "# Rules\n\n- **R3.6** *Place a camp*\n  (`engine/rules/camp.py` `place_camp`)"
    )
    page = Visitor().get("/rules/")

    rules.read_rules.cache_clear()
    assert page.status == 200
    assert "R3.6" in page.ids
    assert "Place a camp" in page.words
    assert "engine" not in page.words
