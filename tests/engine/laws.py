"""Laws that hold after every move of every game. ``check_all`` is what the fuzzer checks."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engine import codec, notation
from engine import events as e
from engine.board import areas
from engine.commands import Command
from engine.components import BERRIES_PER_SYMBOL, CAMPS, WATER
from engine.decide import submit
from engine.fold import fold, still_counting
from engine.legal import legal
from engine.rules import row
from engine.state import State
from engine.views import Viewer, mask, view_for
from tests.engine.game import Dice, Game

LARGE_HAND = 10
"""With more cards in hand, listing all legal moves takes long."""

LISTED = 2
LISTED_LARGE = 20
"""Legal moves are listed and tried after one in so many moves, or in so many with a large hand."""


def check_all(game: Game, dice: Dice) -> None:
    """Check every law on the game's state; AssertionError names the first that is broken."""
    state = game.state
    assert state == game.refolded, "the stored rows do not lead to the live state"
    cards_are_conserved(state)
    story_tiles_are_conserved(state)
    berries_are_conserved(game)
    tiles_and_fish_are_conserved(state)
    camps_are_conserved(state)
    a_lake_has_one_village_at_most(state)
    a_turn_has_one_scenario_event_at_most(game)
    the_row_is_full_as_far_as_cards_exist(state)
    who_is_out_has_no_turn_and_does_not_win(state)
    views_hide_what_is_hidden(state)
    if not state.over:
        questions_can_be_answered(game, dice)


def cards_are_conserved(state: State) -> None:
    """All 55 cards are somewhere, each once."""
    places = [state.row, state.pile, state.small_pile or (), state.supply or (), state.discard]
    places += [tribe.hand for tribe in state.tribes]
    places += [tuple(tucked.card for tucked in tribe.tucked) for tribe in state.tribes]
    _once_each([card for place in places for card in place if card], state.components.cards)
    assert all(tribe.secret <= set(tribe.hand) for tribe in state.tribes)


def story_tiles_are_conserved(state: State) -> None:
    """All story tiles of the scenario are somewhere, each once."""
    boards = [tile.story for tribe in state.tribes for tile in tribe.stories]
    row = [story for story in state.story_row if story]
    out = state.scenario.stories_without
    stories = state.components.stories.values()
    in_play = [story.id for story in stories if out not in story.requires]
    _once_each([*row, *state.story_pile, *boards], in_play)


def berries_are_conserved(game: Game) -> None:
    """Berries lie on the map or with a tribe, or left with the last space of their area (R11.3)."""
    state = game.state
    tiles = [state.components.tiles[tile.id] for tile in state.board.tiles]
    symbols = sum(space.berry for tile in tiles for space in tile.spaces)
    taken = sum(tribe.berries for tribe in state.tribes)
    lost = BERRIES_PER_SYMBOL * symbols - taken - sum(state.berries)
    assert min(state.berries) >= 0
    assert all(state.terrain[space] for space, berries in enumerate(state.berries) if berries)
    assert lost == sum(_berries_lost(game))


def _berries_lost(game: Game) -> Iterator[int]:
    """Reckon from the log what left the game: the berries of areas that vanished."""
    for one in still_counting(game.rows):
        for event in one.events:
            if isinstance(event, e.WaterPlaced | e.LavaPlaced) and event.berries_to is None:
                before = fold(game.rows[: one.number - 1], game.components, game.scenario)
                yield before.berries[before.board.index[event.space]]


def tiles_and_fish_are_conserved(state: State) -> None:
    """What has left the stock of the scenario is on the map or with a tribe (R1.7)."""
    covered = [
        space
        for space, (now, first) in enumerate(zip(state.terrain, state.board.spaces, strict=True))
        if now != first.terrain
    ]
    fish = sum(tribe.fish for tribe in state.tribes)
    assert state.stock >= 0
    assert state.stock + len(covered) + fish == state.scenario.stock
    assert not [space for space in covered if state.camps[space]]


def camps_are_conserved(state: State) -> None:
    """Each seat has 9 camps, and each tribe board at most 4 story tiles and 3 tucked cards."""
    for seat, tribe in enumerate(state.tribes):
        assert tribe.camps_left + len(state.camps_of(seat)) == CAMPS
        assert len(tribe.stories) <= 4
        assert len({tucked.slot for tucked in tribe.tucked}) == len(tribe.tucked) <= 3


def a_lake_has_one_village_at_most(state: State) -> None:
    """R13.1; in all other games no camp stands on water (R3.6b)."""
    for area in areas(state.board, state.terrain).members:
        villages = [space for space in area if state.terrain[space] == WATER and state.camps[space]]
        assert len(villages) <= int(state.scenario.villages)


def a_turn_has_one_scenario_event_at_most(game: Game) -> None:
    """R10.3, R10.4: one event a turn, whose end is the new small pile."""
    since: list[e.Event] = []
    for one in reversed(still_counting(game.rows)):
        ended = [i for i, event in enumerate(one.events) if isinstance(event, e.TurnEnded)]
        last_move = one.number == game.rows[-1].number
        if ended and not last_move:
            break
        since = [*one.events, *since]
    assert sum(isinstance(event, e.ScenarioEvent) for event in since) <= 1


def the_row_is_full_as_far_as_cards_exist(state: State) -> None:
    """R3.5: between turns a place is empty only if there is no card left, and then on the left."""
    asked = [question.kind for question in state.questions]
    in_mid_turn = state.ended and state.ended.reason == e.FORFEIT  # R15.4
    if not in_mid_turn and asked in ([], ["turn"], ["draft"]) and None in state.row:
        assert not state.row_pile
        assert not state.reward_pile
        assert not state.discard
        filled = [card is not None for card in state.row]
        assert filled == sorted(filled)


def who_is_out_has_no_turn_and_does_not_win(state: State) -> None:
    """R15: turns of a seat that is out are skipped, and some side is always in play."""
    out = set(state.out)
    assert len(out) == len(state.out)
    assert not [q for q in state.questions if q.kind == "turn" and q.seat in out]
    in_play = [side for side in state.sides if not out.issuperset(side)]
    assert in_play
    assert state.over or len(in_play) > 1
    if state.ended:
        assert all(not out.issuperset(side) for side in _winning_sides(state, state.ended))


def _winning_sides(state: State, ended: e.GameEnded) -> list[tuple[int, ...]]:
    return [side for side in state.sides if set(side).intersection(ended.winners)]


def views_hide_what_is_hidden(state: State) -> None:
    """Every seat and a spectator can look, and none sees a card that it may not know."""
    for viewer in (None, *state.seats):
        served = codec.canonical([view_for(state, viewer)]).decode()
        if not state.over:
            assert not [name for name in _hidden(state, viewer) if f'"{name}"' in served]


def _hidden(state: State, viewer: Viewer) -> list[str]:
    secrets = [c for seat, t in enumerate(state.tribes) if seat != viewer for c in t.secret]
    piles = (*state.pile, *(state.small_pile or ()), *(state.supply or ()), *state.story_pile)
    return [*piles, *secrets]


def questions_can_be_answered(game: Game, dice: Dice) -> None:
    """Some seat is asked something, has an answer, and answers that are listed are accepted."""
    state = game.state
    assert state.questions, "nobody is asked anything"
    for question in state.questions:
        if question.seat in game.sealed:
            continue
        seen = mask(state, question.seat)
        large = len(seen.tribes[question.seat].hand) > LARGE_HAND
        if question.kind == "turn" and not dice.one_in(LISTED_LARGE if large else LISTED):
            assert row.takes(seen) or legal(seen, question.seat)
        else:
            _listed_answers_are_accepted(game, question.seat, dice)


def _listed_answers_are_accepted(game: Game, seat: int, dice: Dice) -> None:
    seen = mask(game.state, seat)
    entries = legal(seen, seat)
    assert entries, f"seat {seat} has no answer"
    for entry in dice.some(entries, 3):
        _is_accepted(game, seat, entry.command)
        assert notation.resolve(notation.parse(entry.text), seen, seat) == [entry.command]


def _is_accepted(game: Game, seat: int, command: Command) -> None:
    outcome = submit(game.state, seat, [command], game.chance)
    assert outcome.events or outcome.sealed
    assert outcome.unapplied == ()


def _once_each(found: list[str], wanted: Collection[str]) -> None:
    assert sorted(found) == sorted(wanted)
