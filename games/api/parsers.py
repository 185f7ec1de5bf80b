"""Reading the body of a request: JSON that nothing behind it can stumble over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

import msgspec
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import JSONParser

BODY = 64 * 1024
"""How many bytes a body has, at most; the longest sensible one is a tenth of it."""
DEPTH = 16
"""How deep lists and objects lie in each other, at most; in commands it is six."""
WHOLE = 2**53
"""How far whole numbers go that every program reads as the same number."""


class TooLarge(APIException):
    """The body is longer than anything that we understand."""

    status_code = 413
    default_detail = f"a body has {BODY} bytes at most"


class StrictParser(JSONParser):
    """Reads UTF-8 JSON, without half characters, numbers beyond all use, and deep nesting."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002 - the signature is the framework's
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        """Return the data; raise ParseError or TooLarge."""
        body = stream.read(BODY + 1)
        if len(body) > BODY:
            raise TooLarge
        try:
            data = msgspec.json.decode(body)
        except (ValueError, RecursionError) as error:
            raise ParseError(f"the body is not JSON: {error}") from error
        if not _is_plain(data, DEPTH):
            raise ParseError(f"the body nests deeper than {DEPTH}, or has a number beyond 2^53")
        return data


def _is_plain(value: Any, depth: int) -> bool:
    if isinstance(value, (list, dict)):
        parts = value.values() if isinstance(value, dict) else value
        return depth > 0 and all(_is_plain(part, depth - 1) for part in parts)
    return not isinstance(value, int) or abs(value) <= WHOLE
