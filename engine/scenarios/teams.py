"""Teams (R9): 4 players, seats 1 and 3 against 2 and 4, scored together."""

from __future__ import annotations

from engine.scenario import Scenario
from engine.scoring import MOST_FIRE, Term, berry_count, fire, story_points
from engine.state import State

GROUP = 4
PAIR = 4


def _of_teams(state: State, points: list[int]) -> list[int]:
    return [sum(points[seat] for seat in team) for team in state.sides]


def stories(state: State) -> list[int]:
    """R9.2a: the story points of both partners."""
    return _of_teams(state, story_points(state))


def team_fire(state: State) -> list[int]:
    """R9.2b: the fire of both partners."""
    return _of_teams(state, fire(state))


def most_fire(state: State) -> list[int]:
    """R9.2c: 4 for the team with most fire, both on a tie, none with 0."""
    counts = team_fire(state)
    return [MOST_FIRE if count and count == max(counts) else 0 for count in counts]


def shared_groups(state: State) -> list[int]:
    """R9.2d: 4 for each connected set of the team's camps with a camp of each partner."""
    return [GROUP * _shared_groups(state, team) for team in state.sides]


def _shared_groups(state: State, team: tuple[int, ...]) -> int:
    camps = {space: seat for seat in team for space in state.camps_of(seat)}
    parts = state.board.connected(camps)
    return sum({camps[space] for space in part} == set(team) for part in parts)


def berry_pairs(state: State) -> list[int]:
    """R9.2e: 4 for each pair of a berry of one partner and a berry of the other."""
    counts = berry_count(state)
    return [PAIR * min(counts[seat] for seat in team) for team in state.sides]


TEAMS = Scenario(
    key="teams",
    name="Teams",
    players=(4,),
    teams=((0, 2), (1, 3)),
    terms=(
        Term("R9.2a", "completed story tiles", stories),
        Term("R9.2b", "fire", team_fire),
        Term("R9.2c", "most fire", most_fire),
        Term("R9.2d", "shared groups of camps", shared_groups, on_map=True),
        Term("R9.2e", "pairs of berries", berry_pairs, on_map=True),
    ),
)
