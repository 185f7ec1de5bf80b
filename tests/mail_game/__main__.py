"""``make mail-game``: four people play a whole game, and all they have is mail.

The service runs as in production, with Exim and Dovecot as its and the players' mail servers. Each
answers with a mail program: two with Mutt, one with s-nail, one with swaks. What two of them write
is handed to our listener (LMTP), what the others write lies in a mailbox that we look into (IMAP).
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import psycopg

from tests.mail_game.checks import problems
from tests.mail_game.player import Player
from tests.mail_game.post_office import PLAYERS, Dovecot, Exim, folder_for, missing
from tests.mail_game.programs import Mutt, Program, SNail, Swaks
from tests.production import Production
from tests.servers import free_port

PROGRAMS: dict[str, type[Program]] = {"Ann": Mutt, "Ben": Mutt, "Cleo": SNail, "Dora": Swaks}
HANDED_OVER = ("Ann", "Cleo")
"""Whose mails to us go to our listener; the others' go to our mailbox."""

SETTINGS = {"DEWAN_TICK": "0.5", "DEWAN_UNDO_HOLD": "0", "DEWAN_MAILS_PER_HOUR": "10000"}
LAST_MAILS = (
    "SELECT id, created_at, kind, seat, decision, state, reason, sent_at"
    " FROM notifications_outboxmail ORDER BY id DESC LIMIT 20",
    "SELECT id, received_at, seat, decision, outcome"
    " FROM notifications_inboundmail ORDER BY id DESC LIMIT 20",
)
OUTCOMES = "SELECT outcome, count(*) FROM notifications_inboundmail GROUP BY outcome"


class Table:
    """The servers, the service, and four people at a table."""

    def __init__(self, running: ExitStack) -> None:
        port = free_port()
        self.mailboxes = running.enter_context(Dovecot())
        handed_over = [address_of(name) for name in HANDED_OVER]
        self.server = running.enter_context(Exim(self.mailboxes.lmtp_port, port, handed_over))
        ways = {
            "EMAIL_URL": self.server.url,
            "DEWAN_MAIL_IN": f"lmtp://127.0.0.1:{port}",
            "DEWAN_IMAP_URL": self.mailboxes.url("dewan"),
        }
        listener = ["manage", "dewan_mail_in"]
        self.service = running.enter_context(Production(listener, **SETTINGS, **ways))
        self.players = [self._player(name, program) for name, program in PROGRAMS.items()]

    def _player(self, name: str, program: type[Program]) -> Player:
        home = folder_for(self.mailboxes, f"home-{name}")
        using = program(address_of(name), home, self.mailboxes, self.server)
        return Player(name, using, self.mailboxes)

    def play(self) -> dict[str, Any]:
        """Set the table, let them play by mail, and return the game as it was exported."""
        clients = [self.service.player(player.name)[1] for player in self.players]
        game = self._set(clients)
        with ThreadPoolExecutor(len(self.players)) as pool:
            playing = [pool.submit(player.play) for player in self.players]
            for failed in as_completed(playing):
                failed.result()  # the first failure is the cause; the others only wait for mails
        self.service.manage("dewan_verify", game)
        self.service.manage("refold", game)
        export: dict[str, Any] = clients[0].get(f"/games/{game}/export").raise_for_status().json()
        return export

    def _set(self, clients: list[httpx.Client]) -> str:
        first, *others = clients
        body = {"players": len(clients), "seats": ["me", *["open"] * len(others)]}
        game: str = first.post("/games", json=body).raise_for_status().json()["id"]
        for client in others:
            client.post(f"/games/{game}/seats", json={}).raise_for_status()
        return game

    def outcomes(self) -> Counter[str]:
        """Return how many of the players' mails have come to what end."""
        with psycopg.connect(self.service.postgresql.url) as database:
            return Counter(dict(database.execute(OUTCOMES).fetchall()))

    def not_fetched(self) -> int:
        """Return how many mails lie in our mailbox that have not been taken in."""
        with self.mailboxes.mailbox("dewan") as mailbox:
            return len(mailbox.uids("UNSEEN"))

    def logs(self) -> Iterator[str]:
        """Yield what the servers and the service have said last, and what the last mails were."""
        service = Path(self.service.environment["DEWAN_DATA"]) / "processes.log"
        for log in (self.mailboxes.folder / "log", self.server.folder / "log", service):
            yield f"---- {log}\n{log.read_text(errors='replace')[-3000:]}\n"
        with psycopg.connect(self.service.postgresql.url) as database:
            for rows in (database.execute(query).fetchall() for query in LAST_MAILS):
                yield "".join(f"{row}\n" for row in ["----", *rows])
        for player in self.players:
            kinds = [f"{mail['X-Dewan-Kind']} {mail['X-Dewan-Decision']}" for mail in player.mails]
            yield f"---- {player.name}: {kinds[-5:]}, {player.doing}\n"


def address_of(name: str) -> str:
    """Return somebody's address."""
    return f"{name.lower()}@{PLAYERS}"


def report(table: Table, export: dict[str, Any]) -> dict[str, Any]:
    """Return what there was, and what was wrong with it."""
    outcomes, players = table.outcomes(), table.players
    sent = {player.name: sum(player.sent.values()) for player in players}
    failures = list(problems(players, export, table.mailboxes))
    if outcomes != Counter(done=sum(sent.values())):
        failures.append(f"mails were sent: {sent}, what became of them: {dict(outcomes)}")
    if left := table.not_fetched():
        failures.append(f"{left} mails lie in the mailbox")
    mails = [mail for player in players for mail in player.mails]
    by_lmtp = sum(sent[name] for name in HANDED_OVER)
    return {
        "moves": len(export["moves"]),
        "scores": [score["total"] for score in export["result"]["scores"]],
        "sent": {f"{p.name}, {p.program.name}": dict(p.sent) for p in players},
        "by_lmtp": by_lmtp,
        "by_imap": sum(sent.values()) - by_lmtp,
        "said": sum(len(player.said) for player in players),
        "noted": sum(len(player.noted) for player in players),
        "got": dict(Counter(str(mail["X-Dewan-Kind"]) for mail in mails)),
        "largest_mail": max(len(mail.as_bytes()) for mail in mails),
        "failures": failures,
    }


def main() -> int:
    """Play and print one JSON object; return 1 if anything is not as it should be."""
    if packages := missing():
        sys.stderr.write(f"mail-game needs more: apt-get install {' '.join(packages)}\n")
        return 2
    start = time.monotonic()
    with ExitStack() as running:
        table = Table(running)
        try:
            summary = report(table, table.play())
        except Exception as error:  # noqa: BLE001 - what went wrong is what we report
            summary = {"failures": [f"{type(error).__name__}: {error}"]}
            sys.stderr.writelines(table.logs())
    seconds = round(time.monotonic() - start, 1)
    sys.stdout.write(json.dumps({**summary, "seconds": seconds}) + "\n")
    return int(bool(summary["failures"]))


if __name__ == "__main__":
    sys.exit(main())
