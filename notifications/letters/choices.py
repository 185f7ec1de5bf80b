"""The numbered moves of a mail: what each comes to, and the link that shows it."""

from __future__ import annotations

from collections.abc import Iterator

from django.urls import reverse

from dewan_site.links import absolute
from engine import commands as c
from engine import events as e
from engine import notation
from engine.commands import Command
from engine.errors import GameError
from engine.preview import foresee
from engine.rules.stories import missing
from engine.state import State
from games.words import card_words, counted, side_words, story_words
from notifications import shortlists, tokens
from notifications.letters.letter import Choice, Section
from notifications.letters.reading import Reading


def choices(reading: Reading) -> Section:
    """Return what the seat can play: all of it if that is little, else a shortlist of it."""
    lines = shortlists.numbered(reading.game, reading.seat, reading.state)
    token = tokens.make(tokens.Purpose.LINK, reading.place, reading.state.since)
    numbered = [
        Choice(
            line, comes_to(reading, line), absolute(reverse("answer_link", args=[token, number]))
        )
        for number, line in enumerate(lines, 1)
    ]
    all_of_it = len(lines) < shortlists.LENGTH
    return Section("What you can play" if all_of_it else "Good moves", choices=numbered)


def comes_to(reading: Reading, line: str) -> str:
    """Return what a line of notation comes to, in a few words; empty if it is not to be told."""
    state, seat = reading.state, reading.seat
    try:
        (command,) = notation.resolve(notation.parse(line), state, seat)
        return ", ".join([*_shown(state, command), *_follows(reading, command)])
    except (GameError, ValueError):
        return ""  # the table has changed since it was numbered


def _shown(state: State, command: Command) -> Iterator[str]:
    """Yield what a command names: cards, a tile, the ground of a space."""
    cards, board = state.components.cards, state.board
    match command:
        case c.Take(places=places):
            taken = [card for place in places if (card := state.row[place - 1])]
            yield "; ".join(card_words(cards[card]) for card in taken)
        case c.Story(place=int(place)):
            yield story_words(state.components.stories[state.story_row[place - 1] or ""])
        case c.Story():
            yield "the unseen tile on top of the pile"
        case c.Tuck(card=str(card), side=side):
            yield side_words(cards[card].sides[side])
        case c.Fish(card=str(card)):
            yield card_words(cards[card])
        case c.Water(space=space) | c.Lava(space=space):
            yield f"covers {state.terrain[board.index[space]]}"
        case c.Camp(route=(*_, space)):
            yield f"{state.terrain[board.index[space]]}"


def _follows(reading: Reading, command: Command) -> Iterator[str]:
    """Yield what is certain to follow from a command, and is worth to be known."""
    seen, seat = reading.state, reading.seat
    foreseen = foresee(seen, seat, command)
    for event in foreseen.events:
        if isinstance(event, e.BerryTaken) and event.seat == seat:
            yield "a berry"
        if isinstance(event, e.CampPlaced):
            yield from _gifts(reading, event)
    if isinstance(command, c.Camp | c.Tuck):
        yield from _progress(seen, foreseen.after, seat)


def _gifts(reading: Reading, event: e.CampPlaced) -> Iterator[str]:
    for paid in event.payment:
        if paid.to is not None:
            card = card_words(reading.state.components.cards[paid.card])
            yield f"{reading.names[paid.to]} gets {card}"


def _progress(seen: State, after: State, seat: int) -> Iterator[str]:
    """Yield which story tiles are completed, and which need less than before."""
    for tile in seen.tribes[seat].stories:
        needs = missing(after, seat, tile.story).total()
        story = seen.components.stories[tile.story]
        if not tile.completed and not needs:
            yield f"completes {story.name} ({counted(story.points, 'point')})"
        elif not tile.completed and needs < missing(seen, seat, tile.story).total():
            yield f"nearer to {story.name}"
