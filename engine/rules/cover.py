"""Covering a space of the map for good, and what becomes of its area's berries (R11.2, R11.3).

Rain and lava differ only in which spaces may be covered and what the space is afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations

from engine.board import areas
from engine.commands import Command, Lava, PartShare, Water
from engine.commands import Share as ShareCommand
from engine.errors import IllegalMove
from engine.events import Asked, BerriesMoved, LavaPlaced, ScenarioEvent, Share, WaterPlaced
from engine.play import Play
from engine.rules.map import free_land
from engine.state import State


class Covering:
    """A kind of tile that covers free land: rain or lava.

    ``near`` says which spaces the tile must lie next to, ``command`` and ``event`` are the answer
    and what happens, ``rule`` is quoted when an answer is refused.
    """

    def __init__(
        self,
        rule: str,
        near: Callable[[State, int], bool],
        command: type[Water] | type[Lava],
        event: type[WaterPlaced] | type[LavaPlaced],
    ) -> None:
        self.rule = rule
        self.near = near
        self.command = command
        self.event = event

    def spaces(self, state: State) -> list[int]:
        """Return the free land beside what the tile must lie next to; without a tile none."""
        beside = state.board.neighbours
        return [
            space
            for space in (free_land(state) if state.stock else ())
            if any(self.near(state, other) for other in beside[space])
        ]

    def begin(self, play: Play, seat: int) -> None:
        """Ask where the tile goes, unless there is no choice; nowhere or no tile: skip (R10.5)."""
        spaces = self.spaces(play.state)
        (kind,) = self.command.answers
        asks = (Asked(seat=seat, kind=kind),) if len(spaces) > 1 else ()
        play.emit(ScenarioEvent(kind=play.state.scenario.key, asks=asks))
        if len(spaces) == 1:
            self._cover(play, seat, spaces[0])

    def choices(self, state: State, _: int) -> list[Command]:
        """Return every space that the tile may cover."""
        return [self.command(space=state.board.names[space]) for space in self.spaces(state)]

    def play(self, play: Play, seat: int, _: str, command: Water | Lava) -> None:
        """Cover the space that a seat has named."""
        state = play.state
        spaces = {state.board.names[space]: space for space in self.spaces(state)}
        if command.space not in spaces:
            problem = f"the tile cannot lie on {command.space}; it can on {', '.join(spaces)}"
            raise IllegalMove(self.rule, problem)
        self._cover(play, seat, spaces[command.space])

    def _cover(self, play: Play, seat: int, space: int) -> None:
        """Cover a space: its area may shrink, split or vanish; berries stay with it (R11.3)."""
        state = play.state
        area = areas(state.board, state.terrain).area_of(space)
        parts = _by_size(state.board.connected(area - {space}))
        berries = sum(state.berries[other] for other in area)
        largest = [part for part in parts if len(part) == len(parts[0])]
        odd = berries % len(largest) if len(largest) > 1 else 0
        stay = min(parts[0]) if parts and state.berries[space] else None
        play.emit(
            self.event(
                seat=seat,
                space=state.board.names[space],
                berries_to=None if stay is None else state.board.names[stay],
                asks="share" if odd else None,
            )
        )
        if len(parts) > 1 and berries and not odd:
            each = berries // len(largest)
            _move(play, {min(part): each * (part in largest) for part in parts})


def _by_size(parts: list[frozenset[int]]) -> list[frozenset[int]]:
    return sorted(parts, key=lambda part: (-len(part), min(part)))


def _move(play: Play, shares: Mapping[int, int]) -> None:
    """Say what every part of the split area has now; ``shares`` has a space of each."""
    names = play.state.board.names
    given = sorted((names[space], berries) for space, berries in shares.items())
    play.emit(
        BerriesMoved(shares=tuple(Share(space=name, berries=number) for name, number in given))
    )


# ---- Sharing an odd berry --------------------------------------------------------------------


def parts_of_split(state: State, covered: str) -> list[frozenset[int]]:
    """Return the parts of the area that this covered space has split, the largest first."""
    board = state.board
    space = board.index[covered]
    terrain = board.spaces[space].terrain  # of a space that is covered once, what it was before
    found = areas(board, state.terrain)
    beside = [near for near in board.neighbours[space] if state.terrain[near] == terrain]
    return _by_size(list({found.area_of(near) for near in beside}))


def possible_shares(state: State, covered: str) -> list[dict[int, int]]:
    """Return every way to share the berries, as the first space of each part to its berries.

    The largest parts share evenly; the choice is which of them have one more (R11.3).
    """
    parts = parts_of_split(state, covered)
    berries = sum(state.berries[space] for part in parts for space in part)
    largest = [min(part) for part in parts if len(part) == len(parts[0])]
    each, odd = divmod(berries, len(largest))
    none = {min(part): 0 for part in parts}
    return [
        none | {space: each + (space in lucky) for space in largest}
        for lucky in combinations(largest, odd)
    ]


def _covered(state: State, seat: int) -> str:
    """Return the space whose area a seat is asked about."""
    question = state.question_of(seat)
    assert question is not None
    assert question.space is not None, "a split was asked about"
    return question.space


def share_choices(state: State, seat: int) -> list[Command]:
    """Return every answer to the question who gets the odd berries."""
    names = state.board.names
    return [
        ShareCommand(
            shares=tuple(
                PartShare(space=names[space], berries=number)
                for space, number in shares.items()
                if number
            )
        )
        for shares in possible_shares(state, _covered(state, seat))
    ]


def share(play: Play, seat: int, _: str, command: ShareCommand) -> None:
    """Share the berries as the seat has said (R11.3)."""
    state = play.state
    covered = _covered(state, seat)
    wanted = _named(state, command, parts_of_split(state, covered))
    possible = possible_shares(state, covered)
    if wanted not in possible:
        each = " or ".join(map(str, sorted({n for shares in possible for n in shares.values()})))
        problem = f"the largest parts share evenly, the odd berry as you like: {each} each"
        raise IllegalMove("R11.3", problem)
    _move(play, wanted)


def _named(state: State, command: ShareCommand, parts: list[frozenset[int]]) -> dict[int, int]:
    """Return what the command gives each part, by the part's first space."""
    wanted = {min(part): 0 for part in parts}
    for given in command.shares:
        space = state.board.index.get(given.space)
        part = next((part for part in parts if space in part), None)
        if part is None:
            names = ", ".join(state.board.names[min(part)] for part in parts)
            problem = f"{given.space} is in no part of the split area; name one of {names}"
            raise IllegalMove("R11.3", problem)
        wanted[min(part)] += given.berries
    return wanted
