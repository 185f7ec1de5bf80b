"""What a mail about a game is written from: the view of the seat it goes to."""

from __future__ import annotations

import zoneinfo
from datetime import datetime
from functools import cached_property

import msgspec
from django.utils import timezone

from dewan_site.accounts.models import Player
from dewan_site.accounts.names import flat_name
from dewan_site.links import absolute
from engine.state import Question, State
from engine.views import mask
from games import selectors, store, timing
from games.access import Seen
from games.models import Game, Seat
from games.times import rest_words
from notifications import notices
from notifications.letters.letter import NoLongerTrue
from notifications.models import OutboxMail


class Reading(msgspec.Struct, frozen=True, dict=True):
    """The game as the reader of a mail sees it: their seat, themselves, and their view.

    ``names`` are what the seats are called, in seat order, each on one line.
    """

    mail: OutboxMail
    game: Game
    place: Seat
    player: Player
    state: State
    names: list[str]

    @property
    def seat(self) -> int:
        """Return the number of the seat."""
        return self.place.number

    @property
    def seen(self) -> Seen:
        """Return the game as the selectors want it."""
        return Seen(self.game, self.seat)

    @property
    def link(self) -> str:
        """Return the address of the game's page."""
        return absolute(f"/games/{self.game.pk}/")

    @property
    def question(self) -> Question | None:
        """Return what the seat is asked, unless a bot answers for it."""
        return None if self.place.is_played_by_bot else self.state.question_of(self.seat)

    @cached_property
    def last_move(self) -> int:
        """Return the number of the last move that answered for the seat, 0 if there is none."""
        return selectors.last_own_move(self.game, self.seat)

    @property
    def since(self) -> int:
        """Return since which version the seat is asked what the mail shows: a reply is tied to it.

        Where nothing is asked, that of the decision the mail is about, or the game's version.
        """
        if self.question:
            return self.state.since
        return int(self.mail.decision.partition("-")[0] or self.state.version)


def read(mail: OutboxMail, game: Game) -> Reading:
    """Return what a mail about a game is written from; raise NoLongerTrue if it must not go out."""
    assert mail.seat is not None, "a mail about a game goes to a seat"
    seat = Seat.objects.select_related("player").get(game=game, number=mail.seat)
    if seat.player is None:
        raise NoLongerTrue("nobody sits there")
    if seat.player.mails_stopped and mail.kind != notices.ANSWER:
        raise NoLongerTrue("the player has stopped mails")
    state = store.state_of(game)
    if state is None:
        raise NoLongerTrue("the game has not begun")
    seen = selectors.unanswered(Seen(game, mail.seat), mask(state, mail.seat))
    names = [flat_name(name) for name in selectors.names_of(game)]
    return Reading(mail, game, seat, seat.player, seen, names)


def asked(reading: Reading) -> Question:
    """Return the question a notice is about; raise NoLongerTrue if it is not open any more."""
    question = reading.question
    if question is None or reading.state.decision_of(question) != reading.mail.decision:
        raise NoLongerTrue("the decision has been answered")
    return question


class Until(msgspec.Struct, frozen=True):
    """Until when a seat can answer, in its player's zone, and what rests its clock, if anything."""

    when: str
    rests: str

    @property
    def sentences(self) -> list[str]:
        """Return both as sentences."""
        return [f"You have until {self.when}.", *([self.rests] if self.rests else [])]


def until(reading: Reading) -> Until:
    """Return until when the seat can answer what it is asked."""
    decisions = reading.game.decisions.select_related("game")
    decision = decisions.get(seat=reading.seat, answered_at=None)
    clocks = timing.clocks_of([reading.game])[reading.game.pk]
    clock = clocks.clock(decision, timezone.now())
    rests = rest_words(clock.resting, clock.rests, whose="your") if clock.rests else ""
    return Until(local_time(clock.deadline, reading.player.zone), rests)


def local_time(moment: datetime, zone: str) -> str:
    """Write a moment for a player: local date and time, the zone, and UTC."""
    local = moment.astimezone(zoneinfo.ZoneInfo(zone))
    offset = local.strftime("%z")
    there = f"{local:%A} {local.day} {local:%B %Y}, {local:%H:%M}"
    if zone == "UTC":
        return f"{there} UTC"
    return f"{there} ({zone}, UTC{offset[:3]}:{offset[3:]}; {moment:%d %b, %H:%M} UTC)"
