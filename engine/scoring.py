"""Scoring (R8.4-R8.6): a scenario's score is a list of terms, each with its rule's number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from engine.components import BERRY, FIRE
from engine.events import Score, ScoreLine
from engine.rules.map import visible_sides
from engine.state import State

MOST_FIRE = 4
GROUP = 4
GROUP_SIZE = 2
BERRY_POINTS = 2


class Term(msgspec.Struct, frozen=True):
    """One line of a score table: ``points`` gives every seat's points, in seat order."""

    rule: str
    label: str
    points: Callable[[State], list[int]]


def story_points(state: State) -> list[int]:
    """R8.4a: the points of completed story tiles."""
    stories = state.components.stories
    return [
        sum(stories[tile.story].points for tile in tribe.stories if tile.completed)
        for tribe in state.tribes
    ]


def fire(state: State) -> list[int]:
    """R8.4b: fire on completed tiles and visible tucked sides, and 1 for the last camp."""
    stories = state.components.stories
    return [
        sum(stories[tile.story].fire for tile in tribe.stories if tile.completed)
        + _tucked(state, seat, FIRE)
        + (tribe.camps_left == 0)
        for seat, tribe in enumerate(state.tribes)
    ]


def most_fire(state: State) -> list[int]:
    """R8.4c: 4 for whoever has most fire, each of them on a tie, nobody with 0."""
    counts = fire(state)
    most = max(counts)
    return [MOST_FIRE if most and count == most else 0 for count in counts]


def groups(state: State) -> list[int]:
    """R8.4d: 4 for each connected set of at least 2 camps of one owner (R8.5: any camp)."""
    return [
        GROUP * sum(len(part) >= GROUP_SIZE for part in state.board.connected(state.camps_of(seat)))
        for seat in state.seats
    ]


def berries(state: State) -> list[int]:
    """R8.4e: 2 for each berry token and each visible tucked berry."""
    return [
        BERRY_POINTS * (tribe.berries + _tucked(state, seat, BERRY))
        for seat, tribe in enumerate(state.tribes)
    ]


def _tucked(state: State, seat: int, symbol: str) -> int:
    return sum(side.symbol == symbol for side in visible_sides(state, seat))


BASE_TERMS = (
    Term("R8.4a", "completed story tiles", story_points),
    Term("R8.4b", "fire", fire),
    Term("R8.4c", "most fire", most_fire),
    Term("R8.4d", "groups of camps", groups),
    Term("R8.4e", "berries", berries),
)


def final_scores(state: State, terms: Sequence[Term] = BASE_TERMS) -> tuple[Score, ...]:
    """Return every seat's score, as if the game ended now, each term on its own line."""
    columns = [(term, term.points(state)) for term in terms]
    return tuple(
        _score(
            seat,
            len(state.tribes[seat].hand),
            tuple(
                ScoreLine(rule=term.rule, label=term.label, points=points[seat])
                for term, points in columns
            ),
        )
        for seat in state.seats
    )


def _score(seat: int, cards: int, lines: tuple[ScoreLine, ...]) -> Score:
    return Score(seat=seat, total=sum(line.points for line in lines), cards=cards, lines=lines)


def winners(scores: Sequence[Score]) -> tuple[int, ...]:
    """Return the seats with most points; a tie is broken by cards in hand, else shared (R8.6)."""
    best = max((score.total, score.cards) for score in scores)
    return tuple(score.seat for score in scores if (score.total, score.cards) == best)
