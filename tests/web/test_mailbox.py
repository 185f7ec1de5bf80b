"""The local mailbox on a phone: mails are read and answered there, without script too."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.web.conftest import NewPerson
from tests.web.people import PATIENCE, Person
from tests.web.test_looks import flaws


def open_newest(person: Person, kind: str) -> None:
    """Open the newest mail of a kind to somebody, once it is there."""
    person.page.goto("/dev/mail/")
    mails = person.page.get_by_role("link").filter(has_text=f"to {person.email}")
    mail = mails.filter(has_text=f"· {kind} ·").first
    while not mail.count():
        person.page.wait_for_timeout(200)
        person.page.reload()
    mail.click()


def test_a_turn_is_answered_where_its_mail_is_read(new_person: NewPerson) -> None:
    ann = new_person("Ann", script=False)
    ann.open_game("me", "bot")
    ann.wait_for_turn()
    open_newest(ann, "turn")

    ann.page.get_by_label("From").fill("1\nsay Hello")
    ann.tap("Send")

    expect(ann.page.get_by_role("status")).to_have_text("What you wrote has been done.")
    expect(ann.page.locator("pre.letter")).to_contain_text("took the story tile", timeout=PATIENCE)
    assert ann.errors == []


def test_a_mail_can_be_read_and_answered_on_a_phone(new_person: NewPerson) -> None:
    ann = new_person("Ann")
    ann.open_game("me", "bot")
    ann.wait_for_turn()
    open_newest(ann, "turn")

    assert flaws(ann.page) == []
    assert ann.errors == []
