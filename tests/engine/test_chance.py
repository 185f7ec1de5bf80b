"""Chance, worked out once more from docs/chance.md and from nothing of the engine."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from engine import commands as c
from engine.chance import Chance, commitment
from engine.components.shipped import hearth
from engine.scenarios import SCENARIOS
from engine.setup import set_up
from tests.engine.docs import code_of
from tests.engine.game import Game, events_of, rechained, secret
from tests.engine.plain import Data, hearth_data
from tests.engine.policies import anything, bot, spender, stirrer
from tests.engine.positions import played

SEED = bytes(range(32))
GIVEN = [bytes([1]) * 32, None, bytes([3]) * 32]
KEY = hashlib.sha256(b"dewan-chance/1" + SEED + bytes([1]) * 32 + bytes([3]) * 32).digest()


def words(key: bytes, use: int) -> Iterator[int]:
    block = 0
    while True:
        message = use.to_bytes(8, "big") + block.to_bytes(8, "big")
        digest = hmac.new(key, message, hashlib.sha256).digest()
        for start in (0, 8, 16, 24):
            yield int.from_bytes(digest[start : start + 8], "big")
        block += 1


def below(numbers: Iterator[int], k: int) -> int:
    w = next(numbers)
    while w >= 2**64 // k * k:
        w = next(numbers)
    return w % k


def shuffled(key: bytes, use: int, ids: list[str]) -> list[str]:
    numbers, pile = words(key, use), sorted(ids)
    i = len(pile) - 1
    while i >= 1:
        j = below(numbers, i + 1)
        pile[i], pile[j] = pile[j], pile[i]
        i -= 1
    return pile


# ---- Known answers ---------------------------------------------------------------------------


def test_the_commitment_binds_game_and_seed() -> None:
    known = "1986ccd05ad0aa8437a41e413e91bb654ee972412e7257f6a24c0e73a87e54c1"
    assert commitment("game-1", SEED) == known
    assert hashlib.sha256(b"dewan-seed/1" + b"game-1" + SEED).hexdigest() == known
    assert commitment("game-2", SEED) != known


def test_a_shuffle_has_a_known_answer() -> None:
    ids = [f"T{number:02}" for number in range(1, 11)]
    known = "T04 T02 T03 T09 T06 T01 T10 T05 T08 T07"
    assert Chance(SEED, GIVEN).shuffle(4, ids) == tuple(known.split())


def test_a_number_has_a_known_answer() -> None:
    known = [1, 2, 1, 0, 2, 1, 2, 0, 2, 2, 3, 0]
    assert Chance(SEED, GIVEN).below(5, 4, times=12) == known


# ---- Worked out again ------------------------------------------------------------------------


@pytest.mark.parametrize("use", [0, 1, 7, 2**40])
def test_shuffles_are_as_documented(use: int) -> None:
    ids = sorted(hearth().cards)
    assert list(Chance(SEED, GIVEN).shuffle(use, ids)) == shuffled(KEY, use, ids)


@pytest.mark.parametrize("limit", [1, 2, 6, 10**6, 2**63 + 1, 2**64])
def test_numbers_are_as_documented(limit: int) -> None:
    numbers = words(KEY, 3)
    expected = [below(numbers, limit) for _ in range(50)]
    assert Chance(SEED, GIVEN).below(3, limit, times=50) == expected


def test_words_that_would_favour_small_numbers_are_skipped() -> None:
    limit = 2**63 + 1
    first = [word for word in (next(numbers) for numbers in [words(KEY, 3)] * 50) if word < limit]
    assert len(first) < 50
    assert Chance(SEED, GIVEN).below(3, limit, times=len(first)) == first


def test_the_order_in_which_ids_are_given_does_not_matter() -> None:
    ids = sorted(hearth().stories)
    chance = Chance(SEED, GIVEN)
    assert chance.shuffle(3, ids) == chance.shuffle(3, ids[::-1]) == chance.shuffle(3, {*ids})


def test_one_card_is_shuffled_into_itself() -> None:
    assert Chance(SEED, GIVEN).shuffle(9, ["T01"]) == ("T01",)


def test_every_contribution_changes_every_use() -> None:
    ids = sorted(hearth().cards)
    others = [[bytes(32), None, GIVEN[2]], [GIVEN[0], None, bytes(32)], [GIVEN[2], None, GIVEN[0]]]
    orders = {Chance(SEED, given).shuffle(4, ids) for given in [GIVEN, *others]}
    assert len(orders) == 4


SMALL_PILE = {2: 6, 3: 8, 4: 10}


def dealt_by_hand(players: int, key: bytes, scenario: str = "base") -> Data:
    """Return the set-up that docs/chance.md gives, from the component set's data alone."""
    data: Data = hearth_data()
    ids = {
        kind: [tile["id"] for tile in data["tiles"] if tile["kind"] == kind]
        for kind in ("start", "neutral")
    }
    tiles = {kind: shuffled(key, use, ids[kind]) for use, kind in enumerate(("start", "neutral"))}
    layout = next(layout for layout in data["layouts"] if layout["players"] == players)
    numbers = words(key, 2)
    stories = [
        story["id"]
        for story in data["stories"]
        if scenario != "downpour" or "water" not in story["requires"]
    ]
    stories = shuffled(key, 3, stories)
    size = 0 if scenario in ("base", "teams") else SMALL_PILE[players]
    cards = shuffled(key, 4, [card["id"] for card in data["cards"]])
    after_hands = cards[2 * players :]
    return {
        "tiles": [tiles[place["role"]].pop(0) for place in layout["tiles"]],
        "rotations": [below(numbers, 6) for _ in layout["tiles"]],
        "stories": (stories[:5], stories[5:]),
        "hands": [cards[2 * seat : 2 * seat + 2] for seat in range(players)],
        "row": after_hands[:6],
        "pile": [] if size else after_hands[6:],
        "small_pile": after_hands[6 : 6 + size],
        "supply": after_hands[6 + size :] if size else [],
        "start_seat": below(words(key, 5), players),
    }


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("scenario", ["base", "downpour", "volcano", "lake_villages"])
def test_the_set_up_is_dealt_as_documented(players: int, number: int, scenario: str) -> None:
    given = [secret("contribution", number, seat) for seat in range(players)]
    seed = secret("seed", number)
    key = hashlib.sha256(b"dewan-chance/1" + seed + b"".join(given)).digest()
    dealt = set_up(hearth(), SCENARIOS[scenario], players, Chance(seed, given))
    assert dealt_by_hand(players, key, scenario) == {
        "tiles": [tile.id for tile in dealt.tiles],
        "rotations": [tile.rotation for tile in dealt.tiles],
        "stories": (list(dealt.stories.row), list(dealt.stories.pile or ())),
        "hands": [list(hand or ()) for hand in dealt.hands],
        "row": list(dealt.row),
        "pile": list(dealt.pile or ()),
        "small_pile": list(dealt.small_pile or ()),
        "supply": list(dealt.supply or ()),
        "start_seat": dealt.start_seat,
    }


# ---- The program in docs/chance.md -----------------------------------------------------------


def check(export: Data) -> list[str]:
    """Run the program of docs/chance.md on an export."""
    program: dict[str, Any] = {"__name__": "docs"}
    exec(code_of("chance.md"), program)
    problems: list[str] = program["check"](export)
    return problems


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_documented_program_agrees_with_a_whole_game(players: int) -> None:
    assert check(played(players).export()) == []


@cache
def scenario_game(scenario: str, players: int) -> Game:
    """Return a whole game of a scenario, with a shuffle, and undos."""
    for number in range(30):
        game = Game(players, number, scenario=scenario)
        while not game.state.over:
            game.play([anything, spender, bot, stirrer], moves=1)
            if game.state.undoable and number % 2 and not game.state.over:
                game.submit(game.state.undoable.seat, [c.Undo()])
                game.play([bot] * 4, moves=1)
        if events_of(game.export(), "pile_shuffled"):
            return game
    raise AssertionError("no game has a shuffle")


WITH_SMALL_PILE = pytest.mark.parametrize("scenario", ["downpour", "volcano", "lake_villages"])


@pytest.mark.parametrize("players", [2, 3, 4])
@WITH_SMALL_PILE
def test_the_documented_program_agrees_with_a_game_of_a_scenario(
    scenario: str, players: int
) -> None:
    export = scenario_game(scenario, players).export()
    assert events_of(export, "small_pile_made")
    assert check(export) == []


def test_the_documented_program_agrees_with_a_game_of_teams() -> None:
    assert check(scenario_game("teams", 4).export()) == []


def test_the_documented_program_reads_sealed_answers() -> None:
    """The rows of all but the last have no event."""
    export = scenario_game("lake_villages", 4).export()
    assert [move for move in export["moves"] if not move["events"]]
    assert check(export) == []


@WITH_SMALL_PILE
@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("game_set_up", "small_pile"),
        ("game_set_up", "supply"),
        ("small_pile_made", "cards"),
        ("pile_shuffled", "order"),
    ],
)
def test_the_documented_program_finds_other_piles(scenario: str, kind: str, name: str) -> None:
    export = scenario_game(scenario, 3).export()
    events_of(export, kind)[0][name].reverse()
    assert check(export) != []


def test_the_documented_program_finds_story_tiles_that_should_be_out() -> None:
    export = scenario_game("downpour", 3).export()
    assert check(export | {"scenario": "volcano"}) != []


def test_the_documented_program_finds_a_small_pile_while_cards_are_left() -> None:
    export = Game(2, scenario="downpour").export()
    supply = events_of(export, "game_set_up")[0]["supply"]
    made = {"type": "small_pile_made", "cards": supply[:6]}
    export["moves"].append({"number": 2, "events": [made]})
    assert check(export) == [f"the small pile {supply[:6]}"]


def test_the_documented_program_finds_another_deal() -> None:
    export, other = Game(2, 1).export(), Game(2, 2).export()
    export["moves"] = other["moves"]
    assert check(rechained(export)) != []


def test_the_documented_program_finds_a_shuffle_that_was_done_again() -> None:
    export = played(3).export()
    order = events_of(export, "pile_shuffled")[0]["order"]
    order[0], order[1] = order[1], order[0]
    assert check(export) != []


@pytest.mark.parametrize(
    ("kind", "name"),
    [("row_filled", "card"), ("reward_drawn", "card"), ("story_row_filled", "story")],
)
def test_the_documented_program_finds_another_draw(kind: str, name: str) -> None:
    export = played(3).export()
    first, second, *_ = events_of(export, kind)
    first[name], second[name] = second[name], first[name]
    assert check(export) != []


def test_the_documented_program_finds_another_seed() -> None:
    export = Game(2, 1).export()
    export["seed"] = secret("another").hex()
    assert check(export) != []
