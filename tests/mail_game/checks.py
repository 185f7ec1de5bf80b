"""What must be true after the game, as far as the players' mailboxes tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from tests.mail_game.player import Player, text_of
from tests.mail_game.post_office import Dovecot

ANSWERS = {
    "board": "\nTHE MAP\n",
    "legal": "\nALL YOU CAN PLAY\n",
    "help": "\nWHAT YOU CAN WRITE\n",
}
"""What stands in the answer to each question."""

LARGEST = 100_000
"""What a mail can have, in bytes, its picture included."""


def problems(players: list[Player], export: dict[str, Any], mailboxes: Dovecot) -> Iterator[str]:
    """Yield what is wrong with the mails that the players have got."""
    told = {decision for player in players for decision in player.answered}
    asked = {move["decision"] for move in export["moves"] if move["decision"]}
    if told != asked:
        yield f"decisions without their mail: {asked - told}, answered in vain: {told - asked}"
    for player in players:
        for problem in _of_one(player, players, export, mailboxes):
            yield f"{player.name}: {problem}"


def _of_one(
    player: Player, players: list[Player], export: dict[str, Any], mailboxes: Dovecot
) -> Iterator[str]:
    texts = [text_of(mail) for mail in player.mails]
    answers = [text_of(mail) for mail in player.mails if mail["X-Dewan-Kind"] == "answer"]
    others = [text_of(mail) for other in players if other is not player for mail in other.mails]
    for score in export["result"]["scores"]:
        if not re.search(rf"\b{score['total']} points?\b", texts[-1], re.IGNORECASE):
            yield f"the last mail does not tell of {score['total']} points"
    for asked in player.sent.keys() & ANSWERS.keys():
        if not _in_any(ANSWERS[asked], answers):
            yield f"{asked} was not answered"
    yield from (f"nobody reads: {line}" for line in player.said if not _in_any(line, others))
    # Mails that ask show what was noted; after the last one there is none.
    noted = [line for line in player.noted if not line.endswith(f" {player.last}")]
    yield from (f"not kept: {line}" for line in noted if not _in_any(line, texts))
    if (largest := max(len(mail.as_bytes()) for mail in player.mails)) > LARGEST:
        yield f"a mail has {largest} bytes"
    ids = [str(mail["Message-ID"]) for mail in player.mails]
    if len(set(ids)) != len(ids):
        yield "a mail has come twice"
    if (found := threads([related(mail) for mail in player.mails])) != 1:
        yield f"{found} threads by References"
    if (found := _threads_of_server(player, mailboxes)) != 1:
        yield f"{found} threads for Dovecot"
    subjects = {str(mail["Subject"]) for mail in player.mails}
    if len(subjects) != 1:
        yield f"several subjects: {subjects}"


def _in_any(line: str, texts: Iterable[str]) -> bool:
    return any(" ".join(line.split()) in " ".join(text.split()) for text in texts)


def related(mail: Any) -> set[str]:
    """Return the Message-IDs that a mail puts into one thread with its own."""
    named = [str(mail.get(name, "")) for name in ("Message-ID", "In-Reply-To", "References")]
    return set(re.findall(r"<[^<>\s]+>", " ".join(named)))


def threads(mails: Iterable[set[str]]) -> int:
    """Return how many threads mails are, each given by the Message-IDs that it relates."""
    found: list[set[str]] = []
    for ids in mails:
        joined = [thread for thread in found if thread & ids]
        found = [thread for thread in found if not thread & ids]
        found.append(ids.union(*joined))
    return len(found)


def _threads_of_server(player: Player, mailboxes: Dovecot) -> int:
    """Return how many threads the mailbox has for the mail server, by References alone."""
    with mailboxes.mailbox(player.program.user) as mailbox:
        _, (answer,) = mailbox.client.uid("THREAD", "REFS", "UTF-8", "ALL")
    depth = roots = 0
    for character in answer.decode():
        depth += {"(": 1, ")": -1}.get(character, 0)
        roots += character == "(" and depth == 1
    return roots
