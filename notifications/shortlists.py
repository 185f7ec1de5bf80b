"""The numbered moves of a mail: stored with the decision, so that a number never means another.

Which moves are on it is reckoned from the seat's own view (``engine.bots.shortlist``).
"""

from __future__ import annotations

import msgspec

from dewan_site import sql
from engine.bots import shortlist
from engine.state import State
from games.models import Game
from notifications.models import Shortlist

LENGTH = 9
"""How many moves are numbered, at most: one digit answers."""


def numbered(game: Game, seat: int, seen: State) -> list[str]:
    """Return the lines of notation for what a seat is asked now; the first has number 1.

    ``seen`` is the seat's own view. The first call for a decision stores its lines, and they are
    the same ever after. Nothing if the seat is not asked.
    """
    question = seen.question_of(seat)
    if question is None:
        return []
    decision = seen.decision_of(question)
    known = stored(game.pk, decision)
    if known is not None:
        return known
    lines = [entry.text for entry in shortlist.best(seen, seat, LENGTH)]
    first = Shortlist(game=game, decision=decision, lines=lines)
    # Of two that come at once one is stored, and both read that one.
    Shortlist.objects.bulk_create([first], ignore_conflicts=True)
    return stored(game.pk, decision) or []


def line(game_id: str, decision: str, number: int) -> str | None:
    """Return what a number of a decision's shortlist stands for; None if it has no such number."""
    lines = stored(game_id, decision) or []
    return lines[number - 1] if 1 <= number <= len(lines) else None


def stored(game_id: str, decision: str) -> list[str] | None:
    """Return the lines that are stored for a decision; None if it has not been numbered."""
    (rows,) = sql.read(_lines(decision, game_id))
    return msgspec.json.decode(rows[0][0], type=list[str]) if rows else None


_lines = sql.Prepared(
    lambda: Shortlist.objects.filter(decision="", game="").values_list("lines", flat=True)
)
