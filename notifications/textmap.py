"""The map in characters, for mails that are read as text.

A space is a cell of two lines, and a row of spaces lies half a cell beside the next, so that what
touches on the map touches in the text. Lines run between areas and round the map; a site is a
letter on the border of its two spaces::

     .' '.  .' '.
    |A5 m  A6 m! |
    |o2    #1    |
     '. a'  '. .'
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from textwrap import wrap

from engine.components import RESOURCES, TERRAINS
from engine.hexes import DIRECTIONS, Hex, add
from engine.scenario import GAP_SPACE
from engine.state import State
from games.words import listed

HALF = 3
"""Half the width of a cell, in characters: ten cells side by side are 61 columns."""

HEIGHT = 3
"""How many lines lie between two rows of spaces."""

WIDTH = 78
"""How long a line of the legend is, at most."""

CLOSED = {"V": "the volcano", "L": "lava"}

Marks = Sequence[tuple[int, int, str]]
_SIDES: tuple[Marks, ...] = (
    ((3, 1, "|"), (3, 2, "|")),
    ((1, 3, "."), (2, 3, "'")),
    ((-2, 3, "'"), (-1, 3, ".")),
    ((-3, 1, "|"), (-3, 2, "|")),
    ((-2, 0, "."), (-1, 0, "'")),
    ((1, 0, "'"), (2, 0, ".")),
)
"""The sides of a cell as ``DIRECTIONS`` are numbered: columns from its middle, lines, marks."""


def text_map(state: State, fresh: Collection[str] = ()) -> list[str]:
    """Return the lines of the map; what is new on ``fresh`` spaces is marked."""
    sheet = _Sheet(state)
    sheet.draw_lines()
    sheet.draw_sites()
    sheet.write_spaces(fresh)
    return ["".join(line).rstrip() for line in sheet.lines]


class _Sheet:
    """A map in the making."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.at: dict[Hex, int] = {(s.q, s.r): i for i, s in enumerate(state.board.spaces)}
        columns = [2 * q + r for q, r in self.at]
        rows = [r for _, r in self.at]
        self.left, self.top = min(columns), min(rows)
        width = (max(columns) - self.left + 2) * HALF + 1
        height = (max(rows) - self.top + 1) * HEIGHT + 1
        self.lines = [[" "] * width for _ in range(height)]

    def write(self, space: Hex, column: int, line: int, text: str) -> None:
        """Write from so many columns beside the middle of a space, so many lines down from it."""
        q, r = space
        start = (2 * q + r - self.left + 1) * HALF + column
        self.lines[(r - self.top) * HEIGHT + line][start : start + len(text)] = text

    def draw_lines(self) -> None:
        """Draw the borders of areas and of the map; neighbours of one terrain are one area."""
        terrain = self.state.terrain
        for space, number in self.at.items():
            for direction, step in enumerate(DIRECTIONS):
                near = self.at.get(add(space, step))
                if near is None or terrain[number] is None or terrain[number] != terrain[near]:
                    for column, line, mark in _SIDES[direction]:
                        self.write(space, column, line, mark)

    def draw_sites(self) -> None:
        """Write the letter of each site on the side that its spaces share."""
        spaces = self.state.board.spaces
        for site in self.state.board.sites:
            here, there = ((spaces[space].q, spaces[space].r) for space in site.spaces)
            direction = next(d for d, step in enumerate(DIRECTIONS) if add(here, step) == there)
            column, line, _ = _SIDES[direction][-1 if direction <= 3 else 0]
            self.write(here, column, line, site.kind[0])

    def write_spaces(self, fresh: Collection[str]) -> None:
        """Write what each space is called, what it is, and what stands there."""
        for space, number in self.at.items():
            name = self.state.board.names[number]
            new = "!" if name in fresh else ""
            self.write(space, 1 - HALF, 1, f"{name} {_ground(self.state, number)}{new}")
            self.write(space, 1 - HALF, 2, _standing(self.state, number))


def _ground(state: State, number: int) -> str:
    """Return the letter of a space: its terrain, what closes it, or that it has none."""
    terrain = state.terrain[number]
    if terrain is not None or number in state.board.starts:
        return terrain[0] if terrain else "-"
    return "V" if state.board.names[number] == GAP_SPACE else "L"


def _standing(state: State, number: int) -> str:
    """Return the camp and the berries on a space, such as ``#2 o3``."""
    camp, berries = state.camps[number], state.berries[number]
    here = f"{'@' if camp.starting else '#'}{camp.seat + 1}" if camp else ""
    there = f"o{berries}" if berries else ""
    return here.ljust(2 * HALF - 1 - len(there)) + there if here else there


def legend(state: State, names: Sequence[str], *, fresh: bool) -> list[str]:
    """Return what the letters and marks of a map mean, in lines that are not too long."""
    return [line for said in _legend(state, names, fresh=fresh) for line in wrap(said, WIDTH)]


def _legend(state: State, names: Sequence[str], *, fresh: bool) -> Iterator[str]:
    grounds = {_ground(state, number) for number in range(len(state.terrain))}
    terrains = [f"{terrain[0]} {terrain}" for terrain in TERRAINS if terrain[0] in grounds]
    closed = [f"{letter} {what}" for letter, what in CLOSED.items() if letter in grounds]
    yield f"Spaces: {', '.join([*terrains, *closed])}, - none. Lines run between areas."
    camps = ", ".join(f"#{seat} {name}" for seat, name in enumerate(names, 1))
    yield f"Camps: {camps}; @ instead of # is a starting camp. o2: 2 berries."
    kinds = {site.kind for site in state.board.sites}
    sites = listed([f"{kind[0]} {kind}" for kind in RESOURCES if kind in kinds])
    yield f"Sites, on the border of two spaces: {sites}."
    if fresh:
        yield "! is new since your last move."
