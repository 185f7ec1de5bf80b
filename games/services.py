"""Everything that writes to a game: opening, joining, moves, time-outs, the operator's hand.

Each function is one transaction that locks the game first: all of it happens or nothing does.
What follows from it (mails, bots) is written down in the same transaction and started after
it has committed; a start that gets lost is found by the next sweep.
"""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.utils import timezone

from dewan_site import sql
from dewan_site.accounts.models import Player
from engine import bots, codec, notation, setup
from engine.chance import SECRET_BYTES, commitment
from engine.commands import Command, Undo
from engine.components.shipped import hearth
from engine.decide import Outcome, submit, unseal
from engine.errors import GameError, IllegalMove, NotYourDecision, StaleMove
from engine.events import DeadlineExtended, Event, GameCancelled, SeatReturned
from engine.legal import legal
from engine.notation import Phrase
from engine.questions import KINDS
from engine.ruleset import RULESET
from engine.scenarios import SCENARIOS
from engine.state import State
from engine.views import mask, redact
from games import component_sets, timing
from games.access import visible_game
from games.errors import GameFull, InvalidRequest, KeyReused
from games.models import (
    MESSAGE_LENGTH,
    Decision,
    Game,
    GameSecret,
    Move,
    SealedAnswer,
    Seat,
    Sitting,
    Submission,
    TableMessage,
)
from games.table import Answered, Table

log = logging.getLogger("dewan.games")

LEGAL_SHOWN = 20
"""How many legal moves a refusal lists, at most."""
_DECISION = re.compile(r"(?P<since>[0-9]{1,9})-(?P<seat>[0-9])")
MAX_COMMANDS = 8
"""How many commands one submission has, at most, sent as such or as text."""


# ---- Opening and joining ---------------------------------------------------------------------


class NewGame(msgspec.Struct, frozen=True, kw_only=True):
    """What a player wants to open; ``seats`` are me, open or bot.

    How the table treats time and absence (docs/clock.md): ``move_time``, ``bank`` and
    ``bank_cap`` are in seconds.
    """

    players: int
    seats: tuple[str, ...]
    scenario: str = "base"
    move_time: int = int(settings.DEWAN_MOVE_TIME.total_seconds())
    bank: int | None = None
    bank_cap: int | None = None
    rests: bool = True
    absence: str = Game.Absence.MOVE
    excused_misses: int = 0
    visibility: str = Game.Visibility.PRIVATE


MOST_EXCUSED = 5
"""How many misses of a seat a table can excuse, at most."""


@transaction.atomic
def create_game(creator: Player, wanted: NewGame, rematch_of: Game | None = None) -> Game:
    """Open a game, and start it if nobody is missing; raise InvalidRequest if it cannot be."""
    _check(wanted)
    seed = secrets.token_bytes(SECRET_BYTES)
    game = Game(
        scenario=wanted.scenario,
        players=wanted.players,
        layout=hearth().layout_for(wanted.players).id,
        ruleset=RULESET,
        component_set_id=component_sets.store(hearth()),
        move_time=wanted.move_time,
        bank=wanted.bank,
        bank_cap=wanted.bank_cap,
        rests=wanted.rests,
        absence=wanted.absence,
        excused_misses=wanted.excused_misses,
        visibility=wanted.visibility,
        creator=creator,
        rematch_of=rematch_of,
    )
    game.commitment = commitment(game.pk, seed)
    game.save(force_insert=True)
    GameSecret.objects.create(game=game, seed=seed.hex())
    seats = [_new_seat(game, number, who, creator) for number, who in enumerate(wanted.seats)]
    Seat.objects.bulk_create(seats)
    _start_if_full(Table(game, seats, seed.hex(), None, rests=timing.rests_at(game)))
    return game


def _new_seat(game: Game, number: int, who: str, creator: Player) -> Seat:
    kind = Seat.Kind.BOT if who == "bot" else Seat.Kind.HUMAN
    seat = Seat(game=game, number=number, kind=kind)
    if who == "me":
        _sit(seat, creator, None)
    return seat


def _check(wanted: NewGame) -> None:
    scenario = SCENARIOS.get(wanted.scenario)
    if scenario is None:
        raise InvalidRequest(f"scenario: one of {', '.join(SCENARIOS)}")
    if wanted.players not in scenario.players:
        players = " or ".join(map(str, scenario.players))
        raise InvalidRequest(f"players: {wanted.scenario} is for {players}")
    if len(wanted.seats) != wanted.players or not set(wanted.seats) <= {"me", "open", "bot"}:
        raise InvalidRequest(f"seats: {wanted.players} of me, open and bot")
    if wanted.seats.count("me") > 1 or set(wanted.seats) == {"bot"}:
        raise InvalidRequest("seats: me once at most, and not only bots")
    if wanted.visibility not in Game.Visibility.values:
        raise InvalidRequest(f"visibility: one of {', '.join(Game.Visibility.values)}")
    _check_times(wanted)
    if wanted.absence not in Game.Absence.values:
        raise InvalidRequest(f"absence: one of {', '.join(Game.Absence.values)}")
    if not 0 <= wanted.excused_misses <= MOST_EXCUSED:
        raise InvalidRequest(f"excused_misses: 0 to {MOST_EXCUSED}")


def _check_times(wanted: NewGame) -> None:
    _check_length("move_time", wanted.move_time)
    if wanted.bank is None:
        if wanted.bank_cap is not None:
            raise InvalidRequest("bank_cap: only with a bank")
        return
    _check_length("bank", wanted.bank)
    if wanted.bank_cap is None or wanted.bank_cap < max(wanted.bank, wanted.move_time):
        raise InvalidRequest("bank_cap: at least the bank, and at least move_time")
    _check_length("bank_cap", wanted.bank_cap)


def _check_length(field: str, length: int) -> None:
    low, high = settings.DEWAN_MIN_MOVE_TIME, settings.DEWAN_MAX_MOVE_TIME
    if not low <= timedelta(seconds=length) <= high:
        seconds = f"{low.total_seconds():.0f} to {high.total_seconds():.0f}"
        raise InvalidRequest(f"{field}: {seconds} seconds, or the same in ISO 8601")


@transaction.atomic
def join_game(player: Player, game_id: str, contribution: str | None = None) -> tuple[Game, bool]:
    """Sit down on the first open seat of a game that waits for players; tell whether it was new.

    ``contribution`` are 32 bytes in hex for the game's chance, made here if not given. A player
    who sits already may still bring one while the game is open. Raises NotVisible, GameFull.
    """
    table = Table.lock(game_id)
    is_open = table.game.status == Game.Status.OPEN
    mine = table.seat_of(player.pk)
    if mine is None:
        seat = next((seat for seat in table.seats if seat.is_vacant), None)
        if seat is None or not is_open:
            raise GameFull("every seat of this game is taken")
        _sit(seat, player, contribution)
        seat.save(update_fields=["player", "contribution"])
        table.rests = timing.rests_at(table.game)
    elif contribution and is_open:
        mine.contribution = contribution
        mine.save(update_fields=["contribution"])
    _start_if_full(table)
    return table.game, mine is None


def _sit(seat: Seat, player: Player, contribution: str | None) -> None:
    seat.player = player
    seat.contribution = contribution or secrets.token_hex(SECRET_BYTES)


def _start_if_full(table: Table) -> None:
    game = table.game
    if game.status != Game.Status.OPEN or any(seat.is_vacant for seat in table.seats):
        return
    Sitting.objects.bulk_create(
        Sitting(game=game, seat=seat.number, player=seat.player, since=1)
        for seat in table.seats
        if seat.player
    )
    components = component_sets.component_set(game.component_set_id)
    dealt = setup.set_up(components, SCENARIOS[game.scenario], game.players, table.chance)
    table.record(Answered(None, Move.Actor.SERVICE, None), (), (dealt,))


# ---- Moves -----------------------------------------------------------------------------------


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """What a player sends: which decision it answers, the version seen, and commands or text.

    ``key`` is the request's idempotency key, ``message`` what is said to the table, made one line.
    """

    decision: str | None
    expected_version: int
    commands: tuple[Command, ...] = ()
    text: str = ""
    message: str = ""
    key: str = ""

    def __post_init__(self) -> None:
        """Make the message one line, whoever sends it."""
        msgspec.structs.force_setattr(self, "message", one_line(self.message))

    @property
    def digest(self) -> str:
        """What tells whether a repeated key came with the same request."""
        body = codec.canonical(msgspec.structs.replace(self, key=""))
        return hashlib.sha256(body).hexdigest()


def one_line(text: str) -> str:
    """Flatten whitespace, and drop characters that nobody sees or that turn the others round."""
    return " ".join("".join(filter(_is_shown, text)).split())


def _is_shown(character: str) -> bool:
    # Joiners are format characters too, but words and pictures are spelt with them.
    if character.isspace() or character in "\u200c\u200d":
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs")


def submit_move(player: Player, game_id: str, submitted: Submitted) -> dict[str, Any]:
    """Play a player's submission; return ``number``, ``version``, ``events``, ``unapplied``.

    The same key and request again get the first answer again. Raises the refusals of
    ``engine.errors`` and ``games.errors``; then nothing has been written.
    """
    try:
        return _submit(player, game_id, submitted)
    except IntegrityError:
        # The key has answered another decision, or somebody wrote this move at the same moment:
        # what was true for the lost attempt is told by looking again.
        return _submit(player, game_id, submitted, key_is_used=True)


@transaction.atomic
def _submit(
    player: Player, game_id: str, submitted: Submitted, *, key_is_used: bool = False
) -> dict[str, Any]:
    table = Table.lock(game_id)
    seat = _seat_at(table, player)
    said = _said(submitted)
    if seat is None:
        raise NotYourDecision("you have no seat at this table")
    first_answer = _first_answer(table.game, seat, submitted) if key_is_used else None
    try:
        return first_answer or _play(table, seat, submitted, said)
    except GameError:
        # The key goes before the refusal, but is looked up after it: an accepted move needs no
        # query for it, since then the key is new or cannot be written twice.
        first_answer = _first_answer(table.game, seat, submitted)
        if first_answer is None:
            raise
        return first_answer


def _said(submitted: Submitted) -> Sequence[Phrase]:
    """Return what a player says to play, read but not yet understood."""
    said = submitted.commands or notation.parse(submitted.text)
    if len(said) > MAX_COMMANDS:
        raise InvalidRequest(f"{MAX_COMMANDS} commands at most, as commands or as text")
    return said


def _play(table: Table, seat: int, submitted: Submitted, said: Sequence[Phrase]) -> dict[str, Any]:
    table.credit_outages()
    if table.seats[seat].standing == Seat.Standing.ABSENT:
        table.note(SeatReturned(seat=seat), Move.Actor.PLAYER)
    state = table.running
    decision = _checked_decision(table, seat, submitted, said)
    seen = mask(state, seat)
    try:
        commands = submitted.commands or notation.resolve(said, seen, seat)
        outcome = submit(state, seat, commands, table.chance)
    except IllegalMove as error:
        error.legal = legal(seen, seat)[:LEGAL_SHOWN]
        raise
    return _write(table, Answered(seat, Move.Actor.PLAYER, decision), outcome, submitted)


def _write(
    table: Table, answered: Answered, outcome: Outcome, submitted: Submitted
) -> dict[str, Any]:
    """Write what a submission led to, with what is kept beside the log; return the answer to it.

    An answer that is sealed alone is no row, and what was said with it is sealed too.
    """
    assert answered.seat is not None, "a player answers for a seat"
    number = table.game.version + 1 if outcome.commands else None
    answer = _answer(table.game, answered.seat, number, outcome)
    beside = list(_beside(table.game, answered.seat, number, submitted, answer))
    if number is None:
        sql.write([sql.inserting(row) for row in beside])
        _seal(table, answered.seat, answered.actor, outcome, submitted.message)
    else:
        table.record(answered, outcome.commands, outcome.events, beside)
        _seal(table, answered.seat, answered.actor, outcome)
    return _read_answer(answer)


def _answer(game: Game, seat: int, number: int | None, outcome: Outcome) -> bytes:
    return codec.canonical(
        {
            "number": number,
            "version": number or game.version,
            "events": [redact(event, seat) for event in outcome.events],
            "unapplied": outcome.unapplied,
        }
    )


def _beside(
    game: Game, seat: int, number: int | None, submitted: Submitted, answer: bytes
) -> Iterator[models.Model]:
    """Yield the rows beside the log: the answer by its key, and what is said with a move."""
    if submitted.key:
        yield Submission(
            game=game, seat=seat, key=submitted.key, digest=submitted.digest, answer=answer.decode()
        )
    if number is not None and submitted.message:
        yield TableMessage(game=game, move=number, seat=seat, text=submitted.message)


@transaction.atomic
def say(player: Player, game_id: str, text: str) -> None:
    """Say a line to the table without a move, also after the game.

    Raises NotVisible for who does not sit there, InvalidRequest before the game has begun.
    """
    table = Table.lock(game_id)
    seat = table.held_by(player)
    if not table.game.version:
        raise InvalidRequest("the game has not begun: nobody would hear it")
    TableMessage.objects.create(
        game=table.game,
        move=table.game.version,
        seat=seat.number,
        text=one_line(text)[:MESSAGE_LENGTH],
        alone=True,
    )


# ---- Sealed answers (R13.5) ------------------------------------------------------------------


def _seal(table: Table, seat: int, actor: str, outcome: Outcome, message: str = "") -> None:
    """Keep a sealed answer, if there is one; once all have answered they become rows of the log.

    Until then nothing that anybody else can see changes: no row, no version, no mail.
    """
    question = table.question_of(seat)
    if outcome.sealed is None or question is None:
        return
    answer = SealedAnswer(
        game=table.game,
        decision=table.running.decision_of(question),
        seat=seat,
        actor=actor,
        command=codec.canonical([outcome.sealed]).decode(),
        message=message,
    )
    answer.save(force_insert=True)
    table.sealed[seat] = answer
    # Answered, though nobody may know yet: the sweep has nothing to do for it any more.
    Decision.objects.filter(game=table.game, decision=answer.decision).update(wake_at=None)
    if len(table.sealed) == len(table.running.questions):
        _unseal(table)


def _unseal(table: Table) -> None:
    """Write all sealed answers as rows in turn order; the last has what they led to."""
    state, sealed = table.running, table.sealed
    commands = {seat: codec.decode_commands(one.command) for seat, one in sealed.items()}
    events = unseal(state, {seat: command for seat, (command,) in commands.items()}, table.chance)
    SealedAnswer.objects.filter(game=table.game).delete()
    *before, last = (question.seat for question in state.questions)
    for seat in before:
        _open(table, sealed[seat], commands[seat], ())
    _open(table, sealed[last], commands[last], events)


def _open(
    table: Table, answer: SealedAnswer, commands: Sequence[Command], events: Sequence[Event]
) -> None:
    """Write one sealed answer as a row, with what was said with it."""
    number, seat = table.game.version + 1, answer.seat
    line = TableMessage(game=table.game, move=number, seat=seat, text=answer.message)
    answered = Answered(seat, answer.actor, answer.decision)
    table.record(answered, commands, events, [line] if line.text else [])


# ---- Whose decision it is, and whose key -----------------------------------------------------


def _seat_at(table: Table, player: Player) -> int | None:
    """Return the player's seat number, None for a spectator; a stranger knows of no game."""
    seat = table.seat_of(player.pk)
    if seat is not None:
        return seat.number
    return visible_game(player, table.game.pk).seat


def _checked_decision(
    table: Table, seat: int, submitted: Submitted, said: Sequence[Phrase]
) -> str | None:
    """Return the id of the decision that is answered; raise NotYourDecision or StaleMove."""
    state = table.running
    current = _asked_now(state, seat)
    if isinstance(said[0], Undo):
        return _decision_taken_back(table.game, state, seat, submitted)
    if seat in table.sealed:
        raise NotYourDecision("your answer is sealed until everybody who is asked has answered")
    if submitted.decision == current and submitted.expected_version >= state.since:
        return current
    if _was_asked(submitted.decision, seat, state.version):
        raise StaleMove("the game has gone on since the version you saw")
    raise NotYourDecision(
        f"you are asked to answer decision {current}" if current else "you are not asked now"
    )


def _asked_now(state: State, seat: int) -> str | None:
    asked = state.question_of(seat)
    return state.decision_of(asked) if asked else None


def _decision_taken_back(game: Game, state: State, seat: int, submitted: Submitted) -> str | None:
    """Return the decision that the seat's last move answered, and that an undo opens again.

    An undo names it, or the decision the seat is asked now (which shows too what it has seen),
    or none.
    """
    if submitted.decision is not None and not _was_asked(submitted.decision, seat, state.version):
        raise NotYourDecision("an undo names the decision that your last move answered, or null")
    last = state.undoable
    if last is None or last.seat != seat:
        return submitted.decision  # the engine refuses it and says why
    decisions = Move.objects.values_list("decision", flat=True)
    taken_back = decisions.get(game=game, number=last.move)
    is_named = submitted.decision in (None, taken_back, _asked_now(state, seat))
    if submitted.expected_version < last.move or not is_named:
        raise StaleMove("the game has gone on since the version you saw")
    return taken_back


def _was_asked(decision: str | None, seat: int, version: int) -> bool:
    """Tell whether an id names a decision that this seat may have been asked."""
    named = _DECISION.fullmatch(decision or "")
    return bool(named and int(named["seat"]) == seat and 1 <= int(named["since"]) <= version)


def _first_answer(game: Game, seat: int, submitted: Submitted) -> dict[str, Any] | None:
    """Return what this seat's key was answered with; raise KeyReused if the request differs."""
    if not submitted.key:
        return None
    before = Submission.objects.filter(game=game, seat=seat, key=submitted.key).first()
    if before is None:
        return None
    if before.digest != submitted.digest:
        raise KeyReused("this Idempotency-Key was used for another request; take a new one")
    return _read_answer(before.answer)


def _read_answer(text: str | bytes) -> dict[str, Any]:
    answer: dict[str, Any] = msgspec.json.decode(text)
    return answer


# ---- Seats that are answered for: bots and the clock -----------------------------------------


@transaction.atomic
def play_bot(game_id: str) -> bool:
    """Answer one decision of a seat that a bot plays, if one is open; return whether there was."""
    table = Table.lock(game_id)
    bots = [seat.number for seat in table.seats if seat.is_played_by_bot]
    asked = next((seat for seat in bots if table.question_of(seat)), None)
    if asked is None:
        return False
    answer_for(table, asked, Move.Actor.BOT)
    return True


def play_turn_for(table: Table, seat: int, actor: Move.Actor) -> None:
    """Make the safe move for a seat: what the bot would do, until the seat's turn is over."""
    answer_for(table, seat, actor)
    while _is_in_mid_turn(table, seat):
        answer_for(table, seat, actor)


def _is_in_mid_turn(table: Table, seat: int) -> bool:
    asked = table.question_of(seat)
    return asked is not None and KINDS[asked.kind].in_mid_turn


def answer_for(table: Table, seat: int, actor: Move.Actor) -> None:
    """Answer the open question of a seat as the bot would."""
    state = table.running
    question = state.question_of(seat)
    assert question is not None, "the seat is asked"
    outcome = submit(state, seat, [_choice(state, seat)], table.chance)
    if outcome.commands:
        answered = Answered(seat, actor, state.decision_of(question))
        table.record(answered, outcome.commands, outcome.events)
    _seal(table, seat, actor, outcome)


def _choice(state: State, seat: int) -> Command:
    """Return the bot's answer; if the bot fails, any legal one, so that the game goes on."""
    seen = mask(state, seat)
    try:
        return bots.choose(seen, seat)
    except Exception:
        log.exception("the bot failed; the first legal move is played")
        return legal(seen, seat)[0].command


# ---- The operator ----------------------------------------------------------------------------


@transaction.atomic
def cancel_game(game_id: str) -> Game:
    """Call a game off, before or after its start; raise GameOver if it is over already."""
    table = Table.lock(game_id)
    if table.game.status == Game.Status.OPEN:
        close_open(table.game, "operator")
        return table.game
    assert table.running is not None, "it raises if there is nothing to call off"
    table.note(GameCancelled(reason="operator"), Move.Actor.OPERATOR)
    return table.game


def close_open(game: Game, ending: str) -> None:
    """End a game that has not begun."""
    game.status, game.finished_at = Game.Status.CANCELLED, timezone.now()
    game.ending = ending
    game.save(update_fields=["status", "finished_at", "ending"])


@transaction.atomic
def extend_game(game_id: str, by: timedelta) -> Game:
    """Give the open decisions of a running game more time; raise GameOver if it is over."""
    table = Table.lock(game_id)
    assert table.running is not None, "it raises if there is nothing to extend"
    table.note(DeadlineExtended(seconds=int(by.total_seconds())), Move.Actor.OPERATOR)
    return table.game


# ---- Playing again ---------------------------------------------------------------------------


@transaction.atomic
def rematch(player: Player, game_id: str) -> Game:
    """Open the same table again after a game; asking again returns the one rematch.

    The player sits where they sat, bots stay, the others join by its link. Raises NotVisible
    for a stranger, InvalidRequest while the game goes on.
    """
    table = Table.lock(game_id)
    table.held_by(player)
    if not table.game.over:
        raise InvalidRequest("a game can be played again when it is over")
    before = Game.objects.filter(rematch_of=table.game).first()
    if before is not None:
        return before
    wanted = NewGame(
        players=table.game.players,
        seats=tuple(_again(seat, player) for seat in table.seats),
        scenario=table.game.scenario,
        move_time=table.game.move_time,
        bank=table.game.bank,
        bank_cap=table.game.bank_cap,
        rests=table.game.rests,
        absence=table.game.absence,
        excused_misses=table.game.excused_misses,
        visibility=table.game.visibility,
    )
    return create_game(player, wanted, rematch_of=table.game)


def _again(seat: Seat, player: Player) -> str:
    if not seat.is_human:
        return "bot"
    return "me" if seat.player_id == player.pk else "open"
