"""Whether a move can be taken back once it is made, as far as its seat can say beforehand.

It can until somebody acts, if nobody learns anything hidden from it (docs/flow.md). A preview
stops before its own seat would learn something; what makes it stop, or comes after it at the
end of the turn, is told from the state it stops at.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine import commands as c
from engine.commands import Command
from engine.errors import GameError
from engine.preview import foresee
from engine.rules import stories
from engine.rules.turn import end_reason
from engine.scenario import SMALL_PILE
from engine.state import State
from engine.views import learners

NEW_CARD = "a new card is turned up"
NEW_TILE = "a new story tile is turned up"
UNSEEN_TILE = "you see the top tile of the pile"
SHUFFLED = "the discard pile is shuffled"
REWARD = "it brings a reward card"
SHOWN = "it shows the others a card that only you know"
BARE_ROW = "no card is left in the row"
THE_END = "the game ends with it"


def why_final(seen: State, seat: int, commands: Sequence[Command]) -> str:
    """Return why a seat's commands cannot be taken back, from its own view; empty if they can."""
    waiting = list(commands)
    while waiting:
        command = waiting.pop(0)
        try:
            foreseen = foresee(seen, seat, command)
        except GameError:
            return ""  # Sent in advance, and not possible any more: it will not be played.
        if any(learners(seen, event) for event in foreseen.events):
            return SHOWN
        seen = foreseen.after
        if reason := _revealed(seen, seat, command):
            return reason
        waiting = waiting or _forced(seen, seat)
    return ""


def _forced(state: State, seat: int) -> list[Command]:
    """Return the answer to a question that has only one, which is not asked (R14.1)."""
    asked = state.question_of(seat)
    if asked is None or asked.kind != "story":
        return []
    choices = stories.choices(state)
    return [c.Story(place=choices[0])] if len(choices) == 1 else []


def _revealed(after: State, seat: int, command: Command) -> str:
    """Return what becomes known right after what was foreseen of a command."""
    if isinstance(command, c.Story):
        if command.place == c.PILE:
            return UNSEEN_TILE
        if after.story_pile:
            return NEW_TILE
    return "" if after.questions else _revealed_at_turn_end(after, seat)


def _revealed_at_turn_end(state: State, seat: int) -> str:
    may_draw = bool(state.reward_pile or state.discard)
    if None in state.row and (state.row_pile or may_draw):
        return NEW_CARD
    if state.small_pile == () and state.discard and len(state.reward_pile) < _small(state):
        return SHUFFLED
    if may_draw and any(
        not tile.completed and not stories.missing(state, seat, tile.story)
        for tile in state.tribes[seat].stories
    ):
        return REWARD
    if not any(state.row):
        return BARE_ROW
    last_of_round = (seat + 1) % len(state.tribes) == state.start_seat
    return THE_END if last_of_round and end_reason(state) else ""


def _small(state: State) -> int:
    return SMALL_PILE[len(state.tribes)]
