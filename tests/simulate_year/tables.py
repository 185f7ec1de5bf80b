"""The tables of the year: every option there is, and what befalls a game besides moves."""

from __future__ import annotations

from datetime import datetime
from random import Random
from typing import Any, NamedTuple

from engine.scenarios import SCENARIOS
from tests.simulate_year.people import YEAR_BEGINS
from tests.simulate_year.reckoning import DAY

HOURS = (1, 4, 12, 24, 24, 48, 72, 168)
"""The times for a move, in hours."""

ABSENCE = ("move", "bot", "replacement", "forfeit")

INCIDENTS = {
    "undo": 0.15,
    "agreed_undo": 0.08,
    "pause": 0.12,
    "hand_over": 0.08,
    "call_off": 0.02,
    "agreed_cancel": 0.01,
}
"""What befalls a game, each after one of its first answers, and in which part of all games."""

LATEST_INCIDENT = 40
"""After how many answers something can still befall a game."""


class Wanted(NamedTuple):
    """What a game is to be: when it is opened, its options, and its incidents by answer."""

    opened: datetime
    options: dict[str, Any]
    incidents: dict[int, str]
    is_joined: bool


def wanted(dice: Random) -> Wanted:
    """Draw a game of the year."""
    scenario = dice.choice(list(SCENARIOS))
    players = dice.choice(SCENARIOS[scenario].players)
    others = ["bot" if dice.random() < 0.04 else "open" for _ in range(players - 1)]
    options = {
        "players": players,
        "seats": ("me", *others),
        "scenario": scenario,
        "rests": dice.random() < 0.75,
        "absence": dice.choice(ABSENCE),
        "excused_misses": dice.randint(0, 2),
        **_times(dice),
    }
    opened = YEAR_BEGINS + dice.uniform(0, 340) * DAY
    return Wanted(opened, options, _incidents(dice, players), dice.random() > 0.02)


def _times(dice: Random) -> dict[str, int]:
    move_time = dice.choice(HOURS) * 3600
    if dice.random() < 0.6:
        return {"move_time": move_time}
    bank = move_time * dice.randint(1, 4)
    return {"move_time": move_time, "bank": bank, "bank_cap": min(2 * bank, 30 * 86400)}


def _incidents(dice: Random, players: int) -> dict[int, str]:
    found = {}
    for incident, share in INCIDENTS.items():
        latest = players if incident == "call_off" else LATEST_INCIDENT
        if dice.random() < share:
            found[dice.randint(1, latest)] = incident
    return found
