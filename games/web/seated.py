"""A game from the seat of a player who plays, and what a line of theirs would do."""

from __future__ import annotations

from typing import Any

import msgspec

from dewan_site.accounts.models import Player
from engine import notation
from engine.errors import NotYourDecision
from engine.notation import Phrase
from engine.state import State
from engine.views import view_for
from games import selectors
from games.access import Seen
from games.web import board
from games.web.asking import name_of
from games.web.preview import Preview, preview
from games.web.scenario import said


class Seated(msgspec.Struct, frozen=True):
    """A game from the seat of a player who wants to play: view, masked state, names."""

    seen: Seen
    view: dict[str, Any]
    state: State
    seat: int
    names: list[str]

    @property
    def marks(self) -> board.Marks:
        """Return what the map shows of the scenario's tiles."""
        owners = said(self.state.scenario.key).owners
        return board.Marks(covered=board.covered(self.state), owners=owners)

    @property
    def decision(self) -> str | None:
        """Return the decision the seat is asked for."""
        asked = self.state.question_of(self.seat)
        return self.state.decision_of(asked) if asked else None


def from_seat(player: Player, game_id: str) -> Seated:
    """Return the game from the player's seat; raise NotYourDecision if there is none to play."""
    position = selectors.position(player, game_id)
    seat, state = position.seen.seat, position.state
    if seat is None or state is None:
        raise NotYourDecision("you have no seat at this table, or it waits for players")
    names = [name_of(seat) for seat in position.view["seats"]]
    return Seated(position.seen, position.view, state, seat, names)


def foreseen(seated: Seated, phrases: list[Phrase]) -> dict[str, Any]:
    """Return what a page shows of what phrases would do: words, and the map then.

    Raises the refusals that playing them would raise.
    """
    answer = notation.resolve(phrases, seated.state, seated.seat)
    shown = preview(seated.state, seated.seat, answer, seated.names)
    return {"preview": shown, "board": _board_then(seated, shown)}


def _board_then(seated: Seated, shown: Preview) -> board.Drawing:
    """Return the map with the route that was chosen, or as it is after a tile has been laid."""
    then = shown.after or seated.state
    view = seated.view | {"state": view_for(then, seated.seat)}
    marks = msgspec.structs.replace(seated.marks, covered=board.covered(then), fresh=shown.fresh)
    return board.draw(view, marks=marks, route=board.Route(shown.route, seated.seat))
