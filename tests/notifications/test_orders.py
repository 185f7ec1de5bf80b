"""Orders: what a player's own lines say, and what they do not say."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidCommand
from notifications.inbound import orders
from notifications.inbound.orders import Errand, Orders, UnreadableOrder


def read(text: str) -> Orders:
    return orders.read(text.split("\n") if text else [])


def refused(text: str) -> UnreadableOrder:
    with pytest.raises(UnreadableOrder) as raised:
        read(text)
    return raised.value


@pytest.mark.parametrize(
    ("text", "play"),
    [
        ("3", [3]),
        ("#3", [3]),
        ("3.", [3]),
        ("3)", [3]),
        ("take 3-4", ["take 3-4"]),
        ("Take 3 4.", ["take 3 4"]),
        ("TAKE 3-4!", ["take 3-4"]),
        ("2, story 3", [2, "story 3"]),
        ("camp C4 from B2 auto; story pile", ["camp c4 from b2 auto", "story pile"]),
        ("camp C4 auto\nstory 3", ["camp c4 auto", "story 3"]),
        ("take 3-4\n\nwater C4", ["take 3-4", "water c4"]),
        ("undo", ["undo"]),
        ("fish nothing", ["fish nothing"]),
    ],
)
def test_moves_are_numbers_of_the_list_or_notation(text: str, play: list[int | str]) -> None:
    assert read(text) == Orders(play=play)


def test_what_follows_an_empty_line_is_for_nobody() -> None:
    for chatter in (
        "Thanks!",
        "Take care,\nAnn",
        "See you on the 3rd.\n\nAnn",
        "Board games\nrule",
    ):
        assert read(f"take 3-4\n\n{chatter}") == Orders(play=["take 3-4"])


def test_a_line_among_the_orders_that_is_none_makes_all_of_them_void() -> None:
    for line in ("Thanks", "no, take 1-2", "Ann", "take 3-4 please", "3-4", "12 forests"):
        assert refused(f"take 3-4\n{line}").line == 2


def test_text_before_the_orders_is_not_skipped() -> None:
    for greeting in ("Hi,", "Hello there", "I think I will"):
        assert refused(f"{greeting}\n\ntake 3-4").line == 1


def test_a_move_after_other_text_is_not_left_out_in_silence() -> None:
    problem = refused("camp C4 auto\n\nAnd then, please:\nstory 3")
    assert (problem.line, problem.problem) == (4, orders.LATE_ORDER)


def test_no_words_are_no_orders() -> None:
    for text in ("", "\n\n"):
        assert refused(text).problem == orders.NO_WORDS


def test_what_is_said_goes_on_until_an_empty_line() -> None:
    said = read("take 3-4\nsay Well played, that\nwas close\n\nAnn")
    assert said == Orders(play=["take 3-4"], say="Well played, that was close")
    assert read("say: hello").say == "hello"
    assert read("note keep T05\nfor the lake\nsay hi").notes == ["keep T05 for the lake"]
    assert refused("say").right.startswith("say ")
    assert refused("say " + "x" * 201).right == orders.TOO_LONG


def test_asking_for_something() -> None:
    assert read("legal\nboard\nHelp!").asks == ["legal", "board", "help"]
    assert read("legal\nlegal").asks == ["legal"]
    assert refused("board game").line == 1


def test_coming_back() -> None:
    assert read("Back!\n3") == Orders(play=[3], back=True)
    assert refused("back soon").right.startswith("back")


def test_errands() -> None:
    assert read("resign").errands == [Errand("resign")]
    assert read("Hand over.").errands == [Errand("hand_over")]
    for text in (
        "vacation 2026-12-24 2027-01-02",
        "Vacation: 2026-12-24 to 2027-01-02.",
        "holiday from 2026-12-24 until 2027-01-02",
    ):
        (errand,) = read(text).errands
        assert errand == Errand("vacation", date(2026, 12, 24), date(2027, 1, 2))
    for text in ("vacation", "vacation 2026-12-24", "vacation 2026-13-01 2027-01-02"):
        assert refused(text).right == orders.VACATION
    assert refused("vacation 2027-01-02 2026-12-24").right == orders.VACATION
    assert refused("resign please").right.startswith("resign")


def test_numbers_are_looked_up_in_the_list_of_the_mail() -> None:
    listed = {1: "take 1-2", 2: "camp C4 auto"}.get
    assert list(orders.moves_of(read("2, story 3"), listed)) == ["camp C4 auto", "story 3"]
    with pytest.raises(InvalidCommand):
        list(orders.moves_of(read("12"), listed))


@given(st.lists(st.text(max_size=40), max_size=6))
def test_any_lines_are_orders_or_refused_with_what_would_be_right(lines: list[str]) -> None:
    problems = []
    try:
        assert orders.read(lines) != Orders()
    except UnreadableOrder as error:
        problems = [error.problem, error.right]
    assert all(problems)
