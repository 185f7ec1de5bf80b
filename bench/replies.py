"""A reply by mail: from its raw bytes to the stored move and the answer's row, without the network.

``python -m bench.replies`` is a process of its own: it prints a JSON list of seconds.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

from bench.figures import Figure, seconds

GAMES = 100
REPLIES_A_GAME = 4


def figure(name: str, url: str, data: str) -> Figure:
    """Milliseconds from a reply that quotes our whole mail to the move in the log."""
    printed = subprocess.run(
        [sys.executable, "-m", "bench.replies"],
        env=os.environ | {"DATABASE_URL": url, "DEWAN_DATA": data},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    spent = [each * 1000 for each in json.loads(printed)]
    return Figure(f"reply by mail to stored move, {name}", "ms", spent, 10, 5, low_is_good=True)


def main() -> None:
    """Answer mails of many games, and print what each reply took."""
    import django  # noqa: PLC0415

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")
    django.setup()
    from django.core.management import call_command  # noqa: PLC0415

    call_command("migrate", verbosity=0)
    games = [_game(number) for number in range(GAMES)]
    spent = [_replied(game) for _ in range(REPLIES_A_GAME) for game in games]
    print(json.dumps(spent[GAMES:]))  # the first round warms up


def _game(number: int) -> str:
    from dewan_site.accounts.models import Player  # noqa: PLC0415
    from games import services  # noqa: PLC0415

    people = [Player.objects.with_email(f"reply{seat}.{number}@example.org") for seat in range(2)]
    game = services.create_game(people[0], services.NewGame(players=2, seats=("me", "open")))
    services.join_game(people[1], game.pk)
    return game.pk


def _replied(game: str) -> float:
    """Reply with number 1 to the newest turn mail of a game; return the seconds it took."""
    from email import message_from_bytes, policy  # noqa: PLC0415

    from games.models import Move  # noqa: PLC0415
    from notifications import notices  # noqa: PLC0415
    from notifications.inbound import service  # noqa: PLC0415
    from notifications.inbound.outcomes import Outcome  # noqa: PLC0415
    from notifications.models import OutboxMail  # noqa: PLC0415
    from notifications.render import message_for  # noqa: PLC0415
    from tests.replies import reply  # noqa: PLC0415

    asking = OutboxMail.objects.filter(game=game, kind__in=[notices.TURN, notices.ANSWER])
    row = asking.filter(decision__in=_open_decisions(game)).latest("pk")
    ours = message_from_bytes(message_for(row).message().as_bytes(), policy=policy.default)
    raw = reply(ours, "1").as_bytes()
    before = Move.objects.filter(game=game).count()
    outcomes: list[Outcome] = []
    spent = seconds(lambda: outcomes.append(service.receive(raw, recipients=[ours["Reply-To"]])))
    assert outcomes == [Outcome.DONE], outcomes
    assert Move.objects.filter(game=game).count() > before, "the move is in the log"
    return spent


def _open_decisions(game: str) -> list[str]:
    from games.models import Decision  # noqa: PLC0415

    found = Decision.objects.filter(game=game, answered_at=None)
    return list(found.values_list("decision", flat=True))


if __name__ == "__main__":
    main()
