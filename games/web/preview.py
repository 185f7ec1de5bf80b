"""What a line of notation would do, for the page that asks whether to play it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from engine import commands as c
from engine import notation
from engine.board import areas
from engine.commands import Command
from engine.components import WATER
from engine.events import BerriesMoved, BerryTaken, CampPlaced, Event
from engine.preview import foresee
from engine.questions import KINDS
from engine.rules.map import served, villages_of
from engine.rules.stories import missing
from engine.state import State
from games.web.choices import berries_words
from games.web.faces import CardFace, StoryFace, card_face, card_faces, story_face
from games.web.final import why_final
from games.web.scenario import comes_with, left_words, said
from games.words import counted, listed, side_words


class Spent(msgspec.Struct, frozen=True):
    """A card that would be spent: for which spaces, and who would get it, if anyone."""

    card: CardFace
    spaces: tuple[str, ...]
    to: str


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What a submission would do, and whether it can be taken back then.

    ``text`` is its canonical notation. ``after`` is the game with the tile that was laid, or the
    berries that were moved, and ``fresh`` says where.
    """

    headline: str
    lines: Sequence[str] = ()
    story: StoryFace | None = None
    gained: Sequence[CardFace] = ()
    spent: Sequence[Spent] = ()
    kept: Sequence[CardFace] = ()
    route: tuple[str, ...] = ()
    after: State | None = None
    fresh: tuple[str, ...] = ()
    text: str = ""
    undo: str = ""


def preview(seen: State, seat: int, commands: Sequence[Command], names: Sequence[str]) -> Preview:
    """Return what a seat's commands would do, from its own view; ``names`` are the seats'.

    The first command is played as far as the seat can foresee it, and refused as it would be;
    answers in advance are only named.
    """
    first, *later = commands
    events, after = msgspec.structs.astuple(foresee(seen, seat, first))
    told = _TELLERS[type(first)](seen, first, events, names)
    if told.fresh:
        told = msgspec.structs.replace(told, after=after)
    in_advance = [
        f"Then, if it is still allowed: {notation.text_of(seen, command)}." for command in later
    ]
    return msgspec.structs.replace(
        told,
        text=notation.line_of(seen, commands),
        story=_story_taken(seen, seat, first),
        undo=_undo_words(seen, seat, commands),
        lines=[*told.lines, *_stories_met(seen, after, seat), *in_advance],
        kept=card_faces(after.components, _kept(after, seat, first)),
    )


def _kept(after: State, seat: int, command: Command) -> list[str]:
    """Return the hand then; a card given for fish leaves it when all have answered."""
    spent = command.card if isinstance(command, c.Fish) else None
    return [card for card in after.tribes[seat].hand if card != spent]


def _undo_words(seen: State, seat: int, commands: Sequence[Command]) -> str:
    if isinstance(commands[0], c.Undo):
        return ""
    if isinstance(commands[0], c.Fish):
        return "This cannot be taken back, and nobody sees it before all have answered."
    reason = why_final(seen, seat, commands)
    if reason:
        return f"This cannot be taken back: {reason}."
    return "You can take this back until somebody else acts."


def _story_taken(seen: State, seat: int, command: Command) -> StoryFace | None:
    """Return the story tile that would be taken, unless it is the unseen one."""
    if not isinstance(command, c.Story) or command.place == c.PILE:
        return None
    story = seen.story_row[command.place - 1]
    assert story is not None, "the engine has allowed it"
    return story_face(seen.components.stories[story], served(seen, seat))


def _stories_met(before: State, after: State, seat: int) -> Iterator[str]:
    """Tell which story tiles would have all that they require."""
    for tile in after.tribes[seat].stories:
        if not tile.completed and not missing(after, seat, tile.story):
            story = before.components.stories[tile.story]
            yield (
                f"“{story.name}” then has all it requires, and completes at the end of your "
                f"turn: {counted(story.points, 'point')}, and a reward card."
            )


Names = Sequence[str]
Events = Sequence[Event]


def _take(seen: State, command: c.Take, _events: Events, _names: Names) -> Preview:
    places = sorted(command.places)
    cards = [card for place in places if (card := seen.row[place - 1])]
    where = f"{'place' if len(places) == 1 else 'places'} {listed([*map(str, places)])}"
    return Preview(
        headline=f"Take {counted(len(cards), 'card')} from {where}",
        lines=list(_event_lines(seen, len(cards))),
        gained=[card_face(seen.components.cards[card]) for card in cards],
    )


def _event_lines(seen: State, cards: int) -> Iterator[str]:
    if comes_with(seen, cards):
        event = said(seen.scenario.key).event
        yield f"Filling the row takes the last card of the small pile: {event}."


def _camp(seen: State, command: c.Camp, events: Events, names: Names) -> Preview:
    placed = next(event for event in events if isinstance(event, CampPlaced))
    cards = seen.components.cards
    return Preview(
        headline=f"Place a camp on {command.route[-1]}",
        lines=list(_camp_lines(seen, placed, events)),
        spent=[
            Spent(
                card_face(cards[paid.card]), paid.spaces, "" if paid.to is None else names[paid.to]
            )
            for paid in placed.payment
        ],
        route=command.route,
    )


def _camp_lines(seen: State, placed: CampPlaced, events: Events) -> Iterator[str]:
    start, *via, _ = placed.route
    yield f"The route goes from {start} via {' '.join(via)}." if via else f"It goes from {start}."
    if seen.terrain[seen.board.index[placed.route[-1]]] == WATER:
        yield "It is a lake village: nobody else can camp on this water any more."
    if any(isinstance(event, BerryTaken) for event in events):
        yield "You take a berry of the area."
    if placed.asks:
        yield f"Then you are asked to {KINDS[placed.asks].asks}."
    if seen.tribes[placed.seat].camps_left == 1:
        yield "It is your last camp: 1 fire for you, and the game ends after this round."


def _story(_seen: State, command: c.Story, _events: Events, _names: Names) -> Preview:
    if command.place == c.PILE:
        line = "You take the top tile of the pile, unseen."
        return Preview(headline="Take the story tile from the pile", lines=[line])
    return Preview(headline=f"Take the story tile from place {command.place}")


def _tuck(seen: State, command: c.Tuck, _events: Events, _names: Names) -> Preview:
    if command.card is None:
        line = "This tuck slot then stays empty for the whole game."
        return Preview(headline="Tuck no card", lines=[line])
    card = seen.components.cards[command.card]
    line = f"{side_words(card.sides[command.side]).capitalize()} stays visible, for good."
    return Preview(headline=f"Tuck {card_face(card).words}", lines=[line])


def _cover(seen: State, command: c.Water | c.Lava, events: Events, _names: Names) -> Preview:
    water = isinstance(command, c.Water)
    tile = "water tile" if water else "lava tile"
    return Preview(
        headline=f"Place a {tile} on {command.space}",
        lines=[
            "The space is water from now on, for the whole game."
            if water
            else "No route starts, passes or ends there any more, for the whole game.",
            *_area_lines(seen, command.space, events),
            f"Then {left_words(msgspec.structs.replace(seen, stock=seen.stock - 1))}.",
        ],
        fresh=(command.space,),
    )


def _area_lines(seen: State, covered: str, events: Events) -> Iterator[str]:
    """Tell what becomes of the area that a space is taken from, and of its berries (R11.3)."""
    space = seen.board.index[covered]
    area = areas(seen.board, seen.terrain).area_of(space)
    parts = seen.board.connected(area - {space})
    berries = sum(seen.berries[other] for other in area)
    if len(parts) > 1:
        sizes = listed([str(size) for size in sorted(map(len, parts), reverse=True)])
        yield f"The {seen.terrain[space]} area falls into parts of {sizes} spaces."
    if not berries:
        return
    number = counted(berries, "berry", "berries")
    if not parts:
        yield f"Nothing is left of its area: {number} there leave the game."
    elif len(parts) == 1:
        yield f"Its area keeps {number}."
    else:
        yield _split_words(number, events)


def _split_words(number: str, events: Events) -> str:
    moved = next((event for event in events if isinstance(event, BerriesMoved)), None)
    if moved is None:
        return f"Its {number} cannot be shared evenly: next you say which part has one more."
    return f"Of its {number} you then find {_shares_words(moved)}."


def _shares_words(moved: BerriesMoved) -> str:
    return listed([f"{share.berries} at {share.space}" for share in moved.shares if share.berries])


def _share(_seen: State, _command: c.Share, events: Events, _names: Names) -> Preview:
    moved = next(event for event in events if isinstance(event, BerriesMoved))
    lines = [
        f"The part of the area with {share.space} has {berries_words(share.berries)} then."
        for share in moved.shares
    ]
    return Preview(
        headline=f"Share the berries: {_shares_words(moved)}",
        lines=lines,
        fresh=tuple(share.space for share in moved.shares if share.berries),
    )


def _fish(seen: State, command: c.Fish, _events: Events, _names: Names) -> Preview:
    if command.card is None:
        line = "You keep all your cards, and catch no fish this time."
        return Preview(headline="Catch no fish", lines=[line])
    seat = next(seat for seat in seen.seats if command.card in seen.tribes[seat].hand)
    villages = villages_of(seen, seat)
    fish = counted(min(seen.stock, villages), "fish", "fish")
    return Preview(
        headline=f"Discard {card_face(seen.components.cards[command.card]).words} for {fish}",
        lines=[
            f"You have {counted(villages, 'lake village')}, and {left_words(seen)}: "
            f"the card brings {fish}.",
            "Fish go round in turn order. If none is left for you, you keep the card unseen.",
        ],
        spent=[Spent(card_face(seen.components.cards[command.card]), (), "")],
    )


def _undo(seen: State, _command: c.Undo, _events: Events, _names: Names) -> Preview:
    assert seen.undoable is not None, "the engine has allowed it"
    line = "Your clock then goes on with the time that was left."
    return Preview(headline=f"Take back move {seen.undoable.move}", lines=[line])


_TELLERS: dict[type, Callable[[State, Any, Events, Names], Preview]] = {
    c.Take: _take,
    c.Camp: _camp,
    c.Story: _story,
    c.Tuck: _tuck,
    c.Water: _cover,
    c.Lava: _cover,
    c.Share: _share,
    c.Fish: _fish,
    c.Undo: _undo,
}
