"""The corpus comes in to a real game: a mail plays what was plainly written, or nothing."""

from __future__ import annotations

import json
from email.utils import parseaddr
from typing import Any

import pytest
from django.db import transaction

from games.models import Move, Seat
from notifications import shortlists, tokens
from notifications.inbound.outcomes import Outcome
from notifications.inbound.service import receive
from notifications.models import OutboxMail
from notifications.tokens import Purpose
from tests.mailed import decision_of, html_of, text_of, turn_mail
from tests.notifications.corpus_mails import EXPECTED, Places, raw_mail
from tests.people import Person, asked_person, draft, start_game

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def operator(settings: Any) -> None:
    """Set what the mails of the corpus are written for."""
    settings.DEWAN_REPLY_TO = "play@example.com"
    settings.DEWAN_MAIL_AUTHSERV = "mx.example.com"
    settings.DEWAN_MAIL_AUTH = "not_failed"
    settings.DEWAN_MAIL_SIZE = 1_000_000
    settings.DEWAN_MAILS_PER_HOUR = 1_000


class Table:
    """A game in which somebody has just been mailed that it is their turn."""

    def __init__(self, *people: Person) -> None:
        self.game = start_game(*people)
        draft(self.game, people)
        self.asked = asked_person(self.game, people)
        self.other = next(person for person in people if person is not self.asked)
        self.mail = turn_mail(self.game)
        sent = OutboxMail.objects.filter(message_id=self.mail["Message-ID"])
        sent.update(state=OutboxMail.State.SENT)
        self.lines = shortlists.stored(self.game, decision_of(self.game)) or []

    @property
    def reply_to(self) -> str:
        return parseaddr(self.mail["Reply-To"])[1]

    @property
    def seat(self) -> Seat:
        return Seat.objects.get(game=self.game, player=self.asked.player)

    def places(self, elsewhere: str) -> Places:
        play = next(line for line in self.lines if line.startswith("take"))
        return Places(
            sender=self.asked.player.email,
            opponent=self.other.player.email,
            address=tokens.reply_address(),
            reply_to=self.reply_to,
            other_reply_to=elsewhere,
            old_reply_to=tokens.reply_address(tokens.make(Purpose.REPLY, self.seat, 1)),
            message_id=str(self.mail["Message-ID"]),
            play=play,
            other=next(line for line in self.lines if line != play),
            number=str(self.lines.index(play) + 1),
            text=text_of(self.mail).rstrip(),
            html=html_of(self.mail),
        )

    def meaning(self, line: str) -> dict[str, Any]:
        """Return the command that a line of notation stands for."""
        entries = self.asked.legal(self.game)["entries"]
        command: dict[str, Any] = next(e["command"] for e in entries if e["text"] == line)
        return command


Played = tuple[str, int | None, object]
"""A move: game, seat, commands."""


def moves() -> list[Played]:
    """Return the moves of all games."""
    rows = Move.objects.order_by("pk")
    return [(move.game_id, move.seat, json.loads(move.commands)) for move in rows]


def come_in(name: str, places: Places) -> tuple[Outcome, list[Played]]:
    """Let a mail and its copy come in; return the outcome and what was played, and undo it all."""
    with transaction.atomic():
        if EXPECTED[name].after:
            assert receive(raw_mail(EXPECTED[name].after, places)) == Outcome.DONE
        before = moves()
        outcome = receive(raw_mail(name, places))
        receive(raw_mail(name, places))
        played = moves()[len(before) :]
        transaction.set_rollback(True)
    return outcome, played


def test_each_mail_plays_what_was_plainly_written_or_nothing(
    operator: None, ann: Person, ben: Person, cleo: Person
) -> None:
    table = Table(ann, ben)
    elsewhere = Table(cleo, table.other)
    places = table.places(elsewhere.reply_to)
    move = (table.game, table.seat.number, [table.meaning(places.play)])

    became = {name: come_in(name, places) for name in EXPECTED}

    assert became == {
        name: (expected.outcome, [move] if expected.plays else [])
        for name, expected in EXPECTED.items()
    }
