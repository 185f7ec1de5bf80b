"""Who is asked what, and until when, in words for the top of the game page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from engine.questions import KINDS
from games.models import Game, Seat
from games.times import rest_words
from games.words import counted, duration_words, listed, victory_words
from notifications.seen import Knows

OF_OTHERS = {
    "draft": "chooses a first story tile",
    "turn": "takes 2 cards or places a camp",
    "story": "chooses a story tile",
    "tuck": "tucks a card or declines",
    "water": "places a water tile",
    "lava": "places a lava tile",
    "share": "says where the odd berry goes",
    "fish": "discards a card for fish or declines",
}
"""What ``engine.questions.KINDS`` asks the reader to do, as it is said of somebody else."""

TOLD = {
    Knows.NO: "not told yet",
    Knows.YES: "told, not yet seen",
    Knows.UNSEEN: "not yet seen",
    Knows.SEEN: "seen",
}
"""Whether somebody else who is asked knows it."""


class Awaited(msgspec.Struct, frozen=True):
    """An open decision: who is asked what, until when, and how much time that leaves.

    ``is_bot`` if a bot answers, also for a player who is away: then no clock runs. ``latest`` is
    the moment that the deadline cannot be later than, ``resting`` and ``rests`` what rests the
    clock now and until then. ``told`` is whether its player knows it, if that is known.
    """

    seat: int
    name: str
    mine: bool
    is_bot: bool
    kind: str
    decision: str
    deadline: datetime
    latest: datetime
    left: str
    resting: str | None
    rests: tuple[str, ...]
    told: str

    @property
    def words(self) -> str:
        """Return what is asked, as said to the reader."""
        return KINDS[self.kind].asks if self.mine else OF_OTHERS[self.kind]

    @property
    def resting_words(self) -> str:
        """Return what rests the clock."""
        return rest_words(self.resting, self.rests, whose="your" if self.mine else "their")


SEALED = "Your answer is sealed until the others have answered"
"""The headline for who has answered sealed; to everybody else the seat still is asked (R13.5)."""


def awaited(entry: Mapping[str, Any], now: datetime, *, sealed: bool = False) -> list[Awaited]:
    """Return the open decisions of a view, or of a game in a list, for its reader.

    What the reader has answered ``sealed`` is not open to them any more.
    """
    seats = {seat["seat"]: seat for seat in entry["seats"]}
    return [
        _awaited(decision, seats[decision["seat"]], entry["you"], now)
        for decision in entry["awaiting"]
        if not (sealed and decision["seat"] == entry["you"])
    ]


def _awaited(
    decision: Mapping[str, Any], seat: Mapping[str, Any], you: int | None, now: datetime
) -> Awaited:
    deadline = datetime.fromisoformat(decision["deadline"])
    return Awaited(
        seat=seat["seat"],
        name=name_of(seat),
        mine=seat["seat"] == you,
        is_bot=is_played_by_bot(seat),
        kind=decision["kind"],
        decision=decision["decision"],
        deadline=deadline,
        latest=datetime.fromisoformat(decision["latest"]),
        left=duration_words(int((deadline - now).total_seconds())),
        resting=decision["resting"],
        rests=tuple(decision["rests"]),
        told=TOLD.get(decision["told"], ""),
    )


def name_of(seat: Mapping[str, Any]) -> str:
    """Return what a seat of a view is called in a game that has begun: a vacant one too."""
    return seat["name"] or f"Seat {seat['seat'] + 1}"


def is_played_by_bot(seat: Mapping[str, Any]) -> bool:
    """Tell whether a bot answers for a seat of a view: its own, or for a player who is away."""
    return (seat["kind"], seat["standing"]) != (Seat.Kind.HUMAN, Seat.Standing.PLAYING)


def own_seat(entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the reader's seat in a view or in a game in a list, if they have one."""
    return next((seat for seat in entry["seats"] if seat["seat"] == entry["you"]), None)


def asked_of(decisions: Sequence[Awaited]) -> Awaited | None:
    """Return what the reader is asked, if anything."""
    return next((decision for decision in decisions if decision.mine), None)


def headline(
    entry: Mapping[str, Any], decisions: Sequence[Awaited], *, sealed: bool = False
) -> str:
    """Return in one line how a game stands, for its reader."""
    if sealed:
        return SEALED
    if entry["status"] != Game.Status.RUNNING:
        return _not_running(entry)
    mine = asked_of(decisions)
    if is_absent(entry):
        return "A bot plays on for you"
    if mine is not None and not mine.is_bot:
        return f"Your turn: {mine.words}"
    names = listed([decision.name for decision in decisions])
    return f"Paused, waiting for {names}" if entry["paused_until"] else f"Waiting for {names}"


def _not_running(entry: Mapping[str, Any]) -> str:
    if entry["status"] == Game.Status.OPEN:
        return "Waiting for players"
    if entry["status"] == Game.Status.CANCELLED:
        return "The game was called off"
    return winners_words(entry)


def is_absent(entry: Mapping[str, Any]) -> bool:
    """Tell whether a bot plays on for the reader."""
    seat = own_seat(entry)
    return seat is not None and seat["standing"] == Seat.Standing.ABSENT


def winners_words(entry: Mapping[str, Any]) -> str:
    """Return who won and with how many points."""
    result, names, you = entry["result"], list(map(name_of, entry["seats"])), entry["you"]
    winners = sorted(result["winners"], key=lambda seat: seat != you)
    who = ["You" if seat == you else names[seat] for seat in winners]
    won = [score for score in result["scores"] if score["seats"][0] in winners]
    words = "You win" if winners == [you] else victory_words(who, len(won))
    return f"{words} with {counted(won[0]['total'], 'point')}"
