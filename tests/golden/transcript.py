"""A game as a text that people read: moves, events, what each seat sees, and the score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from engine import codec, notation
from engine import events as e
from engine.fold import Row, advance, fold
from engine.state import State
from engine.views import view_for
from tests.engine.game import Game

Data = dict[str, Any]


def transcript(title: str, game: Game, styles: Sequence[str]) -> str:
    """Return the whole text."""
    scenario = "" if game.scenario.key == "base" else f"{game.scenario.name}, "
    players = f"{scenario}{len(styles)} players: {', '.join(styles)}"
    lines = [title, "=" * len(title), "", players, ""]
    state = fold(game.rows[:1], game.components, game.scenario)
    lines += [*_deal(game.rows[0].events[0]), "", "Draft"]
    for row in game.rows[1:]:
        lines += _move(game, state, row)
        before, state = state, advance(state, row)
        if state.round > before.round and not state.over:
            lines += [*_seen(before.round, state), "", f"Round {state.round}"]
    return "\n".join([*lines, "", *_score(state), ""])


# ---- The deal --------------------------------------------------------------------------------


def _deal(dealt: e.Event) -> Iterator[str]:
    assert isinstance(dealt, e.GameSetUp)
    yield "Map"
    for tile in dealt.tiles:
        owner = "" if tile.seat is None else f", seat {tile.seat}"
        yield f"  {tile.letter} is {tile.id} at {_plain(tile.centre)} turned {tile.rotation}{owner}"
        spaces = [space for space in dealt.spaces if space.space[0] == tile.letter]
        yield f"    {'  '.join(map(_space, spaces))}"
    for space in dealt.spaces:
        if space.tile is None:
            yield f"  {space.space} on the gap at {space.q} {space.r}: {space.terrain or 'volcano'}"
    yield "Deal"
    hands = [f"{seat}: {_plain(hand or ())}" for seat, hand in enumerate(dealt.hands)]
    yield f"  hands  {'  '.join(hands)}"
    yield f"  row    {_plain(dealt.row)}"
    if dealt.small_pile is None:
        yield f"  pile   {_plain(dealt.pile or ())}"
    else:
        yield f"  small pile   {_plain(dealt.small_pile)}"
        yield f"  supply       {_plain(dealt.supply or ())}"
    yield f"  story tiles  {_plain(dealt.stories.row)}"
    yield f"  their pile   {_plain(dealt.stories.pile or ())}"
    yield f"  start seat {dealt.start_seat}"


def _space(space: e.SpacePlaced) -> str:
    berries = f"+{space.berries}" if space.berries else ""
    return f"{space.space} {space.terrain or 'camp'}{berries}"


# ---- Moves -----------------------------------------------------------------------------------


def _move(game: Game, state: State, row: Row) -> Iterator[str]:
    yield f"{row.number:4} seat {row.seat}{_what(game, state, row)}"
    for event in row.events:
        if not isinstance(event, e.GameEnded):
            yield f"          {_event(event)}"


def _what(game: Game, state: State, row: Row) -> str:
    if isinstance(left := row.events[:1] and row.events[0], e.SeatForfeited):
        return f" leaves: {left.reason}"
    stored = codec.canonical(game.moves[row.number - 1]["commands"])
    return f": {notation.line_of(state, codec.decode_commands(stored))}"


def _event(event: e.Event) -> str:
    data: Data = msgspec.to_builtins(event)
    if isinstance(event, e.CampPlaced):
        data["payment"] = [_paid(paid) for paid in event.payment]
    if isinstance(event, e.ScenarioEvent):
        data["asks"] = [f"{asked.seat}:{asked.kind}" for asked in event.asks]
    if isinstance(event, e.BerriesMoved):
        data["shares"] = [f"{share.space}:{share.berries}" for share in event.shares]
    if isinstance(event, e.FishResolved):
        data["answers"] = [_fish(answer) for answer in event.answers]
    kind = data.pop("type")
    fields = [f"{name} {_plain(value)}" for name, value in data.items()]
    return f"{kind}: {', '.join(fields)}"


def _paid(paid: e.Paid) -> str:
    receiver = "" if paid.to is None else f">{paid.to}"
    return f"{'+'.join(paid.spaces)}={paid.card}{receiver}"


def _fish(answer: e.FishAnswer) -> str:
    return f"{answer.seat}:{answer.card or 'nothing'}={answer.fish}"


def _plain(value: object) -> str:
    if isinstance(value, list | tuple):
        return " ".join(map(_plain, value)) or "-"
    return "-" if value is None else str(value)


# ---- What is seen ----------------------------------------------------------------------------


def _seen(number: int, state: State) -> Iterator[str]:
    """Tell what is public after a round, then the hands as everybody sees them."""
    if number == 0:
        yield "  after the draft"
    else:
        yield f"  after round {number}"
    view = view_for(state, None)
    yield f"    row {_plain(view['row'])}; {_piles(view)}; discard {_plain(view['discard'])}"
    if state.scenario.stock:
        yield f"    {_map(state, view)}"
    stories = view["stories"]
    yield f"    story tiles {_plain(stories['row'])}; pile {stories['pile']}"
    for tribe in view["tribes"]:
        yield f"    tribe {tribe['seat']}: {_tribe(tribe, view)}"
    for viewer in (*state.seats, None):
        who = "a spectator" if viewer is None else f"seat {viewer}"
        hands = [_hand(tribe["hand"]) for tribe in view_for(state, viewer)["tribes"]]
        yield f"    hands as {who} sees them: {' '.join(hands)}"


def _piles(view: Data) -> str:
    if view["small_pile"] is None:
        return f"pile {view['pile']}"
    return f"small pile {view['small_pile']}; supply {view['supply']}"


def _map(state: State, view: Data) -> str:
    """Tell what the scenario event has changed, and where berries lie."""
    first = zip(view["spaces"], state.board.spaces, strict=True)
    covered = [space["space"] for space, was in first if space["terrain"] != was.terrain]
    berries = [f"{s['space']}+{s['berries']}" for s in view["spaces"] if s["berries"]]
    return f"stock {view['stock']}; covered {_plain(covered)}; berries {_plain(berries)}"


def _tribe(tribe: Data, view: Data) -> str:
    camps = [s["space"] for s in view["spaces"] if s["camp"] and s["camp"]["seat"] == tribe["seat"]]
    stories = [tile["story"] + "*" * tile["completed"] for tile in tribe["stories"]]
    tucked = [f"{tucked['card']}.{tucked['side']}" for tucked in tribe["tucked"]]
    fish = f"fish {tribe['fish']}; " if tribe["fish"] else ""
    return (
        f"camps {_plain(camps)}, {tribe['camps_left']} left; berries {tribe['berries']}; {fish}"
        f"stories {_plain(stories)}; tucked {_plain(tucked)}"
    )


def _hand(hand: Data) -> str:
    unknown = [f"{hand['unknown']} unknown"] if hand["unknown"] else []
    return f"[{' '.join([*hand['cards'], *unknown])}]"


# ---- The end ---------------------------------------------------------------------------------


def _side(score: e.Score) -> str:
    return "seat " + "+".join(map(str, score.seats))


def _score(state: State) -> Iterator[str]:
    ended = state.ended
    assert ended is not None
    yield f"The end after round {state.round}: {ended.reason}"
    seats = "".join(f"{_side(score):>10}" for score in ended.scores)
    yield f"  {'':38}{seats}"
    for terms in zip(*(score.lines for score in ended.scores), strict=True):
        points = "".join(f"{term.points:10}" for term in terms)
        yield f"  {f'{terms[0].rule} {terms[0].label}':38}{points}"
    yield f"  {'total':38}{''.join(f'{score.total:10}' for score in ended.scores)}"
    yield f"  {'cards in hand':38}{''.join(f'{score.cards:10}' for score in ended.scores)}"
    yield f"  won by {' and '.join(f'seat {seat}' for seat in ended.winners)}"
