"""Actions that happen at the same moment, each with its own database connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connections

Result = TypeVar("Result")


def at_once(*actions: Callable[[], Result]) -> list[Result]:
    """Run actions in threads of their own that start together; return their results in order."""
    together = threading.Barrier(len(actions))

    def run(action: Callable[[], Result]) -> Result:
        together.wait()
        try:
            return action()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, actions))
