"""Addresses that our mails do not reach, and a mail server that is away (docs/mail.md, *Delivery*).

Who cannot be reached is told on the page; nobody else learns of it.
"""

from __future__ import annotations

import logging
import re
from datetime import timedelta

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from redis.exceptions import RedisError

from dewan_site.accounts.models import Player
from games.models import Seat
from notifications import preferences
from notifications.models import AddressTrouble, OutboxMail

log = logging.getLogger("dewan.mail")

WAITS = [timedelta(hours=hours) for hours in (1, 4, 12, 24)]
"""How long nothing is sent to an address after each refusal; the last one goes on for ever."""

PROBATION = timedelta(hours=1)
"""How long a mail to an address that has sent ours back has to stay away, to count as arrived."""

AWAY = timedelta(minutes=1)
"""After what time a mail server that was away is spoken to again."""


# ---- Refusals and bounces ----------------------------------------------------------------------


def refused(address: str, problem: str) -> AddressTrouble:
    """Note that the mail server did not take a mail for an address."""
    return _note(address, problem, bounced=False)


def bounced(address: str, message_id: str, permanent: bool, status: str) -> None:
    """Note that a mail of ours came back from an address; what it told is to be told again.

    It is believed only of a mail that we have sent, to the address that its reader has now.
    """
    if not permanent:  # a server tells that it goes on trying
        return
    # It may be back before we have written down that it went out.
    sent = (OutboxMail.State.SENT, OutboxMail.State.INFLIGHT)
    mail = OutboxMail.objects.filter(message_id=message_id, state__in=sent).first()
    reader = _reader_of(mail) if mail else None
    if mail is None or reader is None or reader.email != address.strip().lower():
        log.warning("what came back is no mail that we have sent there: it is not believed")
        return
    with transaction.atomic():
        trouble = _note(reader.email, f"it came back: {status}", bounced=True)
        _take_back(mail, trouble)
    log.warning("mail %s came back: %s", mail.as_log(), status)


def _note(address: str, problem: str, *, bounced: bool) -> AddressTrouble:
    now = timezone.now()
    trouble, _ = AddressTrouble.objects.select_for_update().get_or_create(
        address=address, defaults={"since": now, "retry_at": now, "refusals": 0}
    )
    trouble.refusals += 1
    trouble.retry_at = now + WAITS[min(trouble.refusals, len(WAITS)) - 1]
    trouble.problem, trouble.bounced, trouble.probed_at = problem[:200], bounced, None
    trouble.save()
    return trouble


def _take_back(mail: OutboxMail, trouble: AddressTrouble) -> None:
    """Let what a mail was to tell wait for its address, unless its reader has seen it elsewhere."""
    told = OutboxMail.objects.filter(Q(pk=mail.pk) | Q(told_in=mail), seen_at=None)
    told.filter(game=None).update(state=OutboxMail.State.FAILED, reason=trouble.problem)
    told.exclude(game=None).update(
        state=OutboxMail.State.RETRY,
        reason=trouble.problem,
        due_at=trouble.retry_at,
        ready_at=F("due_at"),
        sent_at=None,
        told_in=None,
    )


def _reader_of(mail: OutboxMail) -> Player | None:
    """Return to whom a mail goes; None if nobody sits there."""
    if mail.player is not None or mail.seat is None:
        return mail.player
    seats = Seat.objects.select_related("player")
    return seats.get(game=mail.game_id, number=mail.seat).player


# ---- Until it works again ----------------------------------------------------------------------


def got_through(trouble: AddressTrouble) -> bool:
    """Note that a mail to a troubled address was taken; tell whether the trouble is over.

    Where mails have come back, this one must not, for a while: only then the others follow.
    """
    if trouble.bounced:
        trouble.probed_at = timezone.now()
        trouble.retry_at = trouble.probed_at + PROBATION
        trouble.save(update_fields=["probed_at", "retry_at"])
    else:
        end(trouble)
    return not trouble.bounced


def end(trouble: AddressTrouble) -> None:
    """Forget a trouble that is over, and send at once what has waited for it."""
    trouble.delete()
    for player in Player.objects.filter(email=trouble.address):
        preferences.look_again(player)


def try_again(player: Player) -> None:
    """Send a player at once what waits for their address; if nothing does, hope for the best."""
    trouble = trouble_of(player)
    if trouble is None:
        return
    if preferences.waiting_for(player).exists():
        trouble.retry_at, trouble.probed_at = timezone.now(), None
        trouble.save(update_fields=["retry_at", "probed_at"])
        preferences.look_again(player)
    else:
        trouble.delete()


def moved(player: Player, old: str) -> None:
    """Send at once to a player's new address what has waited for the old one."""
    AddressTrouble.objects.filter(address=old).delete()
    preferences.look_again(player)


def trouble_of(player: Player) -> AddressTrouble | None:
    """Return what trouble there is with a player's address, if any."""
    return AddressTrouble.objects.filter(address=player.email).first()


_PLAIN = {
    "5.1": "there is no such mailbox",
    "5.2.2": "the mailbox is full",
    "5.2": "the mailbox takes no mail",
    "5.4": "it cannot be reached",
    "5.7": "it does not want mail from us",
    "550": "there is no such mailbox, or it does not want mail from us",
    "552": "the mailbox is full",
}
"""What status codes mean (RFC 3463), the longer ones first; and SMTP's own where there is none."""


def in_plain_words(problem: str) -> str:
    """Return what the mail servers mean, for the player."""
    status = re.search(r"(?<![\d.])5\.\d{1,3}\.\d{1,3}(?![\d.])", problem)
    reply = re.search(r"(?<!\d)5\d\d(?!\d)", problem)
    codes = [status[0], status[0].rpartition(".")[0]] if status else []
    codes += [reply[0]] if reply else []
    return next((_PLAIN[code] for code in codes if code in _PLAIN), "it takes no mail from us")


# ---- The mail server ---------------------------------------------------------------------------


def server_went_away() -> None:
    """Remember for a minute that the mail server is away, so that nobody waits for it in vain."""
    try:
        cache.set(_server(), True, AWAY.total_seconds())
    except (RedisError, OSError) as error:
        log.warning("the cache is out of reach: the mail server is asked again at once: %s", error)


def server_is_away() -> bool:
    """Tell whether the mail server was away just now."""
    try:
        return cache.get(_server()) is not None
    except (RedisError, OSError):
        return False


def _server() -> str:
    return f"mail-server-away:{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
