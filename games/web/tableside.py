"""What is around a game: who is away, what is proposed, and what a player can do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from dewan_site.links import absolute
from games import selectors
from games.access import Seen
from games.models import Proposal, Seat
from games.times import pace_words
from games.web.asking import is_played_by_bot, name_of, own_seat
from games.words import counted, duration_words, listed, proposal_words

PAUSES = [timedelta(days=days) for days in (1, 3, 7, 14)]
"""The pauses that are offered, as far as the installation allows them."""

Details = Mapping[str, Any]


# ---- Who is away -------------------------------------------------------------------------------


class Vacation(msgspec.Struct, frozen=True):
    """A vacation that a player has, or has next."""

    start: datetime
    end: datetime
    has_begun: bool


class SeatNotes(msgspec.Struct, frozen=True):
    """What is worth a word about a seat beside the game."""

    words: tuple[str, ...]
    vacation: Vacation | None


STANDING = {
    Seat.Standing.PLAYING: "",
    Seat.Standing.ABSENT: "away: a bot plays on",
    Seat.Standing.LEFT: "free seat: a bot plays on",
    Seat.Standing.OUT: "forfeited: turns are skipped",
}
"""What is said of a seat in the list of seats."""


def seat_notes(view: Details, seat: Details) -> SeatNotes:
    """Return what is worth a word about a seat of a view."""
    words = [STANDING[seat["standing"]], _misses_words(view, seat)]
    return SeatNotes(tuple(filter(None, words)), vacation_of(seat))


def _misses_words(view: Details, seat: Details) -> str:
    plays = seat["kind"] == Seat.Kind.HUMAN and seat["standing"] == Seat.Standing.PLAYING
    if not (plays and view["excused_misses"]):
        return ""
    left = seat["misses_left"]
    return f"{counted(left, 'excused miss', 'excused misses') if left else 'no excused miss'} left"


def vacation_of(seat: Details) -> Vacation | None:
    """Return the vacation of the player of a seat of a view."""
    vacation = seat["vacation"]
    if vacation is None:
        return None
    start, end = (datetime.fromisoformat(vacation[name]) for name in ("start", "end"))
    return Vacation(start, end, start <= timezone.now())


class Sitter(msgspec.Struct, frozen=True):
    """A seat where a table is chosen: who sits there, and how fast they answer; bots at once.

    ``number`` is the seat's, from 1; a free seat has no name.
    """

    seat: int
    number: int
    name: str | None
    pace: str
    notes: SeatNotes


def sitters(view: Details) -> list[Sitter]:
    """Return who sits at a table, for somebody who might sit down there too."""
    paces = selectors.paces_at([view["id"]])
    return [
        Sitter(
            seat["seat"],
            seat["seat"] + 1,
            seat["name"],
            pace_words(paces.get((view["id"], seat["seat"]))) if is_person(seat) else "",
            seat_notes(view, seat),
        )
        for seat in view["seats"]
    ]


def is_person(seat: Details) -> bool:
    """Tell whether somebody sits on a seat of a view who is no bot."""
    return seat["kind"] == Seat.Kind.HUMAN and seat["name"] is not None


def vacant_seats(view: Details) -> str:
    """Return the seats of a running game that were left and can be taken; empty if none."""
    left = (seat for seat in view["seats"] if seat["standing"] == Seat.Standing.LEFT)
    return listed([name_of(seat) for seat in left])


# ---- Proposals ---------------------------------------------------------------------------------


class ProposalFace(msgspec.Struct, frozen=True):
    """A proposal that stands, as its reader sees it."""

    number: int
    words: str
    agreed: str
    missing: str
    mine: bool
    may_agree: bool


def proposal_faces(view: Details) -> list[ProposalFace]:
    """Return the proposals of a view with what its reader can do about each."""
    return [_proposal_face(view, proposal) for proposal in view["proposals"]]


def _proposal_face(view: Details, proposal: Details) -> ProposalFace:
    seats, you, agreed = view["seats"], view["you"], proposal["agreed"]
    missing = [seats[seat] for seat in proposal["missing"]]
    what = proposal_words(proposal["kind"], proposal["first"], proposal["seconds"])
    return ProposalFace(
        number=proposal["proposal"],
        words=f"{name_of(seats[proposal['seat']])} proposes to {what}.",
        agreed=listed([name_of(seats[seat]) for seat in agreed]),
        missing=listed([name_of(seat) for seat in missing]),
        mine=proposal["seat"] == you,
        may_agree=any(s["seat"] == you and not is_played_by_bot(s) for s in missing),
    )


# ---- What a player can do ----------------------------------------------------------------------


class Tableside(msgspec.Struct, frozen=True):
    """What the reader of a running game can do about the table, beside playing.

    ``standing`` is their seat's, empty for who has none; ``proposable`` what they can propose.
    """

    standing: str
    vacant: str
    join_url: str
    offer_url: str
    proposable: Sequence[str]
    may_call_off: bool

    @property
    def is_seated(self) -> bool:
        """Tell whether the reader has a seat that still is in the game."""
        return self.standing in Seat.IN_PLAY


def tableside(request: HttpRequest, seen: Seen, view: Details, *, has_moved: bool) -> Tableside:
    """Return what the reader of a running game can do; ``has_moved`` if they have ever played."""
    seat, token = own_seat(view), selectors.own_offer(seen)
    standing = seat["standing"] if seat else ""
    plays = standing == Seat.Standing.PLAYING
    return Tableside(
        standing=standing,
        vacant=vacant_seats(view),
        join_url=absolute(reverse("join", args=[view["id"]]), request),
        offer_url=offer_url(request, view["id"], token) if token else "",
        proposable=_proposable(seen, view, has_moved=has_moved) if plays else [],
        may_call_off=plays and not view["state"]["round"],
    )


def offer_url(request: HttpRequest, game_id: str, token: str) -> str:
    """Return the link by which a seat is offered."""
    return absolute(reverse("take_seat", args=[game_id, token]), request)


def _proposable(seen: Seen, view: Details, *, has_moved: bool) -> list[str]:
    """Return the kinds of proposals worth a button; what is proposed already is not."""
    kind, paused = Proposal.Kind, view["paused_until"] is not None
    worth = {
        kind.UNDO: has_moved and view["undo"] is None,
        kind.UNDO_TIME_OUT: selectors.was_late(seen.game),
        kind.PAUSE: not paused,
        kind.RESUME: paused,
        kind.CANCEL: bool(view["state"]["round"]),
    }
    proposed = {proposal["kind"] for proposal in view["proposals"]}
    return [str(kind) for kind, is_worth in worth.items() if is_worth and kind not in proposed]


def pauses() -> list[tuple[int, str]]:
    """Return the pauses on offer: seconds and words."""
    allowed = [pause for pause in PAUSES if pause <= settings.DEWAN_MAX_PAUSE]
    seconds = [int(pause.total_seconds()) for pause in allowed or [settings.DEWAN_MAX_PAUSE]]
    return [(length, duration_words(length)) for length in seconds]
