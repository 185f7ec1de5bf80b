"""One game of the year: it is opened, joined and played by its people, through the services."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection

from engine import commands as c
from engine.errors import GameError
from engine.legal import legal
from engine.views import mask
from games import absence, consent, selectors, services, store
from games.access import NotVisible
from games.models import Game, Proposal, Seat
from tests.simulate_year.people import PEOPLE, Person, Plan
from tests.simulate_year.reckoning import DAY, HOUR, Span
from tests.simulate_year.tables import wanted

if TYPE_CHECKING:
    from tests.simulate_year.year import Year

SECOND = timedelta(seconds=1)

ASKED = """
    SELECT decision, lives, games_decision.player_id, games_decision.kind, standing
    FROM games_decision JOIN games_seat
        ON games_seat.game_id = games_decision.game_id AND number = seat
    WHERE games_decision.game_id = %s AND answered_at IS NULL
        AND games_seat.player_id = games_decision.player_id AND standing IN ('playing', 'absent')
        AND NOT EXISTS (SELECT FROM games_sealedanswer
            WHERE games_sealedanswer.game_id = games_decision.game_id
                AND games_sealedanswer.seat = games_decision.seat)
"""
"""What people can answer in a game, and whether they do, or a bot for them."""

PAUSES = """
    SELECT at, events FROM games_move
    WHERE game_id = %s AND seat IS NULL AND events ~ '"game_(paused|resumed)"' ORDER BY number
"""


class Asked(NamedTuple):
    """A question put to a player, in one of its lives."""

    decision: str
    lives: int
    player: int

    @property
    def since(self) -> int:
        """Return the number of the move that put it."""
        return int(self.decision.partition("-")[0])

    @property
    def seat(self) -> int:
        """Return the seat that is asked."""
        return int(self.decision.partition("-")[2])


def rows(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Return what a query finds."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return list(cursor.fetchall())


class Play:
    """A game of the year; the same for the same seed and number, whatever else is played."""

    game: Game

    def __init__(self, year: Year, number: int) -> None:
        self.year = year
        self.number = number
        self.dice = Random(f"{year.seed} game {number}")
        self.secrets = Random(f"{year.seed} secrets {number}")
        self.wanted = wanted(self.dice)
        self.answers = 0
        self.plans: dict[Asked, Plan] = {}
        self.shown: dict[Asked, datetime] = {}
        self.can_be_paused = False
        self.gone: set[int] = set()
        self.people = self.dice.sample(range(PEOPLE), self.wanted.options["players"])
        year.at(self.wanted.opened, partial(year.in_game, self, self.open))

    @property
    def id(self) -> str:
        """Return the id of the game once it is open."""
        return self.game.pk

    @property
    def move_time(self) -> timedelta:
        """Return the time for a move."""
        return timedelta(seconds=self.wanted.options["move_time"])

    # ---- Before the game -----------------------------------------------------------------

    def open(self) -> None:
        """Open the table, and have the others come to it; a few never come."""
        creator = self.year.people[self.people[0]]
        new = services.NewGame(**self.wanted.options)
        self.game = services.create_game(self.year.player(creator), new)
        self.year.plays[self.id] = self
        come = self.wanted.options["seats"].count("open")
        for number in self.people[1 : come + 1] if self.wanted.is_joined else []:
            self.soon(self.dice.uniform(0.1, 60) * HOUR, partial(self.join, number))
        if not self.wanted.is_joined:
            self.soon(5 * DAY, partial(absence.call_off, self.year.player(creator), self.id))

    def join(self, number: int) -> None:
        """Sit down at the table."""
        services.join_game(self.year.player(self.year.people[number]), self.id)

    def soon(self, span: timedelta, do: Callable[[], object]) -> None:
        """Have something happen after a while."""
        self.year.at(self.year.now + span, partial(self.year.in_game, self, do))

    # ---- Answering -----------------------------------------------------------------------

    def look(self) -> None:
        """Have everybody who is newly asked decide when to answer."""
        for *asked, kind, standing in rows(ASKED, self.id):
            question = Asked(*asked)
            if standing == Seat.Standing.PLAYING and question not in self.plans:
                self._is_asked(question, kind)

    def _is_asked(self, asked: Asked, kind: str) -> None:
        person = self.year.person_of[asked.player]
        self.plans[asked] = plan = self._plan(person, asked, kind)
        if plan.moment:
            answer = partial(self.answer, person, asked)
            self.year.at(max(plan.moment, self.year.now), partial(self.year.in_game, self, answer))

    def _plan(self, person: Person, asked: Asked, kind: str) -> Plan:
        if person.number in self.gone:
            return Plan(None, "vanished")
        if person.kind.leaves and self.dice.random() < 0.05:
            return self._leaves(person)
        if kind not in ("turn", "draft") and self.dice.random() < 0.7:
            return Plan(self.year.now + self.dice.uniform(1, 90) * SECOND, "slow")
        until = self.until(asked) if person.kind.looks else self.year.now + self.move_time
        return person.plan(self.year.now, until, self.dice)

    def until(self, asked: Asked) -> datetime:
        """Return until when the table says that a question can be answered."""
        if self.can_be_paused:
            self.game.refresh_from_db(fields=["pauses"])
        until = dict(selectors.deadlines_of(self.game))[asked.seat]
        return self.shown.setdefault(asked, until)

    def _leaves(self, person: Person) -> Plan:
        """Leave the game: half of those who do resign, the others are not heard of again."""
        self.gone.add(person.number)
        if self.dice.random() < 0.5:
            self.soon(self.dice.uniform(1, 20) * HOUR, partial(self.attempt, self._resign, person))
        return Plan(None, "vanished")

    def _resign(self, person: Person) -> None:
        absence.leave(self.year.player(person), self.id)
        self._seat_is_free()

    def answer(self, person: Person, asked: Asked) -> None:
        """Answer a decision if it is still asked, and see what comes of it."""
        if all(row[0] != asked.decision or row[2] != asked.player for row in rows(ASKED, self.id)):
            return
        state = store.state_of(self.game)
        assert state is not None, "somebody is asked"
        answers = [entry.command for entry in legal(mask(state, asked.seat), asked.seat)]
        camps = [answer for answer in answers if isinstance(answer, c.Camp)]
        command = self.dice.choice(camps if camps and self.dice.random() < 0.8 else answers)
        self._submit(person, asked.decision, state.version, command)
        self.answers += 1
        incident = self.wanted.incidents.get(self.answers)
        if incident:
            self.attempt(partial(_INCIDENTS[incident], self, person))

    def _submit(
        self, person: Person, decision: str | None, version: int, command: c.Command
    ) -> None:
        submitted = services.Submitted(
            decision=decision, expected_version=version, commands=(command,)
        )
        services.submit_move(self.year.player(person), self.id, submitted)

    def attempt(self, do: Callable[..., object], *arguments: object) -> None:
        """Do what may be refused, for the game has gone on; what was refused is counted."""
        try:
            do(*arguments)
        except (GameError, NotVisible) as refusal:
            self.year.count["refused"][type(refusal).__name__] += 1

    # ---- What befalls a game -------------------------------------------------------------

    def undo(self, person: Person) -> None:
        """Take back the last move freely, if that is possible."""
        view = selectors.game_view(self.year.player(person), self.id)
        if view["undo"]:
            self._submit(person, None, view["version"], c.Undo())
            self.year.count["incidents"]["undo"] += 1

    def hand_over(self, person: Person) -> None:
        """Offer one's seat to somebody, who takes it after a while or not at all."""
        offer = absence.offer_seat(self.year.player(person), self.id)
        self.soon(self.dice.uniform(1, 40) * HOUR, partial(self._take, offer.token))

    def _seat_is_free(self) -> None:
        """Have somebody take a seat that was left, in most games."""
        if self.dice.random() < 0.7:
            self.soon(self.dice.uniform(1, 90) * HOUR, self._take)

    def _take(self, offer: str = "") -> None:
        person = self.year.people[self.dice.randrange(PEOPLE)]
        if person.number not in self.people:
            self.people.append(person.number)
            take = partial(absence.take_seat, self.year.player(person), self.id, offer=offer)
            self.attempt(take)

    def was_late(self, player: int, outcome: str) -> None:
        """Have a player who was late come back after a while, or ask to take it back."""
        person = self.year.person_of[player]
        if outcome == "replacement":
            self._seat_is_free()
        if person.number in self.gone:
            return
        if outcome == "bot":
            back = partial(absence.come_back, self.year.player(person), self.id)
            self.soon(self.dice.uniform(2, 90) * HOUR, partial(self.attempt, back))
        if outcome in ("bot", "move") and self.dice.random() < 0.2:
            ask = partial(self.propose, "undo_time_out", person)
            self.soon(self.dice.uniform(0.1, 5) * HOUR, partial(self.attempt, ask))

    def call_off(self, person: Person) -> None:
        """Call the game off before its first round."""
        absence.call_off(self.year.player(person), self.id)

    # ---- Consent -------------------------------------------------------------------------

    def propose(self, kind: str, person: Person) -> None:
        """Propose something; who has to agree answers after a while, most with yes."""
        self.can_be_paused |= kind == "pause"
        seconds = self.dice.randint(1, 240) * 3600 if kind == "pause" else None
        player = self.year.player(person)
        proposal = consent.propose(player, self.id, kind, seconds)
        for seat in Seat.objects.filter(game=self.id, player__isnull=False).exclude(player=player):
            other = self.year.person_of[seat.player_id or 0]
            reply = partial(self._reply, other, proposal, agree=self.dice.random() < 0.9)
            if other.number not in self.gone:
                self.soon(self.dice.uniform(0.1, 10) * HOUR, partial(self.attempt, reply))
        self._follow(proposal)

    def _reply(self, person: Person, proposal: Proposal, *, agree: bool) -> None:
        if proposal.state == Proposal.State.OPEN:
            player = self.year.player(person)
            answered = consent.answer(player, self.id, proposal.pk, agree=agree)
            proposal.state = answered.state
            self._follow(answered)

    def _follow(self, proposal: Proposal) -> None:
        if proposal.state == Proposal.State.AGREED:
            self.year.count["incidents"][proposal.kind] += 1
            if proposal.kind == Proposal.Kind.PAUSE:
                self._resume_early(proposal.seat)

    def pauses(self) -> list[Span]:
        """Return the pauses that the log tells of."""
        found: list[Span] = []
        for at, events in rows(PAUSES, self.id) if self.can_be_paused else []:
            (event,), moment = json.loads(events), datetime.fromisoformat(at)
            if event["type"] == "game_paused":
                found.append((moment, moment + timedelta(seconds=event["seconds"])))
            else:
                begin, end = found.pop()
                found.append((begin, min(end, moment)))
        return found

    def _resume_early(self, seat: int) -> None:
        """Have somebody propose to go on before the pause is over, at times."""
        player = Seat.objects.get(game=self.id, number=seat).player_id
        if self.dice.random() < 0.4 and player is not None:
            ask = partial(self.propose, "resume", self.year.person_of[player])
            self.soon(self.dice.uniform(1, 100) * HOUR, partial(self.attempt, ask))


_INCIDENTS: dict[str, Callable[[Play, Person], None]] = {
    "undo": Play.undo,
    "agreed_undo": lambda play, person: play.propose("undo", person),
    "pause": lambda play, person: play.propose("pause", person),
    "hand_over": Play.hand_over,
    "call_off": Play.call_off,
    "agreed_cancel": lambda play, person: play.propose("cancel", person),
}
