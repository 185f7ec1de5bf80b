"""The kinds of question a seat can be asked, in words, and the refusal of an answer to another."""

from __future__ import annotations

import msgspec

from engine.errors import IllegalMove
from engine.state import Question


class Kind(msgspec.Struct, frozen=True):
    """A kind of question: the rule that asks it, and what it asks a seat to do."""

    rule: str
    asks: str
    in_mid_turn: bool = False
    """Whether a seat's own move causes it, so that it can be answered in advance."""
    of_scenario: bool = False
    """Whether only some scenarios ask it."""
    sealed: bool = False
    """Whether nobody learns who has answered what before all have."""


KINDS = {
    "draft": Kind("R2.6", "choose your first story tile"),
    "turn": Kind("R3.1", "take 2 cards or place a camp"),
    "story": Kind("R5.2", "choose a story tile", in_mid_turn=True),
    "tuck": Kind("R5.3", "tuck a card or decline", in_mid_turn=True),
    "water": Kind("R11.2", "place a water tile", in_mid_turn=True, of_scenario=True),
    "lava": Kind("R12.1", "place a lava tile", in_mid_turn=True, of_scenario=True),
    "share": Kind("R11.3", "say where the odd berry goes", in_mid_turn=True, of_scenario=True),
    "fish": Kind(
        "R13.5",
        "discard a card for fish or decline",
        in_mid_turn=True,
        of_scenario=True,
        sealed=True,
    ),
}
KINDS_OF_SCENARIOS = {name for name, kind in KINDS.items() if kind.of_scenario}


def check_answers(question: Question, answers: tuple[str, ...]) -> None:
    """Raise IllegalMove unless something that answers these kinds answers the question."""
    if question.kind not in answers:
        kind = KINDS[question.kind]
        raise IllegalMove(kind.rule, f"you are asked to {kind.asks}")
