"""What each kind of mail says (docs/mail.md).

What a mail about a game says comes from the seat's own view, at the moment it is sent.
"""

from __future__ import annotations

from collections.abc import Callable

from dewan_site.accounts.models import Player
from notifications import notices
from notifications.letters import accounts, answers, asking, table
from notifications.letters.letter import Letter
from notifications.letters.reading import Reading
from notifications.models import OutboxMail

GAME_LETTERS: dict[str, Callable[[Reading], Letter]] = {
    notices.STARTED: table.started,
    notices.TURN: asking.turn,
    notices.REMINDER: asking.reminder,
    notices.TIMED_OUT: table.timed_out,
    notices.TAKEN_BACK: table.taken_back,
    notices.GAME_OVER: table.game_over,
    notices.CANCELLED: table.cancelled,
    notices.PROPOSAL: table.proposal,
    notices.REFUSED: table.refused,
    notices.ANSWER: answers.answer,
    **dict.fromkeys(table.HEADLINES, table.of_the_table),
}
"""The letters about a game, by kind of mail."""

ACCOUNT_LETTERS: dict[str, Callable[[OutboxMail, Player], tuple[str, Letter]]] = {
    notices.SIGN_IN: accounts.sign_in,
    notices.ADDRESS_CHANGE: accounts.address_change,
    notices.ADDRESS_CHANGED: accounts.address_changed,
    notices.ANSWER: answers.without_token,
}
"""Subject and letter of the mails about an account, by kind of mail."""
