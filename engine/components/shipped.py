"""The component set that comes with the project: ours, not the publisher's (R1.8)."""

from functools import cache
from importlib.resources import files

import msgspec

from engine.components import ComponentSet, parse

TABLES = ("tiles", "cards", "stories", "layouts")


@cache
def hearth() -> ComponentSet:
    """Read the set *Hearth* from this package's data files; always the same object."""
    data: dict[str, object] = {}
    for table in TABLES:
        data |= msgspec.json.decode(
            files(__package__).joinpath("hearth", f"{table}.json").read_bytes()
        )
    return parse(data)
