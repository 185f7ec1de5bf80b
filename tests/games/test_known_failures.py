"""What other services get wrong, one test each."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from smtplib import SMTPRecipientsRefused
from typing import Any

import pytest
from django.core.mail import EmailMultiAlternatives
from django.db import connections
from django.test import Client

from dewan_site.accounts.links import sign_in_path
from games.models import Move
from notifications import notices, outbox
from notifications.models import OutboxMail
from tests.people import Person, asked_person, draft, start_game


def body_for(person: Person, game: str, index: int = 0) -> dict[str, Any]:
    legal = person.legal(game)
    return {
        "decision": legal["decision"],
        "expected_version": legal["version"],
        "text": legal["entries"][index]["text"],
    }


@pytest.mark.parametrize("keys", [("one", "one"), ("one", "two"), (None, None)])
def test_a_double_click_plays_once(
    ann: Person, ben: Person, keys: tuple[str | None, str | None]
) -> None:
    game = start_game(ann, ben)
    asked = asked_person(game, [ann, ben])
    body = body_for(asked, game)

    statuses = [asked.post(f"/{game}/moves", body, key=key).status_code for key in keys]

    assert statuses in ([201, 201], [201, 409])
    assert Move.objects.filter(game=game, seat=asked.view(game)["you"]).count() == 1


def test_a_stale_tab_cannot_play_on_a_newer_state(ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    asked = asked_person(game, people)
    stale = body_for(asked, game)
    for _ in range(2):
        asked_person(game, people).choose(game, "take")
    version = ann.view(game)["version"]

    response = asked.post(f"/{game}/moves", stale, key="from the old tab")

    assert response.status_code == 409
    problem = response.json()
    assert problem["code"] == "stale_move"
    assert problem["version"] == version
    assert [move["number"] for move in problem["moves"]] == [4, 5]
    assert ann.view(game)["version"] == version


def test_the_old_decision_with_a_new_version_is_stale_too(ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    asked = asked_person(game, people)
    old = body_for(asked, game)
    draft(game, people)

    response = asked.post(f"/{game}/moves", old | {"expected_version": 3})

    assert response.status_code == 409


def test_a_late_duplicate_cannot_answer_the_question_that_an_undo_puts_again(
    ann: Person, ben: Person
) -> None:
    people = [ann, ben]
    game = start_game(*people)
    draft(game, people)
    while True:  # until somebody has made a move that can be taken back
        asked = asked_person(game, people)
        body = body_for(asked, game, index=-1)
        other = people[1 - people.index(asked)].view(game)["state"]["tribes"]
        known = set(other[asked.view(game)["you"]]["hand"]["cards"])
        for index, entry in enumerate(asked.legal(game)["entries"]):
            cards = {paid["card"] for paid in entry["command"].get("payment", [])}
            if cards and cards <= known:
                body = body_for(asked, game, index)
        if " pay " not in body["text"]:
            body = body_for(asked, game)
        assert asked.post(f"/{game}/moves", body).status_code == 201
        if asked.view(game)["undo"]:
            break
    undo = {"decision": body["decision"], "expected_version": asked.view(game)["version"]}
    assert asked.post(f"/{game}/moves", undo | {"text": "undo"}).status_code == 201

    response = asked.post(f"/{game}/moves", body, key="the same click, late")

    assert response.status_code == 409
    assert asked.legal(game)["decision"] != body["decision"]


def test_joining_twice_takes_one_seat(ann: Person, ben: Person) -> None:
    game = ann.open("me", "open", "open")

    statuses = [ben.post(f"/{game}/seats").status_code for _ in range(3)]

    assert statuses == [201, 200, 200]
    assert [seat["name"] for seat in ann.view(game)["seats"]] == ["Ann", "Ben", None]


def test_no_turn_mail_is_sent_after_the_player_has_moved(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    asked = asked_person(game, [ann, ben])
    decision = asked.legal(game)["decision"]
    asked.choose(game)

    outbox.deliver()

    mail = OutboxMail.objects.get(game=game, kind=notices.TURN, decision=decision)
    assert (mail.state, mail.reason) == ("dropped", "the decision has been answered")


def test_a_mail_scanner_that_follows_every_link_changes_nothing(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    scanner = Client()
    links = [sign_in_path(ann.player), f"/games/{game}/join/", f"/games/{game}/play/"]

    for link in links:
        scanner.get(link, follow=True)

    assert "_auth_user_id" not in scanner.session
    assert ann.view(game)["version"] == 1
    signing_in = Client()
    assert signing_in.post(links[0]).status_code == 302
    assert signing_in.session["_auth_user_id"] == str(ann.player.pk)
    signing_in.get(f"/games/{game}/play/?text=story+1")
    assert ann.view(game)["version"] == 1


@pytest.mark.both_databases
@pytest.mark.usefixtures("committed")
def test_no_task_is_queued_before_its_transaction_has_committed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann = Person("Ann")
    seen_by_task: list[int] = []

    def what_the_worker_sees() -> int:
        try:
            return Move.objects.count()
        finally:
            connections.close_all()

    def send_task(*_: object, **__: object) -> None:
        with ThreadPoolExecutor(1) as worker:
            seen_by_task.append(worker.submit(what_the_worker_sees).result())

    monkeypatch.setattr(notices.app, "send_task", send_task)
    game = ann.open("me", "bot")
    if ann.legal(game)["decision"]:
        ann.choose(game)

    assert seen_by_task
    assert min(seen_by_task) >= 1


def test_a_broken_address_keeps_nobody_from_their_mail(
    monkeypatch: pytest.MonkeyPatch, ann: Person, ben: Person
) -> None:
    game = start_game(ann, ben)
    send = EmailMultiAlternatives.send

    def refuse_ann(message: Any, *arguments: Any) -> Any:
        if message.to == [ann.player.email]:
            raise SMTPRecipientsRefused({ann.player.email: (550, b"no such mailbox")})
        return send(message, *arguments)

    monkeypatch.setattr(EmailMultiAlternatives, "send", refuse_ann)
    outbox.deliver()

    sent = OutboxMail.objects.filter(game=game, kind=notices.STARTED)
    assert list(sent.order_by("seat").values_list("state", flat=True)) == ["retry", "sent"]
