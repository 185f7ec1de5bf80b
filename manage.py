#!/usr/bin/env python
"""Run a command of the site: ``manage.py help`` lists them, docs/operating.md explains them."""

import os
import signal
import sys

BAD_SETTING = 2
BAD_DATA_FOLDER = 4


def main() -> None:
    """Run the command line; a bad setting or data folder is one line, not a traceback."""
    if sys.argv[1:2] == ["dewan_run"] or sys.argv[1:] == ["dewan_mail_in"]:
        # Told to stop while it starts, the service has done what it was told: before any import.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: os._exit(0))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415

    from dewan_site.env import DataFolderError, SettingError  # noqa: PLC0415

    try:
        execute_from_command_line(sys.argv)
    except SettingError as error:
        sys.stderr.write(f"dewan: {error}\n")
        sys.exit(BAD_SETTING)
    except DataFolderError as error:
        sys.stderr.write(f"dewan: {error}\n")
        sys.exit(BAD_DATA_FOLDER)


if __name__ == "__main__":
    main()
