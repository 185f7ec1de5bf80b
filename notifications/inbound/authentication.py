"""What the receiving server has found out about who sent a mail (RFC 8601)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import authres

Verdict = Literal["passed", "failed", "none"]

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_COMMENT = r"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.|\([^()]*\))*\))*\)"
_PART = rf'(?:[^;"()]|{_QUOTED}|{_COMMENT})*'
_WHOLE = re.compile(rf"{_PART}(?:;{_PART})*")
_DOMAIN = re.compile(r"(?:.*@)?([a-z0-9_.-]+)\.?")

PROPERTIES = {"spf": {"smtp.mailfrom"}, "dkim": {"header.d", "header.i"}}
"""By what a passed check speaks for a domain; Gmail names the signer as ``header.i`` only."""


def verdict(headers: Sequence[str], sender: str, authserv: str) -> Verdict:
    """Return what the topmost Authentication-Results of ``authserv`` say of the sender's address.

    ``headers`` are the values of all such headers, topmost first. Those of other servers are not
    believed, since anybody can write them. A header of ours that cannot be read is a failure:
    what stands in it is partly the sender's choice.
    """
    for header in headers:
        if authserv and _server(header) == authserv.lower():
            return "passed" if _speaks_for(header, sender.partition("@")[2]) else "failed"
    return "none"


def _server(header: str) -> str:
    """Return the name of the server that has written a header; empty if it is none."""
    name = re.match(r'[^\s;()"]+', header)
    return name.group().lower() if name else ""


def _speaks_for(header: str, domain: str) -> bool:
    results = [result for part in _parts(header) for result in _results(part)]
    dmarc = [result for result in results if result.method.lower() == "dmarc"]
    if not domain or any(result.result.lower() == "fail" for result in dmarc):
        return False
    return any(_passes(result, domain) for result in results)


def _parts(header: str) -> Iterator[str]:
    """Yield each result as a header of its own: one that is not to be read spoils no other.

    Some servers write what the standard does not allow, such as an IPv6 address without quotes.
    """
    if _WHOLE.fullmatch(header):
        server, *parts = re.findall(rf"(?:^|(?<=;)){_PART}", header)
        yield from (f"{server};{part}" for part in parts)


def _results(part: str) -> list[authres.AuthenticationResult]:
    try:
        results = authres.parse_value(part).results
    except authres.AuthResError:
        return []
    return [result for result in results if isinstance(result, authres.AuthenticationResult)]


def _passes(result: authres.AuthenticationResult, domain: str) -> bool:
    """Tell whether a result speaks for a domain: DMARC itself, or SPF or DKIM of one aligned."""
    if result.result.lower() != "pass":
        return False
    method = result.method.lower()
    said = {f"{each.type}.{each.name}".lower(): each.value or "" for each in result.properties}
    if method == "dmarc":
        return _domain(said.get("header.from", domain)) == domain
    return any(
        _is_aligned(_domain(said.get(name, "")), domain) for name in PROPERTIES.get(method, ())
    )


def _domain(value: str) -> str:
    found = _DOMAIN.fullmatch(value.strip().lower())
    return found.group(1) if found else ""


def _is_aligned(one: str, other: str) -> bool:
    """Tell whether two domains are the same, or one lies in the other (but not in a mere TLD)."""
    longer, shorter = sorted((one, other), key=len, reverse=True)
    return "." in shorter and f".{longer}".endswith(f".{shorter}")
