"""Answering in the local mailbox: what is written there comes in as any other mail does."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from notifications import mailbox_views, outbox
from notifications.models import InboundMail, OutboxMail
from notifications.ways_in import by_hand
from tests.pages import Page, Visitor
from tests.people import Person, asked_person, start_game

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


class Mailbox:
    """The local mailbox of a game of Ann and Ben, and who sits before it."""

    def __init__(self, folder: Path, *people: Person) -> None:
        self.folder = folder
        self.people = people
        self.game = start_game(*people)
        self.visitor = Visitor()
        self.visitor.client.defaults["HTTP_HOST"] = "localhost:8000"
        outbox.deliver()

    @property
    def asked(self) -> Person:
        return asked_person(self.game, self.people)

    def mail(self, path: str) -> EmailMessage:
        number = int(path.strip("/").rpartition("/")[2])
        raw = (self.folder / f"{number:06d}.eml").read_bytes()
        mail = message_from_bytes(raw, policy=policy.default)
        assert isinstance(mail, EmailMessage)
        return mail

    def newest(self, kind: str, person: Person) -> str:
        """Return the path of the newest mail of a kind to somebody."""
        numbers = range(len(list(self.folder.glob("*.eml"))), 0, -1)
        paths = [f"/dev/mail/{number}/" for number in numbers]
        wanted = (kind, person.player.email)
        mails = ((path, self.mail(path)) for path in paths)
        return next(path for path, mail in mails if (mail["X-Dewan-Kind"], mail["To"]) == wanted)

    def answer(self, path: str, text: str) -> Page:
        return self.visitor.send(self.visitor.get(path), "answer", text=text)


@pytest.fixture
def mailbox(tmp_path: Path, settings: Any, ann: Person, ben: Person) -> Mailbox:
    settings.DEWAN_MAIL_DIR = tmp_path
    settings.EMAIL_BACKEND = "notifications.transports.mailbox.MailboxBackend"
    return Mailbox(tmp_path, ann, ben)


def test_an_answer_plays_and_what_became_of_it_is_shown(mailbox: Mailbox) -> None:
    player = mailbox.asked

    page = mailbox.answer(mailbox.newest("turn", player), "1\nsay Hello\n")

    assert page.path == mailbox.newest("answer", player)
    assert "What you wrote has been done." in page.words
    assert "took the story tile" in page.words
    assert mailbox.asked is not player
    row = InboundMail.objects.get()
    assert (row.outcome, row.player) == ("done", player.player)


def test_what_cannot_be_done_is_shown_too_and_can_be_answered_again(mailbox: Mailbox) -> None:
    player = mailbox.asked

    page = mailbox.answer(mailbox.newest("turn", player), "take 1-2")
    assert page.path == mailbox.newest("answer", player)
    assert "nothing has been" in page.words
    page = mailbox.answer(page.path, "1")

    assert "What you wrote has been done." in page.words
    assert mailbox.asked is not player


def test_a_mail_that_gets_no_answer_says_so_where_it_was_written(mailbox: Mailbox) -> None:
    path = mailbox.newest("turn", mailbox.asked)
    mail = mailbox.mail(path)
    file = mailbox.folder / "000099.eml"
    file.write_bytes(mail.as_bytes().replace(b"To: ann@", b"To: mailer-daemon@"))
    file.write_bytes(file.read_bytes().replace(b"To: ben@", b"To: mailer-daemon@"))

    page = mailbox.answer("/dev/mail/99/", "1")

    assert page.path == "/dev/mail/99/"
    assert "as if a program had written it" in page.words
    assert InboundMail.objects.count() == 0


def test_an_answer_is_a_mail_as_programs_write_it(mailbox: Mailbox) -> None:
    mail = mailbox.mail(mailbox.newest("turn", mailbox.asked))

    answer = message_from_bytes(by_hand.answer_to(mail, "1").as_bytes(), policy=policy.default)

    assert (answer["From"], answer["To"]) == (mail["To"], mail["Reply-To"])
    assert answer["In-Reply-To"] == mail["Message-ID"]
    assert answer["References"].split()[-1] == mail["Message-ID"]
    assert answer["Subject"] == f"Re: {mail['Subject']}"
    first, blank, quoting, quoted, *_ = answer.get_body().get_content().splitlines()  # type: ignore[attr-defined]
    assert (first, blank, quoted[:2]) == ("1", "", "> ")
    assert quoting.endswith("wrote:")


def test_only_what_can_be_answered_has_a_box(mailbox: Mailbox) -> None:
    Client().post("/sign-in/", {"email": "ann@example.org"})
    outbox.deliver()
    path = mailbox.newest("sign_in", mailbox.people[0])

    assert not mailbox.visitor.get(path).has_form("answer")
    assert mailbox.visitor.post(f"{path}answer/", {"text": "1"}).status == 404


def test_only_this_machine_answers_and_not_by_accident(mailbox: Mailbox, settings: Any) -> None:
    path = mailbox.newest("turn", mailbox.asked)
    here = {"HTTP_HOST": "localhost:8000"}
    post = {"text": "1"}

    assert Client().post(f"{path}answer/", post, HTTP_HOST="dewan.example").status_code == 404
    far = here | {"HTTP_X_FORWARDED_FOR": "192.0.2.7"}
    assert Client().post(f"{path}answer/", post, **far).status_code == 404
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(f"{path}answer/", post, **here).status_code == 403
    assert strict.get(f"{path}answer/", **here).status_code == 405
    settings.EMAIL_URL = "smtp://mail.example.org"
    assert Client().post(f"{path}answer/", post, **here).status_code == 404
    assert InboundMail.objects.count() == 0


def test_it_does_not_wait_for_an_answer_for_ever(
    mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = mailbox.newest("turn", mailbox.asked)
    monkeypatch.setattr(mailbox_views, "ANSWER_TIME", 0.3)
    monkeypatch.setattr(outbox, "deliver", lambda: None)

    page = mailbox.answer(path, "1")

    assert page.path == path
    assert "What you wrote has been done." in page.words
    assert OutboxMail.objects.get(kind="answer").state == "queued"


PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def test_pictures_of_a_mail_are_in_its_html(mailbox: Mailbox) -> None:
    mail = EmailMessage()
    mail["To"], mail["Subject"] = "ann@example.org", "A picture"
    mail.set_content("a picture")
    mail.add_alternative('<img alt="map" src="cid:map@dewan"><img src="cid:no">', subtype="html")
    _, html = mail.iter_parts()
    assert isinstance(html, EmailMessage)
    html.add_related(PICTURE, "image", "png", cid="<map@dewan>")
    (mailbox.folder / "000050.eml").write_bytes(mail.as_bytes())

    page = mailbox.visitor.get("/dev/mail/50/html/")

    assert 'src="data:image/png;base64,iVBORw0KGgo' in page.html
    assert 'src="cid:no"' in page.html
    assert "img-src data:" in page.response["Content-Security-Policy"]
