"""Pages as somebody without a browser reads them: links, forms and words."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin, urlsplit

from django.http import HttpResponse
from django.test import Client

from dewan_site.accounts.models import Player

Attributes = dict[str, str]


class Form:
    """A form of a page with what its fields hold."""

    def __init__(self, attributes: Attributes) -> None:
        self.action = attributes.get("action", "")
        self.method = attributes.get("method", "get").lower()
        self.fields: dict[str, str] = {}


class Page(HTMLParser):
    """A page that was answered."""

    def __init__(self, response: HttpResponse) -> None:
        super().__init__()
        self.response = response
        self.status = response.status_code
        self.html = response.content.decode()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.ids: set[str] = set()
        self.words = ""
        self.feed(self.html)
        self.words = " ".join(self.words.split())

    @property
    def path(self) -> str:
        """The path and query that answered, after redirects."""
        request: Any = self.response
        return str(request.request["PATH_INFO"])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given["id"]} if "id" in given else set()
        if tag == "a":
            self.links.append(given.get("href", ""))
        elif tag == "form":
            self.forms.append(Form(given))
        elif tag in ("input", "button") and self.forms and "name" in given:
            is_choice = given.get("type") in ("radio", "submit")
            if not is_choice or "checked" in given:
                self.forms[-1].fields[given["name"]] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        self.words += f"{data} "

    def link(self, part: str) -> str:
        """The first link whose address has this in it."""
        return next(link for link in self.links if part in link)

    def has_link(self, part: str) -> bool:
        return any(part in link for link in self.links)

    def form(self, part: str) -> Form:
        """The first form that is sent to an address with this in it."""
        return next(form for form in self.forms if part in form.action)

    def has_form(self, part: str) -> bool:
        return any(part in form.action for form in self.forms)

    @property
    def title(self) -> str:
        """The text of the first heading."""
        found = re.search(r"<h1[^>]*>(.*?)</h1>", self.html, re.DOTALL)
        assert found, "every page has a heading"
        return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())


class Visitor:
    """Somebody who looks at pages, signed in as a player or not at all."""

    def __init__(self, player: Player | None = None) -> None:
        self.client = Client()
        if player is not None:
            self.client.force_login(player)

    def get(self, path: str, *, follow: bool = True, **extra: Any) -> Page:
        return Page(self.client.get(path, follow=follow, **extra))

    def post(self, path: str, data: Any = None, *, follow: bool = True, **extra: Any) -> Page:
        return Page(self.client.post(path, data or {}, follow=follow, **extra))

    def follow(self, page: Page, part: str) -> Page:
        """Follow the first link of a page that has this in its address."""
        return self.get(urljoin(page.path, page.link(part)))

    def send(self, page: Page, part: str, **changes: str) -> Page:
        """Send the first form of a page that goes to such an address, with some fields changed."""
        form = page.form(part)
        data = form.fields | changes
        action = urlsplit(form.action or page.path).path
        return self.get(action, data=data) if form.method == "get" else self.post(action, data)
