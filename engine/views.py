"""The only source of what leaves a game (docs/hidden-information.md).

``mask`` turns the true state into what one seat may know (``None``: a spectator): legal
moves, previews, texts and bots work on that. ``view_for`` and ``redact`` are what clients see.
After the end nothing is hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from engine import events as e
from engine.commands import Command, Fish
from engine.state import HIDDEN, State, Tribe

Viewer = int | None
"""A seat, or None for a spectator."""


def mask(state: State, viewer: Viewer) -> State:
    """Return the state as this viewer may know it: hidden cards and tiles become ``HIDDEN``."""
    if state.over:
        return state
    return replace(
        state,
        pile=_hidden(state.pile),
        small_pile=None if state.small_pile is None else _hidden(state.small_pile),
        supply=None if state.supply is None else _hidden(state.supply),
        story_pile=_hidden(state.story_pile),
        tribes=tuple(
            tribe if seat == viewer else _mask_tribe(tribe)
            for seat, tribe in enumerate(state.tribes)
        ),
    )


def _hidden(pile: tuple[str, ...]) -> tuple[str, ...]:
    return (HIDDEN,) * len(pile)


def _mask_tribe(tribe: Tribe) -> Tribe:
    known = tribe.known
    unknown = (HIDDEN,) * (len(tribe.hand) - len(known))
    return replace(tribe, hand=(*known, *unknown), secret=frozenset())


def view_for(state: State, viewer: Viewer) -> dict[str, Any]:
    """Return the game as this viewer may see it (docs/api.md, *View*)."""
    seen = mask(state, viewer)
    return {
        "round": seen.round,
        "start_seat": seen.start_seat,
        "active": seen.active,
        "tiles": [msgspec.to_builtins(tile) for tile in seen.board.tiles],
        "spaces": _spaces(seen),
        "sites": [
            {"kind": site.kind, "spaces": [seen.board.names[space] for space in site.spaces]}
            for site in seen.board.sites
        ],
        "row": list(seen.row),
        "pile": len(seen.pile),
        "small_pile": None if seen.small_pile is None else len(seen.small_pile),
        "supply": None if seen.supply is None else len(seen.supply),
        "stock": seen.stock,
        "teams": [list(team) for team in seen.scenario.teams] or None,
        "discard": list(seen.discard),
        "stories": {"row": list(seen.story_row), "pile": len(seen.story_pile)},
        "tribes": [_tribe(seen, seat) for seat in seen.seats],
    }


def _spaces(state: State) -> list[dict[str, Any]]:
    return [
        {
            "space": space.space,
            "q": space.q,
            "r": space.r,
            "tile": space.tile,
            "terrain": terrain,
            "berries": berries,
            "camp": {"seat": camp.seat, "starting": camp.starting} if camp else None,
        }
        for space, terrain, berries, camp in zip(
            state.board.spaces, state.terrain, state.berries, state.camps, strict=True
        )
    ]


def _tribe(state: State, seat: int) -> dict[str, Any]:
    tribe = state.tribes[seat]
    cards = sorted(card for card in tribe.hand if card != HIDDEN)
    return {
        "seat": seat,
        "out": seat in state.out,
        "camps_left": tribe.camps_left,
        "berries": tribe.berries,
        "fish": tribe.fish,
        "hand": {"cards": cards, "unknown": len(tribe.hand) - len(cards)},
        "stories": [
            {"slot": slot, "story": tile.story, "completed": tile.completed}
            for slot, tile in enumerate(tribe.stories, 1)
        ],
        "tucked": [
            {"slot": tucked.slot, "card": tucked.card, "side": tucked.side}
            for tucked in tribe.tucked
        ],
    }


def redact(event: e.Event, viewer: Viewer) -> e.Event:
    """Return an event of a game that goes on, with what this viewer may not know as null."""
    hide = _REDACTIONS.get(type(event))
    return hide(event, viewer) if hide else event


def _redact_set_up(event: e.GameSetUp, viewer: Viewer) -> e.GameSetUp:
    return replace(
        event,
        hands=tuple(hand if seat == viewer else None for seat, hand in enumerate(event.hands)),
        pile=None,
        stories=replace(event.stories, pile=None),
        small_pile=None,
        supply=None,
    )


def _redact_reward(event: e.RewardDrawn, viewer: Viewer) -> e.RewardDrawn:
    return event if event.seat == viewer else replace(event, card=None)


def _redact_shuffle(event: e.PileShuffled, _: Viewer) -> e.PileShuffled:
    return replace(event, order=None)


def _redact_small_pile(event: e.SmallPileMade, _: Viewer) -> e.SmallPileMade:
    return replace(event, cards=None)


_REDACTIONS: dict[type, Callable[[Any, Viewer], e.Event]] = {
    e.GameSetUp: _redact_set_up,
    e.RewardDrawn: _redact_reward,
    e.PileShuffled: _redact_shuffle,
    e.SmallPileMade: _redact_small_pile,
}


def redact_command(command: Command, seat: int | None, viewer: Viewer) -> Command:
    """Return a seat's command of a game that goes on; a sealed answer stays its seat's secret.

    What came of it is in the event; a card that was kept for want of fish is never shown (R13.5).
    """
    if isinstance(command, Fish) and viewer != seat:
        return replace(command, card=None)
    return command


def learners(state: State, event: e.Event) -> frozenset[int]:
    """Return the seats that learn something hidden from an event that follows this state.

    It closes free undo for anyone's learning, and ends the all-or-nothing part of a
    submission for the learning of its own seat. Use of chance counts as learning.
    """
    learn = _LEARNERS.get(type(event))
    return learn(state, event) if learn else frozenset()


def _everyone(state: State, _: e.Event) -> frozenset[int]:
    return frozenset(state.seats)


def _others_if_secret(state: State, seat: int, cards: list[str | None]) -> frozenset[int]:
    shown = not state.tribes[seat].secret.isdisjoint(cards)
    return frozenset(state.seats) - {seat} if shown else frozenset()


_LEARNERS: dict[type, Callable[[State, Any], frozenset[int]]] = {
    e.RowFilled: _everyone,
    e.StoryRowFilled: _everyone,
    e.PileShuffled: _everyone,
    e.FishResolved: _everyone,
    e.StoryTaken: lambda state, event: (
        _everyone(state, event) if event.from_ == "pile" else frozenset()
    ),
    e.RewardDrawn: lambda _, event: frozenset({event.seat}),
    # Without a card in the row the next seat is asked or passes: that tells of its hand (R3.5).
    e.TurnEnded: lambda state, event: frozenset() if any(state.row) else _everyone(state, event),
    e.CampPlaced: lambda state, event: _others_if_secret(
        state, event.seat, [paid.card for paid in event.payment]
    ),
    e.CardTucked: lambda state, event: _others_if_secret(state, event.seat, [event.card]),
}
