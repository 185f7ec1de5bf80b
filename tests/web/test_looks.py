"""Every page on a phone: readable, reachable, in both colour schemes, and clean for axe."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.web.conftest import ROOT, NewPerson
from tests.web.people import Person

SERIOUS = ("serious", "critical")
NARROW = 360
FINGER = 44
"""Pixels that a button is high and wide, at least."""

SHOTS = ROOT / "screenshots"

INLINE = "p, li, label, dd, td, th, pre, .told, .map-foot"
"""Links in running text may be as small as the text is."""


def serious(page: Page) -> list[str]:
    """Return what axe finds wrong with a page and calls serious or critical."""
    violations: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {found['id']}: {node['html'][:120]}"
        for found in violations
        if found["impact"] in SERIOUS
        for node in found["nodes"]
    ]


def too_wide(page: Page) -> list[str]:
    """Return the page's address if it is wider than a narrow phone."""
    page.set_viewport_size({"width": NARROW, "height": 740})
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": 390, "height": 844})
    return [f"{page.url}: {width} pixels wide"] if width > NARROW else []


def too_small(page: Page) -> list[str]:
    """Return the things to tap, beside links in running text, that a finger would miss."""
    found: list[str] = page.evaluate(
        """([finger, inline]) => [...document.querySelectorAll(
              'main button, main summary, main select, main a, header a')]
            .filter(e => e.checkVisibility() && !e.closest('svg'))
            .filter(e => getComputedStyle(e).display !== 'inline' || !e.closest(inline))
            .filter(e => { const b = e.getBoundingClientRect();
                           return b.height < finger || b.width < finger; })
            .map(e => e.outerHTML.slice(0, 120))""",
        [FINGER, INLINE],
    )
    return [f"{page.url}: {what}" for what in found]


@pytest.fixture
def tour(new_person: NewPerson) -> Callable[[Callable[[Page], list[str]]], list[str]]:
    """A function that looks at every page with a check, and returns what the check has found."""

    def walk(check: Callable[[Page], list[str]]) -> list[str]:
        return [*_signed_out(new_person(), check), *_at_the_table(new_person("Ann"), check)]

    return walk


def _signed_out(person: Person, check: Callable[[Page], list[str]]) -> list[str]:
    found = []
    for path in ("/", "/sign-in/", "/sign-in/sent/", "/sign-in/old/", "/rules/notation/", "/no/"):
        person.page.goto(path)
        found += check(person.page)
    person.ask_for_link()
    person.open_mail()
    found += check(person.page)
    letter = person.page.url
    person.page.locator("pre a[href*='/sign-in/']").click()
    found += check(person.page)
    person.tap("Sign in")
    found += check(person.page)
    person.page.goto("/dev/mail/")
    found += check(person.page)
    assert letter != person.page.url
    return found


def _at_the_table(ann: Person, check: Callable[[Page], list[str]]) -> list[str]:
    page, found = ann.page, []
    ann.open_game("me", "open")
    found += check(page)
    game = ann.open_game("me", "bot")
    found += check(page)
    page.locator(".story-choice").first.click()
    found += check(page)
    ann.tap("Play it")
    for label in ("1–2", "3–4", "5–6"):
        ann.wait_for_turn()
        found += check(page)
        ann.take(label)
    ann.wait_for_turn()
    space = ann.reachable.last.get_attribute("href")
    assert space
    lines = ("take 1-3", "hello", "camp " + space.split("/")[-2])
    paths = [
        *("/", "/games/new/", "/me/", space),
        *(f"{game}confirm/?text={line}" for line in lines),
        *(f"{game}?at=2", f"{game}?zoom=1"),
    ]
    for path in paths:
        page.goto(path)
        found += check(page)
        for way in ("Which way", "Which cards"):
            if ann.heading.inner_text().startswith(way):
                page.locator(".route-choice, form.pay button").first.click()
                found += check(page)
    page.goto("/me/")
    ann.tap("Make a token")
    return [*found, *check(page)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_person: NewPerson, scheme: str) -> None:
    visitor = new_person(color_scheme=scheme)
    ann = new_person("Ann", color_scheme=scheme)

    assert [*_signed_out(visitor, serious), *_at_the_table(ann, serious)] == []


def test_no_page_is_wider_than_a_narrow_phone(
    tour: Callable[[Callable[[Page], list[str]]], list[str]],
) -> None:
    assert tour(too_wide) == []


def test_everything_to_tap_is_large_enough(
    tour: Callable[[Callable[[Page], list[str]]], list[str]],
) -> None:
    assert tour(too_small) == []


def test_spaces_of_the_largest_map_can_be_hit(ann: Person) -> None:
    ann.open_game("me", "bot", "bot", "bot")
    ann.draft()
    ann.reads("Your turn: take 2 cards or place a camp")

    boxes = [space.bounding_box() for space in ann.page.locator(".board polygon").all()]
    assert len(boxes) == 56
    assert min(min(box["width"], box["height"]) for box in boxes if box) >= 24


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(390, 844), (1280, 900)], ids=["phone", "desktop"])
def test_the_table_in_both_colour_schemes(
    new_person: NewPerson, scheme: str, size: tuple[int, int]
) -> None:
    """The pictures lie in screenshots/ for whoever wants to look at them."""
    width, height = size
    ann = new_person("Ann", color_scheme=scheme, viewport={"width": width, "height": height})
    ann.open_game("me", "bot")
    ann.draft()
    for label in ("1–2", "3–4"):
        ann.wait_for_turn()
        ann.take(label)
    ann.wait_for_turn()

    Path(SHOTS).mkdir(exist_ok=True)
    ann.page.screenshot(path=SHOTS / f"table-{scheme}-{width}.png", full_page=True)
    background = ann.page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(part) for part in re.findall(r"\d+", background)[:3])
    assert (red + green + blue < 384) == (scheme == "dark")
