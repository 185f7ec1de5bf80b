"""Notation: a line of text for a submission, typed by people and carried by mails.

The grammar is in docs/notation.md. ``parse`` reads what the words say, ``resolve`` finds what
they mean on the board, from the seat's own view. Wrong text is an InvalidCommand, a move that
is not allowed an IllegalMove, and words that fit several moves an AmbiguousCommand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import islice
from typing import ClassVar

import msgspec

from engine import commands as c
from engine.commands import Command, Payment
from engine.components import TERRAINS
from engine.errors import AmbiguousCommand, IllegalMove, InvalidCommand
from engine.questions import check_answers
from engine.rules import payment, routes
from engine.rules.routes import Route
from engine.state import State

CANDIDATES = 20
"""How many moves an ambiguous text is answered with, at most."""

EXAMPLES = "take 3-4 · camp C4 from B2 via B5 pay T05 T12 T33 · story 3 · tuck T27 forest · undo"
"""What a text that says nothing known is answered with."""


class Entry(msgspec.Struct, frozen=True):
    """A command and the line of notation that says the same."""

    command: Command
    text: str


# ---- Printing --------------------------------------------------------------------------------


def text_of(state: State, command: Command) -> str:
    """Return the canonical notation of a command; ``resolve`` reads it back to the same."""
    match command:
        case c.Take(places=places):
            return f"take {'-'.join(map(str, places))}"
        case c.Camp(route=(start, *via, destination), payment=paid):
            way = f" via {' '.join(via)}" if via else ""
            cards = " ".join(p.card for p in paid)
            return f"camp {destination} from {start}{way} pay {cards}"
        case c.Story(place=place):
            return f"story {place}"
        case c.Tuck(card=None):
            return "tuck nothing"
        case c.Tuck(card=str(card), side=side):
            sides = state.components.cards[card].sides
            return f"tuck {card} {sides[side].terrain}" if len(sides) > 1 else f"tuck {card}"
        case c.Water(space=space):
            return f"water {space}"
        case c.Lava(space=space):
            return f"lava {space}"
        case c.Share(shares=shares):
            return " ".join(["share", *(f"{part.space} {part.berries}" for part in shares)])
        case c.Fish(card=card):
            return f"fish {card or 'nothing'}"
        case c.Pass():
            return "pass"
        case c.Undo():
            return "undo"
    raise AssertionError(command)


def line_of(state: State, commands: Sequence[Command]) -> str:
    """Return the canonical notation of a submission."""
    return ", ".join(text_of(state, command) for command in commands)


# ---- Reading ---------------------------------------------------------------------------------


class CampPhrase(msgspec.Struct, frozen=True):
    """What the words of a ``camp`` command say; what is not said is None."""

    answers: ClassVar[tuple[str, ...]] = c.Camp.answers
    destination: str
    start: str | None
    via: tuple[str, ...] | None
    cards: tuple[str, ...] | None
    auto: bool


class TuckPhrase(msgspec.Struct, frozen=True):
    """What the words of a ``tuck`` command with a card say."""

    answers: ClassVar[tuple[str, ...]] = c.Tuck.answers
    card: str
    terrain: str | None


Phrase = CampPhrase | TuckPhrase | Command

_SPACE = "[A-Z][0-9]"
_CARD = "[A-Z][0-9]{1,4}"
_FORMS: list[tuple[str, re.Pattern[str], str]] = [
    ("take", re.compile(r"([0-9]{1,2})(?:\s*-\s*([0-9]{1,2})|\s+([0-9]{1,2}))?"), "take 3-4"),
    (
        "camp",
        re.compile(
            rf"(?P<to>{_SPACE})(?:\s+FROM\s+(?P<start>{_SPACE}))?"
            rf"(?:\s+VIA\s+(?P<via>{_SPACE}(?:\s+{_SPACE})*))?"
            rf"(?:\s+(?:PAY\s+)?(?P<auto>AUTO)|\s+PAY\s+(?P<pay>{_CARD}(?:\s+{_CARD})*))?"
        ),
        "camp C4 from B2 via B5 pay T05 T12 T33",
    ),
    ("story", re.compile("([0-9]{1,2})|PILE"), "story 3, or story pile"),
    (
        "tuck",
        re.compile(rf"(NOTHING)|({_CARD})(?:\s+({'|'.join(TERRAINS).upper()}))?"),
        "tuck T27 forest, or tuck nothing",
    ),
    ("water", re.compile(f"({_SPACE})"), "water C4"),
    ("lava", re.compile(f"({_SPACE})"), "lava C4"),
    (
        "share",
        re.compile(rf"{_SPACE}\s+[0-9]{{1,2}}(?:\s+{_SPACE}\s+[0-9]{{1,2}})*"),
        "share C4 2 D1 1",
    ),
    ("fish", re.compile(f"(NOTHING)|({_CARD})"), "fish T27, or fish nothing"),
    ("pass", re.compile(""), "pass"),
    ("undo", re.compile(""), "undo"),
]
WORDS = frozenset(word for word, _, _ in _FORMS)
"""The words that commands begin with."""


def parse(text: str) -> list[Phrase]:
    """Read a line: commands separated by commas, semicolons or line ends.

    Upper and lower case are the same. Raises InvalidCommand, saying what would be right.
    """
    parts = [part.strip() for part in re.split(r"[,;\n]", text)]
    phrases = [_phrase(part) for part in parts if part]
    if not phrases:
        raise InvalidCommand(f"nothing to play in the text; for example: {EXAMPLES}", EXAMPLES)
    return phrases


def _phrase(part: str) -> Phrase:
    word, _, rest = part.partition(" ")
    form = next((form for form in _FORMS if form[0] == word.lower()), None)
    if form is None:
        problem = f"no command begins with “{word[:40]}”; for example: {EXAMPLES}"
        raise InvalidCommand(problem, EXAMPLES)
    name, pattern, example = form
    words = pattern.fullmatch(rest.strip().upper())
    if words is None:
        problem = f"cannot read “{part[:80]}”; write it like this: {example}"
        raise InvalidCommand(problem, example)
    return _READERS[name](words)


def _read_take(words: re.Match[str]) -> c.Take:
    return c.Take(places=tuple(int(place) for place in words.groups() if place))


def _read_camp(words: re.Match[str]) -> CampPhrase:
    via, pay = words["via"], words["pay"]
    return CampPhrase(
        destination=words["to"],
        start=words["start"],
        via=tuple(via.split()) if via else None,
        cards=tuple(pay.split()) if pay else None,
        auto=words["auto"] is not None,
    )


def _read_story(words: re.Match[str]) -> c.Story:
    return c.Story(place=int(words[1]) if words[1] else c.PILE)


def _read_tuck(words: re.Match[str]) -> c.Tuck | TuckPhrase:
    nothing, card, terrain = words.groups()
    return c.Tuck(card=None) if nothing else TuckPhrase(card, terrain and terrain.lower())


def _read_share(words: re.Match[str]) -> c.Share:
    named = words[0].split()
    return c.Share(
        shares=tuple(
            c.PartShare(space=space, berries=int(berries))
            for space, berries in zip(named[::2], named[1::2], strict=True)
        )
    )


_READERS: dict[str, Callable[[re.Match[str]], Phrase]] = {
    "take": _read_take,
    "camp": _read_camp,
    "story": _read_story,
    "tuck": _read_tuck,
    "water": lambda words: c.Water(space=words[1]),
    "lava": lambda words: c.Lava(space=words[1]),
    "share": _read_share,
    "fish": lambda words: c.Fish(card=words[2]),
    "pass": lambda _: c.Pass(),
    "undo": lambda _: c.Undo(),
}


# ---- Meaning ---------------------------------------------------------------------------------


def resolve(phrases: Sequence[Phrase], seen: State, seat: int) -> list[Command]:
    """Return the commands the phrases mean on the board, from the seat's own view.

    Raises IllegalMove if there is no such move, or it does not answer what the seat is asked, and
    AmbiguousCommand if there are several.
    """
    question = seen.question_of(seat)
    if question and not isinstance(phrases[0], c.Undo):
        check_answers(question, phrases[0].answers)
    return [_resolve(phrase, seen, seat) for phrase in phrases]


def _resolve(phrase: Phrase, seen: State, seat: int) -> Command:
    if isinstance(phrase, CampPhrase):
        route = _route(phrase, seen, seat)
        return c.Camp(route=route.spaces, payment=_payment(phrase, route, seen, seat))
    if isinstance(phrase, TuckPhrase):
        return _tuck(phrase, seen)
    return phrase


def _route(phrase: CampPhrase, seen: State, seat: int) -> Route:
    """Find the route that the words mean.

    Named spaces are the whole way between start and destination. A destination alone, or one
    that is not next to the start, leaves the way open: then the routes worth offering count.
    """
    routes.check_ends(seen, seat, phrase.start, phrase.destination)
    if phrase.via or _adjacent(seen, phrase.start, phrase.destination):
        return _named_route(phrase, seen, seat)
    found, complete = routes.undominated_routes(seen, seat, phrase.destination)
    found = [route for route in found if phrase.start in (None, route.spaces[0])]
    if not found:
        raise IllegalMove("R3.6", f"your hand pays for no route to {phrase.destination}")
    return _only(found, phrase, seen, seat, complete=complete)


def _named_route(phrase: CampPhrase, seen: State, seat: int) -> Route:
    """Return the route through the named spaces, from the named or the only possible camp."""
    via = phrase.via or ()
    first, *_ = (*via, phrase.destination)
    camps = [seen.board.names[space] for space in seen.camps_of(seat)]
    near = [camp for camp in camps if _adjacent(seen, camp, first) and camp not in via]
    starts = [phrase.start] if phrase.start else near
    if not starts:
        raise IllegalMove("R3.6", f"no camp of yours is next to {first}")
    ways = [(start, *via, phrase.destination) for start in starts]
    named = [Route(way, tuple(routes.steps_of(seen, seat, way))) for way in ways]
    hand = seen.tribes[seat].hand
    payable = [r for r in named if payment.payable(seen, hand, r.steps) == len(r.steps)]
    return _only(payable or named[:1], phrase, seen, seat)


def _only(
    found: list[Route], phrase: CampPhrase, seen: State, seat: int, *, complete: bool = True
) -> Route:
    if len(found) > 1 or not complete:
        number = f"{len(found)}" if complete else f"{len(found)} or more"
        raise AmbiguousCommand(
            f"{number} routes lead to {phrase.destination}; name one with from and via",
            [_entry(seen, seat, route) for route in found[:CANDIDATES]],
        )
    return found[0]


def _adjacent(seen: State, a: str | None, b: str) -> bool:
    index = seen.board.index
    return a in index and b in index and index[b] in seen.board.neighbours[index[a]]


def _entry(seen: State, seat: int, route: Route) -> Entry:
    command = c.Camp(route=route.spaces, payment=payment.default_payment(seen, seat, route.steps))
    return Entry(command, text_of(seen, command))


def _payment(phrase: CampPhrase, route: Route, seen: State, seat: int) -> tuple[Payment, ...]:
    if phrase.auto:
        return payment.default_payment(seen, seat, route.steps)
    if phrase.cards is not None:
        return _named_payment(phrase.cards, route)
    choices = list(islice(payment.outcomes(seen, seat, route.steps), CANDIDATES))
    if len(choices) > 1:
        commands = [c.Camp(route=route.spaces, payment=choice) for choice in choices]
        raise AmbiguousCommand(
            "your hand can pay this route in different ways; add pay and the cards, or auto",
            [Entry(command, text_of(seen, command)) for command in commands],
        )
    return choices[0]


def _named_payment(cards: tuple[str, ...], route: Route) -> tuple[Payment, ...]:
    if len(cards) != len(route.steps):
        steps = ", ".join(" ".join(step.spaces) for step in route.steps)
        problem = f"name {len(route.steps)} cards, one for each step: {steps}"
        raise IllegalMove("R3.6", problem)
    paired = zip(cards, route.steps, strict=True)
    return tuple(Payment(card=card, spaces=step.spaces) for card, step in paired)


def _tuck(phrase: TuckPhrase, seen: State) -> c.Tuck:
    if phrase.card not in seen.components.cards:
        raise IllegalMove("R5.3", f"there is no terrain card {phrase.card}")
    sides = [side.terrain for side in seen.components.cards[phrase.card].sides]
    if phrase.terrain is None and len(sides) > 1:
        both = [c.Tuck(card=phrase.card, side=side) for side in range(len(sides))]
        raise AmbiguousCommand(
            f"which side of {phrase.card} stays visible: {' or '.join(sides)}?",
            [Entry(command, text_of(seen, command)) for command in both],
        )
    if phrase.terrain is not None and phrase.terrain not in sides:
        problem = f"{phrase.card} has no {phrase.terrain} side, only {' and '.join(sides)}"
        raise IllegalMove("R5.3", problem)
    return c.Tuck(card=phrase.card, side=sides.index(phrase.terrain or sides[0]))
