"""What lies on the table, ready for templates: cards, the row, story tiles, tribe boards.

Everything is made from a state that ``engine.views`` has masked for the reader.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from engine.commands import Pile
from engine.components import TRIBE_CAMPS, Card, ComponentSet, Side, StoryTile
from engine.events import Score
from engine.rules.camp import TRIBE_BOARD, TUCK_SLOTS
from engine.rules.map import served
from engine.scoring import final_scores
from engine.state import HIDDEN, State, Tribe
from games.web.asking import name_of
from games.web.scenario import said
from games.words import card_words, side_words

STORY_SLOTS = 1 + list(TRIBE_BOARD.values()).count("story")
"""The story slots of a tribe board: one for the draft, the others below camps (R2.6, R5.2)."""


# ---- Terrain cards ---------------------------------------------------------------------------


class CardFace(msgspec.Struct, frozen=True):
    """A terrain card as it is drawn, and its words."""

    id: str
    sides: tuple[Side, ...]
    words: str


def card_face(card: Card) -> CardFace:
    """Return a card with both its sides."""
    return CardFace(card.id, card.sides, card_words(card))


def card_faces(components: ComponentSet, cards: Iterable[str]) -> list[CardFace]:
    """Return the cards that can be known of some, in the order of what they show."""
    known = [components.cards[card] for card in cards if card != HIDDEN]
    return [card_face(card) for card in sorted(known, key=lambda card: (card.face, card.id))]


class RowPlace(msgspec.Struct, frozen=True):
    """A place of the row with its card, None if it is empty."""

    place: int
    card: CardFace | None


def row_places(state: State) -> list[RowPlace]:
    """Return the row, from place 1."""
    cards = state.components.cards
    return [
        RowPlace(place, card_face(cards[card]) if card else None)
        for place, card in enumerate(state.row, 1)
    ]


# ---- Story tiles -----------------------------------------------------------------------------


class Requirement(msgspec.Struct, frozen=True):
    """One requirement of a story tile; ``pips`` tells one by one how many of it are met."""

    what: str
    pips: tuple[bool, ...]

    @property
    def words(self) -> str:
        """Return how far it is met: ``forest: 1 of 2``."""
        return f"{self.what}: {sum(self.pips)} of {len(self.pips)}"


class StoryFace(msgspec.Struct, frozen=True):
    """A story tile as it is drawn, with what a seat has met of it."""

    tile: StoryTile
    requirements: tuple[Requirement, ...]
    completed: bool = False

    @property
    def met(self) -> bool:
        """Tell whether every requirement is met."""
        return all(all(requirement.pips) for requirement in self.requirements)

    @property
    def fires(self) -> range:
        """Return something to count the tile's fire by."""
        return range(self.tile.fire)


def story_face(tile: StoryTile, serves: Mapping[str, int], *, completed: bool = False) -> StoryFace:
    """Return a story tile beside what camps and tucked cards serve."""
    requirements = tuple(
        Requirement(what, tuple(n < serves.get(what, 0) for n in range(times)))
        for what, times in tile.requires.items()
    )
    return StoryFace(tile, requirements, completed)


class StoryPlace(msgspec.Struct, frozen=True):
    """A place of the story row: its tile, None if it is empty, and where tapping it leads."""

    place: int
    story: StoryFace | None
    href: str


def story_places(
    state: State, seat: int | None, links: Mapping[int | Pile, str]
) -> list[StoryPlace]:
    """Return the story row, from place 1, with what a seat has met of each tile."""
    stories = state.components.stories
    serves: Mapping[str, int] = served(state, seat) if seat is not None else {}
    return [
        StoryPlace(
            place, story_face(stories[story], serves) if story else None, links.get(place, "")
        )
        for place, story in enumerate(state.story_row, 1)
    ]


# ---- Tribe boards ----------------------------------------------------------------------------


class CampPlace(msgspec.Struct, frozen=True):
    """The n-th camp of a tribe board: what its place gives, and whether it has gone to the map."""

    number: int
    gives: str
    placed: bool

    @property
    def words(self) -> str:
        """Return the place in words: ``camp 2, on the map; gave a story tile``."""
        where = "on the map" if self.placed else "on the tribe board"
        return f"camp {self.number}, {where}: {GIVES[self.gives]}"


GIVES = {"": "gives nothing", "story": "story tile", "tuck": "tuck a card", "fire": "fire"}
"""What the place of a camp gives, in words (R5.1-R5.4)."""


class TuckSlot(msgspec.Struct, frozen=True):
    """A tuck slot: the side that is visible and the whole card, None while it is empty."""

    slot: int
    side: Side | None
    words: str


class TribeFace(msgspec.Struct, frozen=True):
    """A tribe board with its hand, as the reader may know it.

    ``fish`` is None where there are none, ``team`` where everybody plays alone.
    """

    seat: int
    mark: int
    name: str
    is_bot: bool
    active: bool
    camps: tuple[CampPlace, ...]
    camps_left: int
    stories: tuple[StoryFace | None, ...]
    tucked: tuple[TuckSlot, ...]
    berries: int
    fire: int
    fish: int | None
    team: int | None
    hand: tuple[CardFace, ...]
    unknown: int

    @property
    def cards(self) -> int:
        """Return how many cards the hand holds."""
        return len(self.hand) + self.unknown


def team_of(state: State, seat: int) -> int | None:
    """Return the number of a seat's team, None if everybody plays alone."""
    teams = enumerate(state.scenario.teams)
    return next((number for number, seats in teams if seat in seats), None)


def tribe_faces(state: State, seats: Sequence[Mapping[str, Any]]) -> list[TribeFace]:
    """Return the tribe boards in seat order; ``seats`` are those of the view."""
    fires = said(state.scenario.key).fire(state)
    return [_tribe_face(state, number, seat, fires[number]) for number, seat in enumerate(seats)]


def _tribe_face(state: State, seat: int, who: Mapping[str, Any], fires: int) -> TribeFace:
    tribe = state.tribes[seat]
    hand = card_faces(state.components, tribe.hand)
    return TribeFace(
        seat=seat,
        mark=seat + 1,
        name=name_of(who),
        is_bot=who["kind"] == "bot",
        active=state.question_of(seat) is not None,
        camps=_camp_places(tribe),
        camps_left=tribe.camps_left,
        stories=_story_slots(state, seat),
        tucked=tuple(_tuck_slot(state, tribe, slot) for slot in TUCK_SLOTS.values()),
        berries=tribe.berries,
        fire=fires,
        fish=tribe.fish if state.scenario.villages else None,
        team=team_of(state, seat),
        hand=tuple(hand),
        unknown=len(tribe.hand) - len(hand),
    )


def _camp_places(tribe: Tribe) -> tuple[CampPlace, ...]:
    placed = TRIBE_CAMPS - tribe.camps_left
    gives = {**TRIBE_BOARD, TRIBE_CAMPS: "fire"}
    return tuple(
        CampPlace(number, gives.get(number, ""), number <= placed)
        for number in range(1, TRIBE_CAMPS + 1)
    )


def _story_slots(state: State, seat: int) -> tuple[StoryFace | None, ...]:
    serves: Counter[str] = served(state, seat)
    stories = state.components.stories
    faces = [
        story_face(stories[tile.story], serves, completed=tile.completed)
        for tile in state.tribes[seat].stories
    ]
    return (*faces, *[None] * (STORY_SLOTS - len(faces)))


def _tuck_slot(state: State, tribe: Tribe, slot: int) -> TuckSlot:
    tucked = next((tucked for tucked in tribe.tucked if tucked.slot == slot), None)
    if tucked is None:
        return TuckSlot(slot, None, "")
    card = state.components.cards[tucked.card]
    side = card.sides[tucked.side]
    whole = f" (the card: {card_words(card)})" if len(card.sides) > 1 else ""
    return TuckSlot(slot, side, side_words(side) + whole)


# ---- Scores ----------------------------------------------------------------------------------


class ScoreRow(msgspec.Struct, frozen=True):
    """A line of the score table: its rule, what it counts, and the points of every column."""

    rule: str
    label: str
    points: tuple[int, ...]


class Scorer(msgspec.Struct, frozen=True):
    """A seat at the head of a column, by the number on its tents and a short name."""

    seat: int
    mark: int
    name: str


class ScoreColumn(msgspec.Struct, frozen=True):
    """A score: whose it is, their team if it is one's, the total, and the cards in hand."""

    scorers: tuple[Scorer, ...]
    team: int | None
    total: int
    cards: int


class ScoreTable(msgspec.Struct, frozen=True):
    """Scores side by side, a column for each."""

    rows: tuple[ScoreRow, ...]
    columns: tuple[ScoreColumn, ...]


def score_table(scores: Sequence[Score], names: Sequence[str]) -> ScoreTable:
    """Return scores as a table with a column for each; ``names`` are the seats'."""
    lines = zip(*(score.lines for score in scores), strict=True)
    return ScoreTable(
        rows=tuple(
            ScoreRow(line[0].rule, line[0].label, tuple(part.points for part in line))
            for line in lines
        ),
        columns=tuple(
            ScoreColumn(
                tuple(_scorer(seat, names) for seat in score.seats),
                number if len(score.seats) > 1 else None,
                score.total,
                score.cards,
            )
            for number, score in enumerate(scores)
        ),
    )


def _scorer(seat: int, names: Sequence[str]) -> Scorer:
    return Scorer(seat, seat + 1, names[seat].removesuffix(" (bot)"))


def scores_now(state: State, names: Sequence[str]) -> ScoreTable:
    """Return what the scores would be if the game ended now; all of it is public."""
    return score_table(state.ended.scores if state.ended else final_scores(state), names)
