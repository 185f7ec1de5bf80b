"""Whole games as the service keeps them: rows of canonical bytes, a hash chain, an export."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from engine import codec, notation
from engine import events as e
from engine.chance import Chance, commitment
from engine.codec import Header, LogRow
from engine.commands import Command
from engine.components import ComponentSet
from engine.components.shipped import hearth
from engine.decide import Outcome, forfeit, submit, unseal
from engine.errors import AmbiguousCommand
from engine.fold import PLAYER, Row, advance, fold, is_undo
from engine.ruleset import RULESET
from engine.scenarios import SCENARIOS
from engine.setup import set_up
from engine.state import State
from engine.verify import result_of
from engine.views import mask

Data = dict[str, Any]
Policy = Callable[[State, int, "Dice"], Command]
"""Answers what a seat is asked, from the seat's own view."""

Item = TypeVar("Item")


def secret(*what: object) -> bytes:
    """Return 32 bytes that always are the same for the same words."""
    return hashlib.sha256(" ".join(map(str, what)).encode()).digest()


class Dice:
    """Repeatable random numbers, apart from those of any game."""

    def __init__(self, *what: object) -> None:
        self._chance = Chance(secret("dice", *what), [])
        self._uses = 0

    def below(self, limit: int) -> int:
        self._uses += 1
        return self._chance.below(self._uses, limit)[0]

    def one_in(self, times: int) -> bool:
        return self.below(times) == 0

    def pick(self, items: Sequence[Item]) -> Item:
        return items[self.below(len(items))]

    def some(self, items: Sequence[Item], number: int) -> list[Item]:
        """Return up to this many of the items."""
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(min(number, len(left)))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        return self.some(items, len(items))


class Game:
    """A game that is being played, and its log. The same number deals the same game."""

    def __init__(
        self,
        players: int,
        number: int = 0,
        components: ComponentSet | None = None,
        kinds: Sequence[str] = (),
        scenario: str = "base",
    ) -> None:
        self.components = components or hearth()
        self.scenario = SCENARIOS[scenario]
        kinds = kinds or ["human"] * players
        self.name = f"game-{players}-{number}"
        self.seed = secret("seed", number)
        given = [
            secret("contribution", number, seat) if kind == "human" else None
            for seat, kind in enumerate(kinds)
        ]
        self.chance = Chance(self.seed, given)
        self.header = Header(
            game=self.name,
            ruleset=RULESET,
            component_set=self.components.digest,
            layout=self.components.layout_for(players).id,
            scenario=scenario,
            seats=tuple({"seat": seat, "kind": kind} for seat, kind in enumerate(kinds)),
            commitment=commitment(self.name, self.seed),
            contributions=tuple(part.hex() if part else None for part in given),
        )
        self.rows: list[Row] = []
        self.moves: list[Data] = []
        self.sealed: dict[int, Command] = {}
        dealt = set_up(self.components, self.scenario, players, self.chance)
        self._log(None, "service", None, (), (dealt,))
        self.state = self.refolded

    def __repr__(self) -> str:
        return f"<{self.name}, {len(self.rows)} rows>"

    @property
    def refolded(self) -> State:
        """The state that the stored rows lead to."""
        return fold(self.rows, self.components, self.scenario)

    @property
    def asked(self) -> int:
        """The first seat that is asked something and has not given its answer sealed."""
        return next(q.seat for q in self.state.questions if q.seat not in self.sealed)

    def seen(self, viewer: int | None) -> State:
        """Return what a seat may know of the state."""
        return mask(self.state, viewer)

    def submit(self, seat: int, commands: Sequence[Command], actor: str = PLAYER) -> Outcome:
        """Play commands for a seat and store the row."""
        outcome = submit(self.state, seat, commands, self.chance)
        if outcome.commands:
            self._append(seat, actor, outcome.commands, outcome.events)
        if outcome.sealed:
            self.sealed[seat] = outcome.sealed
            self._unseal()
        return outcome

    def _append(
        self, seat: int, actor: str, commands: Sequence[Command], events: Sequence[e.Event]
    ) -> None:
        question = self.state.question_of(seat)
        decision = self.state.decision_of(question) if question else None
        row = self._log(seat, actor, decision, commands, events)
        self.state = self.refolded if is_undo(row) else advance(self.state, row)

    def _unseal(self) -> None:
        """Store all sealed answers in turn order once they are in; the last row has the events."""
        order = [question.seat for question in self.state.questions]
        if set(self.sealed) == set(order):
            answers, self.sealed = self.sealed, {}
            events = unseal(self.state, answers, self.chance)
            for seat in order:
                last = seat == order[-1]
                self._append(seat, PLAYER, [answers[seat]], events if last else ())

    def say(self, line: str) -> Outcome:
        """Play a line of notation for the seat that is asked."""
        seat = self.asked
        return self.submit(seat, notation.resolve(notation.parse(line), self.seen(seat), seat))

    def operate(self, event: e.Event) -> None:
        """Store a row of the operator."""
        self.state = advance(self.state, self._log(None, "operator", None, (), (event,)))

    def forfeit(self, seat: int, reason: str = "resigned", actor: str = PLAYER) -> None:
        """Let a seat leave the game, and store the row."""
        events = forfeit(self.state, seat, reason, self.chance)
        self.state = advance(self.state, self._log(seat, actor, None, (), events))

    def agree_to_take_back(self, first: int) -> None:
        """Take back the moves from this one on, to which all seats have agreed."""
        undone = e.Undone(from_=first, to=len(self.rows), agreed=tuple(self.state.seats))
        self._log(None, PLAYER, None, (), (undone,))
        self.state, self.sealed = self.refolded, {}

    def play(self, policies: Sequence[Policy], moves: int = 1000) -> Game:
        """Let each seat's policy answer, for so many moves or to the end."""
        dice = Dice(self.name)
        for _ in range(moves):
            if self.state.over:
                break
            seat = self.asked
            self.submit(seat, [policies[seat](self.seen(seat), seat, dice)])
        return self

    def events(self) -> Iterator[e.Event]:
        """Yield every event in the log."""
        for row in self.rows:
            yield from row.events

    def _log(
        self,
        seat: int | None,
        actor: str,
        decision: str | None,
        commands: Sequence[Command],
        events: Sequence[e.Event],
    ) -> Row:
        number = len(self.rows) + 1
        row = LogRow(
            number=number,
            seat=seat,
            actor=actor,
            decision=decision,
            commands=msgspec.Raw(codec.canonical(commands)),
            events=msgspec.Raw(codec.canonical(events)),
            at=f"2026-11-30T00:00:{number % 60:02}.000000Z",
        )
        self.moves.append(chained(msgspec.json.decode(codec.canonical(row)), self._head, number))
        self.rows.append(Row(number, seat, actor, codec.decode_events(bytes(row.events))))
        return self.rows[-1]

    @property
    def _head(self) -> bytes:
        return bytes.fromhex(self.moves[-1]["hash"]) if self.moves else self.header.digest

    def export(self) -> Data:
        """Return the open export of the game (docs/export.md)."""
        header = msgspec.to_builtins(self.header)
        given = {"digest": self.components.digest, "data": None}
        given["data"] = msgspec.json.decode(self.components.canonical)
        exported = header | {
            "view": "open",
            "component_set": given,
            "moves": self.moves,
            "result": result_of(self.state),
            "seed": self.seed.hex(),
        }
        copy: Data = msgspec.json.decode(codec.canonical(exported))
        return copy


def events_of(export: Data, kind: str) -> list[Data]:
    """Return the events of a kind, to be changed in place."""
    return [e for move in export["moves"] for e in move["events"] if e["type"] == kind]


def chained(row: Data, previous: bytes, number: int) -> Data:
    """Return a row of an export with the three fields of its hash chain, reckoned by hand."""
    nonce = secret("nonce", number)
    digest = hashlib.sha256(previous + nonce + codec.canonical(row)).hexdigest()
    return row | {"prev_hash": previous.hex(), "nonce": nonce.hex(), "hash": digest}


def rechained(export: Data) -> Data:
    """Hash the rows of an export again, as somebody would who has changed them."""
    header = {
        key: export[key]
        for key in ("format", "game", "ruleset", "layout", "scenario", "seats", "commitment")
    }
    header |= {
        "component_set": export["component_set"]["digest"],
        "contributions": export["contributions"],
    }
    previous = hashlib.sha256(codec.canonical(header)).digest()
    moves = []
    for move in export["moves"]:
        row = {k: v for k, v in move.items() if k not in ("prev_hash", "nonce", "hash")}
        moves.append(chained(row, previous, move["number"]))
        previous = bytes.fromhex(moves[-1]["hash"])
    return export | {"moves": moves}


def meanings(state: State, seat: int, line: str) -> list[list[Command]]:
    """Return every submission a line may mean: the one it names, or the candidates."""
    seen = mask(state, seat)
    try:
        return [notation.resolve(notation.parse(line), seen, seat)]
    except AmbiguousCommand as error:
        return [[entry.command] for entry in error.candidates]
