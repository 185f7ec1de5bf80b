"""Whether a move can be taken back once it is made, as far as its seat can say beforehand.

It can until somebody acts, if nobody learns anything hidden from it (docs/flow.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine import events as e
from engine.commands import Command
from engine.preview import first_learnt
from engine.state import State

NEW_CARD = "a new card is turned up"
NEW_TILE = "a new story tile is turned up"
UNSEEN_TILE = "you see the top tile of the pile"
SHUFFLED = "the discard pile is shuffled"
REWARD = "it brings a reward card"
SHOWN = "it shows the others a card that only you know"
BARE_ROW = "no card is left in the row"
THE_END = "the game ends with it"

WHY: dict[type[e.Event], str] = {
    e.RowFilled: NEW_CARD,
    e.StoryRowFilled: NEW_TILE,
    e.StoryTaken: UNSEEN_TILE,
    e.PileShuffled: SHUFFLED,
    e.RewardDrawn: REWARD,
    e.CampPlaced: SHOWN,
    e.CardTucked: SHOWN,
    e.TurnEnded: BARE_ROW,
    e.GameEnded: THE_END,
}


def why_final(seen: State, seat: int, commands: Sequence[Command]) -> str:
    """Return why a seat's commands cannot be taken back, from its own view; empty if they can."""
    learnt = first_learnt(seen, seat, commands)
    return WHY[learnt] if learnt else ""
