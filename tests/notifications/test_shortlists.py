"""Numbers that are mailed for a decision: stored once, and never another action."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.state import State
from engine.views import mask
from games import store
from games.models import Game
from notifications import shortlists
from notifications.models import Shortlist
from tests.people import Person, asked_person, draft, start_game
from tests.threads import at_once

pytestmark = pytest.mark.both_databases


def asked(game_id: str) -> tuple[Game, int, State]:
    """Return a game, the seat that is asked, and its view."""
    game = Game.objects.get(pk=game_id)
    state = store.state_of(game)
    assert state is not None
    seat = state.questions[0].seat
    return game, seat, mask(state, seat)


@pytest.mark.django_db
def test_a_number_stands_for_what_was_mailed_with_it(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    draft(game, [ann, ben])

    lines = shortlists.numbered(*asked(game))

    decision = ann.view(game)["awaiting"][0]["decision"]
    assert 0 < len(lines) <= shortlists.LENGTH
    said = [shortlists.line(game, decision, number) for number in range(len(lines) + 2)]
    assert said == [None, *lines, None]
    assert shortlists.line(game, "1-0", 1) is None


@pytest.mark.django_db
def test_every_line_of_it_is_accepted(ann: Person, ben: Person) -> None:
    people = [ann, ben]
    game = start_game(*people)
    for number in range(12):
        lines = shortlists.numbered(*asked(game))
        answer = asked_person(game, people).answer(game, lines[number % len(lines)])
        assert answer.status_code == 201


@pytest.mark.django_db
def test_once_mailed_a_list_stays_whatever_would_be_listed_now(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    draft(game, [ann, ben])
    mailed = shortlists.numbered(*asked(game))

    row, seat, seen = asked(game)
    assert shortlists.numbered(row, seat, replace(seen, row=(None,) * 6)) == mailed


@pytest.mark.django_db
def test_the_next_decision_has_a_list_of_its_own(ann: Person, ben: Person) -> None:
    game = start_game(ann, ben)
    first = shortlists.numbered(*asked(game))
    draft(game, [ann, ben])

    assert shortlists.numbered(*asked(game)) != first
    assert Shortlist.objects.filter(game=game).count() == 2


@pytest.mark.django_db
def test_who_is_not_asked_has_none(ann: Person, ben: Person) -> None:
    game, seat, _ = asked(start_game(ann, ben))
    state = store.state_of(game)
    assert state is not None
    assert shortlists.numbered(game, 1 - seat, mask(state, 1 - seat)) == []
    assert not Shortlist.objects.exists()


@pytest.mark.usefixtures("committed")
def test_two_mails_at_once_number_the_same() -> None:
    game = start_game(Person("Ann"), Person("Ben"))

    first, second = at_once(*[lambda: shortlists.numbered(*asked(game))] * 2)

    assert first == second
    assert Shortlist.objects.filter(game=game).count() == 1
