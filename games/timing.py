"""What the clocks of a game are reckoned from, and when the sweep has to look (docs/clock.md).

The reckoning itself is ``notifications.clocks``; here are its inputs as they are stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec
from django.db.models import QuerySet
from django.utils import timezone

from dewan_site.accounts.models import Rests as StoredRests
from dewan_site.accounts.models import read_rests
from games.models import Decision, Game, Sitting
from notifications import clocks
from notifications.clocks import Asked, Clock, Policy
from notifications.ladder import STAGES, Reminder, ladder
from notifications.models import RecordedOutage
from notifications.rests import Rests, Stretch

BOT_PATIENCE = timedelta(seconds=5)
"""How long a bot may think before its nudge counts as lost."""

REMEMBERED = timedelta(days=400)
"""How long outages matter: no clock runs longer, with all that can rest it."""

Versions = Mapping[int | None, Sequence[Rests]]
"""The rests of players, by player, each change a version; the oldest first."""


class Outage(NamedTuple):
    """A recorded outage; ``revoked_at`` is when it turned out that a wrong clock had made it."""

    start: datetime
    end: datetime
    revoked_at: datetime | None = None

    def was_known_to(self, decision: Decision, moment: datetime) -> bool:
        """Tell whether a clock that was closed at a moment had been given it."""
        revoked = self.revoked_at is not None and decision.runs_from >= self.revoked_at
        return self.end <= moment and not revoked


class Outages:
    """The recorded outages; they are read only for a clock that may have run in the last of them.

    ``last`` is when that ended which no wrong clock has made; None if there was none.
    """

    def __init__(self, last: datetime | None, known: Sequence[Outage] | None = None) -> None:
        """Take what is known already: if not the outages, then when the last one ended."""
        self.last = last
        self._known = known

    def after(self, moment: datetime) -> Sequence[Outage]:
        """Return the outages that ended after a moment, and perhaps others."""
        return () if self.last is None or self.last <= moment else self.all()

    def all(self) -> Sequence[Outage]:
        """Return every outage that may still matter."""
        if self._known is None:
            self._known = outages_since(timezone.now() - REMEMBERED)
        return self._known


class Clocks(msgspec.Struct, frozen=True):
    """The inputs of the clocks of one game."""

    policy: Policy
    rests: Versions
    pauses: Sequence[Stretch]
    outages: Outages
    with_rests: bool = True

    def clock(self, decision: Decision, now: datetime) -> Clock:
        """Return how the clock of an open decision stands."""
        rests, stops = self._rests(decision.player_id), self._stops(decision)
        return clocks.deadline(self.policy, rests, stops, [asked_of(decision)], now)

    def reminders(self, decision: Decision, stages: Collection[str]) -> tuple[Reminder, ...]:
        """Return when the player is to be reminded of an open decision."""
        return ladder(
            self.policy,
            self._rests(decision.player_id),
            self._stops(decision),
            [asked_of(decision)],
            in_force(self.rests.get(decision.player_id, ()), decision.runs_from),
            stages,
        )

    def closed(self, decision: Decision, moment: datetime) -> Clock:
        """Return how the clock of a decision stood when it was closed, as was known then."""
        recorded = self.outages.after(decision.runs_from)
        known = [outage for outage in recorded if outage.was_known_to(decision, moment)]
        stops = [*stretches(known), *self.pauses]
        asked = [asked_of(decision)]
        return clocks.deadline(self.policy, self._rests(decision.player_id), stops, asked, moment)

    def wake_at(
        self, decision: Decision, now: datetime, stages: Collection[str] = STAGES
    ) -> datetime:
        """Return when the sweep has to look at an open decision next."""
        moments = [reminder.at for reminder in self.reminders(decision, stages)]
        moments += [pause.end for pause in self.pauses]
        later = [moment for moment in moments if moment > now]
        rests, stops = self._rests(decision.player_id), self._stops(decision)
        run = clocks.last_run(self.policy, rests, stops, [asked_of(decision)])
        return min([run.deadline, *later])

    def vacation_of(self, player: int | None, now: datetime) -> Stretch | None:
        """Return the vacation that a player has, or has next."""
        rests = in_force(self.rests.get(player, ()), now)
        return next((v for v in rests.vacations if v.end > now), None) if rests else None

    def _stops(self, decision: Decision) -> list[Stretch]:
        """Return the times in which the clock of an open decision did not run."""
        recorded = self.outages.after(decision.runs_from)
        real = [outage for outage in recorded if outage.revoked_at is None]
        return [*stretches(real), *self.pauses]

    def _rests(self, player: int | None) -> Sequence[Rests]:
        return self.rests.get(player, ()) if self.with_rests else ()


def asked_of(decision: Decision) -> Asked:
    """Return the time of a decision, as clocks are reckoned with it."""
    return Asked(begun=decision.runs_from, ended=decision.answered_at, granted=decision.granted)


def in_force(versions: Sequence[Rests], at: datetime) -> Rests | None:
    """Return the rests that count for what is asked at a moment."""
    return next((rests for rests in reversed(versions) if rests.since <= at), None)


def pauses_of(game: Game) -> list[Stretch]:
    """Return the pauses of a game; one that goes on ends when it would by itself."""
    return msgspec.json.decode(game.pauses, type=list[Stretch])


def set_pauses(game: Game, pauses: Sequence[Stretch]) -> None:
    """Put down the pauses of a game."""
    game.pauses = msgspec.json.encode(pauses).decode()


def pause_at(game: Game, moment: datetime) -> Stretch | None:
    """Return the pause of a game in which a moment lies."""
    return next((p for p in pauses_of(game) if p.start <= moment < p.end), None)


# ---- Reading them ------------------------------------------------------------------------------


def versions_of(players: Iterable[int | None] | QuerySet[Any, Any]) -> Versions:
    """Read the rests of some players, given as such or as a query for them."""
    rows = StoredRests.objects.filter(player__in=players).order_by("since")
    found: dict[int | None, list[Rests]] = {}
    for player, data in rows.values_list("player", "data"):
        found.setdefault(player, []).append(read_rests(data))
    return found


def rests_at(game: Game) -> Versions:
    """Read the rests of everybody who sits or has sat at a table."""
    sat = Sitting.objects.filter(game=game).values_list("player_id", flat=True)
    return versions_of([*sat, *(seat.player_id for seat in game.seats.all())])


def outages_since(moment: datetime) -> list[Outage]:
    """Read the outages that ended after a moment."""
    rows = RecordedOutage.objects.filter(end__gt=moment).order_by("start")
    return [Outage(*row) for row in rows.values_list("start", "end", "revoked_at")]


def recorded(since: datetime | None = None) -> Outages:
    """Read the outages that still matter, or all that ended after a moment."""
    known = outages_since(since or timezone.now() - REMEMBERED)
    real = [outage.end for outage in known if outage.revoked_at is None]
    return Outages(max(real, default=None), known)


def stretches(known: Iterable[Outage]) -> list[Stretch]:
    """Return the times of outages."""
    return [Stretch(outage.start, outage.end) for outage in known]


def as_moment(value: datetime | str) -> datetime:
    """Return a moment as a database gives it: SQLite leaves out that it is UTC."""
    moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def clocks_of(games: Sequence[Game]) -> dict[str, Clocks]:
    """Read what the clocks of some games are reckoned from, by game: two queries for all."""
    sat = Sitting.objects.filter(game__in=[game.pk for game in games])
    rests, outages = versions_of(sat.values("player")), recorded()
    return {game.pk: made(game, rests, outages) for game in games}


def made(game: Game, rests: Versions, outages: Outages) -> Clocks:
    """Return the clocks of one game."""
    return Clocks(game.policy, rests, pauses_of(game), outages, game.rests)
