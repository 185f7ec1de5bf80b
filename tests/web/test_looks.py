"""Every page on a phone: readable, reachable, in both colour schemes, and clean for axe."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.web.conftest import ROOT, NewPerson
from tests.web.people import Person

SERIOUS = ("serious", "critical")
WIDTHS = (320, 360, 390)
MAY_SCROLL = ".map-zoomed, .headers, .scroll:has(.headers), iframe, input, select"
FINGER = 44
"""Pixels that a button is high and wide, at least."""

SHOTS = ROOT / "screenshots"

IN_TEXT = "p a, li a, label a, dd a, td a, th a, pre a, dt a"
"""Links that may be as small as the text they stand in, if they are laid out as text."""

MOVE = ".when a"
"""The links from the log to the map as it was: there are other ways to step back."""


def serious(page: Page, *rules: str) -> list[str]:
    """Return what axe finds wrong with a page and calls serious or critical, by all its rules."""
    options = {"runOnly": list(rules)} if rules else {}
    violations: list[dict[str, Any]] = Axe().run(page, options=options).response["violations"]
    return [
        f"{page.url}: {found['id']}: {node['html'][:120]}"
        for found in violations
        if found["impact"] in SERIOUS
        for node in found["nodes"]
    ]


def too_wide(page: Page) -> list[str]:
    """Return what is wider than the box it lies in, on phones from the narrowest: also the page.

    A box that can be scrolled sideways hides a part of what is in it; only the larger map and
    the headers of a mail may.
    """
    found = []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 740})
        found += page.evaluate(
            """may => {
              document.querySelectorAll('details').forEach(e => e.open = true);
              return [...document.querySelectorAll('html, main *')]
                .filter(e => e.checkVisibility() && !e.closest('svg') && !e.matches(may))
                .filter(e => e.localName === 'html'
                  || ['auto', 'scroll'].includes(getComputedStyle(e).overflowX))
                .filter(e => e.scrollWidth > e.clientWidth)
                .map(e => `${location.href}, ${innerWidth} wide: ${e.scrollWidth} pixels in `
                  + `${e.clientWidth}: ${e.outerHTML.slice(0, 90)}`)
            }""",
            MAY_SCROLL,
        )
    page.set_viewport_size({"width": 390, "height": 844})
    return found


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


SCHEMES: dict[Literal["light", "dark"], tuple[str, ...]] = {
    "dark": ("color-contrast",),
    "light": (),
}
"""The colour schemes, and the rules of axe to check in each; without any it is all of them."""


def flaws(page: Page) -> list[str]:
    """Return everything that is wrong with a page."""
    found = []
    for scheme, rules in SCHEMES.items():
        page.emulate_media(color_scheme=scheme)
        found += [f"{scheme}: {what}" for what in serious(page, *rules)]
    return [*found, *too_small(page), *too_wide(page)]


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
    ann.wait_for_turn()
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


def test_every_page_is_readable_and_reachable_on_a_phone(new_person: NewPerson) -> None:
    """Clean for axe in both colour schemes, large enough for a finger, no wider than a phone."""
    assert tour(new_person, flaws) == []


LONG = "Bartholomew"


@pytest.mark.parametrize("name", ["", LONG])
def test_the_scores_of_four_are_not_cut_off(ann: Person, name: str) -> None:
    """Names are, if they are long: every column has the number of a tent too."""
    page = ann.page
    game = ann.open_game("me", "bot", "bot", "bot")
    page.goto("/me/")
    ann.tap("Make a token")
    ann.play_out(game, token=page.locator(".secret").inner_text())
    page.goto(game)
    head = page.locator(".result thead th:not(:first-child)")
    assert [text.split()[:2] for text in head.all_inner_texts()] == [
        ["1", "Ann"],
        ["2", "Birch"],
        ["3", "Cedar"],
        ["4", "Dogwood"],
    ]

    if name:
        page.evaluate(
            "name => document.querySelectorAll('.scorer').forEach(e => e.textContent = name)", name
        )
    assert too_wide(page) == []
    lines = page.locator(".scorer").evaluate_all("all => all.map(e => e.getClientRects().length)")
    assert lines == [1] * 4


def test_empty_story_slots_leave_no_gap(ann: Person) -> None:
    ann.open_game("me", "bot")
    slots = ann.page.locator("#seat-1 .story-slots li")
    boxes = [slot.bounding_box() for slot in slots.all()]

    assert len(boxes) == 4
    assert len({box["y"] for box in boxes if box}) in (1, 2)
    rows = [box["y"] for box in boxes if box]
    assert rows.count(rows[0]) in (2, 4)


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
