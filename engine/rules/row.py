"""The row of terrain cards and its piles: taking and refilling (R3.2-R3.5)."""

from __future__ import annotations

from collections.abc import Callable

from engine.commands import Take
from engine.components import ROW_PLACES
from engine.errors import IllegalMove
from engine.events import (
    CardsTaken,
    PileShuffled,
    RewardDrawn,
    RowClosedUp,
    RowFilled,
    SmallPileMade,
)
from engine.play import Play
from engine.scenario import SMALL_PILE
from engine.state import State

Places = tuple[int, ...]


def takes(state: State) -> list[Places]:
    """Return every choice of places: 2 side by side, or the only card (R3.2, R3.5)."""
    filled = [place for place, card in enumerate(state.row, 1) if card]
    if len(filled) == 1:
        return [(filled[0],)]
    return [(place, place + 1) for place in filled if place + 1 in filled]


def take(play: Play, seat: int, command: Take) -> None:
    """Take cards from the row, then refill it; that may cause a scenario event (R3.2, R10.3)."""
    places = _checked(play.state, command)
    cards = tuple(card for place in places if (card := play.state.row[place - 1]))
    play.emit(CardsTaken(seat=seat, places=places, cards=cards))
    refill(play, event=play.state.scenario.event)


def _checked(state: State, command: Take) -> Places:
    places = tuple(sorted(command.places))
    if not all(1 <= place <= ROW_PLACES for place in places):
        raise IllegalMove(
            "R3.2", f"the places of the row are 1 to {ROW_PLACES}, not {_text(places)}"
        )
    legal = takes(state)
    if places in legal:
        return places
    if len(places) == 2 and places[1] - places[0] != 1:
        raise IllegalMove("R3.2", f"places {_text(places)} are not side by side")
    if any(state.row[place - 1] is None for place in places):
        raise IllegalMove("R3.5", f"there is no card at every one of the places {_text(places)}")
    if len(legal) == 1 and len(legal[0]) == 1:
        raise IllegalMove("R3.5", f"only 1 card is left: take {legal[0][0]}")
    raise IllegalMove("R3.2", "take exactly 2 cards that are side by side")


def _text(places: Places) -> str:
    return "-".join(map(str, places))


def refill(play: Play, event: Callable[[Play, int], None] | None = None) -> None:
    """Fill the empty places, nearest the draw pile first, as far as cards exist (R3.3, R3.5).

    The scenario event, if this refill may cause one, happens when it takes the last card of the
    small pile; if somebody is asked then, the rest waits for ``finish_event`` (R10.3).
    """
    if play.state.small_pile == ():
        _make_small_pile(play)  # R10.4: without an event
    for place in range(ROW_PLACES, 0, -1):
        if play.state.row[place - 1] is not None:
            continue
        if not _cards_for_row(play):
            _close_up(play)
            return
        play.emit(RowFilled(place=place, card=play.state.row_pile[0]))
        if event and play.state.small_pile == ():
            assert play.state.active is not None, "somebody has taken cards"
            event(play, play.state.active)
            if not play.state.questions:
                finish_event(play)
            return


def finish_event(play: Play) -> None:
    """End a scenario event: a new small pile, and the rest of the refill (R10.3)."""
    _make_small_pile(play)
    refill(play)


def _make_small_pile(play: Play) -> None:
    """Make a small pile from the supply, as far as there are cards (R10.3, R10.4)."""
    size = SMALL_PILE[len(play.state.tribes)]
    if len(play.state.reward_pile) < size:
        _shuffle(play)
    cards = play.state.reward_pile[:size]
    if cards or play.state.event_open:
        play.emit(SmallPileMade(cards=cards))


def _close_up(play: Play) -> None:
    cards = tuple(card for card in play.state.row if card)
    row = (None,) * (ROW_PLACES - len(cards)) + cards
    if row != play.state.row:
        play.emit(RowClosedUp(row=row))


def _cards_for_row(play: Play) -> bool:
    """Tell whether the row can be filled, making a new pile if needed (R3.4, R10.4)."""
    if not play.state.row_pile:
        if play.state.small_pile is None:
            _shuffle(play)
        else:
            _make_small_pile(play)
    return bool(play.state.row_pile)


def draw_reward(play: Play, seat: int) -> None:
    """Draw a reward card; with no card at all it lapses (R3.4, R6.5, R10.4)."""
    if not play.state.reward_pile:
        _shuffle(play)
    if play.state.reward_pile:
        play.emit(RewardDrawn(seat=seat, card=play.state.reward_pile[0]))


def _shuffle(play: Play) -> None:
    """Shuffle the discards, if there are any, into a new draw pile or supply (R3.4, R10.4)."""
    if play.state.discard:
        pile = "draw" if play.state.supply is None else "supply"
        play.emit(PileShuffled(pile=pile, order=play.shuffled(play.state.discard)))
