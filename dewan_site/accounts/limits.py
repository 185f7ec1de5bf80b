"""How often something may be asked for: counted in the cache, by the hour."""

from __future__ import annotations

import hashlib

from django.core.cache import cache

HOUR = 60 * 60


def within_limit(what: str, who: str, limit: int) -> bool:
    """Count one more of this, and tell whether that is within the limit for an hour."""
    key = f"limit:{what}:{hashlib.sha256(who.encode()).hexdigest()}"
    if cache.add(key, 1, HOUR):
        return limit >= 1
    try:
        return cache.incr(key) <= limit
    except ValueError:  # the hour ended between the two calls
        return within_limit(what, who, limit)
