"""Mails that ask for an answer: a turn, and reminders of it."""

from __future__ import annotations

from engine.commands import Story
from engine.questions import KINDS
from engine.state import Question
from games.models import Game
from games.times import WHEN_UP
from notifications import tokens
from notifications.letters import sections
from notifications.letters.choices import choices
from notifications.letters.letter import Letter, Section
from notifications.letters.maps import the_map
from notifications.letters.reading import Reading, asked, until

STAGES = {
    "half": "Half of your time is over.",
    "last_tenth": "Only the last tenth of your time is left.",
    "last_hour": "The last hour of your time has begun.",
}
"""What a reminder says of its stage."""


def turn(reading: Reading) -> Letter:
    """Tell a seat what it is asked."""
    question = asked(reading)
    return _asking(reading, question, f"Your turn: {KINDS[question.kind].asks}", [])


def reminder(reading: Reading) -> Letter:
    """Tell a seat again what it is asked, and what happens when its time is over."""
    question = asked(reading)
    stage = STAGES[reading.mail.stage.partition("+")[0]]
    lines = [f"{stage} When it is over, {_when_time_is_up(reading)}."]
    return _asking(reading, question, f"Reminder: {KINDS[question.kind].asks}", lines)


def _when_time_is_up(reading: Reading) -> str:
    if reading.place.misses < reading.game.excused_misses:
        return "that miss is excused, and you have the time of a move again"
    return WHEN_UP[Game.Absence(reading.game.absence)].to_you


def _asking(reading: Reading, question: Question, headline: str, lines: list[str]) -> Letter:
    time = until(reading)
    return Letter(
        headline=headline,
        preheader=f"{headline}, until {time.when}",
        lines=[*lines, *time.sentences],
        sections=asking(reading, question),
        link=reading.link,
        link_label="Open the game",
    )


def asking(reading: Reading, question: Question) -> list[Section]:
    """Return all one needs to answer a question, but for the time that is left."""
    return [*sections.news(reading), *position(reading, question)]


def position(reading: Reading, question: Question) -> list[Section]:
    """Return the table as it is, what can be played, and how.

    Who is to choose a story tile finds what is on offer among the choices.
    """
    return [
        the_map(reading),
        sections.at_the_table(reading),
        sections.hand(reading),
        *sections.stories(reading),
        *([] if question.kind in Story.answers else [sections.row(reading)]),
        choices(reading),
        how_to_answer(),
        *sections.notes(reading),
    ]


def how_to_answer() -> Section:
    """Return how a seat can answer besides by the links of the numbered moves."""
    return Section("How to answer", BY_REPLY if tokens.replies_work() else ON_THE_PAGE)


BY_REPLY = [
    "Reply with the number, or with moves in the first lines, one per line.",
    "Other words: legal, board, undo, note …, say …, help.",
]
ON_THE_PAGE = ["Open the game, and play there."]
