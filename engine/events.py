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
    """A space of the map as it is at the start. ``tile`` is the component id of its tile.

    The scenario gap is the space X0 of no tile, if a tile of the scenario lies on it (R10.6).
    """

    space: str
    q: int
    r: int
    tile: str | None
    pos: int
    terrain: str | None
    berries: int


class StoriesDealt(msgspec.Struct, frozen=True, kw_only=True):
    """The row of story tiles, from place 1, and the pile, top first."""

    row: tuple[str, ...]
    pile: tuple[str, ...] | None


class GameSetUp(_Event, frozen=True, tag="game_set_up"):
    """Everything of docs/rules.md R2 but the draft. Piles are top first, the row from place 1.

    A game has a ``pile``, or a ``small_pile`` and a ``supply`` (R10.2); the others are null.
    """

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
    """The top card of the draw pile or small pile came to an empty place of the row (R3.3)."""

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
    """The discard pile was shuffled, ``order`` top first (R3.4, R10.4).

    ``pile`` is ``draw``, or ``supply``: there it goes below the cards that are left.
    """

    pile: str
    order: tuple[str, ...] | None


class SmallPileMade(_Event, frozen=True, tag="small_pile_made"):
    """The top cards of the supply became the small pile, in the same order (R10.3)."""

    cards: tuple[str, ...] | None


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that an event asks, and the kind of question."""

    seat: int
    kind: str


class ScenarioEvent(_Event, frozen=True, tag="scenario_event"):
    """The scenario event (R10.3); ``kind`` is the scenario's key. Nobody asked: no choice."""

    kind: str
    asks: tuple[Asked, ...]


class _Covered(_Event, frozen=True):
    """``space`` was covered for good. Its berries lie on ``berries_to`` now, null if they are gone.

    ``asks`` is ``share`` if its seat must say where odd berries go (R11.3).
    """

    seat: int
    space: str
    berries_to: str | None
    asks: str | None


class WaterPlaced(_Covered, frozen=True, tag="water_placed"):
    """A water tile: the space is water from now on (R11.2)."""


class LavaPlaced(_Covered, frozen=True, tag="lava_placed"):
    """A lava tile: the space has no terrain, and no route passes it (R12.1, R12.2)."""


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How many berries a part of a split area has now; they lie on ``space``."""

    space: str
    berries: int


class BerriesMoved(_Event, frozen=True, tag="berries_moved"):
    """An area with berries was split: what each of its parts has now (R11.3)."""

    shares: tuple[Share, ...]


class FishAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a seat's sealed answer: the card it discarded, if any, and its fish."""

    seat: int
    card: str | None
    fish: int


class FishResolved(_Event, frozen=True, tag="fish_resolved"):
    """All who were asked have answered; in turn order from the active seat (R13.5)."""

    answers: tuple[FishAnswer, ...]


class TurnEnded(_Event, frozen=True, tag="turn_ended"):
    """A seat's turn is over; ``next`` is the seat that is active now, null if the game ends."""

    seat: int
    next: int | None


class RoundEnded(_Event, frozen=True, tag="round_ended"):
    """Every seat has had its turn in this round."""

    round: int


class Undone(_Event, frozen=True, tag="undone"):
    """The moves numbered ``from`` to ``to`` that were played for a seat count no longer.

    ``agreed`` are the seats that consented; none for a free undo, which needs no consent.
    """

    from_: int = msgspec.field(name="from")
    to: int
    agreed: tuple[int, ...] = ()


class DeadlineExtended(_Event, frozen=True, tag="deadline_extended"):
    """The operator gave the open decisions this many seconds more."""

    seconds: int


class GameCancelled(_Event, frozen=True, tag="game_cancelled"):
    """The game was called off and has no result.

    ``reason`` is ``operator``, ``first_round`` (a player, before the first round) or ``agreed``.
    """

    reason: str = "operator"


class MissExcused(_Event, frozen=True, tag="miss_excused"):
    """A seat's time was up; it used up an excused miss, ``left`` remain, and has its time again."""

    seat: int
    left: int


class SeatAbsent(_Event, frozen=True, tag="seat_absent"):
    """A seat's time was up: a bot plays on for it until its player returns."""

    seat: int


class SeatReturned(_Event, frozen=True, tag="seat_returned"):
    """The player of an absent seat is back and plays again."""

    seat: int


class SeatLeft(_Event, frozen=True, tag="seat_left"):
    """A player left for good; a bot plays on until somebody takes the seat.

    ``reason`` is ``resigned`` or ``timed_out``.
    """

    seat: int
    reason: str


class SeatTakenOver(_Event, frozen=True, tag="seat_taken_over"):
    """Somebody else sat down on a seat that a player had left or, ``handed_over``, gave away."""

    seat: int
    handed_over: bool = False


class SeatForfeited(_Event, frozen=True, tag="seat_forfeited"):
    """A seat is out of the game: its camps stay, its turns are skipped from now on (R15).

    ``reason`` is ``resigned`` or ``timed_out``.
    """

    seat: int
    reason: str


class TurnSkipped(_Event, frozen=True, tag="turn_skipped"):
    """It would have been the turn of a seat that is out of the game (R15.2)."""

    seat: int


class GamePaused(_Event, frozen=True, tag="game_paused"):
    """All clocks rest, for so many seconds at most."""

    seconds: int


class GameResumed(_Event, frozen=True, tag="game_resumed"):
    """A pause is over: the clocks run again."""


class OutageCredited(_Event, frozen=True, tag="outage_credited"):
    """The service took no moves; every clock that ran got ``seconds`` back.

    ``start`` and ``end`` are moments in UTC, written as in ``codec.LogRow.at``.
    """

    start: str
    end: str
    seconds: int


class ScoreLine(msgspec.Struct, frozen=True, kw_only=True):
    """One term of a score: the rule's number, what it counts, and the points."""

    rule: str
    label: str
    points: int


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """The score of a seat, or of a team of ``seats`` (then ``seat`` is null).

    ``cards`` is the number of cards in hand, which breaks ties (R8.6, R9.3).
    """

    seat: int | None
    seats: tuple[int, ...]
    total: int
    cards: int
    lines: tuple[ScoreLine, ...]


FORFEIT = "forfeit"
"""Why a game ended that did not wait for the end of the round (R15.4)."""


class GameEnded(_Event, frozen=True, tag="game_ended"):
    """The end (R8, R15.4).

    ``reason`` is ``last_camp``, ``no_destination``, ``all_passed`` or ``forfeit``.
    """

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
    | SmallPileMade
    | ScenarioEvent
    | WaterPlaced
    | LavaPlaced
    | BerriesMoved
    | FishResolved
    | TurnEnded
    | RoundEnded
    | Undone
    | DeadlineExtended
    | GameCancelled
    | MissExcused
    | SeatAbsent
    | SeatReturned
    | SeatLeft
    | SeatTakenOver
    | SeatForfeited
    | TurnSkipped
    | GamePaused
    | GameResumed
    | OutageCredited
    | GameEnded
)
