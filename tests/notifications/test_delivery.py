"""Addresses that cannot be reached, mail servers that are away, workers that die."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any

import pytest
import time_machine
from aiosmtpd.smtp import SMTP, Envelope, Session
from django.test import Client
from django.utils import timezone

from dewan_site.accounts.models import Player
from games.models import Decision
from notifications import health, notices, outbox, preferences
from notifications.models import AddressTrouble, OutboxMail
from tests.notifications.test_mail import kinds
from tests.people import Person, asked_person, start_game
from tests.smtp import Sink
from tests.threads import at_once

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Moody(Sink):
    """A mail server that says what it is told to: ``says`` gives its reply by verb and argument."""

    def __init__(self) -> None:
        super().__init__()
        self.says: Callable[[str, str], str] = lambda _, __: ""
        self.sessions: set[int] = set()
        self.tried: list[str] = []

    async def handle_MAIL(  # noqa: N802 - called by aiosmtpd
        self, _: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.sessions.add(id(session))
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return self.says("MAIL", address) or "250 OK"

    async def handle_RCPT(  # noqa: N802
        self, _: SMTP, __: Session, envelope: Envelope, address: str, ___: list[str]
    ) -> str:
        self.tried.append(address)
        envelope.rcpt_tos.append(address)
        return self.says("RCPT", address) or "250 OK"

    async def handle_DATA(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        reply = self.says("DATA", envelope.rcpt_tos[0])
        return reply or await super().handle_DATA(server, session, envelope)


@contextmanager
def sending_to(server: Sink, settings: Any) -> Iterator[None]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    with server:
        yield


@pytest.fixture
def server(settings: Any) -> Iterator[Moody]:
    """The mail server that our mails go to."""
    moody = Moody()
    with sending_to(moody, settings):
        yield moody


@pytest.fixture
def travel(db: None) -> Iterator[time_machine.Traveller]:
    """A clock that stands at noon and moves when it is told to."""
    with time_machine.travel(NOON, tick=False) as traveller:
        yield traveller


def refusing(*people: Person, reply: str = "550 5.1.1 no such user") -> Callable[[str, str], str]:
    addresses = {person.player.email for person in people}
    return lambda verb, argument: reply if verb == "RCPT" and argument in addresses else ""


def nobody(_: str, __: str) -> str:
    return ""


def mails_of(person: Person) -> list[OutboxMail]:
    return list(preferences.mails_to(person.player).order_by("pk"))


def trouble_of(person: Person) -> AddressTrouble | None:
    return health.trouble_of(Player.objects.get(pk=person.player.pk))


def asked_and_other(game: str, *people: Person) -> tuple[Person, Person]:
    asked = asked_person(game, people)
    return asked, next(person for person in people if person is not asked)


# ---- Addresses ---------------------------------------------------------------------------------


def test_a_refused_address_has_rest_and_the_others_get_their_mails(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    server.says = refusing(ann)
    for _ in range(3):
        start_game(ann, ben)

    outbox.deliver()
    start_game(ann, ben)
    outbox.deliver()

    assert server.tried.count(ann.player.email) == 1
    assert kinds(server.to(ben.player.email)).count("started") == 4
    assert {(mail.state, mail.attempts) for mail in mails_of(ann)} == {("retry", 0)}
    trouble = trouble_of(ann)
    assert trouble is not None
    assert (trouble.refusals, trouble.since, trouble.retry_at) == (1, NOON, NOON + HOUR)
    assert trouble.problem == "SMTPRecipientsRefused: 550 5.1.1 no such user"


def test_the_rests_become_longer_up_to_a_day(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    server.says = refusing(ann)
    start_game(ann, ben, move_time=30 * 86400)
    rests = []
    for _ in range(6):
        outbox.deliver()
        trouble = trouble_of(ann)
        assert trouble is not None
        rests.append(trouble.retry_at - timezone.now())
        travel.move_to(trouble.retry_at + SECOND)

    assert rests == [HOUR, 4 * HOUR, 12 * HOUR, DAY, DAY, DAY]
    assert server.tried.count(ann.player.email) == 6


def test_when_one_mail_gets_through_all_do(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    server.says = refusing(ann)
    for _ in range(3):
        start_game(ann, ben)
    outbox.deliver()
    waiting = {mail.message_id for mail in mails_of(ann)}

    server.says = nobody
    travel.shift(HOUR)
    outbox.deliver()

    assert trouble_of(ann) is None
    assert {mail.state for mail in mails_of(ann)} == {"sent"}
    assert {mail["Message-ID"] for mail in server.to(ann.player.email)} <= waiting


def test_a_mail_that_is_refused_itself_keeps_no_other_back(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    first = start_game(ann, ben)
    start_game(ann, ben)

    class Spam:
        ids = {mail.message_id for mail in mails_of(ann) if mail.game_id == first}

    async def handle_data(_: SMTP, __: Session, envelope: Envelope) -> str:
        content = envelope.content or b""
        assert isinstance(content, bytes)
        if any(message_id.encode() in content for message_id in Spam.ids):
            return "554 5.7.1 this looks like spam"
        server.tried.append("taken")
        return "250 OK"

    server.handle_DATA = handle_data  # type: ignore[method-assign]
    for _ in range(12):
        outbox.deliver()
        travel.shift(6 * HOUR)

    others = [mail for mail in mails_of(ann) if mail.game_id != first]
    assert {mail.state for mail in others} == {"sent"}


def test_what_can_be_answered_is_never_given_up_and_ends_when_it_is_answered(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time=30 * 86400)
    asked, _ = asked_and_other(game, ann, ben)
    server.says = refusing(asked)
    for _ in range(20):
        outbox.deliver()
        travel.shift(DAY + MINUTE)

    turn = OutboxMail.objects.get(game=game, kind=notices.TURN)
    started = preferences.mails_to(asked.player).get(kind=notices.STARTED)
    assert (turn.state, started.state) == ("retry", "failed")
    assert server.tried.count(asked.player.email) >= 16, "at least daily"

    asked.choose(game)
    outbox.deliver()
    travel.shift(2 * DAY)
    outbox.deliver()
    turn.refresh_from_db()
    assert (turn.state, turn.reason) == ("dropped", "the decision has been answered")


def test_what_is_refused_for_now_is_no_trouble_of_the_address(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    server.says = refusing(ann, reply="451 4.7.1 try again later")
    game = start_game(ann, ben)
    outbox.deliver()

    assert trouble_of(ann) is None
    mine = preferences.mails_to(ann.player).get(game=game, kind=notices.STARTED)
    assert (mine.state, mine.attempts, mine.due_at) == ("retry", 1, NOON + MINUTE)


def test_a_turn_is_tried_as_long_as_it_is_open_whatever_goes_wrong(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben, move_time=30 * 86400)
    asked, _ = asked_and_other(game, ann, ben)
    server.says = refusing(asked, reply="451 4.7.1 try again later")
    for _ in range(15):
        outbox.deliver()
        travel.shift(DAY)

    turn = OutboxMail.objects.get(game=game, kind=notices.TURN)
    started = preferences.mails_to(asked.player).get(kind=notices.STARTED)
    assert (turn.state, started.state) == ("retry", "failed")
    server.says = nobody
    outbox.deliver()
    turn.refresh_from_db()
    assert turn.state == "sent"


def test_a_sign_in_link_is_tried_at_once_and_once(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    server.says = refusing(ann)
    start_game(ann, ben)
    outbox.deliver()

    notices.write_to_player(notices.SIGN_IN, ann.player)
    outbox.deliver()

    assert server.tried.count(ann.player.email) == 2
    mail = OutboxMail.objects.get(kind=notices.SIGN_IN)
    assert (mail.state, mail.reason) == ("failed", "SMTPRecipientsRefused: 550 5.1.1 no such user")


def test_a_new_address_that_is_wrong_is_no_trouble_of_anybody(
    server: Moody, travel: time_machine.Traveller, ann: Person
) -> None:
    server.says = lambda verb, address: "550 no" if verb == "RCPT" and "wrong" in address else ""
    notices.write_to_player(notices.ADDRESS_CHANGE, ann.player, address="wrong@example.org")
    outbox.deliver()

    assert not AddressTrouble.objects.exists()
    assert OutboxMail.objects.get().state == "failed"


# ---- Mails that come back ----------------------------------------------------------------------


def came_back(mail: OutboxMail, address: str, *, permanent: bool = True) -> None:
    health.bounced(address, mail.message_id, permanent, "5.2.2")


@pytest.fixture
def told(server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person) -> OutboxMail:
    """A turn that Ann or Ben has been told of."""
    game = start_game(ann, ben, move_time=30 * 86400)
    outbox.deliver()
    return OutboxMail.objects.get(game=game, kind=notices.TURN, state="sent")


def reader_of(mail: OutboxMail, *people: Person) -> Person:
    return next(p for p in people if preferences.mails_to(p.player).filter(pk=mail.pk).exists())


def test_what_came_back_is_told_again_once_mails_stay_away(
    server: Moody, travel: time_machine.Traveller, told: OutboxMail, ann: Person, ben: Person
) -> None:
    reader = reader_of(told, ann, ben)
    came_back(told, reader.player.email.upper())
    trouble = trouble_of(reader)
    assert trouble is not None
    assert (trouble.retry_at, trouble.problem) == (NOON + HOUR, "it came back: 5.2.2")
    start_game(ann, ben)
    server.clear()
    outbox.deliver()
    assert server.to(reader.player.email) == []

    travel.shift(HOUR)
    outbox.deliver()
    assert len(server.to(reader.player.email)) == 1, "one goes first, to see whether it comes back"
    assert trouble_of(reader) is not None

    travel.shift(health.PROBATION)
    outbox.deliver()
    assert {mail.state for mail in mails_of(reader)} == {"sent"}
    assert trouble_of(reader) is None


def test_if_that_comes_back_too_the_others_wait_longer(
    server: Moody, travel: time_machine.Traveller, told: OutboxMail, ann: Person, ben: Person
) -> None:
    reader = reader_of(told, ann, ben)
    came_back(told, reader.player.email)
    travel.shift(HOUR)
    outbox.deliver()
    told.refresh_from_db()
    assert told.state == "sent"

    came_back(told, reader.player.email)

    trouble = trouble_of(reader)
    assert trouble is not None
    assert (trouble.refusals, trouble.retry_at - timezone.now()) == (2, 4 * HOUR)


@pytest.mark.parametrize("lie", ["other address", "unknown mail", "not sent", "for now", "moved"])
def test_a_bounce_is_believed_only_of_what_we_sent_there(
    server: Moody,
    travel: time_machine.Traveller,
    told: OutboxMail,
    ann: Person,
    ben: Person,
    lie: str,
) -> None:
    reader = reader_of(told, ann, ben)
    address, permanent = reader.player.email, True
    match lie:
        case "other address":
            address = (ben if reader is ann else ann).player.email
        case "unknown mail":
            told.message_id = "<turn.0123@dewan.example>"
        case "not sent":
            OutboxMail.objects.filter(pk=told.pk).update(state="queued")
        case "for now":
            permanent = False
        case "moved":
            Player.objects.filter(pk=reader.player.pk).update(email="new@example.org")

    came_back(told, address, permanent=permanent)

    assert not AddressTrouble.objects.exists()


def test_what_its_reader_has_seen_elsewhere_is_not_told_again(
    server: Moody, travel: time_machine.Traveller, told: OutboxMail, ann: Person, ben: Person
) -> None:
    reader = reader_of(told, ann, ben)
    OutboxMail.objects.filter(pk=told.pk).update(seen_at=timezone.now())
    came_back(told, reader.player.email)
    told.refresh_from_db()
    assert told.state == "sent"


def test_a_digest_that_came_back_is_told_again_as_a_whole(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    preferences.change(ann.player, rhythm="batched", digest_at=ann.player.digest_at, quiet=None)
    for _ in range(2):
        start_game(ann, ben)
    travel.shift(15 * MINUTE)
    outbox.deliver()
    (digest,) = server.to(ann.player.email)
    leading = OutboxMail.objects.get(message_id=digest["Message-ID"])

    came_back(leading, ann.player.email)

    assert {(mail.state, mail.told_in) for mail in mails_of(ann)} == {("retry", None)}


# ---- The player --------------------------------------------------------------------------------


@pytest.fixture
def troubled(server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person) -> str:
    """A game whose mails do not reach Ann."""
    server.says = refusing(ann)
    game = start_game(ann, ben)
    outbox.deliver()
    return game


def browser_of(person: Person) -> Client:
    client = Client()
    client.force_login(Player.objects.get(pk=person.player.pk))
    return client


def test_who_cannot_be_reached_sees_it_on_every_page_and_nobody_else_does(
    troubled: str, ann: Person, ben: Person
) -> None:
    for path in ("/", "/me/", f"/games/{troubled}/"):
        mine, others = (browser_of(p).get(path).content.decode() for p in (ann, ben))
        assert "Our mails do not reach you" in mine
        assert "there is no such mailbox" in mine
        assert "no such user" in mine
        assert "do not reach" not in others
    assert "do not reach" not in Client().get("/").content.decode()


def test_who_says_try_again_gets_what_waits_at_once(
    server: Moody, troubled: str, ann: Person
) -> None:
    server.says = nobody
    response = browser_of(ann).post("/me/mails/again/", {"next": "/me/"})
    assert (response.status_code, response.url) == (302, "/me/")  # type: ignore[attr-defined]
    outbox.deliver()

    assert "started" in kinds(server.to(ann.player.email))
    assert "do not reach" not in browser_of(ann).get("/").content.decode()


def test_where_nothing_waits_trying_again_is_to_hope_for_the_best(
    troubled: str, ann: Person
) -> None:
    OutboxMail.objects.update(state="dropped")
    browser_of(ann).post("/me/mails/again/")
    assert trouble_of(ann) is None


def test_at_a_new_address_everything_arrives_at_once(
    server: Moody, troubled: str, ann: Person
) -> None:
    client = browser_of(ann)
    client.post("/me/address/", {"address": "ann@new.example"})
    outbox.deliver()
    (mail,) = server.to("ann@new.example")
    body = mail.get_body(("plain",))
    assert body is not None
    link = next(word for word in body.get_content().split() if "/me/address/" in word)
    assert client.post(link[link.index("/me/") :]).status_code == 200
    outbox.deliver()

    assert "started" in kinds(server.to("ann@new.example"))
    assert trouble_of(ann) is None


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        ("SMTPRecipientsRefused: 550 5.1.1 no such user", "there is no such mailbox"),
        ("SMTPRecipientsRefused: 552 5.2.2 over quota", "the mailbox is full"),
        ("SMTPDataError: 554 5.7.26 not authenticated", "it does not want mail from us"),
        ("it came back: 5.4.4", "it cannot be reached"),
        ("SMTPDataError: 552 too much", "the mailbox is full"),
        ("SMTPDataError: 554 go away 15.1.1", "it takes no mail from us"),
        ("", "it takes no mail from us"),
    ],
)
def test_what_servers_say_is_told_in_plain_words(problem: str, words: str) -> None:
    assert health.in_plain_words(problem) == words


# ---- The server --------------------------------------------------------------------------------


def test_a_server_that_is_away_is_spoken_to_once_a_minute(
    settings: Any, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    with sending_to(Moody(), settings):
        pass  # it is gone
    for _ in range(10):
        start_game(ann, ben)
    opened = _count_connections(settings)

    for _ in range(3):
        outbox.deliver()

    assert len(opened) == 1
    rows = OutboxMail.objects.all()
    assert {mail.attempts for mail in rows} == {0}
    assert all(mail.reason.startswith("ConnectionRefused") for mail in rows.filter(state="retry"))
    assert rows.filter(state="retry", due_at=NOON + MINUTE).count() == outbox.TOGETHER
    assert not AddressTrouble.objects.exists()


def _count_connections(settings: Any) -> list[int]:
    opened: list[int] = []
    _Counting.opened = opened
    settings.EMAIL_BACKEND = f"{__name__}._Counting"
    return opened


from django.core.mail.backends.smtp import EmailBackend  # noqa: E402


class _Counting(EmailBackend):
    opened: list[int] = []

    def open(self) -> bool | None:
        self.opened.append(1)
        return super().open()


@pytest.mark.parametrize("reply", ["530 5.7.0 sign in first", "421 4.3.2 going down"])
def test_a_server_that_does_not_speak_with_us_is_nobodys_trouble(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person, reply: str
) -> None:
    server.says = lambda verb, _: reply if verb == "MAIL" else ""
    start_game(ann, ben)
    outbox.deliver()

    assert not AddressTrouble.objects.exists()
    assert server.tried == []
    assert {mail.state for mail in OutboxMail.objects.all()} == {"retry"}
    assert sum(mail.attempts for mail in OutboxMail.objects.all()) <= 1


def test_a_run_has_one_connection(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    for _ in range(10):
        start_game(ann, ben)
    outbox.deliver()

    assert len(server.mails) == 30
    assert len(server.sessions) == 1


def test_a_server_that_ends_the_conversation_is_spoken_to_again(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    server.says = lambda verb, _: (
        "421 4.7.0 enough" if verb == "MAIL" and len(server.mails) in {4, 9} and rested() else ""
    )
    rests = iter([True, False] * 2)

    def rested() -> bool:
        return next(rests, False)

    for _ in range(5):
        start_game(ann, ben)
    outbox.deliver()

    assert len(server.mails) == 15
    assert {mail.attempts for mail in OutboxMail.objects.all()} == {0}


def test_after_an_hour_without_a_server_there_is_no_flood(
    settings: Any, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    with sending_to(Moody(), settings):
        pass
    game = start_game(ann, ben)
    decision = Decision.objects.get(game=game, answered_at=None)
    for minute in range(60):
        outbox.deliver()
        travel.shift(MINUTE)
        if minute in {20, 40}:
            notices.remind(game, decision.seat, decision.decision, f"half+{minute}")

    with sending_to(server := Moody(), settings):
        outbox.deliver()

    asked, other = asked_and_other(game, ann, ben)
    assert len(server.to(asked.player.email)) == 1
    assert kinds(server.to(other.player.email)) == ["started"]
    assert not OutboxMail.objects.exclude(state__in=["sent", "dropped"]).exists()
    assert not OutboxMail.objects.filter(state="dropped", reason="").exists()


# ---- Workers -----------------------------------------------------------------------------------


def test_a_mail_that_kills_its_worker_takes_no_other_with_it(
    server: Moody, travel: time_machine.Traveller, monkeypatch: Any, ann: Person, ben: Person
) -> None:
    first = start_game(ann, ben)
    start_game(ann, ben)
    deadly = OutboxMail.objects.get(game=first, seat=0, kind=notices.STARTED)
    _make_deadly(monkeypatch, lambda mail: mail == deadly)
    monkeypatch.setattr(outbox._Batch, "_put_back", lambda *_: None)  # it is dead
    for _ in range(10):
        try:
            outbox.deliver()
        except SystemExit:
            travel.shift(outbox.CLAIM + SECOND)

    others = OutboxMail.objects.exclude(pk=deadly.pk)
    assert set(others.values_list("state", flat=True)) == {"sent"}
    deadly.refresh_from_db()
    assert (deadly.state, deadly.reason) == ("failed", outbox.LOST)


def _make_deadly(monkeypatch: Any, is_deadly: Callable[[OutboxMail], bool]) -> None:
    """Let the worker die of some mails, by themselves and together with others."""
    for module, name in ((outbox, "message_for"), (outbox.digest, "part_of")):
        healthy = getattr(module, name)

        def deadly(mail: OutboxMail, healthy: Callable[[OutboxMail], Any] = healthy) -> Any:
            if is_deadly(mail):
                raise SystemExit
            return healthy(mail)

        monkeypatch.setattr(module, name, deadly)


def test_a_worker_that_is_stopped_gives_back_what_it_held(
    server: Moody, travel: time_machine.Traveller, monkeypatch: Any, ann: Person, ben: Person
) -> None:
    start_game(ann, ben)
    monkeypatch.setattr(outbox, "message_for", lambda _: exec("raise KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        outbox.deliver()

    assert set(OutboxMail.objects.values_list("state", flat=True)) == {"queued"}


def test_a_slow_server_does_not_have_rows_sent_twice(
    server: Moody, travel: time_machine.Traveller, ann: Person, ben: Person
) -> None:
    for _ in range(3):
        start_game(ann, ben)

    def slow(verb: str, _: str) -> str:
        if verb == "MAIL":
            travel.shift(outbox.CLAIM / 4)
        return ""

    server.says = slow
    outbox.deliver()
    ids: list[str] = [mail["Message-ID"] for mail in server.mails]
    assert len(ids) == len(set(ids)) == 9


@pytest.mark.both_databases
@pytest.mark.usefixtures("committed")
def test_workers_never_send_the_same_mail(settings: Any) -> None:
    with sending_to(server := Moody(), settings):
        ann, ben = Person("Ann"), Person("Ben")
        for _ in range(12):
            start_game(ann, ben)
        at_once(outbox.deliver, outbox.deliver, outbox.deliver)
        outbox.deliver()

    ids: list[EmailMessage] = [mail["Message-ID"] for mail in server.mails]
    assert len(ids) == len(set(ids)) == 36
    assert set(OutboxMail.objects.values_list("state", flat=True)) == {"sent"}
