"""The sweep: outages, and what is due, found by one indexed moment (docs/clock.md)."""

from __future__ import annotations

import logging
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from dewan_site import sql
from games import absence
from games.models import Decision, Game
from games.store import stamp
from notifications import notices, probe
from notifications.clocks import GAP
from notifications.models import Heartbeat, RecordedOutage

log = logging.getLogger("dewan.clock")

BATCH = 500
"""How many decisions one sweep looks at, at most; the next one goes on."""


def sweep() -> None:
    """Do everything that is due now; each piece by itself, so that none holds up the rest.

    While the service takes no moves nothing is done: no clock fires before the time has been
    given back, and what was not swept counts as an outage.
    """
    if not probe.takes_moves():
        log.warning("no moves are taken: nothing is done about deadlines until they are")
        return
    beat(timezone.now())
    waiting = list(due(timezone.now()))
    if waiting:
        with notices.nudging_once(), sql.committed_with_the_next():
            for game_id, decision_id in waiting:
                _wake(game_id, decision_id)


def due(now: datetime) -> QuerySet[Decision, tuple[str, int]]:
    """Return games and decisions that have to be looked at, the longest waiting first."""
    waiting = Decision.objects.filter(answered_at=None, wake_at__lte=now).order_by("wake_at")
    return waiting.values_list("game_id", "pk")[:BATCH]


def _wake(game_id: str, decision_id: int) -> None:
    try:
        absence.wake(game_id, decision_id)
    except DatabaseError:
        raise
    except Exception:
        log.exception("decision %s could not be handled; the next sweep tries again", decision_id)


def beat(now: datetime) -> None:
    """Note that the sweep runs; record a gap as an outage, which all clocks are reckoned with.

    The gap is one of the wall clock, whatever made it: an outage, a machine asleep, a clock set
    forward. These cannot be told apart everywhere, and time given to all is the lesser wrong.
    """
    with transaction.atomic():
        heartbeat, _ = Heartbeat.objects.select_for_update().get_or_create(
            pk=Heartbeat.SWEEP, defaults={"swept_at": now}
        )
        swept_at = _own.latest(heartbeat.swept_at, now)
        if now - swept_at > max(GAP, 3 * settings.DEWAN_TICK):
            RecordedOutage.objects.create(start=swept_at, end=now)
            log.warning("no sweep from %s to %s: clocks have it back", swept_at, now)
        if heartbeat.swept_at > now + GAP:
            ahead = heartbeat.swept_at - now
            log.warning("the last sweep lies %s ahead: a clock was set back, or is wrong", ahead)
            _revoke_outages(now)
            heartbeat.swept_at = now
        heartbeat.swept_at = max(heartbeat.swept_at, now)
        heartbeat.save(update_fields=["swept_at"])
    _own.swept_at = now


class _OwnSweep:
    """When this process swept last, by its own clock.

    Where two machines' clocks differ by more than ``GAP``, the one that is behind sets the
    heartbeat back each time; to the other that must not look like an outage, again and again.
    """

    swept_at: datetime | None = None

    def latest(self, heartbeat: datetime, now: datetime) -> datetime:
        """Return when somebody swept last; an own sweep in the future was by a wrong clock."""
        if self.swept_at is None or self.swept_at > now:
            return heartbeat
        return max(self.swept_at, heartbeat)


_own = _OwnSweep()


def _revoke_outages(now: datetime) -> None:
    """Take back what was given for a time that has not come: a clock was set forward, and back.

    Every clock that may have had it is looked at again, lest the sweep comes to it too late; and
    games are not taken to have looked at outages that are yet to come.
    """
    Game.objects.filter(credited__gt=stamp(now)).update(credited=stamp(now))
    for outage in RecordedOutage.objects.filter(end__gt=now + GAP, revoked_at=None):
        outage.revoked_at = now
        outage.save(update_fields=["revoked_at"])
        if outage.start < now:
            RecordedOutage.objects.create(start=outage.start, end=now)
        Decision.objects.filter(answered_at=None, wake_at__gt=outage.start).update(wake_at=now)
