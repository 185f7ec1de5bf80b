"""One game of the year: it is opened, joined and played by its people, through the services."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection

from engine import commands as c
from engine.errors import GameError
from games import absence, consent, selectors, services
from games.access import NotVisible
from games.models import Game, Proposal, Seat
from tests.simulate_year.people import PEOPLE, Person, Plan
from tests.simulate_year.reckoning import DAY, HOUR, Span
from tests.simulate_year.tables import wanted

if TYPE_CHECKING:
    from tests.simulate_year.year import Year

SECOND = timedelta(seconds=1)

ASKED = """
    SELECT decision, lives, games_decision.player_id, games_decision.kind
    FROM games_decision JOIN games_seat
        ON games_seat.game_id = games_decision.game_id AND number = seat
    WHERE games_decision.game_id = %s AND answered_at IS NULL
        AND games_seat.kind = 'human' AND standing = 'playing'
"""
"""What people are asked in a game, and have to answer themselves."""


class Asked(NamedTuple):
    """A question put to a player, in one of its lives."""

    decision: str
    lives: int
    player: int


class Play:
    """A game of the year; the same for the same seed and number, whatever else is played."""

    def __init__(self, year: Year, number: int) -> None:
        self.year = year
        self.number = number
        self.dice = Random(f"{year.seed} game {number}")
        self.secrets = Random(f"{year.seed} secrets {number}")
        self.wanted = wanted(self.dice)
        self.id = ""
        self.answers = 0
        self.plans: dict[Asked, Plan] = {}
        self.shown: dict[Asked, datetime] = {}
        self.pauses: list[Span] = []
        self.gone: set[int] = set()
        self.people = self.dice.sample(range(PEOPLE), self.wanted.options["players"])
        year.at(self.wanted.opened, partial(year.in_game, self, self.open))

    # ---- Before the game -----------------------------------------------------------------

    def open(self) -> None:
        """Open the table, and have the others come to it; a few never come."""
        creator = self.year.people[self.people[0]]
        new = services.NewGame(**self.wanted.options)
        self.id = services.create_game(self.year.player(creator), new).pk
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
        with connection.cursor() as cursor:
            cursor.execute(ASKED, [self.id])
            asked = [(Asked(*row[:3]), row[3]) for row in cursor.fetchall()]
        for question, kind in asked:
            if question not in self.plans:
                self._is_asked(question, kind)

    def _is_asked(self, asked: Asked, kind: str) -> None:
        person = self.year.person_of[asked.player]
        self.plans[asked] = plan = self._plan(person, asked, kind)
        if plan.moment:
            answer = partial(self.answer, person, asked.decision)
            self.year.at(max(plan.moment, self.year.now), partial(self.year.in_game, self, answer))

    def _plan(self, person: Person, asked: Asked, kind: str) -> Plan:
        if person.number in self.gone:
            return Plan(None, "vanished")
        if person.kind.leaves and self.dice.random() < 0.05:
            return self._leaves(person)
        if kind not in ("turn", "draft") and self.dice.random() < 0.7:
            return Plan(self.year.now + self.dice.uniform(1, 90) * SECOND, "slow")
        return person.plan(self.year.now, self.until(asked), self.dice)

    def until(self, asked: Asked) -> datetime:
        """Return until when the table says that a question can be answered."""
        until = dict(selectors.deadlines_of(Game.objects.get(pk=self.id)))
        return self.shown.setdefault(asked, until[int(asked.decision.partition("-")[2])])

    def _leaves(self, person: Person) -> Plan:
        """Leave the game: half of those who do resign, the others are not heard of again."""
        self.gone.add(person.number)
        if self.dice.random() < 0.5:
            resign = partial(absence.leave, self.year.player(person), self.id)
            self.soon(self.dice.uniform(1, 20) * HOUR, partial(self.attempt, resign))
        return Plan(None, "vanished")

    def answer(self, person: Person, decision: str) -> None:
        """Answer a decision if it is still asked, and see what comes of it."""
        with suppress(NotVisible):  # somebody else sits there now
            legal = selectors.legal_of(self.year.player(person), self.id)
            if legal["decision"] == decision:
                self._choose(person, legal)

    def _choose(self, person: Person, legal: dict[str, Any]) -> None:
        entries = legal["entries"]
        camps = [entry for entry in entries if entry["command"]["type"] == "camp"]
        entry = self.dice.choice(camps if camps and self.dice.random() < 0.8 else entries)
        self._submit(person, legal, c.parse(entry["command"]))
        self.answers += 1
        incident = self.wanted.incidents.get(self.answers)
        if incident:
            self.attempt(partial(_INCIDENTS[incident], self, person))

    def _submit(self, person: Person, seen: dict[str, Any], command: c.Command) -> None:
        submitted = services.Submitted(
            decision=seen["decision"], expected_version=seen["version"], commands=(command,)
        )
        services.submit_move(self.year.player(person), self.id, submitted)

    def attempt(self, do: Callable[[], object]) -> None:
        """Do what may be refused, for the game has gone on; what was refused is counted."""
        try:
            do()
        except (GameError, NotVisible) as refusal:
            self.year.count["refused"][type(refusal).__name__] += 1

    # ---- What befalls a game -------------------------------------------------------------

    def undo(self, person: Person) -> None:
        """Take back the last move freely, if that is possible."""
        view = selectors.game_view(self.year.player(person), self.id)
        if view["undo"]:
            self._submit(person, {"decision": None, "version": view["version"]}, c.Undo())
            self.year.count["incidents"]["undo"] += 1

    def hand_over(self, person: Person) -> None:
        """Offer one's seat to somebody, who takes it after a while or not at all."""
        offer = absence.offer_seat(self.year.player(person), self.id)
        self.soon(self.dice.uniform(1, 40) * HOUR, partial(self._take, offer.token))

    def seat_is_free(self) -> None:
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
        """Keep what was agreed on in mind: pauses are reckoned with in the proofs."""
        if proposal.state != Proposal.State.AGREED:
            return
        self.year.count["incidents"][proposal.kind] += 1
        if proposal.kind == Proposal.Kind.PAUSE:
            end = self.year.now + timedelta(seconds=proposal.seconds or 0)
            self.pauses.append((self.year.now, end))
            self._resume_early(proposal.seat)
        elif proposal.kind == Proposal.Kind.RESUME:
            begin, end = self.pauses.pop()
            self.pauses.append((begin, min(end, self.year.now)))

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
