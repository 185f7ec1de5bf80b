"""``evolve(state, event)``: remember what happened. No rule, chance, clock or I/O here.

Everything an event changes is in the event or in the state before it; whether it was
allowed was settled by ``engine.decide`` when it happened and is not asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, TypeVar

from msgspec.structs import replace

from engine import events as e
from engine.board import areas, board_of
from engine.components import TRIBE_CAMPS, WATER, ComponentSet
from engine.scenario import Scenario
from engine.state import CampOnMap, Question, State, StoryOnBoard, Tribe, Tucked

Value = TypeVar("Value")


def set_up(components: ComponentSet, scenario: Scenario, event: e.GameSetUp) -> State:
    """Return the state that the set-up leaves: the first seat is asked to draft (R2)."""
    board = board_of(components, event.tiles, event.spaces)
    camps: list[CampOnMap | None] = [None] * len(event.spaces)
    for tile in event.tiles:
        if tile.seat is not None:
            camps[board.index[f"{tile.letter}0"]] = CampOnMap(tile.seat, True)
    return State(
        components=components,
        scenario=scenario,
        board=board,
        terrain=tuple(space.terrain for space in event.spaces),
        berries=tuple(space.berries for space in event.spaces),
        camps=tuple(camps),
        tribes=tuple(
            Tribe(TRIBE_CAMPS, hand, frozenset(hand)) for hand in event.hands if hand is not None
        ),
        row=event.row,
        pile=event.pile or (),
        small_pile=event.small_pile,
        supply=event.supply,
        stock=scenario.stock,
        story_row=event.stories.row,
        story_pile=event.stories.pile or (),
        start_seat=event.start_seat,
        drafting=event.draft_order,
        questions=(Question(event.draft_order[0], "draft"),),
        chance_uses=SET_UP_CHANCE_USES,
    )


SET_UP_CHANCE_USES = 6
"""Tiles (2), rotations, story tiles, terrain cards, start seat (docs/chance.md)."""


def evolve(state: State, event: e.Event) -> State:
    """Return the state after an event; the state given is unchanged."""
    return _HANDLERS[type(event)](state, event)


def _put(values: tuple[Value, ...], index: int, value: Value) -> tuple[Value, ...]:
    return (*values[:index], value, *values[index + 1 :])


def _without(cards: tuple[str, ...], gone: Collection[str]) -> tuple[str, ...]:
    return tuple([card for card in cards if card not in gone])


def _tribe(state: State, seat: int, **changes: Any) -> tuple[Tribe, ...]:
    return _put(state.tribes, seat, replace(state.tribes[seat], **changes))


def _story_taken(state: State, event: e.StoryTaken) -> State:
    stories = (*state.tribes[event.seat].stories, StoryOnBoard(event.story, False))
    state = replace(state, tribes=_tribe(state, event.seat, stories=stories))
    if isinstance(event.from_, int):
        state = replace(state, story_row=_put(state.story_row, event.from_ - 1, None))
    else:
        state = replace(state, story_pile=state.story_pile[1:])
    return _drafted(state) if state.drafting else replace(state, questions=())


def _drafted(state: State) -> State:
    waiting = state.drafting[1:]
    if waiting:
        return replace(state, drafting=waiting, questions=(Question(waiting[0], "draft"),))
    first = state.start_seat
    questions = (Question(first, "turn"),)
    return replace(state, drafting=(), round=1, active=first, questions=questions)


def _story_row_filled(state: State, event: e.StoryRowFilled) -> State:
    return replace(
        state,
        story_row=_put(state.story_row, event.place - 1, event.story),
        story_pile=state.story_pile[1:],
    )


def _cards_taken(state: State, event: e.CardsTaken) -> State:
    row = tuple([None if i in event.places else card for i, card in enumerate(state.row, 1)])
    hand = state.tribes[event.seat].hand + event.cards
    return replace(state, row=row, tribes=_tribe(state, event.seat, hand=hand), questions=())


def _row_filled(state: State, event: e.RowFilled) -> State:
    row = _put(state.row, event.place - 1, event.card)
    if state.small_pile is None:
        return replace(state, row=row, pile=state.pile[1:])
    return replace(state, row=row, small_pile=state.small_pile[1:])


def _row_closed_up(state: State, event: e.RowClosedUp) -> State:
    return replace(state, row=event.row)


def _passed(state: State, _: e.Passed | e.TurnSkipped) -> State:
    return replace(state, passes=state.passes + 1, questions=())


def _camp_placed(state: State, event: e.CampPlaced) -> State:
    seat, space = event.seat, state.board.index[event.route[-1]]
    tribe = state.tribes[seat]
    spent = {paid.card for paid in event.payment}
    tribes = _tribe(
        state,
        seat,
        camps_left=tribe.camps_left - 1,
        hand=_without(tribe.hand, spent),
        secret=tribe.secret - spent,
    )
    state = replace(
        state,
        tribes=tribes,
        camps=_put(state.camps, space, CampOnMap(seat, False)),
        discard=state.discard + tuple([paid.card for paid in event.payment if paid.to is None]),
        questions=(Question(seat, event.asks),) if event.asks else (),
    )
    for paid in event.payment:
        if paid.to is not None:
            hand = (*state.tribes[paid.to].hand, paid.card)
            state = replace(state, tribes=_tribe(state, paid.to, hand=hand))
    return state


def _berry_taken(state: State, event: e.BerryTaken) -> State:
    space = state.board.index[event.space]
    return replace(
        state,
        berries=_put(state.berries, space, state.berries[space] - 1),
        tribes=_tribe(state, event.seat, berries=state.tribes[event.seat].berries + 1),
    )


def _card_tucked(state: State, event: e.CardTucked) -> State:
    state = replace(state, questions=())
    if event.card is None:
        return state
    tribe = state.tribes[event.seat]
    tribes = _tribe(
        state,
        event.seat,
        hand=_without(tribe.hand, (event.card,)),
        secret=tribe.secret - {event.card},
        tucked=(*tribe.tucked, Tucked(event.slot, event.card, event.side)),
    )
    return replace(state, tribes=tribes)


def _story_completed(state: State, event: e.StoryCompleted) -> State:
    stories = tuple(
        StoryOnBoard(tile.story, tile.completed or tile.story == event.story)
        for tile in state.tribes[event.seat].stories
    )
    return replace(state, tribes=_tribe(state, event.seat, stories=stories))


def _reward_drawn(state: State, event: e.RewardDrawn) -> State:
    assert event.card is not None, "a stored event hides nothing"
    tribe = state.tribes[event.seat]
    tribes = _tribe(
        state, event.seat, hand=(*tribe.hand, event.card), secret=tribe.secret | {event.card}
    )
    if state.supply is None:
        return replace(state, pile=state.pile[1:], tribes=tribes)
    return replace(state, supply=state.supply[1:], tribes=tribes)


def _pile_shuffled(state: State, event: e.PileShuffled) -> State:
    assert event.order is not None, "a stored event hides nothing"
    state = replace(state, discard=(), chance_uses=state.chance_uses + 1)
    if state.supply is None:
        return replace(state, pile=event.order)
    return replace(state, supply=state.supply + event.order)


def _small_pile_made(state: State, event: e.SmallPileMade) -> State:
    assert event.cards is not None, "a stored event hides nothing"
    assert state.supply is not None, "a game with a small pile has a supply"
    supply = state.supply[len(event.cards) :]
    return replace(state, small_pile=event.cards, supply=supply, event_open=False)


def _scenario_event(state: State, event: e.ScenarioEvent) -> State:
    questions = tuple(Question(asked.seat, asked.kind) for asked in event.asks)
    return replace(state, event_open=True, questions=questions)


def _water_placed(state: State, event: e.WaterPlaced) -> State:
    return _covered(state, event, WATER)


def _lava_placed(state: State, event: e.LavaPlaced) -> State:
    return _covered(state, event, None)


def _covered(state: State, event: e.WaterPlaced | e.LavaPlaced, terrain: str | None) -> State:
    index = state.board.index
    space = index[event.space]
    berries = _put(state.berries, space, 0)
    if event.berries_to is not None:
        to = index[event.berries_to]
        berries = _put(berries, to, berries[to] + state.berries[space])
    return replace(
        state,
        terrain=_put(state.terrain, space, terrain),
        berries=berries,
        stock=state.stock - 1,
        questions=(Question(event.seat, event.asks, event.space),) if event.asks else (),
    )


def _berries_moved(state: State, event: e.BerriesMoved) -> State:
    found = areas(state.board, state.terrain)
    berries = list(state.berries)
    for share in event.shares:
        for space in found.area_of(state.board.index[share.space]):
            berries[space] = 0
        berries[state.board.index[share.space]] = share.berries
    return replace(state, berries=tuple(berries), questions=())


def _fish_resolved(state: State, event: e.FishResolved) -> State:
    for answer in event.answers:
        tribe = state.tribes[answer.seat]
        spent = (answer.card,) if answer.card else ()
        tribes = _tribe(
            state,
            answer.seat,
            hand=_without(tribe.hand, spent),
            secret=tribe.secret.difference(spent),
            fish=tribe.fish + answer.fish,
        )
        stock = state.stock - answer.fish
        state = replace(state, tribes=tribes, stock=stock, discard=state.discard + spent)
    return replace(state, questions=())


def _turn_ended(state: State, event: e.TurnEnded) -> State:
    questions = () if event.next is None else (Question(event.next, "turn"),)
    return replace(state, active=event.next, questions=questions)


def _round_ended(state: State, event: e.RoundEnded) -> State:
    return replace(state, round=event.round + 1, passes=0)


def _game_ended(state: State, event: e.GameEnded) -> State:
    # The last round_ended has counted on to a round that is not played; a forfeit has none.
    counted_on = event.reason != e.FORFEIT
    return replace(state, active=None, questions=(), round=state.round - counted_on, ended=event)


def _game_cancelled(state: State, _: e.GameCancelled) -> State:
    return replace(state, active=None, questions=(), cancelled=True)


def _seat_forfeited(state: State, event: e.SeatForfeited) -> State:
    return replace(state, out=(*state.out, event.seat))


def _unchanged(state: State, _: e.Event) -> State:
    """For events that matter to the fold or to the clock only."""
    return state


_HANDLERS: dict[type, Callable[[State, Any], State]] = {
    e.StoryTaken: _story_taken,
    e.StoryRowFilled: _story_row_filled,
    e.CardsTaken: _cards_taken,
    e.RowFilled: _row_filled,
    e.RowClosedUp: _row_closed_up,
    e.Passed: _passed,
    e.CampPlaced: _camp_placed,
    e.BerryTaken: _berry_taken,
    e.CardTucked: _card_tucked,
    e.StoryCompleted: _story_completed,
    e.RewardDrawn: _reward_drawn,
    e.PileShuffled: _pile_shuffled,
    e.SmallPileMade: _small_pile_made,
    e.ScenarioEvent: _scenario_event,
    e.WaterPlaced: _water_placed,
    e.LavaPlaced: _lava_placed,
    e.BerriesMoved: _berries_moved,
    e.FishResolved: _fish_resolved,
    e.TurnEnded: _turn_ended,
    e.RoundEnded: _round_ended,
    e.Undone: _unchanged,
    e.DeadlineExtended: _unchanged,
    e.GameCancelled: _game_cancelled,
    e.MissExcused: _unchanged,
    e.SeatAbsent: _unchanged,
    e.SeatReturned: _unchanged,
    e.SeatLeft: _unchanged,
    e.SeatTakenOver: _unchanged,
    e.SeatForfeited: _seat_forfeited,
    e.TurnSkipped: _passed,
    e.GamePaused: _unchanged,
    e.GameResumed: _unchanged,
    e.OutageCredited: _unchanged,
    e.GameEnded: _game_ended,
}
