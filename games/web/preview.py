"""What a submission would do, as far as the seat can know, before it is played.

It plays the first command by the engine's own rules on the seat's masked state, and stops
before the first event that would tell the seat something hidden or use chance.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import takewhile
from typing import Any

import msgspec

from engine import commands as c
from engine import decide, notation
from engine.chance import Chance
from engine.commands import Command
from engine.errors import IllegalMove, NotYourDecision
from engine.evolve import evolve
from engine.events import BerryTaken, CampPlaced, Event
from engine.play import Play
from engine.rules import camp, row, stories
from engine.state import HIDDEN, State
from engine.views import learners
from games.web.asking import ASKED
from games.web.faces import CardFace, card_face, card_faces, story_at
from games.words import counted, listed, side_words


class Spent(msgspec.Struct, frozen=True):
    """A card that would be spent: for which spaces, and who would get it, if anyone."""

    card: CardFace
    spaces: tuple[str, ...]
    to: int | None


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What a submission would do. ``text`` is its canonical notation."""

    text: str
    headline: str
    lines: list[str] = []
    gained: list[CardFace] = []
    spent: list[Spent] = []
    kept: list[CardFace] = []
    route: tuple[str, ...] = ()

    @property
    def given(self) -> list[Spent]:
        """Return the cards that would go to other players."""
        return [spent for spent in self.spent if spent.to is not None]


def preview(seen: State, seat: int, commands: Sequence[Command], names: Sequence[str]) -> Preview:
    """Return what a seat's commands would do, from its own view.

    Raises IllegalMove if the first is not allowed, NotYourDecision if the seat is not asked.
    """
    first, *later = commands
    events = _certain_events(seen, seat, first)
    after = seen
    for event in events:
        after = evolve(after, event)
    told = _TELLERS[type(first)](seen, seat, first, events, names)
    lines = [
        *told.lines,
        *_stories_met(seen, after, seat),
        *[f"Then, if it is still allowed: {notation.text_of(seen, command)}." for command in later],
    ]
    kept = card_faces(after.components, after.tribes[seat].hand)
    text = notation.line_of(seen, commands)
    return msgspec.structs.replace(told, text=text, lines=lines, kept=kept)


# ---- Playing it ------------------------------------------------------------------------------


class _Unforeseen(Chance):
    """Stands in for the chance of the game, which nobody can foresee."""

    def __init__(self) -> None:
        super().__init__(b"", ())

    def shuffle(self, use: int, ids: Collection[str]) -> tuple[str, ...]:
        """Return cards that are not known."""
        return (HIDDEN,) * len(ids)


def _certain_events(seen: State, seat: int, command: Command) -> list[Event]:
    if isinstance(command, c.Undo):
        decide.undo(seen, seat)
        return []
    question = seen.question_of(seat)
    if question is None:
        raise NotYourDecision("you are not asked anything now")
    play = _PLAYERS.get(type(command))
    if play is None or question.kind not in command.answers:
        asked = ASKED[question.kind]
        raise IllegalMove(asked.rule, f"you are asked to {asked.you}")
    table = Play(seen, _Unforeseen())
    play(table, seat, question.kind, command)
    return list(_until_revealed(seen, seat, table.events))


def _until_revealed(state: State, seat: int, events: Sequence[Event]) -> Iterator[Event]:
    return takewhile(lambda event: seat not in learners(state, event), events)


_PLAYERS: dict[type, Callable[[Play, int, str, Any], None]] = {
    c.Take: lambda play, seat, _, command: row.take(play, seat, command),
    c.Camp: lambda play, seat, _, command: camp.place_camp(play, seat, command),
    c.Story: stories.take_story,
    c.Tuck: lambda play, seat, _, command: camp.tuck(play, seat, command),
}


# ---- Telling it ------------------------------------------------------------------------------

Names = Sequence[str]
Events = Sequence[Event]


def _take(seen: State, _seat: int, command: c.Take, _events: Events, _names: Names) -> Preview:
    cards = [card for place in sorted(command.places) if (card := seen.row[place - 1])]
    places = listed([str(place) for place in sorted(command.places)])
    return Preview(
        text="",
        headline=f"Take {counted(len(cards), 'card')} from the row",
        lines=[f"They lie at {'place' if len(cards) == 1 else 'places'} {places}."],
        gained=[card_face(seen.components.cards[card]) for card in cards],
    )


def _camp(seen: State, _seat: int, command: c.Camp, events: Events, names: Names) -> Preview:
    placed = next(event for event in events if isinstance(event, CampPlaced))
    cards = seen.components.cards
    start, *via, destination = placed.route
    way = f"from {start} via {' '.join(via)}" if via else f"from {start}"
    return Preview(
        text="",
        headline=f"Place a camp on {destination}",
        lines=[f"The route goes {way}.", *_camp_lines(seen, placed, events, names)],
        spent=[Spent(card_face(cards[p.card]), p.spaces, p.to) for p in placed.payment],
        route=placed.route,
    )


def _camp_lines(seen: State, placed: CampPlaced, events: Events, names: Names) -> Iterator[str]:
    for paid in placed.payment:
        if paid.to is not None:
            words = card_face(seen.components.cards[paid.card]).words
            yield f"{names[paid.to]} gets {words}, for passing over {' '.join(paid.spaces)}."
    if any(isinstance(event, BerryTaken) for event in events):
        yield "You take a berry of the area."
    if placed.asks:
        yield f"Then you are asked to {ASKED[placed.asks].you}."
    if seen.tribes[placed.seat].camps_left == 1:
        yield "It is your last camp: 1 fire, and the game ends after this round."


def _story(seen: State, _seat: int, command: c.Story, _events: Events, _names: Names) -> Preview:
    where = "the pile" if command.place == c.PILE else f"place {command.place}"
    return Preview(
        text="",
        headline=f"Take a story tile from {where}",
        lines=[f"You take {story_at(seen, command.place)}."],
    )


def _tuck(seen: State, _seat: int, command: c.Tuck, _events: Events, _names: Names) -> Preview:
    if command.card is None:
        line = "This tuck slot stays empty for the whole game."
        return Preview(text="", headline="Tuck no card", lines=[line])
    card = seen.components.cards[command.card]
    line = f"Of the card, {side_words(card.sides[command.side])} stays visible for good."
    return Preview(text="", headline=f"Tuck {card_face(card).words}", lines=[line])


def _undo(seen: State, _seat: int, _command: c.Undo, _events: Events, _names: Names) -> Preview:
    assert seen.undoable is not None, "the engine has allowed it"
    line = "Nobody has learnt anything from it. Your clock goes on with the time that was left."
    return Preview(text="", headline=f"Take back move {seen.undoable.move}", lines=[line])


_TELLERS: dict[type, Callable[[State, int, Any, Events, Names], Preview]] = {
    c.Take: _take,
    c.Camp: _camp,
    c.Story: _story,
    c.Tuck: _tuck,
    c.Undo: _undo,
}


def _stories_met(before: State, after: State, seat: int) -> Iterator[str]:
    """Tell which story tiles would have all they require, and had not before."""
    for tile in after.tribes[seat].stories:
        if tile.completed or stories.missing(after, seat, tile.story):
            continue
        known = before.components.stories[tile.story]
        yield (
            f"“{known.name}” then has all it requires, and completes at the end of your turn: "
            f"{counted(known.points, 'point')} and a reward card."
        )
