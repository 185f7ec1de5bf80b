"""Routes: from a camp of one's own, step by step, to a free space (R3.6-R3.10).

``steps_of`` reads a route that somebody named and says which rule it breaks; ``find_routes``
finds the routes worth offering. Both look at the map through the same few functions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

import msgspec

from engine.board import Board, Terrains, areas
from engine.components import WATER
from engine.errors import IllegalMove
from engine.rules import payment
from engine.rules.map import destinations, is_destination, village_on
from engine.rules.payment import Step
from engine.state import State


def steps_of(state: State, seat: int, route: tuple[str, ...]) -> list[Step]:
    """Return the steps of a named route; raise IllegalMove with the first rule it breaks."""
    spaces = [_space(state, name) for name in route]
    if len(spaces) < 2:
        raise IllegalMove("R3.6", "a route names its start and its destination at least")
    _check_start(state, seat, spaces[0])
    _check_destination(state, spaces[-1])
    if len(set(spaces)) < len(spaces):
        raise IllegalMove("R3.6", "a route visits no space twice")
    for space in spaces:
        _check_open(state, space)
    for here, there in pairwise(spaces):
        if there not in state.board.neighbours[here]:
            names = state.board.names
            raise IllegalMove("R3.6", f"{names[here]} and {names[there]} are not adjacent")
    steps = [step(state, seat, part) for part in _parts(state, spaces)]
    crossed = [_node(state, state.board.index[step.spaces[0]]) for step in steps]
    if len(set(crossed)) < len(crossed):
        raise IllegalMove("R3.8", "a route enters a water area at most once")
    return steps


def check_ends(state: State, seat: int, start: str | None, destination: str) -> None:
    """Raise IllegalMove unless a route may start (if that is named) and end there."""
    if start is not None:
        _check_start(state, seat, _space(state, start))
    _check_destination(state, _space(state, destination))


def _space(state: State, name: str) -> int:
    if name not in state.board.index:
        raise IllegalMove("R3.6", f"there is no space {name} on this map")
    return state.board.index[name]


def _check_start(state: State, seat: int, space: int) -> None:
    camp = state.camps[space]
    if camp is None or camp.seat != seat:
        starts = ", ".join(state.board.names[s] for s in state.camps_of(seat))
        name = state.board.names[space]
        raise IllegalMove("R3.6", f"no camp of yours stands on {name}; start from {starts}")


def _check_destination(state: State, space: int) -> None:
    name = state.board.names[space]
    if state.camps[space]:
        raise IllegalMove("R3.6", f"{name} is not free: a camp stands there")
    _check_open(state, space)
    if not is_destination(state, space):
        if state.scenario.villages:
            raise IllegalMove("R13.1", f"the water area of {name} has a village already")
        raise IllegalMove("R3.6", f"a camp cannot be placed on {name}: it is water")


def _check_open(state: State, space: int) -> None:
    """Refuse the volcano and lava: no route crosses, starts or ends there (R12.2)."""
    if is_closed(state.board, state.terrain, space):
        name = state.board.names[space]
        raise IllegalMove("R12.2", f"no route passes {name}: the volcano or lava covers it")


def is_closed(board: Board, terrain: Terrains, space: int) -> bool:
    """Tell whether the volcano or lava covers a space: no terrain, and no start (R12.2)."""
    return terrain[space] is None and space not in board.starts


def _parts(state: State, spaces: list[int]) -> list[list[int]]:
    """Split a route into its steps: each land space one, a run of water spaces one (R3.8)."""
    parts: list[list[int]] = []
    for space in spaces:
        if parts and _node(state, parts[-1][0]) == _node(state, space):
            parts[-1].append(space)
        else:
            parts.append([space])
    return parts


def _node(state: State, space: int) -> int:
    return nodes(state).of[space]


def nodes(state: State) -> Nodes:
    """Return the map in steps."""
    return _nodes(state.board, state.terrain)


class Nodes(msgspec.Struct, frozen=True):
    """The map in steps: a node is a land space, or a whole water area (R3.8)."""

    of: tuple[int, ...]
    spaces: dict[int, list[int]]
    near: dict[int, list[int]]


@lru_cache(maxsize=4096)
def _nodes(board: Board, terrain: Terrains) -> Nodes:
    lakes = [area for area in areas(board, terrain).members if terrain[min(area)] == WATER]
    of = list(range(len(terrain)))
    for number, lake in enumerate(lakes, len(terrain)):
        for space in lake:
            of[space] = number
    spaces: dict[int, list[int]] = {}
    for space, node in enumerate(of):
        spaces.setdefault(node, []).append(space)
    near = {
        node: sorted(
            {
                of[n]
                for space in members
                for n in board.neighbours[space]
                if not is_closed(board, terrain, n)
            }
            - {node}
        )
        for node, members in spaces.items()
    }
    return Nodes(tuple(of), spaces, near)


def step(state: State, seat: int, spaces: Iterable[int]) -> Step:
    """Say what a step costs and who gets the card (R3.6d, R3.7, R3.9, R3.10, R13.3)."""
    spaces = tuple(spaces)
    water = state.terrain[spaces[0]] == WATER
    camp = village_on(state, spaces[0]) if water else state.camps[spaces[0]]
    return Step(
        spaces=tuple(state.board.names[space] for space in spaces),
        terrain=state.terrain[spaces[0]],
        to=camp.seat if camp and camp.seat != seat else None,
    )


def reachable(state: State, seat: int) -> set[int]:
    """Return the spaces that routes from the seat's camps can come to, cards ignored (R8.2)."""
    starts = state.camps_of(seat)
    reached = set(starts)
    edge = deque(starts)
    while edge:
        for near in state.board.neighbours[edge.popleft()]:
            if near not in reached and not is_closed(state.board, state.terrain, near):
                reached.add(near)
                edge.append(near)
    return reached


class Route(msgspec.Struct, frozen=True):
    """A route worth offering: every space it passes, and its steps."""

    spaces: tuple[str, ...]
    steps: tuple[Step, ...]


def any_route(state: State, seat: int) -> bool:
    """Tell whether the seat's hand pays for any route at all."""
    search = _Search(state, seat)
    if search.finds_any():
        return True
    return not search.complete and any(
        _Search(state, seat, space, gifts=False).finds_any() for space in destinations(state)
    )


def cheapest_routes(state: State, seat: int) -> list[Route]:
    """Return the routes worth a look, from every camp to every space.

    Left out are those that need all the terrains and give away all the cards of another with
    the same ends, and more; of what remains the ``KEPT`` shortest for each start and space.
    There is one to every space that the hand pays a way to.
    """
    search = _Search(state, seat)
    found = search.routes()
    if not search.complete:
        reached = {route.spaces[-1] for route in found}
        for space in destinations(state):
            if state.board.names[space] not in reached:
                found += _Search(state, seat, space, gifts=False).routes()[:KEPT]
    return found


def undominated_routes(state: State, seat: int, to: str) -> tuple[list[Route], bool]:
    """Return every undominated route that the hand can pay to one space, and whether that is all.

    Route A dominates B when start, destination and recipients are equal and A's terrains are
    contained in B's (docs/api.md, *Routes*); of equal ones the first found, the shortest, stays.
    Detours that give cards to other players can be without number: after ``LABELS`` partial
    routes the search stops, the shortest routes being found by then, and says so.
    """
    destination = _space(state, to)
    if not is_destination(state, destination):
        return [], True
    search = _Search(state, seat, destination)
    return search.routes(), search.complete


KEPT = 12
LABELS = 20_000


class _Label(msgspec.Struct, frozen=True):
    """A way from the start to a node: what it costs, who is given cards, and how it came there.

    ``terrains`` and ``recipients`` are counts packed into integers, ``visited`` a set of nodes as
    bits.
    """

    node: int
    terrains: int
    recipients: int
    visited: int
    before: _Label | None


class _Search:
    """A search for routes, in order of length, on a map of land spaces and whole water areas.

    With a destination and where ``gifts`` count, ways that give cards to different players are
    all kept; else only the cheapest ways. ``complete`` is false if ways may have been left out.
    """

    def __init__(
        self, state: State, seat: int, to: int | None = None, *, gifts: bool = True
    ) -> None:
        self.state = state
        self.seat = seat
        self.gifts = gifts and to is not None
        self.complete = True
        self.purse = payment.Purse(state, seat)
        graph = nodes(state)
        self.near, self.spaces = graph.near, graph.spaces
        self.cost = {node: step(state, seat, spaces) for node, spaces in self.spaces.items()}
        self.end = to
        self.to = None if to is None else graph.of[to]
        self.way_on = {} if self.to is None else self._distances(self.to)

    def _distances(self, to: int) -> dict[int, int]:
        """Return for every node how many steps it is from the destination."""
        distances = {to: 0}
        edge = deque([to])
        while edge:
            node = edge.popleft()
            for near in self.near[node]:
                if near not in distances:
                    distances[near] = distances[node] + 1
                    edge.append(near)
        return distances

    def finds_any(self) -> bool:
        """Tell whether there is a route, without looking for others."""
        starts = self._starts()
        return any(True for start in starts for _ in self._arriving(_node(self.state, start)))

    def _starts(self) -> list[int]:
        """Return the spaces that routes can start from: none when no camp is left to place."""
        camps_left = self.state.tribes[self.seat].camps_left
        return self.state.camps_of(self.seat) if camps_left else []

    def routes(self) -> list[Route]:
        """Return the routes from each of the seat's camps, in the order of starts and ends."""
        return [
            self._route(label, start, end)
            for start in self._starts()
            for label in self._arrivals(_node(self.state, start))
            for end in self._ends(label.node)
        ]

    def _ends(self, node: int) -> list[int]:
        """Return the spaces of a node at which a route may end: several only on a lake (R13.1)."""
        if self.end is not None:
            return [self.end]
        return [space for space in self.spaces[node] if is_destination(self.state, space)]

    def _arrivals(self, start: int) -> list[_Label]:
        """Return the ways from a node to destinations that are worth offering, in their order."""
        arrived: dict[int, list[_Label]] = {}
        for label in self._arriving(start):
            arrived.setdefault(label.node, []).append(label)
        return [label for node in sorted(arrived) for label in self._best(arrived[node])]

    def _arriving(self, start: int) -> Iterator[_Label]:
        """Yield ways from a node to destinations, the shortest first."""
        first = self._extended(None, start)
        seen: dict[tuple[int, int], list[_Label]] = {}
        edge = deque([first] if first else [])
        labels_left = LABELS // len(self.state.camps_of(self.seat))
        while edge:
            if not labels_left:
                self.complete = False
                break
            labels_left -= 1
            label = edge.popleft()
            for node in self.near[label.node]:
                longer = self._extended(label, node)
                if longer is None or self._needless(longer, seen):
                    continue
                edge.append(longer)
                if self._is_destination(node):
                    yield longer

    def _is_destination(self, node: int) -> bool:
        return self.to in (None, node) and is_destination(self.state, self.spaces[node][0])

    def _extended(self, label: _Label | None, node: int) -> _Label | None:
        """Return the label one node further, or None if that is visited or leads to no end."""
        bit = 1 << node
        if label is not None and label.visited & bit:
            return None
        cost = self.cost[node]
        terrains = (label.terrains if label else 0) + payment.UNIT[cost.terrain]
        if not self._can_be_paid(node, terrains):
            return None
        recipients = label.recipients if label else 0
        if cost.to is not None:
            recipients += payment.unit(cost.to)
        visited = (label.visited if label else 0) | bit
        return _Label(node, terrains, recipients, visited, label)

    def _can_be_paid(self, node: int, terrains: int) -> bool:
        """Tell whether the hand pays these terrains, and the shortest way on to the destination."""
        if self.to is None or node == self.to:
            return self.purse.pays(terrains)
        if node not in self.way_on:
            return False
        between = self.way_on[node] - 1
        last = payment.UNIT[self.cost[self.to].terrain]
        return self.purse.pays(terrains + between * payment.UNIT[None] + last)

    def _needless(self, label: _Label, seen: dict[tuple[int, int], list[_Label]]) -> bool:
        """Tell whether earlier labels to the same node do all that this one does.

        Where gifts count, an earlier label stands for this one only if it visits nothing else:
        then every way on from here is open to it too, past the same camps.
        """
        others = seen.setdefault((label.node, label.recipients if self.gifts else 0), [])
        if self.to is None and len(others) == KEPT:
            self.complete = False
            return True
        for other in others:
            stands_for = not self.gifts or not other.visited & ~label.visited
            if stands_for and self._dominates(other, label):
                return True
        others.append(label)
        return False

    def _dominates(self, label: _Label, other: _Label) -> bool:
        if self.gifts and label.recipients != other.recipients:
            return False
        return payment.contains(other.terrains, label.terrains) and payment.contains(
            other.recipients, label.recipients
        )

    def _best(self, labels: list[_Label]) -> list[_Label]:
        """Drop each label that another one dominates; of equals the first, the shortest, stays."""
        kept: list[_Label] = []
        for label in labels:
            if not any(self._dominates(other, label) for other in kept):
                kept.append(label)
        return kept

    def _route(self, label: _Label, start: int, end: int) -> Route:
        """Return the route of a label, water crossings by a shortest way."""
        way = []
        at: _Label | None = label
        while at:
            way.append(at.node)
            at = at.before
        way.reverse()
        steps = []
        near: Collection[int] = (start,)
        for node, following in zip(way, [*way[1:], None], strict=True):
            shore = (end,) if following is None else self.spaces[following]
            spaces = self._crossing(node, near, shore)
            near = self.state.board.neighbours[spaces[-1]]
            steps.append(step(self.state, self.seat, spaces))
        return Route(tuple(name for step in steps for name in step.spaces), tuple(steps))

    def _crossing(self, node: int, near: Collection[int], shore: Collection[int]) -> list[int]:
        """Return the spaces of one step: from one of ``near`` to one of ``shore`` or beside it."""
        members = self.spaces[node]
        if len(members) == 1:
            return members
        neighbours = self.state.board.neighbours
        arrived = (
            set(shore)
            if not set(shore).isdisjoint(members)
            else {space for space in members if not set(shore).isdisjoint(neighbours[space])}
        )
        ways = deque([space] for space in members if space in near)
        tried: set[int] = set()
        while ways:
            way = ways.popleft()
            if way[-1] in arrived:
                return way
            tried.add(way[-1])
            ways.extend([*way, s] for s in neighbours[way[-1]] if s in members and s not in tried)
        raise AssertionError("the spaces of a water area are connected")
