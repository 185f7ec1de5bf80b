"""Routes, against every simple route that there is, found by definition and brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import msgspec
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine import commands as c
from engine.decide import submit
from engine.legal import legal, routes_to
from engine.rules.routes import _Search
from engine.rules.turn import must_pass
from engine.state import State
from engine.views import mask
from tests.engine.positions import Position, positions, repeatable
from tests.engine.table import Table

SMALL_HAND = 7
"""Hands are cut to this, so that the number of routes they pay for can be counted out."""

WATER = "water"
Multiset = tuple[tuple[str, int], ...]


class Key(msgspec.Struct, frozen=True, order=True):
    """What decides whether a route is worth listing; ``any`` stands for a starting camp."""

    start: str
    destination: str
    recipients: Multiset
    terrains: Multiset

    def dominates(self, other: Key) -> bool:
        """Route A dominates B when start, destination and recipients are equal and A's multiset of
        terrains is contained in B's (and here is not the same)."""
        ends = (self.start, self.destination, self.recipients)
        return (
            ends == (other.start, other.destination, other.recipients)
            and self != other
            and Counter(dict(self.terrains)) <= Counter(dict(other.terrains))
        )


class Brute:
    """All simple routes of a seat, as the rules define them, that its hand can pay."""

    def __init__(self, state: State, seat: int) -> None:
        self.state, self.seat = state, seat
        cards = state.components.cards
        self.hand = [
            frozenset(side.terrain for side in cards[card].sides)
            for card in state.tribes[seat].hand
        ]
        self.answers: dict[Multiset, bool] = {}

    def all_keys(self) -> set[Key]:
        return {self._key(route) for route in self._routes()}

    def undominated(self) -> set[Key]:
        keys = self.all_keys()
        return {key for key in keys if not any(other.dominates(key) for other in keys)}

    def _routes(self) -> Iterator[list[int]]:
        for space, camp in enumerate(self.state.camps):
            if camp and camp.seat == self.seat:
                yield from self._longer([space])

    def _longer(self, route: list[int]) -> Iterator[list[int]]:
        """Yield a route and all that begin with it; what cannot be paid gets no cheaper."""
        if not self._pays(self._terrains(route)):
            return
        here = route[-1]
        free = self.state.camps[here] is None and self.state.terrain[here] != WATER
        if free:
            yield route
        for there in self.state.board.neighbours[here]:
            if there not in route and not self._enters_again(route, there):
                yield from self._longer([*route, there])

    def _enters_again(self, route: list[int], space: int) -> bool:
        """Tell whether the water area of a space was left before."""
        if self.state.terrain[space] != WATER or self.state.terrain[route[-1]] == WATER:
            return False
        return not self._water_area(space).isdisjoint(route)

    def _water_area(self, space: int) -> set[int]:
        area, edge = {space}, [space]
        while edge:
            for near in self.state.board.neighbours[edge.pop()]:
                if self.state.terrain[near] == WATER and near not in area:
                    area.add(near)
                    edge.append(near)
        return area

    def _terrains(self, route: list[int]) -> Multiset:
        """Return the terrains of the steps: a run of water spaces is one step."""
        of = self.state.terrain
        steps = [
            of[space] or "any"
            for before, space in zip([None, *route], route, strict=False)
            if before is None or of[space] != WATER or of[before] != WATER
        ]
        return counted(steps)

    def _key(self, route: list[int]) -> Key:
        names, camps = self.state.board.names, self.state.camps
        passed = [camp.seat for space in route if (camp := camps[space])]
        return Key(
            names[route[0]],
            names[route[-1]],
            counted([str(seat) for seat in passed if seat != self.seat]),
            self._terrains(route),
        )

    def _pays(self, terrains: Multiset) -> bool:
        if terrains not in self.answers:
            needed = [terrain for terrain, times in terrains for _ in range(times)]
            self.answers[terrains] = pays(self.hand, sorted(needed, key="any".__eq__))
        return self.answers[terrains]


def counted(items: list[str]) -> Multiset:
    return tuple(sorted(Counter(items).items()))


def pays(hand: list[frozenset[str]], needed: list[str]) -> bool:
    """Try every way to pay the terrains, one card each."""
    if not needed:
        return True
    first, *rest = needed
    return any(
        pays(hand[:i] + hand[i + 1 :], rest)
        for i, card in enumerate(hand)
        if first in card or first == "any"
    )


def with_small_hand(state: State, seat: int, number: int) -> State:
    tribes = list(state.tribes)
    tribes[seat] = replace(tribes[seat], hand=tribes[seat].hand[-number:])
    return replace(state, tribes=tuple(tribes))


def listed(state: State, seat: int) -> dict[Key, c.Camp]:
    """Return the routes that are listed to all spaces, by what decides whether to list them."""
    found: dict[Key, c.Camp] = {}
    for name in state.board.names:
        routes = routes_to(mask(state, seat), seat, name)
        assert routes.complete
        for entry in routes.entries:
            assert isinstance(entry.command, c.Camp)
            gifts = [str(step.to) for step in entry.steps if step.to is not None]
            index = state.board.index
            terrains = [state.terrain[index[step.spaces[0]]] or "any" for step in entry.steps]
            route = entry.command.route
            key = Key(route[0], route[-1], counted(gifts), counted(terrains))
            assert key not in found, "listed twice"
            found[key] = entry.command
    return found


@st.composite
def turns(draw: st.DrawFn) -> tuple[Position, State, int]:
    """A position, its state with a small hand for the seat that is asked, and the seat."""
    position = draw(positions())
    assume(position.state.questions[0].kind == "turn")
    state = with_small_hand(position.state, position.asked, draw(st.integers(2, SMALL_HAND)))
    return position, state, position.asked


@given(turns())
@repeatable(60)
def test_all_undominated_routes_are_listed_and_no_others(turn: tuple[Position, State, int]) -> None:
    _, state, seat = turn
    assert set(listed(state, seat)) == Brute(state, seat).undominated()


@given(turns())
@repeatable(60)
def test_legal_covers_exactly_the_spaces_that_can_be_reached_and_paid(
    turn: tuple[Position, State, int],
) -> None:
    _, state, seat = turn
    camps = [entry.command for entry in legal(mask(state, seat), seat)]
    offered = {command.route[-1] for command in camps if isinstance(command, c.Camp)}
    assert offered == {key.destination for key in Brute(state, seat).all_keys()}


@given(turns())
@repeatable(40)
def test_every_listed_route_is_accepted_with_its_default_payment(
    turn: tuple[Position, State, int],
) -> None:
    position, state, seat = turn
    answers = [entry.command for entry in legal(mask(state, seat), seat)]
    for command in [*answers, *listed(state, seat).values()]:
        assert submit(state, seat, [command], position.chance).commands[0]


@given(turns(), st.data())
@repeatable(60)
def test_every_card_that_is_offered_for_a_step_can_pay_it(
    turn: tuple[Position, State, int], data: st.DataObject
) -> None:
    _, state, seat = turn
    destinations = sorted({route.destination for route in listed(state, seat)})
    assume(destinations)
    entries = routes_to(mask(state, seat), seat, data.draw(st.sampled_from(destinations))).entries
    cards = state.components.cards
    for step in data.draw(st.sampled_from(entries)).steps:
        terrain = state.terrain[state.board.index[step.spaces[0]]]
        can_pay = [
            card for card in state.tribes[seat].hand if not terrain or cards[card].shows(terrain)
        ]
        assert list(step.cards) == sorted(can_pay)


SPACES = st.sampled_from(["f", "d", "m", "w", ".", "f0", "d0", "m0", "f1", "d1", "m1"])
CARDS = st.sampled_from(["F1", "F2", "F3", "D1", "D2", "D3", "M1", "M2", "M3", "W1", "X1", "Z1"])


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A small map crowded with camps, and some cards."""
    rows, columns = draw(st.integers(2, 3)), draw(st.integers(3, 5))
    spaces = draw(st.lists(SPACES, min_size=rows * columns, max_size=rows * columns))
    spaces[draw(st.integers(0, len(spaces) - 1))] = "*0"
    lines = [" ".join(spaces[row * columns : (row + 1) * columns]) for row in range(rows)]
    hand = draw(st.lists(CARDS, min_size=3, max_size=SMALL_HAND, unique=True))
    return Table("\n".join(lines), hands={0: " ".join(hand)}, placed={0: 0})


@given(tables())
@repeatable(400)
def test_all_undominated_routes_are_listed_on_drawn_maps(table: Table) -> None:
    brute = Brute(table.state, 0)
    assert set(listed(table.state, 0)) == brute.undominated()
    offered = {command.route[-1] for command in table.legal if isinstance(command, c.Camp)}
    assert offered == {key.destination for key in brute.all_keys()}


def test_nothing_is_listed_to_a_space_that_cannot_be_reached() -> None:
    table = Table("*0 f . d *1", hands={0: "B1 F1 D1 D2"})
    assert routes_to(table.state, 0, "A3").entries == ()


def test_equal_routes_are_listed_once() -> None:
    table = Table("*0 f m *1\n  f m m", hands={0: "B1 F1 F2 M1"})
    assert len(routes_to(table.state, 0, "B1").entries) == 1


def test_a_detour_that_gives_a_card_away_is_listed_too() -> None:
    table = Table("*0 f d *1\n  f1 d d", hands={0: "B1 F1 F2 D1"})
    entries = routes_to(table.state, 0, "B1").entries
    assert [[step.to for step in entry.steps] for entry in entries] == [
        [None, None, None],
        [None, 1, None],
    ]


def test_a_gift_on_a_detour_back_is_listed_too() -> None:
    """From B0 over B1, A2's camp and back to A1, which a shorter way has passed already."""
    table = Table("*0 m d1\n  m0 f0 f1", hands={0: "M3 F2 X1 F3 M2"}, placed={0: 0})
    routes = [entry.command.route for entry in routes_to(table.state, 0, "A1").entries]
    assert ("A0", "B0", "B1", "A2", "A1") in routes


def test_nothing_is_listed_to_water_to_a_camp_or_for_another_question() -> None:
    table = Table("*0 f w d *1", hands={0: "B1 F1 W1 D1"})
    assert routes_to(table.state, 0, "A2").entries == ()
    assert routes_to(table.state, 0, "A4").entries == ()
    assert routes_to(table.state, 1, "A1").entries == ()
    asked = Table("*0 f w d *1", hands={0: "B1 F1 W1 D1"}, asks="story")
    assert routes_to(asked.state, 0, "A1").entries == ()


HIDDEN_WAY = """
 .  *0 f1 d1 d1 d1 m1 .  m
 b1 .  b1 b1 f1 d1 m1 b1 .
 d1 .  d1 f1 f1 f1 m1 b1 .
 f1 .  .  .  .  .  .  f1 .
 b1 d1 f1 b1 d1 f1 b1 d1 ."""
"""A8 is free. All short ways to it cost two mountains, a long one, left and below, only one."""

LARGE_HAND = (
    "B1 B2 B3 B4 B5 B6 H1 H2 H3 D1 D2 D3 D4 D5 D6 E1 E2 E3 X1 X2 X3 X4 K1 "
    "F1 F2 F3 F4 F5 F6 A1 A2 A3 Z1 Z2 M1 W1"
)


def hidden_way(hand: str) -> Table:
    """A table without cards in the row; the shortest ways to B7 have all spent the mountain."""
    return Table(HIDDEN_WAY, hands={0: hand}, placed={0: 0}, row="- - - - - -", pile="")


def test_a_way_that_shorter_ones_hide_is_found_all_the_same() -> None:
    table = hidden_way(LARGE_HAND)
    search = _Search(table.state, 0)
    assert (search.routes(), search.complete) == ([], False)
    (command,) = table.legal
    assert isinstance(command, c.Camp)
    assert (len(command.route), command.route[-1]) == (15, "A8")
    assert submit(table.state, 0, [command], table.chance).commands == (command,)


def test_a_seat_with_such_a_way_does_not_pass() -> None:
    assert not must_pass(hidden_way(LARGE_HAND).state, 0)
    assert must_pass(hidden_way(LARGE_HAND.replace("M1 ", "")).state, 0)
