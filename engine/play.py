"""A submission being worked out: the state so far and the events that led there."""

from __future__ import annotations

from engine.chance import Chance
from engine.events import Event
from engine.evolve import evolve
from engine.state import State


class Play:
    """Collects events, and keeps the state they lead to, so that each rule sees what it follows."""

    def __init__(self, state: State, chance: Chance) -> None:
        self.state = state
        self.events: list[Event] = []
        self._chance = chance

    def emit(self, event: Event) -> None:
        """Let an event happen."""
        self.events.append(event)
        self.state = evolve(self.state, event)

    def shuffled(self, cards: tuple[str, ...]) -> tuple[str, ...]:
        """Return the cards in a random order, top first: the game's next use of chance."""
        return self._chance.shuffle(self.state.chance_uses, cards)
