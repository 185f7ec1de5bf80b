"""Scores of whole games, reckoned once more from the view, the component set and R8 to R13."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from engine.views import view_for
from tests.engine.game import Game
from tests.engine.plain import Data
from tests.engine.policies import anything, bot, spender, stirrer

Space = dict[str, Any]


class Counted:
    """A finished game as plain data, and what can be counted on it."""

    def __init__(self, game: Game) -> None:
        self.view = view_for(game.state, None)
        self.data: Data = game.export()["component_set"]["data"]
        self.at: dict[tuple[int, int], Space] = {(s["q"], s["r"]): s for s in self.view["spaces"]}
        self.seats = range(len(self.view["tribes"]))
        self.stories = {story["id"]: story for story in self.data["stories"]}
        cards = {card["id"]: card["sides"] for card in self.data["cards"]}
        self.tucked = [
            [cards[one["card"]][one["side"]] for one in tribe["tucked"]]
            for tribe in self.view["tribes"]
        ]

    def near(self, space: Space) -> Iterator[Space]:
        for dq, dr in ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)):
            if other := self.at.get((space["q"] + dq, space["r"] + dr)):
                yield other

    def camps(self, seat: int) -> list[Space]:
        return [s for s in self.at.values() if s["camp"] and s["camp"]["seat"] == seat]

    def joined(self, space: Space, same: Callable[[Space], bool]) -> frozenset[str]:
        """Return the names of all that hangs together with a space and is the same."""
        found, edge = {space["space"]}, [space]
        while edge:
            for other in self.near(edge.pop()):
                if same(other) and other["space"] not in found:
                    found.add(other["space"])
                    edge.append(other)
        return frozenset(found)

    def area(self, space: Space) -> frozenset[str]:
        return self.joined(space, lambda other: other["terrain"] == space["terrain"])

    def waters(self, camps: Iterable[Space]) -> set[frozenset[str]]:
        """Return the water areas beside camps; a camp on water is beside none."""
        ashore = [camp for camp in camps if camp["terrain"] != "water"]
        beside = [other for camp in ashore for other in self.near(camp)]
        return {self.area(other) for other in beside if other["terrain"] == "water"}

    def done(self, seat: int) -> list[Data]:
        tiles = self.view["tribes"][seat]["stories"]
        return [self.stories[tile["story"]] for tile in tiles if tile["completed"]]

    def symbols(self, seat: int, symbol: str) -> int:
        return sum(side.get("symbol") == symbol for side in self.tucked[seat])

    def story_points(self, seat: int) -> int:
        return sum(story["points"] for story in self.done(seat))

    def fire(self, seat: int) -> int:
        last = self.view["tribes"][seat]["camps_left"] == 0
        printed = sum(story["fire"] for story in self.done(seat))
        return printed + self.symbols(seat, "fire") + last

    def berries(self, seat: int) -> int:
        return int(self.view["tribes"][seat]["berries"]) + self.symbols(seat, "berry")

    def sites(self, seat: int, kind: str) -> int:
        names = {camp["space"] for camp in self.camps(seat) if not camp["camp"]["starting"]}
        sites = [s for s in self.view["sites"] if s["kind"] == kind and names & {*s["spaces"]}]
        return len(sites) + self.symbols(seat, kind)


def most(counts: list[int], points: int = 4) -> list[int]:
    return [points * (count == max(counts) > 0) for count in counts]


def base(c: Counted) -> Iterator[list[int]]:
    fire = [c.fire(seat) for seat in c.seats]
    yield [c.story_points(seat) for seat in c.seats]
    yield fire
    yield most(fire)
    groups = []
    for seat in c.seats:
        names = {camp["space"] for camp in c.camps(seat)}
        sets = {c.joined(camp, lambda s, n=names: s["space"] in n) for camp in c.camps(seat)}
        groups.append(sum(len(one) > 1 for one in sets))
    yield [4 * number for number in groups]
    yield [2 * c.berries(seat) for seat in c.seats]


def teams(c: Counted) -> Iterator[list[int]]:
    fire = [c.fire(a) + c.fire(b) for a, b in ((0, 2), (1, 3))]
    yield [c.story_points(a) + c.story_points(b) for a, b in ((0, 2), (1, 3))]
    yield fire
    yield most(fire)
    shared = []
    for a, b in ((0, 2), (1, 3)):
        of = {camp["space"]: camp["camp"]["seat"] for s in (a, b) for camp in c.camps(s)}
        sets = {c.joined(camp, lambda s, n=of: s["space"] in n) for camp in c.camps(a)}
        shared.append(sum(any(of[name] == b for name in one) for one in sets))
    yield [4 * number for number in shared]
    yield [4 * min(c.berries(a), c.berries(b)) for a, b in ((0, 2), (1, 3))]


def downpour(c: Counted) -> Iterator[list[int]]:
    fire = [c.fire(seat) for seat in c.seats]
    yield [c.story_points(seat) for seat in c.seats]
    yield fire
    yield most(fire)
    yield [
        3 * len({c.area(s) for s in c.camps(seat) if s["terrain"] in ("forest", "mountain")})
        for seat in c.seats
    ]
    yield [4 * min(c.berries(seat), c.sites(seat, "artefact")) for seat in c.seats]


def volcano(c: Counted) -> Iterator[list[int]]:
    crater = next(s for s in c.at.values() if s["space"] == "X0")
    camps = Counter(s["camp"]["seat"] for s in c.near(crater) if s["camp"])
    there = [camps[seat] for seat in c.seats]
    fire = [c.fire(seat) for seat in c.seats]
    everything = [a + b for a, b in zip(fire, there, strict=True)]
    yield [c.story_points(seat) for seat in c.seats]
    yield fire
    yield there
    yield most(everything)
    yield [2 * len(c.waters(c.camps(seat))) for seat in c.seats]
    owner = {tile["letter"]: tile["seat"] for tile in c.view["tiles"]}
    yield [
        2 * sum(bool(_others(c, owner, camp, seat)) for camp in c.camps(seat)) for seat in c.seats
    ]
    yield [3 * min(c.berries(seat), everything[seat]) for seat in c.seats]


def _others(c: Counted, owner: dict[str, int | None], camp: Space, seat: int) -> set[str]:
    """Return the starting tiles of others that a camp stands beside, and not on."""
    letters = {other["space"][0] for other in c.near(camp)} - {camp["space"][0]}
    return {letter for letter in letters if owner.get(letter) not in (None, seat)}


def lake_villages(c: Counted) -> Iterator[list[int]]:
    fire = [c.fire(seat) for seat in c.seats]
    yield [c.story_points(seat) for seat in c.seats]
    yield fire
    yield most(fire)
    points: Counter[int] = Counter()
    for lake in {c.area(s) for s in c.at.values() if s["terrain"] == "water"}:
        counts = [sum(lake in c.waters([camp]) for camp in c.camps(seat)) for seat in c.seats]
        best = [seat for seat in c.seats if counts[seat] == max(counts) > 0]
        points.update({seat: 6 if len(best) == 1 else 3 for seat in best})
    yield [points[seat] for seat in c.seats]
    yield [3 * min(c.berries(seat), c.sites(seat, "pigment")) for seat in c.seats]
    yield [3 * tribe["fish"] for tribe in c.view["tribes"]]


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("lines", [base, teams, downpour, volcano, lake_villages])
def test_the_score_is_what_the_rules_say(
    lines: Callable[[Counted], Iterator[list[int]]], number: int
) -> None:
    players = 4 if lines is teams else 2 + number % 3
    styles = [[anything, spender, stirrer, bot][(number + seat) % 4] for seat in range(players)]
    game = Game(players, number, scenario=lines.__name__).play(styles)
    assert game.state.ended is not None
    scored = zip(*(score.lines for score in game.state.ended.scores), strict=True)
    assert [[line.points for line in term] for term in scored] == list(lines(Counted(game)))
