"""``submit``: what a seat's commands lead to (docs/flow.md). It chooses; ``evolve`` remembers.

A submission is all or nothing up to the first event that tells its own seat something hidden
or uses chance. What comes after that is played if it is still legal, and comes back in
``unapplied`` if not, so that nothing can be probed by asking and being refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import commands as c
from engine.chance import Chance
from engine.commands import Command
from engine.errors import GameOver, IllegalMove, InvalidCommand, NotYourDecision
from engine.events import Event, Undone
from engine.play import Play
from engine.questions import KINDS, KINDS_OF_SCENARIOS, check_answers
from engine.rules import camp, payment, row, stories, turn
from engine.state import Question, State
from engine.views import learners


class Outcome(msgspec.Struct, frozen=True):
    """What a submission led to: the events, the commands that were played, and those that were not.

    ``commands`` name the cards that really left the hand (R7.2): they may be shown to everyone.
    ``sealed`` is an answer to be kept until ``unseal`` is given all of them; it has no event yet.
    """

    events: tuple[Event, ...]
    commands: tuple[Command, ...]
    unapplied: tuple[Command, ...] = ()
    sealed: Command | None = None


def submit(state: State, seat: int, commands: Sequence[Command], chance: Chance) -> Outcome:
    """Play a seat's commands on the true state and return what happened.

    Raises GameOver, NotYourDecision, InvalidCommand if there are none, or the first refusal
    with the index of its command; then nothing has happened.
    """
    if state.over:
        raise GameOver("the game is over")
    if not commands:
        raise InvalidCommand("a submission has at least one command")
    if isinstance(commands[0], c.Undo):
        return _undo(state, seat, commands)
    if state.question_of(seat) is None:
        raise NotYourDecision("you are not asked anything now")
    _check_in_advance(state, commands)
    return Submission(Play(state, chance), seat, commands).outcome()


def unseal(state: State, answers: Mapping[int, Command], chance: Chance) -> tuple[Event, ...]:
    """Return what the sealed answers of all seats that were asked lead to (R13.5)."""
    assert state.scenario.unseal, "the scenario has sealed answers"
    assert set(answers) == {question.seat for question in state.questions}
    play = Play(state, chance)
    state.scenario.unseal(play, answers)
    assert state.active is not None, "a scenario event comes in somebody's turn"
    turn.go_on(play, state.active)
    return tuple(play.events)


def forfeit(state: State, seat: int, reason: str, chance: Chance) -> tuple[Event, ...]:
    """Return what it leads to that a seat leaves the game: ``resigned`` or ``timed_out`` (R15).

    If it is asked for its turn, that is skipped; every other question stays, for a bot (R15.5).
    """
    if state.over:
        raise GameOver("the game is over")
    assert seat in state.seats_in_play, "a seat leaves the game once"
    play = Play(state, chance)
    turn.leave(play, seat, reason)
    return tuple(play.events)


def undo(state: State, seat: int) -> Undone:
    """Return the event that takes back the seat's last move; IllegalMove unless it is free."""
    last = state.undoable
    if state.over or last is None or last.seat != seat:
        raise IllegalMove(
            "undo",
            "a move can be taken back only by the seat that made it, until another seat or the "
            "clock has acted, and only if nobody has learnt anything hidden from it",
        )
    return Undone(from_=last.move, to=last.move)


def _undo(state: State, seat: int, commands: Sequence[Command]) -> Outcome:
    if len(commands) > 1:
        raise IllegalMove("undo", "undo is sent alone")
    return Outcome((undo(state, seat),), tuple(commands))


def _check_in_advance(state: State, commands: Sequence[Command]) -> None:
    """Refuse an answer in advance to what the commands before it cannot cause."""
    caused: set[str] = set()
    for index, command in enumerate(commands):
        if index and caused.isdisjoint(command.answers):
            kind = type(command).__struct_config__.tag
            problem = f"{kind} cannot be sent in advance: it answers nothing that your move causes"
            raise _at(index, IllegalMove("R3.1", problem))
        caused.update(kind for kind in command.causes if _may_be_put(state, kind))


def _may_be_put(state: State, kind: str) -> bool:
    """Tell whether a kind of question exists in the game's scenario."""
    return kind not in KINDS_OF_SCENARIOS or kind in state.scenario.asks


def _at(index: int, error: IllegalMove) -> IllegalMove:
    error.command_index = index
    return error


class Submission:
    """One submission being played, command by command."""

    def __init__(self, play: Play, seat: int, commands: Sequence[Command]) -> None:
        """Prepare to play a seat's commands, which may answer what it is asked."""
        self.play = play
        self.seat = seat
        self.waiting = list(commands)
        self.played: list[Command] = []
        self.sealed: Command | None = None

    def outcome(self) -> Outcome:
        """Play until a command is refused; the refusal counts only while nothing was learnt."""
        while self.waiting:
            try:
                self._answer(self.waiting[0])
            except IllegalMove as error:
                if not self._has_learnt():
                    raise _at(len(self.played), error) from None
                break
        self._settle()
        return Outcome(
            tuple(self.play.events), tuple(self.played), tuple(self.waiting), self.sealed
        )

    def _answer(self, command: Command) -> None:
        question = self._question_for(command)
        command, swaps = as_it_leaves(self.play.state, self.seat, command)
        play = player_for(self.play.state, question, command)
        play(self.play, self.seat, question.kind, command)
        if KINDS[question.kind].sealed:
            self.sealed = command
        else:
            turn.go_on(self.play, self.seat)
            self.played.append(command)
        # A known copy left instead of the card that was named: now that card is the copy.
        swaps |= {copy: card for card, copy in swaps.items()}
        self.waiting = [_renamed(later, swaps, self.play.state) for later in self.waiting[1:]]

    def _question_for(self, command: Command) -> Question:
        question = self.play.state.question_of(self.seat)
        if self.played and question and question.kind not in command.answers:
            self._settle()
            question = self.play.state.question_of(self.seat)
        if question is None or self.sealed or not self._may_be_asked(question):
            raise IllegalMove("R3.1", "nothing is asked that this would answer")
        check_answers(question, command.answers)
        return question

    def _may_be_asked(self, question: Question) -> bool:
        """Tell whether a submission may answer this: after its first answer, only follow-ups."""
        return not self.played or KINDS[question.kind].in_mid_turn

    def _settle(self) -> None:
        """Answer follow-up questions that have only one possible answer (R14.1)."""
        question = self.play.state.question_of(self.seat)
        if question and question.kind == "story" and len(stories.choices(self.play.state)) == 1:
            only = c.Story(place=stories.choices(self.play.state)[0])
            stories.take_story(self.play, self.seat, question.kind, only)
            turn.go_on(self.play, self.seat)

    def _has_learnt(self) -> bool:
        return any(self.seat in learners(self.play.state, event) for event in self.play.events)


def _take(play: Play, seat: int, _: str, command: c.Take) -> None:
    row.take(play, seat, command)


def _camp(play: Play, seat: int, _: str, command: c.Camp) -> None:
    camp.place_camp(play, seat, command)


def _pass(*_: object) -> None:
    """Refuse: a forced pass is made by the engine (R14.1); whoever is asked can take or place."""
    raise IllegalMove("R3.5", "pass only when you can neither take a card nor place a camp")


def _tuck(play: Play, seat: int, _: str, command: c.Tuck) -> None:
    camp.tuck(play, seat, command)


_PLAYERS: dict[type, Callable[[Play, int, str, Any], None]] = {
    c.Take: _take,
    c.Camp: _camp,
    c.Pass: _pass,
    c.Story: stories.take_story,
    c.Tuck: _tuck,
}


def player_for(
    state: State, question: Question, command: Command
) -> Callable[[Play, int, str, Any], None]:
    """Return what lets a command that answers a question happen: seat, kind, command."""
    brought = state.scenario.asks.get(question.kind)
    return brought.play if brought else _PLAYERS[type(command)]


def as_it_leaves(state: State, seat: int, command: Command) -> tuple[Command, dict[str, str]]:
    """Return the command with the cards that really leave the hand, and which took whose place.

    For a card only its owner knows, an identical one that is known leaves first (R7.2).
    """
    swaps = payment.leaving(state, seat, _cards_named(command))
    return _renamed(c.normal(command), swaps, state), swaps


def _cards_named(command: Command) -> list[str]:
    if isinstance(command, c.Camp):
        return [paid.card for paid in command.payment]
    if isinstance(command, c.Tuck | c.Fish) and command.card:
        return [command.card]
    return []


def _renamed(command: Command, names: Mapping[str, str], state: State) -> Command:
    """Return the command with other names for cards; a tucked side stays the same side."""
    if isinstance(command, c.Camp):
        paid = (replace(p, card=names.get(p.card, p.card)) for p in command.payment)
        return replace(command, payment=tuple(paid))
    if isinstance(command, c.Tuck) and command.card and command.card in names:
        old, new = state.components.cards[command.card], state.components.cards[names[command.card]]
        if 0 <= command.side < len(old.sides):
            side = new.sides.index(old.sides[command.side])
            return replace(command, card=new.id, side=side)
    if isinstance(command, c.Fish) and command.card:
        return replace(command, card=names.get(command.card, command.card))
    return command
