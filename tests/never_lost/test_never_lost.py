"""A short ordeal: workers that are killed in mid-send. The long one is ``make never-lost``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from notifications import outbox
from tests.never_lost.servers import Workers


@pytest.mark.slow
@pytest.mark.usefixtures("committed")
def test_no_mail_is_lost_whenever_a_worker_dies(
    settings: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from tests.never_lost.ordeal import Ordeal  # noqa: PLC0415 - not before the settings

    name = settings.DATABASES["default"]["NAME"]
    workers = Workers(tmp_path / "workers.log")
    with workers.post as post:
        monkeypatch.setenv("DATABASE_URL", f"{settings.DATABASE_URL.rpartition('/')[0]}/{name}")
        monkeypatch.setenv("EMAIL_URL", post.url)
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", post.port
        workers.empty_the_broker()
        ordeal = Ordeal(workers, games=4, seed=1)
        ordeal.kill_workers(2)
        outbox.deliver()
        ordeal.look_at_everything()

    assert ordeal.failures == []
    assert ordeal.count["kills"] == 2
