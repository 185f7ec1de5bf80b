"""Mails as a mail program shows them: on a phone, light and dark, with pictures and without."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from engine.scenarios import SCENARIOS
from notifications import notices
from notifications.models import InboundMail
from tests.cases import with_slow
from tests.mailed import (
    decision_of,
    html_of,
    mail_of,
    pictures_of,
    play,
    play_long,
    play_out,
    state_of,
    turn_mail,
)
from tests.people import Person, start_game
from tests.web.conftest import ROOT
from tests.web.people import PHONE

TABLES = [(s.players[-1], s.key) for s in SCENARIOS.values()] + [(2, "base"), (3, "downpour")]
SHOTS = ROOT / "screenshots" / "mails"
NAMES = ("Ann", "Ben", "Cleopatra the Great of Alex", "Dora")

Scheme = Literal["light", "dark"]


pytestmark = pytest.mark.django_db


# The database is used in the thread that drives the browser, until after the last test.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    """A page as wide as a phone, on which no script of a mail runs."""
    context = browser.new_context(viewport=PHONE, device_scale_factor=2)
    yield context.new_page()
    context.close()


def shown(mail: EmailMessage, *, pictures: bool = True) -> str:
    """Return the HTML version with its pictures where a mail program puts them, or without."""
    html = html_of(mail)
    for address, png in pictures_of(mail).items():
        assert address in html
        data = f"data:image/png;base64,{base64.b64encode(png).decode()}"
        html = html.replace(address, data if pictures else "blocked:")
    assert "cid:" not in html
    return html


def look(page: Page, name: str, html: str, folder: Path, scheme: Scheme = "light") -> None:
    """Show a mail, keep what it looks like, and check what must hold for every mail."""
    file = folder / f"{name}.html"
    file.write_text(html)
    page.emulate_media(color_scheme=scheme)
    page.goto(file.as_uri())
    page.screenshot(path=SHOTS / f"{name}.png", full_page=True)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= PHONE["width"], f"{name} is {width} pixels wide"
    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    wrong = [(v["id"], [node["html"][:120] for node in v["nodes"]]) for v in found]
    assert wrong == [], name


@pytest.mark.parametrize(("players", "scenario"), with_slow(TABLES, often=2))
def test_a_turn_can_be_read_on_a_phone(
    phone: Page, tmp_path: Path, players: int, scenario: str
) -> None:
    people = [Person(name) for name in NAMES[:players]]
    mail = turn_mail(play_long(people, scenario))
    name = f"turn-{scenario}-{players}"

    look(phone, f"{name}-light", shown(mail), tmp_path)
    assert phone.evaluate("document.images[0].naturalWidth") > PHONE["width"]
    look(phone, f"{name}-dark", shown(mail), tmp_path, "dark")
    look(phone, f"{name}-blocked", shown(mail, pictures=False), tmp_path)
    words = phone.locator("img").get_attribute("alt") or ""
    assert re.search(r"Your camps \(\d, \w+\): \w\d", words)


@pytest.mark.parametrize("scenario", with_slow(list(SCENARIOS), often=1))
def test_the_other_mails_of_a_game_can_be_read_on_a_phone(
    phone: Page, tmp_path: Path, scenario: str
) -> None:
    people = [Person(name) for name in NAMES[: SCENARIOS[scenario].players[0]]]
    game = start_game(*people, scenario=scenario)
    mails = {"started": mail_of(game, notices.STARTED), "draft": turn_mail(game)}
    while state_of(game).round < 4:
        play(game, people)
    mails |= {"reminder": _reminder(game), "answer": _answer(game, people)}
    play_out(game, people)
    mails["game_over"] = mail_of(game, notices.GAME_OVER)

    for kind, mail in mails.items():
        look(phone, f"{kind}-{scenario}-light", shown(mail), tmp_path)
        look(phone, f"{kind}-{scenario}-dark", shown(mail), tmp_path, "dark")
        look(phone, f"{kind}-{scenario}-blocked", shown(mail, pictures=False), tmp_path)


def _reminder(game: str) -> EmailMessage:
    asked = state_of(game).questions[0].seat
    notices.remind(game, asked, decision_of(game), "last_hour")
    return mail_of(game, notices.REMINDER)


def _answer(game: str, people: list[Person]) -> EmailMessage:
    """Return the mail that answers an order which is not allowed."""
    seat = state_of(game).questions[0].seat
    lines = [entry["text"] for entry in people[seat].legal(game)["entries"]]
    problem = {"code": "illegal_move", "words": "places 1-3 are not side by side", "rule": "R3.2"}
    detail = {"problem": problem | {"examples": lines[-3:]}, "asks": ["help"]}
    inbound = InboundMail.objects.create(
        digest=game,
        message_id="<order@example.org>",
        player=people[seat].player,
        game_id=game,
        seat=seat,
        outcome="refused",
        detail=detail,
    )
    notices.answer(inbound)
    return mail_of(game, notices.ANSWER)
