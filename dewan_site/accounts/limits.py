"""How often something may be asked for: counted in the cache, by the hour.

Where the cache is out of reach nothing is counted and everything is allowed: a limit must not keep
people from signing in.
"""

from __future__ import annotations

import hashlib
import logging

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from redis.exceptions import RedisError

log = logging.getLogger("dewan.limits")

HOUR = 60 * 60


def within_limit(what: str, who: str, limit: int) -> bool:
    """Count one more of this, and tell whether that is within the limit for an hour."""
    key = f"limit:{what}:{hashlib.sha256(who.encode()).hexdigest()}"
    try:
        return _counted(key, limit)
    except (RedisError, OSError) as error:
        log.warning("the cache is out of reach, %s are not counted: %s", what, error)
        return True


def _counted(key: str, limit: int) -> bool:
    if cache.add(key, 1, HOUR):
        return limit >= 1
    try:
        return cache.incr(key) <= limit
    except ValueError:  # the hour ended between the two calls
        return _counted(key, limit)


def client_of(request: HttpRequest) -> str:
    """Return the address a request comes from.

    Anybody can write ``X-Forwarded-For``; what counts is the entry that our own proxy has added.
    """
    if settings.DEWAN_BEHIND_PROXY:
        *_, client = request.headers.get("X-Forwarded-For", "").split(",")
        if client.strip():
            return client.strip()
    return str(request.META.get("REMOTE_ADDR", ""))
