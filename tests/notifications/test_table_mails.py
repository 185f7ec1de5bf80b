"""Mails about what happens at a table: misses, bots that play on, seats, pauses, proposals."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from games import absence, consent
from games.models import Game
from notifications import clock, outbox
from tests.clocks import let_run_out, open_decision
from tests.notifications.test_mail import text_of
from tests.people import Person, asked_person, draft, start_game
from tests.smtp import Sink

pytestmark = pytest.mark.usefixtures("sink")


def sent(sink: Sink, kind: str) -> list[EmailMessage]:
    """Deliver what waits, and return the mails of a kind that have ever arrived."""
    outbox.deliver()
    return [mail for mail in sink.mails if mail["X-Dewan-Kind"] == kind]


def late_game(ann: Person, ben: Person, **options: object) -> tuple[str, Person, Person]:
    """Start a game, let the clock of whoever is asked run out; return them and the other."""
    game = start_game(ann, ben, **options)
    late = asked_person(game, [ann, ben])
    let_run_out(game)
    clock.sweep()
    return game, late, ben if late is ann else ann


def test_an_excused_miss_is_told_with_the_new_deadline(
    sink: Sink, ann: Person, ben: Person
) -> None:
    _, late, _ = late_game(ann, ben, excused_misses=2)

    (mail,) = sent(sink, "miss_excused")

    assert mail["To"] == late.player.email
    assert "one excused miss is used, 1 is left" in text_of(mail)
    assert "You have until" in text_of(mail)


def test_who_is_away_is_told_how_to_come_back(sink: Sink, ann: Person, ben: Person) -> None:
    _, late, _ = late_game(ann, ben, absence="bot")

    (mail,) = sent(sink, "away")

    assert mail["To"] == late.player.email
    assert "A bot plays on for you" in text_of(mail)
    assert "You are back as soon as you say so" in text_of(mail)


def test_a_lost_seat_is_told_to_both_and_who_lost_it_learns_nothing_of_the_game(
    sink: Sink, ann: Person, ben: Person
) -> None:
    game, late, other = late_game(ann, ben, absence="replacement")

    (left,), (told,) = sent(sink, "left"), sent(sink, "seat_left")

    assert (left["To"], told["To"]) == (late.player.email, other.player.email)
    assert "you lost your seat" in text_of(left)
    assert f"/games/{game}/" not in text_of(left)
    assert "hand" not in text_of(left)
    assert left["X-Dewan-Seat"] is None
    assert f"{late.player.name}'s time was up" in text_of(told)


def test_a_forfeit_is_told_to_the_others(
    sink: Sink, ann: Person, ben: Person, cleo: Person
) -> None:
    people = [ann, ben, cleo]
    game = start_game(*people, absence="forfeit")
    draft(game, people)
    late = asked_person(game, people)
    let_run_out(game)
    clock.sweep()

    told = sent(sink, "seat_left")

    assert {mail["To"] for mail in told} == {person.player.email for person in people}
    assert all("the turns are skipped" in text_of(mail) for mail in told)
    mine = next(mail for mail in told if mail["To"] == late.player.email)
    assert "You are out of the game" in text_of(mine)
    assert sent(sink, "timed_out") == [], "the clock has played nothing"


def test_who_takes_a_seat_over_gets_the_hand_and_the_question(
    sink: Sink, ann: Person, ben: Person, cleo: Person
) -> None:
    game = start_game(ann, ben)
    asked = asked_person(game, [ann, ben])
    offer = absence.offer_seat(asked.player, game)
    absence.take_seat(cleo.player, game, offer=offer.token)

    (mail,) = sent(sink, "taken_over")

    assert mail["To"] == cleo.player.email
    assert "Your hand (2 cards)" in text_of(mail) or "YOUR HAND (2 CARDS)" in text_of(mail)
    assert "You have until" in text_of(mail)
    assert [m["To"] for m in sent(sink, "left")] == [asked.player.email]


def test_a_pause_is_proposed_agreed_and_told(sink: Sink, ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    proposal = consent.propose(ann.player, game, "pause", seconds=3 * 86400)
    (asked,) = sent(sink, "proposal")
    assert asked["To"] == ben.player.email
    assert f"{ann.player.name} proposes to pause the game for 3 days" in text_of(asked)

    consent.answer(ben.player, game, proposal.pk, agree=True)

    assert len(sent(sink, "paused")) == 2
    again = consent.propose(ben.player, game, "resume")
    consent.answer(ann.player, game, again.pk, agree=True)
    assert len(sent(sink, "resumed")) == 2


def test_a_refusal_is_told_to_who_proposed(sink: Sink, ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    proposal = consent.propose(ann.player, game, "cancel")
    consent.answer(ben.player, game, proposal.pk, agree=False)

    (mail,) = sent(sink, "refused")

    assert mail["To"] == ann.player.email
    assert "call the game off" in text_of(mail)
    assert sent(sink, "proposal") == [], "it does not stand any more"


@pytest.mark.parametrize(
    ("ending", "words"),
    [("first_round", "before the first round"), ("agreed", "All agreed to call the game off")],
)
def test_a_cancelled_game_says_who_has_called_it_off(
    sink: Sink, ann: Person, ben: Person, ending: str, words: str
) -> None:
    game = start_game(ann, ben)
    if ending == "first_round":
        absence.call_off(ann.player, game)
    else:
        proposal = consent.propose(ann.player, game, "cancel")
        consent.answer(ben.player, game, proposal.pk, agree=True)

    assert Game.objects.get(pk=game).ending == ending
    assert all(words in text_of(mail) for mail in sent(sink, "cancelled"))
    assert len(sent(sink, "cancelled")) == 2


@pytest.mark.parametrize(
    ("absence_of", "words"),
    [
        ("move", "makes a safe move"),
        ("bot", "bot plays on"),
        ("replacement", "lose your seat"),
        ("forfeit", "you forfeit"),
    ],
)
def test_a_reminder_says_what_comes_when_time_is_up(
    sink: Sink, ann: Person, ben: Person, absence_of: str, words: str
) -> None:
    game = start_game(ann, ben, absence=absence_of)
    decision = let_half_run_out(game)
    clock.sweep()

    (mail,) = sent(sink, "reminder")

    assert words in " ".join(text_of(mail).split())
    assert mail["X-Dewan-Decision"] == decision


def let_half_run_out(game: str) -> str:
    decision = open_decision(game)
    let_run_out(game, left=decision.granted / 2)
    return decision.decision
