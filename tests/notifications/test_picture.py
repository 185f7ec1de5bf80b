"""The map as a picture: the same for the same map, legible, and small; and in characters."""

from __future__ import annotations

import time
from io import BytesIO

import pytest
from msgspec.structs import replace
from PIL import Image, ImageChops

from engine.state import CampOnMap, State
from notifications import picture, textmap
from notifications.picture import SEAT_WORDS, SEATS, WIDEST, picture_of
from tests.engine.positions import TABLES, Position, played

PHONE = 390
AIM = 0.06
"""Seconds that a picture may take once the sprites are drawn."""

NAMES = ["Ann", "Ben", "Cleo", "Dora"]


def late(players: int = 4, scenario: str = "base") -> State:
    """Return a state near the end of a game."""
    game = played(players, 0, ("bot",), scenario)
    return Position(game, len(game.rows) - 5).state


def opened(drawn: bytes) -> Image.Image:
    return Image.open(BytesIO(drawn)).convert("RGB")


def changed(before: bytes, after: bytes) -> tuple[int, int, int, int] | None:
    """Return the box in which two pictures differ."""
    return ImageChops.difference(opened(before), opened(after)).getbbox()


def with_camp(state: State, space: int, camp: CampOnMap | None) -> State:
    return replace(state, camps=(*state.camps[:space], camp, *state.camps[space + 1 :]))


@pytest.mark.parametrize(("players", "scenario"), TABLES)
def test_every_map_is_small_in_bytes_and_sharp_on_a_phone(players: int, scenario: str) -> None:
    state = late(players, scenario)

    drawn = picture_of(state, owners=True)

    assert len(drawn) < 60_000
    image = Image.open(BytesIO(drawn))
    assert image.mode == "P"
    assert 1.5 * PHONE < image.width <= WIDEST


def test_a_picture_is_the_same_however_often_it_is_drawn() -> None:
    state = late()
    first = picture_of(state, ["A1"])
    picture._picture.cache_clear()
    picture._sheet.cache_clear()
    assert picture_of(state, ["A1"]) == first


@pytest.mark.parametrize("seat", range(4))
def test_a_camp_shows_in_the_colour_of_its_seat_where_it_stands(seat: int) -> None:
    state = late()
    space = next(n for n, camp in enumerate(state.camps) if camp and not camp.starting)
    empty = picture_of(with_camp(state, space, None))

    camped = picture_of(with_camp(state, space, CampOnMap(seat, False)))

    box = changed(empty, camped)
    assert box is not None
    colours = opened(camped).crop(box).getcolors(box[2] * box[3]) or []
    assert max(near(colour, SEATS[seat]) * number for number, colour in colours) > 50
    assert box[2] - box[0] < opened(camped).width / 8


def near(colour: object, wanted: str) -> bool:
    """Tell whether a colour is one that cannot be told from another, as few as there are."""
    assert isinstance(colour, tuple)
    parts = [int(wanted[place : place + 2], 16) for place in (1, 3, 5)]
    return all(abs(a - b) < 16 for a, b in zip(colour, parts, strict=True))


@pytest.mark.parametrize("what", ["berries", "fresh", "terrain", "starting"])
def test_whatever_lies_on_a_space_is_seen(what: str) -> None:
    state = late(2, "downpour")
    space = next(n for n, t in enumerate(state.terrain) if t == "desert" and not state.camps[n])
    camp = CampOnMap(0, what == "starting")
    changes = {
        "berries": replace(state, berries=(*state.berries[:space], 3, *state.berries[space + 1 :])),
        "fresh": state,
        "terrain": replace(
            state, terrain=(*state.terrain[:space], "water", *state.terrain[space + 1 :])
        ),
        "starting": with_camp(state, space, camp),
    }
    fresh = [state.board.names[space]] if what == "fresh" else []
    assert changed(picture_of(state), picture_of(changes[what], fresh)) is not None


def test_every_space_has_its_name_on_it() -> None:
    """Two spaces of one terrain with nothing on them differ by their names alone."""
    names = {name for name in picture._sheet(2).sprites if name.startswith("name ")}
    for players, scenario in TABLES:
        assert {f"name {name}" for name in late(players, scenario).board.names} <= names
    pixels = {picture._sheet(2).sprites[name].mask.tobytes() for name in names}
    assert len(pixels) == len(names)


def test_a_new_picture_of_the_largest_map_takes_little_time() -> None:
    state = late(4, "volcano")
    picture_of(state, owners=True)
    times = []
    for _ in range(5):
        picture._picture.cache_clear()
        begun = time.process_time()
        picture_of(state, owners=True)
        times.append(time.process_time() - begun)
    assert min(times) < AIM


def test_there_is_a_colour_for_every_seat() -> None:
    assert len(SEATS) == len(SEAT_WORDS) == 4


# ---- In characters -----------------------------------------------------------------------------


def middles(state: State) -> tuple[list[str], list[tuple[int, int]]]:
    """Return the lines of a map, and where each space has its middle: column and first line."""
    lines = textmap.text_map(state)
    where = [
        next((text.index(name) + 2, line) for line, text in enumerate(lines) if name in text)
        for name in state.board.names
    ]
    return lines, where


@pytest.mark.parametrize(("players", "scenario"), TABLES)
def test_the_text_says_of_every_space_what_is_there(players: int, scenario: str) -> None:
    state = late(players, scenario)
    lines, where = middles(state)
    for number, (column, line) in enumerate(where):
        ground = lines[line][column + 1]
        terrain = state.terrain[number]
        assert ground in (terrain[0] if terrain else "-" if number in state.board.starts else "VL")
        camp, berries = state.camps[number], state.berries[number]
        camped = f"{'@' if camp.starting else '#'}{camp.seat + 1}" if camp else ""
        standing = lines[line + 1][column - 2 : column + 3].split()
        assert standing == [what for what in (camped, f"o{berries}" if berries else "") if what]


@pytest.mark.parametrize(("players", "scenario"), TABLES)
def test_every_site_stands_on_the_border_of_its_spaces(players: int, scenario: str) -> None:
    state = late(players, scenario)
    lines, where = middles(state)
    for site in state.board.sites:
        (ax, ay), (bx, by) = (where[space] for space in site.spaces)
        line = ay + 1 if ay == by else max(ay, by) - 1
        middle = (ax + bx) // 2
        assert site.kind[0] in lines[line][middle - 1 : middle + 3]


def test_the_legend_explains_every_letter_and_fits() -> None:
    state = late(4, "volcano")

    legend = textmap.legend(state, [*NAMES[:3], "D" * 40], fresh=True)

    assert max(map(len, legend)) <= textmap.WIDTH
    words = " ".join(legend)
    for letter in "bmdfwVL-apc#@!":
        assert f"{letter} " in words or f"{letter}1 " in words
    assert "#2 Ben" in words
