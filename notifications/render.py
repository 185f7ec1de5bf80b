"""Mails: from a row of the outbox to a message, at the moment it is sent (docs/mail.md).

What a mail says is in ``notifications.letters``. A notice that is no longer true is not sent.
"""

from __future__ import annotations

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

from dewan_site.accounts import links
from dewan_site.accounts.models import Player
from dewan_site.accounts.names import flat_name
from dewan_site.links import absolute
from games import demo
from games.models import Game
from games.words import listed
from notifications import letters, notices
from notifications.letters import accounts
from notifications.letters.letter import Letter, NoLongerTrue
from notifications.letters.reading import Reading, read
from notifications.models import OutboxMail

__all__ = ["NoLongerTrue", "message_for"]


def message_for(mail: OutboxMail) -> EmailMultiAlternatives:
    """Return the message for a row of the outbox; raise NoLongerTrue if it must not go out."""
    if mail.game is None:
        return _account_message(mail)
    if mail.player is not None:
        return _leaver_message(mail, mail.game, mail.player)
    return game_message(read(mail, mail.game))


def game_message(reading: Reading) -> EmailMultiAlternatives:
    """Return a mail about a game to who sits on a seat."""
    mail, game = reading.mail, reading.game
    stop = absolute(links.stop_mails_path(reading.player))
    letter = letters.GAME_LETTERS[mail.kind](reading).with_footer(_footer(game, stop))
    thread = f"<game.{game.pk}.{reading.seat}@{notices.mail_domain()}>"
    headers = {
        "In-Reply-To": letter.answers or thread,
        "References": f"{thread} {letter.answers}".strip(),
        **_stopping(stop),
        "X-Dewan-Game": game.pk,
        "X-Dewan-Seat": str(reading.seat),
    }
    if mail.decision:
        headers["X-Dewan-Decision"] = mail.decision
    # One subject for all mails of a game: clients keep them in one thread by it.
    subject = f"Dewan: {listed(reading.names)} [{game.pk}]"
    return _message(mail, reading.player.email, subject, letter, headers)


def _footer(game: Game, stop: str) -> list[str]:
    return [
        f"Game {game.pk}, move {game.version}; head {game.version}:{game.head_hash}",
        f"Stop mails about games: {stop}",
        "Dewan is a game by Johannes Goupy and Yoann Levet, published by Space Cowboys. "
        "We are not affiliated with them.",
    ]


def _stopping(stop: str) -> dict[str, str]:
    """Return the headers with which mails are stopped by one click (RFC 8058)."""
    return {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def _leaver_message(mail: OutboxMail, game: Game, player: Player) -> EmailMultiAlternatives:
    if player.mails_stopped:
        raise NoLongerTrue("the player has stopped mails")
    subject, letter = accounts.left(game, player)
    headers = _stopping(absolute(links.stop_mails_path(player)))
    return _message(mail, player.email, subject, letter, headers)


def _account_message(mail: OutboxMail) -> EmailMultiAlternatives:
    player = mail.player
    assert player is not None, "a mail without a game is about an account"
    player.name = flat_name(player.name)
    subject, letter = letters.ACCOUNT_LETTERS[mail.kind](mail, player)
    headers = {"In-Reply-To": letter.answers} if letter.answers else {}
    return _message(mail, mail.address or player.email, subject, letter, headers)


def _message(
    mail: OutboxMail, to: str, subject: str, letter: Letter, headers: dict[str, str]
) -> EmailMultiAlternatives:
    if settings.EMAIL_URL and to == demo.EMAIL:
        raise NoLongerTrue("the demo player has no mailbox in the world")
    message = EmailMultiAlternatives(
        subject=" ".join(subject.split()),
        body=render_to_string("notifications/mail.txt", {"letter": letter}),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[to],
        headers={
            "Message-ID": mail.message_id,
            "Auto-Submitted": "auto-replied" if letter.answers else "auto-generated",
            "X-Dewan-Kind": mail.kind,
            **headers,
        },
    )
    html = render_to_string("notifications/mail.html", {"letter": letter})
    message.attach_alternative(html, "text/html")
    return message
