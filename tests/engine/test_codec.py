"""Canonical bytes, the hash chain, and that every event and command survives being stored."""

from __future__ import annotations

import hashlib
import json
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import codec
from engine import commands as c
from engine import events as e
from engine.codec import Header, LogRow
from engine.commands import Command
from engine.errors import InvalidCommand
from engine.events import Event
from tests.engine.game import Game, secret
from tests.engine.positions import games, repeatable

NESTED = (e.TilePlaced, e.SpacePlaced, e.StoriesDealt, e.Paid, e.ScoreLine, e.Score, c.Payment)


def structs(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Any value of a struct, field by field."""
    fields = msgspec.structs.fields(kind)
    return st.builds(kind, **{field.name: st.from_type(field.type) for field in fields})


for nested in NESTED:
    st.register_type_strategy(nested, structs(nested))


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
@given(data=st.data())
@repeatable(25)
def test_every_event_survives_being_stored(kind: type[Event], data: st.DataObject) -> None:
    event = data.draw(structs(kind))
    stored = codec.canonical((event,))
    assert codec.decode_events(stored) == (event,)
    assert codec.canonical(codec.decode_events(stored.decode())) == stored


@pytest.mark.parametrize("kind", get_args(Command), ids=lambda kind: kind.__name__)
@given(data=st.data())
@repeatable(25)
def test_every_command_survives_being_stored(kind: type[Command], data: st.DataObject) -> None:
    command = data.draw(structs(kind))
    stored = codec.canonical((command,))
    assert codec.decode_commands(stored) == (command,)
    assert c.parse(json.loads(stored)[0]) == command


CONTRACT = {
    '{"from":3,"seat":1,"story":"H05","type":"story_taken"}': e.StoryTaken(
        seat=1, story="H05", from_=3
    ),
    '{"cards":["T01","T02"],"places":[3,4],"seat":0,"type":"cards_taken"}': e.CardsTaken(
        seat=0, places=(3, 4), cards=("T01", "T02")
    ),
    '{"card":null,"seat":1,"type":"reward_drawn"}': e.RewardDrawn(seat=1, card=None),
    '{"order":null,"pile":"draw","type":"pile_shuffled"}': e.PileShuffled(pile="draw", order=None),
    '{"agreed":[],"from":7,"to":8,"type":"undone"}': e.Undone(from_=7, to=8),
    '{"reason":"agreed","type":"game_cancelled"}': e.GameCancelled(reason="agreed"),
    '{"reason":"resigned","seat":2,"type":"seat_forfeited"}': e.SeatForfeited(
        seat=2, reason="resigned"
    ),
}
OLD = {
    '{"from":7,"to":8,"type":"undone"}': e.Undone(from_=7, to=8),
    '{"type":"game_cancelled"}': e.GameCancelled(reason="operator"),
}
"""Rows that were stored before these events had all the fields they have now."""


@pytest.mark.parametrize(("text", "event"), CONTRACT.items())
def test_events_are_written_as_documented(text: str, event: Event) -> None:
    assert codec.canonical(event).decode() == text


@pytest.mark.parametrize(("text", "event"), OLD.items())
def test_events_that_were_stored_with_fewer_fields_are_still_read(text: str, event: Event) -> None:
    assert codec.decode_events(f"[{text}]") == (event,)


COMMANDS = {
    '{"places":[3,4],"type":"take"}': c.Take(places=(3, 4)),
    '{"type":"pass"}': c.Pass(),
    '{"place":"pile","type":"story"}': c.Story(place="pile"),
    '{"card":null,"side":0,"type":"tuck"}': c.Tuck(card=None),
    '{"type":"undo"}': c.Undo(),
    '{"payment":[{"card":"T01","spaces":["B2"]}],"route":["B2","C4"],"type":"camp"}': c.Camp(
        route=("B2", "C4"), payment=(c.Payment(card="T01", spaces=("B2",)),)
    ),
}


@pytest.mark.parametrize(("text", "command"), COMMANDS.items())
def test_commands_are_written_as_documented(text: str, command: Command) -> None:
    assert codec.canonical(command).decode() == text
    assert c.parse(json.loads(text)) == command


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "take 1-2",
        {},
        {"type": "steal"},
        {"type": "take"},
        {"type": "take", "places": ["1", "2"]},
        {"type": "take", "places": [1, 2], "seat": 1},
        {"type": "story", "place": "row"},
        {"type": "tuck", "card": 7},
        {"type": "camp", "route": ["A0", "A1"]},
        {"type": "camp", "route": ["A0"], "payment": [{"card": "T01"}]},
    ],
    ids=str,
)
def test_what_is_no_command_is_an_invalid_command(data: object) -> None:
    with pytest.raises(InvalidCommand):
        c.parse(data)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(JSON)
@repeatable(300)
def test_canonical_json_is_what_python_writes_with_sorted_keys_and_no_spaces(value: object) -> None:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert codec.canonical(value) == text.encode()


@given(games)
@repeatable(20)
def test_the_bytes_of_a_log_are_canonical(game: Game) -> None:
    for move in game.moves:
        text = json.dumps(move["events"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        row = game.rows[move["number"] - 1]
        assert codec.canonical(row.events) == text.encode()


# ---- The hash chain --------------------------------------------------------------------------


def sha256_of(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def plain_json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def test_the_header_is_hashed_as_documented() -> None:
    header = Game(3).header
    fields = {
        "format": "dewan-game/1",
        "game": header.game,
        "ruleset": header.ruleset,
        "component_set": header.component_set,
        "layout": "3p",
        "scenario": "base",
        "seats": [{"seat": seat, "kind": "human"} for seat in range(3)],
        "commitment": header.commitment,
        "contributions": list(header.contributions),
    }
    assert header.digest.hex() == sha256_of(plain_json(fields))


def test_a_row_is_hashed_as_documented() -> None:
    commands, events = (c.Take(places=(1, 2)),), (e.Passed(seat=1),)
    row = LogRow(
        number=7,
        seat=1,
        actor="player",
        decision="6-1",
        commands=msgspec.Raw(codec.canonical(commands)),
        events=msgspec.Raw(codec.canonical(events)),
        at="2026-11-30T00:00:00.000000Z",
    )
    fields = {
        "number": 7,
        "seat": 1,
        "actor": "player",
        "decision": "6-1",
        "commands": [{"type": "take", "places": [1, 2]}],
        "events": [{"type": "passed", "seat": 1}],
        "at": "2026-11-30T00:00:00.000000Z",
    }
    previous, nonce = secret("previous"), secret("nonce")
    assert row.digest(previous, nonce).hex() == sha256_of(previous, nonce, plain_json(fields))


def test_equal_headers_have_equal_digests_and_others_do_not() -> None:
    assert Game(2, 1).header.digest == Game(2, 1).header.digest
    header = Game(2, 1).header
    changed = [
        msgspec.structs.replace(header, **{field: value})
        for field, value in {"game": "x", "layout": "3p", "contributions": (None, None)}.items()
    ]
    assert isinstance(header, Header)
    assert len({one.digest for one in (header, *changed)}) == 4
