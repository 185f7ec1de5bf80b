"""What the pages say of a scenario: what it changes, what its event is, what is left of its tiles.

A scenario that is not among ``SAID`` can be played too: it is told in general words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from engine import scoring
from engine.scenarios import volcano
from engine.state import State
from games.words import counted


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A scenario in words; ``fire`` is what its scoring counts, ``owners`` if tiles have one.

    ``event`` is what happens when the small pile runs out, ``stock`` what it uses up.
    """

    changes: str = ""
    chapter: str = "R10.1"
    event: str = "the scenario event happens"
    happening: str = "The scenario event happens"
    stock: tuple[str, str] = ("tile", "tiles")
    fire: Callable[[State], list[int]] = scoring.fire
    owners: bool = False


SAID = {
    "base": Said(changes="Stories, fire, groups of camps, and berries score.", chapter="R3.1"),
    "teams": Said(
        changes="Two against two: seats 1 and 3 play seats 2 and 4. Groups need camps of both "
        "partners, berries pair up, and the team with most points wins.",
        chapter="R9.1",
    ),
    "downpour": Said(
        changes="Now and then it rains, and a space of land turns to water for good. Forests, "
        "mountains, and pairs of a berry and an artefact score.",
        chapter="R11.1",
        event="it rains",
        happening="It rains",
        stock=("water tile", "water tiles"),
    ),
    "volcano": Said(
        changes="Now and then lava closes a space to every route. Camps beside the volcano have "
        "fire; waters, foreign starting tiles, and pairs of a berry and a fire score.",
        chapter="R12.1",
        event="the volcano erupts",
        happening="The volcano erupts",
        stock=("lava tile", "lava tiles"),
        fire=volcano.all_fire,
        owners=True,
    ),
    "lake_villages": Said(
        changes="Camps may stand on water, one village a lake. Now and then villages swap a card "
        "for fish. Most camps at a lake, fish, and pairs of a berry and a pigment score.",
        chapter="R13.1",
        event="the villages go fishing",
        happening="The villages go fishing",
        stock=("fish", "fish"),
    ),
}


def said(key: str) -> Said:
    """Return the words for a scenario."""
    return SAID.get(key, Said())


class Piles(msgspec.Struct, frozen=True):
    """The piles beside the row in words, and in a scenario what is to come of them."""

    sizes: str
    soon: str = ""
    left: str = ""


def piles(state: State) -> Piles:
    """Return the piles beside the row: a draw pile, or a small pile and a supply (R10.2)."""
    if state.small_pile is None or state.supply is None:
        return Piles(_sizes({"draw pile": state.pile, "discards": state.discard}))
    piles = {"small pile": state.small_pile, "supply": state.supply, "discards": state.discard}
    soon = "" if state.over else _soon(state)
    return Piles(_sizes(piles), soon, f"{stock_words(state)} left")


def _sizes(piles: Mapping[str, Sequence[str]]) -> str:
    sizes = [f"{name} {len(cards)}" for name, cards in piles.items()]
    return ", ".join(size.replace(" ", "\N{NO-BREAK SPACE}") for size in sizes)


def stock_words(state: State) -> str:
    """Return what is left of the scenario's tiles or tokens: ``6 water tiles``."""
    one, many = said(state.scenario.key).stock
    return counted(state.stock, one, many) if state.stock else f"no {many}"


def left_words(state: State) -> str:
    """Return what is left as a sentence goes on: ``6 water tiles are left``."""
    return f"{stock_words(state)} {'is' if state.stock == 1 else 'are'} left"


def _soon(state: State) -> str:
    words = said(state.scenario.key)
    if state.event_open:
        then = ", and then the row is filled up" if None in state.row else ""
        return f"{words.happening} now{then}."
    if not state.stock:
        return "Nothing happens any more when the small pile runs out."
    if not state.small_pile:
        return "The small pile is empty: the next refill begins with a new one."
    return f"{counted(len(state.small_pile), 'card')} until {words.event}."


def comes_with(state: State, cards: int) -> bool:
    """Tell whether the refill after taking this many cards takes the small pile's last (R10.3)."""
    places = cards + state.row.count(None)
    return bool(state.stock and state.small_pile) and len(state.small_pile or ()) <= places
