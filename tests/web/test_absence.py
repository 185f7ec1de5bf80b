"""Time and absence on a phone: a bank, a vacation, a pause, a seat that changes hands."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.web.conftest import NewPerson
from tests.web.people import Person
from tests.web.test_looks import flaws


def open_with_bank(person: Person) -> str:
    """Open a game of two whose table gives each player a bank of time; return its path."""
    page = person.page
    page.goto("/games/new/")
    in_short = page.locator("#time-words")
    expect(in_short).to_have_text("3 days a turn; clocks rest; a bot plays on")
    page.locator("summary", has=in_short).click()
    expect(page.get_by_label("It begins with")).to_be_hidden()
    page.get_by_label("A bank of time").check()
    expect(page.get_by_label("Each turn has")).to_be_hidden()
    page.get_by_label("It holds at most").select_option("14 days")
    page.get_by_label("The seat is free").check()
    expect(in_short).to_have_text(
        "3 days + 12 hours a turn, up to 14 days; clocks rest; the seat is free"
    )
    person.tap("Open the game")
    page.wait_for_url(re.compile(r"/games/\w{12}/$"))
    return person.path


def book_vacation(person: Person) -> None:
    """Book three days of vacation, from in a week on."""
    first = datetime.now(UTC).date() + timedelta(days=7)
    person.page.goto("/me/")
    person.page.get_by_label("First day").fill(first.isoformat())
    person.page.get_by_label("Last day").fill((first + timedelta(days=2)).isoformat())
    person.tap("Book it")
    expect(person.page.get_by_text("27 of 30 days")).to_be_visible()


def open_table(person: Person, game: str) -> None:
    """Unfold what a player can do about the table."""
    person.page.goto(game)
    person.page.locator("#table > summary").click()


def test_a_table_survives_vacations_pauses_and_leavers(new_person: NewPerson) -> None:
    ann, ben, cleo = (new_person(name) for name in ("Ann", "Ben", "Cleo"))
    game = open_with_bank(ann)
    book_vacation(ben)
    found = flaws(ben.page)
    ben.page.goto(f"{game}join/")
    expect(ben.page.get_by_text("never more than 14 days")).to_be_visible()
    ben.tap("Sit down")
    ben.page.wait_for_url(re.compile(r"/games/\w{12}/$"))

    open_table(ann, game)
    expect(ann.page.locator(".seat-note", has_text="vacation from")).to_have_count(1)
    ann.page.get_by_label("How long").select_option("3 days")
    ann.tap("Propose a pause")
    expect(ann.page.get_by_role("button", name="Withdraw")).to_be_visible()
    ben.page.goto(game)
    found += flaws(ben.page)
    ben.tap("Agree")
    expect(ben.page.get_by_text("The game is paused: no clock runs")).to_be_visible()

    open_table(ann, game)
    ann.tap("Hand my seat over")
    link = ann.page.get_by_label("Whoever follows this link")
    expect(link).to_have_count(1)
    cleo.page.goto(link.input_value())
    cleo.reads("Ann offers you a seat")
    found += flaws(cleo.page)
    cleo.tap("Take the seat")
    expect(cleo.page.locator("#hand-title")).to_be_visible()
    ann.page.goto("/")
    expect(ann.page.get_by_text("You handed your seat over")).to_be_visible()
    found += flaws(ann.page)

    open_table(ben, game)
    ben.tap_link("Resign")
    ben.tap("Yes, resign")
    expect(ben.page.get_by_text("You resigned")).to_be_visible()
    cleo.page.goto(game)
    expect(cleo.page.get_by_text("Seat 2 can be taken over")).to_be_visible()
    found += flaws(cleo.page)
    assert (found, ann.errors, ben.errors, cleo.errors) == ([], [], [], [])
