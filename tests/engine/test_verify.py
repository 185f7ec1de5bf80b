"""Checking an export: every tampering is found, even by somebody who hashes all rows again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import commands as c
from engine import events as e
from engine.verify import verify
from tests.engine.game import Dice, Game, events_of, rechained, secret
from tests.engine.plain import Data, plain
from tests.engine.policies import anything, bot, spender
from tests.engine.positions import games, played, repeatable

FULL = ("anything",)
"""A style of play that shuffles, draws rewards, and takes story tiles from row and pile."""


def full_game() -> Game:
    """Return a game of 3 in which everything happens that can be tampered with."""
    return played(3, 1, FULL)


def problems(export: Data, head: str | None = None) -> tuple[str, ...]:
    return verify(export, head).problems


def head_of(export: Data) -> str:
    return f"{export['moves'][-1]['number']}:{export['moves'][-1]['hash']}"


# ---- What is right ---------------------------------------------------------------------------


@given(games)
@repeatable(30)
def test_a_game_that_was_played_has_no_problems_and_no_notes(game: Game) -> None:
    report = verify(game.export())
    assert (report.problems, report.notes) == ((), ())
    assert report.ok
    assert (report.game, report.moves) == (game.name, len(game.rows))


def test_bots_without_contributions_and_another_component_set_are_verified() -> None:
    game = Game(3, 2, plain(), ["human", "bot", "bot"]).play([anything, bot, bot])
    assert verify(game.export()).problems == ()


def test_a_game_with_undos_is_verified() -> None:
    game = Game(2, 3)
    while not game.state.over:
        game.play([anything, anything], moves=1)
        if game.state.undoable and not game.state.over:
            game.submit(game.state.undoable.seat, [c.Undo()])
            game.play([bot, bot], moves=1)
    report = verify(game.export())
    assert (report.problems, report.notes) == ((), ())
    assert any("undone" in repr(move["events"]) for move in game.moves)


def test_every_head_that_was_printed_is_found() -> None:
    export = full_game().export()
    for move in export["moves"]:
        assert problems(export, f"{move['number']}:{move['hash']}") == ()
    assert verify(export).head == head_of(export)


# ---- What is changed and not hashed again ------------------------------------------------------


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every plain value in an export."""
    children = value.items() if isinstance(value, dict) else enumerate(value)
    for key, child in children:
        if isinstance(child, dict | list) and child:
            yield from leaves(child, (*path, key))
        else:
            yield (*path, key)


def changed(value: Any) -> Any:
    """Return another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str):
        last = "1" if value.endswith("0") else "0"
        return value[:-1] + last
    return 0


@given(st.data())
@repeatable(300)
def test_a_change_of_any_value_is_found(data: st.DataObject) -> None:
    export = full_game().export()
    *way, last = data.draw(st.sampled_from(list(leaves(export))))
    place = export
    for key in way:
        place = place[key]
    place[last] = changed(place[last])
    assert problems(export)


@pytest.mark.parametrize("key", ["moves", "seats", "contributions"])
def test_something_left_out_is_found(key: str) -> None:
    for at in range(len(full_game().export()[key])):
        export = full_game().export()
        del export[key][at]
        assert problems(export)


def test_two_rows_in_another_order_are_found() -> None:
    export = full_game().export()
    moves = export["moves"]
    moves[4], moves[5] = moves[5], moves[4]
    assert problems(export)


def test_a_seats_own_view_cannot_be_checked() -> None:
    assert problems(full_game().export() | {"view": "seat:0"})


# ---- What is hashed again ----------------------------------------------------------------------


def test_a_cut_tail_is_found_by_its_head() -> None:
    export = Game(2).play([bot, bot], moves=9).export()
    head = head_of(export)
    export["moves"] = export["moves"][:-3]
    assert problems(export) == ()
    assert problems(export, head)


def test_a_rewritten_tail_is_found_by_its_head() -> None:
    export = Game(2).play([bot, bot], moves=9).export()
    other = Game(2).play([anything, anything], moves=9).export()
    assert problems(other) == ()
    assert problems(other, head_of(export))


def test_a_cut_tail_of_a_finished_game_is_found() -> None:
    export = full_game().export()
    export["moves"] = export["moves"][:-1]
    assert problems(export)


def swap_pile(export: Data) -> None:
    (dealt,) = events_of(export, "game_set_up")
    dealt["pile"][0], dealt["pile"][1] = dealt["pile"][1], dealt["pile"][0]


def swap_story_pile(export: Data) -> None:
    (dealt,) = events_of(export, "game_set_up")
    dealt["stories"]["pile"].reverse()


def turn_a_tile(export: Data) -> None:
    (dealt,) = events_of(export, "game_set_up")
    dealt["tiles"][0]["rotation"] = (dealt["tiles"][0]["rotation"] + 1) % 6


def deal_a_shuffle_again(export: Data) -> None:
    order = events_of(export, "pile_shuffled")[0]["order"]
    order[0], order[-1] = order[-1], order[0]


def leave_a_shuffle_out(export: Data) -> None:
    for move in export["moves"]:
        move["events"] = [e for e in move["events"] if e["type"] != "pile_shuffled"]


def seed(export: Data) -> None:
    export["seed"] = secret("another").hex()


def contribution(export: Data) -> None:
    export["contributions"][1] = secret("another").hex()


def score(export: Data) -> None:
    (ended,) = events_of(export, "game_ended")
    ended["scores"][0]["lines"][0]["points"] += 1
    ended["scores"][0]["total"] += 1
    export["result"]["scores"] = ended["scores"]


def winner(export: Data) -> None:
    (ended,) = events_of(export, "game_ended")
    ended["winners"] = [seat for seat in range(3) if seat not in ended["winners"]]
    export["result"]["winners"] = ended["winners"]


def result(export: Data) -> None:
    export["result"]["winners"] = [0, 1, 2]


def layout(export: Data) -> None:
    export["layout"] = "2p"


def components(export: Data) -> None:
    export["component_set"]["data"]["stories"][0]["points"] += 1


def draw_another_card(kind: str, name: str) -> Callable[[Data], None]:
    """Turn up what lies second on the pile, not first."""

    def change(export: Data) -> None:
        drawn = [e for e in events_of(export, kind) if e.get("from", "pile") == "pile"]
        first, second = drawn[:2]
        first[name], second[name] = second[name], first[name]

    change.__name__ = f"another {kind}"
    return change


TAMPERINGS = [
    swap_pile,
    swap_story_pile,
    turn_a_tile,
    deal_a_shuffle_again,
    leave_a_shuffle_out,
    seed,
    contribution,
    score,
    winner,
    result,
    layout,
    components,
    draw_another_card("row_filled", "card"),
    draw_another_card("reward_drawn", "card"),
    draw_another_card("story_row_filled", "story"),
]


@pytest.mark.parametrize("change", TAMPERINGS, ids=lambda change: change.__name__)
def test_tampering_is_found_although_everything_is_hashed_again(
    change: Callable[[Data], None],
) -> None:
    export = full_game().export()
    change(export)
    assert problems(rechained(export))


def test_a_shuffle_while_cards_are_left_to_draw_is_found() -> None:
    game = Game(2).play([bot, bot], moves=9)
    assert game.state.pile
    assert game.state.discard
    order = game.chance.shuffle(game.state.chance_uses, game.state.discard)
    game.operate(e.PileShuffled(pile="draw", order=order))
    assert problems(game.export())


def test_the_game_that_is_tampered_with_has_it_all() -> None:
    export = full_game().export()
    for kind in ("pile_shuffled", "reward_drawn", "story_row_filled", "game_ended"):
        assert events_of(export, kind)
    assert problems(rechained(export)) == ()


def test_an_undo_that_was_not_possible_is_noted() -> None:
    """The move turned up cards, so that nobody could take it back."""
    game = Game(2).play([bot, bot], moves=2)
    seat = game.asked
    game.say("take 1-2")
    move = game.state.version
    game._log(seat, "player", None, [c.Undo()], [e.Undone(from_=move, to=move)])
    report = verify(game.export())
    assert report.problems == ()
    assert report.notes[0].startswith(f"move {move + 1} would be refused today")


def test_an_undo_of_another_seats_move_is_noted() -> None:
    for number in range(50):
        game = Game(2, number).play([anything, anything], moves=12)
        if game.state.undoable:
            break
    last = game.state.undoable
    assert last is not None
    undone = e.Undone(from_=last.move, to=last.move)
    game._log(1 - last.seat, "player", None, [c.Undo()], [undone])
    report = verify(game.export())
    assert report.problems == ()
    assert "would be refused today" in report.notes[0]


def left_game() -> Game:
    """Return a game with rows that have no commands: an undo by consent, a pause, forfeits."""
    game = Game(3, 5).play([anything] * 3, moves=12)
    game.agree_to_take_back(9)
    game.operate(e.GamePaused(seconds=60))
    game.play([anything] * 3, moves=4)
    game.forfeit(game.asked)
    game.play([anything] * 3, moves=8)
    game.forfeit(game.state.seats_in_play[0], "timed_out", "clock")
    return game


def test_a_game_that_seats_have_left_is_verified() -> None:
    report = verify(left_game().export())
    assert (report.problems, report.notes) == ((), ())


def test_a_seat_that_is_out_is_no_winner() -> None:
    export = left_game().export()
    (ended,) = events_of(export, "game_ended")
    (left, *_) = events_of(export, "seat_forfeited")
    ended["winners"] = export["result"]["winners"] = [left["seat"]]
    assert "the recorded score" in problems(rechained(export))[0]


@pytest.mark.parametrize("seat", [0, None])
def test_an_answer_that_nobody_gave_is_noted(seat: int | None) -> None:
    game = Game(2).play([bot, bot], moves=2)
    asked = game.asked
    cards = tuple(card for card in game.state.row[:2] if card)
    game._log(seat, "bot", None, (), [e.CardsTaken(seat=asked, places=(1, 2), cards=cards)])
    report = verify(game.export())
    assert report.problems == ()
    assert report.notes == ("move 4 answers a question without a command of its seat",)


@pytest.mark.parametrize("kind", ["cards_taken", "story_taken"])
def test_what_was_taken_lay_where_it_was_taken(kind: str) -> None:
    export = full_game().export()
    first, second = [taken for taken in events_of(export, kind) if taken.get("from") != "pile"][:2]
    name = "cards" if kind == "cards_taken" else "story"
    first[name], second[name] = second[name], first[name]
    assert problems(rechained(export))[0].endswith(
        f"{kind} is not what lay there or the seed gives"
    )


@pytest.mark.parametrize(
    "file",
    [
        [],
        None,
        "text",
        17,
        {},
        {"moves": [1]},
        {"format": "dewan-game/1"},
        {"format": "dewan-game/1", "view": "open"},
        {"format": "dewan-game/1", "view": "open", "component_set": None},
    ],
    ids=repr,
)
def test_what_is_no_game_at_all_is_a_problem_and_no_error(file: Any) -> None:
    assert verify(file).problems


@pytest.mark.parametrize("value", [None, [], [1], {}, "?", 1], ids=repr)
def test_a_field_of_another_kind_is_a_problem_and_no_error(value: object) -> None:
    for key in full_game().export():
        assert problems(full_game().export() | {key: value}), key


@cache
def scenario_game(scenario: str) -> Game:
    """Return a game that was played to its end, with shuffled discards, and fish if there are."""
    styles = [anything, spender, bot, anything]
    for number in range(30):
        game = Game(4 if scenario == "teams" else 3, number, scenario=scenario).play(styles)
        happened = {type(event) for event in game.events()}
        if e.PileShuffled in happened and (
            e.FishResolved in happened or not game.scenario.villages
        ):
            return game
    raise AssertionError("no game has it all")


SCENARIO_TAMPERINGS: list[tuple[str, str, Callable[[Data], object]]] = [
    ("downpour", "game_set_up", lambda event: event["small_pile"].reverse()),
    ("downpour", "game_set_up", lambda event: event["supply"].reverse()),
    ("downpour", "small_pile_made", lambda event: event["cards"].reverse()),
    ("downpour", "small_pile_made", lambda event: event["cards"].pop()),
    ("volcano", "pile_shuffled", lambda event: event["order"].reverse()),
    ("lake_villages", "fish_resolved", lambda event: event["answers"][0].update(card="T99")),
]


@pytest.mark.parametrize(("scenario", "kind", "change"), SCENARIO_TAMPERINGS)
def test_tampering_with_a_scenarios_piles_is_found(
    scenario: str, kind: str, change: Callable[[Data], object]
) -> None:
    export = scenario_game(scenario).export()
    change(events_of(export, kind)[0])
    assert problems(rechained(export))


@pytest.mark.parametrize("scenario", ["teams", "downpour", "volcano", "lake_villages"])
def test_games_of_all_scenarios_have_no_problems_and_no_notes(scenario: str) -> None:
    report = verify(scenario_game(scenario).export())
    assert (report.problems, report.notes) == ((), ())


def test_a_move_that_the_rules_do_not_allow_is_noted() -> None:
    export = full_game().export()
    commands = (command for move in export["moves"] for command in move["commands"])
    take = next(command for command in commands if command["type"] == "take")
    take["places"] = [1, 3]
    report = verify(rechained(export))
    assert report.problems == ()
    assert "would be refused today" in report.notes[0]


@given(st.integers(0, 10**6))
@repeatable(100)
def test_a_damaged_file_is_reported_and_never_an_error(number: int) -> None:
    """Some row of the log has lost a field, or has another in its place."""
    dice, export = Dice("damage", number), full_game().export()
    event = dice.pick([event for move in export["moves"] for event in move["events"]])
    key = dice.pick(sorted(event))
    if dice.one_in(2):
        del event[key]
    else:
        event[key] = dice.pick([None, [], "?", -1, {}])
    assert problems(rechained(export)) or verify(rechained(export)).notes
