"""What a seat may answer now: every entry can be submitted as it is (docs/api.md).

Works on the seat's own view (``views.mask``), with the same predicates as ``engine.decide``.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from engine import commands as c
from engine import notation
from engine.commands import Command
from engine.notation import Entry
from engine.rules import payment, routes, row, stories
from engine.rules.payment import Step
from engine.state import State


class StepChoice(msgspec.Struct, frozen=True):
    """A step of a route: its spaces, the hand cards that can pay it, the seat that gets it."""

    spaces: tuple[str, ...]
    cards: tuple[str, ...]
    to: int | None


class RouteEntry(msgspec.Struct, frozen=True):
    """A route with its default payment, and what else could pay each step."""

    command: Command
    text: str
    steps: tuple[StepChoice, ...]


def legal(seen: State, seat: int) -> list[Entry]:
    """Return what the seat may answer, from its own view; nothing if it is not asked.

    For a turn: every take, and the cheapest routes to every space with their default payment.
    """
    question = seen.question_of(seat)
    if question is None:
        return []
    brought = seen.scenario.asks.get(question.kind)
    choices = brought.choices if brought else _ANSWERS[question.kind]
    return [_entry(seen, command) for command in choices(seen, seat)]


class Routes(msgspec.Struct, frozen=True):
    """Every undominated route to a space; ``complete`` is false if there are too many to list."""

    entries: tuple[RouteEntry, ...]
    complete: bool


def routes_to(seen: State, seat: int, to: str) -> Routes:
    """Return every undominated route the seat can pay to one space, from its own view.

    Nothing if the seat is not asked for a turn. Raises IllegalMove for a space that is not there.
    """
    question = seen.question_of(seat)
    if question is None or question.kind != "turn":
        return Routes((), True)
    found, complete = routes.undominated_routes(seen, seat, to)
    return Routes(tuple(_route_entry(seen, seat, route) for route in found), complete)


def _route_entry(seen: State, seat: int, route: routes.Route) -> RouteEntry:
    command = _camp(seen, seat, route)
    return RouteEntry(command, notation.text_of(seen, command), _choices(seen, seat, route.steps))


def _choices(seen: State, seat: int, steps: tuple[Step, ...]) -> tuple[StepChoice, ...]:
    return tuple(
        StepChoice(step.spaces, tuple(payment.usable(seen, seat, step)), step.to) for step in steps
    )


def _entry(seen: State, command: Command) -> Entry:
    return Entry(command, notation.text_of(seen, command))


def _camp(seen: State, seat: int, route: routes.Route) -> c.Camp:
    paid = payment.default_payment(seen, seat, route.steps)
    return c.Camp(route=route.spaces, payment=paid)


def _turn(seen: State, seat: int) -> list[Command]:
    takes = [c.Take(places=places) for places in row.takes(seen)]
    return [*takes, *(_camp(seen, seat, route) for route in routes.cheapest_routes(seen, seat))]


def _story(seen: State, _: int) -> list[Command]:
    return [c.Story(place=place) for place in stories.choices(seen)]


def _tuck(seen: State, seat: int) -> list[Command]:
    cards = seen.components.cards
    return [
        *(
            c.Tuck(card=card, side=side)
            for card in sorted(seen.tribes[seat].hand)
            for side in range(len(cards[card].sides))
        ),
        c.Tuck(card=None),
    ]


_ANSWERS: dict[str, Callable[[State, int], list[Command]]] = {
    "draft": _story,
    "turn": _turn,
    "story": _story,
    "tuck": _tuck,
}
