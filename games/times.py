"""Time in words: how a table treats it, what rests a clock, how fast somebody answers.

``options`` are those of a view: lengths in seconds (docs/api.md, *View*).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from games.models import Game
from games.pace import Pace
from games.words import CANCELLED, ENDINGS, duration_words, listed

Options = Mapping[str, Any]


# ---- How a table treats time -------------------------------------------------------------------


class WhenUp(msgspec.Struct, frozen=True):
    """What a table can do when somebody's time is up: its name, and what it comes to.

    ``to_you`` says it to whose time it is.
    """

    name: str
    comes_to: str
    to_you: str


WHEN_UP = {
    Game.Absence.MOVE: WhenUp(
        "A safe move",
        "the clock makes a safe move for the player, who goes on playing",
        "the clock makes a safe move for you",
    ),
    Game.Absence.BOT: WhenUp(
        "A bot plays on",
        "a bot plays on until the player is back",
        "a bot plays on for you until you return",
    ),
    Game.Absence.REPLACEMENT: WhenUp(
        "The seat is free",
        "the player loses the seat: a bot plays on until somebody takes it",
        "you lose your seat: a bot plays on until somebody else takes it",
    ),
    Game.Absence.FORFEIT: WhenUp(
        "The seat is out",
        "the seat forfeits: camps stay, turns are skipped, and it cannot win",
        "you forfeit: your camps stay, and your turns are skipped",
    ),
}


class Treatment(msgspec.Struct, frozen=True):
    """How a table treats time, in a few words and in sentences."""

    short: str
    sentences: tuple[str, ...]


def treatment(options: Options) -> Treatment:
    """Return how a table treats time: what a turn has, what rests clocks, when time is up."""
    sentences = (_has_sentence(options), _rests_sentence(options), _up_sentence(options))
    return Treatment(turn_words(options), sentences)


def turn_words(options: Options) -> str:
    """Return what a turn has, such as ``3 days a turn``, or of a bank ``3 days + 12 hours a turn``.

    The bank has its cap too.
    """
    added = f"{duration_words(options['move_time'])} a turn"
    if options["bank"] is None:
        return added
    bank, cap = duration_words(options["bank"]), duration_words(options["bank_cap"])
    return f"{bank} + {added}, up to {cap}"


def _has_sentence(options: Options) -> str:
    added = duration_words(options["move_time"])
    if options["bank"] is None:
        return f"Each turn has {added}."
    bank, cap = duration_words(options["bank"]), duration_words(options["bank_cap"])
    return (
        f"Each player has a bank of time: {bank} to begin with, {added} more with each turn, and"
        f" never more than {cap}."
    )


def _rests_sentence(options: Options) -> str:
    if options["rests"]:
        return "A player’s clock rests in their night hours, on their free days and on vacation."
    return "Clocks never rest: night hours, free days and vacations count as well."


def _up_sentence(options: Options) -> str:
    comes_to = WHEN_UP[options["absence"]].comes_to
    excused = options["excused_misses"]
    if not excused:
        return f"When time is up, {comes_to}."
    times = TIMES.get(excused, f"{excused} times")
    return f"{times} a seat is excused, and has the time of a turn again; after that {comes_to}."


TIMES = {1: "Once", 2: "Twice"}


# ---- What rests a clock ------------------------------------------------------------------------

RESTS = {
    "night": "in {whose} night hours",
    "weekday": "on {whose} free days",
    "vacation": "on {whose} vacation",
    "stopped": "while the game is paused",
}
"""What a clock rests in, as a sentence about it ends."""


def rest_words(resting: str | None, rests: Sequence[str], *, whose: str) -> str:
    """Return what rests a clock now and until its deadline; ``whose`` is ``your`` or ``their``."""
    if not rests:
        return f"Nothing rests {whose} clock before."
    until = listed([RESTS[rest].format(whose=whose) for rest in rests])
    if resting is None:
        return f"Until then {whose} clock rests {until}."
    now = RESTS[resting].format(whose=whose)
    return f"{whose.capitalize()} clock rests now, {now}; until then it rests {until}."


# ---- Pace --------------------------------------------------------------------------------------

NEW_HERE = "new here"
"""What is said of who has not played enough to be reckoned."""


def pace_words(pace: Pace | None) -> str:
    """Return how fast somebody answers, in full."""
    if pace is None:
        return NEW_HERE
    half, slow = _length(pace.median), _length(pace.slow)
    return (
        f"{pace.turns} turns: half answered within {half}, 9 of 10 within {slow};"
        f" {_share(pace)} in time"
    )


def short_pace_words(pace: Pace | None) -> str:
    """Return how fast somebody answers, for a list."""
    return f"{_length(pace.median)}, {_share(pace)} in time" if pace else NEW_HERE


def _length(seconds: int) -> str:
    return duration_words(max(seconds, 1))


def _share(pace: Pace) -> str:
    """Return the share in time, rounded down: all of it is all of it."""
    return f"{int(pace.in_time * 100)}\N{NO-BREAK SPACE}%"


# ---- Leaving, and the end ----------------------------------------------------------------------

LEFT = {
    "resigned": "You resigned",
    "timed_out": "Your time was up, and you lost your seat",
    "handed_over": "You handed your seat over",
}
"""How somebody's time on a seat ended (``games.models.Sitting.how``), as it is said to them."""

CALLED_OFF = "Whoever opened the table called it off before the game."


def ending_words(ending: str | None) -> str:
    """Return how a game ended; empty while it goes on."""
    ways = {"": "", **ENDINGS, **CANCELLED, "called_off": CALLED_OFF}
    return ways[ending or ""]


def leaving_words(view: Mapping[str, Any]) -> list[str]:
    """Return what becomes of a seat that its player gives up, by the table's choice."""
    if view["status"] == Game.Status.OPEN:
        return ["The seat is free again for somebody else."]
    if view["absence"] == Game.Absence.FORFEIT:
        return [
            "Your seat forfeits: your camps stay, your turns are skipped, and you cannot win.",
            "The others go on; when only one side is left, the game ends at once and they win.",
            "You can look on, and the game stays in your list.",
        ]
    return [
        "A bot plays on for your seat until somebody takes it: the others can go on.",
        "You get no more mails about this game.",
        "Anybody may watch it, and so may you."
        if view["visibility"] == Game.Visibility.PUBLIC
        else "It is private: you see nothing more of it.",
    ]
