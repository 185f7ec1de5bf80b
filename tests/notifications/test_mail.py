"""The outbox and what it sends, over a real SMTP conversation."""

from __future__ import annotations

import re
from datetime import timedelta
from email.message import EmailMessage
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from dewan_site.accounts.models import Player
from games import demo, services
from games.models import Decision, Game
from notifications import clock, notices, outbox
from notifications.models import OutboxMail
from tests.clocks import let_run_out
from tests.people import Person, asked_person, draft, end_a_turn_that_can_be_taken_back, start_game
from tests.smtp import Sink

HEAD = re.compile(r"head (\d+):([0-9a-f]{64})")


def kinds(mails: list[EmailMessage]) -> list[str]:
    return [mail["X-Dewan-Kind"] for mail in mails]


def text_of(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    assert part is not None
    content: str = part.get_content()
    return content


def states(game: str, kind: str) -> list[str]:
    mails = OutboxMail.objects.filter(game=game, kind=kind).order_by("pk")
    return list(mails.values_list("state", flat=True))


def test_everybody_is_told_of_the_start_and_one_of_their_turn(
    sink: Sink, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    asked = asked_person(game, [ann, ben])

    outbox.deliver()

    assert sorted(kinds(sink.mails)) == ["started", "started", "turn"]
    turn = next(mail for mail in sink.to(asked.player.email) if mail["X-Dewan-Kind"] == "turn")
    view = asked.view(game)
    assert turn["X-Dewan-Game"] == game
    assert turn["X-Dewan-Decision"] == view["awaiting"][0]["decision"]
    assert turn["X-Dewan-Seat"] == str(view["you"])


def test_a_turn_mail_says_all_one_needs_to_play(sink: Sink, ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    for _ in range(2):
        asked_person(game, people).choose(game, "take", message="Hello there")
    asked = asked_person(game, people)
    asked.player.zone = "Asia/Kolkata"
    asked.player.save()
    OutboxMail.objects.filter(game=game).exclude(decision="5-" + str(asked.view(game)["you"]))
    sink.clear()

    outbox.deliver()

    mail = next(m for m in sink.to(asked.player.email) if m["X-Dewan-Kind"] == "turn")
    text = text_of(mail)
    view = asked.view(game)
    assert "SINCE YOUR LAST MOVE" in text
    other = people[1 - view["you"]].player.name
    assert f"{other} took" in text
    assert f"{other} says: Hello there" in text
    for card in view["state"]["tribes"][view["you"]]["hand"]["cards"]:
        assert f"{card}: " in text
    assert asked.legal(game)["entries"][0]["text"] in text
    assert "Asia/Kolkata, UTC+05:30" in text
    assert f"/games/{game}/" in text
    number, head = HEAD.search(text).groups()  # type: ignore[union-attr]
    assert (int(number), head) == (view["version"], Game.objects.get(pk=game).head_hash)
    html = mail.get_body(("html",))
    assert html is not None
    assert "Your turn" in html.get_content()


def test_the_mails_of_a_game_are_one_thread(sink: Sink, ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    for _ in range(6):
        outbox.deliver()
        asked_person(game, people).choose(game)

    mails = sink.to(ann.player.email)

    assert len(mails) > 3
    (first,) = [mail for mail in mails if mail["X-Dewan-Kind"] == "started"]
    assert (first["References"], first["In-Reply-To"]) == (None, None)
    others = [mail for mail in mails if mail is not first]
    assert {mail["References"] for mail in others} == {first["Message-ID"]}
    assert {mail["In-Reply-To"] for mail in others} == {first["Message-ID"]}
    assert len({mail["Subject"] for mail in mails}) == 1
    assert len({mail["Message-ID"] for mail in mails}) == len(mails)
    assert {mail["Auto-Submitted"] for mail in mails} == {"auto-generated"}
    assert all("One-Click" in mail["List-Unsubscribe-Post"] for mail in mails)
    assert first["Message-ID"] not in {
        mail[name] for mail in sink.to(ben.player.email) for name in ("References", "Message-ID")
    }


def test_no_turn_mail_goes_out_after_the_player_has_moved(
    sink: Sink, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)

    outbox.deliver()

    turns = [mail for mail in sink.mails if mail["X-Dewan-Kind"] == "turn"]
    assert [mail["X-Dewan-Decision"] for mail in turns] == [
        ann.view(game)["awaiting"][0]["decision"]
    ]
    assert states(game, notices.TURN) == ["dropped", "dropped", "sent"]
    dropped = OutboxMail.objects.filter(game=game, state="dropped")
    assert set(dropped.values_list("reason", flat=True)) == {"the decision has been answered"}


def later(seconds: int) -> time_machine.travel:
    """Let a block be so many seconds later."""
    return time_machine.travel(timezone.now() + timedelta(seconds=seconds))


def assert_mailed_between(early: int, late: int, sink: Sink) -> None:
    """Check that the turn mail goes out between two numbers of seconds from now."""
    with later(early):
        outbox.deliver()
        assert sink.mails == []
    with later(late):
        outbox.deliver()
        assert kinds(sink.mails) == ["turn"]


@pytest.fixture
def holding(sink: Sink, settings: Any, ann: Person, ben: Person) -> str:
    """A game after the draft; turn mails wait up to two minutes, and none has gone out."""
    settings.DEWAN_UNDO_HOLD = timedelta(seconds=120)
    game = start_game(ann, ben)
    draft(game, [ann, ben])
    OutboxMail.objects.all().delete()
    return game


def test_the_first_turn_mail_of_a_game_goes_out_at_once(
    sink: Sink, settings: Any, ann: Person, ben: Person
) -> None:
    settings.DEWAN_UNDO_HOLD = timedelta(seconds=120)
    asked_person(game := start_game(ann, ben), [ann, ben]).view(game)

    outbox.deliver()

    assert "turn" in kinds(sink.mails)


def test_a_turn_mail_waits_while_the_move_before_can_be_taken_back(
    holding: str, sink: Sink, ann: Person, ben: Person
) -> None:
    end_a_turn_that_can_be_taken_back(holding, [ann, ben])

    with later(100):
        outbox.deliver()
        assert "turn" not in kinds(sink.mails)
    with later(121):
        outbox.deliver()
        assert kinds(sink.mails)[-1] == "turn"


def test_a_turn_mail_waits_while_its_player_is_in_mid_turn(
    holding: str, sink: Sink, ann: Person, ben: Person
) -> None:
    while Decision.objects.get(game=holding, answered_at=None).kind == "turn":
        mover = asked_person(holding, [ann, ben])
        texts = [entry["text"] for entry in mover.legal(holding)["entries"]]
        camps = [text for text in texts if text.startswith("camp")]
        mover.answer(holding, (camps or texts)[0])

    asked = OutboxMail.objects.filter(game=holding, kind=notices.TURN).latest("pk")
    assert asked.seat == mover.view(holding)["you"]
    with later(100):
        outbox.deliver()
        assert kinds(sink.to(mover.player.email)) == []


def test_a_turn_mail_goes_out_after_a_moment_when_nothing_can_be_taken_back(
    holding: str, sink: Sink, ann: Person, ben: Person
) -> None:
    asked_person(holding, [ann, ben]).choose(holding)

    assert_mailed_between(19, 21, sink)


def test_after_a_bots_move_the_moment_is_shorter(sink: Sink, settings: Any, ann: Person) -> None:
    settings.DEWAN_UNDO_HOLD = timedelta(seconds=120)
    game = ann.open("me", "bot")
    for _ in range(3):
        ann.choose(game)
        OutboxMail.objects.all().delete()
        while services.play_bot(game):
            pass

    assert_mailed_between(4, 6, sink)


def test_a_turn_mail_waits_for_who_has_seen_the_question_on_the_page(
    holding: str, sink: Sink, ann: Person, ben: Person
) -> None:
    asked_person(holding, [ann, ben]).choose(holding)
    asked = asked_person(holding, [ann, ben])

    asked.view(holding)
    assert_mailed_between(100, 121, sink)


def test_who_answers_at_the_page_gets_no_turn_mails(
    holding: str, sink: Sink, ann: Person, ben: Person
) -> None:
    for seconds in range(0, 400, 30):
        with later(seconds):
            outbox.deliver()
            asked = asked_person(holding, [ann, ben])
            asked.choose(holding)
            asked_person(holding, [ann, ben]).view(holding)

    assert sink.mails == []


def test_a_broken_address_keeps_nobody_else_from_their_mail(
    sink: Sink, ann: Person, ben: Person
) -> None:
    ann.player.email = "broken@example.org"
    ann.player.save()
    game = start_game(ann, ben)

    outbox.deliver()

    assert sink.refused
    assert "started" in kinds(sink.to(ben.player.email))
    waiting = OutboxMail.objects.filter(game=game, seat=0)
    assert set(waiting.values_list("state", flat=True)) == {"retry"}
    assert all(mail.due_at > timezone.now() for mail in waiting)
    assert all(mail.reason.startswith("SMTPRecipientsRefused") for mail in waiting)


def test_an_address_that_stays_broken_fails_in_the_end(
    sink: Sink, ann: Person, ben: Person
) -> None:
    ann.player.email = "broken@example.org"
    ann.player.save()
    game = start_game(ann, ben)

    for day in range(16):
        with time_machine.travel(timezone.now() + timedelta(days=day)):
            outbox.deliver()

    mail = OutboxMail.objects.get(game=game, seat=0, kind=notices.STARTED)
    assert mail.state == "failed"
    assert mail.reason.startswith("SMTPRecipientsRefused")


def test_when_the_server_is_down_every_mail_comes_back_with_the_same_id(
    settings: Any, ann: Person, ben: Person
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with Sink() as gone:
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", gone.port
    game = start_game(ann, ben)
    outbox.deliver()
    ids = set(OutboxMail.objects.filter(game=game).values_list("message_id", flat=True))
    assert set(states(game, notices.STARTED)) == {"retry"}

    with Sink() as sink:
        settings.EMAIL_PORT = sink.port
        OutboxMail.objects.update(due_at=timezone.now())
        outbox.deliver()

    assert {mail["Message-ID"] for mail in sink.mails} == ids
    assert set(states(game, notices.STARTED)) == {"sent"}


def test_a_mail_whose_worker_died_comes_back(sink: Sink, ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    mail = OutboxMail.objects.filter(game=game, kind=notices.STARTED).first()
    assert mail is not None
    OutboxMail.objects.filter(pk=mail.pk).update(
        state="inflight", claimed_at=timezone.now() - outbox.CLAIM - timedelta(seconds=1)
    )

    outbox.deliver()

    assert states(game, notices.STARTED) == ["sent", "sent"]


def test_a_bug_in_one_mail_stops_no_other(
    sink: Sink, monkeypatch: pytest.MonkeyPatch, ann: Person, ben: Person
) -> None:
    start_game(ann, ben)
    healthy = outbox.message_for

    def sometimes(mail: OutboxMail) -> Any:
        if mail.seat == 0:
            raise ZeroDivisionError
        return healthy(mail)

    monkeypatch.setattr(outbox, "message_for", sometimes)
    outbox.deliver()

    assert "started" in kinds(sink.to(ben.player.email))
    assert not OutboxMail.objects.filter(state="inflight").exists()


def test_a_name_that_has_come_in_somehow_breaks_nobodys_mail(
    sink: Sink, ann: Person, ben: Person
) -> None:
    Player.objects.filter(pk=ann.player.pk).update(name="evil\r\nBcc: x@y.org\u202e")
    game = start_game(ann, ben)
    notices.write_to_player(notices.SIGN_IN, Player.objects.get(pk=ann.player.pk))

    outbox.deliver()

    assert not OutboxMail.objects.exclude(state="sent").exists()
    for person in (ann, ben):
        subjects = {mail["Subject"] for mail in sink.to(person.player.email)}
        assert f"Dewan: evil Bcc: x@y.org and Ben [{game}]" in subjects
    assert not any(mail["Bcc"] or "\u202e" in text_of(mail) for mail in sink.mails)


def test_mails_to_the_demo_player_never_leave_the_house(
    sink: Sink, settings: Any, ann: Person
) -> None:
    robin = demo.set_up()
    table = Game.objects.get(creator=robin, status="open")
    assert ann.post(f"/{table.pk}/seats").status_code == 201
    notices.write_to_player(notices.SIGN_IN, robin)

    settings.EMAIL_URL = sink.url
    outbox.deliver()

    assert {mail["To"] for mail in sink.mails} == {ann.player.email}
    dropped = OutboxMail.objects.filter(state="dropped")
    reasons = set(dropped.values_list("reason", flat=True))
    assert "the demo player has no mailbox in the world" in reasons
    assert not OutboxMail.objects.filter(state="retry").exists()


def test_who_has_stopped_mails_gets_none_about_games(sink: Sink, ann: Person, ben: Person) -> None:
    ann.player.mails_stopped = True
    ann.player.save()
    start_game(ann, ben)

    outbox.deliver()
    notices.write_to_player(notices.SIGN_IN, ann.player)
    outbox.deliver()

    assert kinds(sink.to(ann.player.email)) == ["sign_in"]


def test_a_reminder_and_a_time_out_are_told(sink: Sink, ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    late = ann.view(game)["awaiting"][0]
    notices.remind(game, late["seat"], late["decision"], "half")
    outbox.deliver()
    assert "reminder" in kinds(sink.mails)

    let_run_out(game)
    clock.sweep()
    outbox.deliver()

    told = next(mail for mail in sink.mails if mail["X-Dewan-Kind"] == "timed_out")
    assert told["X-Dewan-Decision"] == late["decision"]
    assert "took the story tile" in text_of(told)


def test_the_end_is_told_with_the_scores(sink: Sink, ann: Person) -> None:
    game = ann.open("me", "bot")
    while ann.view(game)["status"] == "running":
        if not services.play_bot(game):
            ann.choose(game)

    outbox.deliver()

    over = next(mail for mail in sink.mails if mail["X-Dewan-Kind"] == "game_over")
    result = ann.view(game)["result"]
    for score in result["scores"]:
        assert f": {score['total']} POINT" in text_of(over)
    assert "R8.4a" in text_of(over)


def test_a_turn_that_is_taken_away_again_is_told(sink: Sink, ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    mover = play_until_undo(game, people)
    outbox.deliver()
    told = asked_person(game, people)
    assert told is not mover
    sink.clear()

    body = {"decision": None, "expected_version": mover.view(game)["version"], "text": "undo"}
    assert mover.post(f"/{game}/moves", body).status_code == 201
    outbox.deliver()

    news = [mail for mail in sink.mails if mail["To"] == told.player.email]
    assert kinds(news) == ["taken_back"]


def play_until_undo(game: str, people: list[Person]) -> Person:
    """Play until somebody has ended their turn with a move that can be taken back."""
    while True:
        asked = asked_person(game, people)
        view = asked.view(game)
        known = people[1 - people.index(asked)].view(game)["state"]["tribes"][view["you"]]["hand"]
        for entry in asked.legal(game)["entries"]:
            cards = {paid["card"] for paid in entry["command"].get("payment", [])}
            if cards and cards <= set(known["cards"]):
                asked.answer(game, entry["text"])
                break
        else:
            asked.choose(game)
        if asked.view(game)["undo"] and asked_person(game, people) is not asked:
            return asked


def test_a_mail_tells_nothing_that_its_reader_may_not_know(
    sink: Sink, ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    hidden = {
        person.player.email: set(
            person.view(game)["state"]["tribes"][people.index(person)]["hand"]["cards"]
        )
        for person in people
    }
    for _ in range(2):
        asked_person(game, people).choose(game, "take")
    outbox.deliver()

    for reader, other in ((ann, ben), (ben, ann)):
        for mail in sink.to(reader.player.email):
            assert not any(card in text_of(mail) for card in hidden[other.player.email])
