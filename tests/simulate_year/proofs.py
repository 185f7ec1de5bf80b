"""What must hold in the year, looked at around every sweep and at the end."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection

from engine.verify import verify
from games import projections, selectors
from games.models import Decision, Game, Move, SealedAnswer, Seat, Sitting
from notifications import clock, notices
from notifications.models import OutboxMail, RecordedOutage
from tests.simulate_year.playing import Asked, Play
from tests.simulate_year.reckoning import DAY, HOUR, Span, ran, within

if TYPE_CHECKING:
    from tests.simulate_year.year import Year

TICK = timedelta(seconds=10)
ALLOWED_PER_LIFE = 3
MOST_LOOKS = 5
"""How often at most a decision is looked at by one sweep after the other."""

SEALED = "fish"
MID_TURN = ("story", "tuck", "water", "lava", "share", SEALED)

OUTCOMES = {
    "miss_excused": "excused",
    "seat_absent": "bot",
    "seat_left": "replacement",
    "seat_forfeited": "forfeit",
}
"""What the clock has done about a seat, by the event that says so."""

NEW_LIFE = ("miss_excused", "seat_returned", "seat_taken_over")
"""What starts the clock of an open decision anew."""

SAMPLE = 0.05
FEWEST = 50
"""Which part of the games is verified whole, and how many at least."""


class Due(NamedTuple):
    """A decision that a sweep is to look at, as it stands right before."""

    decision: Decision
    deadline: datetime
    misses: int

    @property
    def asked(self) -> Asked:
        """Return the question in its present life."""
        return Asked(self.decision.decision, self.decision.lives, self.player)

    @property
    def expected(self) -> str:
        """Return what the clock is to do if nobody answers: what is sealed is answered safely."""
        if self.decision.kind == SEALED:
            return Game.Absence.MOVE
        game = self.decision.game
        return "excused" if self.misses < game.excused_misses else game.absence

    @property
    def player(self) -> int:
        """Return who is asked."""
        player = self.decision.player_id
        assert player is not None, "a person is asked"
        return player


class Proofs:
    """Watches a year; ``failures`` are what did not hold, each with a line that plays it again."""

    def __init__(self, year: Year) -> None:
        self.year = year
        self.failures: list[str] = []
        self.looks: dict[int, int] = {}
        self.stages: set[tuple[str, str, str]] = set()
        logging.getLogger("dewan.clock").addHandler(_Listener(self))

    def fail(self, game: str, problem: str) -> None:
        """Put a failure down."""
        play = self.year.plays[game]
        again = f"python -m tests.simulate_year --seed {self.year.seed} --first {play.number}"
        at = self.year.now
        self.failures.append(f"game {game} at {at:%F %T}: {problem}; {again} --games 1 --jobs 1")

    # ---- Around a sweep ------------------------------------------------------------------

    def of_sweep(self, sweep: Callable[[], None], *, after_outage: bool = False) -> set[str]:
        """Sweep, and look at what it did; return the games it has touched.

        In the first sweep after an outage nobody is late, whatever was shown before it.
        """
        woken = {decision: game for game, decision in clock.due(self.year.now)}
        sealed = _sealed(woken.values())
        due = [] if after_outage else list(self._due(woken, sealed))
        before = _last_rows()
        sweep()
        done = _done_by_clock(before, sealed)
        for one in due:
            self._look_at(one, done)
        for (game, seat), outcome in done.items():
            self.fail(game, f"{outcome} for seat {seat}, which was not late")
        self._look_at_reminders(before["mail"], due)
        self._look_at_progress(woken)
        return set(woken.values())

    def _look_at_progress(self, woken: dict[int, str]) -> None:
        """What a sweep has looked at may be due once more, but not again and again."""
        before = self.looks if self.year.now - self.year.swept_at <= TICK else {}
        self.looks = {decision: before.get(decision, 0) + 1 for decision in woken}
        for decision, looks in self.looks.items():
            if looks > MOST_LOOKS:
                self.fail(woken[decision], f"decision {decision} is due again and again")

    def _due(self, woken: dict[int, str], sealed: set[tuple[str, int]]) -> Iterator[Due]:
        """Yield what people are asked that the sweep will look at, as the table shows it now."""
        decisions = Decision.objects.filter(pk__in=woken).select_related("game")
        seats = {(s.game_id, s.number): s for s in Seat.objects.filter(game__in=woken.values())}
        for decision in decisions:
            seat = seats[decision.game_id, decision.seat]
            if not seat.is_played_by_bot and (seat.game_id, seat.number) not in sealed:
                due = Due(decision, decision.runs_from, seat.misses)
                yield due._replace(deadline=self._shown(due))

    def _shown(self, due: Due) -> datetime:
        """Return the deadline that the table shows; unless it is near it need not be read again."""
        game = due.decision.game
        first = self.year.plays[game.pk].shown.get(due.asked)
        if first and first > self.year.now and not self._is_stopped(due, first):
            return first
        return dict(selectors.deadlines_of(game))[due.decision.seat]

    def _stops(self, game: str) -> list[Span]:
        return [*self.year.outages, *self.year.plays[game].pauses]

    def _is_stopped(self, due: Due, until: datetime) -> bool:
        """Tell whether anything has stopped a clock that runs until then."""
        begun, stops = due.decision.runs_from, self._stops(due.decision.game_id)
        return any(begin < until and begun < end for begin, end in stops)

    def _look_at(self, due: Due, done: dict[tuple[str, int], str]) -> None:
        """Hold what the sweep did about a decision against what was shown before."""
        game, seat = due.decision.game, due.decision.seat
        outcome = done.pop((game.pk, seat), None)
        is_late = due.deadline <= self.year.now
        if is_late != (outcome is not None):
            self.fail(game.pk, f"shown {due.deadline:%F %T}, but {outcome} for {due.asked}")
        if outcome is not None:
            self._look_at_time_out(due, outcome)

    def _look_at_time_out(self, due: Due, outcome: str) -> None:
        play, game = self.year.plays[due.decision.game_id], due.decision.game
        if outcome != due.expected:
            self.fail(game.pk, f"{outcome} for {due.asked}, with {due.misses} misses")
        for problem in self._problems(play, due):
            self.fail(game.pk, f"{problem}: {outcome} for {due.asked}")
        plan = play.plans.get(due.asked)
        self.year.count["causes"][plan.cause if plan else "unknown"] += 1
        self.year.count["outcomes"][outcome] += 1
        play.was_late(due.player, outcome)
        if outcome == "replacement":
            play.seat_is_free()

    def _problems(self, play: Play, due: Due) -> Iterable[str]:
        """Reckon a time-out again, and say what is wrong with it."""
        now, decision, deadline = self.year.now, due.decision, due.deadline
        stops = self._stops(decision.game_id)
        if now - deadline >= TICK:
            yield f"shown {deadline:%F %T}, too late"
        for begin, end in stops:
            grace = min(end - begin, HOUR) if decision.runs_from < end else timedelta(0)
            if begin <= deadline < end + grace:
                yield f"in the stop from {begin:%F %T} to {end:%F %T}, or its grace"
        rests = self._rests(decision, decision.runs_from, deadline)
        if within(deadline - timedelta.resolution, rests):
            yield f"{deadline:%F %T} is a time of rest"
        running = ran(decision.runs_from, deadline, [*rests, *stops])
        if running < decision.granted or decision.granted < self._granted(decision):
            yield f"{running} of {decision.granted}, {self._granted(decision)} by the policy"
        first = play.shown.get(due.asked, deadline)
        if first != deadline and not self._is_stopped(due, deadline):
            yield f"first shown {first:%F %T}, then {deadline:%F %T}"

    # ---- What a decision has, reckoned again -----------------------------------------------

    def _rests(self, decision: Decision, since: datetime, until: datetime) -> list[Span]:
        """Return what rested or rests a clock between two moments, if its table lets it rest."""
        if decision.player_id is None or not decision.game.rests:
            return []
        person = self.year.person_of[decision.player_id]
        return person.rest_at(decision.runs_from).spans(since, until)

    def _left(self, decision: Decision) -> timedelta:
        """Return what was left of an answered decision's time."""
        until = decision.answered_at
        assert until is not None, "it was answered"
        rests = self._rests(decision, decision.runs_from, until)
        running = ran(decision.runs_from, until, [*rests, *self._stops(decision.game_id)])
        return max(decision.granted - running, timedelta(0))

    def _granted(self, decision: Decision) -> timedelta:
        """Return what a decision is to have at least, by the log and the policy."""
        game = decision.game
        move_time = timedelta(seconds=game.move_time)
        if decision.lives:
            return self._of_new_life(decision, move_time)
        row = Move.objects.get(game=game, number=decision.since)
        undone = next((e for e in json.loads(row.events) if e["type"] == "undone"), None)
        if row.decision and (undone or _goes_on(decision, row)):
            put = row.decision.partition("-")[0]
            before = game.decisions.get(decision=f"{put}-{decision.seat}")
            floor = min(DAY, move_time) if undone and undone["agreed"] else timedelta(0)
            return max(self._left(before), floor)
        return move_time if game.bank is None else self._bank(decision)

    def _of_new_life(self, decision: Decision, move_time: timedelta) -> timedelta:
        """A new life has the time of a move; but a seat that is handed over goes on with its own.

        Then it has at least a day, once.
        """
        moves = Move.objects.filter(game=decision.game, number__gt=decision.since, seat=None)
        events = [event for move in moves.order_by("number") for event in json.loads(move.events)]
        begun = [e for e in events if e["type"] in NEW_LIFE and e["seat"] == decision.seat]
        if not begun[-1].get("handed_over"):
            return move_time
        return min(DAY, move_time) if decision.lives == 1 else timedelta(0)

    def _bank(self, decision: Decision) -> timedelta:
        """Return what a bank has: what the last answer left, and the time of a move.

        When a sealed answer was given nobody may tell, so it takes nothing. What a bot has
        answered for the seat adds nothing.
        """
        game = decision.game
        move_time, cap = (timedelta(seconds=s or 0) for s in (game.move_time, game.bank_cap))
        before = game.decisions.filter(seat=decision.seat, since__lt=decision.since)
        answered = before.exclude(closed_by="").exclude(kind=SEALED)
        last = answered.order_by("since").last()
        if last is None:
            return timedelta(seconds=game.bank or 0)
        if last.closed_by == Move.Actor.BOT:
            return max(self._left(last), move_time)
        return min(self._left(last) + move_time, cap)

    # ---- Reminders -------------------------------------------------------------------------

    def _look_at_reminders(self, last: int, due: Sequence[Due]) -> None:
        asked = {(one.decision.game_id, one.decision.decision): one for one in due}
        columns = ("game_id", "decision", "seat", "stage")
        written = OutboxMail.objects.filter(pk__gt=last, kind=notices.REMINDER)
        for game, decision, seat, stage in written.values_list(*columns):
            one = asked.get((game, decision))
            if one is None or one.decision.seat != seat:
                self.fail(game, f"{stage} of {decision} to {seat}, which was not due")
            elif (game, decision, stage) in self.stages:
                self.fail(game, f"{stage} of {decision} a second time")
            else:
                self._look_at_night(one, stage)
            self.stages.add((game, decision, stage))

    def _look_at_night(self, due: Due, stage: str) -> None:
        decision, now = due.decision, self.year.now
        rest = self.year.person_of[due.player].rest_at(decision.runs_from)
        asleep = rest.sleeps_at(now) and rest.sleeps_at(now - TICK)
        nights = rest.nights(decision.runs_from, due.deadline)
        awake = ran(decision.runs_from, due.deadline, nights)
        if asleep and awake:
            self.fail(decision.game_id, f"{stage} of {due.asked} at night, with {awake} of day")

    # ---- At the end ------------------------------------------------------------------------

    def at_the_end(self) -> None:
        """Look at everything that is left of the year."""
        games = list(Game.objects.order_by("pk"))
        for game in games:
            if not game.over:
                self.fail(game.pk, f"it is still {game.status}")
        for life, stages in Counter(map(_life, self.stages)).items():
            if stages > ALLOWED_PER_LIFE:
                self.fail(life[0], f"{stages} reminders of {life}")
        for game in _sample(games, self.year.seed):
            self._look_at_whole(game)
        recorded = set(RecordedOutage.objects.values_list("start", "end"))
        if recorded != set(self.year.outages):
            self.failures.append(f"outages: {recorded}")

    def _look_at_whole(self, game: Game) -> None:
        """Look whether a game's projections are what its log says, and verify its export."""
        for difference in projections.differences(game.pk):
            self.fail(game.pk, difference)
        if game.status == Game.Status.FINISHED:
            report = verify(selectors.open_export(game))
            if report.problems:
                self.fail(game.pk, "; ".join(report.problems))

    def report(self) -> dict[str, Any]:
        """Return the figures of the year."""
        moves = Move.objects.exclude(seat=None)
        asked = Decision.objects.exclude(player=None).count()
        sittings = Sitting.objects.exclude(until=None).values_list("how", flat=True)
        endings = Game.objects.values_list("ending", flat=True)
        return {
            "games": Game.objects.count(),
            "moves": moves.count(),
            "moves_by": dict(Counter(moves.values_list("actor", flat=True))),
            "decisions": asked,
            "reminders": len(self.stages),
            "most_reminders": max(Counter(stage[:2] for stage in self.stages).values(), default=0),
            "timeouts_by_cause": dict(self.year.count["causes"]),
            "timeouts_by_outcome": dict(self.year.count["outcomes"]),
            "games_by_ending": dict(Counter(endings)),
            "sittings_by_end": dict(Counter(sittings)),
            "outages": RecordedOutage.objects.count(),
            "outages_credited": Move.objects.filter(events__contains="outage_credited").count(),
            "incidents": dict(self.year.count["incidents"]),
            "refused": dict(self.year.count["refused"]),
            "failures": self.failures,
        }


class _Listener(logging.Handler):
    """What the sweep could not handle is a failure."""

    def __init__(self, proofs: Proofs) -> None:
        super().__init__(logging.ERROR)
        self.proofs = proofs

    def emit(self, record: logging.LogRecord) -> None:
        self.proofs.failures.append(self.format(record))


LAST_ROWS = """
    SELECT (SELECT max(id) FROM games_move), (SELECT max(id) FROM notifications_outboxmail),
        (SELECT max(id) FROM games_sealedanswer)
"""


def _last_rows() -> dict[str, int]:
    """Return the ids of the last rows there are."""
    with connection.cursor() as cursor:
        cursor.execute(LAST_ROWS)
        move, mail, sealed = cursor.fetchone()
    return {"move": move or 0, "mail": mail or 0, "sealed": sealed or 0}


def _sealed(games: Iterable[str]) -> set[tuple[str, int]]:
    """Return who has answered sealed, by game and seat."""
    return set(SealedAnswer.objects.filter(game__in=games).values_list("game_id", "seat"))


def _done_by_clock(before: dict[str, int], sealed: set[tuple[str, int]]) -> dict[Any, str]:
    """Return what the clock has done since, by game and seat: its answer, or the seat's fate.

    Answers that had been sealed before and became rows now are not of now.
    """
    done: dict[tuple[str, int], str] = {}
    for move in Move.objects.filter(pk__gt=before["move"], actor=Move.Actor.CLOCK):
        fates = [e for e in json.loads(move.events) if e["type"] in OUTCOMES]
        for event in fates:
            done[move.game_id, event["seat"]] = OUTCOMES[event["type"]]
        if move.seat is not None and not fates and (move.game_id, move.seat) not in sealed:
            done.setdefault((move.game_id, move.seat), "move")
    answers = SealedAnswer.objects.filter(pk__gt=before["sealed"], actor=Move.Actor.CLOCK)
    for game, seat in answers.values_list("game_id", "seat"):
        done.setdefault((game, seat), "move")
    return done


def _life(stage: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return the life of a decision to which a reminder belongs."""
    game, decision, name = stage
    return game, decision, name.partition("+")[2]


def _goes_on(decision: Decision, row: Move) -> bool:
    return decision.kind in MID_TURN and decision.seat == row.seat


def _sample(games: list[Game], seed: int) -> list[Game]:
    dice = Random(f"{seed} sample")
    return dice.sample(games, min(len(games), max(FEWEST, int(SAMPLE * len(games)))))
