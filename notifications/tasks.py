"""Celery tasks: thin, idempotent, safe to run twice or never. What is due is in the database."""

from __future__ import annotations

import logging

from dewan_site.celery import app
from games import services
from notifications import clock, outbox
from notifications.ways_in import imap

log = logging.getLogger("dewan.mail")


@app.task
def play_bots(game_id: str) -> None:
    """Let the bot seats of a game answer until a human seat is asked."""
    while services.play_bot(game_id):
        pass


@app.task
def sweep_clock() -> None:
    """Record an outage if there was one; then time-outs, reminders, lost bots, ends of pauses."""
    clock.sweep()


@app.task
def deliver_mail() -> None:
    """Send the mails that are due."""
    outbox.deliver()


@app.task
def fetch_mail() -> None:
    """Take in the mails that have come into the mailbox."""
    try:
        imap.fetch()
    except imap.MailboxTrouble as error:
        log.warning("the mailbox cannot be asked; the next tick tries again: %s", error)
