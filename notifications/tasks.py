"""Celery tasks: thin, idempotent, safe to run twice or never. What is due is in the database."""

from __future__ import annotations

from dewan_site.celery import app
from games import services
from notifications import clock, outbox


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
