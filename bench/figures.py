"""Timing and printing figures, and judging them against a floor and an aim."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Figure:
    """A figure measured several times. ``floor`` and ``aim`` are what it should reach.

    Where ``low_is_good``, they are what it should stay under.
    """

    name: str
    unit: str
    values: Sequence[float]
    floor: float | None = None
    aim: float | None = None
    low_is_good: bool = False
    facts: dict[str, object] = field(default_factory=dict)

    @property
    def median(self) -> float:
        """The figure to quote."""
        return statistics.median(self.values)

    @property
    def verdict(self) -> str:
        """Say which of floor and aim the median reaches."""
        if self.floor is None or self.aim is None:
            return "reported"
        if self._reaches(self.aim):
            return "aim reached"
        return "floor reached" if self._reaches(self.floor) else "MISSED"

    def _reaches(self, goal: float) -> bool:
        return self.median <= goal if self.low_is_good else self.median >= goal

    def line(self) -> str:
        """Return the figure as a line for people."""
        spread = f"{min(self.values):,.4g} to {max(self.values):,.4g}, {len(self.values)} runs"
        goal = "" if self.floor is None else f"; floor {self.floor:,g}, aim {self.aim:,g}"
        value = f"{self.median:,.4g} {self.unit}"
        return f"{self.name:<58} {value:>22}  ({spread}{goal}: {self.verdict})"

    def as_json(self) -> dict[str, object]:
        """Return the figure for programs."""
        return {
            "median": round(self.median, 4),
            "min": round(min(self.values), 4),
            "max": round(max(self.values), 4),
            "unit": self.unit,
            "floor": self.floor,
            "aim": self.aim,
            "verdict": self.verdict,
            **self.facts,
        }


def seconds(action: Callable[[], object]) -> float:
    """Return how long an action takes."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def repeated(times: int, measure: Callable[[], float]) -> list[float]:
    """Measure once to warm up, then ``times`` times."""
    measure()
    return [measure() for _ in range(times)]
