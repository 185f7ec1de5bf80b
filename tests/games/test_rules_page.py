"""The rules document as a page."""

from __future__ import annotations

import re

import pytest

from games.web import rules
from tests.pages import Visitor
from tests.people import Person, start_game


def html(source: str) -> str:
    return str(rules.for_players(source).html)


def test_a_rule_can_be_linked_to_by_its_number_and_its_letters() -> None:
    shown = html("- **R8.4** Base scoring: (a) points;\n  (b) fire, see R5.4 and R8.4c")

    assert '<li id="R8.4"><a class="rule" href="#R8.4">R8.4</a> Base scoring' in shown
    assert '<span id="R8.4a">(a)</span> points;' in shown
    assert '<span id="R8.4b">(b)</span> fire' in shown
    assert '<a href="#R5.4">R5.4</a> and <a href="#R8.4c">R8.4c</a>' in shown


def test_every_chapter_is_in_the_contents() -> None:
    read = rules.for_players("# Title\n\n## 1 One *more*\n\ntext\n\n## 2 Two")

    assert read.chapters == {"chapter-1": "1 One <em>more</em>", "chapter-2": "2 Two"}
    assert '<h2 id="chapter-2">2 Two</h2>' in read.html
    assert "Title" not in read.html


def test_everything_is_escaped() -> None:
    assert "<script>" not in html("## <script>\n\n- <script>\n\n[<script>](javascript:x)")
    assert "javascript:" not in re.sub(r">[^<]*<", "", html("[x](javascript:x)"))


def test_links_to_other_documents_are_words_but_for_notation() -> None:
    assert html("[components](components.md)").strip() == "<p>components</p>"
    assert '<a href="/rules/notation/">' in html("[notation.md](notation.md)")
    assert '<a href="https://x.org/">site</a>' in html("[site](https://x.org/)")


def test_what_is_for_developers_is_left_out() -> None:
    shown = html(
        "One\n\n<!-- for developers -->\nsecret\n<!-- for players -->\n\n"
        "- **R3.6** *Place a camp*\n  (`engine/rules/camp.py` `place_camp`)"
    )

    assert "secret" not in shown
    assert "engine" not in shown
    assert "<!--" not in shown


def test_the_page_begins_with_a_minute_for_players(db: None) -> None:
    page = Visitor().get("/rules/")

    assert page.status == 200
    assert "Place a camp on a free space of land" in page.words
    assert {"chapter-1", "R3.6", "R8.4e", "R14.1", "checking"} <= page.ids
    for place in (link[1:] for link in page.links if link.startswith("#")):
        assert place in page.ids | {"main"}, place
    for word in ("engine/", "glossary", ".md", "tests are called"):
        assert word not in page.html


@pytest.mark.parametrize("path", ["/rules/", "/rules/notation/"])
def test_the_way_back_leads_to_the_game_one_came_from(
    ann: Person, ben: Person, cleo: Person, path: str
) -> None:
    game = start_game(ann, ben)
    me = Visitor(ann.player)
    here = me.get(f"/games/{game}/")
    assert here.has_link(f"/rules/?game={game}")

    assert me.get(f"{path}?game={game}").has_link(f"/games/{game}/")
    assert not Visitor(cleo.player).get(f"{path}?game={game}").has_link("/games/" + game)
    for other in ("", "nosuchgame00", "../x", "//evil.example", "%00", "a" * 300):
        page = me.get(f"{path}?game={other}")
        assert page.status == 200
        assert "Back to the game" not in page.words
