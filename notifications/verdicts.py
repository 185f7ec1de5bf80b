"""What is to become of mails that are due, before anything is rendered (docs/mail.md).

What a batch needs to know is read at once; each mail is judged right before it would be sent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from dewan_site.accounts.models import Player, Rhythm
from games import selectors
from games.models import Decision, Seat
from notifications import health, notices, preferences, rhythm
from notifications.models import AddressTrouble, GameRhythm, LastBatch, OutboxMail
from notifications.rests import DAY, NOTHING
from notifications.rhythm import Notice

ASKING = (notices.TURN, notices.REMINDER)
"""The kinds of mails that ask for an answer: they are never given up while it is open."""

KEPT = 14 * DAY
"""How long news wait for an address that cannot be reached."""


class Send(msgspec.Struct, frozen=True):
    """The mail goes out now, by itself."""


class Gather(msgspec.Struct, frozen=True):
    """It goes out now, with all else that waits for its reader: of a game, or of all of a rhythm.

    ``is_batch`` if the next batch is to keep its distance from this one.
    """

    player: Player
    game: str | None
    rhythm: str
    is_batch: bool


class Wait(msgspec.Struct, frozen=True):
    """It is looked at again then; ``problem`` if it is its address that it waits for."""

    until: datetime
    problem: str = ""


class Drop(msgspec.Struct, frozen=True):
    """It is never sent, and was no failure: nobody wants or needs it."""

    reason: str


class Told(msgspec.Struct, frozen=True):
    """It has been told by another mail, which was made since."""

    by: int
    at: datetime


class Fail(msgspec.Struct, frozen=True):
    """It could not be sent."""

    reason: str


Verdict = Send | Gather | Wait | Drop | Told | Fail
Place = tuple[str, int]
"""A game and a seat."""


class Known(msgspec.Struct):
    """What a batch of mails is judged by; ``troubles`` and ``answers`` change while it is sent."""

    readers: dict[Place, Player | None]
    rhythms: dict[tuple[str, int], str]
    troubles: dict[str, AddressTrouble]
    others: dict[Place, list[Notice]]
    late: set[Place]
    open: set[tuple[str, str]]
    batches: dict[int, datetime | None]
    answers: dict[Place, OutboxMail]

    def reader(self, mail: OutboxMail) -> Player | None:
        """Return to whom a mail goes; None if nobody sits there."""
        if mail.player is not None or mail.game_id is None or mail.seat is None:
            return mail.player
        return self.readers.get((mail.game_id, mail.seat))

    def address(self, mail: OutboxMail) -> str:
        """Return where a mail goes to."""
        reader = self.reader(mail)
        return mail.address or (reader.email if reader else "")

    def around(self, mail: OutboxMail) -> list[Notice]:
        """Return the mails of the same game and seat that can overtake one."""
        return [] if mail.seat is None else self.others.get((mail.game_id or "", mail.seat), [])

    def answered_with(self, mail: OutboxMail) -> None:
        """Remember an answer that has just gone out: it has told what its seat is asked now."""
        if mail.kind == notices.ANSWER and mail.game_id and mail.seat is not None:
            self.answers[mail.game_id, mail.seat] = mail

    def rhythm(self, mail: OutboxMail, reader: Player) -> str:
        """Return the rhythm in which a player wants the mails of a game."""
        return self.rhythms.get((mail.game_id or "", reader.pk), reader.rhythm)


def look_up(mails: Sequence[OutboxMail]) -> Known:
    """Read what some mails are judged by."""
    games = {mail.game_id for mail in mails if mail.game_id}
    seats = Seat.objects.filter(game__in=games).exclude(player=None).select_related("player")
    readers = {(seat.game_id, seat.number): seat.player for seat in seats}
    known = Known(readers, {}, {}, {}, set(), set(), {}, _answers(mails, games))
    reading = {reader.pk for mail in mails if (reader := known.reader(mail))}
    rhythms = GameRhythm.objects.filter(game__in=games, player__in=reading)
    known.rhythms = {(row.game_id, row.player_id): row.rhythm for row in rhythms}
    addresses = {known.address(mail) for mail in mails}
    troubles = AddressTrouble.objects.filter(address__in=addresses)
    known.troubles = {trouble.address: trouble for trouble in troubles}
    asked = Decision.objects.filter(game__in=games, answered_at=None)
    known.open = set(asked.values_list("game_id", "decision"))
    known.others = _others(mails, games, known.open)
    known.late = _late(games)
    known.batches = _batches(known, mails)
    return known


def _batches(known: Known, mails: Sequence[OutboxMail]) -> dict[int, datetime | None]:
    """Return when those last got a batch who want them."""
    readers = ((mail, known.reader(mail)) for mail in mails)
    batched = {
        reader.pk
        for mail, reader in readers
        if reader and known.rhythm(mail, reader) == Rhythm.BATCHED
    }
    if not batched:
        return {}
    rows = LastBatch.objects.filter(player__in=batched)
    return dict(rows.values_list("player_id", "sent_at"))


def _others(
    mails: Sequence[OutboxMail], games: Iterable[str], asked: set[tuple[str, str]]
) -> dict[Place, list[Notice]]:
    """Return the mails of the same seats that can overtake some: those on their way, and true."""
    first = min((mail.pk for mail in mails), default=0)
    waits = Q(state__in=OutboxMail.WAITING, ready_at=None, due_at__gt=timezone.now())
    State = OutboxMail.State  # noqa: N806
    rows = OutboxMail.objects.filter(game__in=games, pk__gt=first, player=None)
    rows = rows.exclude(waits | Q(state__in=(State.FAILED, State.DROPPED)))
    others: dict[Place, list[Notice]] = defaultdict(list)
    for game, seat, pk, kind, decision in rows.values_list(
        "game_id", "seat", "pk", "kind", "decision"
    ):
        if game and seat is not None and (kind not in ASKING or (game, decision) in asked):
            others[game, seat].append(Notice(pk, kind, decision))
    return others


def _answers(mails: Sequence[OutboxMail], games: Iterable[str]) -> dict[Place, OutboxMail]:
    """Return the last answers that were made since a turn that is to be told now."""
    turns = [mail.created_at for mail in mails if mail.kind == notices.TURN]
    if not turns:
        return {}
    answers = OutboxMail.objects.filter(kind=notices.ANSWER, game__in=games)
    made = answers.filter(state=OutboxMail.State.SENT, claimed_at__gt=min(turns)).order_by("pk")
    return {(mail.game_id or "", mail.seat or 0): mail for mail in made}


def _late(games: Iterable[str]) -> set[Place]:
    """Return the seats for which a mail has waited for long: it takes the others along."""
    held = (*OutboxMail.WAITING, OutboxMail.State.INFLIGHT)
    since = timezone.now() - rhythm.LATE
    late = Q(ready_at__lte=since) | Q(ready_at=None, due_at__lte=since)
    rows = OutboxMail.objects.filter(late, game__in=games, state__in=held)
    places = rows.values_list("game_id", "seat")
    return {(game, seat) for game, seat in places if game and seat is not None}


# ---- Each mail ---------------------------------------------------------------------------------


def verdict(mail: OutboxMail, known: Known, now: datetime) -> Verdict:
    """Return what is to become of a mail that is due."""
    reader = known.reader(mail)
    if mail.game_id is None or reader is None:
        return Send()  # rendering says if there is nobody
    return (
        _pointless(mail, known, reader)
        or _seen_at_once(mail, now)
        or _held_up(mail, known, now)
        or _in_rhythm(mail, known, reader, now)
    )


def pointless(mail: OutboxMail, known: Known) -> Drop | Told | None:
    """Tell why a mail about a game need not go out any more, if it need not."""
    reader = known.reader(mail)
    return _pointless(mail, known, reader) if reader else None


def _pointless(mail: OutboxMail, known: Known, reader: Player) -> Drop | Told | None:
    assert mail.game_id is not None, "it is about a game"
    if mail.kind in ASKING and (mail.game_id, mail.decision) not in known.open:
        return Drop("the decision has been answered")
    if mail.kind == notices.ANSWER:
        return None
    if reader.mails_stopped:
        return Drop("the player has stopped mails")
    if known.rhythm(mail, reader) == rhythm.OFF:
        return Drop("the player has stopped the mails of this game")
    if mail.kind == notices.TAKEN_BACK and not _was_told(mail):
        return Drop("the turn was never told")
    younger = rhythm.overtaking(Notice(mail.pk, mail.kind, mail.decision), known.around(mail))
    if younger:
        return Drop(f"overtaken by a younger mail: {younger.kind}")
    return _told(mail, known) if mail.kind == notices.TURN else None


def _told(mail: OutboxMail, known: Known) -> Told | None:
    """Tell whether an answer was made since the turn began: it says what is asked now."""
    answer = known.answers.get((mail.game_id or "", mail.seat or 0))
    if answer is None or not answer.claimed_at or not answer.sent_at:
        return None
    return Told(answer.pk, answer.sent_at) if answer.claimed_at > mail.created_at else None


def _seen_at_once(mail: OutboxMail, now: datetime) -> Wait | None:
    """Let a player who has seen the question on the page answer it there, and be mailed less."""
    until = mail.created_at + settings.DEWAN_UNDO_HOLD
    was_held = mail.kind == notices.TURN and mail.due_at > mail.created_at
    return Wait(until) if was_held and mail.seen_at and now < until else None


def _was_told(mail: OutboxMail) -> bool:
    """Tell whether a seat had been told of the question that was taken from it."""
    State = OutboxMail.State  # noqa: N806
    told = OutboxMail.objects.filter(game=mail.game_id, seat=mail.seat, decision=mail.decision)
    kinds = (*ASKING, notices.ANSWER)
    return told.filter(kind__in=kinds, state__in=(State.SENT, State.INFLIGHT)).exists()


def _held_up(mail: OutboxMail, known: Known, now: datetime) -> Verdict | None:
    """Let a mail wait for an address that cannot be reached; the first after that is sent."""
    trouble = known.troubles.get(known.address(mail))
    if trouble is None:
        return None
    if trouble.retry_at > now:
        return waiting_for(trouble, mail, now)
    if trouble.probed_at is not None:  # what was sent then has not come back
        health.end(known.troubles.pop(trouble.address))
    return None


def waiting_for(
    trouble: AddressTrouble, mail: OutboxMail, now: datetime, behind: timedelta = NOTHING
) -> Wait | Fail:
    """Let a mail wait until its address is tried again, unless it is old news by now."""
    if mail.kind not in ASKING and now - mail.created_at > KEPT:
        return Fail(trouble.problem)
    return Wait(trouble.retry_at + behind, trouble.problem)


def _in_rhythm(mail: OutboxMail, known: Known, reader: Player, now: datetime) -> Verdict:
    if mail.kind == notices.ANSWER:
        return Send()
    wanted = preferences.of(reader, known.rhythm(mail, reader))
    ready = mail.ready_at or mail.due_at
    last = known.batches.get(reader.pk)
    at = rhythm.when(wanted, ready, last, _deadline(mail, wanted.rhythm))
    at = rhythm.awake(wanted, max(at, now))
    if at > now:
        return Wait(at)
    collected = wanted.rhythm in rhythm.COLLECTED
    if collected and rhythm.when(wanted, ready, last) <= now:
        batched = wanted.rhythm == Rhythm.BATCHED
        return Gather(reader, None, wanted.rhythm, is_batch=batched)
    late = now - ready >= rhythm.LATE or (mail.game_id, mail.seat) in known.late
    if collected or late:
        return Gather(reader, mail.game_id, wanted.rhythm, is_batch=False)
    return Send()


def _deadline(mail: OutboxMail, wanted: str) -> datetime | None:
    """Return until when what a mail asks can be answered, where that matters."""
    if wanted not in rhythm.COLLECTED or mail.kind not in ASKING or mail.game is None:
        return None
    return dict(selectors.deadlines_of(mail.game)).get(mail.seat or 0)
