"""The state of a game: immutable, rebuilt by folding events (docs/flow.md)."""

from __future__ import annotations

import msgspec

from engine.board import Board, Terrains
from engine.components import ComponentSet
from engine.events import GameEnded
from engine.scenario import Scenario

HIDDEN = "?"
"""Stands for a card or story tile whose identity the reader of a state may not know."""


class CampOnMap(msgspec.Struct, frozen=True):
    """A camp on a space of the map."""

    seat: int
    starting: bool


class StoryOnBoard(msgspec.Struct, frozen=True):
    """A story tile on a tribe board; its slot is its place in ``Tribe.stories``, from 1."""

    story: str
    completed: bool


class Tucked(msgspec.Struct, frozen=True):
    """A card tucked in slot 1 to 3 with one side visible (R5.3)."""

    slot: int
    card: str
    side: int


class Tribe(msgspec.Struct, frozen=True):
    """A seat's tribe board and hand. ``secret``: hand cards only their owner knows (R7.1)."""

    camps_left: int
    hand: tuple[str, ...]
    secret: frozenset[str]
    berries: int = 0
    stories: tuple[StoryOnBoard, ...] = ()
    tucked: tuple[Tucked, ...] = ()
    fish: int = 0

    @property
    def known(self) -> list[str]:
        """The hand cards everyone knows, in the order of their ids."""
        return sorted(card for card in self.hand if card not in self.secret and card != HIDDEN)


class Question(msgspec.Struct, frozen=True):
    """An open decision: the seat that is asked, and what (docs/glossary.md, *decision*).

    ``space`` is the space that was just covered, where its berries are to be shared (R11.3).
    """

    seat: int
    kind: str
    space: str | None = None


class Undoable(msgspec.Struct, frozen=True):
    """The last move, if its seat may take it back freely: nobody has learnt anything from it."""

    seat: int
    move: int


class State(msgspec.Struct, frozen=True):
    """Everything about a game that its moves determine.

    ``version`` is the number of the last move, ``since`` the move that put the open questions.
    ``active`` is the seat whose turn it is, None in the draft and at the end. Piles are top first.
    In a game with a small pile ``pile`` is empty, else ``small_pile`` and ``supply`` are None
    (R10.2). ``stock`` is what is left of the water tiles, lava tiles or fish. ``out`` are the
    seats that have forfeited, in that order (R15).
    """

    components: ComponentSet
    scenario: Scenario
    board: Board
    terrain: Terrains
    berries: tuple[int, ...]
    camps: tuple[CampOnMap | None, ...]
    tribes: tuple[Tribe, ...]
    row: tuple[str | None, ...]
    pile: tuple[str, ...]
    story_row: tuple[str | None, ...]
    story_pile: tuple[str, ...]
    start_seat: int
    drafting: tuple[int, ...]
    questions: tuple[Question, ...]
    small_pile: tuple[str, ...] | None = None
    supply: tuple[str, ...] | None = None
    stock: int = 0
    event_open: bool = False
    discard: tuple[str, ...] = ()
    round: int = 0
    active: int | None = None
    passes: int = 0
    out: tuple[int, ...] = ()
    chance_uses: int = 0
    ended: GameEnded | None = None
    cancelled: bool = False
    version: int = 0
    since: int = 0
    undoable: Undoable | None = None

    @property
    def seats(self) -> range:
        """The seats, in turn order."""
        return range(len(self.tribes))

    @property
    def row_pile(self) -> tuple[str, ...]:
        """The pile that the row is filled from (R3.3, R10.2)."""
        return self.pile if self.small_pile is None else self.small_pile

    @property
    def reward_pile(self) -> tuple[str, ...]:
        """The pile that rewards are drawn from (R6.5, R10.4)."""
        return self.pile if self.supply is None else self.supply

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats that win together: teams, or everybody alone (R9.1)."""
        return self.scenario.teams or tuple((seat,) for seat in self.seats)

    @property
    def seats_in_play(self) -> list[int]:
        """The seats that have not forfeited, in turn order (R15.2)."""
        return [seat for seat in self.seats if seat not in self.out]

    @property
    def sides_in_play(self) -> list[tuple[int, ...]]:
        """The sides that can win: those with a seat in play (R15.3). There is always one."""
        return [side for side in self.sides if not set(side) <= set(self.out)]

    @property
    def over(self) -> bool:
        """Tell whether nothing more can be played."""
        return self.ended is not None or self.cancelled

    def question_of(self, seat: int | None) -> Question | None:
        """Return what this seat is asked now, or None."""
        return next((q for q in self.questions if q.seat == seat), None)

    def decision_of(self, question: Question) -> str:
        """Return the id of an open question: move that put it and seat, such as ``17-2``."""
        return f"{self.since}-{question.seat}"

    def camps_of(self, seat: int) -> list[int]:
        """Return the spaces (indexes) on which a seat's camps stand, the starting camp included."""
        return [space for space, camp in enumerate(self.camps) if camp and camp.seat == seat]
