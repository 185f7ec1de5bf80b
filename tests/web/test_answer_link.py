"""Links of mails on a phone: answering a turn and doing an errand without ever signing in."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from playwright.sync_api import expect

from tests.web.conftest import NewPerson
from tests.web.people import PATIENCE, Person
from tests.web.test_looks import flaws
from tests.web.test_mailbox import open_newest

ANSWER, ERRAND = "/answer/", "/errands/"


def links_in_mail(person: Person, kind: str, path: str) -> list[str]:
    """Return the links of one sort in the newest mail of a kind to somebody."""
    open_newest(person, kind)
    html = person.context.request.get(f"{person.page.url}html/").text()
    text = person.page.locator("pre.letter").inner_text()
    return re.findall(rf"http[^\s\"<]*{path}[^\s\"<]*", html + text)


def test_a_turn_is_answered_by_a_link_without_signing_in(new_person: NewPerson) -> None:
    ann, ben = new_person("Ann"), new_person("Ben")
    game = ann.open_game("me", "open")
    ben.page.goto(f"{game}join/")
    ben.tap("Sit down")
    ben.page.wait_for_url(re.compile(r"/games/\w{12}/$"))
    ann.page.goto(game)
    asked, other = (ann, ben) if "Your turn" in ann.heading.inner_text() else (ben, ann)
    links = links_in_mail(asked, "turn", ANSWER)
    phone = new_person()

    phone.page.goto(links[0])
    phone.reads(re.compile("^Take the story tile"))
    found = flaws(phone.page)
    expect(phone.page.locator("svg.board")).to_have_count(1)
    phone.tap("Play it")
    phone.reads("Answered")
    expect(phone.page.get_by_text(f"{name_of(asked, ann)} took the story tile")).to_have_count(1)
    found += flaws(phone.page)

    phone.page.goto(links[1])
    phone.reads("Answered")
    phone.page.goto(links[0].replace("/answer/", "/answer/0"))
    phone.reads("This link leads nowhere")
    found += flaws(phone.page)
    other.page.goto(links[0])
    other.reads("This link is for another player")
    found += flaws(other.page)
    assert (found, phone.errors, other.errors) == ([], [], [])


def name_of(person: Person, ann: Person) -> str:
    return "Ann" if person is ann else "Ben"


def test_an_errand_is_done_by_a_link_without_signing_in(new_person: NewPerson) -> None:
    ann = new_person("Ann")
    ann.open_game("me", "bot")
    ann.wait_for_turn()
    open_newest(ann, "turn")
    first = datetime.now(UTC).date() + timedelta(days=7)
    vacation = f"vacation {first} {first + timedelta(days=2)}"
    ann.page.get_by_label("From").fill(f"{vacation}\nhand over\nresign")
    ann.tap("Send")
    expect(ann.page.locator("pre.letter")).to_contain_text("/errands/", timeout=PATIENCE)
    links = links_in_mail(ann, "answer", ERRAND)
    phone, found = new_person(), []

    for title, button, done in (
        ("Book a vacation?", "Book it", "Your vacation is booked"),
        ("Hand your seat over?", "Hand my seat over", "The link is made"),
        ("Leave the table?", "Yes, resign", "You have left the table"),
    ):
        for link in links:
            phone.page.goto(link)
            if phone.heading.inner_text() == title:
                break
        phone.reads(title)
        found += flaws(phone.page)
        phone.tap(button)
        phone.reads(done)
        found += flaws(phone.page)

    assert (found, phone.errors) == ([], [])
