"""Lake villages (R13): camps on water, and fish for cards, answered sealed by all at once.

Where a village may stand and what a route over its lake costs is in ``engine.rules``
(``map.is_destination``, ``routes.step``): it is the map that differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from engine.commands import Command, Fish
from engine.events import Asked, FishAnswer, FishResolved, ScenarioEvent
from engine.play import Play
from engine.rules.map import camps_ashore, villages_of, waters_beside
from engine.rules.payment import check_in_hand
from engine.scenario import Question, Scenario
from engine.scoring import FIRE_TERMS, STORIES, Term, pairs, resource_count
from engine.state import State

FISH = 20
MOST_CAMPS = 6
TIED = 3
PAIR = 3
FISH_POINTS = 3


def fishing(play: Play, seat: int) -> None:
    """R13.5: ask every seat with a village and a card; without fish nobody (R10.5)."""
    state = play.state
    order = _turn_order(state, seat) if state.stock else []
    asked = [one for one in order if state.tribes[one].hand and villages_of(state, one)]
    asks = tuple(Asked(seat=one, kind="fish") for one in asked)
    play.emit(ScenarioEvent(kind=state.scenario.key, asks=asks))


def _turn_order(state: State, first: int) -> list[int]:
    return [(first + i) % len(state.tribes) for i in state.seats]


def choices(state: State, seat: int) -> list[Command]:
    """Return every answer: a card of the hand, or none."""
    return [*(Fish(card=card) for card in sorted(state.tribes[seat].hand)), Fish(card=None)]


def check(play: Play, seat: int, _: str, command: Fish) -> None:
    """Check a sealed answer; nothing happens before all have answered."""
    if command.card is not None:
        check_in_hand(play.state, seat, [command.card], rule="R13.5")


def resolve(play: Play, answers: Mapping[int, Fish]) -> None:
    """R13.5: in turn order, a card for 1 fish a village owned, as long as there are fish."""
    state = play.state
    assert state.active is not None, "an event comes in somebody's turn"
    left = state.stock
    resolved = []
    for seat in _turn_order(state, state.active):
        if seat in answers:
            card = answers[seat].card if left else None
            fish = min(left, villages_of(state, seat)) if card else 0
            left -= fish
            resolved.append(FishAnswer(seat=seat, card=card, fish=fish))
    play.emit(FishResolved(answers=tuple(resolved)))


def most_camps(state: State) -> list[int]:
    """R13.6: for each water area 6 for most camps adjacent to it, on a tie 3 each."""
    camps: dict[int, Counter[int]] = {}
    for seat in state.seats:
        for space in camps_ashore(state, seat):
            for area in waters_beside(state, [space]):
                camps.setdefault(area or 0, Counter())[seat] += 1
    points = [0] * len(state.tribes)
    for counts in camps.values():
        best = [seat for seat, number in counts.items() if number == max(counts.values())]
        for seat in best:
            points[seat] += MOST_CAMPS if len(best) == 1 else TIED
    return points


def pigment_pairs(state: State) -> list[int]:
    """R13.6: 3 for each pair of 1 berry and 1 pigment (R10.7)."""
    return pairs(state, PAIR, resource_count(state, "pigment"))


def fish_points(state: State) -> list[int]:
    """R13.6: 3 for each fish."""
    return [FISH_POINTS * tribe.fish for tribe in state.tribes]


LAKE_VILLAGES = Scenario(
    key="lake_villages",
    name="Lake villages",
    players=(2, 3, 4),
    small_pile=True,
    stock=FISH,
    villages=True,
    event=fishing,
    asks={"fish": Question(choices, check)},
    unseal=resolve,
    terms=(
        STORIES,
        *FIRE_TERMS,
        Term("R13.6", "most camps at water areas", most_camps, on_map=True),
        Term("R13.6", "pairs of berry and pigment", pigment_pairs, on_map=True),
        Term("R13.6", "fish", fish_points, on_map=True),
    ),
)
