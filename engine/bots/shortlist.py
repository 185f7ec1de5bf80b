"""A shortlist: good answers to what a seat is asked, best first (docs/bots.md).

It is no rule: what is legal and not on it can be played all the same. It is reckoned from the
seat's own view, with what the planner holds things to be worth, and always comes out the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine import commands as c
from engine import notation
from engine.bots import planner
from engine.commands import Command
from engine.legal import legal
from engine.notation import Entry
from engine.rules.routes import Route
from engine.state import State

DECLINES = (c.Tuck(card=None), c.Fish(card=None))
"""Answers that do nothing: they are always on a list, if only at its end."""


def best(seen: State, seat: int, limit: int) -> list[Entry]:
    """Return up to so many good answers, the best first; nothing if the seat is not asked.

    All answers there are, if they are so few. For a turn the better of takes and camps come
    first, and neither keeps the other off the list.
    """
    question = seen.question_of(seat)
    if question is None:
        return []
    listed = _turns if question.kind == "turn" else _answers
    commands = listed(seen, seat, limit)
    return [Entry(command, notation.text_of(seen, command)) for command in commands]


def _turns(seen: State, seat: int, limit: int) -> list[Command]:
    turn = planner.weigh_turn(seen, seat)
    routes = [*_one_to_each_space(turn.routes)]
    routes += [route for route in turn.routes if route not in routes]
    half = limit // 2
    takes = turn.takes[: max(half, limit - len(routes))]
    taking: list[Command] = [c.Take(places=places) for places in takes]
    camping = [planner.camp_by(seen, seat, route) for route in routes[: limit - len(takes)]]
    return [*camping, *taking] if turn.camps else [*taking, *camping]


def _one_to_each_space(routes: Iterable[Route]) -> Iterator[Route]:
    """Yield the first route to each space."""
    reached: set[str] = set()
    for route in routes:
        if route.spaces[-1] not in reached:
            reached.add(route.spaces[-1])
            yield route


def _answers(seen: State, seat: int, limit: int) -> list[Command]:
    answers = [entry.command for entry in legal(seen, seat)]
    ranked = sorted(answers, key=planner.worth_of(seen, seat), reverse=True)
    kept = ranked[:limit]
    declining = [command for command in ranked[limit:] if command in DECLINES]
    return [*kept[: limit - len(declining)], *declining]
