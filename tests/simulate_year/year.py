"""A year in which nothing is real but the services: its clock, its events, sweeps and outages."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import time_machine

from dewan_site.accounts import rests
from dewan_site.accounts.models import Player
from games import models, services
from notifications import clock, notices, tasks
from notifications.models import Heartbeat
from tests.simulate_year.people import PEOPLE, YEAR_BEGINS, Change, Person
from tests.simulate_year.playing import Play, rows
from tests.simulate_year.proofs import Proofs
from tests.simulate_year.reckoning import DAY, HOUR, MINUTE, Span, whole_days

TICK = timedelta(seconds=10)
"""How often the sweep runs."""

MOST_FAILURES = 20
"""After so many failures the year is broken off."""

NEXT_SWEEP = "SELECT min(wake_at) FROM games_decision WHERE answered_at IS NULL"


class Year:
    """The games of a year with these numbers, played out to the last."""

    def __init__(self, seed: int, numbers: range) -> None:
        self.seed = seed
        self.now = YEAR_BEGINS
        self.queue: list[tuple[datetime, int, Callable[[], object]]] = []
        self.order = itertools.count()
        self.swept_at = self.now
        self.stopped: Span | None = None
        self.outages = _outages(seed)
        self.count: dict[str, Counter[str]] = defaultdict(Counter)
        self.chance = Chance()
        self.proofs = Proofs(self)
        self.plays: dict[str, Play] = {}
        self.people = [Person(seed, number) for number in range(PEOPLE)]
        self.players: dict[int, Player] = {}
        self.person_of: dict[int, Person] = {}
        self.waiting = [Play(self, number) for number in numbers]

    def at(self, moment: datetime, do: Callable[[], object]) -> None:
        """Have something happen at a moment."""
        heapq.heappush(self.queue, (moment, next(self.order), do))

    def player(self, person: Person) -> Player:
        """Return the account of a player."""
        return self.players[person.number]

    # ---- Going on ------------------------------------------------------------------------

    def live(self) -> None:
        """Let everything happen in its order, until nothing more does."""
        self._take_chance_and_broker()
        with time_machine.travel(self.now, tick=False) as self.travel:
            self._settle()
            while self._goes_on():
                if len(self.proofs.failures) >= MOST_FAILURES:
                    return
            self.proofs.at_the_end()

    def _goes_on(self) -> bool:
        """Sweep if something is due before the next event, else let that happen, if any does."""
        sweep = self._next_sweep()
        if sweep and (not self.queue or sweep <= self.queue[0][0]):
            self._travel_to(sweep)
            self._sweep()
        elif self.queue:
            self._let_happen(*heapq.heappop(self.queue))
        return bool(sweep or self.queue)

    def _let_happen(self, moment: datetime, _: int, do: Callable[[], object]) -> None:
        """Let an event happen; while the service is gone, only after it is back."""
        if self.stopped and do != self._service_is_back:
            self.at(self.stopped[1] + MINUTE + (moment - self.stopped[0]) / 1000, do)
        else:
            self._travel_to(moment)
            do()

    def _travel_to(self, moment: datetime) -> None:
        self.now = moment
        self.travel.move_to(moment)

    def in_game(self, play: Play, do: Callable[..., object], *arguments: object) -> None:
        """Let something happen in a game, and have its players see what has come of it."""
        self.chance.dice = play.secrets
        do(*arguments)
        play.look()

    # ---- Sweeps and outages --------------------------------------------------------------

    def _next_sweep(self) -> datetime | None:
        """Return when the sweep next has anything to do: it runs every ``TICK``."""
        if self.stopped:
            return None
        ((due,),) = rows(NEXT_SWEEP)
        return due and max(_next_tick(due), self.now, self.swept_at + TICK)

    def _sweep(self) -> None:
        """Sweep, as if it had run all along."""
        Heartbeat.objects.filter(pk=Heartbeat.SWEEP).update(swept_at=self.now - TICK)
        self._look_at(self.proofs.of_sweep(clock.sweep))

    def _look_at(self, touched: set[str]) -> None:
        """Have the players of games that were swept see what has come of it."""
        self.swept_at = self.now
        for game in sorted(touched, key=lambda game: self.plays[game].number):
            self.in_game(self.plays[game], _nothing)

    def _service_is_gone(self, outage: Span) -> None:
        self._sweep()
        self.stopped = outage
        self.at(outage[1], self._service_is_back)

    def _service_is_back(self) -> None:
        """Sweep for the first time after an outage, which nobody has told the service of."""
        self.stopped = None
        self._look_at(self.proofs.of_sweep(clock.sweep, after_outage=True))

    def _nudged(self, task: str, arguments: tuple[str, ...] = (), **_: Any) -> None:
        """Take the broker's place: a bot is woken a second later; few nudges are lost."""
        if task.endswith("play_bots"):
            self.at(self.now + timedelta(seconds=1), partial(self._play_bots, *arguments))

    def _play_bots(self, game: str) -> None:
        play = self.plays[game]
        if play.dice.random() > 0.03:
            self.in_game(play, partial(tasks.play_bots, game))

    # ---- Beginning -----------------------------------------------------------------------

    def _settle(self) -> None:
        """Make the players, with what they change in the year, and the outages."""
        clock.sweep()
        for person in self.people:
            self._make(person)
            for change in person.changes:
                self.at(change.at, partial(self._change, person, change))
        for outage in self.outages:
            self.at(outage[0], partial(self._service_is_gone, outage))

    def _make(self, person: Person) -> None:
        (rest,) = person.rests
        name = f"{person.name}{person.number}"
        player = Player.objects.with_email(
            f"{name}@year.example", name=name, zone=rest.zone, reminders=list(person.stages)
        )
        rests.change(player, rest.night, rest.weekdays)
        self.players[person.number], self.person_of[player.pk] = player, person

    def _change(self, person: Person, change: Change) -> None:
        """Change a player's rests, as the service and as the proofs know them."""
        player, rest = self.player(person), person.rests[-1]._replace(since=self.now)
        if change.vacation:
            vacation = whole_days(rest.zone, *change.vacation)
            if any(vacation[0] < end and begin < vacation[1] for begin, end in rest.vacations):
                return
            rests.book(player, *change.vacation)
            rest = rest._replace(vacations=(*rest.vacations, vacation))
        if change.night:
            rests.change(player, change.night, rest.weekdays)
            rest = rest._replace(night=change.night)
        if change.zone:
            rests.move_to(player, change.zone)
            rest = rest._replace(zone=change.zone)
        person.rests.append(rest)

    def _take_chance_and_broker(self) -> None:
        """Have the services take chance from the game that is played, and tasks come to us.

        So a game is the same when it is played again alone. The process ends with the year.
        """
        models.secrets = services.secrets = self.chance
        notices.app.send_task = self._nudged


class Chance:
    """What the services take for secrets: from the game that ``dice`` belong to."""

    dice: Random

    def choice(self, letters: str) -> str:
        """Return one of some letters."""
        return self.dice.choice(letters)

    def token_bytes(self, size: int) -> bytes:
        """Return so many bytes."""
        return self.dice.randbytes(size)

    def token_hex(self, size: int) -> str:
        """Return so many bytes, in hex."""
        return self.token_bytes(size).hex()


def _nothing() -> None:
    """What happens in a game that has only been swept."""


def _next_tick(moment: datetime) -> datetime:
    """Return the first sweep from a moment on."""
    return moment + (YEAR_BEGINS - moment) % TICK


def _outages(seed: int) -> list[Span]:
    """Return three outages; two of them in nights in which clocks are moved."""
    dice = Random(f"{seed} outages")
    lengths = {
        YEAR_BEGINS + dice.uniform(100, 220) * DAY: 20 * MINUTE,
        datetime(2026, 10, 24, 19, tzinfo=YEAR_BEGINS.tzinfo) + dice.uniform(0, 4) * HOUR: 7 * HOUR,
        datetime(2026, 3, 26, tzinfo=YEAR_BEGINS.tzinfo) + dice.uniform(0, 3) * DAY: 3 * DAY,
    }
    return [(_next_tick(begin), _next_tick(begin) + length) for begin, length in lengths.items()]
