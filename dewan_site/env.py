"""The environment the service is configured by (docs/settings.md): read once, checked, typed."""

from __future__ import annotations

import errno
import os
import re
import secrets
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from email.utils import parseaddr
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import environ
from django.utils.dateparse import parse_duration

HOST = re.compile(r"\.?[\w-]+(\.[\w-]+)*\.?|\[[0-9a-fA-F:.]+\]|\*", re.ASCII)
"""A host as ``DEWAN_ALLOWED_HOSTS`` has it; with a dot in front also what is below it."""

DATABASES = ("postgres", "postgresql", "sqlite")
BROKERS = ("redis", "rediss")
MAIL_SERVERS = ("smtp", "smtps", "smtp+tls", "smtp+ssl")
MAIL_LISTENERS = ("smtp", "lmtp")
MAILBOXES = ("imap", "imap+tls", "imaps")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


class SettingError(Exception):
    """A setting has a value that cannot be used. The message names it and says what would do."""


class DataFolderError(Exception):
    """The data folder cannot be used."""


class Environment:
    """Typed access to environment variables; each method names the variable when it refuses it."""

    def __init__(self, values: Mapping[str, str] = os.environ) -> None:
        self._values = values

    def text(self, name: str, default: str = "") -> str:
        """Return a variable, or the default if it is unset or empty."""
        return self._values.get(name, "").strip() or default

    def whole(self, name: str, default: int, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``."""
        text = self.text(name, str(default))
        if not (text.isdecimal() and len(text) < 10 and low <= int(text) <= high):
            raise SettingError(f"{name}={text}: needs a whole number from {low} to {high}")
        return int(text)

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a yes/no setting, written 1 or 0."""
        return self.choice(name, "1" if default else "0", ("0", "1")) == "1"

    def choice(self, name: str, default: str, choices: Collection[str]) -> str:
        """Return one of a few words."""
        text = self.text(name, default)
        if text not in choices:
            raise SettingError(f"{name}={text}: needs {_either(choices)}")
        return text

    def duration(self, name: str, default: str, low: str, high: str) -> timedelta:
        """Return a duration, written in seconds (``90``) or ISO 8601 (``PT1H``)."""
        text = self.text(name, default)
        length = duration(text)
        if length is None or not _length(low) <= length <= _length(high):
            raise SettingError(
                f"{name}={text}: needs seconds (90) or ISO 8601 (PT1M30S), from {low} to {high}"
            )
        return length

    def hosts(self, name: str) -> list[str]:
        """Return host names, written with commas between them."""
        hosts = [host.strip() for host in self.text(name).split(",") if host.strip()]
        for host in hosts:
            if not HOST.fullmatch(host):
                raise SettingError(
                    f"{name}: {host} is no host name; needs dewan.example,www.dewan.example"
                    " without https:// or ports"
                )
        return hosts

    def origin(self, name: str) -> str:
        """Return the address of a site, without a path and a slash at the end."""
        text = self.text(name).rstrip("/").lower()
        url = _split(text)
        is_origin = url is not None and text == f"{url.scheme}://{url.netloc}" and "@" not in text
        if text and not (url and is_origin and _has_host(url) and url.scheme in ("http", "https")):
            raise SettingError(f"{name}={text}: needs https://dewan.example, without a path")
        return text

    def sender(self, name: str, default: str) -> str:
        """Return the sender of mails: an address, with a name or without."""
        text = " ".join(self.text(name, default).split())
        address = parseaddr(text)[1]
        is_whole = text == address or text.endswith(f"<{address}>")
        if not (is_whole and _ADDRESS.fullmatch(address)):
            raise SettingError(f"{name}={text}: needs Dewan by post <dewan@dewan.example>")
        return text

    def address(self, name: str) -> str:
        """Return a mail address that a ``+`` and more can be put into, or nothing if unset."""
        text = self.text(name)
        if text and (not _ADDRESS.fullmatch(text) or "+" in text):
            raise SettingError(f"{name}={text}: needs dewan@dewan.example, without +")
        return text

    def server(self, name: str, schemes: Collection[str], example: str) -> str:
        """Return the URL of a server, or nothing if it is unset.

        What is wrong is said without the value: there are passwords in these.
        """
        text = self.text(name)
        url = _split(text)
        if text and not (url and url.scheme in schemes and _has_host(url)):
            raise SettingError(f"{name}: {_start(text)} does not do; needs {example}")
        return text

    def broker(self, name: str) -> str:
        """Return the URL of Redis or Valkey, or nothing if it is unset."""
        example = "redis://host:6379/0"
        text = self.server(name, BROKERS, example)
        if not re.fullmatch(r"/?\d*", urlsplit(text).path):
            raise SettingError(f"{name}: its database is no number; needs {example}")
        return text

    def mailbox(self, name: str) -> str:
        """Return the URL of a mailbox and of who opens it, or nothing if it is unset."""
        example = "imaps://user:password@host/INBOX"
        text = self.server(name, MAILBOXES, example)
        url = urlsplit(text)
        if text and not (url.username and url.password):
            raise SettingError(f"{name}: it says not who opens it; needs {example}")
        return text

    def database(self, name: str, default: str) -> dict[str, Any]:
        """Return Django's settings of a database, PostgreSQL or SQLite."""
        text = self.text(name, default)
        config: dict[str, Any] = {}
        if re.fullmatch(rf"({'|'.join(DATABASES)})://[^/]*/.+", text):
            with suppress(ValueError):
                config = environ.Env.db_url_config(text)
        if not config.get("NAME"):
            example = "postgres://user:password@host/name or sqlite:///path"
            raise SettingError(f"{name}: {_start(text)} names no database; needs {example}")
        return config

    def mail_server(self, name: str) -> dict[str, Any]:
        """Return Django's settings of a mail server; none if it is unset."""
        text = self.server(name, MAIL_SERVERS, "smtp+tls://user:password@host:587")
        return environ.Env.email_url_config(text) if text else {}

    def data_folder(self) -> Path:
        """Return ``DEWAN_DATA``, made if need be; raise DataFolderError if it cannot be written."""
        path = Path(self.text("DEWAN_DATA", "var")).resolve()
        with usable(path):
            for folder in (path, path / "mail"):
                folder.mkdir(parents=True, exist_ok=True)
                tempfile.TemporaryFile(dir=folder).close()
            if (path / "static").is_file():
                raise NotADirectoryError(errno.ENOTDIR, "static is no folder")
        return path


@contextmanager
def usable(data: Path) -> Iterator[None]:
    """Say of whatever goes wrong with a file that it is the data folder's fault."""
    try:
        yield
    except OSError as error:
        where = error.filename or data
        raise DataFolderError(f"DEWAN_DATA={data}: {where}: {error.strerror or error}") from error


def is_this_machine(host: str) -> bool:
    """Tell whether a host is this machine and no other."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_public(url: str) -> bool:
    """Tell whether an address leads here from other machines; none does not."""
    return bool(url) and not is_this_machine(urlsplit(url).hostname or "")


def _either(choices: Collection[str]) -> str:
    *others, last = choices
    return f"{', '.join(others)} or {last}"


def _start(text: str) -> str:
    """Return as much of a URL as can be said aloud."""
    scheme, separator, _ = text.partition("://")
    return f"{scheme}://…" if separator and scheme.replace("+", "").isalnum() else "this"


def _split(text: str) -> SplitResult | None:
    with suppress(ValueError):
        return urlsplit(text)
    return None


def _has_host(url: SplitResult) -> bool:
    """Tell whether a URL has a host, and a port that is one if it has a port."""
    with suppress(ValueError):
        netloc = url.netloc.rpartition("@")[2]
        host = re.sub(r":\d+$", "", netloc)
        return bool(HOST.fullmatch(host)) and host != "*" and (url.port is None or url.port > 0)
    return False


def duration(text: str) -> timedelta | None:
    """Read a duration in seconds or ISO 8601; None if it is neither, negative, or beyond years."""
    with suppress(OverflowError):
        if text.replace(".", "", 1).isdecimal():
            return timedelta(seconds=float(text))
        length = parse_duration(text) if text.startswith("P") else None
        return length if length is not None and length >= timedelta(0) else None
    return None


def _length(text: str) -> timedelta:
    length = duration(text)
    assert length is not None, "our own limits are durations"
    return length


def secret_key(values: Environment, data: Path) -> str:
    """Return the key that signs sessions and links: ``DEWAN_SECRET_KEY``, else one kept in data."""
    if given := values.text("DEWAN_SECRET_KEY"):
        return given
    with usable(data):
        return _kept(data / "secret_key", lambda: secrets.token_urlsafe(50))


def _kept(path: Path, make: Callable[[], str]) -> str:
    """Return what a file holds; the first of several processes makes it, whole."""
    with suppress(FileNotFoundError):
        return path.read_text()
    descriptor, part = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write(make())
    with suppress(FileExistsError):
        os.link(part, path)
    Path(part).unlink()
    return path.read_text()
