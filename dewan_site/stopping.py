"""Stopping the service in one process: a signal is never lost, and the end always comes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)

STOP_TIME = 4.0
"""Seconds everything may take to stop; after them the process leaves whatever still runs."""


class Stop:
    """What INT and TERM do: end the process while it starts, and be remembered once it serves.

    An exception in place of the sudden end could be swallowed by whatever runs at that moment.
    Starting can be cut off anywhere: what it does is done in transactions, and done again.
    """

    def __init__(self) -> None:
        self.asked = False
        self.starting = True
        for number in SIGNALS:
            signal.signal(number, self._handle)

    def _handle(self, _: int, __: FrameType | None) -> None:
        self.asked = True
        if self.starting:
            os._exit(0)


def leave_in_time() -> None:
    """End the process before long, even if a thread of it never does.

    What is lost by that is made up for at the next start: claims and nudges are (docs/mail.md).
    """
    timer = threading.Timer(STOP_TIME, _leave)
    timer.daemon = True
    timer.start()


def _leave() -> None:
    sys.stderr.flush()
    os._exit(0)
