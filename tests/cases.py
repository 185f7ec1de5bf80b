"""Cases of a test: which are run each time, and which seldom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def with_slow(cases: Sequence[Any], often: int) -> list[Any]:
    """Return cases for a test: the first are run each time, the others if ``slow`` ones are."""
    values = [case if isinstance(case, tuple) else (case,) for case in cases[often:]]
    return [*cases[:often], *(pytest.param(*each, marks=pytest.mark.slow) for each in values)]
