"""Told and seen: what opponents learn of whether somebody knows what they are asked."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Game, Seat
from games.web.asking import TOLD
from notifications import outbox, seen
from notifications.models import AddressTrouble, OutboxMail
from notifications.notices import TURN
from notifications.seen import TELLING, Knows
from tests.games.test_sealed import go_fishing
from tests.notifications.test_answer_link import link, mailed
from tests.pages import Visitor
from tests.people import Person, asked_person, draft, start_game
from tests.servers import free_port
from tests.smtp import Sink


class Table:
    """A game of two: who is asked, without having looked, and who looks on."""

    def __init__(self, ann: Person, ben: Person, **options: Any) -> None:
        self.people = [ann, ben]
        self.id = start_game(ann, ben, **options)
        drafting = asked_person(self.id, self.people)
        assert drafting.choose(self.id, "story").status_code == 201
        seat = Game.objects.get(pk=self.id).decisions.get(answered_at=None).seat
        self.asked, self.other = self.people[seat], self.people[1 - seat]
        self.due(forget_seen=True)

    @property
    def notices(self) -> Any:
        return OutboxMail.objects.filter(
            game=self.id, kind=TURN, decision=self.awaiting()["decision"]
        )

    def due(self, *, forget_seen: bool = False) -> None:
        """Let the time to take a move back be over."""
        mails = OutboxMail.objects.filter(game=self.id, state="queued")
        mails.update(due_at=timezone.now() - timedelta(seconds=1))
        if forget_seen:
            OutboxMail.objects.filter(game=self.id).update(seen_at=None)

    def awaiting(self) -> dict[str, Any]:
        (entry,) = self.other.view(self.id)["awaiting"]
        return dict(entry)

    @property
    def told(self) -> str | None:
        """What is told of who is asked, in the view and in the list alike."""
        listed = self.other.client.get("/api/v1/games").json()["games"]
        (in_list,) = (game["awaiting"][0]["told"] for game in listed if game["id"] == self.id)
        told: str | None = self.awaiting()["told"]
        assert in_list == told
        return told

    @property
    def words(self) -> str:
        return Visitor(self.other.player).get(f"/games/{self.id}/").words


@pytest.fixture
def table(ann: Person, ben: Person) -> Table:
    return Table(ann, ben)


# ---- From not told to seen ---------------------------------------------------------------------


@pytest.mark.both_databases
def test_who_is_asked_is_not_told_then_told_then_has_seen(table: Table, sink: Sink) -> None:
    assert table.told == "no"
    assert "Not told yet." in table.words

    outbox.deliver()
    assert table.told == "yes"
    assert "Told, not yet seen." in table.words
    assert "Told, not yet seen." in Visitor(table.other.player).get("/").words

    Visitor(table.asked.player).get(f"/games/{table.id}/")
    assert table.told == "seen"
    assert "Seen." in table.words


def look_at_page(table: Table) -> None:
    Visitor(table.asked.player).get(f"/games/{table.id}/")


def look_at_view(table: Table) -> None:
    assert table.asked.view(table.id)["awaiting"][0]["told"] == "seen"


def look_at_legal(table: Table) -> None:
    table.asked.legal(table.id)


def look_at_link(table: Table) -> None:
    _, token, _ = mailed_to(table)
    Visitor(table.asked.player).get(link(token))


def answer_a_mail(table: Table) -> None:
    seat = Seat.objects.select_related("game").get(game=table.id, player=table.asked.player)
    seen.mark(seat.game, seat.number, table.asked.player)


def mailed_to(table: Table) -> tuple[Person, str, list[str]]:
    return mailed(table.id, table.people)


@pytest.mark.parametrize(
    "look", [look_at_page, look_at_view, look_at_legal, look_at_link, answer_a_mail]
)
def test_to_look_is_to_have_seen(table: Table, sink: Sink, look: Any) -> None:
    table.due(forget_seen=True)
    assert table.told == "no"

    look(table)

    assert table.told == "seen"


def test_what_a_program_or_a_scanner_fetches_is_not_seen(table: Table, sink: Sink) -> None:
    _, token, _ = mailed_to(table)
    outbox.deliver()
    table.due(forget_seen=True)
    signed_in = Client()
    signed_in.force_login(table.asked.player)

    for get in (Client().get, Client().head):
        get(link(token))
        get(f"/games/{table.id}/")
    signed_in.get(f"/games/{table.id}/version.json")
    signed_in.get("/")
    table.asked.get("")
    table.asked.get(f"/{table.id}", at=2)
    table.asked.get(f"/{table.id}/moves")

    assert table.told == "yes"


def test_nobody_sees_it_for_somebody_else(table: Table, sink: Sink, cleo: Person) -> None:
    table.other.view(table.id)
    table.other.legal(table.id)
    look = Visitor(table.other.player)
    look.get(f"/games/{table.id}/")
    seat = Seat.objects.select_related("game").get(game=table.id, player=table.asked.player)
    seen.mark(seat.game, seat.number, cleo.player)

    assert table.told == "no"


def test_the_next_question_is_not_seen_by_having_seen_the_last_one(
    table: Table, sink: Sink
) -> None:
    table.asked.view(table.id)
    assert table.told == "seen"
    before = table.awaiting()["decision"]
    table.asked.choose(table.id)  # the last story tile: the first turn is theirs as well

    entry = table.awaiting()

    assert table.people[entry["seat"]] is table.asked
    assert entry["decision"] != before
    assert entry["told"] == "no"


def test_what_is_asked_next_by_an_answer_link_is_seen_by_who_pressed_its_button(
    ann: Person, ben: Person, sink: Sink
) -> None:
    people = [ann, ben]
    game = start_game(*people)
    for turn in range(150):
        person, token, lines = mailed(game, people)
        page = Visitor().post(link(token, turn % len(lines) + 1))
        if "You are asked next" in page.words:
            break
    looker = people[1 - people.index(person)]

    assert looker.view(game)["awaiting"][0]["told"] == "seen"


# ---- Where no notice arrives -------------------------------------------------------------------


def test_a_provider_that_refuses_our_mail_is_nobody_elses_business(
    table: Table, sink: Sink
) -> None:
    table.asked.player.email = "broken@example.org"
    table.asked.player.save()

    outbox.deliver()

    assert sink.refused
    assert AddressTrouble.objects.exists()
    assert table.told == "yes"
    assert "Told, not yet seen." in table.words


def test_while_our_mail_server_is_away_nobody_has_been_told(
    table: Table, sink: Sink, settings: Any
) -> None:
    settings.EMAIL_PORT = free_port()
    outbox.deliver()

    assert table.notices.get().state == "retry"
    assert table.told == "no"


def test_who_has_stopped_mails_has_seen_it_or_not(table: Table, sink: Sink) -> None:
    table.asked.player.mails_stopped = True
    table.asked.player.save()
    outbox.deliver()

    assert table.told == "unseen"
    assert "Not yet seen." in table.words
    look_at_page(table)
    assert table.told == "seen"


def test_a_reminder_tells_too(table: Table, sink: Sink) -> None:
    outbox.deliver()
    table.notices.update(state="dropped")
    assert table.told == "unseen"
    mail = table.notices.get()
    mail.pk, mail.kind, mail.state, mail.message_id = None, TELLING[1], "sent", "<another>"
    mail.save()

    assert table.told == "yes"
    look_at_page(table)
    assert table.told == "seen"


def test_of_a_bot_nothing_is_told(ann: Person) -> None:
    game = ann.open("me", "bot")
    while ann.view(game)["awaiting"][0]["seat"] == 0:
        ann.choose(game)

    assert ann.view(game)["awaiting"][0]["told"] is None
    words = Visitor(ann.player).get(f"/games/{game}/").words
    assert "told" not in words.lower()


def test_of_a_seat_that_a_bot_plays_for_its_player_nothing_is_told(table: Table) -> None:
    Seat.objects.filter(game=table.id, player=table.asked.player).update(standing="absent")

    assert table.told is None


# ---- What nobody may know ----------------------------------------------------------------------


def test_of_sealed_answers_nothing_is_told(ann: Person, ben: Person, sink: Sink) -> None:
    people = [ann, ben]
    game = go_fishing(people)
    OutboxMail.objects.filter(game=game).update(seen_at=None, due_at=timezone.now())
    assert [entry["told"] for entry in ann.view(game)["awaiting"]] == [None, None]

    ben.choose(game)
    outbox.deliver()

    for reader in people:
        assert [entry["told"] for entry in reader.view(game)["awaiting"]] == [None, None]
        page = Visitor(reader.player).get(f"/games/{game}/").words
        assert not any(words in page for words in ("Not told yet.", "Told, not", "Seen."))


# ---- What it costs -----------------------------------------------------------------------------


def writes(look: Any, *arguments: Any) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        look(*arguments)
    sent = [query["sql"] for query in captured.captured_queries]
    return [sql for sql in sent if sql.startswith(("UPDATE", "INSERT")) and "session" not in sql]


def test_looking_writes_once_however_often_one_looks(table: Table) -> None:
    signed_in = Client()
    signed_in.force_login(table.asked.player)
    paths = {
        f"/games/{table.id}/": signed_in.get,
        f"/api/v1/games/{table.id}": table.asked.client.get,
        f"/api/v1/games/{table.id}/legal": table.asked.client.get,
    }
    for path, get in paths.items():
        table.due(forget_seen=True)
        first, *again = (writes(get, path) for _ in range(3))
        assert ["notifications_outboxmail" in sql for sql in first] == [True]
        assert again == [[], []]


def test_a_page_that_polls_never_writes(table: Table) -> None:
    signed_in = Client()
    signed_in.force_login(table.asked.player)

    assert writes(signed_in.get, f"/games/{table.id}/version.json") == []
    assert table.told == "no"


def test_one_query_tells_of_a_whole_list(ann: Person, ben: Person) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            ann.client.get("/api/v1/games")
        return sum("notifications_outboxmail" in q["sql"] for q in captured.captured_queries)

    for _ in range(3):
        draft(start_game(ann, ben), [ann, ben])

    assert queries() == 1


def test_what_is_known_is_all_that_can_be_told() -> None:
    assert TOLD.keys() == set(Knows)
