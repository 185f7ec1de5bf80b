"""Whatever is served to a seat is the same in two games that differ only in what it may not see.

The twins are the same game with other hidden cards and story tiles: identities are exchanged
among those that the reader never saw, and the order of what still lies in the piles. Both are
stored under the same id, one after the other, and everything a reader can get is compared,
byte for byte, after replacing what differs by design (docs/hidden-information.md).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from engine import codec
from engine.components.shipped import hearth
from engine.views import redact
from games import projections, selectors, store
from games.models import Game, GameSecret, Move, Seat
from games.table import Answered, Table
from notifications import shortlists, tokens
from notifications.models import OutboxMail
from notifications.render import message_for
from notifications.tokens import Purpose
from tests.cases import with_slow
from tests.people import Person, asked_person, start_game

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
DIFFERS_BY_DESIGN = [
    (re.compile(rb"[0-9a-f]{64}"), b"HASH"),
    (re.compile(rb"[0-9a-zA-Z]{64}"), b"CSRF"),
    (re.compile(rb"[A-Za-z0-9+/_-]{22,24}=="), b"NONCE"),
    (re.compile(rb'nonce="[^"]*"'), b"NONCE"),
    (re.compile(rb'name="key" value="[^"]*"'), b"KEY"),
    (re.compile(rb"/mails/stop/[^/]*/"), b"STOP"),
    (re.compile(rb'"ETag": "[^"]*"'), b"ETAG"),
]


class Rolled(Exception):
    """Undoes everything that was stored for one twin."""


Play = Callable[..., tuple[str, "list[Stored]"]]
"""Plays a game: number, moves, scenario; returns its id and its rows."""

Stored = tuple[int | None, str, str | None, str, str]
"""A row of a log: seat, actor, decision, commands, events."""


def hidden_from(rows: Sequence[Stored], viewer: int | None, ids: set[str]) -> list[str]:
    """Return those ids that the viewer never saw in the whole game."""
    seen = "".join(
        codec.canonical([redact(e, viewer) for e in codec.decode_events(events)]).decode()
        + commands
        for _, _, _, commands, events in rows
    )
    return sorted(name for name in ids if f'"{name}"' not in seen)


def twin_of(rows: Sequence[Stored], viewer: int | None, chance: random.Random) -> list[Stored]:
    """Return the same game with other hidden identities."""
    exchanged: dict[str, str] = {}
    for ids in (set(hearth().cards), set(hearth().stories)):
        hidden = hidden_from(rows, viewer, ids)
        others = chance.sample(hidden, len(hidden))
        exchanged |= dict(zip(hidden, others, strict=True))
    name = re.compile(r'"([TH][0-9]{2})"')

    def exchange(found: re.Match[str]) -> str:
        return f'"{exchanged.get(found[1], found[1])}"'

    return [
        (seat, actor, decision, commands, name.sub(exchange, events))
        for seat, actor, decision, commands, events in rows
    ]


def write(game: Game, seats: list[Seat], seed: str, rows: Sequence[Stored]) -> None:
    """Store a game row by row, as the services do."""
    table = Table(game, seats, seed, None, rests={})
    for seat, actor, decision, commands, events in rows:
        table.record(
            Answered(seat, actor, decision),
            codec.decode_commands(commands),
            codec.decode_events(events),
        )


def everything(game: str, reader: Person, browser: Client) -> Iterator[tuple[str, bytes]]:
    """Yield all that a reader can get of a game, by name."""
    head = Game.objects.get(pk=game).version
    rest = ["", "/legal", "/moves", "/export", *(f"?at={n}" for n in range(0, head + 1, 9))]
    names = [space["space"] for space in reader.view(game)["state"]["spaces"]]
    rest += [f"/legal/routes?to={name}" for name in names[::4]]
    for path in rest:
        yield f"REST {path}", served(reader.client.get(f"/api/v1/games/{game}{path}"))
    yield "REST list", served(reader.client.get("/api/v1/games"))
    for name, response in refusals(game, reader):
        yield name, served(response)
    for path in (
        "",
        "?zoom=1",
        f"?at={head // 2}",
        "version.json",
        "camp/A1/",
        "confirm/?text=take 1-2",
    ):
        yield f"page {path}", served(browser.get(f"/games/{game}/{path}"))
    yield "page home", served(browser.get("/"))
    for name, path in links(game, reader):
        yield name, served(Client().get(path))
    for mail in OutboxMail.objects.filter(game=game).order_by("kind", "seat", "decision"):
        if mail.seat is not None and reader.view(game)["you"] == mail.seat:
            yield f"mail {mail.kind} {mail.decision}", mailed(mail)


def links(game: str, reader: Person) -> Iterator[tuple[str, str]]:
    """Yield the links that a reader's mails have had, by name: a dead one, and those that live."""
    seat = Seat.objects.filter(game=game, player=reader.player).first()
    state = selectors.position(reader.player, game).state
    if seat is None or state is None:
        return
    yield "dead link", answer_link(tokens.make(Purpose.LINK, seat, 1))
    token = tokens.make(Purpose.LINK, seat, state.since)
    for number, text in enumerate(shortlists.numbered(seat.game, seat.number, state), 1):
        yield f"link {text}", answer_link(token, number)


def answer_link(token: str, number: int = 1) -> str:
    return reverse("answer_link", args=[token, number])


def refusals(game: str, reader: Person) -> Iterator[tuple[str, Any]]:
    """Yield answers to submissions that try to find something out."""
    view = reader.view(game)
    asked = view["awaiting"][0]
    texts = ["story pile, tuck T01", "take 1-3", "camp A1 auto", "tuck T01", "undo", "pass"]
    texts += [f"tuck {card}" for card in ("T27", "T53", "T40")]
    for text in texts:
        with transaction.atomic():
            body = {"decision": asked["decision"], "expected_version": view["version"]}
            response = reader.post(f"/{game}/moves", body | {"text": text})
            if response.status_code != 201:
                yield f"refusal {text}", response
            transaction.set_rollback(True)
    for decision in ("0-0", "1-0", "1-1", f"{view['version']}-0", f"{view['version']}-1", None):
        body = {"decision": decision, "expected_version": 1, "text": "take 1-3"}
        yield f"refusal {decision}", reader.post(f"/{game}/moves", body)


def served(response: Any) -> bytes:
    assert isinstance(response, HttpResponse)
    headers = sorted((k, v) for k, v in response.items() if k not in ("Set-Cookie", "Date"))
    content = response.content + repr(headers).encode() + str(response.status_code).encode()
    for pattern, word in DIFFERS_BY_DESIGN:
        content = pattern.sub(word, content)
    return content


def mailed(mail: OutboxMail) -> bytes:
    """Return a mail with its parts decoded: text and HTML, and the pictures as they are."""
    try:
        message = message_for(mail).message()
    except Exception as error:  # noqa: BLE001 - a reason not to send it is served too
        return repr(error).encode()
    headers = "\n".join(f"{name}: {value}" for name, value in message.items())
    parts = [part for part in message.walk() if not part.is_multipart()]
    texts = [
        part.get_payload(decode=True) for part in parts if part.get_content_maintype() == "text"
    ]
    content = b"\n".join([headers.encode(), *texts])
    content = re.sub(rb"Message-ID: .*|boundary=.*", b"", content)
    for pattern, word in DIFFERS_BY_DESIGN:
        content = pattern.sub(word, content)
    pictures = [part.as_bytes() for part in parts if part.get_content_maintype() == "image"]
    return b"\n".join([content, *pictures])


@pytest.fixture
def played(ann: Person, ben: Person) -> Play:
    """A function that plays a game of so many moves by a number, and returns its id and rows."""

    def play(number: int, moves: int, scenario: str = "base") -> tuple[str, list[Stored]]:
        chance = random.Random(number)
        people = [ann, ben]
        game = start_game(*people, visibility="public", scenario=scenario)
        for _ in range(moves):
            asked = asked_person(game, people)
            entries = asked.legal(game)["entries"]
            camps = [entry for entry in entries if entry["text"].startswith("camp")]
            entry = chance.choice(camps if camps and chance.random() < 0.6 else entries)
            assert asked.answer(game, entry["text"]).status_code == 201
        columns = ("seat", "actor", "decision", "commands", "events")
        return game, list(Move.objects.filter(game=game).values_list(*columns))

    return play


def compare(
    game_id: str, rows: list[Stored], viewer: int | None, reader: Person, chance: random.Random
) -> int:
    """Serve both twins to a reader and compare; return how many identities were exchanged."""
    game = Game.objects.get(pk=game_id)
    options = [f for f in Game._meta.concrete_fields if f.name not in projections.GAME_COLUMNS]
    header = {field.attname: getattr(game, field.attname) for field in options}
    seats = list(game.seats.values("number", "kind", "player_id", "contribution"))
    seed = GameSecret.objects.get(game=game).seed
    browser = Client()
    browser.force_login(reader.player, "sesame.backends.ModelBackend")

    def serve(log: list[Stored]) -> dict[str, bytes]:
        found: dict[str, bytes] = {}
        try:
            with transaction.atomic():
                twin = Game(**header | {"id": "tw1n00000000"})
                twin.save(force_insert=True)
                GameSecret.objects.create(game=twin, seed=seed)
                sitting = [Seat.objects.create(game=twin, **seat) for seat in seats]
                write(twin, sitting, seed, log)
                found |= everything(twin.pk, reader, browser)
                raise Rolled
        except Rolled:
            store.forget_all()
        return found

    twin = twin_of(rows, viewer, chance)
    first, second = serve(rows), serve(twin)
    assert first.keys() == second.keys()
    drawn = [name for name, content in first.items() if b"Content-Type: image/png" in content]
    assert bool(drawn) == (viewer is not None), "mails to a seat show the map"
    for name in first:
        assert first[name] == second[name], f"{name} tells something hidden"
    return sum(a != b for a, b in zip(rows, twin, strict=True))


@pytest.mark.parametrize("viewer", [0, 1, None])
@pytest.mark.parametrize(
    ("number", "moves", "scenario"),
    with_slow(
        [
            (3, 14, "base"),
            (1, 0, "base"),
            (5, 33, "base"),
            (7, 26, "lake_villages"),
            (8, 22, "downpour"),
        ],
        often=1,
    ),
)
def test_two_games_that_differ_only_in_what_is_hidden_look_the_same(
    played: Play,
    ann: Person,
    ben: Person,
    cleo: Person,
    viewer: int | None,
    number: int,
    moves: int,
    scenario: str,
) -> None:
    with time_machine.travel(NOON, tick=False):
        game, rows = played(number, moves, scenario)
        reader = cleo if viewer is None else [ann, ben][viewer]

        changed = compare(game, rows, viewer, reader, random.Random(number))

    assert changed, "the twins are the same game: nothing was compared"


def test_the_comparison_notices_a_difference(played: Play, ann: Person) -> None:
    with time_machine.travel(NOON, tick=False):
        game, rows = played(6, 0)
        with pytest.raises(AssertionError, match="tells something hidden"):
            # What is hidden from Ben is exchanged and served to Ann, who knows some of it.
            compare(game, [*rows], 1, ann, random.Random(6))
