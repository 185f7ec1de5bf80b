"""A player who has nothing but mails: what they read is what they play from."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage

from tests.mail_game.post_office import Dovecot
from tests.mail_game.programs import Program

PATIENCE = 60.0
"""Seconds a player waits for a mail before the game has failed."""

CHOICE = re.compile(r"^(\d+)\. (\S.*)$", re.MULTILINE)
WELL_TAKEN = ("Your move is played", "Your answer is sealed", "We have got your mail")
"""How an answer mail begins that says that all was done."""


class Player:
    """Reads mails as they come, and answers those that ask, with a mail program."""

    def __init__(self, name: str, program: Program, mailboxes: Dovecot) -> None:
        self.name = name
        self.program = program
        self.mails: list[EmailMessage] = []
        self.answered: set[str] = set()
        self.sent: Counter[str] = Counter()
        self.said: list[str] = []
        self.noted: list[str] = []
        self.last = ""
        self.doing = ""
        self._asked_more: set[str] = set()
        self._mailboxes = mailboxes
        self._random = random.Random(name)

    def play(self) -> None:
        """Answer each decision when a mail asks it, until the mail that says it is over."""
        for mail in self._incoming():
            self.mails.append(mail)
            if mail["X-Dewan-Kind"] == "game_over":
                return
            if mail["X-Dewan-Kind"] == "answer":
                self._look_at_answer(mail)
            if choices_of(mail) and mail["X-Dewan-Decision"] not in self.answered:
                self._answer(mail)

    def _incoming(self) -> Iterator[EmailMessage]:
        """Yield mails as they come into the mailbox."""
        with self._mailboxes.mailbox(self.program.user) as mailbox:
            limit = time.monotonic() + PATIENCE
            while time.monotonic() < limit:
                for came in [mail.obj.as_bytes() for mail in mailbox.fetch("UNSEEN")]:
                    mail = message_from_bytes(came, policy=policy.default)
                    assert isinstance(mail, EmailMessage)
                    yield mail
                    limit = time.monotonic() + PATIENCE
                # Of a mail that comes just now we may have been told already: so not for long.
                mailbox.idle.wait(timeout=1)
        raise TimeoutError(f"{self.name} got no mail for {PATIENCE:.0f} s")

    def _look_at_answer(self, mail: EmailMessage) -> None:
        text = text_of(mail)
        if not text.startswith(WELL_TAKEN):
            raise AssertionError(f"{self.name} was told: {text[:600]}")

    def _answer(self, mail: EmailMessage) -> None:
        decision = mail["X-Dewan-Decision"]
        if decision not in self._asked_more and self._now_and_then(0.05):
            self._asked_more.add(decision)
            self._send(mail, self._random.choice(["board", "legal", "help"]))
            return
        self.answered.add(decision)
        self.last = decision
        self._send(mail, "\n".join([self._move(choices_of(mail)), *self._more(decision)]))

    def _move(self, choices: dict[str, str]) -> str:
        """Choose a move: its number, or now and then its words; rather a camp than cards."""
        camps = {number: line for number, line in choices.items() if line.startswith("camp")}
        wanted = camps if camps and self._now_and_then(0.8) else choices
        number, line = self._random.choice(list(wanted.items()))
        return line if self._now_and_then(0.25) else number

    def _more(self, decision: str) -> Iterator[str]:
        if self._now_and_then(0.1):
            self.said.append(f"{self.name} is glad of {decision}!")
            yield f"say {self.said[-1]}"
        if self._now_and_then(0.1):
            self.noted.append(f"think again of {decision}")
            yield f"note {self.noted[-1]}"

    def _send(self, mail: EmailMessage, text: str) -> None:
        self.sent[text.split(maxsplit=1)[0] if text[0].isalpha() else "number"] += 1
        self.doing = f"sends {text!r} to {mail['X-Dewan-Decision']}"
        self.program.answer(mail, text)
        self.doing = f"has sent {text!r} to {mail['X-Dewan-Decision']}"

    def _now_and_then(self, chance: float) -> bool:
        return self._random.random() < chance


def choices_of(mail: EmailMessage) -> dict[str, str]:
    """Return the numbered moves of a mail."""
    return dict(CHOICE.findall(text_of(mail)))


def text_of(mail: EmailMessage) -> str:
    """Return what a mail says to whoever sees no HTML."""
    body = mail.get_body(("plain",))
    assert body is not None, "every mail of ours has a text"
    return str(body.get_content()).replace("\r\n", "\n")
