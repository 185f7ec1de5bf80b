"""Mails: from a row of the outbox to a message, at the moment it is sent (docs/mail.md).

What a mail says is in ``notifications.letters``. A notice that is no longer true is not sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from notifications import letters, notices, tokens
from notifications.illustrated import Illustrated
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
    mail = reading.mail
    stop = absolute(links.stop_mails_path(reading.player))
    letter = letters.GAME_LETTERS[mail.kind](reading).with_footer(_footer(reading.game, stop))
    headers = headers_about(reading, letter.answers) | stopping(stop)
    return _message(mail, reading.player.email, subject_of(reading), letter, headers)


def subject_of(reading: Reading) -> str:
    """Return the one subject of all mails of a game: clients keep them in one thread by it."""
    return f"Dewan: {listed(reading.names)} [{reading.game.pk}]"


def headers_about(reading: Reading, answers: str = "") -> dict[str, str]:
    """Return what a mail about one game says of it: to mail programs, to us, and to others.

    ``answers`` is the Message-ID of the player's own mail that it answers.
    """
    decision = {"X-Dewan-Decision": reading.mail.decision} if reading.mail.decision else {}
    about = {"X-Dewan-Game": reading.game.pk, "X-Dewan-Seat": str(reading.seat)}
    return _in_thread(reading, answers) | _replying(reading) | about | decision


def _in_thread(reading: Reading, answers: str) -> dict[str, str]:
    """Return the headers that hang a mail below the first one of its thread, if it is not that."""
    root = notices.thread_root(reading.game.pk, reading.seat, reading.player.pk)
    before = [one for one in (root, answers) if one not in ("", reading.mail.message_id)]
    return {"In-Reply-To": before[-1], "References": " ".join(before)} if before else {}


def _replying(reading: Reading) -> dict[str, str]:
    """Return the header that sends a reply to an address which says what it answers."""
    if not tokens.replies_work():
        return {}
    token = tokens.make(tokens.Purpose.REPLY, reading.place, reading.since)
    return {"Reply-To": tokens.reply_address(token)}


def _footer(game: Game, stop: str) -> list[str]:
    return [
        f"Game {game.pk}, move {game.version}; head {game.version}:{game.head_hash}",
        f"Stop mails about games: {stop}",
        "Dewan is a game by Johannes Goupy and Yoann Levet, published by Space Cowboys. "
        "We are not affiliated with them.",
    ]


def stopping(stop: str) -> dict[str, str]:
    """Return the headers with which mails are stopped by one click (RFC 8058)."""
    return {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def _leaver_message(mail: OutboxMail, game: Game, player: Player) -> EmailMultiAlternatives:
    if player.mails_stopped:
        raise NoLongerTrue("the player has stopped mails")
    subject, letter = accounts.left(game, player)
    headers = stopping(absolute(links.stop_mails_path(player)))
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
    replied = {"Auto-Submitted": "auto-replied"} if letter.answers else {}
    message = compose(mail, to, subject, ("mail", {"letter": letter}), headers | replied)
    message.pictures = letter.pictures
    return message


def compose(
    mail: OutboxMail,
    to: str,
    subject: str,
    contents: tuple[str, Mapping[str, Any]],
    headers: Mapping[str, str],
) -> Illustrated:
    """Return the message of a row: ``contents`` are the name of its templates and their context.

    Raises NoLongerTrue if nobody may write to this address.
    """
    if settings.EMAIL_URL and to == demo.EMAIL:
        raise NoLongerTrue("the demo player has no mailbox in the world")
    template, context = contents
    message = Illustrated(
        subject=" ".join(subject.split()),
        body=render_to_string(f"notifications/{template}.txt", dict(context)),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[to],
        headers={
            "Message-ID": mail.message_id,
            "Auto-Submitted": "auto-generated",
            "X-Dewan-Kind": mail.kind,
            **headers,
        },
    )
    html = render_to_string(f"notifications/{template}.html", dict(context))
    message.attach_alternative(html, "text/html")
    return message
