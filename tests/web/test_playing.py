"""People play on their phones, by tapping."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import NewPerson
from tests.web.people import PATIENCE, Person

LAST_MOVE = re.compile(r"now: move (\d+)")


def log_of(page: Page, name: str, verb: str) -> int:
    """Return how many lines of the log begin so."""
    return page.locator(".log li").filter(has_text=f"{name} {verb}").count()


def test_a_new_player_signs_in_from_the_mail(new_person: NewPerson) -> None:
    person = new_person()
    person.ask_for_link()
    person.reads("Look in your mailbox")
    person.open_mail()
    person.page.locator("pre a[href*='/sign-in/']").click()
    expect(person.page.get_by_text(person.email)).to_be_visible()
    person.tap("Sign in")

    person.reads("Welcome to the fire")
    expect(person.page.get_by_label("Your time zone")).to_have_value("Europe/Amsterdam")
    person.page.get_by_label("Your name at the table").fill("Ann")
    person.tap("Sit down")

    person.reads("My games")
    assert person.errors == []


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_every_kind_of_turn_is_played_by_tapping(new_person: NewPerson, *, script: bool) -> None:
    ann = new_person("Ann", script=script)
    ann.open_game("me", "bot")
    ann.draft()
    for label in ("1–2", "3–4", "5–6"):
        ann.reads("Your turn: take 2 cards or place a camp")
        ann.take(label)
    ann.wait_for_turn()

    assert "payment" in ann.place_camp("Here I stay")
    expect(ann.page.get_by_text("Here I stay").first).to_be_visible(timeout=PATIENCE)
    kinds = {"camp"}
    while not kinds >= {"take", "story", "tuck"}:
        kinds.add(ann.play_something().split()[0])

    assert ann.errors == []
    assert log_of(ann.page, "Ann", "tucked") == 1


def test_two_people_meet_by_a_link_and_see_each_other_move(ann: Person, ben: Person) -> None:
    game = ann.open_game("me", "open")
    ann.reads("Waiting for players")
    invitation = ann.page.get_by_label("Send this link").input_value()
    ben.page.goto(invitation)
    ben.reads("Ann invites you")
    ben.tap("Sit down")

    ann.page.goto(game)
    mover, waiting = (ann, ben) if ann.heading.inner_text().startswith("Your") else (ben, ann)
    waiting.page.goto(game)
    mover.draft()
    waiting.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    waiting.draft(2)
    assert (ann.errors, ben.errors) == ([], [])


def test_a_double_click_plays_once(ann: Person, ben: Person) -> None:
    mover, waiting = begin(ann, ben)
    mover.draft()
    waiting.page.reload()
    waiting.draft()
    second = next(p for p in (ann, ben) if turn(p))
    name = "Ann" if second is ann else "Ben"

    second.tap_link("Take 3–4")
    second.page.get_by_role("button", name="Play it").dblclick()
    second.reads(re.compile("^Waiting for"))

    assert log_of(second.page, name, "took") == 2  # the story tile and the cards
    assert LAST_MOVE.search(second.page.inner_text("main")).group(1) == "4"  # type: ignore[union-attr]


def begin(ann: Person, ben: Person) -> tuple[Person, Person]:
    """Start a game of two; return who is asked first and who is not, both on its page."""
    game = ann.open_game("me", "open")
    ben.page.goto(f"{game}join/")
    ben.tap("Sit down")
    ann.page.goto(game)
    return (ann, ben) if turn(ann) else (ben, ann)


def turn(person: Person) -> bool:
    person.page.goto(person.path)
    return person.heading.inner_text().startswith("Your turn")


def test_an_old_tab_is_told_that_the_game_has_gone_on(ann: Person, ben: Person) -> None:
    mover, _ = begin(ann, ben)
    mover.page.locator(".story-choice").first.click()
    other = mover.context.new_page()
    other.goto(mover.page.url)
    mover.tap("Play it")
    mover.reads(re.compile("^Waiting for"))

    other.get_by_role("button", name="Play it").click()

    expect(other.get_by_role("alert")).to_contain_text("The game has gone on")
    expect(other.get_by_role("alert")).to_contain_text("took the story tile")
    assert LAST_MOVE.search(other.inner_text("main")).group(1) == "2"  # type: ignore[union-attr]


def test_stepping_back_and_forth(ann: Person) -> None:
    ann.open_game("me", "bot")
    ann.draft()
    ann.reads("Your turn: take 2 cards or place a camp")

    ann.tap_link("First")
    ann.reads(re.compile("^As it was after move 1 of"))
    expect(ann.page.locator(".pair")).to_have_count(0)
    ann.tap_link("Next")
    ann.reads(re.compile("^As it was after move 2 of"))
    ann.tap_link("Back")
    ann.reads(re.compile("^As it was after move 1 of"))
    ann.tap_link("Now")
    ann.reads("Your turn: take 2 cards or place a camp")


def test_a_typed_line_is_looked_at_before_it_is_played(ann: Person) -> None:
    ann.open_game("me", "bot")
    ann.draft()
    ann.wait_for_turn()
    ann.page.get_by_text("Type a move").click()
    ann.page.get_by_label("One line").fill("take 1-3")
    ann.tap("Look")

    ann.reads("That is not allowed")
    ann.page.get_by_role("link", name="R3.2")
    ann.page.get_by_label("Say it in other words").fill("take 2-3")
    ann.tap("Look")
    ann.reads("Take 2 cards from places 2 and 3?")


def test_the_map_is_played_with_the_keyboard_too(ann: Person) -> None:
    ann.open_game("me", "bot")
    ann.draft()
    for label in ("1–2", "3–4"):
        ann.wait_for_turn()
        ann.take(label)
    ann.wait_for_turn()

    ann.reachable.first.focus()
    ann.page.keyboard.press("Enter")

    expect(ann.heading).to_have_text(re.compile("Which|Place a camp"))


def test_a_larger_map_scrolls_in_its_own_box(ann: Person) -> None:
    ann.open_game("me", "bot", "bot", "bot")
    ann.tap_link("Larger map")

    box = ann.page.get_by_role("region", name="The larger map")
    inside, outside = box.evaluate("box => [box.scrollWidth, box.clientWidth]")
    assert inside > 1.5 * outside
    assert ann.page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(ann.page.get_by_role("link", name="Smaller map")).to_be_visible()


def test_the_zone_of_the_browser_is_offered(new_person: NewPerson) -> None:
    ann = new_person("Ann", timezone_id="Asia/Tokyo")
    ann.page.goto("/me/")
    expect(ann.page.get_by_text("Your phone or computer says")).to_be_hidden()
    zone = ann.page.get_by_label("Your time zone")
    zone.select_option("Europe/Paris")
    ann.tap("Change")

    expect(ann.page.get_by_text("Your phone or computer says Asia/Tokyo")).to_be_visible()
    ann.tap("Use it")

    expect(ann.page.get_by_text("time zone are changed")).to_be_visible()
    expect(zone).to_have_value("Asia/Tokyo")
    expect(ann.page.get_by_text("Your phone or computer says")).to_be_hidden()
    assert ann.errors == []
