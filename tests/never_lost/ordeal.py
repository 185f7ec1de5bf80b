"""What mails have to go through: a dead mail server, dying workers, lost tasks, a dead database."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from random import Random
from typing import Any

from django.core.cache import cache
from django.db.models import F, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from dewan_site.accounts.models import Player
from dewan_site.celery import app
from engine.legal import legal
from engine.views import mask
from games import services, store
from games.models import Decision, Game, Move
from notifications import health, notices, outbox
from notifications.models import OutboxMail
from tests.never_lost.servers import Servers, Workers

State = OutboxMail.State

PATIENCE = 60.0
"""Seconds until what has to happen has not happened."""

LONGEST_LIFE = 0.2
"""Seconds after which a worker that has sent enough is killed, at the latest."""

MOST_SENT = 6
"""How many mails a worker may send before that, at most."""

MINUTE = timedelta(minutes=1)


class Ordeal:
    """Games of two whose mails go through all of it; ``failures`` are what was lost or too much."""

    def __init__(self, servers: Workers, games: int, seed: int) -> None:
        self.servers = servers
        self.dice = Random(seed)
        self.failures: list[str] = []
        self.count: Counter[str] = Counter()
        self.between: set[str] = set()
        self.since = timezone.now()
        self.games = [self._open(number) for number in range(games)]

    # ---- Playing -----------------------------------------------------------------------------

    def _open(self, number: int) -> str:
        names = [f"{name}{number}@players.example" for name in ("ann", "ben")]
        people = [Player.objects.with_email(name, introduced=True) for name in names]
        game = services.create_game(people[0], services.NewGame(players=2, seats=("me", "open")))
        services.join_game(people[1], game.pk)
        return game.pk

    def play(self, moves: int) -> None:
        """Play some moves, in any of the games."""
        for _ in range(moves):
            place = self.dice.randrange(len(self.games))
            if not self._move(self.games[place]):
                self.games[place] = self._open(1000 + self.count["moves"])

    def _move(self, game_id: str) -> bool:
        game = Game.objects.get(pk=game_id)
        state = store.state_of(game)
        assert state is not None, "it has begun"
        if not state.questions:
            return False
        question = state.questions[0]
        entries = legal(mask(state, question.seat), question.seat)
        submitted = services.Submitted(
            decision=state.decision_of(question),
            expected_version=state.version,
            commands=(self.dice.choice(entries).command,),
        )
        player = game.seats.get(number=question.seat).player
        assert player is not None, "both are people"
        services.submit_move(player, game_id, submitted)
        self.count["moves"] += 1
        return True

    def remind(self, reminders: int) -> None:
        """Write reminders of some open questions, as the sweep does."""
        asked = list(Decision.objects.filter(answered_at=None))
        for decision in self.dice.sample(asked, min(reminders, len(asked))):
            stage = f"half+{self.dice.randrange(1000)}"
            notices.remind(decision.game_id, decision.seat, decision.decision, stage)

    # ---- A mail server that is away ------------------------------------------------------------

    def hour_without_mail_server(self) -> None:
        """Let an hour go by in which there is no mail server; then nobody gets more than one mail.

        More than one of each game and seat, that is, with all that was to tell.
        """
        self.servers.post.go_away()
        with self.servers.workers(2):
            for _ in range(6):
                self.play(len(self.games))
                self.remind(len(self.games) // 2)
                self._nudge()
                time.sleep(1)
                self._let_time_pass(10 * MINUTE)
            self._until(self._nothing_is_held, "workers that know that the server is away")
            before = OutboxMail.objects.latest("pk").pk
            back_at = timezone.now()
            self.servers.post.come_back()
            self.let_everything_go_out()
        waited = OutboxMail.objects.filter(pk__lte=before, sent_at__gte=back_at)
        mails = Counter(waited.filter(told_in=None).values_list("game", "seat"))
        self.count["waited_for_the_server"] = waited.count()
        self.count["mails_after_it"] = mails.total()
        for (game, seat), number in mails.items():
            if number > 1:
                self.failures.append(f"{number} mails about {game} to seat {seat} after an outage")

    def _nothing_is_held(self) -> bool:
        return not OutboxMail.objects.filter(state=State.INFLIGHT).exists()

    def _let_time_pass(self, length: timedelta) -> None:
        """Move what waits into the past, which is the same as that time has passed."""
        columns = ("due_at", "ready_at", "created_at")
        self._waiting().update(**{column: F(column) - length for column in columns})
        cache.delete(health._server())  # what is remembered for a minute is forgotten

    def _let_claims_run_out(self) -> None:
        """Let so much time pass, after their workers' end, that the rows they held come back."""
        held = OutboxMail.objects.filter(state=State.INFLIGHT)
        held.update(claimed_at=F("claimed_at") - outbox.CLAIM)

    def _waiting(self) -> QuerySet[OutboxMail]:
        return OutboxMail.objects.filter(state__in=OutboxMail.WAITING)

    # ---- Workers that die ------------------------------------------------------------------------

    def kill_workers(self, kills: int) -> None:
        """Kill a worker again and again while it sends; lose what was asked of it now and then."""
        for number in range(1, kills + 1):
            self.play(self.dice.randint(4, 8))
            self.remind(len(self.games) // 2)
            if number % 10 == 5:
                self.servers.empty_the_broker()
                self.count["broker_emptied"] += 1
            self._kill_one()

    def _kill_one(self) -> None:
        self.since = timezone.now()
        worker = self.servers.worker()
        self._until(self._is_sending, "a worker that sends")
        enough = len(self.servers.post.mails) + self.dice.randint(0, MOST_SENT)
        self._until(lambda: self._has_sent(enough), "a worker that has sent")
        time.sleep(self.dice.uniform(0, LONGEST_LIFE))
        worker.kill()
        worker.join()
        self.servers.post.hang_up()
        held = set(self._held().values_list("message_id", flat=True))
        died_after = held & set(self.servers.post.copies)
        self.between |= died_after
        self.count["kills"] += 1
        self.count["in_mid_send"] += bool(held)
        self.count["between_250_and_commit"] += len(died_after)
        self._let_claims_run_out()

    def _has_sent(self, enough: int) -> bool:
        """Tell whether so many mails have come, or no more will."""
        due = self._waiting().filter(due_at__lte=timezone.now())
        is_busy = self._held().exists() or due.exists()
        return len(self.servers.post.mails) >= enough or not is_busy

    def _is_sending(self) -> bool:
        self._nudge()
        return self._held().exists()

    def _nudge(self) -> None:
        with suppress(OperationalError, OSError):
            app.send_task("notifications.tasks.deliver_mail", retry=False)

    def _held(self) -> QuerySet[OutboxMail]:
        """Return what the worker has claimed and not dealt with, not what those before it held."""
        return OutboxMail.objects.filter(state=State.INFLIGHT, claimed_at__gt=self.since)

    # ---- A database that dies --------------------------------------------------------------------

    def restart_the_database(self) -> None:
        """Restart the database while mails go out."""
        self.play(2 * len(self.games))
        self.since = timezone.now()
        with self.servers.workers(2):
            self._until(self._is_sending, "a worker that sends")
            assert isinstance(self.servers, Servers), "the database is ours to restart"
            self.servers.restart_the_database()
            self.count["database_restarted"] += 1
            self._nudge()
            time.sleep(1)
        self._let_claims_run_out()
        with self.servers.workers(2):
            self.let_everything_go_out()

    # ---- The end ---------------------------------------------------------------------------------

    def let_everything_go_out(self) -> None:
        """Return when nothing waits any more, however long that would take."""

        def nothing_waits() -> bool:
            self._let_time_pass(MINUTE)
            now = timezone.now()
            self._waiting().filter(due_at__gt=now).update(due_at=now)
            self._nudge()
            time.sleep(0.3)
            return not OutboxMail.objects.filter(state__in=(*OutboxMail.WAITING, State.INFLIGHT))

        self._until(nothing_waits, "an outbox without anything that waits")

    def _until(self, holds: Callable[[], bool], what: str) -> None:
        limit = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > limit:
                raise AssertionError(f"in vain waited for {what}")
            time.sleep(0.005)

    def look_at_everything(self) -> None:
        """Put down what was lost, and what came twice without need."""
        copies = self.servers.post.copies
        for problem in (*self._unfinished(), *self._not_told(copies), *self._twice(copies)):
            self.failures.append(problem)
        self.count["rows"] = OutboxMail.objects.count()
        self.count["mails"] = copies.total()
        self.count["second_copies"] = copies.total() - len(copies)
        for state, number in Counter(OutboxMail.objects.values_list("state", flat=True)).items():
            self.count[state] = number

    def _unfinished(self) -> list[str]:
        ends = (State.SENT, State.FAILED, State.DROPPED)
        open_rows = OutboxMail.objects.exclude(state__in=ends)
        silent = OutboxMail.objects.filter(state__in=(State.FAILED, State.DROPPED), reason="")
        return [
            *(f"{mail} has not ended: {mail.state}" for mail in open_rows),
            *(f"{mail} is {mail.state} without a reason" for mail in silent),
            *(
                f"{mail} failed: {mail.reason}"
                for mail in OutboxMail.objects.filter(state="failed")
            ),
        ]

    def _not_told(self, copies: Counter[str]) -> list[str]:
        """Return which open questions nobody was told of, and which mails never came."""
        sent = OutboxMail.objects.filter(state=State.SENT).select_related("told_in")
        told = set(sent.filter(kind__in=notices_that_ask).values_list("game", "decision"))
        asked = Decision.objects.filter(answered_at=None).values_list("game", "decision")
        never = [mail for mail in sent if (mail.told_in or mail).message_id not in copies]
        return [
            *(f"nobody was told of {decision} of {game}" for game, decision in set(asked) - told),
            *(f"{mail} counts as sent, and never came" for mail in never),
        ]

    def _twice(self, copies: Counter[str]) -> list[str]:
        twice = {one for one, number in copies.items() if number > 1}
        unknown = set(copies) - set(OutboxMail.objects.values_list("message_id", flat=True))
        return [
            *(
                f"{one} came {copies[one]} times, for no good reason"
                for one in twice - self.between
            ),
            *(f"{one} came, and is not in the outbox" for one in unknown),
        ]


notices_that_ask = (notices.TURN, notices.REMINDER)


def result(ordeal: Ordeal) -> dict[str, Any]:
    """Return what happened, as it is printed."""
    moves = Move.objects.count()
    return {**ordeal.count, "log_rows": moves, "failures": ordeal.failures}
