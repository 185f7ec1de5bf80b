"""Component sets, stored by digest and parsed once a process."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from engine.components import ComponentSet, parse
from engine.components.shipped import hearth
from games.models import StoredComponentSet


def component_set(digest: str) -> ComponentSet:
    """Return a set by its digest; raise StoredComponentSet.DoesNotExist if it is not stored."""
    return hearth() if digest == hearth().digest else _stored(digest)


@lru_cache(maxsize=32)
def _stored(digest: str) -> ComponentSet:
    return parse(msgspec.json.decode(StoredComponentSet.objects.get(digest=digest).data))


def store(components: ComponentSet) -> str:
    """Keep a set for ever and return its digest."""
    StoredComponentSet.objects.get_or_create(
        digest=components.digest, defaults={"data": components.canonical.decode()}
    )
    return components.digest
