"""The sections of mails about a game, each from the view of the seat that reads it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from django.utils.html import escape

from dewan_site.accounts.names import flat_name
from engine.rules.stories import missing
from engine.scoring import final_scores
from engine.state import State
from games import selectors
from games.web.scenario import piles, said
from games.words import card_words, counted, listed, requirement_words, story_words
from notifications.letters.letter import Section
from notifications.letters.reading import Reading
from notifications.models import Note
from notifications.picture import SEAT_WORDS

NOTES = 5
"""How many notes a mail shows, at most."""

NEWS = 8_000
"""How many bytes of news a mail has, at most: people may say a lot in three days."""

EARLIER = "What came earlier is on the page of the game."


def news(reading: Reading) -> list[Section]:
    """Return what has happened since the seat's last move, and what was said."""
    lines: list[str] = []
    for told in selectors.told_moves(reading.seen, reading.last_move):
        lines += told.sentences
        if told.message and told.seat is not None:
            lines.append(f"{reading.names[told.seat]} says: {told.message}")
    said = selectors.said_alone(reading.game, reading.seat)
    lines += [f"{flat_name(name)} says: {text}" for name, text in said]
    return [Section("Since your last move", _newest(lines))] if lines else []


def _newest(lines: list[str]) -> list[str]:
    """Return the last of some lines, as many as a mail may hold, with a word of the others."""
    sizes = accumulate(len(escape(line).encode()) for line in reversed(lines))
    kept = sum(size <= NEWS for size in sizes)
    return lines if kept == len(lines) else [EARLIER, *lines[len(lines) - kept :]]


def hand(reading: Reading) -> Section:
    """Return the cards of the hand."""
    cards = reading.state.components.cards
    held = sorted(reading.state.tribes[reading.seat].hand)
    lines = [f"{card}: {card_words(cards[card])}" for card in held]
    return Section(f"Your hand ({counted(len(held), 'card')})", lines or ["no cards"])


def row(reading: Reading) -> Section:
    """Return the row of terrain cards."""
    cards = reading.state.components.cards
    lines = [
        f"place {place}: {card_words(cards[card]) if card else 'empty'}"
        for place, card in enumerate(reading.state.row, 1)
    ]
    return Section("The row", lines)


def stories(reading: Reading) -> list[Section]:
    """Return the seat's story tiles, each with what it still needs."""
    tribe = reading.state.tribes[reading.seat]
    tiles = reading.state.components.stories
    lines = []
    for tile in tribe.stories:
        needed = missing(reading.state, reading.seat, tile.story)
        how = "completed" if tile.completed else f"still needs {requirement_words(needed)}"
        if not needed and not tile.completed:
            how = "completes at the end of your turn"
        lines.append(f"{story_words(tiles[tile.story])}: {how}")
    return [Section("Your story tiles", lines)] if lines else []


def on_offer(reading: Reading) -> Section:
    """Return the story tiles that can be taken."""
    tiles = reading.state.components.stories
    lines = [
        f"place {place}: {story_words(tiles[story])}"
        for place, story in enumerate(reading.state.story_row, 1)
        if story
    ]
    return Section("Story tiles on offer", lines)


def played(reading: Reading, decision: str) -> Section:
    """Return what was played for a decision."""
    numbers = reading.game.moves.filter(decision=decision).values_list("number", flat=True)
    lines = [
        sentence
        for number in numbers
        for told in selectors.told_moves(reading.seen, number - 1, number)
        for sentence in told.sentences
    ]
    return Section("What was played", lines)


def at_the_table(reading: Reading) -> Section:
    """Return how everybody stands, a line each, and what lies beside the row."""
    state = reading.state
    fires = said(state.scenario.key).fire(state)
    points = {seat: score.total for score in final_scores(state) for seat in score.seats}
    lines = [
        f"{_who(reading, seat)}: {counted(points[seat], 'point')} now, {_has(state, seat, fires)}"
        for seat in state.seats
    ]
    beside = piles(state)
    words = [f"Round {state.round}; {beside.sizes}".replace("\N{NO-BREAK SPACE}", " "), beside.left]
    lines.append(". ".join([", ".join(filter(None, words)), *filter(None, [beside.soon])]))
    return Section("At the table", lines)


def _who(reading: Reading, seat: int) -> str:
    name = "You" if seat == reading.seat else reading.names[seat]
    mine = next(side for side in reading.state.sides if reading.seat in side)
    partner = ", your partner" if seat in mine and seat != reading.seat else ""
    return f"#{seat + 1} {name}, {SEAT_WORDS[seat]}{partner}"


def _has(state: State, seat: int, fires: Sequence[int]) -> str:
    tribe = state.tribes[seat]
    done, tiles = sum(tile.completed for tile in tribe.stories), len(tribe.stories)
    return listed(
        [
            f"{counted(tribe.camps_left, 'camp')} left",
            counted(len(tribe.hand), "card"),
            *([f"{done} of {counted(tiles, 'tile')} completed"] if tiles else []),
            *([counted(tribe.berries, "berry", "berries")] if tribe.berries else []),
            *([f"{fires[seat]} fire"] if fires[seat] else []),
            *([f"{tribe.fish} fish"] if tribe.fish else []),
        ]
    )


def notes(reading: Reading) -> list[Section]:
    """Return the last that the player has noted about the game, the oldest first."""
    mine = Note.objects.filter(game=reading.game, player=reading.player).order_by("-pk")
    lines = list(mine.values_list("text", flat=True)[:NOTES])
    return [Section("Your notes", lines[::-1])] if lines else []
