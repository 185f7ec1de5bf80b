"""Story tiles: taking one (R2.6, R5.2), what is missing, and completing them (R6)."""

from __future__ import annotations

from collections import Counter

from engine.commands import PILE, Pile, Story
from engine.components import STORY_PLACES
from engine.errors import IllegalMove
from engine.events import StoryCompleted, StoryRowFilled, StoryTaken
from engine.play import Play
from engine.rules.map import served
from engine.state import State

TAKE_RULE = {"draft": "R2.6", "story": "R5.2"}


def choices(state: State) -> list[int | Pile]:
    """Return where a story tile can be taken: the filled places of the row, the pile."""
    row: list[int | Pile] = [place for place, tile in enumerate(state.story_row, 1) if tile]
    return [*row, PILE] if state.story_pile else row


def take_story(play: Play, seat: int, kind: str, command: Story) -> None:
    """Take a story tile onto the leftmost free story slot; the row is refilled (R2.6, R5.2)."""
    place = command.place
    if place != PILE and not (isinstance(place, int) and 1 <= place <= STORY_PLACES):
        raise IllegalMove(
            TAKE_RULE[kind], f"story tiles lie at places 1 to {STORY_PLACES}, or on the pile"
        )
    if place not in choices(play.state):
        what = "the pile of story tiles is empty" if place == PILE else f"place {place} is empty"
        raise IllegalMove(TAKE_RULE[kind], what)
    if isinstance(place, int):
        _take_from_row(play, seat, place)
    else:
        story = play.state.story_pile[0]
        play.emit(StoryTaken(seat=seat, story=story, from_=PILE))


def _take_from_row(play: Play, seat: int, place: int) -> None:
    story = play.state.story_row[place - 1]
    assert story is not None
    play.emit(StoryTaken(seat=seat, story=story, from_=place))
    if play.state.story_pile:
        play.emit(StoryRowFilled(place=place, story=play.state.story_pile[0]))


def missing(state: State, seat: int, story: str) -> Counter[str]:
    """Return what a story tile still requires of a seat: terrain or resource to number."""
    return Counter(state.components.stories[story].requires) - served(state, seat)


def complete(play: Play, seat: int) -> int:
    """Complete each of the seat's tiles whose requirements are met; return how many (R6.5)."""
    met = [
        tile.story
        for tile in play.state.tribes[seat].stories
        if not tile.completed and not missing(play.state, seat, tile.story)
    ]
    for story in met:
        play.emit(StoryCompleted(seat=seat, story=story))
    return len(met)
