"""A mail whose HTML version shows pictures that come with it."""

from __future__ import annotations

from collections.abc import Sequence
from email.message import Message
from email.mime.image import MIMEImage
from email.mime.multipart import MIMEMultipart
from typing import Any

from django.core.mail import EmailMultiAlternatives

from notifications.letters.letter import Picture


class Illustrated(EmailMultiAlternatives):
    """A message of two versions; the pictures belong to the HTML one, its last.

    A program that shows text alone is given that first, and nothing of the pictures.
    """

    pictures: Sequence[Picture] = ()

    def message(self, **options: Any) -> Any:
        """Return the message with each picture beside the HTML that names it."""
        whole = super().message(**options)
        if self.pictures:
            versions: Any = whole.get_payload()
            versions[-1] = _with_pictures(versions[-1], self.pictures)
        return whole


def _with_pictures(html: Message, pictures: Sequence[Picture]) -> Message:
    related = MIMEMultipart("related", type="text/html")
    related.attach(html)
    for picture in pictures:
        image = MIMEImage(picture.png, "png")
        image["Content-ID"] = f"<{picture.cid}>"
        image["Content-Disposition"] = "inline"
        related.attach(image)
    return related
