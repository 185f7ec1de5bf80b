"""What somebody may see of games, through ``games.access`` and ``engine.views`` only."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

import msgspec
from django.conf import settings
from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from msgspec.structs import replace

from dewan_site.accounts.models import Player
from engine import codec, legal
from engine.events import CampPlaced, Event, LavaPlaced, WaterPlaced
from engine.questions import KINDS
from engine.state import State
from engine.verify import result_of
from engine.views import Viewer, mask, redact, redact_command, view_for
from games import consent, pace, store, timing
from games.access import (
    NotVisible,
    Seen,
    games_of,
    left_sittings,
    open_game,
    visible_game,
)
from games.component_sets import component_set
from games.errors import InvalidRequest
from games.models import (
    Decision,
    Game,
    Move,
    Proposal,
    SealedAnswer,
    Seat,
    SeatOffer,
    Sitting,
    TableMessage,
)
from games.pace import Pace
from games.projections import status_of
from games.timing import Clocks
from games.words import Teller
from notifications.rests import Stretch
from notifications.seen import Knows, told_of

PAGE = 100
"""How many moves or games one answer lists, at most."""


def moment(at: datetime) -> str:
    """Write a moment as clients read it: UTC, ISO 8601."""
    return store.stamp(at)


# ---- One game --------------------------------------------------------------------------------


def game_view(player: Player, game_id: str, at: int | None = None) -> dict[str, Any]:
    """Return a game as the player may see it (docs/api.md, *View*), now or after move ``at``.

    Raises NotVisible, and InvalidRequest if there is no move ``at``.
    """
    game, seat = visible_game(player, game_id)
    if at is not None and not 0 <= at <= game.version:
        raise InvalidRequest(f"at: a move from 0 to {game.version}")
    return view_of(Seen(game, seat), store.state_of(game, at))


def view_of(seen: Seen, state: State | None) -> dict[str, Any]:
    """Return the view of a game from a seat, in a state of it that may lie in the past.

    What can change with a move comes from the state, never from the row of the game, which was
    read in another statement.
    """
    game, seat = seen
    clocks = timing.clocks_of([game])[game.pk]
    return {
        "id": game.pk,
        "version": state.version if state else 0,
        "status": _status(game, state),
        "scenario": game.scenario,
        "ruleset": game.ruleset,
        "visibility": game.visibility,
        **options_of(game),
        "you": seat,
        "seats": _seats(game, seats_of(game), clocks),
        "awaiting": _awaiting(game, state, clocks),
        "paused_until": _paused_until(game),
        "proposals": [proposed(proposal) for proposal in consent.open_proposals(game)],
        "server_time": moment(timezone.now()),
        "commitment": game.commitment,
        "component_set": game.component_set_id,
        "result": result_of(state) if state else None,
        "ending": game.ending or None,
        "undo": _undo(state, seat),
        "state": view_for(state, seat) if state else None,
    }


def options_of(game: Game) -> dict[str, Any]:
    """Return how a table treats time and absence (docs/clock.md); lengths in seconds."""
    return {
        "move_time": game.move_time,
        "bank": game.bank,
        "bank_cap": game.bank_cap,
        "rests": game.rests,
        "absence": game.absence,
        "excused_misses": game.excused_misses,
    }


def _seats(game: Game, seats: Iterable[Seat], clocks: Clocks) -> list[dict[str, Any]]:
    """Return the seats as everybody may see them, with the player's vacation, now or next."""
    now = timezone.now()
    return [
        {
            "seat": seat.number,
            "name": seat.name,
            "kind": seat.kind,
            "standing": seat.standing,
            "misses_left": max(game.excused_misses - seat.misses, 0) if seat.is_human else 0,
            "vacation": _vacation(clocks.vacation_of(seat.player_id, now)),
        }
        for seat in seats
    ]


def _vacation(vacation: Stretch | None) -> dict[str, str] | None:
    return vacation and {"start": moment(vacation.start), "end": moment(vacation.end)}


def _paused_until(game: Game) -> str | None:
    pause = timing.pause_at(game, timezone.now())
    return moment(pause.end) if pause else None


def proposed(proposal: Proposal) -> dict[str, Any]:
    """Return a proposal: the seats that have agreed, those that are asked yet, its state."""
    asked = consent.must_agree(seats_of(proposal.game), proposal)
    return {
        "proposal": proposal.pk,
        "kind": proposal.kind,
        "seat": proposal.seat,
        "agreed": proposal.agreed,
        "missing": [seat for seat in asked if seat not in proposal.agreed],
        "first": proposal.first,
        "seconds": proposal.seconds,
        "made_at": moment(proposal.made_at),
        "state": proposal.state,
    }


def _status(game: Game, state: State | None) -> str:
    """Return where a game was in its life; before its set-up it waited for players."""
    if state is not None:
        return status_of(state)
    return Game.Status.OPEN if game.version else game.status


def seats_of(game: Game) -> list[Seat]:
    """Return the seats of a game with their players."""
    return list(game.seats.select_related("player").order_by("number"))


def _undo(state: State | None, seat: Viewer) -> int | None:
    """Return the number of the move that this seat may take back freely."""
    last = state.undoable if state and not state.over else None
    return last.move if last and last.seat == seat else None


def _awaiting(game: Game, state: State | None, clocks: Clocks) -> list[dict[str, Any]]:
    if state is None:
        return []
    wanted = {state.decision_of(question) for question in state.questions}
    decisions = Decision.objects.filter(game=game, decision__in=wanted).order_by("seat")
    told = told_of(decisions)
    return [awaited(decision, clocks, told.get(decision.pk)) for decision in decisions]


def deadlines_of(game: Game) -> list[tuple[int, datetime]]:
    """Return the seats that are asked, each with its deadline."""
    decisions = game.decisions.filter(answered_at=None).order_by("seat")
    clocks = timing.clocks_of([game])[game.pk]
    return [(d.seat, clocks.clock(d, timezone.now()).deadline) for d in decisions]


def awaited(decision: Decision, clocks: Clocks, told: Knows | None) -> dict[str, Any]:
    """Return an open decision as clients see it.

    ``latest`` is the moment that the deadline cannot be later than; ``resting`` is what rests the
    clock now, ``rests`` what will before the deadline: night, weekday, vacation, stopped. ``told``
    is how far the seat knows it; None of a bot, and of what is answered sealed.
    """
    clock = clocks.clock(decision, timezone.now())
    return {
        "decision": decision.decision,
        "seat": decision.seat,
        "kind": decision.kind,
        "since": decision.since,
        "asked_at": moment(decision.asked_at),
        "deadline": moment(clock.deadline),
        "latest": moment(clock.latest),
        "resting": clock.resting,
        "rests": list(clock.rests),
        "told": told,
    }


def seen_state(player: Player, game_id: str) -> tuple[Seen, State | None]:
    """Return a game and its state as the player may know it, from one reading of the log."""
    seen = visible_game(player, game_id)
    state = store.state_of(seen.game)
    return seen, unanswered(seen, mask(state, seen.seat)) if state else None


def unanswered(seen: Seen, state: State) -> State:
    """Return the state without the question that this seat has answered sealed (R13.5).

    To everybody else the seat still is asked: only its own page, mails and legal moves know.
    """
    asked = state.question_of(seen.seat)
    if asked is None or not KINDS[asked.kind].sealed:
        return state
    given = SealedAnswer.objects.filter(game=seen.game, decision=state.decision_of(asked))
    if not given.exists():
        return state
    others = tuple(question for question in state.questions if question != asked)
    return replace(state, questions=others)


class Position(msgspec.Struct, frozen=True):
    """A game as one reader may know it, now or after a move; ``state`` is None before set-up.

    ``view`` and ``state``, which is masked, say the same: they come from one reading of the log;
    but where the seat has answered sealed, ``state`` does not ask it any more.
    """

    seen: Seen
    state: State | None
    view: dict[str, Any]


def seen_by(player: Player | None, game_id: str) -> Seen:
    """Return a game as somebody sees it who need not be signed in; else raise NotVisible."""
    if player is not None:
        return visible_game(player, game_id)
    game = Game.objects.filter(pk=game_id, visibility=Game.Visibility.PUBLIC).first()
    if game is None:
        raise NotVisible
    return Seen(game, None)


def position(player: Player | None, game_id: str, at: int | None = None) -> Position:
    """Return a game for its page, now or as it could be seen after move ``at``.

    Raises NotVisible, also if there is no move ``at``.
    """
    seen = seen_by(player, game_id)
    if at is not None and not 1 <= at <= seen.game.version:
        raise NotVisible
    state = store.state_of(seen.game, at)
    known = mask(state, seen.seat) if state else None
    return Position(seen, known and unanswered(seen, known), view_of(seen, known))


def camps_placed(seen: Seen, after: int, upto: int) -> list[CampPlaced]:
    """Return the camps placed in some moves, in order; routes and spent cards are public."""
    return [event for event in _events_of(seen, after, upto) if isinstance(event, CampPlaced)]


def spaces_changed(seen: Seen, after: int, upto: int) -> frozenset[str]:
    """Return the spaces on which camps, water and lava were placed in some moves."""
    return frozenset(
        event.route[-1] if isinstance(event, CampPlaced) else event.space
        for event in _events_of(seen, after, upto)
        if isinstance(event, CampPlaced | WaterPlaced | LavaPlaced)
    )


def _events_of(seen: Seen, after: int, upto: int) -> Iterator[Event]:
    moves = seen.game.moves.filter(number__gt=after, number__lte=upto).order_by("number")
    for events in moves.values_list("events", flat=True):
        yield from codec.decode_events(events)


def legal_of(player: Player, game_id: str) -> dict[str, Any]:
    """Return what the player may answer now (docs/api.md, *Legal*)."""
    (_, seat), state = seen_state(player, game_id)
    asked = state.question_of(seat) if state and seat is not None else None
    if state is None or seat is None or asked is None:
        return {"version": state.version if state else 0, "decision": None, "entries": []}
    return {
        "version": state.version,
        "decision": state.decision_of(asked),
        "entries": msgspec.to_builtins(legal.legal(state, seat)),
    }


def routes_of(player: Player, game_id: str, to: str) -> dict[str, Any]:
    """Return every undominated route to a space (docs/api.md, *Routes*)."""
    (_, seat), state = seen_state(player, game_id)
    if state is None or seat is None:
        return {"entries": [], "complete": True}
    routes: dict[str, Any] = msgspec.to_builtins(legal.routes_to(state, seat, to))
    return routes


# ---- The log ---------------------------------------------------------------------------------


def moves_of(player: Player, game_id: str, after: int = 0) -> dict[str, Any]:
    """Return the moves after a number, as the player may see them, and where to go on."""
    return _moves_after(visible_game(player, game_id), after)


def news_of(player: Player, game_id: str, since: int) -> dict[str, Any]:
    """Return the version of a game, and the first page of the moves that somebody has missed."""
    seen = visible_game(player, game_id)
    news = _moves_after(seen, since)
    # A move may have been made since the game was read.
    version = max([seen.game.version, *(move["number"] for move in news["moves"])])
    return {"version": version, **news}


def _moves_after(seen: Seen, after: int) -> dict[str, Any]:
    moves = list(seen.game.moves.filter(number__gt=after).order_by("number")[: PAGE + 1])
    page = moves[:PAGE]
    said = _lines(seen.game, after, page[-1].number) if page else {}
    return {
        "moves": [_move(seen, move) | _heard(said.get(move.number, [])) for move in page],
        "next": page[-1].number if len(moves) > PAGE else None,
    }


def _lines(game: Game, after: int, upto: int | None) -> dict[int, list[TableMessage]]:
    """Return what was said to the table with and after some moves, by their numbers."""
    lines: dict[int, list[TableMessage]] = {}
    messages = game.messages.filter(move__gt=after)
    for line in messages if upto is None else messages.filter(move__lte=upto):
        lines.setdefault(line.move, []).append(line)
    return lines


def _heard(lines: Iterable[TableMessage]) -> dict[str, Any]:
    """Return what was said with a move, and what alone after it."""
    said = [{"seat": line.seat, "text": line.text} for line in lines if line.alone]
    return {"message": next((line.text for line in lines if not line.alone), None), "said": said}


def _move(seen: Seen, move: Move) -> dict[str, Any]:
    return {
        "number": move.number,
        "seat": move.seat,
        "actor": move.actor,
        "decision": move.decision,
        "commands": _commands(seen, move),
        "events": _events(seen, move),
        "at": move.at,
        "hash": move.hash,
    }


def _commands(seen: Seen, move: Move) -> Any:
    if seen.game.over:
        return msgspec.json.decode(move.commands)
    commands = codec.decode_commands(move.commands)
    return msgspec.to_builtins([redact_command(c, move.seat, seen.seat) for c in commands])


def _events(seen: Seen, move: Move) -> Any:
    if seen.game.over:
        return msgspec.json.decode(move.events)
    events = [redact(event, seen.seat) for event in codec.decode_events(move.events)]
    return msgspec.to_builtins(events)


def export_of(player: Player, game_id: str) -> dict[str, Any]:
    """Return the game as a file (docs/export.md): open when it is over, else as one sees it."""
    game, seat = visible_game(player, game_id)
    if game.over:
        return open_export(game)
    moves = [_exported_row(Seen(game, seat), move) | {"nonce": None} for move in _rows(game)]
    view = "public" if seat is None else f"seat:{seat}"
    return _export(game, view, moves) | {"seed": None}


def open_export(game: Game) -> dict[str, Any]:
    """Return the whole truth about a game: for everyone when it is over, else for the operator."""
    moves = [
        _exported_row(Seen(game, None), move)
        | {
            "commands": msgspec.json.decode(move.commands),
            "events": msgspec.json.decode(move.events),
            "nonce": move.nonce,
        }
        for move in _rows(game)
    ]
    return _export(game, "open", moves) | {"seed": game.gamesecret.seed}


def _rows(game: Game) -> QuerySet[Move]:
    return game.moves.order_by("number")


def _exported_row(seen: Seen, move: Move) -> dict[str, Any]:
    return _move(seen, move) | {"prev_hash": move.prev_hash}


def _export(game: Game, view: str, moves: list[dict[str, Any]]) -> dict[str, Any]:
    exported: dict[str, Any] = msgspec.to_builtins(game.header(seats_of(game)))
    data = msgspec.json.decode(component_set(game.component_set_id).canonical)
    return exported | {
        "view": view,
        "component_set": {"digest": game.component_set_id, "data": data},
        "moves": moves,
        "result": game.result,
    }


# ---- Lists -----------------------------------------------------------------------------------


def my_games(player: Player, after: str = "") -> dict[str, Any]:
    """Return the player's games: first those that wait for them, by time left.

    ``after`` is where a page has ended: a place in this order, not a game, so that going on never
    comes back to where it was, whatever has changed in between. What is no place is the start.
    """
    entries = _all_listed(games_of(player), player)
    placed = sorted(((_place(entry), entry) for entry in entries), key=itemgetter(0))
    if is_cursor(after):
        placed = [(place, entry) for place, entry in placed if place > _read_cursor(after)]
    page = placed[:PAGE]
    return {
        "games": [entry for _, entry in page],
        "next": _cursor(page[-1][0]) if len(placed) > PAGE else None,
    }


def _with_details(games: QuerySet[Game]) -> Iterable[Game]:
    open_decisions = Decision.objects.filter(answered_at=None).order_by("seat")
    return games.prefetch_related(
        "sealed_answers",
        Prefetch("seats", Seat.objects.select_related("player")),
        Prefetch("decisions", open_decisions, to_attr="open_decisions"),
    )


def _all_listed(games: QuerySet[Game], player: Player) -> list[dict[str, Any]]:
    found = list(_with_details(games))
    clocks = timing.clocks_of(found)
    told = told_of(decision for game in found for decision in _open(game))
    return [_listed(game, player, clocks[game.pk], told) for game in found]


def _open(game: Game) -> Sequence[Decision]:
    decisions: Sequence[Decision] = game.open_decisions  # type: ignore[attr-defined]
    return decisions


def _listed(
    game: Game, player: Player, clocks: Clocks, told: Mapping[int, Knows]
) -> dict[str, Any]:
    seats = list(game.seats.all())
    you = next((seat.number for seat in seats if seat.player_id == player.pk), None)
    decisions = [awaited(d, clocks, told.get(d.pk)) for d in _open(game)]
    sealed = any(answer.seat == you for answer in game.sealed_answers.all())
    mine = [decision for decision in decisions if decision["seat"] == you and not sealed]
    return {
        "id": game.pk,
        "version": game.version,
        "status": game.status,
        "scenario": game.scenario,
        "visibility": game.visibility,
        **options_of(game),
        "you": you,
        "sealed": sealed,
        "round": game.round,
        "seats": _seats(game, seats, clocks),
        "awaiting": decisions,
        "paused_until": _paused_until(game),
        "deadline": min(decision["deadline"] for decision in mine) if mine else None,
        "result": game.result,
        "ending": game.ending or None,
        "created_at": moment(game.created_at),
        "finished_at": moment(game.finished_at) if game.finished_at else None,
    }


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ORDER = [Game.Status.RUNNING, Game.Status.OPEN, Game.Status.FINISHED, Game.Status.CANCELLED]


Place = tuple[int, int, str]
"""Where a game stands among a player's: group, place in the group, id."""
_CURSOR = re.compile(r"([0-9])\.(-?[0-9]{1,18})\.([0-9a-z]{1,20})")


def _place(entry: dict[str, Any]) -> Place:
    """Sort by my deadline; then running, open and past games, the newest first."""
    if entry["deadline"]:
        return 0, _microseconds(entry["deadline"]), entry["id"]
    newest = entry["finished_at"] or entry["created_at"]
    return 1 + _ORDER.index(entry["status"]), -_microseconds(newest), entry["id"]


def _microseconds(moment: store.Moment) -> int:
    return (store.moment_of(moment) - _EPOCH) // timedelta(microseconds=1)


def _cursor(place: Place) -> str:
    return ".".join(map(str, place))


def is_cursor(text: str) -> bool:
    """Tell whether a text can be where a page of games has ended."""
    return _CURSOR.fullmatch(text) is not None


def _read_cursor(text: str) -> Place:
    group, place, game_id = text.split(".")
    return int(group), int(place), game_id


def public_open_games(player: Player) -> list[dict[str, Any]]:
    """Return the public games that wait for players, newest first."""
    games = Game.objects.filter(status=Game.Status.OPEN, visibility=Game.Visibility.PUBLIC)
    recent = games.exclude(seats__player=player).order_by("-created_at")[:PAGE]
    return _all_listed(recent, player)


# ---- Coming and going ------------------------------------------------------------------------


def position_for_guests(game_id: str) -> Position:
    """Return a game as a spectator would see it, for who is invited to a seat of it."""
    seen = Seen(open_game(game_id), None)
    state = store.state_of(seen.game)
    known = mask(state, None) if state else None
    return Position(seen, known, view_of(seen, known))


def offered_seat(game_id: str, token: str) -> int | None:
    """Return the seat that a link offers, None if it offers nothing any more."""
    running = SeatOffer.objects.filter(game__status=Game.Status.RUNNING)
    offer = running.filter(game=game_id, token=token).first()
    return offer.seat if offer else None


def own_offer(seen: Seen) -> str:
    """Return the token of the link by which the reader offers their seat; empty without one."""
    offers = SeatOffer.objects.filter(game=seen.game).values_list("seat", "token")
    return next((token for seat, token in offers if seat == seen.seat), "")


def left_games(player: Player) -> list[dict[str, Any]]:
    """Return the games that a player has left, the last one first, and how: nothing since then."""
    sittings = left_sittings(player).select_related("game").order_by("-ended_at")
    last = {sitting.game_id: sitting for sitting in reversed(sittings[:PAGE])}
    return [
        {
            "id": sitting.game_id,
            "scenario": sitting.game.scenario,
            "players": sitting.game.players,
            "visibility": sitting.game.visibility,
            "seat": sitting.seat,
            "how": sitting.how,
            "at": moment(sitting.ended_at) if sitting.ended_at else None,
        }
        for sitting in reversed(last.values())
    ]


def paces_at(games: Iterable[str]) -> dict[tuple[str, int], Pace]:
    """Return the pace of the players at some tables, by game and seat; new ones have none."""
    seats = Seat.objects.filter(game__in=list(games)).exclude(player=None)
    sitting = list(seats.values_list("game", "number", "player"))
    paces = pace.paces_of({player for _, _, player in sitting if player is not None})
    return {(game, number): paces[p] for game, number, p in sitting if p in paces}


def was_late(game: Game) -> bool:
    """Tell whether lately somebody else has played for a player, which all may take back."""
    since = store.stamp(timezone.now() - settings.DEWAN_TIME_OUT_UNDO)
    people = [seat.number for seat in seats_of(game) if seat.is_human]
    played = game.moves.filter(actor__in=[Move.Actor.CLOCK, Move.Actor.BOT], seat__in=people)
    return played.filter(at__gte=since).exists()


# ---- The log in words ------------------------------------------------------------------------


class Told(msgspec.Struct, frozen=True):
    """A move in words, as one reader may see it, with what was said to the table.

    ``message`` was said with the move; ``said`` alone, after it: who, and what.
    """

    number: int
    at: datetime
    seat: int | None
    sentences: tuple[str, ...]
    message: str
    said: tuple[tuple[str, str], ...]


def told_moves(seen: Seen, after: int = 0, upto: int | None = None) -> list[Told]:
    """Return the moves after a number in words, oldest first."""
    game, seat = seen
    tellers = _Tellers(game)
    moves = game.moves.filter(number__gt=after).order_by("number")
    if upto is not None:
        moves = moves.filter(number__lte=upto)
    lines = _lines(game, after, upto)
    told = []
    for move in moves:
        events = codec.decode_events(move.events)
        if not game.over:
            events = tuple(redact(event, seat) for event in events)
        teller = tellers.at(move.number)
        said = lines.get(move.number, [])
        told.append(
            Told(
                number=move.number,
                at=store.moment_of(move.at),
                seat=move.seat,
                sentences=tuple(teller.move(move.seat, move.actor, events)),
                message=next((line.text for line in said if not line.alone), ""),
                said=tuple((teller.names[line.seat], line.text) for line in said if line.alone),
            )
        )
    return told


def said_alone(game: Game, seat: int) -> list[tuple[str, str]]:
    """Return what others have said alone since the seat was asked what it answered last."""
    own = game.moves.filter(seat=seat).exclude(decision=None).order_by("-number")
    asked = own.values_list("decision", flat=True).first() or "0"
    since = int(asked.partition("-")[0])
    lines = list(game.messages.filter(alone=True, move__gte=since).exclude(seat=seat))
    if not lines:
        return []
    tellers = _Tellers(game)
    return [(tellers.at(line.move).names[line.seat], line.text) for line in lines]


class _Tellers:
    """Tells each move with the names of those who sat there then."""

    def __init__(self, game: Game) -> None:
        self._names = names_of(game)
        self._components = component_set(game.component_set_id)
        left = Sitting.objects.filter(game=game).exclude(until=None)
        self._left = list(left.select_related("player"))

    def at(self, number: int) -> Teller:
        """Return who tells a move."""
        names = list(self._names)
        for sitting in self._left:
            if sitting.since <= number <= sitting.last:
                names[sitting.seat] = sitting.player.name
        return Teller(self._components, names)


def names_of(game: Game) -> list[str]:
    """Return what the seats are called, in seat order; an empty seat by its number."""
    return [seat.name or f"Seat {seat.number + 1}" for seat in seats_of(game)]


def last_own_move(game: Game, seat: int) -> int:
    """Return the number of the last move that answered for this seat, 0 if there is none."""
    own = game.moves.filter(seat=seat).order_by("-number")
    return own.values_list("number", flat=True).first() or 0


def rows_about(game: Game, decision: str) -> list[int]:
    """Return the numbers of the moves that answered a decision, or took such an answer back."""
    rows = game.moves.filter(decision=decision).order_by("number")
    return list(rows.values_list("number", flat=True))


def rematch_of(seen: Seen) -> Game | None:
    """Return the game that follows this one at the same table, for those who sit at it."""
    if seen.seat is None:
        return None
    return Game.objects.filter(rematch_of=seen.game).first()
