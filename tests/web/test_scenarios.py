"""Scenarios on a phone: rain and fishing are played by tapping, teams are told apart."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.conftest import NewPerson
from tests.web.people import PATIENCE, Person
from tests.web.test_looks import flaws

GAMES = 4
"""So many games are opened until one is asked for what a test wants to see."""

MINE = re.compile("^Your turn|win|share the victory")


def look(person: Person, *, script: bool) -> list[str]:
    """Check a page; the checks are scripts, and run only with script."""
    return flaws(person.page) if script else []


def ask(person: Person, scenario: str, asked: str, bots: int = 1) -> None:
    """Open games until one comes to ask this; cards are drawn, and a bot may be faster."""
    for _ in range(GAMES):
        person.open_game("me", *["bot"] * bots, scenario=scenario)
        if take_until(person, asked):
            return
    raise AssertionError(f"never asked: {asked}")


def take_until(person: Person, asked: str) -> bool:
    """Take cards, turn by turn, until this is asked; tell whether it was before the end."""
    while True:
        person.reads(MINE)
        heading = person.heading.inner_text()
        if not heading.startswith("Your turn"):
            return False
        if asked in heading:
            return True
        soon = person.page.locator(".soon").inner_text()
        if soon.startswith("4 cards until") and "place a camp" in heading and can_place(person):
            person.place_camp()  # So that a bot takes 2, and the last 2 are left.
        else:
            person.take_something()


def can_place(person: Person) -> bool:
    return person.reachable.count() > 0


def lakes(page: Page) -> Locator:
    """The spaces of water that a village can be built on now."""
    return page.locator(".board a").filter(has=page.locator("[fill='url(#t-water)']"))


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_rain_falls_where_it_is_tapped(new_person: NewPerson, *, script: bool) -> None:
    ann = new_person("Ann", script=script)
    ask(ann, "Downpour", "place a water tile")
    expect(ann.page.get_by_text("It rains now")).to_be_visible()
    found = look(ann, script=script)

    ann.reachable.first.click()
    ann.reads(re.compile(r"^Place a water tile on \w\d\?$"))
    expect(ann.page.locator("use[href='#m-water']").first).to_be_attached()
    found += look(ann, script=script)
    ann.tap("Play it")

    expect(ann.page.get_by_text("Ann placed a water tile on").first).to_be_visible()
    expect(ann.page.locator(".board use[href='#m-rain']")).to_have_count(1)
    assert (found, ann.errors) == ([], [])


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_a_village_is_built_and_goes_fishing(new_person: NewPerson, *, script: bool) -> None:
    ann = new_person("Ann", script=script)
    ann.open_game("me", "bot", scenario="Lake villages")
    ann.wait_for_turn()
    while not lakes(ann.page).count():
        ann.take_something()
        ann.wait_for_turn()
    lakes(ann.page).first.click()
    for way in (".route-choice", "form.pay button"):
        if ann.page.locator(way).count():
            ann.page.locator(way).first.click()
    expect(ann.page.get_by_text("It is a lake village")).to_be_visible()
    found = look(ann, script=script)
    ann.tap("Play it")
    assert take_until(ann, "discard a card for fish")
    found += look(ann, script=script)

    ann.page.locator(".pick").first.click()
    ann.reads(re.compile(r"^Discard .* for \d fish\?$"))
    found += look(ann, script=script)
    ann.tap("Play it")

    caught = ann.page.get_by_text(re.compile(r"Ann discarded .* for \d fish")).first
    expect(caught).to_be_attached(timeout=PATIENCE)
    assert (found, ann.errors) == ([], [])


def test_the_form_offers_what_fits_the_number_and_teams_are_marked(ann: Person) -> None:
    page = ann.page
    page.goto("/games/new/")
    teams = page.get_by_role("radio", name=re.compile("^Teams"))
    expect(teams).to_be_hidden()
    page.get_by_role("radio", name="4", exact=True).check()
    expect(teams).to_be_visible()
    teams.check()
    expect(page.locator(".new-seat .team").first).to_be_visible()
    assert look(ann, script=True) == []

    ann.open_game("me", "bot", "bot", "bot", scenario="Teams")
    ann.wait_for_turn()
    expect(page.get_by_text("your partner")).to_be_visible()
    assert look(ann, script=True) == []


def test_closed_ground_looks_closed(ann: Person) -> None:
    ask(ann, "Volcano", "place a lava tile", bots=2)
    expect(ann.page.locator(".board .owned")).to_have_count(3)
    assert look(ann, script=True) == []
    ann.reachable.first.click()
    ann.reads(re.compile("^Place a lava tile on"))
    expect(ann.page.locator(".board polygon[fill='url(#t-lava)']").first).to_be_attached()
    assert look(ann, script=True) == []
