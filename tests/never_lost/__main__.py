"""Mails are never lost: ``python -m tests.never_lost --kills 100``.

Real servers and workers; the mail server is away for an hour, workers are killed in mid-send,
tasks are lost, the database is restarted. Afterwards every open question was told, every row has
ended with a reason, and a mail has come twice only if its worker died between the mail server's
acceptance and our commit. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from tests.never_lost.servers import Servers


def main(arguments: Sequence[str]) -> int:
    """Go through all of it, print what came of it; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(prog="python -m tests.never_lost", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    began = time.monotonic()
    with Servers() as servers:
        figures = _live_through(servers, options)
    figures["seconds"] = round(time.monotonic() - began, 1)
    sys.stdout.write(json.dumps(figures) + "\n")
    return 1 if figures["failures"] else 0


def _live_through(servers: Servers, options: argparse.Namespace) -> dict[str, Any]:
    from tests.never_lost import worker  # noqa: PLC0415 - not before the settings

    worker.prepare()
    from tests.never_lost.ordeal import Ordeal, result  # noqa: PLC0415

    ordeal = Ordeal(servers, options.games, options.seed)
    try:
        ordeal.hour_without_mail_server()
        ordeal.kill_workers(options.kills // 2)
        ordeal.restart_the_database()
        ordeal.kill_workers(options.kills - options.kills // 2)
        with servers.workers(2):
            ordeal.let_everything_go_out()
        ordeal.look_at_everything()
    except AssertionError as error:
        ordeal.failures.append(str(error))
    return result(ordeal)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
