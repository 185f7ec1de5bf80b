"""Two connections at once: exactly one of two wins, and the log stays consistent."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from engine.verify import verify
from games import absence, selectors, services, store
from games.access import Seen
from games.models import Decision, Game, Move, Submission
from notifications import outbox
from notifications.models import OutboxMail
from tests.clocks import let_run_out
from tests.people import Person, asked_person, draft, start_game
from tests.smtp import Sink
from tests.threads import at_once

pytestmark = [pytest.mark.both_databases, pytest.mark.usefixtures("committed")]


@pytest.fixture
def people() -> list[Person]:
    return [Person("Ann"), Person("Ben")]


@pytest.fixture
def game(people: list[Person]) -> str:
    game = start_game(*people)
    draft(game, people)
    return game


def body_for(person: Person, game: str, index: int = 0) -> dict[str, Any]:
    legal = person.legal(game)
    return {
        "decision": legal["decision"],
        "expected_version": legal["version"],
        "text": legal["entries"][index]["text"],
    }


def assert_consistent(game_id: str) -> None:
    """The log has no gap, and state, projections and hash chain agree."""
    game = Game.objects.get(pk=game_id)
    numbers = list(Move.objects.filter(game=game).values_list("number", flat=True))
    assert numbers == list(range(1, game.version + 1))
    open_seats = Decision.objects.filter(game=game, answered_at=None).values_list("seat", flat=True)
    view = selectors.view_of(Seen(game, None), store.state_of(game))
    assert [asked["seat"] for asked in view["awaiting"]] == list(open_seats)


@pytest.mark.parametrize("_", range(5))
def test_the_same_decision_answered_twice_is_played_once(
    people: list[Person], game: str, _: int
) -> None:
    asked = asked_person(game, people)
    first, second = body_for(asked, game, 0), body_for(asked, game, 1)

    responses = at_once(
        lambda: asked.post(f"/{game}/moves", first, key="one"),
        lambda: asked.post(f"/{game}/moves", second, key="two"),
    )

    assert sorted(r.status_code for r in responses) == [201, 409]
    lost = next(r for r in responses if r.status_code == 409)
    assert lost.json()["code"] == "stale_move"
    assert Move.objects.filter(game=game).count() == 4
    assert_consistent(game)


@pytest.mark.parametrize("_", range(5))
def test_the_same_key_twice_gets_the_same_answer_and_one_row(
    people: list[Person], game: str, _: int
) -> None:
    asked = asked_person(game, people)
    body = body_for(asked, game)

    responses = at_once(*[lambda: asked.post(f"/{game}/moves", body, key="once")] * 3)

    assert [r.status_code for r in responses] == [201] * 3
    assert len({r.content for r in responses}) == 1
    assert Move.objects.filter(game=game).count() == 4
    assert Submission.objects.filter(game=game, key="once").count() == 1
    assert_consistent(game)


def test_the_same_key_for_another_request_is_refused(people: list[Person], game: str) -> None:
    asked = asked_person(game, people)
    first, second = body_for(asked, game, 0), body_for(asked, game, 1)
    assert asked.post(f"/{game}/moves", first, key="k").status_code == 201

    response = asked.post(f"/{game}/moves", second, key="k")

    assert response.status_code == 422
    assert response.json()["code"] == "idempotency_key_reused"


def test_another_seats_key_tells_nothing_of_its_answer(people: list[Person], game: str) -> None:
    asked = asked_person(game, people)
    other = next(person for person in people if person is not asked)
    body = body_for(asked, game)
    answer = asked.post(f"/{game}/moves", body, key="secret")

    response = other.post(f"/{game}/moves", body, key="secret")

    assert response.status_code == 409
    assert response.json()["code"] == "not_your_decision"
    assert answer.json()["events"][0]["type"] not in response.content.decode()


@pytest.mark.parametrize("_", range(5))
def test_a_move_against_its_timeout_one_wins(people: list[Person], game: str, _: int) -> None:
    asked = asked_person(game, people)
    body = body_for(asked, game)
    late = Decision.objects.get(game=game, answered_at=None)
    let_run_out(game)

    response, _ = at_once(
        lambda: asked.post(f"/{game}/moves", body, key="just in time"),
        lambda: absence.wake(game, late.pk),
    )

    (answer,) = Move.objects.filter(game=game, decision=late.decision)
    assert answer.actor == ("player" if response.status_code == 201 else "clock")
    assert_consistent(game)


@pytest.mark.parametrize("_", range(3))
def test_two_people_on_one_seat_one_sits(people: list[Person], _: int) -> None:
    cleo = Person("Cleo")
    game = people[0].open("me", "open")

    responses = at_once(
        lambda: people[1].post(f"/{game}/seats"), lambda: cleo.post(f"/{game}/seats")
    )

    assert sorted(r.status_code for r in responses) == [201, 409]
    assert Game.objects.get(pk=game).version == 1


def test_one_person_joining_twice_at_once_sits_once(people: list[Person]) -> None:
    game = people[0].open("me", "open", "open")

    responses = at_once(*[lambda: people[1].post(f"/{game}/seats")] * 3)

    assert sorted(r.status_code for r in responses) == [200, 200, 201]
    assert Game.objects.get(pk=game).seats.filter(player=people[1].player).count() == 1


@pytest.mark.parametrize("_", range(3))
def test_two_workers_on_one_mail_send_it_once(
    people: list[Person], game: str, sink: Sink, _: int
) -> None:
    at_once(outbox.deliver, outbox.deliver)

    sent = OutboxMail.objects.filter(game=game, state="sent")
    ids = [mail["Message-ID"] for mail in sink.mails]
    assert len(ids) == len(set(ids)) == sent.count() > 0
    assert not OutboxMail.objects.filter(game=game, state__in=["queued", "inflight"]).exists()


def test_a_whole_game_with_everybody_hammering_stays_whole(people: list[Person]) -> None:
    game = start_game(*people)
    for _ in range(12):
        asked = asked_person(game, people)
        body = body_for(asked, game)
        at_once(*[partial(person.post, f"/{game}/moves", body) for person in people * 2])
        assert_consistent(game)
    services.cancel_game(game)
    report = verify(people[0].get(f"/{game}/export").json())
    assert report.problems == ()
