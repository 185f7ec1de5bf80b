"""Random games: ``python -m tests.fuzz --games 2000 --scenario base``.

Each game is played in its own mixture of ways: policies, commands or text, one command or a
batch, undos, and nonsense in between that must be refused; in some, seats leave and moves are
taken back by consent. After every move every law is checked (``tests.engine.laws``), at the end
the whole export. A game that breaks a law is saved under ``var/fuzz`` and played again with
``--replay FILE``. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import codec, notation
from engine import commands as c
from engine import events as e
from engine.commands import Command
from engine.decide import submit
from engine.errors import GameError
from engine.legal import legal
from engine.scenarios import SCENARIOS
from engine.state import State
from engine.verify import verify
from tests.engine.game import Dice, Game, meanings
from tests.engine.laws import LARGE_HAND, check_all
from tests.engine.policies import POLICIES

Data = dict[str, Any]

SAVED = Path("var/fuzz")
LONGEST = 1000
"""No game takes so many moves."""

LEAVE = 40
"""In a game that seats leave, one does after one in so many moves; so often all take some back."""

FARTHEST_BACK = 6
"""How many moves are taken back by consent at most."""

ALL = "all"
"""Every scenario, one after the other."""

STYLES = (*("bot", "anything", "stirrer") * 2, "bot", "spender", "spender", "hoarder")
WORDS = (
    *("take", "camp", "from", "via", "pay", "auto", "story", "pile", "tuck", "nothing", "undo"),
    *("A1", "B3", "C0", "T01", "T55", "T99", "3-4", "1", "6", "forest", "water", ",", "?"),
)


class Fuzzed:
    """A game of random play, and what is needed to play it again."""

    def __init__(self, scenario: str, number: int) -> None:
        self.scenario = scenario
        self.number = number
        self.dice = Dice("fuzz", scenario, number)
        counts = SCENARIOS[scenario].players
        self.players = counts[number % len(counts)]
        self.styles = [self.dice.pick(STYLES) for _ in range(self.players)]
        self.game = Game(self.players, number, scenario=scenario)
        self.fate = Dice("leaving", scenario, number)
        self.is_left = self.fate.one_in(4)
        self.moves: list[Data] = []
        self.last: Data | None = None

    # ---- Playing -------------------------------------------------------------------------

    def play(self) -> None:
        """Play to the end, checking every law after every move."""
        self._check()
        while not self.game.state.over:
            assert len(self.game.rows) < LONGEST, "the game does not end"
            self._talk_nonsense()
            self._answer()
            self._check()
            self._take_back()
            self._leave()
        report = verify(self.game.export())
        assert (report.problems, report.notes) == ((), ())

    def play_again(self, saved: Data) -> None:
        """Play the moves of a saved game, checking every law after every move."""
        for move in (*saved["moves"], saved["last"]):
            if move is not None:
                self._happens(move)
                self._check()

    def _submit(self, seat: int, commands: Sequence[Command]) -> None:
        self._happens({"seat": seat, "commands": msgspec.to_builtins(commands)})

    def _happens(self, move: Data) -> None:
        """Let a move happen as it is saved: commands, a seat that leaves, or moves taken back."""
        self.last = move
        if "leaves" in move:
            self.game.forfeit(move["leaves"])
        elif "back_to" in move:
            self.game.agree_to_take_back(move["back_to"])
        elif "seconds" in move:
            self.game.operate(e.DeadlineExtended(seconds=move["seconds"]))
        else:
            commands = codec.decode_commands(codec.canonical(move["commands"]))
            self.game.submit(move["seat"], commands)
        self.moves.append(move)
        self.last = None

    def _check(self) -> None:
        check_all(self.game, Dice("laws", self.number, len(self.game.rows)))

    def _answer(self) -> None:
        """Answer as the seat's policy does; often in text, often with a guess in advance."""
        seat = self.game.asked
        seen = self.game.seen(seat)
        command = POLICIES[self.styles[seat]](seen, seat, self.dice)
        if self.dice.one_in(3):
            command = self._from_text(seen, seat, command)
        batch = [command, *self._guesses(seen, seat, command)]
        try:
            self._submit(seat, batch)
        except GameError:
            assert len(batch) > 1, "a legal answer was refused"
            self._submit(seat, [command])

    def _from_text(self, seen: State, seat: int, command: Command) -> Command:
        """Say a command in words, all of them or as few as possible; return what it means."""
        text = notation.text_of(seen, command)
        if not self.dice.one_in(3) or len(seen.tribes[seat].hand) > LARGE_HAND:
            (meant,) = notation.resolve(notation.parse(text), seen, seat)
            assert meant == command
            return command
        short = text.split(" via")[0] if self.dice.one_in(2) else text.split(" pay")[0]
        return self.dice.pick(meanings(self.game.state, seat, short))[0]

    def _guesses(self, seen: State, seat: int, command: Command) -> list[Command]:
        """Guess what will be asked next, rightly or wrongly."""
        hand = seen.tribes[seat].hand
        if self.dice.one_in(2) or not hand:
            return []
        if isinstance(command, c.Take | c.Water | c.Lava):
            return self.dice.some(self._guesses_of_event(seen, seat), 1 + self.dice.below(2))
        if not isinstance(command, c.Camp):
            return []
        guesses: list[Command] = [
            c.Story(place=1 + self.dice.below(5)),
            c.Story(place=c.PILE),
            c.Tuck(card=self.dice.pick(hand)),
            c.Tuck(card=None),
        ]
        return self.dice.some(guesses, 1 + self.dice.below(2))

    def _guesses_of_event(self, seen: State, seat: int) -> list[Command]:
        """Guess what a scenario event will ask."""
        names = seen.board.names
        return [
            c.Water(space=self.dice.pick(names)),
            c.Lava(space=self.dice.pick(names)),
            c.Share(shares=(c.PartShare(space=self.dice.pick(names), berries=1),)),
            c.Fish(card=self.dice.pick(seen.tribes[seat].hand)),
        ]

    def _take_back(self) -> None:
        """Take a move back now and then, if that is allowed; try to even if it is not."""
        undoable, seat = self.game.state.undoable, self.dice.below(self.players)
        if self.game.state.over or not self.dice.one_in(4):
            return
        if undoable:
            self._submit(undoable.seat, [c.Undo()])
            self._check()
        else:
            self._is_refused(seat, [c.Undo()])
        if self.dice.one_in(4):
            self._happens({"seconds": 60})

    def _leave(self) -> None:
        """In some games, let a seat leave now and then, and take moves back by consent."""
        if not self.is_left or self.game.state.over:
            return
        if self.fate.one_in(LEAVE):
            self._happens({"leaves": self.fate.pick(self.game.state.seats_in_play)})
            self._check()
        if not self.game.state.over and self.fate.one_in(LEAVE):
            back = self.fate.below(FARTHEST_BACK)
            self._happens({"back_to": max(2, len(self.game.rows) - back)})
            self._check()

    # ---- Nonsense ------------------------------------------------------------------------

    def _talk_nonsense(self) -> None:
        """Submit what no rule allows, and text that probably says nothing."""
        state, seat = self.game.state, self.game.asked
        for commands in self.dice.some(list(self._wrong_answers(state, seat)), 2):
            self._is_refused(seat, commands)
        other = (seat + 1) % self.players
        self._is_refused(other, [c.Take(places=(1, 2))])
        words = [self.dice.pick(WORDS) for _ in range(1 + self.dice.below(6))]
        with suppress(GameError):
            meanings(state, seat, " ".join(words))

    def _wrong_answers(self, state: State, seat: int) -> Iterator[list[Command]]:
        """Yield submissions that are wrong whatever is asked."""
        elsewhere = self.dice.pick([*state.row_pile, *state.discard, "T99"])
        places = self.dice.pick([(), (1,) * 2, (1, 3), (0, 1), (6, 7), (1, 6), (1, 2, 3)])
        yield [c.Take(places=places)]
        yield [c.Story(place=self.dice.pick([0, 6, -1]))]
        yield [c.Tuck(card=elsewhere)]
        yield [c.Pass()]
        yield []
        yield [c.Take(places=(1, 2)), c.Take(places=(3, 4))]
        if len(state.tribes[seat].hand) <= LARGE_HAND and self.dice.one_in(3):
            answers = [entry.command for entry in legal(self.game.seen(seat), seat)]
            camps = [answer for answer in answers if isinstance(answer, c.Camp)]
            for camp in self.dice.some(camps, 1):
                yield from ([wrong] for wrong in _spoilt(camp, elsewhere))

    def _is_refused(self, seat: int, commands: Sequence[Command]) -> None:
        self.last = {"seat": seat, "commands": msgspec.to_builtins(commands)}
        before = replace(self.game.state)
        assert self._is_illegal(seat, commands), f"accepted: {commands}"
        assert self.game.state == before
        self.last = None

    def _is_illegal(self, seat: int, commands: Sequence[Command]) -> bool:
        try:
            submit(self.game.state, seat, commands, self.game.chance)
        except GameError:
            return True
        return False

    # ---- Keeping -------------------------------------------------------------------------

    def saved(self, problem: str) -> Data:
        """Return the game as it is saved."""
        return {
            "scenario": self.scenario,
            "number": self.number,
            "policies": self.styles,
            "moves": self.moves,
            "last": self.last,
            "problem": problem,
        }


def _spoilt(camp: c.Camp, elsewhere: str) -> Iterator[Command]:
    """Yield commands that are like a legal one and wrong."""
    first, *rest = camp.payment
    yield replace(camp, payment=tuple(rest))
    yield replace(camp, payment=(replace(first, card=elsewhere), *rest))
    yield replace(camp, payment=(replace(first, card=rest[0].card), *rest))
    yield replace(camp, payment=(*camp.payment, first))
    yield replace(camp, route=camp.route[:1])
    yield replace(camp, route=(*camp.route, camp.route[0]))
    yield replace(camp, route=(*camp.route[:-1], "Z9"))
    yield replace(camp, route=camp.route[::-1])


def fuzz(scenario: str, number: int) -> tuple[int, str | None]:
    """Play a game; return its number of moves, and the file it is saved in if it breaks a law."""
    game = Fuzzed(scenario, number)
    try:
        game.play()
    except Exception:  # noqa: BLE001 - whatever goes wrong is the finding
        return len(game.moves), _save(game.saved(traceback.format_exc()))
    return len(game.moves), None


def _save(saved: Data) -> str:
    SAVED.mkdir(parents=True, exist_ok=True)
    file = SAVED / f"{saved['scenario']}-{saved['number']}.json"
    file.write_text(json.dumps(saved, indent=1))
    sys.stderr.write(f"{file}: {saved['problem'].splitlines()[-1]}\n")
    return str(file)


def _fuzz(task: tuple[str, int]) -> tuple[int, str | None]:
    return fuzz(*task)


def replay(file: Path) -> None:
    """Play a saved game again; raises what it raised then."""
    saved = json.loads(file.read_text())
    Fuzzed(saved["scenario"], saved["number"]).play_again(saved)


def main(arguments: Sequence[str]) -> int:
    """Play the games, print the figures; return 1 if a law was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--games", type=int, default=2000, help="how many of each scenario")
    parser.add_argument("--scenario", choices=[*SCENARIOS, ALL], default="base")
    parser.add_argument("--first", type=int, default=0, help="the number of the first game")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--replay", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    if options.replay:
        replay(options.replay)
        return 0
    began = time.monotonic()
    scenarios = list(SCENARIOS) if options.scenario == ALL else [options.scenario]
    numbers = range(options.first, options.first + options.games)
    with Pool(options.jobs) as pool:
        tasks = ((scenario, number) for scenario in scenarios for number in numbers)
        played = list(pool.imap_unordered(_fuzz, tasks, chunksize=4))
    failures = sorted(file for _, file in played if file)
    figures = {
        "scenario": options.scenario,
        "games": len(played),
        "moves": sum(moves for moves, _ in played),
        "seconds": round(time.monotonic() - began, 1),
        "failures": failures,
    }
    sys.stdout.write(json.dumps(figures) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
