"""The sections of mails about a game, each from the view of the seat that reads it."""

from __future__ import annotations

from dewan_site.accounts.names import flat_name
from engine.legal import legal
from engine.rules.stories import missing
from games import selectors
from games.words import card_words, counted, requirement_words, story_words
from notifications.letters.letter import Section
from notifications.letters.reading import Reading

SHOWN = 12
"""How many legal moves a mail lists, at most."""


def news(reading: Reading) -> list[Section]:
    """Return what has happened since the seat's last move, and what was said."""
    after = selectors.last_own_move(reading.game, reading.seat)
    lines: list[str] = []
    for told in selectors.told_moves(reading.seen, after):
        lines += told.sentences
        if told.message and told.seat is not None:
            lines.append(f"{reading.names[told.seat]} says: {told.message}")
        lines += [f"{flat_name(name)} says: {text}" for name, text in told.said]
    return [Section("Since your last move", lines)] if lines else []


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


def choices(reading: Reading) -> Section:
    """Return legal moves."""
    entries = legal(reading.state, reading.seat)
    lines = [entry.text for entry in entries[:SHOWN]]
    more = len(entries) - len(lines)
    title = "What you can play" + (f" (and {more} more on the page)" if more else "")
    return Section(title, lines, typed=True)


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
