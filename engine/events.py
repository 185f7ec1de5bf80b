"""Events: what happened (docs/events.md). A name or field, once stored, stays for ever.

Only events are folded. A value that the reader may not see is null, its key is never absent;
that is why fields that can be hidden admit None.
"""

from __future__ import annotations

import msgspec

from engine.commands import Pile


class _Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    pass


class TilePlaced(msgspec.Struct, frozen=True, kw_only=True):
    """A territory tile on the map: its letter, component id, place, rotation in sixths, owner."""

    letter: str
    id: str
    centre: tuple[int, int]
    rotation: int
    seat: int | None


class SpacePlaced(msgspec.Struct, frozen=True, kw_only=True):
    """A space of the map as it is at the start. ``tile`` is the component id of its tile."""

    space: str
    q: int
    r: int
    tile: str
    pos: int
    terrain: str | None
    berries: int


class StoriesDealt(msgspec.Struct, frozen=True, kw_only=True):
    """The row of story tiles, from place 1, and the pile, top first."""

    row: tuple[str, ...]
    pile: tuple[str, ...] | None


class GameSetUp(_Event, frozen=True, tag="game_set_up"):
    """Everything of docs/rules.md R2 but the draft. Piles are top first, the row from place 1."""

    tiles: tuple[TilePlaced, ...]
    spaces: tuple[SpacePlaced, ...]
    start_seat: int
    draft_order: tuple[int, ...]
    hands: tuple[tuple[str, ...] | None, ...]
    row: tuple[str, ...]
    pile: tuple[str, ...] | None
    stories: StoriesDealt
    small_pile: tuple[str, ...] | None
    supply: tuple[str, ...] | None


class StoryTaken(_Event, frozen=True, tag="story_taken"):
    """A seat took a story tile from a place of the row or the top of the pile (R2.6, R5.2)."""

    seat: int
    story: str
    from_: int | Pile = msgspec.field(name="from")


class StoryRowFilled(_Event, frozen=True, tag="story_row_filled"):
    """The top story tile of the pile came to an empty place of the row (R2.6)."""

    place: int
    story: str


class CardsTaken(_Event, frozen=True, tag="cards_taken"):
    """A seat took cards from the row (R3.2)."""

    seat: int
    places: tuple[int, ...]
    cards: tuple[str, ...]


class RowFilled(_Event, frozen=True, tag="row_filled"):
    """The top card of the draw pile came to an empty place of the row (R3.3)."""

    place: int
    card: str


class RowClosedUp(_Event, frozen=True, tag="row_closed_up"):
    """A row that could not be filled closed up towards the draw pile (R3.5)."""

    row: tuple[str | None, ...]


class Passed(_Event, frozen=True, tag="passed"):
    """A seat could neither take nor place (R3.5)."""

    seat: int


class Paid(msgspec.Struct, frozen=True, kw_only=True):
    """A card spent on the spaces of one step: to the discard pile, or to the seat ``to`` (R3.9)."""

    card: str
    spaces: tuple[str, ...]
    to: int | None


class CampPlaced(_Event, frozen=True, tag="camp_placed"):
    """A seat placed a camp at the end of the route. ``asks``: what the tribe board asks."""

    seat: int
    route: tuple[str, ...]
    payment: tuple[Paid, ...]
    asks: str | None


class BerryTaken(_Event, frozen=True, tag="berry_taken"):
    """A seat took a berry of its new camp's area, from the symbol at ``space`` (R4.1)."""

    seat: int
    space: str


class CardTucked(_Event, frozen=True, tag="card_tucked"):
    """A seat tucked a card in tuck slot 1 to 3, this side visible, or declined (null) (R5.3)."""

    seat: int
    card: str | None
    side: int
    slot: int


class StoryCompleted(_Event, frozen=True, tag="story_completed"):
    """All requirements of a seat's story tile are met (R6.5, R8.3)."""

    seat: int
    story: str


class RewardDrawn(_Event, frozen=True, tag="reward_drawn"):
    """A seat drew the reward card for a completed story tile (R6.5)."""

    seat: int
    card: str | None


class PileShuffled(_Event, frozen=True, tag="pile_shuffled"):
    """The discard pile was shuffled into a new pile, ``order`` top first (R3.4)."""

    pile: str
    order: tuple[str, ...] | None


class TurnEnded(_Event, frozen=True, tag="turn_ended"):
    """A seat's turn is over; ``next`` is the seat that is active now, null if the game ends."""

    seat: int
    next: int | None


class RoundEnded(_Event, frozen=True, tag="round_ended"):
    """Every seat has had its turn in this round."""

    round: int


class Undone(_Event, frozen=True, tag="undone"):
    """The moves numbered ``from`` to ``to`` count no longer (docs/events.md)."""

    from_: int = msgspec.field(name="from")
    to: int


class DeadlineExtended(_Event, frozen=True, tag="deadline_extended"):
    """The operator gave the open decisions this many seconds more."""

    seconds: int


class GameCancelled(_Event, frozen=True, tag="game_cancelled"):
    """The operator called the game off; it has no result."""


class ScoreLine(msgspec.Struct, frozen=True, kw_only=True):
    """One term of a score: the rule's number, what it counts, and the points."""

    rule: str
    label: str
    points: int


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """A seat's score. ``cards`` is the number of cards in hand, which breaks ties (R8.6)."""

    seat: int
    total: int
    cards: int
    lines: tuple[ScoreLine, ...]


class GameEnded(_Event, frozen=True, tag="game_ended"):
    """The end (R8). ``reason`` is ``last_camp``, ``no_destination`` or ``all_passed``."""

    reason: str
    scores: tuple[Score, ...]
    winners: tuple[int, ...]


Event = (
    GameSetUp
    | StoryTaken
    | StoryRowFilled
    | CardsTaken
    | RowFilled
    | RowClosedUp
    | Passed
    | CampPlaced
    | BerryTaken
    | CardTucked
    | StoryCompleted
    | RewardDrawn
    | PileShuffled
    | TurnEnded
    | RoundEnded
    | Undone
    | DeadlineExtended
    | GameCancelled
    | GameEnded
)
