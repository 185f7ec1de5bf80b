"""The scenarios that can be played, by key (docs/rules.md)."""

from __future__ import annotations

import msgspec


class Scenario(msgspec.Struct, frozen=True):
    """A way to play the game: its key, its name, and for how many players it is."""

    key: str
    name: str
    players: tuple[int, ...]


BASE = Scenario("base", "Base game", (2, 3, 4))
SCENARIOS: dict[str, Scenario] = {scenario.key: scenario for scenario in (BASE,)}
