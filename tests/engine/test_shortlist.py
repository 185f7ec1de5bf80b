"""The shortlist: good answers, always legal, best first, from the seat's own view alone."""

from __future__ import annotations

from hypothesis import given

from engine import bots, notation
from engine import commands as c
from engine.bots.shortlist import best
from engine.decide import submit
from engine.legal import legal
from engine.state import HIDDEN
from engine.views import mask
from tests.engine.positions import Position, all_positions, repeatable
from tests.engine.table import Table

LIMIT = 9


@given(all_positions())
@repeatable(120)
def test_every_entry_is_legal_and_says_in_words_what_it_does(position: Position) -> None:
    seat = position.asked
    seen = mask(position.state, seat)
    for entry in best(seen, seat, LIMIT):
        submit(position.state, seat, [entry.command], position.chance)
        assert notation.resolve(notation.parse(entry.text), seen, seat) == [entry.command]
        assert HIDDEN not in entry.text


@given(all_positions())
@repeatable(120)
def test_it_is_as_long_as_it_may_be_and_says_nothing_twice(position: Position) -> None:
    seat = position.asked
    seen = mask(position.state, seat)
    texts = [entry.text for entry in best(seen, seat, LIMIT)]
    everything = {entry.text for entry in legal(seen, seat)}
    assert len(set(texts)) == len(texts) == min(LIMIT, len(everything))
    assert set(texts) <= everything


@given(all_positions())
@repeatable(60)
def test_the_first_is_what_a_bot_would_play(position: Position) -> None:
    seat = position.asked
    seen = mask(position.state, seat)
    assert best(seen, seat, LIMIT)[0].command == bots.choose(seen, seat)


@given(all_positions())
@repeatable(40)
def test_who_is_not_asked_has_no_list(position: Position) -> None:
    others = [seat for seat in position.state.seats if position.state.question_of(seat) is None]
    lists = [best(mask(position.state, seat), seat, LIMIT) for seat in others]
    assert lists == [[]] * len(others)


def test_takes_and_camps_are_both_on_it_however_many_camps_there_are() -> None:
    line = "*0  f  d  m  f  d  m  f  d  m  f  d  *1"
    hand = "F1 F2 F3 F4 D1 D2 D3 D4 M1 M2 M3"
    table = Table(line, hands={0: hand}, row="B5 B6 F5 F6 M5 M6")
    entries = best(mask(table.state, 0), 0, LIMIT)
    kinds = [type(entry.command) for entry in entries]
    assert kinds.count(c.Take) == LIMIT // 2
    assert kinds.count(c.Camp) == LIMIT - LIMIT // 2


def test_the_space_that_completes_a_tile_comes_first() -> None:
    table = Table("*0  f  d  m  *1", hands={0: "B1 F1 D1"}, stories={0: ["1 forest"]})
    first = best(mask(table.state, 0), 0, LIMIT)[0].command
    assert isinstance(first, c.Camp)
    assert first.route[-1] == "A1"


def test_to_decline_is_always_on_it() -> None:
    hand = "B1 A1 D1 D2 D3 F1 F2 F3 M1 M2 M3"
    table = Table("*0  f  d  m  *1", asks="tuck", placed={0: 3}, hands={0: hand})
    entries = best(mask(table.state, 0), 0, 3)
    assert len(entries) == 3
    assert c.Tuck(card=None) in [entry.command for entry in entries]
