"""The bot seat, and the safe move when a player's time runs out (docs/bots.md).

It looks one camp ahead. Each free space is a plan: what a camp there would be worth now,
against the cards it costs and the turns until they are in hand. It places the camp of the
best plan when it can, and takes the 2 cards that help its best plans most when it cannot.
Points are points of the final score; everything is reckoned from the seat's own view.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine.board import areas
from engine.commands import Command
from engine.components import FIRE, Card
from engine.legal import legal
from engine.preview import foresee
from engine.rules import payment, routes, row
from engine.rules.map import destinations, served
from engine.rules.payment import Step
from engine.state import CampOnMap, State, Tucked

CARD = 0.6
"""What spending a card costs, in points."""

GIFT = 0.6
"""What it costs on top if the card goes to another player."""

CAMP = 1.5
"""What a camp on the map is worth by itself: it frees a place of the tribe board."""

FIRE_POINTS = 1.6
"""1 point, and a share of the 4 for most fire."""

BERRY_POINTS = 2.0
REWARD = 0.8
PLANS = 8
"""How many plans are weighed when cards are taken."""


Worth = Callable[[Command], float]
"""What an answer is worth to a seat, beside the others it could give to the same question."""


def choose(seen: State, seat: int) -> Command:
    """Return the bot's answer to what the seat is asked now, from the seat's own view."""
    question = seen.question_of(seat)
    assert question is not None, "only a seat that is asked has something to choose"
    if question.kind == "turn":
        return _turn(seen, seat)
    return max((entry.command for entry in legal(seen, seat)), key=worth_of(seen, seat))


def worth_of(seen: State, seat: int) -> Worth:
    """Return what weighs the answers to what the seat is asked now, unless that is a turn."""
    question = seen.question_of(seat)
    assert question is not None, "only a seat that is asked has something to weigh"
    return _WORTHS.get(question.kind, _best_for_me)(seen, seat)


# ---- What a position is worth ----------------------------------------------------------------


def prospects(seen: State, seat: int) -> float:
    """Return what the seat's story tiles, groups and berries promise, in points."""
    have = served(seen, seat)
    tiles = sum(
        _promise(seen, tile.story, have, completed=tile.completed)
        for tile in seen.tribes[seat].stories
    )
    side = next(number for number, seats in enumerate(seen.sides) if seat in seats)
    return tiles + sum(term.points(seen)[side] for term in seen.scenario.terms if term.on_map)


def _promise(seen: State, story: str, have: Counter[str], *, completed: bool) -> float:
    tile = seen.components.stories[story]
    worth = tile.points + FIRE_POINTS * tile.fire
    met = sum(min(have[what], times) for what, times in tile.requires.items())
    share = met / sum(tile.requires.values())
    if completed or share == 1:
        return worth + REWARD
    return worth * share * share * 0.8


def _with_camp(seen: State, seat: int, space: int) -> State:
    camps = (*seen.camps[:space], CampOnMap(seat, False), *seen.camps[space + 1 :])
    return replace(seen, camps=camps)


def _gains(seen: State, seat: int) -> dict[int, float]:
    """Return for every free space what a camp there adds to the seat's prospects."""
    before = prospects(seen, seat)
    return {
        space: CAMP + prospects(_with_camp(seen, seat, space), seat) + _berry(seen, space) - before
        for space in destinations(seen)
    }


def _berry(seen: State, space: int) -> float:
    area = areas(seen.board, seen.terrain).area_of(space)
    return BERRY_POINTS * any(seen.berries[near] for near in area)


# ---- Turns -----------------------------------------------------------------------------------


class Plan(msgspec.Struct, frozen=True):
    """A camp to come: what it is worth for each turn it takes, and the cards still missing."""

    worth: float
    steps: tuple[Step, ...]
    lacking: int


class Turn(msgspec.Struct, frozen=True):
    """What a seat can do with its turn: takes and routes, each the best first.

    ``camps`` tells whether the best route is better than the best take.
    """

    takes: tuple[row.Places, ...]
    routes: tuple[routes.Route, ...]
    camps: bool


def weigh_turn(seen: State, seat: int) -> Turn:
    """Return what the seat can do with its turn, from its own view."""
    gains = _gains(seen, seat)
    plans = _plans(seen, seat, gains)

    def worth(route: routes.Route) -> float:
        return gains[seen.board.index[route.spaces[-1]]] - _price(route.steps)

    ways = sorted(routes.cheapest_routes(seen, seat), key=worth, reverse=True)
    takes = sorted(row.takes(seen), key=partial(_take_worth, seen, seat, plans), reverse=True)
    promised = max((plan.worth for plan in plans), default=0)
    camps = bool(ways) and (not takes or worth(ways[0]) >= promised)
    return Turn(tuple(takes), tuple(ways), camps)


def camp_by(seen: State, seat: int, route: routes.Route) -> Command:
    """Return the camp at the end of a route, paid with the cards that are worth least."""
    paid = payment.default_payment(seen, seat, route.steps)
    return c.Camp(route=route.spaces, payment=paid)


def _turn(seen: State, seat: int) -> Command:
    turn = weigh_turn(seen, seat)
    return camp_by(seen, seat, turn.routes[0]) if turn.camps else c.Take(places=turn.takes[0])


def _price(steps: tuple[Step, ...]) -> float:
    return sum(CARD + GIFT * (step.to is not None) for step in steps)


def _plans(seen: State, seat: int, gains: dict[int, float]) -> list[Plan]:
    """Return the best plans, best first: one for each space, by an easy way to it."""
    plans = []
    spaces = routes.nodes(seen).spaces
    for node, steps in _easy_ways(seen, seat).items():
        space = max(spaces[node], key=lambda space: gains.get(space, 0.0))
        if space in gains:
            lacking = _lacking(seen, steps, list(seen.tribes[seat].hand))
            turns = 1 + (lacking + 1) // 2
            plans.append(Plan((gains[space] - _price(steps)) / turns, steps, lacking))
    plans.sort(key=lambda plan: -plan.worth)
    return plans[:PLANS]


def _easy_ways(seen: State, seat: int) -> dict[int, tuple[Step, ...]]:
    """Return a way from the nearest camp to every space; terrains in hand are half the way."""
    cards = [seen.components.cards[card] for card in seen.tribes[seat].hand]
    nodes = routes.nodes(seen)
    ways: dict[int, tuple[Step, ...]] = {}
    edge: list[tuple[float, int, int, tuple[Step, ...]]] = []
    pushed = count()

    def push(length: float, node: int, before: tuple[Step, ...]) -> None:
        step = routes.step(seen, seat, nodes.spaces[node])
        at_hand = step.terrain is None or any(card.shows(step.terrain) for card in cards)
        length += 1 if at_hand else 2
        heapq.heappush(edge, (length, next(pushed), node, (*before, step)))

    for start in seen.camps_of(seat):
        push(0, nodes.of[start], ())
    while edge:
        length, _, node, steps = heapq.heappop(edge)
        if node not in ways:
            ways[node] = steps
            for near in nodes.near[node]:
                if near not in ways:
                    push(length, near, steps)
    return ways


def _lacking(seen: State, steps: tuple[Step, ...], hand: list[str]) -> int:
    return len(steps) - payment.payable(seen, hand, steps)


def _take_worth(seen: State, seat: int, plans: list[Plan], places: row.Places) -> float:
    cards = [card for place in places if (card := seen.row[place - 1])]
    hand = [*seen.tribes[seat].hand, *cards]
    helped = sum(
        max(plan.worth, 0.1) * (plan.lacking - _lacking(seen, plan.steps, hand))
        for plan in plans
        if plan.lacking
    )
    return helped + sum(_use(seen.components.cards[card]) for card in cards)


def _use(card: Card) -> float:
    """Return what a card is good for in general: it fits more steps, or may be tucked."""
    return 0.2 * len(card.sides) + 0.3 * any(side.symbol for side in card.sides)


# ---- Story tiles and tucking -----------------------------------------------------------------


def _story(seen: State, seat: int) -> Worth:
    """Weigh the tiles of the row; the unseen one of the pile comes last."""
    have = served(seen, seat)
    shared: Counter[str] = Counter()
    for tile in seen.tribes[seat].stories:
        if not tile.completed:
            shared |= Counter(seen.components.stories[tile.story].requires)

    def worth(command: Command) -> float:
        assert isinstance(command, c.Story)
        if command.place == c.PILE:
            return 0.0
        tile = seen.components.stories[seen.story_row[command.place - 1] or ""]
        wanted = Counter(tile.requires) - have
        work = (wanted - shared).total() + 0.4 * (wanted & shared).total()
        return (tile.points + FIRE_POINTS * tile.fire) / (1.5 + work)

    return worth


def _tuck(seen: State, seat: int) -> Worth:
    """Weigh what a tucked card adds to the prospects; nothing is better than too little."""
    before = prospects(seen, seat)
    tribe = seen.tribes[seat]

    def worth(command: Command) -> float:
        assert isinstance(command, c.Tuck)
        if command.card is None:
            return 0.0
        tucked = (*tribe.tucked, Tucked(0, command.card, command.side))
        tribes = tuple(
            replace(t, tucked=tucked) if number == seat else t
            for number, t in enumerate(seen.tribes)
        )
        symbol = seen.components.cards[command.card].sides[command.side].symbol
        after = prospects(replace(seen, tribes=tribes), seat)
        return after - before + FIRE_POINTS * (symbol == FIRE) - CARD / 2

    return worth


def _fish(seen: State, seat: int) -> Worth:
    """Weigh the cards to give, the least first: fish are worth more than any card."""
    order = payment.least_first(seen, seat)

    def worth(command: Command) -> float:
        assert isinstance(command, c.Fish)
        return -len(order) if command.card is None else -order.index(command.card)

    return worth


def _best_for_me(seen: State, seat: int) -> Worth:
    """Weigh how well off an answer leaves the seat against the others who can still win."""

    def worth(command: Command) -> float:
        after = foresee(seen, seat, command).after
        others = [prospects(after, other) for other in after.seats_in_play if other != seat]
        return prospects(after, seat) - sum(others) / len(others)

    return worth


_WORTHS: dict[str, Callable[[State, int], Worth]] = {
    "draft": _story,
    "story": _story,
    "tuck": _tuck,
    "fish": _fish,
}
