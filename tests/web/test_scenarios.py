"""Scenarios on a phone: rain and fishing are played by tapping, teams are told apart."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web.conftest import NewPerson
from tests.web.people import PATIENCE, Person
from tests.web.test_looks import flaws

LONGEST = 40
MINE = re.compile("^Your turn|win|share the victory")


def look(person: Person, *, script: bool) -> list[str]:
    """Check a page; the checks are scripts, and run only with script."""
    return flaws(person.page) if script else []


def take_until(person: Person, asked: str) -> None:
    """Take cards, turn by turn, until this is asked."""
    for _ in range(LONGEST):
        person.reads(MINE)
        if asked in person.heading.inner_text():
            return
        person.take_something()
    raise AssertionError(f"never asked: {asked}")


def lakes(page: Page) -> Locator:
    """The spaces of water that a village can be built on now."""
    return page.locator(".board a").filter(has=page.locator("[fill='url(#t-water)']"))


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_rain_falls_where_it_is_tapped(new_person: NewPerson, *, script: bool) -> None:
    ann = new_person("Ann", script=script)
    ann.open_game("me", "bot", scenario="Downpour")
    ann.draft()
    take_until(ann, "place a water tile")
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
    ann.draft()
    for _ in range(LONGEST):
        ann.wait_for_turn()
        if lakes(ann.page).count():
            break
        ann.take_something()
    lakes(ann.page).first.click()
    for way in (".route-choice", "form.pay button"):
        if ann.page.locator(way).count():
            ann.page.locator(way).first.click()
    expect(ann.page.get_by_text("It is a lake village")).to_be_visible()
    found = look(ann, script=script)
    ann.tap("Play it")
    take_until(ann, "discard a card for fish")
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
    ann.open_game("me", "bot", "bot", scenario="Volcano")
    ann.draft()
    take_until(ann, "place a lava tile")
    expect(ann.page.locator(".board .owned")).to_have_count(3)
    assert look(ann, script=True) == []
    ann.reachable.first.click()
    ann.reads(re.compile("^Place a lava tile on"))
    expect(ann.page.locator(".board polygon[fill='url(#t-lava)']").first).to_be_attached()
    assert look(ann, script=True) == []
