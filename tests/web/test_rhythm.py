"""Collected mails as a phone shows them, and the pages about when mails come."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from games.models import Decision
from notifications import digest, notices
from notifications.models import OutboxMail
from notifications.outbox import ASKING
from tests.mailed import play, play_long, play_out, read
from tests.people import Person, start_game
from tests.web.conftest import NewPerson
from tests.web.test_looks import flaws
from tests.web.test_mails import look, phone, shown

__all__ = ["phone"]


@pytest.mark.django_db
def test_a_mail_for_several_games_can_be_read_on_a_phone(phone: Page, tmp_path: Path) -> None:
    people = [Person(name) for name in ("Ann", "Ben")]
    games = [play_long(people), start_game(*people, scenario="downpour"), start_game(*people)]
    for game in games:
        while not _question_of_ann(game):
            play(game, people)
    over = start_game(*people)
    play_out(over, people)
    asking = OutboxMail.objects.filter(kind__in=ASKING, seat=0)
    rows = [asking.get(game=game, decision=_question_of_ann(game)) for game in games]
    news = OutboxMail.objects.filter(seat=0, kind__in=[notices.STARTED, notices.GAME_OVER])
    rows += news.filter(game__in=games[1:]) | news.filter(game=over, kind=notices.GAME_OVER)

    _, message = digest.message([digest.part_of(row) for row in rows])

    html = shown(read(message.message().as_bytes()))
    look(phone, "digest-light", html, tmp_path)
    look(phone, "digest-dark", html, tmp_path, "dark")
    assert phone.locator("h2").count() == 4
    assert phone.locator("ol").count() == 3


def _question_of_ann(game: str) -> str | None:
    asked = Decision.objects.filter(game=game, answered_at=None, seat=0)
    return asked.values_list("decision", flat=True).first()


def test_the_pages_about_mails_are_readable_on_a_phone(
    new_person: NewPerson, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ann = new_person("Ann")
    game = ann.open_game("me", "bot")
    ann.wait_for_turn()
    ann.page.locator("#mails summary").click()
    assert flaws(ann.page) == []
    _make_trouble(tmp_path_factory.getbasetemp() / "service0" / "dewan.sqlite3", ann.email)

    for path in ("/me/", "/", game):
        ann.page.goto(path)
        expect(ann.page.get_by_text("Our mails do not reach you")).to_be_visible()
        assert flaws(ann.page) == []
    ann.tap("Try again now")
    expect(ann.page.get_by_role("status")).to_contain_text("We try again now")
    assert ann.errors == []


def _make_trouble(database: Path, address: str) -> None:
    """Write down that an address has refused our mail, in the service's own database."""
    values = (address, "SMTPRecipientsRefused: 550 5.1.1 <" + address + ">: no such user here")
    with sqlite3.connect(database) as connection:
        connection.execute(
            "INSERT INTO notifications_addresstrouble (address, problem, refusals, since, retry_at,"
            " bounced) VALUES (?, ?, 1, '2026-11-30 12:00:00', '2036-11-30 12:00:00', 0)",
            values,
        )
