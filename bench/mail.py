"""Draining the outbox: turn mails with their pictures, beside a bare loop over one connection.

The bare loop renders and sends the same mails to the same server, one after the other, and neither
claims a row nor records anything. ``python -m bench.mail`` is a process of its own, and its mail
server is another: it prints one JSON object of lists.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.figures import Figure, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.models import Game

GAMES = 30
TURNS = 5
"""In how many games somebody is asked, and how many turns they have had before."""

RUNS = 9
RENDERED_BEFORE = 3


def figures(url: str, data: str) -> list[Figure]:
    """The speed of draining as a share of the bare loop's, in alternating rounds of one run."""
    with _server() as port:
        printed = subprocess.run(
            [sys.executable, "-m", "bench.mail"],
            env=os.environ
            | {"DATABASE_URL": url, "DEWAN_DATA": data, "EMAIL_URL": f"smtp://127.0.0.1:{port}"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    found = json.loads(printed)
    facts = {
        "mails": GAMES,
        "mails_a_second": round(GAMES / min(found["drained"])),
        "bytes_a_mail": found["bytes"],
        "with_picture": found["pictures"],
    }
    shares = [bare / drained for bare, drained in zip(found["bare"], found["drained"], strict=True)]
    sending = [ready / median(found["drained"]) for ready in found["rendered_before"]]
    return [
        Figure("outbox drained, of a bare loop", "", shares, 0.8, 0.95, facts=facts),
        Figure("outbox drained, of a loop over mails rendered before", "", sending),
    ]


# ---- The server --------------------------------------------------------------------------------


@contextmanager
def _server() -> Iterator[int]:
    """Run a mail server that takes everything, and return its port."""
    command = [sys.executable, "-c", "from bench import mail; mail.serve()"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None, "it is a pipe"
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def serve() -> None:
    """Take mails and forget them, on a free port that is printed."""
    from aiosmtpd.controller import Controller  # noqa: PLC0415

    from tests.servers import free_port  # noqa: PLC0415

    port = free_port()
    Controller(_Forgetful(), hostname="127.0.0.1", port=port).start()
    print(port, flush=True)
    threading.Event().wait()


class _Forgetful:
    async def handle_DATA(self, *_: Any) -> str:  # noqa: N802 - called by aiosmtpd
        return "250 OK"


# ---- The loops ---------------------------------------------------------------------------------


def main() -> None:
    """Make the games, send their mails again and again, and print what it took."""
    import django  # noqa: PLC0415

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    for number in range(GAMES):
        _game(number)
    _forget_other_mails()
    found: dict[str, Any] = {"bare": [], "drained": [], "rendered_before": []}
    _bare()  # to warm up
    _drain()
    for _ in range(RUNS):
        # In the order there and back again: a machine that gets slower is so for both.
        bare, drained = seconds(_bare), _drain() + _drain()
        found["bare"].append((bare + seconds(_bare)) / 2)
        found["drained"].append(drained / 2)
    found["rendered_before"] = [_sending(_messages()) for _ in range(RENDERED_BEFORE)]
    sent = [message.message().as_bytes() for message in _messages()]
    found["bytes"] = round(sum(map(len, sent)) / len(sent))
    found["pictures"] = sum(b"image/png" in mail for mail in sent)
    print(json.dumps(found))


def _game(number: int) -> Game:
    """Start a game against bots, and play it until somebody has had a few turns."""
    from dewan_site.accounts.models import Player  # noqa: PLC0415
    from engine import bots  # noqa: PLC0415
    from engine.views import mask  # noqa: PLC0415
    from games import services, store  # noqa: PLC0415

    player = Player.objects.with_email(f"drain.{number}@example.org")
    seats = ("me", "bot", "bot")
    game = services.create_game(player, services.NewGame(players=3, seats=seats))
    for _ in range(TURNS + 1):
        while services.play_bot(game.pk):
            pass
        game.refresh_from_db()
        state = store.state_of(game)
        assert state is not None, "it has begun"
        question = state.questions[0]
        submitted = services.Submitted(
            decision=state.decision_of(question),
            expected_version=state.version,
            commands=(bots.choose(mask(state, question.seat), question.seat),),
        )
        services.submit_move(player, game.pk, submitted)
    while services.play_bot(game.pk):
        pass
    return game


def _forget_other_mails() -> None:
    """Keep the mails about what is asked now."""
    from games.models import Decision  # noqa: PLC0415
    from notifications import notices  # noqa: PLC0415
    from notifications.models import OutboxMail  # noqa: PLC0415

    asked = Decision.objects.filter(answered_at=None).values("decision", "game")
    now = {(row["game"], row["decision"]) for row in asked}
    for mail in OutboxMail.objects.all():
        if mail.kind != notices.TURN or (mail.game_id, mail.decision) not in now:
            mail.delete()
    assert OutboxMail.objects.count() == GAMES


def _rows() -> list[Any]:
    from notifications.models import OutboxMail  # noqa: PLC0415

    return list(OutboxMail.objects.select_related("game", "player").order_by("pk"))


def _messages() -> list[Any]:
    from notifications.render import message_for  # noqa: PLC0415

    return [message_for(row) for row in _rows()]


def _bare() -> None:
    """Render and send every mail, one after the other."""
    from django.core.mail import get_connection  # noqa: PLC0415

    from notifications import picture  # noqa: PLC0415
    from notifications.render import message_for  # noqa: PLC0415

    picture._picture.cache_clear()  # each mail has a map of its own
    connection = get_connection()
    connection.open()
    for row in _rows():
        connection.send_messages([message_for(row)])
    connection.close()


def _sending(messages: list[Any]) -> float:
    """Return the seconds to send messages that are rendered."""
    from django.core.mail import get_connection  # noqa: PLC0415

    connection = get_connection()

    def send() -> None:
        connection.open()
        for message in messages:
            connection.send_messages([message])
        connection.close()

    return seconds(send)


def _drain() -> float:
    """Return the seconds in which the outbox sends every mail."""
    from django.utils import timezone  # noqa: PLC0415

    from notifications import outbox, picture  # noqa: PLC0415
    from notifications.models import OutboxMail  # noqa: PLC0415

    picture._picture.cache_clear()
    rows = OutboxMail.objects.all()
    rows.update(state="queued", due_at=timezone.now(), sent_at=None, reason="")
    spent = seconds(outbox.deliver)
    assert set(rows.values_list("state", flat=True)) == {"sent"}, "all of them"
    return spent


if __name__ == "__main__":
    main()
