"""Ways to play: each answers what a seat is asked, from the seat's own view."""

from __future__ import annotations

from collections.abc import Sequence

from engine import bots
from engine import commands as c
from engine import events as e
from engine.commands import Command
from engine.legal import legal
from engine.preview import foresee
from engine.rules import row
from engine.state import State
from tests.engine.game import Dice, Policy


def bot(seen: State, seat: int, _: Dice) -> Command:
    """Play like the bot seat."""
    return bots.choose(seen, seat)


def anything(seen: State, seat: int, dice: Dice) -> Command:
    """Choose evenly: first whether to take or to place, then how."""
    answers = _answers(seen, seat)
    camps = [answer for answer in answers if isinstance(answer, c.Camp)]
    return dice.pick(camps if camps and dice.one_in(2) else answers)


def hoarder(seen: State, seat: int, dice: Dice) -> Command:
    """Take cards as long as there are any, tuck none."""
    if seen.questions[0].kind == "turn" and (places := row.takes(seen)):
        return c.Take(places=dice.pick(places))
    if seen.questions[0].kind == "tuck":
        return c.Tuck(card=None)
    return dice.pick(_answers(seen, seat))


def spender(seen: State, seat: int, dice: Dice) -> Command:
    """Place a camp whenever possible, by one of the longest ways, and tuck whatever there is."""
    answers = _answers(seen, seat)
    camps = [answer for answer in answers if isinstance(answer, c.Camp)]
    longest = max((len(camp.payment) for camp in camps), default=0)
    far = [camp for camp in camps if len(camp.payment) == longest]
    tucks = [a for a in answers if isinstance(a, c.Tuck) and a.card]
    return dice.pick(far or tucks or answers)


def stirrer(seen: State, seat: int, dice: Dice) -> Command:
    """Cover what splits an area with berries, best if one is odd; else choose evenly."""
    answers = _answers(seen, seat)
    if not isinstance(answers[0], c.Water | c.Lava):
        return anything(seen, seat, dice)
    worth = [_splits(seen, seat, answer) for answer in answers]
    return dice.pick([a for a, w in zip(answers, worth, strict=True) if w == max(worth)])


def _splits(seen: State, seat: int, cover: Command) -> int:
    foreseen = foresee(seen, seat, cover)
    odd = any(question.kind == "share" for question in foreseen.after.questions)
    return 2 * odd + any(isinstance(event, e.BerriesMoved) for event in foreseen.events)


def _answers(seen: State, seat: int) -> Sequence[Command]:
    return [entry.command for entry in legal(seen, seat)]


POLICIES: dict[str, Policy] = {
    "bot": bot,
    "anything": anything,
    "hoarder": hoarder,
    "spender": spender,
    "stirrer": stirrer,
}
