"""The scenarios that can be played, by key: one file for each (docs/adding-a-scenario.md)."""

from __future__ import annotations

from engine.scenario import Scenario
from engine.scenarios.base import BASE
from engine.scenarios.downpour import DOWNPOUR
from engine.scenarios.lake_villages import LAKE_VILLAGES
from engine.scenarios.teams import TEAMS
from engine.scenarios.volcano import VOLCANO

SCENARIOS: dict[str, Scenario] = {
    scenario.key: scenario for scenario in (BASE, TEAMS, DOWNPOUR, VOLCANO, LAKE_VILLAGES)
}
