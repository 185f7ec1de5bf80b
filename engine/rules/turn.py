"""The end of a turn, of a round and of the game (R6.5-R6.7, R8), and leaving it (R15)."""

from __future__ import annotations

from engine.events import (
    FORFEIT,
    GameEnded,
    Passed,
    RoundEnded,
    SeatForfeited,
    TurnEnded,
    TurnSkipped,
)
from engine.play import Play
from engine.rules import routes, row, stories
from engine.rules.map import destinations
from engine.scoring import final_scores, winners
from engine.state import State


def go_on(play: Play, seat: int) -> None:
    """End a seat's turn if it is asked nothing more; play the turns in which nobody has a choice.

    Those are the turns of seats that are out, which are skipped (R15.2), and forced passes (R14.1).
    """
    if not play.state.questions:
        _end_turn(play, seat)
    while (asked := _asked_for_turn(play.state)) is not None:
        if asked in play.state.out:
            play.emit(TurnSkipped(seat=asked))
            _next_turn(play, asked)
        elif must_pass(play.state, asked):
            play.emit(Passed(seat=asked))
            _end_turn(play, asked)
        else:
            return


def leave(play: Play, seat: int, reason: str) -> None:
    """Take a seat out of the game; if the others are all of one side, that is the end (R15.4).

    What else than its turn it is asked stays asked (R15.5).
    """
    play.emit(SeatForfeited(seat=seat, reason=reason))
    if len(play.state.sides_in_play) == 1:
        _end_game(play, FORFEIT)
    else:
        go_on(play, seat)


def _asked_for_turn(state: State) -> int | None:
    return next((question.seat for question in state.questions if question.kind == "turn"), None)


def _end_turn(play: Play, seat: int) -> None:
    if play.state.event_open:
        row.finish_event(play)
    _complete(play, seat)
    _next_turn(play, seat)


def _complete(play: Play, seat: int) -> None:
    """Complete the seat's story tiles, and draw a reward for each (R6.5)."""
    for _ in range(stories.complete(play, seat)):
        row.draw_reward(play, seat)


def _next_turn(play: Play, seat: int) -> None:
    """Fill the row and pass the turn on, or end the game with the round (R3.5, R6.6, R8.1)."""
    row.refill(play)
    following = (seat + 1) % len(play.state.tribes)
    round_over = following == play.state.start_seat
    reason = end_reason(play.state) if round_over else None
    play.emit(TurnEnded(seat=seat, next=None if reason else following))
    if round_over:
        play.emit(RoundEnded(round=play.state.round))
    if reason:
        _end_game(play, reason)


def must_pass(state: State, seat: int) -> bool:
    """Tell whether a seat can neither take nor place (R3.5)."""
    return not row.takes(state) and not routes.any_route(state, seat)


def end_reason(state: State) -> str | None:
    """Return why the game ends after the round that ends now, or None (R8.1, R8.2)."""
    if any(tribe.camps_left == 0 for tribe in state.tribes):
        return "last_camp"
    if state.passes == len(state.tribes):
        return "all_passed"
    free = set(destinations(state))
    if not any(routes.reachable(state, seat) & free for seat in state.seats_in_play):
        return "no_destination"
    return None


def _end_game(play: Play, reason: str) -> None:
    for seat in play.state.seats:
        stories.complete(play, seat)  # R8.3, without reward
    scores = final_scores(play.state)
    won = winners(scores, play.state.sides_in_play)
    play.emit(GameEnded(reason=reason, scores=scores, winners=won))
