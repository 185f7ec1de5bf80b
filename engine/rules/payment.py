"""Paying for a route: what can pay which step, and what leaves a hand (R3.6d-R3.11, R7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement

import msgspec

from engine.commands import Payment
from engine.components import TERRAINS, Card
from engine.errors import IllegalMove
from engine.state import State


class Step(msgspec.Struct, frozen=True):
    """A step of a route: its spaces, the terrain its card must show (None: any), who gets it."""

    spaces: tuple[str, ...]
    terrain: str | None
    to: int | None


# Counts of steps by terrain are packed into one integer, so that the search can compare
# thousands of them: a field of 8 bits for each terrain and one for "any card".
_BITS = 8
_GUARDS = sum(1 << (_BITS * (i + 1) - 1) for i in range(len(TERRAINS) + 1))


@cache
def unit(index: int) -> int:
    """Return the packed count that is 1 in field ``index`` and 0 elsewhere."""
    return 1 << (_BITS * index)


UNIT: dict[str | None, int] = {terrain: unit(i) for i, terrain in enumerate((*TERRAINS, None))}


def contains(counts: int, part: int) -> bool:
    """Tell whether every packed count is at least as large as the same count of ``part``."""
    return ((counts | _GUARDS) - part) & _GUARDS == _GUARDS


_SETS = [
    (fields, sum(1 << field for field in fields))
    for size in range(1, len(TERRAINS) + 1)
    for fields in combinations(range(len(TERRAINS)), size)
]
"""Every set of terrains, as their fields and as bits."""


@cache
def _shown(card: Card) -> int:
    """Return the terrains that a card shows, as bits."""
    return sum(1 << TERRAINS.index(side.terrain) for side in card.sides)


class Purse:
    """What a hand can pay.

    By Hall's theorem it pays some steps if for every set of terrains there are at least as many
    cards that show one of them as steps that need one of them.
    """

    def __init__(self, state: State, seat: int) -> None:
        cards = [_shown(state.components.cards[card]) for card in state.tribes[seat].hand]
        self._size = len(cards)
        self._showing = [
            (fields, sum(1 for card in cards if card & terrains)) for fields, terrains in _SETS
        ]
        self._answers: dict[int, bool] = {}

    def pays(self, counts: int) -> bool:
        """Tell whether the hand can pay this many steps of each terrain, packed."""
        answer = self._answers.get(counts)
        if answer is None:
            answer = self._answers[counts] = self._reckon(counts)
        return answer

    def _reckon(self, counts: int) -> bool:
        need = [(counts >> (_BITS * i)) & 0xFF for i in range(len(TERRAINS) + 1)]
        return sum(need) <= self._size and all(
            sum(need[i] for i in fields) <= cards for fields, cards in self._showing
        )


def usable(state: State, seat: int, step: Step) -> list[str]:
    """Return the hand cards that can pay a step, in the order of their ids (R3.6d, R3.7)."""
    return _showing(state, sorted(state.tribes[seat].hand), step)


def _showing(state: State, cards: Sequence[str], step: Step) -> list[str]:
    known = state.components.cards
    return [card for card in cards if step.terrain is None or known[card].shows(step.terrain)]


def payable(state: State, cards: Sequence[str], steps: Sequence[Step]) -> int:
    """Return how many of the steps these cards can pay together."""
    can_pay = [set(_showing(state, cards, step)) for step in steps]
    return len(_assigned(cards, can_pay))


def _assigned(cards: Iterable[str], can_pay: list[set[str]]) -> dict[str, int]:
    """Assign as many cards as possible to steps, earlier cards first: card to step number."""
    pays: dict[str, int] = {}
    for card in cards:
        _assign(card, can_pay, pays, set())
    return pays


def default_payment(state: State, seat: int, steps: Sequence[Step]) -> tuple[Payment, ...]:
    """Choose the payment that ``auto`` stands for: it spends the cards that are worth least.

    Cards without a symbol go before cards with one, single-terrain before two-terrain, lower
    ids before higher. Sets of cards that can pay form a matroid, so taking them greedily in
    this order is best. Raises IllegalMove if the hand cannot pay.
    """
    can_pay = [set(usable(state, seat, step)) for step in steps]
    pays = _assigned(least_first(state, seat), can_pay)
    if len(pays) < len(steps):
        raise IllegalMove("R3.6", "your hand cannot pay every step of this route")
    card_of = {step: card for card, step in pays.items()}
    return tuple(
        Payment(card=card_of[number], spaces=step.spaces) for number, step in enumerate(steps)
    )


def least_first(state: State, seat: int) -> list[str]:
    """Return a seat's hand, the cards that are worth least first."""
    cards = state.components.cards
    return sorted(state.tribes[seat].hand, key=lambda card: (_worth(cards[card]), card))


def _worth(card: Card) -> tuple[bool, int]:
    return any(side.symbol for side in card.sides), len(card.sides)


def _assign(card: str, can_pay: list[set[str]], pays: dict[str, int], tried: set[int]) -> bool:
    """Let a card pay a step, moving other cards to other steps if need be (augmenting path)."""
    for step, cards in enumerate(can_pay):
        if card in cards and step not in tried:
            tried.add(step)
            holder = next((other for other, paid in pays.items() if paid == step), None)
            if holder is None or _assign(holder, can_pay, pays, tried):
                pays[card] = step
                return True
    return False


def outcomes(state: State, seat: int, steps: Sequence[Step]) -> Iterator[tuple[Payment, ...]]:
    """Yield one payment for each different result: what is kept, and what each seat is given.

    Identical cards make no difference (R3.11, R7.2); the default payment comes first. Every
    branch that is tried leads to a result, however many orders of the cards come to the same.
    """
    default = default_payment(state, seat, steps)
    yield default
    first = _result(state, steps, default)
    for spent in _Spending(state, seat, steps).results():
        chosen = _paid_with(state, steps, spent)
        if _result(state, steps, chosen) != first:
            yield chosen


def _result(state: State, steps: Sequence[Step], payment: Sequence[Payment]) -> object:
    faces = state.components.cards
    spent = zip(steps, payment, strict=True)
    return tuple(sorted((-1 if s.to is None else s.to, faces[p.card].face) for s, p in spent))


Spent = dict[str, int | None]
"""Cards that are spent, and who is given each (None: the discard pile)."""


class _Spending:
    """A search for every different way to spend cards on steps, one kind of card after another."""

    def __init__(self, state: State, seat: int, steps: Sequence[Step]) -> None:
        self._can_pay = [frozenset(usable(state, seat, step)) for step in steps]
        self._receivers = [step.to for step in steps]
        alike: dict[object, list[str]] = {}
        for card in sorted(state.tribes[seat].hand):
            alike.setdefault(state.components.cards[card].face, []).append(card)
        self._kinds = list(alike.values())

    def results(self) -> Iterator[Spent]:
        """Yield what may be spent; no two ways are the same but for identical cards."""
        yield from self._extend({}, 0)

    def _extend(self, spent: Spent, number: int) -> Iterator[Spent]:
        if not self._can_be_completed(spent, self._kinds[number:]):
            return
        if number == len(self._kinds):
            yield spent
            return
        copies = self._kinds[number]
        for more in self._shared_out(copies):
            yield from self._extend(spent | more, number + 1)

    def _shared_out(self, copies: list[str]) -> Iterator[Spent]:
        """Yield every way to spend some of these identical cards."""
        receivers = sorted(set(self._receivers), key=lambda to: -1 if to is None else to)
        for size in range(len(copies) + 1):
            for given in combinations_with_replacement(receivers, size):
                yield dict(zip(copies, given, strict=False))

    def _can_be_completed(self, spent: Spent, rest: list[list[str]]) -> bool:
        """Tell whether steps are left for all that is spent, and cards for all steps.

        One matching covers the steps and another the spent cards; then one covers both
        (Mendelsohn and Dulmage).
        """
        free = {card for copies in rest for card in copies}
        pays = [
            {card for card in can if card in free or (card in spent and spent[card] == to)}
            for can, to in zip(self._can_pay, self._receivers, strict=True)
        ]
        every = len(_assigned([*spent, *free], pays)) == len(pays)
        return every and len(_assigned(spent, pays)) == len(spent)


def _paid_with(state: State, steps: Sequence[Step], spent: Spent) -> tuple[Payment, ...]:
    """Return the payment that spends exactly these cards."""
    can_pay = [
        {card for card in _showing(state, list(spent), step) if spent[card] == step.to}
        for step in steps
    ]
    card_of = {step: card for card, step in _assigned(spent, can_pay).items()}
    return tuple(
        Payment(card=card_of[number], spaces=step.spaces) for number, step in enumerate(steps)
    )


def checked(
    state: State, seat: int, steps: Sequence[Step], payment: Sequence[Payment]
) -> tuple[Payment, ...]:
    """Return a payment in step order; raise IllegalMove if it does not pay the steps (R3.6d)."""
    by_spaces = {paid.spaces: paid for paid in payment}
    named = {step.spaces for step in steps}
    for spaces in by_spaces:
        if spaces not in named:
            raise IllegalMove("R3.6", f"{' '.join(spaces)} is not a step of the route")
    for step in steps:
        if step.spaces not in by_spaces:
            raise IllegalMove("R3.6", f"nothing pays for {' '.join(step.spaces)}")
    if len(payment) > len(steps):
        raise IllegalMove("R3.6", "spend exactly 1 card for each step")
    ordered = tuple(by_spaces[step.spaces] for step in steps)
    check_in_hand(state, seat, [paid.card for paid in ordered])
    for step, paid in zip(steps, ordered, strict=True):
        if paid.card not in usable(state, seat, step):
            rule = "R3.8" if step.terrain == "water" else "R3.6"
            shown = f"{paid.card} does not show {step.terrain}, which {step.spaces[0]} needs"
            raise IllegalMove(rule, shown)
    return ordered


def check_in_hand(state: State, seat: int, named: Sequence[str], rule: str = "R3.6") -> None:
    """Raise unless the named cards exist, differ and are all in the seat's hand."""
    for card in named:
        if card not in state.components.cards:
            raise IllegalMove(rule, f"there is no terrain card {card}")
        if card not in state.tribes[seat].hand:
            raise IllegalMove(rule, f"{card} is not in your hand")
    if len(set(named)) < len(named):
        raise IllegalMove(rule, "the same card cannot be spent twice")


def leaving(state: State, seat: int, named: Sequence[str]) -> dict[str, str]:
    """Say which card leaves the hand for each named one (R7.2).

    For a card that only its owner knows, an identical card that everybody knows leaves first,
    the lowest id of several, unless it is named too. Cards that leave as named are left out.
    """
    tribe = state.tribes[seat]
    cards = state.components.cards
    copies = [card for card in tribe.known if card not in named]
    leaves: dict[str, str] = {}
    for card in named:
        if card in tribe.secret:
            copy = next((c for c in copies if cards[c].face == cards[card].face), None)
            if copy:
                copies.remove(copy)
                leaves[card] = copy
    return leaves
