"""Routes and payments as choices on a page."""

from __future__ import annotations

import pytest

from engine.errors import IllegalMove
from engine.rules import routes
from engine.rules.payment import Step
from engine.state import State
from games.web import paying
from tests.engine.table import Table

LINE = "*0  f  f  d  *1"
NAMES = ["Ann", "Ben"]


def steps(state: State, *spaces: str) -> list[Step]:
    return routes.steps_of(state, 0, spaces)


def cards(payment: object) -> list[str]:
    return [paid.card for paid in payment]  # type: ignore[attr-defined]


def test_of_identical_cards_one_is_offered_and_counted() -> None:
    state = Table(LINE, hands={0: "B1 B2 F1 F2 X1"}).state

    first, second = paying.step_choices(state, 0, steps(state, "A0", "A1"), NAMES)

    assert [(choice.card.id, choice.count) for choice in first.cards] == [
        ("B1", 2),
        ("F1", 2),
        ("X1", 1),
    ]
    assert [choice.card.id for choice in second.cards] == ["F1", "X1"]
    assert [choice.preselected for choice in second.cards] == [True, False]
    assert (first.terrain, second.terrain) == (None, "forest")


def test_a_card_picked_twice_stands_for_its_copy() -> None:
    state = Table(LINE, hands={0: "B1 F1 F2"}).state

    payment = paying.named_payment(state, 0, steps(state, "A0", "A1", "A2"), ["B1", "F1", "F1"])

    assert cards(payment) == ["B1", "F1", "F2"]


@pytest.mark.parametrize("picked", [["F1", "F1"], ["B1", "B1"], ["F1", "nothing"], ["F1"]])
def test_what_does_not_pay_is_refused(picked: list[str]) -> None:
    state = Table(LINE, hands={0: "B1 F1"}).state

    with pytest.raises(IllegalMove):
        paying.named_payment(state, 0, steps(state, "A0", "A1"), picked)


def test_what_makes_no_difference_is_not_asked() -> None:
    same = Table(LINE, hands={0: "F1 F2 F3"}).state
    other = Table(LINE, hands={0: "F1 F2 X1"}).state

    only = paying.only_payment(same, 0, steps(same, "A0", "A1"))
    assert only is not None
    assert sorted(cards(only)) == ["F1", "F2"]
    assert paying.only_payment(other, 0, steps(other, "A0", "A1")) is None


def test_a_route_is_read_back_from_its_address() -> None:
    state = Table(LINE, hands={0: "F1"}).state

    assert paying.payment_path("game", ["A0", "A1"]) == "/games/game/pay/?route=A0-A1"
    spaces, found = paying.route_of(state, 0, "a0-a1")
    assert spaces == ("A0", "A1")
    assert len(found) == 2
    for nonsense in ("", "A0", "A0-A3", "<b>"):
        with pytest.raises(IllegalMove):
            paying.route_of(state, 0, nonsense)
