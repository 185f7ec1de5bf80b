"""Whether who is asked has been told, and has looked since (docs/mail.md, *Told and seen*).

Seen is what is asked when its player has opened the page of the game, its REST view or its legal
moves, or has sent something about it: never by a link alone, since scanners follow those too.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from dewan_site.accounts.models import Player
from engine.questions import KINDS
from games.models import Decision, Game, Seat
from notifications.models import AddressTrouble, OutboxMail
from notifications.notices import ANSWER, REMINDER, TURN

State = OutboxMail.State

TELLING = (TURN, REMINDER, ANSWER)
"""The kinds of mails that tell a seat what it is asked, in their ``decision``."""


class Knows(StrEnum):
    """How far a seat knows what it is asked.

    ``no``: its notice has not left yet. ``yes``: it has, or was tried, and is not seen.
    ``unseen``: no notice goes out to it, and it has not looked. ``seen``: its player has looked.
    """

    NO = "no"
    YES = "yes"
    UNSEEN = "unseen"
    SEEN = "seen"


def look(game: Game, view: dict[str, Any], player: Player | None) -> None:
    """Remember that somebody has seen a view of theirs, and let the view say so.

    Most looks find nothing to remember, and cost no query.
    """
    for asked in view["awaiting"]:
        if player and asked["seat"] == view["you"] and asked["told"] not in (None, Knows.SEEN):
            mark(game, asked["seat"], player)
            asked["told"] = Knows.SEEN


def mark(game: Game, seat: int, player: Player) -> None:
    """Remember that a player has now seen what their seat is asked, if anything.

    It writes once for each notice, however often they look.
    """
    asked = Decision.objects.filter(game=game, seat=seat, player=player, answered_at=None)
    unseen = OutboxMail.objects.filter(
        game=game, decision__in=asked.values("decision"), seat=seat, kind__in=TELLING, seen_at=None
    )
    if unseen.exists():
        _mark(unseen)


@transaction.atomic
def _mark(unseen: QuerySet[OutboxMail]) -> None:
    """Lock notices in the order they were written, so that no two who do wait for each other."""
    rows = unseen.select_for_update().order_by("pk").values_list("pk", flat=True)
    OutboxMail.objects.filter(pk__in=list(rows)).update(seen_at=timezone.now())


def told_of(decisions: Iterable[Decision]) -> dict[int, Knows]:
    """Return how far those who are asked know it, by the decisions' keys.

    Left out is what a bot answers, and what is answered sealed: who has not looked has not
    answered, and that nobody may know (R13.5).
    """
    keys = {(d.game_id, d.decision): d.pk for d in decisions if not KINDS[d.kind].sealed}
    told: dict[int, Knows] = {}
    for game, decision, *notice in _notices(keys):
        key = keys.get((game, decision))
        if key is not None:
            how = _told(*notice)
            told[key] = max(how, told.get(key, how), key=_FURTHEST.index)
    return told


_FURTHEST = (Knows.UNSEEN, Knows.NO, Knows.YES, Knows.SEEN)
"""Of several notices the one counts that says most."""


def _notices(keys: Iterable[tuple[str, str]]) -> QuerySet[OutboxMail, Any]:
    """Return the notices of decisions that people are to answer, as far as ``_told`` wants them."""
    plays = Q(
        game__seats__number=F("seat"),
        game__seats__kind=Seat.Kind.HUMAN,
        game__seats__standing=Seat.Standing.PLAYING,
    )
    of = Q(game__in={game for game, _ in keys}, decision__in={decision for _, decision in keys})
    trouble = AddressTrouble.objects.filter(address=OuterRef("game__seats__player__email"))
    notices = OutboxMail.objects.filter(of, plays, kind__in=TELLING)
    notices = notices.annotate(is_refused=Exists(trouble))
    return notices.values_list("game", "decision", "state", "attempts", "is_refused", "seen_at")


def _told(state: str, attempts: int, is_refused: bool, seen_at: datetime | None) -> Knows:
    """Return how far a notice has come.

    One that a provider has refused counts as told: others need not know more. While our own mail
    server is away nobody has been told.
    """
    if seen_at is not None:
        return Knows.SEEN
    if state == State.DROPPED:
        return Knows.UNSEEN
    is_tried = attempts or (is_refused and state != State.QUEUED)
    return Knows.YES if state in (State.SENT, State.FAILED) or is_tried else Knows.NO
