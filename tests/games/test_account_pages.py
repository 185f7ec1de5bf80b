"""What account pages say about addresses and zones."""

from __future__ import annotations

from dewan_site.accounts import links
from notifications import notices, render
from notifications.models import OutboxMail
from tests.pages import Visitor
from tests.people import Person


def test_the_old_address_is_told_when_an_address_has_changed(ann: Person) -> None:
    path = links.address_change_path(ann.player, "ann@new.example")
    visitor = Visitor()

    visitor.get(path)
    assert not OutboxMail.objects.exists()
    visitor.post(path)

    message = render.message_for(OutboxMail.objects.get(kind=notices.ADDRESS_CHANGED))
    assert message.to == ["ann@example.org"]
    assert "Hello Ann" in message.body
    assert "ann@new.example" not in message.body
    visitor.post(path)
    assert OutboxMail.objects.count() == 1


def test_an_address_that_is_taken_is_no_change(ann: Person, ben: Person) -> None:
    path = links.address_change_path(ann.player, "ben@example.org")

    assert Visitor().post(path).status == 409
    assert not OutboxMail.objects.exists()


def test_the_mailbox_says_its_zone(ann: Person) -> None:
    ann.player.zone = "Asia/Tokyo"
    ann.player.save()

    assert (
        "Times are in Asia/Tokyo"
        in Visitor(ann.player).get("/dev/mail/", HTTP_HOST="localhost").words
    )
