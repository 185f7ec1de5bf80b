"""Mail comes in from a mailbox that we look into: unseen mails, oldest first (docs/mail.md).

A mail is marked as seen when what it caused has been committed. Nothing is ever deleted: what
becomes of old mails is for whoever keeps the mailbox.
"""

from __future__ import annotations

import hashlib
import imaplib
import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.cache import cache
from imap_tools import MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError
from imap_tools.mailbox import BaseMailBox
from redis.exceptions import RedisError

from notifications import probe
from notifications.inbound import service

log = logging.getLogger("dewan.mail")

PORTS = {"imaps": 993, "imap+tls": 143, "imap": 143}
"""The port of each protocol where none is given."""

PATIENCE = 20.0
"""Seconds the server may take for an answer."""

BATCH = 100
"""How many mails one look takes at most; the next one goes on."""

ATTEMPTS = 10
"""How often a mail is tried that fails while others do not; then it is flagged, and left alone."""

CLAIM = 120
"""Seconds after which a look into the mailbox is given up whose worker has died."""

WEEK = 7 * 24 * 3600
_CLAIM_KEY = "mail-in:claim"


class MailboxTrouble(Exception):
    """The mailbox cannot be asked; the next look may be able to."""


def fetch() -> int:
    """Take in the unseen mails, and return how many were; none while somebody else does.

    Raises MailboxTrouble, or what went wrong with the database: then the next look goes on.
    """
    with _claimed() as mine:
        if not mine:
            return 0
        try:
            with _mailbox() as mailbox:
                return sum(_taken_in(mailbox, uid) for uid in _unseen(mailbox)[:BATCH])
        except (imaplib.IMAP4.error, ImapToolsError, OSError) as error:
            raise MailboxTrouble(f"{type(error).__name__}: {error}") from error


# ---- The mailbox -------------------------------------------------------------------------------


def _mailbox() -> BaseMailBox:
    """Return the mailbox of ``DEWAN_IMAP_URL``, open at its folder."""
    url = urlsplit(settings.DEWAN_IMAP_URL)
    host, port = url.hostname or "", url.port or PORTS[url.scheme]
    mailbox: BaseMailBox
    match url.scheme:
        case "imaps":
            trusted = ssl.create_default_context()
            mailbox = MailBox(host, port, timeout=PATIENCE, ssl_context=trusted)
        case "imap+tls":
            trusted = ssl.create_default_context()
            mailbox = MailBoxStartTls(host, port, timeout=PATIENCE, ssl_context=trusted)
        case _:
            mailbox = MailBoxUnencrypted(host, port, timeout=PATIENCE)
    user, password = unquote(url.username or ""), unquote(url.password or "")
    sign_in = mailbox.login if (user + password).isascii() else mailbox.login_utf8
    return sign_in(user, password, unquote(url.path[1:]) or "INBOX")


def _unseen(mailbox: BaseMailBox) -> list[str]:
    """Return the ids of the mails to take in, oldest first."""
    return sorted(mailbox.uids("UNSEEN UNFLAGGED UNDELETED", charset=None), key=int)


def _taken_in(mailbox: BaseMailBox, uid: str) -> bool:
    """Take one mail in and mark it; tell whether that was done."""
    raw = _raw(mailbox, uid)
    if raw is None:
        return False
    try:
        service.receive(raw)
    except Exception:
        if not probe.takes_moves():
            raise  # it is not the mail's fault
        log.exception("mail %s of the mailbox could not be taken in", uid)
        _failed(mailbox, uid, raw)
        return False
    _mark(mailbox, uid, r"\Seen")
    return True


def _raw(mailbox: BaseMailBox, uid: str) -> bytes | None:
    """Return a mail, without marking it; of one that is too large not much more than we take."""
    asked = f"(BODY.PEEK[]<0.{settings.DEWAN_MAIL_SIZE + 1}>)"
    kind, found = mailbox.client.uid("FETCH", uid, asked)
    if kind != "OK":
        raise imaplib.IMAP4.error(f"mail {uid} cannot be fetched: {kind}")
    return next((part[1] for part in found if isinstance(part, tuple)), None)


def _mark(mailbox: BaseMailBox, uid: str, flag: str) -> None:
    # Not by imap-tools: that expunges at every flag, also what others have marked as deleted.
    kind, _ = mailbox.client.uid("STORE", uid, "+FLAGS", f"({flag})")
    if kind != "OK":
        raise imaplib.IMAP4.error(f"mail {uid} cannot be marked: {kind}")


def _failed(mailbox: BaseMailBox, uid: str, raw: bytes) -> None:
    """Count a failure of a mail; after too many flag it, which keeps it out of our sight."""
    key = f"mail-in:failed:{hashlib.sha256(raw).hexdigest()}"
    with suppress(RedisError, OSError, ValueError):  # not counted: it is tried once more
        cache.add(key, 0, WEEK)
        if cache.incr(key) >= ATTEMPTS:
            _mark(mailbox, uid, r"\Flagged")
            log.error("mail %s of the mailbox is flagged: it fails again and again", uid)


# ---- One at a time -----------------------------------------------------------------------------


@contextmanager
def _claimed() -> Iterator[bool]:
    """Keep other workers from looking into the mailbox too: they would only do the same work.

    Nothing depends on it, for the same mail does nothing twice; so it may be held in the cache.
    """
    mine = _claim()
    try:
        yield mine
    finally:
        if mine:
            with suppress(RedisError, OSError):
                cache.delete(_CLAIM_KEY)


def _claim() -> bool:
    try:
        return bool(cache.add(_CLAIM_KEY, 1, CLAIM))
    except (RedisError, OSError) as error:
        log.warning("the cache is out of reach, others may fetch mail too: %s", error)
        return True
