"""Every page on a phone: readable, reachable, in both colour schemes, and clean for axe."""

from __future__ import annotations

import re
from collections.abc import Callable
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

IN_TEXT = "p a, li a, label a, dd a, td a, th a, pre a, dt a"
"""Links that may be as small as the text they stand in, if they are laid out as text."""

MOVE = ".when a"
"""The links from the log to the map as it was: there are other ways to step back."""


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
        """([finger, inText, move]) => [...document.querySelectorAll(
              'main button, main summary, main select, main a, header a')]
            .filter(e => e.checkVisibility() && !e.closest('svg'))
            .filter(e => !e.matches(move))
            .filter(e => getComputedStyle(e).display !== 'inline' || !e.matches(inText))
            .filter(e => { const b = e.getBoundingClientRect();
                           return b.height < finger || b.width < finger; })
            .map(e => e.outerHTML.slice(0, 120))""",
        [FINGER, IN_TEXT, MOVE],
    )
    return [f"{page.url}: {what}" for what in found]


Check = Callable[[Page], list[str]]


def tour(new_person: NewPerson, check: Check, **options: Any) -> list[str]:
    """Look at every page with a check, and return what the check has found."""

    def settled(page: Page) -> list[str]:
        page.wait_for_load_state()
        return check(page)

    visitor, ann = new_person(**options), new_person("Ann", **options)
    return [*_signed_out(visitor, settled), *_at_the_table(ann, visitor, settled)]


def _signed_out(person: Person, check: Check) -> list[str]:
    found = []
    for path in (
        "/",
        "/sign-in/",
        "/sign-in/sent/",
        "/sign-in/old/",
        "/rules/",
        "/rules/notation/",
        "/no/",
    ):
        person.page.goto(path)
        found += check(person.page)
    person.ask_for_link()
    person.open_mail()
    found += check(person.page)
    person.page.locator("pre a[href*='/sign-in/']").click()
    found += check(person.page)
    person.tap("Sign in")
    found += check(person.page)
    person.page.goto("/dev/mail/")
    found += check(person.page)
    return found


def _at_the_table(ann: Person, guest: Person, check: Check) -> list[str]:
    page, found = ann.page, []
    table = ann.open_game("me", "open")
    found += check(page)
    guest.page.goto(f"{table}join/")
    found += check(guest.page)
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
    found += check(page)
    ann.play_out(game, token=page.locator(".secret").inner_text())
    page.goto(game)
    return [*found, *check(page)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(new_person: NewPerson, scheme: str) -> None:
    assert tour(new_person, serious, color_scheme=scheme) == []


def test_no_page_is_wider_than_a_narrow_phone(new_person: NewPerson) -> None:
    assert tour(new_person, too_wide) == []


def test_everything_to_tap_is_large_enough(new_person: NewPerson) -> None:
    assert tour(new_person, too_small) == []


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

    SHOTS.mkdir(exist_ok=True)
    ann.page.screenshot(path=SHOTS / f"table-{scheme}-{width}.png", full_page=True)
    background = ann.page.evaluate("getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(part) for part in re.findall(r"\d+", background)[:3])
    assert (red + green + blue < 384) == (scheme == "dark")
