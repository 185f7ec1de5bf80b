"""Notation: lines that people type, and what each of them is answered with."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import commands as c
from engine import notation
from engine.commands import Payment
from engine.errors import AmbiguousCommand, GameError, IllegalMove, InvalidCommand
from engine.legal import legal
from engine.notation import CampPhrase, TuckPhrase, parse
from engine.rules import routes
from engine.views import mask
from tests.engine.docs import text_of as document
from tests.engine.positions import Position, all_positions, repeatable
from tests.engine.table import Table, camp

FORK = "*0  f  m  *1\n  d  m  m"
"""A2 can be reached over A1, or over B0 and B1."""


def phrase(
    to: str,
    start: str | None = None,
    via: str | None = None,
    pay: str | None = None,
    auto: bool = False,
) -> CampPhrase:
    return CampPhrase(
        destination=to,
        start=start,
        via=tuple(via.split()) if via else None,
        cards=tuple(pay.split()) if pay else None,
        auto=auto,
    )


GRAMMAR = {
    "take 3-4": [c.Take(places=(3, 4))],
    "take 3 4": [c.Take(places=(3, 4))],
    "take 3 - 4": [c.Take(places=(3, 4))],
    "take 6": [c.Take(places=(6,))],
    "camp C4": [phrase("C4")],
    "camp C4 from B2": [phrase("C4", "B2")],
    "camp C4 via B5 B6": [phrase("C4", via="B5 B6")],
    "camp C4 from B2 via B5": [phrase("C4", "B2", "B5")],
    "camp C4 pay T05 T12": [phrase("C4", pay="T05 T12")],
    "camp C4 from B2 via B5 pay T05 T12 T33": [phrase("C4", "B2", "B5", "T05 T12 T33")],
    "camp C4 auto": [phrase("C4", auto=True)],
    "camp C4 pay auto": [phrase("C4", auto=True)],
    "camp C4 from B2 via B5 auto": [phrase("C4", "B2", "B5", auto=True)],
    "story 3": [c.Story(place=3)],
    "story pile": [c.Story(place="pile")],
    "tuck T27": [TuckPhrase("T27", None)],
    "tuck T27 forest": [TuckPhrase("T27", "forest")],
    "tuck nothing": [c.Tuck(card=None)],
    "pass": [c.Pass()],
    "undo": [c.Undo()],
    "water C4": [c.Water(space="C4")],
    "lava x0": [c.Lava(space="X0")],
    "share C4 2": [c.Share(shares=(c.PartShare(space="C4", berries=2),))],
    "share C4 2 D1 0": [
        c.Share(shares=(c.PartShare(space="C4", berries=2), c.PartShare(space="D1", berries=0)))
    ],
    "fish T27": [c.Fish(card="T27")],
    "fish nothing": [c.Fish(card=None)],
    "take 3-4, water C4; share C4 2": [
        c.Take(places=(3, 4)),
        c.Water(space="C4"),
        c.Share(shares=(c.PartShare(space="C4", berries=2),)),
    ],
    "CAMP c4 From b2 AUTO": [phrase("C4", "B2", auto=True)],
    "  story   3  ": [c.Story(place=3)],
    "camp C4 auto, story 3": [phrase("C4", auto=True), c.Story(place=3)],
    "camp C4 auto; tuck nothing": [phrase("C4", auto=True), c.Tuck(card=None)],
    "camp C4 auto\ntuck nothing\n": [phrase("C4", auto=True), c.Tuck(card=None)],
    "take 3-4,": [c.Take(places=(3, 4))],
}


@pytest.mark.parametrize(("line", "phrases"), GRAMMAR.items())
def test_every_form_of_the_grammar_is_read(line: str, phrases: list[notation.Phrase]) -> None:
    assert parse(line) == phrases


WRONG = [
    "",
    " , ; \n",
    "steal 3-4",
    "take",
    "take three",
    "take 3-4-5",
    "take 1 2 3",
    "take3-4",
    "camp",
    "camp somewhere",
    "camp C4 from",
    "camp C4 via B5 from B2",
    "camp C4 pay",
    "camp C4 pay T05 auto",
    "camp C44",
    "story",
    "story three",
    "story 3 4",
    "tuck",
    "tuck T27 pigment",
    "tuck nothing forest",
    "pass on",
    "undo all",
    "water",
    "water C4 C5",
    "lava somewhere",
    "share",
    "share C4",
    "share C4 2 D1",
    "share 2 C4",
    "fish",
    "fish T27 T28",
    "fish T27 forest",
    "take 3-4, and then",
    "take " + "9" * 5000,
    "story " + "9" * 5000,
]


@pytest.mark.parametrize("line", WRONG, ids=lambda line: repr(line)[:30])
def test_wrong_text_is_an_invalid_command_with_an_example(line: str) -> None:
    with pytest.raises(InvalidCommand) as error:
        parse(line)
    assert any(word in error.value.detail for word in ("for example", "write it like this"))
    assert len(error.value.detail) < 300


TOKENS = [
    "take",
    "camp",
    "from",
    "via",
    "pay",
    "auto",
    "story",
    "pile",
    "tuck",
    "nothing",
    "water",
    "lava",
    "share",
    "fish",
    "pass",
    "undo",
]
PIECES = st.sampled_from([*TOKENS, "A1", "a2", "Z9", "F1", "T99", "forest", "3", "4-", "-", ","])


@given(st.lists(PIECES | st.text(max_size=4), max_size=9).map(" ".join))
@repeatable(400)
def test_whatever_is_typed_is_understood_or_refused(line: str) -> None:
    table = Table(FORK, hands={0: "B1 F1 X1 D1 M1 M2"})
    with suppress(GameError):
        table.play(line)


# ---- Printing and reading back ---------------------------------------------------------------


@given(all_positions())
@repeatable(60)
def test_every_legal_answer_is_read_back_from_its_text(position: Position) -> None:
    seat, seen = position.asked, mask(position.state, position.asked)
    for entry in legal(seen, seat):
        assert notation.resolve(parse(entry.text), seen, seat) == [entry.command]
        assert notation.text_of(seen, entry.command) == entry.text


def test_a_line_says_several_commands() -> None:
    table = Table("*0 f d *1", hands={0: "F1 F2 K1"}, placed={0: 2})
    line = "camp A1 from A0 pay F1 F2, tuck K1 water"
    assert notation.line_of(table.state, table.commands(line)) == line


def test_a_tucked_sides_terrain_is_said_only_if_there_are_two() -> None:
    state = Table("*0 f *1").state
    assert notation.text_of(state, c.Tuck(card="K1", side=1)) == "tuck K1 water"
    assert notation.text_of(state, c.Tuck(card="F1", side=0)) == "tuck F1"


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (c.Take(places=(6,)), "take 6"),
        (c.Story(place="pile"), "story pile"),
        (c.Tuck(card=None), "tuck nothing"),
        (c.Pass(), "pass"),
        (c.Undo(), "undo"),
        (c.Water(space="A1"), "water A1"),
        (c.Lava(space="A1"), "lava A1"),
        (
            c.Share(
                shares=(c.PartShare(space="A1", berries=2), c.PartShare(space="B0", berries=1))
            ),
            "share A1 2 B0 1",
        ),
        (c.Fish(card="F1"), "fish F1"),
        (c.Fish(card=None), "fish nothing"),
    ],
)
def test_commands_that_are_not_on_any_list_have_a_text_too(command: c.Command, text: str) -> None:
    assert notation.text_of(Table("*0 f *1").state, command) == text


# ---- What words mean -------------------------------------------------------------------------


def test_a_destination_next_to_the_start_is_reached_directly() -> None:
    table = Table(FORK, hands={0: "B1 F1 D1"})
    assert table.commands("camp A1 from A0 auto") == [camp(table, "A0 A1", "B1 F1")]


def test_the_only_start_and_way_need_not_be_named() -> None:
    table = Table("*0 f d m *1", hands={0: "B1 F1 D1"})
    assert table.commands("camp A2 auto") == [camp(table, "A0 A1 A2", "B1 F1 D1")]


def test_auto_may_be_left_out_if_the_payment_makes_no_difference() -> None:
    table = Table("*0 f f0 f *1", hands={0: "F1 F2"})
    assert table.commands("camp A3 from A2") == table.commands("camp A3 from A2 auto")


def route_of(table: Table, line: str) -> str:
    """Return the spaces of the route that a line means."""
    (command,) = table.commands(line)
    assert isinstance(command, c.Camp)
    return " ".join(command.route)


def test_a_way_may_be_named_without_its_start() -> None:
    table = Table(FORK, hands={0: "B1 F1 D1 M1 M2"})
    assert route_of(table, "camp A2 via B0 B1 auto") == "A0 B0 B1 A2"


def test_a_longer_way_than_needed_may_be_named_without_its_start() -> None:
    table = Table(FORK, hands={0: "B1 F1 D1 M1 M2"})
    assert route_of(table, "camp A2 via B0 A1 auto") == "A0 B0 A1 A2"


def test_one_of_two_equal_ways_may_be_named_without_its_start() -> None:
    table = Table("*0 f m *1\n  f m m", hands={0: "B1 F1 F2 M1"})
    assert route_of(table, "camp B1 via A1 auto") == "A0 A1 B1"
    assert route_of(table, "camp B1 via B0 auto") == "A0 B0 B1"


def test_a_way_over_another_camp_of_ones_own_is_no_start_of_its_own() -> None:
    table = Table("*0 f d0 m *1", hands={0: "B1 F1 D1 M1"})
    assert route_of(table, "camp A3 via A1 A2 auto") == "A0 A1 A2 A3"


def test_a_way_with_two_possible_starts_is_ambiguous() -> None:
    table = Table("*0 f d0 b\n  d m *1", hands={0: "B1 F1 D1 M1"})
    error = table.error_of("camp B1 via A1 auto")
    assert isinstance(error, AmbiguousCommand)
    assert [entry.command.route[0] for entry in error.candidates] == ["A0", "A2"]


def test_if_not_all_routes_could_be_looked_at_the_words_are_ambiguous(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One route is found; there may be others."""
    table = Table(FORK, hands={0: "B1 F1 M1"})
    assert route_of(table, "camp A2 auto") == "A0 A1 A2"
    monkeypatch.setattr(routes, "LABELS", 2)
    error = table.error_of("camp A2 auto")
    assert isinstance(error, AmbiguousCommand)
    assert error.detail.startswith("1 or more routes")
    assert [entry.command.route for entry in error.candidates] == [("A0", "A1", "A2")]
    assert route_of(table, "camp A2 from A0 via A1 auto") == "A0 A1 A2"


def test_cards_are_named_in_the_order_of_the_steps() -> None:
    table = Table("*0 f w w d *1", hands={0: "B1 F1 W1 D1"})
    (command,) = table.commands("camp A4 from A0 via A1 A2 A3 pay B1 F1 W1 D1")
    assert isinstance(command, c.Camp)
    assert command.payment[2] == Payment(card="W1", spaces=("A2", "A3"))


@pytest.mark.parametrize("cards", ["B1 F1", "B1 F1 F2 D1"])
def test_too_few_or_too_many_cards_are_refused_with_the_steps(cards: str) -> None:
    table = Table("*0 f d *1", hands={0: "B1 F1 F2 D1"})
    error = table.refuses(f"camp A2 from A0 via A1 pay {cards}", rule="R3.6")
    assert "A0, A1, A2" in error.detail


def test_a_card_with_two_sides_is_tucked_with_one_that_is_named() -> None:
    table = Table("*0 f0 d *1", hands={0: "K1"}, asks="tuck", placed={0: 3})
    error = table.error_of("tuck K1")
    assert isinstance(error, AmbiguousCommand)
    assert [entry.text for entry in error.candidates] == ["tuck K1 desert", "tuck K1 water"]
    assert table.commands("tuck K1 water") == [c.Tuck(card="K1", side=1)]


# ---- Three kinds of answers ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("camp over there", InvalidCommand),
        ("camp A3", IllegalMove),
        ("camp Z9 auto", IllegalMove),
        ("camp A0 auto", IllegalMove),
        ("camp A2", AmbiguousCommand),
        ("camp A2 from A0 via A1", AmbiguousCommand),
        ("take 1-3", IllegalMove),
        ("take one", InvalidCommand),
    ],
)
def test_wrong_illegal_and_ambiguous_are_answered_differently(
    line: str, kind: type[GameError]
) -> None:
    table = Table(FORK, hands={0: "B1 F1 X1 D1 M1 M2"})
    assert type(table.error_of(line)) is kind


def test_a_candidate_can_be_sent_as_it_is() -> None:
    table = Table(FORK, hands={0: "B1 F1 X1 D1 M1 M2"})
    for line in ("camp A2", "camp A2 from A0 via A1"):
        error = table.error_of(line)
        assert isinstance(error, AmbiguousCommand)
        assert 2 <= len(error.candidates) <= notation.CANDIDATES
        for entry in error.candidates:
            assert table.commands(entry.text) == [entry.command]


def test_many_candidates_are_cut_to_20() -> None:
    hand = "F1 A1 X1 Z1 D1 E1 K1 B1 H1 M1 C1 L1 W1 Y1"
    error = Table("*0 f f *1", hands={0: hand}).error_of("camp A2 from A0 via A1")
    assert isinstance(error, AmbiguousCommand)
    assert len(error.candidates) == notation.CANDIDATES


def test_every_word_of_the_grammar_is_documented() -> None:
    assert [word for word in TOKENS if f'"{word}"' not in document("notation.md")] == []


def test_every_example_of_the_document_is_read() -> None:
    blocks = re.findall(r"```notation\n(.*?)```", document("notation.md"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    assert len(lines) >= 10
    for line in lines:
        assert parse(line)
