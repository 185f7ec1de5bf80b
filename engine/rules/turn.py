"""The end of a turn, of a round and of the game (R6.5-R6.7, R8)."""

from __future__ import annotations

from engine.events import GameEnded, Passed, RoundEnded, TurnEnded
from engine.play import Play
from engine.rules import routes, row, stories
from engine.rules.map import destinations
from engine.scoring import final_scores, winners
from engine.state import State


def end_turn(play: Play, seat: int) -> None:
    """End a seat's turn, and the turns of seats that must pass after it (R14.1)."""
    if play.state.event_open:
        row.finish_event(play)
    _finish(play, seat)
    while (active := play.state.active) is not None and must_pass(play.state, active):
        play.emit(Passed(seat=active))
        _finish(play, active)


def _finish(play: Play, seat: int) -> None:
    for _ in range(stories.complete(play, seat)):
        row.draw_reward(play, seat)
    row.refill(play)  # R3.5
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
    if not any(routes.reachable(state, seat) & set(destinations(state)) for seat in state.seats):
        return "no_destination"
    return None


def _end_game(play: Play, reason: str) -> None:
    for seat in play.state.seats:
        stories.complete(play, seat)  # R8.3, without reward
    scores = final_scores(play.state)
    play.emit(GameEnded(reason=reason, scores=scores, winners=winners(scores)))
