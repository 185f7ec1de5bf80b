"""Scoring (R8.4-R8.6): a scenario's score is a list of terms, each with its rule's number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import msgspec

from engine.components import BERRY, FIRE
from engine.events import Score, ScoreLine
from engine.rules.map import served, visible_sides
from engine.state import State

MOST_FIRE = 4
GROUP = 4
GROUP_SIZE = 2
BERRY_POINTS = 2


class Term(msgspec.Struct, frozen=True):
    """One line of a score table: ``points`` gives the points of every side, in their order.

    A side is a seat or a team (``State.sides``). ``on_map`` terms grow with camps and berries:
    the bot weighs its plans by them.
    """

    rule: str
    label: str
    points: Callable[[State], list[int]]
    on_map: bool = False


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
    return most(fire(state))


def most(counts: list[int]) -> list[int]:
    """R8.4c: 4 for each side that has most of something, none with 0."""
    return [MOST_FIRE if count and count == max(counts) else 0 for count in counts]


def groups(state: State) -> list[int]:
    """R8.4d: 4 for each connected set of at least 2 camps of one owner (R8.5: any camp)."""
    return [
        GROUP * sum(len(part) >= GROUP_SIZE for part in state.board.connected(state.camps_of(seat)))
        for seat in state.seats
    ]


def berries(state: State) -> list[int]:
    """R8.4e: 2 for each berry token and each visible tucked berry."""
    return [BERRY_POINTS * count for count in berry_count(state)]


def berry_count(state: State) -> list[int]:
    """R10.7: every seat's berry tokens and visible tucked berries."""
    return [tribe.berries + _tucked(state, seat, BERRY) for seat, tribe in enumerate(state.tribes)]


def resource_count(state: State, resource: str) -> list[int]:
    """R10.7: every seat's sites of a resource beside its camps, and visible tucked symbols."""
    return [served(state, seat)[resource] for seat in state.seats]


def pairs(state: State, points: int, counts: list[int]) -> list[int]:
    """Return the points for pairs of 1 berry and 1 of something else (R11.4, R12.3, R13.6)."""
    both = zip(berry_count(state), counts, strict=True)
    return [points * min(berries, others) for berries, others in both]


def _tucked(state: State, seat: int, symbol: str) -> int:
    return sum(side.symbol == symbol for side in visible_sides(state, seat))


STORIES = Term("R8.4a", "completed story tiles", story_points)
FIRE_POINTS = Term("R8.4b", "fire", fire)
FIRE_TERMS = (FIRE_POINTS, Term("R8.4c", "most fire", most_fire))
"""What counts in every scenario but teams, with the story tiles (R10.1)."""


def final_scores(state: State) -> tuple[Score, ...]:
    """Return every side's score, as if the game ended now, each term on its own line."""
    columns = [(term, term.points(state)) for term in state.scenario.terms]
    return tuple(
        _score(
            state,
            seats,
            tuple(
                ScoreLine(rule=term.rule, label=term.label, points=points[side])
                for term, points in columns
            ),
        )
        for side, seats in enumerate(state.sides)
    )


def _score(state: State, seats: tuple[int, ...], lines: tuple[ScoreLine, ...]) -> Score:
    return Score(
        seat=seats[0] if len(seats) == 1 else None,
        seats=seats,
        total=sum(line.points for line in lines),
        cards=sum(len(state.tribes[seat].hand) for seat in seats),
        lines=lines,
    )


def winners(scores: Sequence[Score], sides: Collection[tuple[int, ...]]) -> tuple[int, ...]:
    """Return the seats that win, of the sides in play (R15.3).

    Most points, then most cards in hand, else the victory is shared (R8.6, R9.3).
    """
    able = [score for score in scores if score.seats in sides]
    best = max((score.total, score.cards) for score in able)
    won = [score.seats for score in able if (score.total, score.cards) == best]
    return tuple(sorted(seat for seats in won for seat in seats))
