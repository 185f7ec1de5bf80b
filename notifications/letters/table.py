"""Mails about what has happened at a table: beginning and end, time, seats, pauses, proposals."""

from __future__ import annotations

from engine.events import Score
from engine.state import Question
from games import consent, selectors
from games.models import Proposal
from games.times import treatment
from games.words import CANCELLED, counted, listed, proposal_words, victory_words
from notifications import notices
from notifications.letters import asking, sections
from notifications.letters.letter import Letter, NoLongerTrue, Section
from notifications.letters.maps import the_map
from notifications.letters.reading import Reading, until


def started(reading: Reading) -> Letter:
    """Tell a player that the game has begun."""
    if reading.state.over:
        raise NoLongerTrue("the game is over")
    start = reading.names[reading.state.start_seat]
    return Letter(
        headline="The game has begun",
        preheader=f"{listed(reading.names)} are at the table",
        lines=[
            f"At the table: {listed(reading.names)}. {start} is the start player.",
            "You will get a mail when it is your turn.",
            *treatment(selectors.options_of(reading.game)).sentences,
        ],
        sections=[the_map(reading), sections.hand(reading), sections.on_offer(reading)],
        link=reading.link,
        link_label="Open the game",
    )


def timed_out(reading: Reading) -> Letter:
    """Tell a player what the clock has played for them."""
    return Letter(
        headline="Your time was up",
        preheader="The clock played for you",
        lines=["The clock has made a safe move for you, and the game goes on."],
        sections=[sections.played(reading, reading.mail.decision)],
        link=reading.link,
        link_label="Open the game",
    )


def taken_back(reading: Reading) -> Letter:
    """Tell a player that the turn they were told of was taken back."""
    if reading.state.question_of(reading.seat) is not None:
        raise NoLongerTrue("the seat is asked again")
    return Letter(
        headline="It is not your turn yet",
        preheader="The move before yours was taken back",
        lines=["The move before your turn was taken back. You will be told when it is your turn."],
        link=reading.link,
        link_label="Open the game",
    )


def game_over(reading: Reading) -> Letter:
    """Tell a player of the end, and the scores."""
    ended = reading.state.ended
    assert ended is not None, "a game that is over has ended"
    sides = sum(score.seats[0] in ended.winners for score in ended.scores)
    winners = victory_words([reading.names[seat] for seat in ended.winners], sides)
    scores = []
    for score in sorted(ended.scores, key=lambda score: -score.total):
        lines = [f"{line.label}: {line.points} ({line.rule})" for line in score.lines]
        title = f"{_side(reading, score)}: {counted(score.total, 'point')}"
        scores.append(Section(title, lines))
    return Letter(
        headline=f"The game is over: {winners}",
        preheader=listed([f"{_side(reading, score)} {score.total}" for score in ended.scores]),
        sections=[*scores, *sections.news(reading), the_map(reading, "The map at the end")],
        link=reading.link,
        link_label="Look back, or play again",
    )


def _side(reading: Reading, score: Score) -> str:
    return listed([reading.names[seat] for seat in score.seats])


def of_the_table(reading: Reading) -> Letter:
    """Tell of what has happened at the table with one row, and until when the seat can answer."""
    number = int(reading.mail.stage)
    if reading.state.over and reading.mail.kind != notices.SEAT_LEFT:
        raise NoLongerTrue("the game is over")
    (told,) = selectors.told_moves(reading.seen, number - 1, number)
    mine = reading.mail.kind == notices.SEAT_LEFT and reading.seat in reading.state.out
    headline = "You are out of the game" if mine else HEADLINES[reading.mail.kind]
    question = reading.question
    lines = [*told.sentences, *(until(reading).sentences if question else [])]
    return Letter(
        headline=headline,
        preheader=lines[0],
        lines=[*lines, *AFTERWORDS.get(reading.mail.kind, [])],
        sections=_asked_still(reading, question) if question else [],
        link=reading.link,
        link_label="Open the game",
    )


def _asked_still(reading: Reading, question: Question) -> list[Section]:
    """Return what a seat needs that is asked as before: all of it where time begins again."""
    if reading.mail.kind in BEGIN_AGAIN:
        return asking.position(reading, question)
    return [sections.hand(reading), *sections.stories(reading)]


BEGIN_AGAIN = (notices.TAKEN_OVER, notices.MISS_EXCUSED, notices.RESUMED, notices.OUTAGE)

HEADLINES = {
    notices.MISS_EXCUSED: "Your time was up, and it is excused",
    notices.AWAY: "A bot plays on for you",
    notices.SEAT_LEFT: "Somebody has left the game",
    notices.TAKEN_OVER: "You have taken over a seat",
    notices.PAUSED: "The game is paused",
    notices.RESUMED: "The pause is over",
    notices.OUTAGE: "We were out of order, and your clock has it back",
}

AFTERWORDS = {
    notices.AWAY: ["You are back as soon as you say so on the page of the game, or reply “back”."],
    notices.SEAT_LEFT: ["The game goes on."],
}
"""What is said besides of some news of the table."""


def proposal(reading: Reading) -> Letter:
    """Tell a player what somebody proposes."""
    proposal = _live_proposal(reading)
    return Letter(
        headline=f"{reading.names[proposal.seat]} proposes to {_proposed(proposal)}",
        lines=["It is done when all who play agree. Say yes or no on the page of the game."],
        link=f"{reading.link}#proposals",
        link_label="Answer",
    )


def _live_proposal(reading: Reading) -> Proposal:
    proposal = Proposal.objects.select_related("game").get(pk=int(reading.mail.stage))
    if not consent.stands(proposal) or reading.seat in proposal.agreed:
        raise NoLongerTrue("the proposal does not stand any more, or was answered")
    return proposal


def _proposed(proposal: Proposal) -> str:
    return proposal_words(proposal.kind, proposal.first, proposal.seconds)


def refused(reading: Reading) -> Letter:
    """Tell a player that somebody does not agree."""
    proposal = Proposal.objects.get(pk=int(reading.mail.stage))
    return Letter(
        headline="Your proposal was refused",
        lines=[f"You proposed to {_proposed(proposal)}. Not everybody agrees."],
        link=reading.link,
        link_label="Open the game",
    )


def cancelled(reading: Reading) -> Letter:
    """Tell a player that there is no game any more."""
    return Letter(
        headline="The game was called off",
        lines=[f"{CANCELLED[reading.game.ending]} It stays in your list, without a result."],
        link=reading.link,
        link_label="Open the game",
    )
