"""Orders: what a player's own lines in a mail tell us to do (docs/mail.md, *Answer by reply*).

Orders stand first, one or more on a line. Other text that an empty line sets apart ends them: it is
for nobody.
Nothing is guessed: a line among the orders that is none makes all of them void.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import partial
from typing import Protocol

import msgspec

from engine import notation
from engine.commands import Undo
from engine.errors import InvalidCommand
from games.models import MESSAGE_LENGTH
from notifications.inbound.quoting import WIDTH

WORDS = ("legal", "board", "help")
"""Orders that ask for something to be mailed."""

EXAMPLES = "3 (its number in the list) · take 3-4 · undo · legal · board · say Hello · help"
VACATION = "vacation 2026-12-24 2027-01-02"
TOO_LONG = f"a line of {MESSAGE_LENGTH} characters at most"


class Errand(msgspec.Struct, frozen=True):
    """What is only done after a click on a link that is mailed: resign, vacation, hand_over.

    A vacation has its first and last day.
    """

    kind: str
    first: date | None = None
    last: date | None = None


class Orders(msgspec.Struct):
    """What a mail tells us to do; ``play`` are numbers of the shortlist and texts of notation.

    ``back`` ends that a bot plays on for the seat.
    """

    play: list[int | str] = []
    say: str = ""
    notes: list[str] = []
    asks: list[str] = []
    errands: list[Errand] = []
    back: bool = False

    @property
    def is_move_alone(self) -> bool:
        """Tell whether a move is to be played, and nothing else that could be done without it."""
        return bool(self.play) and not (self.notes or self.back)

    @property
    def is_undo(self) -> bool:
        """Tell whether a move is to be taken back, and nothing played."""
        return self.play == ["undo"]


class UnreadableOrder(Exception):
    """A line is no order. ``line`` counts the sender's own lines, from 1.

    ``problem`` is what is wrong with it, ``right`` how it would be written; both in our words.
    """

    def __init__(self, line: int, problem: str, right: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem
        self.right = right


NO_ORDER = "it is no order that can be read"
NO_WORDS = "there are no words of yours in it"
LATE_ORDER = "it is a move that stands after other text"
WRAPPED = "it may be an order, or the end of the line above"


def read(words: Sequence[str]) -> Orders:
    """Read a sender's own lines; raise UnreadableOrder if they are not plain."""
    orders, gap = Orders(), False
    go_on: Reader | None = None
    for number, line in enumerate(words, 1):
        if not line:
            gap, go_on = True, None
            continue
        reader = _reader(line, go_on)
        if go_on not in (None, reader) and _fills(words[number - 2], line):
            raise UnreadableOrder(number, WRAPPED, "moves first, and what you say below them")
        try:
            go_on = reader(orders, line)
        except InvalidCommand as error:
            if not gap or orders == Orders():
                raise UnreadableOrder(number, NO_ORDER, error.right) from error
            _check_no_move_in(words[number:], number)
            return orders
        gap = False
    if orders == Orders():
        raise UnreadableOrder(1, NO_WORDS, EXAMPLES)
    return orders


def _fills(before: str, line: str) -> bool:
    """Tell whether a mail program may have wrapped a line out of the one before it."""
    return len(before) + len(line.split(maxsplit=1)[0]) >= WIDTH


def _check_no_move_in(rest: Sequence[str], before: int) -> None:
    """Refuse a move that is written after other text: to leave it out would be half a turn."""
    for number, line in enumerate(rest, before + 1):
        if _is_move(line.rstrip(" .!")):
            raise UnreadableOrder(number, LATE_ORDER, "orders first, then an empty line")


def _is_move(line: str) -> bool:
    try:
        return notation.parse(line) != [Undo()]
    except InvalidCommand:
        return False


def moves_of(orders: Orders, listed: Callable[[int], str | None]) -> Iterator[str]:
    """Yield the moves as notation; ``listed`` gives the line for a number of the shortlist.

    Raises InvalidCommand for a number that is not in the list.
    """
    for move in orders.play:
        line = listed(move) if isinstance(move, int) else move
        if line is None:
            raise InvalidCommand("no such number", "a number of the list in that mail")
        yield line


# ---- One line ----------------------------------------------------------------------------------


class Reader(Protocol):
    """Reads a line into orders; may return who reads the next one if that is no order."""

    def __call__(self, orders: Orders, line: str, /) -> Reader | None:
        """Raise InvalidCommand if the line cannot be read; then the orders are as before."""


_NUMBER = re.compile(r"#?[0-9]{1,2}[.):]?\s*(?=$|[,;])")
"""A number of the shortlist, alone or before other moves."""


def _reader(line: str, go_on: Reader | None) -> Reader:
    """Return who reads a line: by its first word, else as more of the text before it."""
    if _NUMBER.match(line):
        return _play
    word = re.split(r"[\s:,;.!?]", line.lower(), maxsplit=1)[0]
    return _READERS.get(word) or go_on or _refuse


def _refuse(_orders: Orders, _line: str) -> None:
    raise InvalidCommand(NO_ORDER, EXAMPLES)


def _play(orders: Orders, line: str) -> None:
    """Read moves: the first may be a number of the shortlist."""
    parts = [part.strip() for part in re.split(r"[,;]", line.rstrip(" .!,;"))]
    orders.play += [_move(part) for part in parts]


def _move(part: str) -> int | str:
    if _NUMBER.fullmatch(part):
        return int(re.sub(r"\D", "", part))
    notation.parse(part)
    return part.lower()


def _ask(orders: Orders, line: str) -> None:
    word = line.lower().rstrip(" .!?")
    if word not in WORDS:
        raise InvalidCommand("more than the word", f"{' or '.join(WORDS)}, alone on a line")
    if word not in orders.asks:
        orders.asks.append(word)


def _say(orders: Orders, line: str) -> Reader:
    orders.say = _text(f"{orders.say} {_after_word(line)}")
    return _say_on


def _say_on(orders: Orders, line: str) -> Reader:
    orders.say = _text(f"{orders.say} {line}")
    return _say_on


def _note(orders: Orders, line: str) -> Reader:
    orders.notes.append(_text(_after_word(line)))
    return _note_on


def _note_on(orders: Orders, line: str) -> Reader:
    orders.notes[-1] = _text(f"{orders.notes[-1]} {line}")
    return _note_on


def _after_word(line: str) -> str:
    rest = re.split(r"[\s:]+", line, maxsplit=1)[1:]
    if not rest or not rest[0].strip():
        raise InvalidCommand("no text", "say Well played, or note Keep the two forests")
    return rest[0]


def _text(text: str) -> str:
    text = text.strip()
    if len(text) > MESSAGE_LENGTH:
        raise InvalidCommand("too long", TOO_LONG)
    return text


def _errand(kind: str, words: str, orders: Orders, line: str) -> None:
    _check_alone(line, *words.split("|"))
    orders.errands.append(Errand(kind))


def _check_alone(line: str, *words: str) -> None:
    if line.lower().rstrip(" .!") not in words:
        raise InvalidCommand("more than the word", f"{words[0]}, alone on a line")


def _back(orders: Orders, line: str) -> None:
    _check_alone(line, "back")
    orders.back = True


_DATES = re.compile(
    r"(?:vacation|holiday)s?:?\s+(?:from\s+)?(\d{4}-\d\d-\d\d)(?:\s+|\s*(?:to|until|till|-)\s*)"
    r"(\d{4}-\d\d-\d\d)[.!]?",
    re.IGNORECASE,
)


def _vacation(orders: Orders, line: str) -> None:
    dates = _DATES.fullmatch(line)
    try:
        first, last = map(date.fromisoformat, dates.groups() if dates else ("", ""))
    except ValueError as error:
        raise InvalidCommand("no days", VACATION) from error
    if last < first:
        raise InvalidCommand("it ends before it begins", VACATION)
    orders.errands.append(Errand("vacation", first, last))


_READERS: dict[str, Reader] = {
    **dict.fromkeys(notation.WORDS, _play),
    **dict.fromkeys(WORDS, _ask),
    "say": _say,
    "note": _note,
    "back": _back,
    "resign": partial(_errand, "resign", "resign"),
    "hand": partial(_errand, "hand_over", "hand over|hand my seat over|hand over my seat"),
    "vacation": _vacation,
    "holiday": _vacation,
}
