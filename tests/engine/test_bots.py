"""The bot seat: it plays whole games, and sensibly, from its own view alone."""

from __future__ import annotations

import pytest
from hypothesis import given

from engine import bots
from engine import commands as c
from engine.decide import submit
from engine.state import HIDDEN
from engine.views import mask
from tests.engine.game import Game
from tests.engine.policies import anything, bot
from tests.engine.positions import Position, played, positions, repeatable
from tests.engine.table import Table

GAMES = 6
LINE = "*0  f  d  m  *1"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bots_play_to_the_last_camp(players: int) -> None:
    for number in range(GAMES):
        ended = played(players, number).state.ended
        assert ended is not None
        assert ended.reason == "last_camp"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_bots_place_camps_and_complete_story_tiles(players: int) -> None:
    tribes = [tribe for number in range(GAMES) for tribe in played(players, number).state.tribes]
    completed = [tile for tribe in tribes for tile in tribe.stories if tile.completed]
    assert len(completed) / len(tribes) > 1.5
    assert sum(8 - tribe.camps_left for tribe in tribes) / len(tribes) > 5


def test_a_bot_beats_somebody_who_does_anything() -> None:
    won = 0
    for number in range(2 * GAMES):
        ended = Game(2, number).play([bot, anything]).state.ended
        assert ended is not None
        won += ended.winners == (0,)
    assert won > 1.5 * GAMES


@given(positions())
@repeatable(60)
def test_a_bots_choice_is_always_accepted(position: Position) -> None:
    seat = position.asked
    choice = bots.choose(mask(position.state, seat), seat)
    assert submit(position.state, seat, [choice], position.chance).unapplied == ()
    assert HIDDEN not in repr(choice)


@given(positions())
@repeatable(40)
def test_a_bot_knows_no_more_than_its_seat(position: Position) -> None:
    """Hidden cards are no cards of the set: to look one up would be an error."""
    seat = position.asked
    seen = mask(position.state, seat)
    assert HIDDEN not in seen.components.cards
    assert set(seen.pile) <= {HIDDEN}
    assert all(not tribe.secret for i, tribe in enumerate(seen.tribes) if i != seat)
    bots.choose(seen, seat)


def test_a_bot_completes_a_story_tile_when_it_can() -> None:
    table = Table(LINE, hands={0: "B1 F1"}, stories={0: ["1 forest"]})
    table.play(bots.choose(mask(table.state, 0), 0))
    assert table.completed(0) == ["1 forest"]


def test_a_bot_takes_the_tile_that_it_has_completed_already() -> None:
    row = ("3 water", "2 pigment", "1 forest", "3 desert", "3 mountain")
    table = Table("*0 f0 d m *1", asks="story", placed={0: 2}, story_row=row)
    assert bots.choose(mask(table.state, 0), 0) == c.Story(place=3)


def test_a_bot_takes_from_the_pile_only_if_the_row_is_empty() -> None:
    pile = ("1 forest", "2 forest")
    table = Table(LINE, asks="story", placed={0: 2}, story_row=(None,) * 5, story_pile=pile)
    assert bots.choose(mask(table.state, 0), 0) == c.Story(place="pile")


def test_a_bot_tucks_what_its_tile_requires_and_keeps_what_it_does_not() -> None:
    def tucked(hand: str) -> c.Command:
        table = Table(
            LINE, asks="tuck", placed={0: 3}, hands={0: hand}, stories={0: ["1 artefact"]}
        )
        return bots.choose(mask(table.state, 0), 0)

    assert tucked("B1 A1 D1") == c.Tuck(card="A1", side=0)
    assert tucked("B1 D1") == c.Tuck(card=None)


def test_a_bot_takes_the_cards_that_it_needs() -> None:
    table = Table("*0 f d *1", row="B5 B6 F1 F2 M5 M6", stories={0: ["1 forest"]}, hands={0: "B1"})
    choice = bots.choose(mask(table.state, 0), 0)
    assert isinstance(choice, c.Take)
    assert {3, 4} & set(choice.places)
