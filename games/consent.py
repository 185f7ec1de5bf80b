"""What the players of a game do by common consent: take moves back, pause, go on, call it off.

A proposal is done when everybody who is asked has agreed: to change the course of the game whoever
holds a seat that is in play, also while a bot plays on for them; to pause whoever plays. One to
take moves back dies with the next move, every other after a week.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from dewan_site.accounts.models import Player
from engine.errors import IllegalMove, StaleMove
from engine.events import Event, GameCancelled, GamePaused, GameResumed, SeatForfeited, Undone
from engine.fold import still_counting
from games import store
from games.access import NotVisible
from games.errors import InvalidRequest
from games.models import Game, Move, Proposal, Seat, Sitting
from games.table import Answered, Table, check_in_play
from notifications import notices

Kind = Proposal.Kind
TAKE_BACK = (Kind.UNDO, Kind.UNDO_TIME_OUT)

LIFE = timedelta(days=7)
"""How long a proposal stands that does not die with the next move."""

AGAIN_AFTER = timedelta(days=1)
"""How long a seat waits before it proposes again what was refused, or withdrawn often."""

_MOST = {Proposal.State.REFUSED: 1, Proposal.State.WITHDRAWN: 3}


# ---- Proposing and answering -------------------------------------------------------------------


@transaction.atomic
def propose(
    player: Player,
    game_id: str,
    kind: str,
    seconds: int | None = None,
    expected_version: int | None = None,
) -> Proposal:
    """Propose something to the table; it is done at once if nobody else has to agree.

    ``seconds`` is how long a pause is to be. What is to be taken back is what was there at the
    expected version: a second click must not take back one move more. Raises NotVisible for who
    does not sit there, GameOver, InvalidRequest, StaleMove, or IllegalMove if there is nothing
    to take back.
    """
    table = Table.lock(game_id)
    seat = _playing_seat(table, player)
    assert table.running is not None, "it raises if the game does not run"
    table.credit_outages()
    if kind in TAKE_BACK and expected_version not in (None, table.game.version):
        raise StaleMove("the game has gone on since the version you saw")
    _bury_dead(table.game)
    _check_new(table.game, seat, kind)
    proposal = Proposal(
        game=table.game, kind=kind, seat=seat, version=table.game.version, agreed=[seat]
    )
    _PREPARE[kind](table, proposal, seconds)
    proposal.save()
    if not _carry_out_if_agreed(table, proposal):
        notices.tell_proposal(proposal, must_agree(table.seats, proposal))
    return proposal


@transaction.atomic
def answer(player: Player, game_id: str, proposal_id: int, *, agree: bool) -> Proposal:
    """Agree to a proposal, or refuse it; who made it withdraws it that way.

    Answering again changes nothing. Raises NotVisible if there is no such proposal for this
    player, InvalidRequest if it does not stand any more.
    """
    table = Table.lock(game_id)
    seat = _playing_seat(table, player)
    table.credit_outages()
    _bury_dead(table.game)
    proposal = Proposal.objects.filter(game=table.game, pk=proposal_id).first()
    if proposal is None:
        raise NotVisible
    if proposal.state == Proposal.State.OPEN:
        _answer(table, proposal, seat, agree=agree)
    elif proposal.state == Proposal.State.OVERTAKEN:
        raise InvalidRequest("the proposal does not stand any more")
    return proposal


def _answer(table: Table, proposal: Proposal, seat: int, *, agree: bool) -> None:
    if not agree:
        mine = seat == proposal.seat
        proposal.state = Proposal.State.WITHDRAWN if mine else Proposal.State.REFUSED
        proposal.save(update_fields=["state"])
        if not mine:
            notices.tell_refusal(proposal)
        return
    proposal.agreed = sorted({*proposal.agreed, seat})
    proposal.save(update_fields=["agreed"])
    _carry_out_if_agreed(table, proposal)


def _carry_out_if_agreed(table: Table, proposal: Proposal) -> bool:
    if not set(must_agree(table.seats, proposal)) <= set(proposal.agreed):
        return False
    proposal.state = Proposal.State.AGREED
    proposal.save(update_fields=["state"])
    _CARRY_OUT[proposal.kind](table, proposal)
    return True


def _playing_seat(table: Table, player: Player) -> int:
    seat = table.held_by(player)
    check_in_play(seat)
    if seat.is_played_by_bot:
        raise InvalidRequest("come back to the game first: a bot plays on for you")
    return seat.number


_OF_WHO_PLAYS = (Kind.PAUSE, Kind.RESUME)
"""What takes nothing from somebody who is away, and does not wait for them."""


def must_agree(seats: Iterable[Seat], proposal: Proposal) -> list[int]:
    """Return the seats that have to agree to a proposal, whoever has already."""
    kind = proposal.kind
    if kind == Kind.RESUME and proposal.seat not in _agreed_to_pause(proposal.game):
        return [proposal.seat]
    standings = (Seat.Standing.PLAYING,) if kind in _OF_WHO_PLAYS else Seat.IN_PLAY
    return [seat.number for seat in seats if seat.is_human and seat.standing in standings]


def _agreed_to_pause(game: Game) -> list[int]:
    """Return who has agreed to the pause that goes on: whoever was away then can end it alone."""
    paused = Proposal.objects.filter(game=game, kind=Kind.PAUSE, state=Proposal.State.AGREED).last()
    return paused.agreed if paused else []


def settle(table: Table) -> None:
    """Do what all have agreed to who are left, after somebody has left."""
    for proposal in open_proposals(table.game):
        if not table.game.over:
            _carry_out_if_agreed(table, proposal)


def forget(table: Table, seat: int) -> None:
    """Forget what the former player of a seat has proposed and agreed to."""
    for proposal in open_proposals(table.game):
        proposal.agreed = [number for number in proposal.agreed if number != seat]
        if proposal.seat == seat:
            proposal.state = Proposal.State.WITHDRAWN
        proposal.save(update_fields=["agreed", "state"])


def _check_new(game: Game, seat: int, kind: str) -> None:
    if kind not in Kind.values:
        raise InvalidRequest(f"kind: one of {', '.join(Kind.values)}")
    same = Proposal.objects.filter(game=game, kind=kind)
    if same.filter(state=Proposal.State.OPEN).exists():
        raise InvalidRequest("this is proposed already: agree to it, or refuse it")
    recent = same.filter(seat=seat, made_at__gt=timezone.now() - AGAIN_AFTER)
    for state, most in _MOST.items():
        failed = recent.filter(state=state)
        if failed.count() >= most and not _has_moved(failed[0]):
            raise InvalidRequest(
                f"this was {state}: propose it again after the next move, or in a day"
            )


def _bury_dead(game: Game) -> None:
    """Mark the proposals of a game that time or a move has overtaken."""
    for proposal in Proposal.objects.filter(game=game, state=Proposal.State.OPEN):
        if not stands(proposal):
            proposal.state = Proposal.State.OVERTAKEN
            proposal.save(update_fields=["state"])


def stands(proposal: Proposal) -> bool:
    """Tell whether an open proposal can still be agreed to."""
    if proposal.game.over or proposal.state != Proposal.State.OPEN:
        return False
    if proposal.first is not None and _has_moved(proposal):
        return False
    if proposal.kind == Kind.RESUME and not proposal.game.is_paused:
        return False
    life = settings.DEWAN_TIME_OUT_UNDO if proposal.kind == Kind.UNDO_TIME_OUT else LIFE
    return timezone.now() - proposal.made_at < life


def _has_moved(proposal: Proposal) -> bool:
    later = Move.objects.filter(game=proposal.game_id, number__gt=proposal.version)
    return later.filter(seat__isnull=False).exists()


# ---- What can be proposed ----------------------------------------------------------------------


def _prepare_undo(table: Table, proposal: Proposal, _: int | None) -> None:
    own = [m for m in _counting(table) if m.seat == proposal.seat and m.actor == Move.Actor.PLAYER]
    if not own:
        raise IllegalMove("undo", "you have made no move that could be taken back")
    proposal.first = own[-1].number
    _check_nobody_resigned(table, proposal.first)


def _check_nobody_resigned(table: Table, since: int) -> None:
    """Refuse to bring somebody back to a seat they have resigned."""
    for row in store.all_rows(table.game):
        if row.number > since and any(map(_is_resignation, row.events)):
            raise IllegalMove("undo", "somebody has resigned since")


def _is_resignation(event: Event) -> bool:
    return isinstance(event, SeatForfeited) and event.reason == Sitting.How.RESIGNED


def _prepare_undo_time_out(table: Table, proposal: Proposal, _: int | None) -> None:
    """Find what the clock, or the bot it called, has played last for a player who was late."""
    played = _last_played_for_somebody(table)
    if not played:
        raise IllegalMove("undo", "no seat was late")
    since = timezone.now() - settings.DEWAN_TIME_OUT_UNDO
    if store.moment_of(played[-1].at) < since or store.learnt_since(table.game, played[-1].number):
        raise IllegalMove(
            "undo",
            "what was played for a seat that was late can be taken back for a day, and only until"
            " somebody has learnt something hidden since",
        )
    proposal.first = played[0].number
    _check_nobody_resigned(table, proposal.first)


def _last_played_for_somebody(table: Table) -> list[Move]:
    """Return the last moves made for one human seat by somebody else than its player."""
    moves = _counting(table)
    late = [m for m in moves if m.actor != Move.Actor.PLAYER and table.seats[m.seat or 0].is_human]
    played: list[Move] = []
    for move in reversed(late):
        following = played[-1].number - 1 if played else move.number
        if (move.number, move.seat) != (following, late[-1].seat):
            break
        played.append(move)
    return played[::-1]


def _counting(table: Table) -> list[Move]:
    """Return the moves that answered for a seat and were not taken back; undos left out."""
    moves = {move.number: move for move in table.game.moves.filter(seat__isnull=False)}
    rows = still_counting(store.all_rows(table.game))
    return [
        moves[row.number]
        for row in rows
        if row.seat is not None and not any(isinstance(event, Undone) for event in row.events)
    ]


def _prepare_pause(table: Table, proposal: Proposal, seconds: int | None) -> None:
    longest = int(settings.DEWAN_MAX_PAUSE.total_seconds())
    if seconds is None or not 3600 <= seconds <= longest:
        raise InvalidRequest(f"seconds: a pause is of 3600 to {longest} seconds")
    if table.game.is_paused:
        raise InvalidRequest("the game is paused already")
    proposal.seconds = seconds


def _prepare_resume(table: Table, _proposal: Proposal, _seconds: int | None) -> None:
    if not table.game.is_paused:
        raise InvalidRequest("the game is not paused")


def _prepare_nothing(_table: Table, _proposal: Proposal, _seconds: int | None) -> None:
    """For what needs nothing to be put down."""


_PREPARE: dict[str, Callable[[Table, Proposal, int | None], None]] = {
    Kind.UNDO: _prepare_undo,
    Kind.UNDO_TIME_OUT: _prepare_undo_time_out,
    Kind.PAUSE: _prepare_pause,
    Kind.RESUME: _prepare_resume,
    Kind.CANCEL: _prepare_nothing,
}


def _take_back(table: Table, proposal: Proposal) -> None:
    assert proposal.first is not None, "it says from which move on"
    first = table.game.moves.get(number=proposal.first)
    undone = Undone(
        from_=first.number, to=table.game.version, agreed=tuple(sorted(proposal.agreed))
    )
    table.record(Answered(first.seat, Move.Actor.PLAYER, first.decision), (), (undone,))


def _pause(table: Table, proposal: Proposal) -> None:
    assert proposal.seconds is not None, "a pause has a length"
    table.note(GamePaused(seconds=proposal.seconds), Move.Actor.PLAYER)


def _resume(table: Table, _: Proposal) -> None:
    table.note(GameResumed(), Move.Actor.PLAYER)


def _cancel(table: Table, _: Proposal) -> None:
    table.note(GameCancelled(reason="agreed"), Move.Actor.PLAYER)


_CARRY_OUT: dict[str, Callable[[Table, Proposal], None]] = {
    Kind.UNDO: _take_back,
    Kind.UNDO_TIME_OUT: _take_back,
    Kind.PAUSE: _pause,
    Kind.RESUME: _resume,
    Kind.CANCEL: _cancel,
}


def open_proposals(game: Game) -> Sequence[Proposal]:
    """Return the proposals of a game that stand."""
    proposals = Proposal.objects.filter(game=game, state=Proposal.State.OPEN)
    return [proposal for proposal in proposals if stands(proposal)]
