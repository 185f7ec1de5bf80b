"""The sweep: outages, time-outs and reminders, found by indexed moments (docs/clock.md)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import (
    DateTimeField,
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    QuerySet,
    Value,
)
from django.utils import timezone

from games import services
from games.models import Decision, Game, SealedAnswer, Seat
from notifications import notices
from notifications.clocks import GAP, reminder_after
from notifications.models import Heartbeat, RecordedOutage

log = logging.getLogger("dewan.clock")

BATCH = 500
"""How many late seats or reminders one sweep handles at most; the next one goes on."""

BOT_PATIENCE = timedelta(seconds=5)
"""How long a bot may think before its nudge counts as lost."""


def sweep() -> None:
    """Do everything that is due now; each piece by itself, so that none holds up the rest."""
    beat(timezone.now())
    for decision in _due("deadline"):
        _alone(services.time_out, decision.pk)
    for decision in _due("remind_at"):
        _alone(_remind, decision.pk)


def _due(field: str) -> list[Decision]:
    due = Decision.objects.filter(answered_at=None, **{f"{field}__lte": timezone.now()})
    sealed = SealedAnswer.objects.filter(game=OuterRef("game"), decision=OuterRef("decision"))
    due = due.exclude(Exists(sealed))  # answered, though nobody may know yet (R13.5)
    return list(due.order_by(field).only("pk")[:BATCH])


def _alone(step: Callable[[int], object], decision_id: int) -> None:
    try:
        step(decision_id)
    except DatabaseError:
        raise
    except Exception:
        log.exception("decision %s could not be handled; the next sweep tries again", decision_id)


def beat(now: datetime) -> None:
    """Note that the sweep runs; after a gap, give it back to every clock that ran.

    The gap is one of the wall clock, whatever made it: an outage, a machine asleep, a clock set
    forward. These cannot be told apart everywhere, and time given to all is the lesser wrong.
    """
    with transaction.atomic():
        heartbeat, _ = Heartbeat.objects.select_for_update().get_or_create(
            pk=1, defaults={"swept_at": now}
        )
        swept_at = _own.latest(heartbeat.swept_at, now)
        if now - swept_at > max(GAP, 3 * settings.DEWAN_TICK):
            _credit_outage(swept_at, now)
        if heartbeat.swept_at > now + GAP:
            ahead = heartbeat.swept_at - now
            log.warning("the last sweep lies %s ahead: a clock was set back, or is wrong", ahead)
            _cut_outages(now)
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


def _credit_outage(start: datetime, end: datetime) -> None:
    """Move every deadline that ran by the time it ran in the gap: ``clocks.credited`` in SQL."""
    RecordedOutage.objects.create(start=start, end=end)
    ran = Decision.objects.filter(answered_at=None, asked_at__lt=end, deadline__gt=start)
    _shift(ran.filter(asked_at__gt=start), Value(end) - F("asked_at"))
    _shift(ran.filter(asked_at__lte=start), Value(end - start))
    log.warning("no sweep from %s to %s: deadlines were moved by the gap", start, end)


def _cut_outages(now: datetime) -> None:
    """Take back what was given for a time that has not come: a clock was set forward, and back.

    Only decisions that were surely given it lose it, down to the time that has really passed.
    """
    for outage in RecordedOutage.objects.filter(end__gt=now + GAP):
        end = max(outage.start, now)
        given = Decision.objects.filter(
            answered_at=None, asked_at__lte=outage.start, deadline__gt=outage.end
        )
        _shift(given, Value(end - outage.end))
        RecordedOutage.objects.filter(pk=outage.pk).update(end=end)


def _shift(decisions: QuerySet[Decision], by: Any) -> None:
    by = ExpressionWrapper(by, output_field=DurationField())
    later = {
        field: ExpressionWrapper(F(field) + by, output_field=DateTimeField())
        for field in ("deadline", "remind_at")
    }
    decisions.update(**later)


def _remind(decision_id: int) -> None:
    """Write the reminder that is due, and set when the next one will be."""
    with transaction.atomic():
        decision = Decision.objects.select_for_update().get(pk=decision_id)
        now = timezone.now()
        if decision.answered_at or decision.remind_at is None or decision.remind_at > now:
            return
        if decision.deadline > now:
            notices.remind(
                decision.game_id, decision.seat, decision.decision, decision.remind_stage
            )
        reminder = reminder_after(
            decision.asked_at, decision.deadline, now, after_stage=decision.remind_stage
        )
        decision.remind_at = reminder.at if reminder else None
        decision.remind_stage = reminder.stage if reminder else ""
        decision.save(update_fields=["remind_at", "remind_stage"])


def games_waiting_for_bots() -> Iterable[str]:
    """Return the running games in which a bot seat has been asked for a while."""
    asked = Decision.objects.filter(
        answered_at=None,
        asked_at__lt=timezone.now() - BOT_PATIENCE,
        game__status=Game.Status.RUNNING,
        game__seats__kind=Seat.Kind.BOT,
        game__seats__number=F("seat"),
    )
    return set(asked.values_list("game_id", flat=True))
