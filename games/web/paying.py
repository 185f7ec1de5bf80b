"""Routes and what pays for them, as choices to be tapped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from urllib.parse import urlencode

import msgspec
from django.urls import reverse

from engine import notation
from engine.commands import Camp, Payment
from engine.legal import RouteEntry
from engine.rules import payment, routes
from engine.rules.payment import Step
from engine.state import State
from games.web.board import Point, View, route_line
from games.web.faces import CardFace, card_face
from games.words import counted, listed


class RouteChoice(msgspec.Struct, frozen=True):
    """A route to a space: its line on the map, its words, its cost, and who is given cards.

    ``spent`` has the terrain to be spent for each step, None where any card will do.
    """

    line: str
    end: Point
    words: str
    spent: tuple[str | None, ...]
    gives: str
    href: str


def route_choice(view: View, entry: RouteEntry, names: Sequence[str]) -> RouteChoice:
    """Return a route of ``engine.legal.routes_to`` with the address that chooses it."""
    command = entry.command
    assert isinstance(command, Camp), "routes are for placing camps"
    terrain = {space["space"]: space["terrain"] for space in view["state"]["spaces"]}
    to = [names[step.to] for step in entry.steps if step.to is not None]
    gifts = [f"{counted(to.count(name), 'card')} to {name}" for name in dict.fromkeys(to)]
    start, *via, _ = command.route
    line = route_line(view, command.route)
    return RouteChoice(
        line=" ".join(f"{x:g},{y:g}" for x, y in line),
        end=line[-1],
        words=f"from {start} via {' '.join(via)}" if via else f"straight from {start}",
        spent=tuple(terrain[step.spaces[0]] for step in entry.steps),
        gives=listed(gifts),
        href=payment_path(view["id"], command.route),
    )


def payment_path(game_id: str, route: Sequence[str]) -> str:
    """Return where the payment of a route is chosen."""
    return f"{reverse('pay', args=[game_id])}?{urlencode({'route': '-'.join(route)})}"


def confirm_path(game_id: str, text: str) -> str:
    """Return where a line of notation is shown before it is played."""
    return f"{reverse('confirm', args=[game_id])}?{urlencode({'text': text})}"


class CardChoice(msgspec.Struct, frozen=True):
    """A card that can pay a step, how many such cards there are, whether it is preselected."""

    card: CardFace
    count: int
    preselected: bool


class StepChoices(msgspec.Struct, frozen=True):
    """A step of a route to be paid: the field of the form, what it needs, what can pay it."""

    field: str
    spaces: tuple[str, ...]
    terrain: str | None
    to: str
    cards: tuple[CardChoice, ...]


def step_choices(
    seen: State, seat: int, steps: Sequence[Step], names: Sequence[str]
) -> list[StepChoices]:
    """Return the steps with what can pay them, the default payment preselected.

    Of identical cards one stands for all. Raises IllegalMove if the hand cannot pay.
    """
    default = payment.default_payment(seen, seat, steps)
    return [
        StepChoices(
            field=f"step{number}",
            spaces=step.spaces,
            terrain=step.terrain,
            to=names[step.to] if step.to is not None else "",
            cards=_card_choices(seen, payment.usable(seen, seat, step), paid.card),
        )
        for number, (step, paid) in enumerate(zip(steps, default, strict=True), 1)
    ]


def _card_choices(seen: State, usable: Sequence[str], default: str) -> tuple[CardChoice, ...]:
    cards = seen.components.cards
    alike: dict[object, list[str]] = {}
    for card in usable:
        alike.setdefault(cards[card].face, []).append(card)
    return tuple(
        CardChoice(card_face(cards[same[0]]), len(same), default in same) for same in alike.values()
    )


def only_payment(seen: State, seat: int, steps: Sequence[Step]) -> tuple[Payment, ...] | None:
    """Return the payment if every one comes to the same; None if there is something to choose."""
    outcomes = list(islice(payment.outcomes(seen, seat, steps), 2))
    return outcomes[0] if len(outcomes) == 1 else None


def camp_text(seen: State, route: tuple[str, ...], paid: Sequence[Payment]) -> str:
    """Return the notation for placing a camp by a route with a payment."""
    return notation.text_of(seen, Camp(route=route, payment=tuple(paid)))


def named_payment(
    seen: State, seat: int, steps: Sequence[Step], picked: Sequence[str]
) -> list[Payment]:
    """Return a payment by the cards picked for the steps; a card picked twice stands for its copy.

    Raises IllegalMove if it does not pay the steps.
    """
    left = sorted(seen.tribes[seat].hand)
    paid = []
    for step, card in zip(steps, picked, strict=False):
        copy = _copy_of(seen, card, left)
        left = [other for other in left if other != copy]
        paid.append(Payment(card=copy, spaces=step.spaces))
    return list(payment.checked(seen, seat, steps, paid))


def _copy_of(seen: State, card: str, left: Sequence[str]) -> str:
    cards = seen.components.cards
    if card in left or card not in cards:
        return card
    return next((other for other in left if cards[other].face == cards[card].face), card)


def route_of(seen: State, seat: int, text: str) -> tuple[tuple[str, ...], list[Step]]:
    """Read a route as ``payment_path`` writes it; raise IllegalMove if it is none."""
    spaces = tuple(text.upper().split("-"))
    return spaces, routes.steps_of(seen, seat, spaces)
