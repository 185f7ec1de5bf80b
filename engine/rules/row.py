"""The row of terrain cards and its piles: taking and refilling (R3.2-R3.5)."""

from __future__ import annotations

from engine.commands import Take
from engine.components import ROW_PLACES
from engine.errors import IllegalMove
from engine.events import CardsTaken, PileShuffled, RowClosedUp, RowFilled
from engine.play import Play
from engine.state import State

Places = tuple[int, ...]


def takes(state: State) -> list[Places]:
    """Return every choice of places: 2 side by side, or the only card (R3.2, R3.5)."""
    filled = [place for place, card in enumerate(state.row, 1) if card]
    if len(filled) == 1:
        return [(filled[0],)]
    return [(place, place + 1) for place in filled if place + 1 in filled]


def take(play: Play, seat: int, command: Take) -> None:
    """Take cards from the row, then refill it (R3.2, R3.3)."""
    places = _checked(play.state, command)
    cards = tuple(card for place in places if (card := play.state.row[place - 1]))
    play.emit(CardsTaken(seat=seat, places=places, cards=cards))
    refill(play)


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


def refill(play: Play) -> None:
    """Fill the empty places, nearest the draw pile first, as far as cards exist (R3.3, R3.5)."""
    for place in range(ROW_PLACES, 0, -1):
        if play.state.row[place - 1] is None:
            if not cards_to_draw(play):
                _close_up(play)
                return
            play.emit(RowFilled(place=place, card=play.state.pile[0]))


def _close_up(play: Play) -> None:
    cards = tuple(card for card in play.state.row if card)
    row = (None,) * (ROW_PLACES - len(cards)) + cards
    if row != play.state.row:
        play.emit(RowClosedUp(row=row))


def cards_to_draw(play: Play) -> bool:
    """Tell whether a card can be drawn, shuffling the discards into a new pile if needed (R3.4)."""
    if not play.state.pile and play.state.discard:
        play.emit(PileShuffled(pile="draw", order=play.shuffled(play.state.discard)))
    return bool(play.state.pile)
