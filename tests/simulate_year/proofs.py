"""What must hold in the year, looked at around every sweep and at the end."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.verify import verify
from games import projections, selectors
from games.models import Decision, Game, Move, Sitting
from notifications import clock
from notifications.models import RecordedOutage
from tests.simulate_year.playing import Asked, Play, rows
from tests.simulate_year.reckoning import DAY, HOUR, Span, ran, within

if TYPE_CHECKING:
    from tests.simulate_year.year import Year

TICK = timedelta(seconds=10)
NOTHING = timedelta(0)
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

DUE = """
    SELECT games_decision.id, games_decision.game_id, decision, lives, games_decision.player_id,
        games_decision.kind, runs_from, granted, misses,
        games_seat.kind = 'human' AND standing = 'playing'
            AND NOT EXISTS (SELECT FROM games_sealedanswer
                WHERE games_sealedanswer.game_id = games_decision.game_id
                    AND games_sealedanswer.seat = games_decision.seat)
    FROM games_decision JOIN games_seat
        ON games_seat.game_id = games_decision.game_id AND number = games_decision.seat
    WHERE answered_at IS NULL AND wake_at <= %s
    ORDER BY wake_at, games_decision.id LIMIT %s
"""
"""What the sweep is going to look at, and whether a person is asked who has not answered."""

LAST_ROWS = """
    SELECT coalesce((SELECT max(id) FROM games_move), 0),
        coalesce((SELECT max(id) FROM games_sealedanswer), 0),
        coalesce((SELECT max(id) FROM notifications_outboxmail), 0)
"""
BY_CLOCK = "SELECT game_id, seat, events FROM games_move WHERE id > %s AND actor = 'clock'"
SEALED_BY_CLOCK = "SELECT game_id, seat FROM games_sealedanswer WHERE id > %s AND actor = 'clock'"
REMINDERS = """
    SELECT game_id, decision, stage FROM notifications_outboxmail
    WHERE id > %s AND kind = 'reminder'
"""


class Due(NamedTuple):
    """A decision that a sweep is to look at, as it stands right before."""

    pk: int
    game: str
    asked: Asked
    kind: str
    begun: datetime
    granted: timedelta
    misses: int
    awaits_person: bool


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
        woken = self._due()
        people = [due for due in woken if due.awaits_person and not after_outage]
        shown = {due: self._shown(due) for due in people}
        ((last_move, last_answer, last_mail),) = rows(LAST_ROWS)
        sweep()
        done = _done_by_clock(last_move, last_answer, {(due.game, due.asked.seat) for due in woken})
        for due in people:
            self._look_at(due, shown[due], done.pop((due.game, due.asked.seat), None), last_move)
        for (game, seat), outcome in done.items():
            self.fail(game, f"{outcome} for seat {seat}, which was not late")
        self._look_at_reminders(last_mail, shown)
        self._look_at_progress(woken)
        return {due.game for due in woken}

    def _due(self) -> list[Due]:
        found = rows(DUE, self.year.now, clock.BATCH)
        return [Due(row[0], row[1], Asked(*row[2:5]), *row[5:]) for row in found]

    def _shown(self, due: Due) -> datetime:
        """Return the deadline that the table shows; unless it is near it need not be read again."""
        first = self.year.plays[due.game].shown.get(due.asked)
        if first and first > self.year.now and not self._is_stopped(due, first):
            return first
        return dict(selectors.deadlines_of(Game.objects.get(pk=due.game)))[due.asked.seat]

    def _stops(self, game: str) -> list[Span]:
        return [*self.year.outages, *self.year.plays[game].pauses()]

    def _is_stopped(self, due: Due, until: datetime) -> bool:
        """Tell whether anything has stopped a clock that runs until then."""
        return any(begin < until and due.begun < end for begin, end in self._stops(due.game))

    def _look_at(self, due: Due, shown: datetime, outcome: str | None, last_move: int) -> None:
        """Hold what the sweep did about a decision against what was shown before."""
        if (shown <= self.year.now) != (outcome is not None):
            self.fail(due.game, f"shown {shown:%F %T}, but {outcome} for {due.asked}")
        if outcome is None:
            return
        play = self.year.plays[due.game]
        for problem in self._problems(play, due, shown, last_move):
            self.fail(due.game, f"{problem}: {outcome} for {due.asked}")
        if outcome != _expected(play, due):
            self.fail(due.game, f"{outcome} for {due.asked}, with {due.misses} misses")
        plan = play.plans.get(due.asked)
        self.year.count["causes"][plan.cause if plan else "unknown"] += 1
        self.year.count["outcomes"][outcome] += 1
        play.was_late(due.asked.player, outcome)

    def _problems(self, play: Play, due: Due, deadline: datetime, last_move: int) -> Iterator[str]:
        """Reckon a time-out again, and say what is wrong with it."""
        stops = self._stops(due.game)
        if self.year.now - deadline >= TICK:
            yield f"shown {deadline:%F %T}, too late"
        for begin, end in stops:
            grace = min(end - begin, HOUR) if due.begun < end else NOTHING
            if begin <= deadline < end + grace:
                yield f"in the stop from {begin:%F %T} to {end:%F %T}, or its grace"
        rests = self._rests(due.game, due.asked.player, due.begun, deadline)
        if within(deadline - timedelta.resolution, rests):
            yield f"{deadline:%F %T} is a time of rest"
        running, least = ran(due.begun, deadline, [*rests, *stops]), self._granted(due, last_move)
        if not least <= due.granted <= running:
            yield f"{running} of {due.granted}, {least} by the policy"
        first = play.shown.get(due.asked, deadline)
        if first != deadline and not self._is_stopped(due, deadline):
            yield f"first shown {first:%F %T}, then {deadline:%F %T}"

    def _look_at_progress(self, woken: Sequence[Due]) -> None:
        """What a sweep has looked at may be due once more, but not again and again."""
        before = self.looks if self.year.now - self.year.swept_at <= TICK else {}
        self.looks = {due.pk: before.get(due.pk, 0) + 1 for due in woken}
        for due in woken:
            if self.looks[due.pk] > MOST_LOOKS:
                self.fail(due.game, f"{due.asked} is due again and again")

    # ---- What a decision has, reckoned again -----------------------------------------------

    def _rests(self, game: str, player: int | None, begun: datetime, until: datetime) -> list[Span]:
        """Return what rests a clock between two moments, if its table lets it rest."""
        if player is None or not self.year.plays[game].wanted.options["rests"]:
            return []
        return self.year.person_of[player].rest_at(begun).spans(begun, until)

    def _left(self, decision: Decision) -> timedelta:
        """Return what was left of an answered decision's time."""
        game, begun, until = decision.game_id, decision.runs_from, decision.answered_at
        assert until is not None, "it was answered"
        rests = self._rests(game, decision.player_id, begun, until)
        running = ran(begun, until, [*rests, *self._stops(game)])
        return max(decision.granted - running, NOTHING)

    def _granted(self, due: Due, last_move: int) -> timedelta:
        """Return what a decision is to have at least, by the log and the policy."""
        options = self.year.plays[due.game].wanted.options
        move_time = timedelta(seconds=options["move_time"])
        if due.asked.lives:
            return _of_new_life(due, move_time, last_move)
        row = Move.objects.get(game=due.game, number=due.asked.since)
        undone = next((e for e in json.loads(row.events) if e["type"] == "undone"), None)
        if row.decision and (undone or (due.kind in MID_TURN and due.asked.seat == row.seat)):
            put = row.decision.partition("-")[0]
            before = Decision.objects.get(game=due.game, decision=f"{put}-{due.asked.seat}")
            floor = min(DAY, move_time) if undone and undone["agreed"] else NOTHING
            return max(self._left(before), floor)
        return self._bank(due, options) if "bank" in options else move_time

    def _bank(self, due: Due, options: dict[str, int]) -> timedelta:
        """Return what a bank has: what the last answer left, and the time of a move.

        When a sealed answer was given nobody may tell, so it takes nothing. What a bot has
        answered for the seat adds nothing.
        """
        names = ("move_time", "bank", "bank_cap")
        move_time, bank, cap = (timedelta(seconds=options[name]) for name in names)
        before = Decision.objects.filter(game=due.game, since__lt=due.asked.since)
        answered = before.exclude(closed_by="").exclude(kind=SEALED)
        last = next((d for d in answered.order_by("-since") if d.seat == due.asked.seat), None)
        if last is None:
            return bank
        if last.closed_by == Move.Actor.BOT:
            return max(self._left(last), move_time)
        return min(self._left(last) + move_time, cap)

    # ---- Reminders -------------------------------------------------------------------------

    def _look_at_reminders(self, last_mail: int, shown: dict[Due, datetime]) -> None:
        asked = {(due.game, due.asked.decision): due for due in shown}
        for game, decision, stage in rows(REMINDERS, last_mail):
            due = asked.get((game, decision))
            if due is None:
                self.fail(game, f"{stage} of {decision}, which was not due")
            elif (game, decision, stage) in self.stages:
                self.fail(game, f"{stage} of {decision} a second time")
            else:
                self._look_at_night(due, shown[due], stage)
            self.stages.add((game, decision, stage))

    def _look_at_night(self, due: Due, until: datetime, stage: str) -> None:
        rest, now = self.year.person_of[due.asked.player].rest_at(due.begun), self.year.now
        if rest.sleeps_at(now) and rest.sleeps_at(now - TICK):
            awake = ran(due.begun, until, rest.nights(due.begun, until))
            if awake:
                self.fail(due.game, f"{stage} of {due.asked} at night, with {awake} of day")

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


def _done_by_clock(
    last_move: int, last_answer: int, woken: set[tuple[str, int]]
) -> dict[tuple[str, int], str]:
    """Return what the clock has done since, by game and seat: its answer, or the seat's fate.

    Answers that had been sealed before become rows with the last one; they are not of now.
    """
    done: dict[tuple[str, int], str] = {}
    for game, seat, events in rows(BY_CLOCK, last_move):
        fates = [event for event in json.loads(events) if event["type"] in OUTCOMES]
        done |= {(game, fate["seat"]): OUTCOMES[fate["type"]] for fate in fates}
        if (game, seat) in woken and not fates:
            done.setdefault((game, seat), "move")
    for game, seat in rows(SEALED_BY_CLOCK, last_answer):
        done.setdefault((game, seat), "move")
    return done


def _expected(play: Play, due: Due) -> str:
    """Return what the clock is to do about who is late: what is sealed is answered safely."""
    options = play.wanted.options
    if due.kind == SEALED:
        return "move"
    return "excused" if due.misses < options["excused_misses"] else str(options["absence"])


def _of_new_life(due: Due, move_time: timedelta, last_move: int) -> timedelta:
    """Return what a new life has: the time of a move.

    But a seat that was handed over goes on with its own time, and has at least a day, once.
    """
    of_table = Move.objects.filter(game=due.game, seat=None, number__gt=due.asked.since)
    moves = of_table.filter(pk__lte=last_move).order_by("number")
    events = [event for move in moves for event in json.loads(move.events)]
    begun = [e for e in events if e["type"] in NEW_LIFE and e["seat"] == due.asked.seat]
    if not begun[-1].get("handed_over"):
        return move_time
    return min(DAY, move_time) if due.asked.lives == 1 else NOTHING


def _life(stage: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return the life of a decision to which a reminder belongs."""
    game, decision, name = stage
    return game, decision, name.partition("+")[2]


def _sample(games: list[Game], seed: int) -> Iterable[Game]:
    dice = Random(f"{seed} sample")
    return dice.sample(games, min(len(games), max(FEWEST, int(SAMPLE * len(games)))))
