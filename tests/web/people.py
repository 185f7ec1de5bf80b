"""People with a phone: what they tap."""

from __future__ import annotations

import re
from typing import Literal

from playwright.sync_api import BrowserContext, Locator, ViewportSize, expect

PHONE: ViewportSize = {"width": 390, "height": 844}
MINE = re.compile("^Your turn")
PATIENCE = 30_000
"""Milliseconds that a page may take until it shows what others have done."""

Seat = Literal["me", "open", "bot"]


class Person:
    """Somebody with a browser of their own."""

    def __init__(self, context: BrowserContext, email: str) -> None:
        self.context = context
        self.email = email
        self.page = context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda message: self._note(message.type, message.text))

    def _note(self, kind: str, text: str) -> None:
        """Keep what the browser complains about; that an answer is a refusal is no complaint."""
        if kind == "error" and "the server responded with a status of 4" not in text:
            self.errors.append(text)

    # ---- Coming in -----------------------------------------------------------------------

    def ask_for_link(self) -> None:
        self.page.goto("/")
        self.page.get_by_label("Your mail address").fill(self.email)
        self.tap("Mail me a link")

    def open_mail(self) -> None:
        """Open the sign-in mail in the local mailbox, once it is there."""
        self.tap_link("Open the local mailbox")
        mail = self.page.get_by_role("link").filter(has_text=self.email).first
        while not mail.count():
            self.page.wait_for_timeout(200)
            self.page.reload()
        mail.click()

    def sign_in(self, name: str) -> None:
        self.ask_for_link()
        self.open_mail()
        self.page.locator("pre a[href*='/sign-in/']").click()
        self.tap("Sign in")
        self.page.get_by_label("Your name at the table").fill(name)
        self.tap("Sit down")

    # ---- Tapping -------------------------------------------------------------------------

    def tap(self, button: str) -> None:
        self.page.get_by_role("button", name=button, exact=True).click()

    def tap_link(self, text: str) -> None:
        self.page.get_by_role("link", name=text, exact=True).click()

    @property
    def heading(self) -> Locator:
        return self.page.get_by_role("heading", level=1)

    def reads(self, text: str | re.Pattern[str]) -> None:
        """Wait until the page's heading says this."""
        expect(self.heading).to_have_text(text, timeout=PATIENCE)

    # ---- At the table --------------------------------------------------------------------

    def open_game(self, *seats: Seat, scenario: str = "Base game") -> str:
        """Open a game with these seats and return its path."""
        self.page.goto("/games/new/")
        self.page.get_by_role("radio", name=str(len(seats)), exact=True).check()
        self.page.get_by_role("radio", name=re.compile(f"^{scenario}")).check()
        for number, who in enumerate(seats, 1):
            group = self.page.get_by_role("radiogroup", name=f"Seat {number}")
            group.get_by_role("radio", name=who.capitalize()).check()
        self.tap("Open the game")
        self.page.wait_for_url(re.compile(r"/games/\w{12}/$"))
        return self.path

    @property
    def path(self) -> str:
        found = re.search(r"/games/\w{12}/", self.page.url)
        assert found, self.page.url
        return found[0]

    def wait_for_turn(self) -> None:
        self.reads(MINE)

    def draft(self, place: int = 1) -> None:
        self.reads("Your turn: choose your first story tile")
        self.page.locator(".story-choice").nth(place - 1).click()
        self.tap("Play it")

    def take(self, label: str) -> None:
        """Tap the mark below two cards, such as ``1–2``, and play it."""
        self.tap_link(f"Take {label}")
        self.tap("Play it")

    @property
    def reachable(self) -> Locator:
        """The spaces of the map that can be tapped."""
        return self.page.locator(".board a")

    def place_camp(self, message: str = "") -> str:
        """Tap a space of the map and go on to the end; return the steps that were asked."""
        self.reachable.first.click()
        asked = ""
        if self.heading.inner_text().startswith("Which way"):
            asked += "route "
            self.page.locator(".route-choice").first.click()
        if self.heading.inner_text().startswith("Which cards"):
            asked += "payment "
            self.tap("Look at it")
        expect(self.heading).to_contain_text("Place a camp on")
        if message:
            self.page.get_by_label("A line to the table").fill(message)
        self.tap("Play it")
        return asked

    def play_something(self) -> str:
        """Answer what is asked, rather with a camp than with cards; return what that was."""
        self.wait_for_turn()
        if self.page.locator(".tucks").count():
            self.page.locator(".tucks .chip").first.click()
            kind = "tuck"
        elif self.page.locator(".story-choice").count():
            self.page.locator(".story-choice").first.click()
            kind = "draft" if "first" in self.heading.inner_text() else "story"
        elif self.reachable.count():
            return f"camp {self.place_camp()}".strip()
        else:
            self.page.locator(".pair").first.click()
            kind = "take"
        self.tap("Play it")
        return kind

    def take_something(self) -> None:
        """Answer what is asked, a turn by taking cards, as long as that is not over."""
        self.wait_for_turn()
        places = ".tucks .chip, .story-choice, .pair, .pick, #share .chip"
        self.page.locator(places).or_(self.reachable).last.click()
        self.tap("Play it")

    def play_out(self, game: str, token: str) -> None:
        """Play a game to its end over REST: camps as long as there are any to place."""
        api = f"/api/v1{game}"
        headers = {"Authorization": f"Bearer {token}"}
        request = self.page.request
        while request.get(api[:-1], headers=headers).json()["status"] == "running":
            asked = request.get(f"{api}legal", headers=headers).json()
            texts = [entry["text"] for entry in asked["entries"]]
            if not texts:
                self.page.wait_for_timeout(50)
                continue
            camps = [text for text in texts if text.startswith("camp")]
            answer = {
                "decision": asked["decision"],
                "expected_version": asked["version"],
                "text": (camps or texts)[-1],
            }
            request.post(f"{api}moves", headers=headers, data=answer)
