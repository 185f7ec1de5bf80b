"""The golden games: one for each number of players, way to end, scenario, and rare event."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import msgspec

from engine import events as e
from engine.components import ComponentSet, parse
from engine.components.shipped import hearth
from tests.engine.game import Game
from tests.engine.plain import hearth_data
from tests.engine.policies import POLICIES
from tests.golden.transcript import transcript

FOLDER = Path(__file__).parent


@cache
def special(name: str) -> ComponentSet:
    """Return Hearth with the tables of ``sets/NAME.json`` in place of its own."""
    tables = msgspec.json.decode((FOLDER / "sets" / f"{name}.json").read_bytes())
    return parse(hearth_data() | tables)


class Leaver(msgspec.Struct, frozen=True):
    """A seat that leaves the game after so many moves, and why."""

    after: int
    seat: int
    reason: str


class Golden(msgspec.Struct, frozen=True):
    """A game, and what its transcript is kept for."""

    name: str
    title: str
    number: int
    styles: tuple[str, ...]
    shows: Callable[[Game], bool]
    components: str | None = None
    scenario: str = "base"
    leavers: tuple[Leaver, ...] = ()

    @property
    def file(self) -> Path:
        return FOLDER / f"{self.name}.txt"

    def new(self) -> Game:
        """Return the game as it is dealt."""
        components = special(self.components) if self.components else hearth()
        return Game(len(self.styles), self.number, components, scenario=self.scenario)

    def played(self) -> Game:
        """Return the game played to its end."""
        policies = [POLICIES[style] for style in self.styles]
        game = self.new()
        for leaver in self.leavers:
            game.play(policies, leaver.after - len(game.rows))
            game.forfeit(leaver.seat, leaver.reason)
        return game.play(policies)

    def text(self) -> str:
        """Return the transcript as it should be."""
        return transcript(self.title, self.played(), self.styles)


def ended(game: Game) -> e.GameEnded:
    """Return the end of a game that is over."""
    assert game.state.ended is not None
    return game.state.ended


def happened(game: Game, kind: type[e.Event]) -> bool:
    """Tell whether there was an event of this kind."""
    return any(isinstance(event, kind) for event in game.events())


def _last_camps(game: Game) -> int:
    return sum(tribe.camps_left == 0 for tribe in game.state.tribes)


def _tied(game: Game) -> bool:
    totals = [score.total for score in ended(game).scores]
    return totals.count(max(totals)) > 1


def _tie_broken(game: Game) -> bool:
    return _tied(game) and len(ended(game).winners) == 1


def _tie_shared(game: Game) -> bool:
    return _tied(game) and len(ended(game).winners) > 1


def _gifts(game: Game) -> bool:
    return any(
        paid.to is not None
        for event in game.events()
        if isinstance(event, e.CampPlaced)
        for paid in event.payment
    )


def _passed_and_played_on(game: Game) -> bool:
    kinds = [type(event) for event in game.events()]
    return e.Passed in kinds and e.CampPlaced in kinds[kinds.index(e.Passed) :]


def _odd_berry(game: Game) -> bool:
    """Tell whether a seat said where an odd berry goes (R11.3)."""
    return any(
        isinstance(event, e.WaterPlaced | e.LavaPlaced) and event.asks == "share"
        for event in game.events()
    )


def _lava_ended_it(game: Game) -> bool:
    return happened(game, e.LavaPlaced) and ended(game).reason == "no_destination"


def _fish_answers(game: Game) -> list[e.FishAnswer]:
    fished = [event for event in game.events() if isinstance(event, e.FishResolved)]
    return [answer for event in fished for answer in event.answers]


def _fish_for_cards(game: Game) -> bool:
    """Tell whether some gave a card for fish, and some declined."""
    given = {answer.card is not None for answer in _fish_answers(game)}
    return given == {True, False} and any(
        isinstance(event, e.FishResolved) and len(event.answers) > 1 for event in game.events()
    )


def _several_fish(game: Game) -> bool:
    return _fish_for_cards(game) and any(answer.fish > 1 for answer in _fish_answers(game))


def _gift_to_a_partner(game: Game) -> bool:
    return any(
        paid.to is not None and (paid.to - event.seat) % 4 == 2
        for event in game.events()
        if isinstance(event, e.CampPlaced)
        for paid in event.payment
    )


def _leaver_paid_and_beaten(game: Game) -> bool:
    """Tell whether a seat that was out had a card, and one led and could not win (R15.1, R15.3)."""
    out: set[int] = set()
    paid = False
    for event in game.events():
        if isinstance(event, e.SeatForfeited):
            out.add(event.seat)
        if isinstance(event, e.CampPlaced):
            paid |= any(part.to in out for part in event.payment)
    best = max(ended(game).scores, key=lambda score: score.total)
    return paid and out.issuperset(best.seats)


GOLDEN = (
    Golden("two_players", "Two players", 1, ("bot", "bot"), lambda g: _last_camps(g) == 1),
    Golden("three_players", "Three players", 4, ("bot", "anything", "bot"), _gifts),
    Golden("four_players", "Four players", 4, ("bot",) * 4, _gifts),
    Golden(
        "two_last_camps",
        "Two players place their last camp in one round (R8.1)",
        2,
        ("spender", "spender", "bot"),
        lambda g: _last_camps(g) == 2,
    ),
    Golden(
        "tie_broken_by_cards",
        "A tie that cards in hand break (R8.6)",
        12,
        ("anything", "anything"),
        _tie_broken,
    ),
    Golden(
        "tie_shared",
        "A tie that is shared (R8.6)",
        191,
        ("anything", "anything"),
        _tie_shared,
    ),
    Golden(
        "reshuffle",
        "The draw pile runs out and the discards are shuffled (R3.4)",
        314,
        ("spender", "anything"),
        lambda g: happened(g, e.PileShuffled),
    ),
    Golden(
        "forced_pass",
        "A seat that can neither take nor place passes (R3.5)",
        1,
        ("hoarder", "hoarder"),
        _passed_and_played_on,
        "one_terrain",
    ),
    Golden(
        "all_passed",
        "Every seat passed in a round (R8.2)",
        1,
        ("hoarder", "hoarder", "hoarder"),
        lambda g: ended(g).reason == "all_passed",
        "one_terrain",
    ),
    Golden(
        "no_destination",
        "No seat has a destination left (R8.2)",
        1,
        ("bot", "spender"),
        lambda g: ended(g).reason == "no_destination",
        "flooded",
    ),
    Golden(
        "forfeit",
        "A player resigns, later another's time is up, and the third wins (R15)",
        48,
        ("bot", "anything", "bot"),
        _leaver_paid_and_beaten,
        leavers=(Leaver(24, 1, "resigned"), Leaver(48, 0, "timed_out")),
    ),
    Golden(
        "teams",
        "Two teams; a card is given to a partner (R9)",
        1,
        ("bot", "anything", "bot", "spender"),
        _gift_to_a_partner,
        scenario="teams",
    ),
    Golden(
        "downpour_two_players",
        "Rain, and an odd berry (R11)",
        93,
        ("stirrer", "anything"),
        _odd_berry,
        scenario="downpour",
    ),
    Golden(
        "downpour_three_players",
        "Rain with three players (R11)",
        20,
        ("stirrer", "stirrer", "anything"),
        _odd_berry,
        scenario="downpour",
    ),
    Golden(
        "downpour_four_players",
        "Rain with four players (R11)",
        1,
        ("bot", "stirrer", "spender", "stirrer"),
        _odd_berry,
        scenario="downpour",
    ),
    Golden(
        "volcano_two_players",
        "No seat has a destination left on a map under lava (R12, R8.2)",
        22,
        ("stirrer", "anything"),
        _lava_ended_it,
        scenario="volcano",
    ),
    Golden(
        "volcano_three_players",
        "Lava, and an odd berry (R12)",
        26,
        ("stirrer", "stirrer", "anything"),
        _odd_berry,
        scenario="volcano",
    ),
    Golden(
        "volcano_four_players",
        "Lava with four players (R12)",
        3,
        ("stirrer", "spender", "stirrer", "bot"),
        _odd_berry,
        scenario="volcano",
    ),
    Golden(
        "lake_villages_two_players",
        "Fish for cards, answered sealed (R13)",
        4,
        ("spender", "anything"),
        _fish_for_cards,
        scenario="lake_villages",
    ),
    Golden(
        "lake_villages_three_players",
        "Several fish for a card, with three players (R13)",
        11,
        ("spender", "anything", "anything"),
        _several_fish,
        scenario="lake_villages",
    ),
    Golden(
        "lake_villages_four_players",
        "Fish with four players (R13)",
        1,
        ("anything", "spender", "anything", "bot"),
        _several_fish,
        scenario="lake_villages",
    ),
)
