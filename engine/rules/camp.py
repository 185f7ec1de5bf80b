"""Placing a camp, and what the tribe board then asks (R3.6-R3.12, R4, R5)."""

from __future__ import annotations

from engine.board import areas
from engine.commands import Camp, Tuck
from engine.components import TRIBE_CAMPS
from engine.errors import IllegalMove
from engine.events import BerryTaken, CampPlaced, CardTucked, Paid
from engine.play import Play
from engine.rules import payment, routes, stories
from engine.state import State

TRIBE_BOARD = {2: "story", 3: "tuck", 4: "story", 5: "tuck", 6: "story", 7: "tuck"}
"""What the n-th camp's place on the tribe board gives (R5.1-R5.4)."""

TUCK_SLOTS = {3: 1, 5: 2, 7: 3}
"""The tuck slot below the n-th camp (R5.3)."""


def place_camp(play: Play, seat: int, command: Camp) -> None:
    """Place the leftmost camp of the tribe board, take a berry, free the place below it (R3.12)."""
    state = play.state
    if state.tribes[seat].camps_left == 0:
        raise IllegalMove("R3.12", "all your camps stand on the map")
    steps = routes.steps_of(state, seat, command.route)
    paid = payment.checked(state, seat, steps, command.payment)
    play.emit(
        CampPlaced(
            seat=seat,
            route=command.route,
            payment=tuple(
                Paid(card=p.card, spaces=p.spaces, to=step.to)
                for p, step in zip(paid, steps, strict=True)
            ),
            asks=_asked(state, seat, cards_spent=len(paid)),
        )
    )
    _take_berry(play, seat, command.route[-1])


def _asked(state: State, seat: int, cards_spent: int) -> str | None:
    """Say what the place of the new camp asks; without any choice, nothing (R5.2, R5.3)."""
    tribe = state.tribes[seat]
    kind = TRIBE_BOARD.get(TRIBE_CAMPS - tribe.camps_left + 1)
    if kind == "story" and not stories.choices(state):
        return None
    if kind == "tuck" and len(tribe.hand) == cards_spent:
        return None
    return kind


def _take_berry(play: Play, seat: int, destination: str) -> None:
    """Take 1 berry if the new camp's area holds any: it belongs to the area (R4.1, R4.2)."""
    state = play.state
    area = areas(state.board, state.terrain).area_of(state.board.index[destination])
    for space in sorted(area):
        if state.berries[space]:
            play.emit(BerryTaken(seat=seat, space=state.board.names[space]))
            return


def tuck(play: Play, seat: int, command: Tuck) -> None:
    """Tuck a hand card with one side visible, or decline (R5.3)."""
    slot = TUCK_SLOTS[TRIBE_CAMPS - play.state.tribes[seat].camps_left]
    if command.card is not None:
        payment.check_in_hand(play.state, seat, [command.card], rule="R5.3")
        sides = play.state.components.cards[command.card].sides
        if not 0 <= command.side < len(sides):
            raise IllegalMove("R5.3", f"{command.card} has {len(sides)} side(s), numbered from 0")
    play.emit(CardTucked(seat=seat, card=command.card, side=command.side, slot=slot))
