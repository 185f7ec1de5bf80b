"""Signing in by mail, and what players change about themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.utils import timezone
from knox.models import AuthToken
from rest_framework.test import APIClient

from dewan_site.accounts import links
from dewan_site.accounts.forms import zones
from dewan_site.accounts.models import Player
from notifications import notices, render
from notifications.models import OutboxMail
from tests.pages import Page, Visitor
from tests.threads import at_once

ADDRESS = "ann@example.org"


@pytest.fixture(autouse=True)
def fresh_limits() -> Iterator[None]:
    """Forget what other tests have asked for."""
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def ann(db: None) -> Player:
    return Player.objects.with_email(ADDRESS, name="Ann", introduced=True)


def mails(kind: str) -> int:
    return OutboxMail.objects.filter(kind=kind).count()


def ask_for_link(address: str, **fields: str) -> Page:
    return Visitor().post("/sign-in/", {"email": address, **fields})


# ---- Signing in ------------------------------------------------------------------------------


def test_the_answer_is_the_same_for_every_address(ann: Player) -> None:
    known, unknown = ask_for_link(ADDRESS.upper()), ask_for_link("new@example.org")

    assert known.title == "Look in your mailbox"
    assert known.words == unknown.words
    assert mails(notices.SIGN_IN) == 2
    assert Player.objects.filter(email=ADDRESS).count() == 1


def test_what_is_no_address_is_told_so(db: None) -> None:
    page = ask_for_link("ann at home")

    assert page.title == "Sign in"
    assert "Enter a valid email address" in page.words


def test_an_address_gets_5_links_an_hour(ann: Player) -> None:
    *sent, last = (ask_for_link(ADDRESS) for _ in range(6))

    assert mails(notices.SIGN_IN) == 5
    assert {page.title for page in sent} == {"Look in your mailbox"}
    assert (last.status, last.title) == (429, "Sign in")
    assert "No mail was sent" in last.words
    ask_for_link("ben@example.org")
    assert mails(notices.SIGN_IN) == 6


def test_a_client_cannot_ask_for_any_number_of_links(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dewan_site.accounts.views.MAILS_FOR_CLIENT", 2)

    pages = [ask_for_link(f"player{number}@example.org") for number in range(4)]

    assert mails(notices.SIGN_IN) == 2
    assert [page.status for page in pages] == [200, 200, 429, 429]


def test_a_limit_says_nothing_about_who_has_an_account(
    ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dewan_site.accounts.views.MAILS_FOR_CLIENT", 0)

    known, unknown = ask_for_link(ADDRESS), ask_for_link("new@example.org")

    assert "No mail was sent" in known.words
    assert known.words == unknown.words
    assert not Player.objects.filter(email="new@example.org").exists()


@pytest.mark.parametrize(("behind_proxy", "mailed"), [(True, 3), (False, 1)])
def test_a_client_is_who_the_proxy_says_and_nobody_else(
    db: None, monkeypatch: pytest.MonkeyPatch, settings: Any, behind_proxy: bool, mailed: int
) -> None:
    monkeypatch.setattr("dewan_site.accounts.views.MAILS_FOR_CLIENT", 1)
    settings.DEWAN_BEHIND_PROXY = behind_proxy

    # The last entry is the proxy's own; those before it are whatever the client has written.
    for number, forwarded in enumerate(
        ["192.0.2.1", "192.0.2.2", "192.0.2.9, 192.0.2.3", "192.0.2.8,192.0.2.1"]
    ):
        data = {"email": f"player{number}@example.org"}
        Visitor().post("/sign-in/", data, HTTP_X_FORWARDED_FOR=forwarded)

    assert mails(notices.SIGN_IN) == mailed


def test_a_change_of_address_says_too_when_there_is_no_mail(
    ann: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dewan_site.accounts.views.MAILS_TO_ADDRESS", 0)

    page = Visitor(ann).post("/me/address/", {"address": "ann@new.example"})

    assert "No mail was sent" in page.words
    assert "Look for our mail" not in page.words
    assert not mails(notices.ADDRESS_CHANGE)


def test_a_link_signs_in_once_and_only_by_its_button(ann: Player) -> None:
    path = links.sign_in_path(ann)
    visitor = Visitor()

    shown = visitor.get(path)
    assert "Hello Ann" in shown.words
    assert ADDRESS in shown.words
    assert visitor.get("/me/").path == "/sign-in/"

    assert visitor.send(shown, "").title == "My games"
    assert visitor.get("/me/").title == "About me"
    for again in (Visitor().get(path), Visitor().post(path)):
        assert again.status == 410
        assert again.has_form("/sign-in/")


@pytest.mark.both_databases
@pytest.mark.usefixtures("committed")
def test_a_link_that_is_used_many_times_at_once_signs_in_once() -> None:
    ann = Player.objects.with_email(ADDRESS, name="Ann", introduced=True)
    path = links.sign_in_path(ann)

    pages = at_once(*[lambda: Visitor().post(path)] * 8)

    assert sorted(page.status for page in pages) == [200] + [410] * 7
    assert Session.objects.count() == 1


@pytest.mark.both_databases
@pytest.mark.usefixtures("committed")
def test_an_address_that_is_confirmed_many_times_at_once_changes_once() -> None:
    ann = Player.objects.with_email(ADDRESS, name="Ann", introduced=True)
    path = links.address_change_path(ann, "ann@new.example")

    pages = at_once(*[lambda: Visitor().post(path)] * 4)

    assert sorted(page.status for page in pages) == [200, 410, 410, 410]
    assert mails(notices.ADDRESS_CHANGED) == 1


def test_a_limit_that_cannot_be_counted_keeps_nobody_out(
    ann: Player, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: Any) -> None:
        raise ConnectionError("refused")

    monkeypatch.setattr(cache, "add", away)

    assert ask_for_link(ADDRESS).title == "Look in your mailbox"
    assert mails(notices.SIGN_IN) == 1
    assert "the cache is out of reach" in caplog.text


def test_a_link_that_is_none_is_told_so(db: None) -> None:
    assert Visitor().get("/sign-in/nonsense/").title == "This link is spent"


def test_a_link_is_spent_after_an_hour(ann: Player, time_machine: Any) -> None:
    path = links.sign_in_path(ann)
    time_machine.move_to(timezone.now() + timezone.timedelta(minutes=61))

    assert Visitor().get(path).status == 410


def test_signing_in_leads_on_to_where_one_wanted(ann: Player) -> None:
    visitor = Visitor()
    page = visitor.get("/games/new/")
    visitor.send(page, "/sign-in/", email=ADDRESS)

    assert visitor.post(links.sign_in_path(ann)).path == "/games/new/"


@pytest.mark.parametrize("where", ["https://evil.example/", "//evil.example/", "javascript:x"])
def test_signing_in_never_leads_away(ann: Player, where: str) -> None:
    visitor = Visitor()
    visitor.post("/sign-in/", {"email": ADDRESS, "next": where})

    page = visitor.post(links.sign_in_path(ann), {"next": where})

    assert page.title == "My games"


def test_a_new_player_is_asked_for_name_and_zone_first(db: None) -> None:
    ask_for_link("new@example.org")
    player = Player.objects.get(email="new@example.org")
    visitor = Visitor()

    page = visitor.post(links.sign_in_path(player), {"next": "/rules/notation/"})
    assert page.title == "Welcome to the fire"

    page = visitor.send(page, "", name="  New \n Player ", zone="America/Argentina/Salta")
    assert page.path == "/rules/notation/"
    player.refresh_from_db()
    assert (player.name, player.zone, player.introduced) == (
        "New Player",
        "America/Argentina/Salta",
        True,
    )


def test_signing_out_needs_the_button(ann: Player) -> None:
    visitor = Visitor(ann)

    assert visitor.get("/sign-out/").status == 405
    assert visitor.send(visitor.get("/me/"), "/sign-out/").has_form("/sign-in/")


def test_pages_for_players_lead_to_signing_in(db: None) -> None:
    for path in ("/me/", "/welcome/", "/games/new/"):
        assert Visitor().get(path).path == "/sign-in/"


# ---- Me --------------------------------------------------------------------------------------


def test_name_and_zone_can_be_changed(ann: Player) -> None:
    visitor = Visitor(ann)

    visitor.post("/me/", {"name": "Anna", "zone": "Europe/Amsterdam"})
    ann.refresh_from_db()
    assert (ann.name, ann.zone) == ("Anna", "Europe/Amsterdam")

    page = visitor.post("/me/", {"name": "Anna", "zone": "Middle/Earth"})
    assert "is no time zone" in page.words
    assert visitor.get("/me/").status == 200


@pytest.mark.parametrize(
    "zone", ["localtime", "Factory", "posixrules", "europe/amsterdam", "+01:00"]
)
def test_only_zones_that_mean_the_same_everywhere_are_taken(ann: Player, zone: str) -> None:
    page = Visitor(ann).post("/me/", {"name": "Ann", "zone": zone})

    assert "is no time zone" in page.words
    ann.refresh_from_db()
    assert ann.zone == "UTC"
    with pytest.raises(CommandError, match="is no time zone"):
        call_command("dewan_player", email=ADDRESS, zone=zone)


GOOD_NAMES = {
    "Zoë 👩‍👩‍👧 ✌️": "Zoë 👩‍👩‍👧 ✌️",
    "می‌خواهم": "می‌خواهم",
    "  Ann \n of\tGreen\u2028Gables ": "Ann of Green Gables",
    "evil\r\nBcc: x@y.org": "evil Bcc: x@y.org",
    "?": "?",
}
BAD_NAMES = [
    "a\x00b",
    "a\x07b",
    "a\x1bb",
    "a\u202eb",
    "a\u2066b",
    "\u200f",
    "\u200d",
    "\u3164",
    "\ufeffa",
]


@pytest.mark.parametrize(("given", "kept"), GOOD_NAMES.items())
def test_a_name_is_kept_on_one_line(ann: Player, given: str, kept: str) -> None:
    Visitor(ann).post("/me/", {"name": given, "zone": "UTC"})
    call_command("dewan_player", email="ben@example.org", name=given, stdout=StringIO())

    assert set(Player.objects.values_list("name", flat=True)) == {kept}
    ann.refresh_from_db()
    ann.full_clean()


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_upsets_mails_or_cannot_be_seen_is_refused(ann: Player, name: str) -> None:
    Visitor(ann).post("/me/", {"name": name, "zone": "UTC"})
    with pytest.raises(CommandError):
        call_command("dewan_player", email=ADDRESS, name=name)

    ann.refresh_from_db()
    assert ann.name == "Ann"
    ann.name = name
    with pytest.raises(ValidationError):
        ann.full_clean()


@pytest.mark.parametrize(("address", "name"), [("ann@x.org", "ann"), ('"\x01"@x.org', '""')])
def test_who_has_no_name_yet_is_called_by_their_address(db: None, address: str, name: str) -> None:
    assert Player.objects.with_email(address).name == name


def test_zones_can_be_chosen_without_script(ann: Player) -> None:
    page = Visitor(ann).get("/me/")

    assert '<option value="America/Argentina/Buenos_Aires">Argentina, Buenos Aires</option>' in (
        page.html
    )
    assert sum(len(places) for _, places in zones()) > 300


def test_a_zone_that_is_no_place_is_kept(ann: Player) -> None:
    ann.zone = "Etc/GMT-5"
    ann.save()

    assert '<option value="Etc/GMT-5" selected>' in Visitor(ann).get("/me/").html


def test_an_address_changes_by_the_link_mailed_to_it(ann: Player) -> None:
    Visitor(ann).post("/me/address/", {"address": "Ann@New.example"})
    mail = OutboxMail.objects.get(kind=notices.ADDRESS_CHANGE)
    message = render.message_for(mail)
    assert message.to == ["ann@new.example"]
    path = re.search(r"https?://[^/]+(/me/address/\S+)", str(message.body))
    assert path

    shown = Visitor().get(path[1])
    ann.refresh_from_db()
    assert (shown.title, ann.email) == ("A new address for Ann", ADDRESS)

    assert Visitor().send(shown, "").title == "Your address is changed"
    ann.refresh_from_db()
    assert ann.email == "ann@new.example"
    assert Visitor().get(path[1]).status == 410


def test_the_address_of_another_player_is_not_given(ann: Player) -> None:
    Player.objects.with_email("ben@example.org")

    page = Visitor().post(links.address_change_path(ann, "ben@example.org"))

    assert page.status == 409
    ann.refresh_from_db()
    assert ann.email == ADDRESS


def test_mails_about_games_are_stopped_and_sent_again(ann: Player) -> None:
    visitor = Visitor(ann)
    for answer, stopped in (("stop", True), ("start", False)):
        visitor.post("/me/mails/", {"mails": answer})
        ann.refresh_from_db()
        assert ann.mails_stopped == stopped


def test_the_link_in_a_mail_stops_mails_for_whoever_presses_it(ann: Player) -> None:
    path = links.stop_mails_path(ann)

    shown = Visitor().get(path)
    ann.refresh_from_db()
    assert not ann.mails_stopped

    Visitor().send(shown, "", mails="stop")
    ann.refresh_from_db()
    assert ann.mails_stopped

    Visitor().post(path, {"mails": "start"})
    ann.refresh_from_db()
    assert not ann.mails_stopped
    assert Visitor().get("/mails/stop/nonsense/").status == 404


def test_a_mail_program_stops_mails_with_one_request(ann: Player) -> None:
    """RFC 8058: the mail program posts this body, without cookies."""
    visitor = Visitor()
    visitor.client.handler.enforce_csrf_checks = True

    page = visitor.post(links.stop_mails_path(ann), {"List-Unsubscribe": "One-Click"}, follow=False)

    assert page.status == 200
    ann.refresh_from_db()
    assert ann.mails_stopped


def test_everything_else_is_safe_from_other_sites(ann: Player) -> None:
    visitor = Visitor(ann)
    visitor.client.handler.enforce_csrf_checks = True

    page = visitor.post("/me/tokens/")

    assert page.status == 403
    assert page.title == "This page is too old"
    assert not AuthToken.objects.exists()


def test_a_token_is_shown_once_works_and_is_revoked(ann: Player) -> None:
    visitor = Visitor(ann)
    page = visitor.send(visitor.get("/me/"), "/me/tokens/")
    shown = re.search(r'class="secret">\s*(\w+)\s*<', page.html)
    assert shown
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {shown[1]}")
    assert client.get("/api/v1/games").status_code == 200

    listed = visitor.get("/me/")
    assert shown[1] not in listed.html
    Visitor(Player.objects.with_email("ben@example.org")).send(listed, "/revoke/")
    assert client.get("/api/v1/games").status_code == 200

    visitor.send(listed, "/revoke/")
    assert client.get("/api/v1/games").status_code == 401


# ---- The local mailbox -----------------------------------------------------------------------


def here() -> Visitor:
    """Somebody who sits at the machine."""
    visitor = Visitor()
    visitor.client.defaults["HTTP_HOST"] = "localhost:8000"
    return visitor


@pytest.fixture
def delivered(ann: Player, settings: Any, tmp_path: Any) -> str:
    """Put a sign-in mail into the mailbox and return its link's path."""
    settings.DEWAN_MAIL_DIR = tmp_path
    settings.EMAIL_BACKEND = "notifications.transports.mailbox.MailboxBackend"
    mail = OutboxMail.objects.create(
        kind=notices.SIGN_IN, player=ann, due_at=timezone.now(), message_id="<x@localhost>"
    )
    render.message_for(mail).send()
    return "/dev/mail/1/"


def test_the_mailbox_shows_what_was_sent(delivered: str) -> None:
    visitor = here()

    listed = visitor.get("/dev/mail/")
    assert ADDRESS in listed.words
    shown = visitor.follow(listed, delivered)
    assert shown.title == "Your link to Dewan by post"
    assert shown.has_link("/sign-in/")
    assert "Message-ID" in shown.words
    assert 'sandbox title="The mail as HTML"' in " ".join(shown.html.split())


def test_the_html_of_a_mail_has_no_rights(delivered: str) -> None:
    page = here().get(f"{delivered}html/")

    policy = page.response["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert page.response["X-Frame-Options"] == "SAMEORIGIN"


def test_a_mail_can_be_had_as_it_was_sent(delivered: str, settings: Any) -> None:
    response = here().client.get(f"{delivered}raw/")

    assert response.content == (settings.DEWAN_MAIL_DIR / "000001.eml").read_bytes()
    assert response["Content-Type"] == "message/rfc822"
    assert here().get("/dev/mail/2/").status == 404


@pytest.mark.parametrize(
    "client",
    [
        {"REMOTE_ADDR": "192.0.2.7"},
        {"REMOTE_ADDR": ""},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_HOST": "dewan.example"},
        {"HTTP_HOST": "192.0.2.7:8000"},
        {"HTTP_HOST": "localhost.dewan.example"},
    ],
)
def test_only_this_machine_sees_the_mailbox(delivered: str, client: dict[str, str]) -> None:
    for path in ("/dev/mail/", delivered, f"{delivered}html/", f"{delivered}raw/"):
        assert here().get(path, **client).status == 404


@pytest.mark.parametrize(
    ("url", "status"),
    [
        ("https://dewan.example", 404),
        ("http://192.0.2.7:8000", 404),
        ("http://127.0.0.1:8000", 200),
        ("http://localhost:8000", 200),
        ("http://[::1]:8000", 200),
    ],
)
def test_there_is_no_mailbox_where_people_play_from_elsewhere(
    delivered: str, settings: Any, url: str, status: int
) -> None:
    settings.DEWAN_URL = url

    assert here().get(delivered).status == status


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST:8000"])
def test_this_machine_has_several_names(delivered: str, host: str) -> None:
    assert here().get(delivered, HTTP_HOST=host).status == 200


def test_with_a_mail_server_there_is_no_mailbox(delivered: str, settings: Any) -> None:
    assert "Open the local mailbox" in here().get("/sign-in/sent/").words
    settings.EMAIL_URL = "smtp://mail.example.org"

    assert here().get("/dev/mail/").status == 404
    assert "Open the local mailbox" not in here().get("/sign-in/sent/").words
