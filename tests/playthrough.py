"""``make playthrough``: whole games over REST and mail, on production's processes.

Every scenario is played with every number of players, all games at once. Each seat waits for
the mail that says it is asked, and chooses among ``legal``. At the end every decision must have
had its mail, and every export must verify: hash chain, shuffles, fold and score.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from email.message import EmailMessage
from typing import Any

import httpx

from engine.scenarios import SCENARIOS
from engine.verify import verify
from tests.production import Production

PATIENCE = 60.0
"""Seconds a seat waits for a mail before the playthrough has failed."""


class Seat:
    """A player at one table, who acts only on mails."""

    def __init__(self, production: Production, name: str) -> None:
        self.name = name
        self.email, self.client = production.player(name)
        self.mails = production.sink
        self.answered: set[str] = set()
        self._read = 0
        self._random = random.Random(name)

    def play(self, game: str) -> None:
        """Answer each decision when its mail comes, until the mail that says it is over."""
        while mail := self._next_mail():
            legal = self.client.get(f"/games/{game}/legal").json()
            decision = mail["X-Dewan-Decision"]
            if legal["decision"] != decision:
                raise AssertionError(f"{self.name} was told of {decision}: {legal['decision']}")
            entry = self._choice(legal["entries"])
            body = {
                "decision": decision,
                "expected_version": legal["version"],
                "commands": [entry["command"]],
            }
            response = self._post(f"/games/{game}/moves", body, decision)
            if response.status_code != httpx.codes.CREATED:
                raise AssertionError(response.text)
            self.answered.add(decision)

    def _post(self, path: str, body: dict[str, Any], key: str) -> httpx.Response:
        """POST, and once more with the same key if the connection broke: that plays once."""
        headers = {"Idempotency-Key": key}
        try:
            return self.client.post(path, json=body, headers=headers)
        except httpx.TransportError:
            return self.client.post(path, json=body, headers=headers)

    def _choice(self, entries: list[dict[str, Any]]) -> dict[str, Any]:
        camps = [entry for entry in entries if entry["command"]["type"] == "camp"]
        return self._random.choice(camps if camps and self._random.random() < 0.8 else entries)

    def _next_mail(self) -> EmailMessage | None:
        """Wait for the next mail that asks something; None when one says the game is over."""
        while True:
            with self.mails.arrived:
                come = self.mails.arrived.wait_for(self._has_unread, PATIENCE)
            if not come:
                raise TimeoutError(f"{self.name} got no mail for {PATIENCE:.0f} s")
            mail = self.mails.to(self.email)[self._read]
            self._read += 1
            if mail["X-Dewan-Kind"] == "game_over":
                return None
            if mail["X-Dewan-Kind"] == "turn":
                return mail

    def _has_unread(self) -> bool:
        return len(self.mails.to(self.email)) > self._read


def play_game(production: Production, scenario: str, players: int) -> dict[str, Any]:
    """Play one game to its end and check it; return what happened."""
    seats = [Seat(production, f"{scenario}{players}{letter}") for letter in "abcd"[:players]]
    first, *others = seats
    body = {"players": players, "scenario": scenario, "seats": ["me", *["open"] * len(others)]}
    game = first.client.post("/games", json=body).raise_for_status().json()["id"]
    for seat in others:
        seat.client.post(f"/games/{game}/seats", json={}).raise_for_status()
    with ThreadPoolExecutor(players) as pool:
        playing = [pool.submit(seat.play, game) for seat in seats]
        for failed in as_completed(playing):
            failed.result()  # the first failure is the cause; the others only wait for mails
    export = first.client.get(f"/games/{game}/export").raise_for_status().json()
    return _checked(export, seats)


def _checked(export: dict[str, Any], seats: list[Seat]) -> dict[str, Any]:
    report = verify(export)
    if report.problems or report.notes:
        raise AssertionError(report)
    told = {decision for seat in seats for decision in seat.answered}
    asked = {move["decision"] for move in export["moves"] if move["decision"]}
    if told != asked:
        raise AssertionError(f"decisions without their mail: {asked - told}")
    return {
        "scenario": export["scenario"],
        "players": len(seats),
        "moves": report.moves,
        "decisions": len(asked),
        "head": report.head,
        "reason": export["result"]["reason"],
        "winners": export["result"]["winners"],
        "scores": [score["total"] for score in export["result"]["scores"]],
    }


def main() -> int:
    """Play the games and print one JSON object; return 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", choices=["all", *SCENARIOS], default="all")
    parser.add_argument("--smallest", action="store_true", help="the smallest table of each alone")
    wanted = parser.parse_args()
    keys = list(SCENARIOS) if wanted.scenario == "all" else [wanted.scenario]
    sizes = {key: SCENARIOS[key].players[: 1 if wanted.smallest else None] for key in keys}
    tables = [(key, players) for key in keys for players in sizes[key]]
    start = time.monotonic()
    with Production() as production, ThreadPoolExecutor(len(tables)) as pool:
        running = [pool.submit(play_game, production, *table) for table in tables]
        games, failures = [], []
        for game in running:
            try:
                games.append(game.result())
            except Exception as error:  # noqa: BLE001 - what went wrong is what we report
                failures.append(f"{type(error).__name__}: {error}")
        mails = len(production.sink.mails)
    for played in games:
        sys.stdout.write(f"{played}\n")
    seconds = round(time.monotonic() - start, 1)
    summary = {"games": games, "mails": mails, "seconds": seconds, "failures": failures}
    sys.stdout.write(json.dumps(summary) + "\n")
    return int(bool(failures))


if __name__ == "__main__":
    sys.exit(main())
