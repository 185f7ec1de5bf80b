"""The page that asks whether to play a move: what it promises holds."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.commands import Command, Fish, Undo
from engine.questions import KINDS
from engine.scenarios import SCENARIOS
from games import services
from games.models import Game
from games.web import final
from games.web.asking import OF_OTHERS
from games.web.final import why_final
from tests.fuzz import Fuzzed
from tests.pages import Page, Visitor
from tests.people import Person, asked_person, draft, start_game


class Foretold(Fuzzed):
    """A random game in which it is said of every move beforehand whether it can be taken back."""

    def __init__(self, scenario: str, number: int) -> None:
        super().__init__(scenario, number)
        self.said: set[str] = set()

    def _check(self) -> None:
        """The laws are checked elsewhere."""

    def _submit(self, seat: int, commands: Sequence[Command]) -> None:
        reason = why_final(self.game.seen(seat), seat, commands)
        super()._submit(seat, commands)
        if not isinstance(commands[0], Undo | Fish):
            state = self.game.state
            last = None if state.over else state.undoable
            assert (last is None) == bool(reason), (commands, reason)
            self.said.add(reason)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_whether_a_move_can_be_taken_back_is_said_beforehand_and_true(scenario: str) -> None:
    said: set[str] = set()
    for number in range(6):
        game = Foretold(scenario, number)
        game.play()
        said |= game.said

    assert said >= {"", final.NEW_CARD, final.NEW_TILE, final.UNSEEN_TILE, final.SHOWN}


def test_whatever_is_asked_can_be_said_of_others() -> None:
    assert OF_OTHERS.keys() == KINDS.keys()


@pytest.fixture
def mover(ann: Person, ben: Person) -> Person:
    """Whoever is asked in a game that has just begun."""
    return asked_person(start_game(ann, ben), [ann, ben])


def look_at(person: Person, text: str) -> Page:
    return Visitor(person.player).get(f"/games/{game_id()}/confirm/", data={"text": text})


def game_id() -> str:
    return Game.objects.get().pk


def begun(ann: Person, ben: Person) -> Person:
    """Return who is to move after the draft."""
    draft(game_id(), [ann, ben])
    return asked_person(game_id(), [ann, ben])


def test_a_story_tile_is_shown_with_its_points_and_fire(mover: Person) -> None:
    page = look_at(mover, "story 1")
    row = Visitor(mover.player).get(f"/games/{game_id()}/").html
    tile = row[row.index('class="story-choice"') :]
    tile = tile[tile.index('<span class="worth">') : tile.index("</a>")]

    assert "".join(tile.split()) in "".join(page.html.split())
    assert "This cannot be taken back: a new story tile is turned up." in page.words


def test_a_tile_nobody_has_seen_is_not_shown(mover: Person) -> None:
    page = look_at(mover, "story pile")

    assert 'class="worth"' not in page.html
    assert "you see the top tile of the pile" in page.words


def test_taking_cards_is_for_good(ann: Person, ben: Person, mover: Person) -> None:
    page = look_at(begun(ann, ben), "take 3-4")

    assert "This cannot be taken back: a new card is turned up." in page.words


# ---- A line to the table survives a refusal --------------------------------------------------


def test_a_line_to_the_table_survives_a_stale_move(ann: Person, ben: Person, mover: Person) -> None:
    stale = look_at(mover, "story 1")
    me = Visitor(mover.player)
    mover.choose(game_id(), "story 2")

    told = me.send(stale, "/play/", message="Good luck, & no <mercy>")
    assert "The game has gone on" in told.words
    assert "waits for your next move: Good luck, & no <mercy>" in told.words

    while asked_person(game_id(), [ann, ben]) is not mover:
        asked_person(game_id(), [ann, ben]).choose(game_id())
    shown = me.get(f"/games/{game_id()}/confirm/", data={"text": "take 1-2"})
    assert shown.form("/play/").fields["message"] == "Good luck, & no <mercy>"

    me.send(shown, "/play/")
    assert game_has_line("Good luck, & no <mercy>")
    while asked_person(game_id(), [ann, ben]) is not mover:
        asked_person(game_id(), [ann, ben]).choose(game_id())
    shown = me.get(f"/games/{game_id()}/confirm/", data={"text": "take 1-2"})
    assert shown.form("/play/").fields["message"] == ""


def game_has_line(text: str) -> bool:
    return bool(Game.objects.get().messages.filter(text=text).exists())


def test_a_line_to_the_table_survives_what_is_not_allowed(mover: Person) -> None:
    me, shown = Visitor(mover.player), look_at(mover, "story 1")

    page = me.send(shown, "/play/", text="take 1-2", message="Oops")
    assert page.status == 422
    assert "Your line to the table is kept: Oops" in page.words

    again = me.send(page, "/confirm/", text="story 1")
    assert again.form("/play/").fields["message"] == "Oops"


def test_after_a_cancellation_it_is_said_that_the_game_was_called_off(mover: Person) -> None:
    shown = look_at(mover, "story 1")
    services.cancel_game(game_id())

    page = Visitor(mover.player).send(shown, "/play/")

    assert page.title == "The game was called off"
    assert "has gone on" not in page.words


def test_refusals_begin_like_sentences(mover: Person) -> None:
    page = look_at(mover, "undo")

    assert page.status == 422
    assert "A move can be taken back only by the seat that made it" in page.words
