"""A table in the middle of a game: a map drawn as text, hands, piles, and lines of notation.

A map is drawn one row of spaces a line, each row half a space further to the right than the one
above it. A space is called by its row's letter and its number in the row, from 0::

    *0   f    d1
      w    m:2  *1

A0 is the starting camp of seat 0; A1 is forest; A2 is desert with a camp of seat 1; B0 is water;
B1 is mountain with 2 berries. A1 borders A0, A2, B0 and B1. A dot leaves a space out; v is the
volcano and x the downpour tile, both called X0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar

import msgspec
import pytest

from engine import codec, notation
from engine import commands as c
from engine import events as e
from engine.board import Board
from engine.chance import Chance
from engine.commands import Command, Payment
from engine.components import TRIBE_CAMPS, Tile, TileSite
from engine.decide import Outcome, forfeit, submit, unseal
from engine.errors import GameError, IllegalMove
from engine.fold import PLAYER, Row, advance
from engine.legal import legal
from engine.rules import routes
from engine.scenario import GAP_SPACE, Scenario
from engine.scenarios.base import BASE
from engine.state import CampOnMap, Question, State, StoryOnBoard, Tribe, Tucked
from engine.views import mask
from tests.engine.plain import plain

TERRAIN = {"b": "badlands", "m": "mountain", "d": "desert", "f": "forest", "w": "water"}
GAP_TILES = {"v": None, "x": "water"}
"""The volcano and the downpour tile; their space is called X0."""

ROW = "B5 B6 M5 M6 D5 D6"
"""The row, unless a test says otherwise."""

BySeat = Mapping[int, str]
AnEvent = TypeVar("AnEvent")


class _Drawn(msgspec.Struct):
    """A space as it was drawn."""

    placed: e.SpacePlaced
    camp: CampOnMap | None


def _drawn(drawing: str) -> list[_Drawn]:
    lines = [line.split() for line in drawing.strip().splitlines()]
    return [
        _space(row, column, token)
        for row, tokens in enumerate(lines)
        for column, token in enumerate(tokens)
        if token != "."
    ]


def _space(row: int, column: int, token: str) -> _Drawn:
    token, _, berries = token.partition(":")
    terrain, seat = token[0], token[1:]
    letter = "ABCDEFGH"[row]
    gap = token in GAP_TILES
    placed = e.SpacePlaced(
        space=GAP_SPACE if gap else f"{letter}{column}",
        q=column,
        r=row,
        tile=None if gap else letter,
        pos=column,
        terrain=GAP_TILES[token] if gap else TERRAIN.get(terrain),
        berries=int(berries or 0),
    )
    return _Drawn(placed, CampOnMap(int(seat), terrain == "*") if seat else None)


def _board(
    spaces: tuple[e.SpacePlaced, ...],
    sites: Mapping[str, Sequence[str]],
    owners: Mapping[str, int],
) -> Board:
    """Return a board whose rows stand for tiles, with sites between two spaces of a row."""
    letters = sorted({space.tile for space in spaces if space.tile})
    tiles = tuple(
        e.TilePlaced(letter=letter, id=letter, centre=(0, row), rotation=0, seat=owners.get(letter))
        for row, letter in enumerate(letters)
    )
    printed = {letter: _tile(letter, sites) for letter in letters}
    return Board(SimpleNamespace(tiles=printed), tiles, spaces)  # type: ignore[arg-type]


def _tile(letter: str, sites: Mapping[str, Sequence[str]]) -> Tile:
    borders = [(kind, *pair.split()) for kind, pairs in sites.items() for pair in pairs]
    return Tile(
        id=letter,
        name=letter,
        kind="neutral",
        spaces=(),
        sites=tuple(
            TileSite(
                id=f"{kind} {a} {b}",
                resource=kind,  # type: ignore[arg-type]
                borders=((0, 0), (1, 0)),
                border_pos=(int(a[1:]), int(b[1:])),
            )
            for kind, a, b in borders
            if a[0] == letter
        ),
    )


class Table:
    """A state made by hand, and what is played on it. The seat that is asked plays.

    ``hands``, ``secret`` (the hand cards only their owner knows) and ``tucked`` name cards by seat,
    ``stories`` and ``completed`` story tiles. ``placed`` is how many camps a seat has placed,
    if not as many as are drawn. ``owners`` says whose starting tile a row of
    the map is, by its letter. In a scenario ``pile`` is the supply.
    """

    def __init__(
        self,
        drawing: str,
        *,
        seats: int = 2,
        hands: BySeat | None = None,
        secret: str = "",
        tucked: BySeat | None = None,
        stories: Mapping[int, Sequence[str]] | None = None,
        completed: Mapping[int, Sequence[str]] | None = None,
        placed: Mapping[int, int] | None = None,
        sites: Mapping[str, Sequence[str]] | None = None,
        owners: Mapping[str, int] | None = None,
        row: str = ROW,
        pile: str | None = None,
        discard: str = "",
        scenario: Scenario = BASE,
        small_pile: str = "",
        **changes: Any,
    ) -> None:
        drawn = _drawn(drawing)
        board = _board(tuple(space.placed for space in drawn), sites or {}, owners or {})
        secret_cards = frozenset(secret.split())
        tribes = tuple(
            _tribe(
                drawn,
                seat,
                hand=(hands or {}).get(seat, ""),
                secret=secret_cards,
                tucked=(tucked or {}).get(seat, ""),
                stories=(stories or {}).get(seat, ()),
                completed=(completed or {}).get(seat, ()),
                placed=(placed or {}).get(seat),
            )
            for seat in range(seats)
        )
        held = [*(hands or {}).values(), *(tucked or {}).values()]
        on_table = " ".join([row, discard, small_pile, *held])
        rest = [card for card in plain().cards if card not in on_table.split()]
        pile_cards = tuple(rest if pile is None else pile.split())
        start_seat = changes.pop("start_seat", 0)
        active = changes.pop("active", start_seat)
        self.sealed: dict[int, Command] = {}
        self.chance = Chance(bytes(32), [None] * seats)
        self.events: tuple[e.Event, ...] = ()
        self.outcome = Outcome((), ())
        self.state = State(
            components=plain(),
            scenario=scenario,
            board=board,
            terrain=tuple(space.placed.terrain for space in drawn),
            berries=tuple(space.placed.berries for space in drawn),
            camps=tuple(space.camp for space in drawn),
            tribes=tribes,
            row=_row(row),
            pile=() if scenario.small_pile else pile_cards,
            discard=tuple(discard.split()),
            story_row=changes.pop("story_row", tuple(plain().stories)[:5]),
            story_pile=changes.pop("story_pile", tuple(plain().stories)[5:]),
            small_pile=tuple(small_pile.split()) if scenario.small_pile else None,
            supply=pile_cards if scenario.small_pile else None,
            stock=changes.pop("stock", scenario.stock),
            start_seat=start_seat,
            drafting=(),
            questions=(Question(active, changes.pop("asks", "turn")),),
            active=active,
            round=1,
            out=changes.pop("out", ()),
        )
        assert not changes, f"unknown: {changes}"
        self._given = f"Table({drawing!r}, hands={hands!r})"

    def __repr__(self) -> str:
        return self._given

    # ---- When ----------------------------------------------------------------------------

    @property
    def asked(self) -> int:
        """The first seat that is asked something and has not given its answer sealed."""
        return next(q.seat for q in self.state.questions if q.seat not in self.sealed)

    @property
    def legal(self) -> list[Command]:
        """What the seat that is asked is offered."""
        return [entry.command for entry in legal(mask(self.state, self.asked), self.asked)]

    def commands(self, line: str) -> list[Command]:
        """Return what a line of notation means for the seat that is asked."""
        return notation.resolve(notation.parse(line), mask(self.state, self.asked), self.asked)

    def play(self, *submitted: str | Command, seat: int | None = None) -> Table:
        """Play lines of notation, then commands, for a seat that is asked: one submission."""
        seat = self.asked if seat is None else seat
        commands = self._read(submitted)
        self.outcome = submit(self.state, seat, commands, self.chance)
        happened = self.outcome.events
        if self.outcome.sealed:
            self.sealed[seat] = self.outcome.sealed
            if len(self.sealed) == len(self.state.questions):
                happened = unseal(self.state, self.sealed, self.chance)
                self.sealed = {}
        return self._store(seat, happened)

    def forfeit(self, seat: int, reason: str = "resigned") -> Table:
        """Let a seat leave the game."""
        return self._store(seat, forfeit(self.state, seat, reason, self.chance))

    def _store(self, seat: int, happened: tuple[e.Event, ...]) -> Table:
        self.events = codec.decode_events(codec.canonical(happened))
        row = Row(self.state.version + 1, seat, PLAYER, self.events)
        self.state = advance(self.state, row)
        return self

    def _read(self, submitted: tuple[str | Command, ...]) -> list[Command]:
        lines = [part for part in submitted if isinstance(part, str)]
        commands = [part for part in submitted if not isinstance(part, str)]
        return [*(self.commands(", ".join(lines)) if lines else []), *commands]

    def refuses(self, *submitted: str | Command, rule: str) -> IllegalMove:
        """Check that the submission is refused by this rule; return the refusal."""
        with pytest.raises(IllegalMove) as refusal:
            submit(self.state, self.asked, self._read(submitted), self.chance)
        assert refusal.value.rule == rule, refusal.value.detail
        return refusal.value

    def error_of(self, line: str) -> GameError:
        """Return what a line of notation is answered with, however it is refused."""
        with pytest.raises(GameError) as refusal:
            self.play(line)
        return refusal.value

    # ---- Then ----------------------------------------------------------------------------

    def happened(self, kind: type[AnEvent]) -> list[AnEvent]:
        """Return the events of this kind that the last submission led to."""
        return [event for event in self.events if isinstance(event, kind)]

    def hand(self, seat: int) -> str:
        """Return the seat's hand cards, in the order of their ids."""
        return " ".join(sorted(self.state.tribes[seat].hand))

    @property
    def row(self) -> str:
        """The row, a dash for an empty place."""
        return " ".join(card or "-" for card in self.state.row)

    @property
    def discard(self) -> str:
        """The discard pile, in the order in which cards came to it."""
        return " ".join(self.state.discard)

    def camp_on(self, space: str) -> int | None:
        """Return the seat whose camp stands on a space."""
        camp = self.state.camps[self.state.board.index[space]]
        return camp.seat if camp else None

    def points(self, label: str) -> list[int]:
        """Return what every seat or team scores for one line of the score."""
        (term,) = [term for term in self.state.scenario.terms if label in (term.rule, term.label)]
        return term.points(self.state)

    def berries(self) -> dict[str, int]:
        """Return the spaces with berries, and how many lie there."""
        board = zip(self.state.board.names, self.state.berries, strict=True)
        return {space: berries for space, berries in board if berries}

    def completed(self, seat: int) -> list[str]:
        """Return the seat's completed story tiles."""
        return [tile.story for tile in self.state.tribes[seat].stories if tile.completed]


def _row(row: str) -> tuple[str | None, ...]:
    return tuple(None if card == "-" else card for card in row.split())


def _tribe(
    drawn: Iterable[_Drawn],
    seat: int,
    *,
    hand: str,
    secret: frozenset[str],
    tucked: str,
    stories: Sequence[str],
    completed: Sequence[str],
    placed: int | None,
) -> Tribe:
    on_map = sum(s.camp == CampOnMap(seat, starting=False) for s in drawn)
    cards = tuple(hand.split())
    tiles = [*((story, False) for story in stories), *((story, True) for story in completed)]
    return Tribe(
        camps_left=TRIBE_CAMPS - (on_map if placed is None else placed),
        hand=cards,
        secret=secret.intersection(cards),
        stories=tuple(StoryOnBoard(story, done) for story, done in tiles),
        tucked=tuple(_tucked(slot, name) for slot, name in enumerate(tucked.split(), 1)),
    )


def _tucked(slot: int, name: str) -> Tucked:
    """Read a tucked card: its id, with the visible side after a dot if it is not side 0."""
    card, _, side = name.partition(".")
    return Tucked(slot, card, int(side or 0))


def camp(table: Table, route: str, cards: str) -> c.Camp:
    """Return the command that places a camp along a route, each step paid by the next card."""
    spaces = tuple(route.split())
    steps = routes.steps_of(table.state, table.asked, spaces)
    paid = zip(cards.split(), steps, strict=True)
    return c.Camp(
        route=spaces, payment=tuple(Payment(card=card, spaces=step.spaces) for card, step in paid)
    )
