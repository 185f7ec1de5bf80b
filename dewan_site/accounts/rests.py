"""What rests a player's clocks: night hours, free days, vacations (docs/clock.md).

Every change is a new row and counts from the next decision on. All raise ValidationError that
says what is wrong and what would be right.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from dewan_site.accounts.models import Player, Rests
from notifications.rests import MOST_VACATION, Stretch, problem_with
from notifications.rests import Rests as PlayerRests

AHEAD = timedelta(days=365)
"""How far ahead a vacation can be booked."""


def rests_of(player: Player) -> PlayerRests:
    """Return what counts for what a player is asked from now on."""
    last = Rests.objects.filter(player=player).last()
    return last.rests if last else PlayerRests(zone=player.zone)


@transaction.atomic
def change(player: Player, night: tuple[int, int] | None, weekdays: Sequence[int]) -> PlayerRests:
    """Set the night hours (minutes after local midnight) and free days (ISO, 1 is Monday)."""
    _lock(player)
    before = rests_of(player)
    days = tuple(sorted(set(weekdays)))
    if (night, days) == (before.night, before.weekdays):
        return before
    return _put(player, msgspec.structs.replace(before, night=night, weekdays=days))


@transaction.atomic
def book(player: Player, first: date, last: date) -> Stretch:
    """Book a vacation from the beginning of one local day to the end of another."""
    _lock(player)
    rests, vacation = with_vacation(player, first, last)
    _put(player, rests)
    return vacation


def with_vacation(player: Player, first: date, last: date) -> tuple[PlayerRests, Stretch]:
    """Return a player's rests as they would be with a vacation, and it; nothing is booked."""
    rests = rests_of(player)
    today = timezone.now().astimezone(ZoneInfo(rests.zone)).date()
    if last < first:
        raise ValidationError("The last day of a vacation is not before its first.")
    if first < today:
        raise ValidationError("A vacation begins today at the earliest.")
    if last >= today + AHEAD:
        raise ValidationError("A vacation can be booked for the year that comes, not later.")
    vacation = Stretch(_midnight(rests.zone, first), _midnight(rests.zone, last + timedelta(1)))
    if any(vacation.start < end and start < vacation.end for start, end in rests.vacations):
        raise ValidationError("You have a vacation in these days already.")
    vacations = tuple(sorted([*rests.vacations, vacation]))
    return _checked(msgspec.structs.replace(rests, vacations=vacations)), vacation


@transaction.atomic
def cancel(player: Player, start: datetime) -> None:
    """Cancel a vacation that has not begun; its days can be used again."""
    _lock(player)
    rests = rests_of(player)
    vacation = next((v for v in rests.vacations if v.start == start), None)
    if vacation is None or vacation.start <= timezone.now():
        raise ValidationError("Only a vacation that has not begun can be cancelled.")
    if _is_counted_on(player, vacation):
        raise ValidationError(
            "A clock of yours has been begun with this vacation: answer in that game first."
        )
    vacations = tuple(v for v in rests.vacations if v != vacation)
    _put(player, msgspec.structs.replace(rests, vacations=vacations))


def days_left(rests: PlayerRests, now: datetime) -> int:
    """Return how many days of vacation a player has not used in the year that ends now."""
    year = Stretch(now - AHEAD, now)
    used = sum((_common(vacation, year) for vacation in rests.vacations), timedelta(0))
    booked = sum((v.end - max(v.start, now) for v in rests.vacations if v.end > now), timedelta(0))
    return max((MOST_VACATION - used - booked) // timedelta(days=1), 0)


def _common(one: Stretch, other: Stretch) -> timedelta:
    return max(min(one.end, other.end) - max(one.start, other.start), timedelta(0))


@transaction.atomic
def move_to(player: Player, zone: str) -> None:
    """Follow a player to another time zone; a clock that runs goes on in the old one."""
    _lock(player)
    rests = rests_of(player)
    if rests.zone != zone:
        _put(player, msgspec.structs.replace(rests, zone=zone))


def _lock(player: Player) -> None:
    Player.objects.select_for_update().get(pk=player.pk)


def _put(player: Player, rests: PlayerRests) -> PlayerRests:
    """Write rests as a new row; raise ValidationError if there is a problem with them."""
    rests = msgspec.structs.replace(_checked(rests), since=timezone.now())
    data = msgspec.json.encode(rests).decode()
    Rests.objects.create(player=player, since=rests.since, data=data)
    return rests


def _checked(rests: PlayerRests) -> PlayerRests:
    problem = problem_with(rests)
    if problem:
        raise ValidationError(problem)
    return rests


def _midnight(zone: str, day: date) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


def _is_counted_on(player: Player, vacation: Stretch) -> bool:
    """Tell whether an open clock of the player was begun when the vacation was booked already."""
    versions = Rests.objects.filter(player=player)
    booked = next(row.since for row in versions if vacation in row.rests.vacations)
    running = player.decisions.filter(answered_at=None, runs_from__gte=booked)
    return running.filter(game__rests=True).exists()
