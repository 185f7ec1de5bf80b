"""The map as a picture for mails: a small PNG whose letters can be read on a phone.

Everything that can lie on a map is drawn once for each size, as a sprite; a picture is sprites put
together, so that it costs milliseconds. The drawings are those of the pages.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import msgspec
import resvg_py
from django.template.loader import render_to_string
from PIL import Image

from engine.board import Board, Terrains
from engine.components import BERRIES, RESOURCES, TERRAINS, WATER
from engine.hexes import DIRECTIONS, Hex, add
from engine.scenario import GAP_SPACE
from engine.setup import LETTERS
from engine.state import CampOnMap, State
from games.web.board import CORNERS, HALF_WIDTH, INSIDE, SIZE

FONT = Path(__file__).parent / "fonts" / "DejaVuSans-Bold.ttf"
WIDEST = 720
"""How many pixels a picture is wide, at most: a phone shows it half as large, and sharp."""

LARGEST = 3
"""How many pixels a unit of ``games.web.board`` is, at most; a whole number, so that patterns
have no lines between their tiles."""

MARGIN = 6
COLOURS = 40
COLUMNS = 16
PAPER = "#fffaf2"
INK = "#2f1c11"
SEATS = ("#a8281d", "#26211f", "#fdf7e8", "#6b3a94")
"""The colours of the seats, as on the pages."""

SEAT_WORDS = ("red", "black", "white", "purple")
ON_SEATS = ("#fffaf0", "#fffaf0", "#26211f", "#fffaf0")
COUNTS = range(1, BERRIES + 1)
GROUNDS = (*TERRAINS, "bare", "volcano", "lava")
OVER = 1.02
"""How much larger than a space its ground is, so that no gap shows between two."""

Point = tuple[float, float]
Pixel = tuple[int, int]


def picture_of(state: State, fresh: Collection[str] = (), *, owners: bool = False) -> bytes:
    """Return the map of a state as a PNG; ``fresh`` spaces have a star on what is new there.

    ``owners`` outlines each starting tile in the colour of its seat, where that matters.
    """
    new = frozenset(state.board.index[space] for space in fresh)
    shown = _Shown(state.board, state.terrain, state.berries, state.camps, new, owners)
    return _picture(shown)


class _Shown(msgspec.Struct, frozen=True):
    """All that a picture shows; ``fresh`` are indexes of spaces."""

    board: Board
    terrain: Terrains
    berries: tuple[int, ...]
    camps: tuple[CampOnMap | None, ...]
    fresh: frozenset[int]
    owners: bool


@lru_cache(maxsize=64)
def _picture(shown: _Shown) -> bytes:
    """Put a picture together. It is kept: a reminder shows the same map as its turn mail."""
    canvas = _Canvas(shown)
    canvas.lay_ground()
    if shown.owners:
        canvas.outline_tiles()
    canvas.furnish()
    return canvas.finished()


class _Canvas:
    """A map in the making."""

    def __init__(self, shown: _Shown) -> None:
        self.shown = shown
        self.board = shown.board
        self.at: dict[Hex, int] = {(s.q, s.r): i for i, s in enumerate(self.board.spaces)}
        columns = [2 * q + r for q, r in self.at]
        rows = [r for _, r in self.at]
        across, down = max(columns) - min(columns) + 2, max(rows) - min(rows)
        self.sheet = _sheet(max(min(int(WIDEST / across / HALF_WIDTH), LARGEST), 1))
        half, size = self.sheet.half, self.sheet.size
        self.left, self.top = min(columns), min(rows)
        width = across * half + 2 * MARGIN
        height = down * size * 3 // 2 + 2 * size + 2 * MARGIN
        self.image = Image.new("RGB", (width, height), PAPER)

    def centre(self, space: Hex) -> Pixel:
        """Return where the centre of a space lies."""
        q, r = space
        half, size = self.sheet.half, self.sheet.size
        across = (2 * q + r - self.left + 1) * half
        return MARGIN + across, MARGIN + size + (r - self.top) * size * 3 // 2

    def put(self, name: str, at: Pixel) -> None:
        """Put a sprite on a point."""
        sprite = self.sheet.sprites[name]
        corner = at[0] + sprite.at[0], at[1] + sprite.at[1]
        self.image.paste(sprite.image, corner, sprite.mask)

    def lay_ground(self) -> None:
        """Lay the spaces, the lines between them, and the sites on these."""
        for space, number in self.at.items():
            self.put(f"ground {self.ground(number)}", self.centre(space))
        # Borders come after seams, which end in them.
        for kind, space, direction in sorted(self.lines(), reverse=True):
            self.put(f"{kind} {direction}", self.centre(space))
        for site in self.board.sites:
            (ax, ay), (bx, by) = (self.centre(self.hex(space)) for space in site.spaces)
            self.put(f"site {site.kind}", ((ax + bx) // 2, (ay + by) // 2))

    def hex(self, number: int) -> Hex:
        """Return the hexagon of a space."""
        space = self.board.spaces[number]
        return space.q, space.r

    def ground(self, number: int) -> str:
        """Return what a space looks like: its terrain, or what closes it, or nothing."""
        terrain = self.shown.terrain[number]
        if terrain is not None or number in self.board.starts:
            return terrain or "bare"
        return "volcano" if self.board.names[number] == GAP_SPACE else "lava"

    def lines(self) -> Iterator[tuple[str, Hex, int]]:
        """Yield the lines, each once: seams within an area, borders of areas and of the map."""
        terrain = self.shown.terrain
        for space, number in self.at.items():
            for direction, step in enumerate(DIRECTIONS):
                near = self.at.get(add(space, step))
                if near is None or direction < len(DIRECTIONS) // 2:
                    alike = near is not None and terrain[number] == terrain[near] is not None
                    yield "seam" if alike else "border", space, direction

    def outline_tiles(self) -> None:
        """Outline the starting tiles, each in the colour of its seat."""
        owner = self.board.owner
        for space, number in self.at.items():
            for direction, step in enumerate(DIRECTIONS):
                near = self.at.get(add(space, step))
                if owner[number] is not None and (near is None or owner[near] != owner[number]):
                    self.put(f"owned {owner[number]} {direction}", self.centre(space))

    def furnish(self) -> None:
        """Put on the spaces what stands there, and their names."""
        for space, number in self.at.items():
            for name in self.furniture(number):
                self.put(name, self.centre(space))

    def furniture(self, number: int) -> Iterator[str]:
        """Yield the sprites that lie on a space, the lowest first."""
        name, terrain = self.board.names[number], self.shown.terrain[number]
        camp, berries = self.shown.camps[number], self.shown.berries[number]
        aside = " aside" if camp and berries else ""
        if name == GAP_SPACE:
            yield "tile rain" if terrain == WATER else "tile volcano"
        elif terrain == WATER != self.board.spaces[number].terrain:
            yield "tile water"
        if camp:
            kind = "start" if camp.starting else "village" if terrain == WATER else "camp"
            yield f"{kind}{aside} {camp.seat}"
        if berries:
            yield f"berries{aside} {min(berries, COUNTS[-1])}"
        if number in self.shown.fresh:
            yield "new"
        yield f"name {name}"

    def finished(self) -> bytes:
        """Return the picture in few colours."""
        few = self.image.quantize(palette=self.sheet.palette, dither=Image.Dither.NONE)
        file = BytesIO()
        few.save(file, "PNG", compress_level=5)
        return file.getvalue()


# ---- Sprites ---------------------------------------------------------------------------------


class _Sprite(msgspec.Struct, frozen=True):
    """A drawing with its mask, and where its corner lies as seen from the point it is put on."""

    image: Image.Image
    mask: Image.Image
    at: Pixel


class _Sheet(msgspec.Struct, frozen=True):
    """All sprites for spaces of one size: half as wide, and from centre to corner, in pixels."""

    half: int
    size: int
    sprites: Mapping[str, _Sprite]
    palette: Image.Image


@lru_cache(maxsize=LARGEST)
def _sheet(scale: int) -> _Sheet:
    """Draw the sprites of one size: in one go, in cells that hold a space each."""
    half, size = round(HALF_WIDTH * scale), int(SIZE * scale)
    cell = (2 * half + 2 * MARGIN, 2 * size + 2 * MARGIN)
    drawings = dict(_drawings())
    corners = {
        name: (number % COLUMNS * cell[0], number // COLUMNS * cell[1])
        for number, name in enumerate(drawings)
    }
    whole = (COLUMNS * cell[0], -(-len(drawings) // COLUMNS) * cell[1])
    centred = (
        f'<g transform="translate({x + cell[0] // 2} {y + cell[1] // 2}) scale({scale})">'
        f"{drawings[name]}</g>"
        for name, (x, y) in corners.items()
    )
    drawn = _render(centred, whole)
    sprites = {name: _cut(drawn, corner, cell) for name, corner in corners.items()}
    return _Sheet(half, size, sprites, _palette(drawn))


def _palette(drawn: Image.Image) -> Image.Image:
    """Return the colours of all sprites, so many that the rare ones are among them."""
    paper = Image.new("RGB", drawn.size, PAPER)
    paper.paste(drawn, (0, 0), drawn)
    return paper.quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE, kmeans=2)


def _render(parts: Iterable[str], whole: Pixel) -> Image.Image:
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]}" height="{whole[1]}">'
        f"{_definitions()}{''.join(parts)}</svg>"
    )
    png = resvg_py.svg_to_bytes(
        svg_string=svg, font_files=[str(FONT)], skip_system_fonts=True, font_family="DejaVu Sans"
    )
    return Image.open(BytesIO(bytes(png))).convert("RGBA")


def _cut(drawn: Image.Image, corner: Pixel, cell: Pixel) -> _Sprite:
    """Cut a sprite out of its cell, without the empty space round it."""
    (x, y), (width, height) = corner, cell
    piece = drawn.crop((x, y, x + width, y + height))
    mask = piece.getchannel("A")
    box = mask.getbbox() or (0, 0, 1, 1)
    at = box[0] - width // 2, box[1] - height // 2
    return _Sprite(piece.convert("RGB").crop(box), mask.crop(box), at)


def _definitions() -> str:
    """Return the patterns and symbols of the pages."""
    page = render_to_string("games/_drawings.html")
    return re.sub(r"^<svg.*?>|</svg>\s*$", "", page, flags=re.DOTALL)


def _drawings() -> Iterator[tuple[str, str]]:
    """Yield the name and the drawing of every sprite, in the measures of ``games.web.board``."""
    yield from _grounds()
    yield from _lines()
    for kind in RESOURCES:
        yield f"site {kind}", _site(kind)
    for tile in ("rain", "volcano", "water"):
        yield f"tile {tile}", f'<use href="#m-{tile}" y="-3" />'
    for seat in range(len(SEATS)):
        yield from _camps(seat)
    for count in COUNTS:
        number = str(count)
        yield f"berries {count}", _used("berry", -10, -12.5, 11) + _count(number, 5.2, -2.8)
        yield f"berries aside {count}", _used("berry", -16.5, -14, 12) + _count(number, -7, 1.2)
    yield "new", _used("new", 1.5, -18.5, 14)
    for name in (*(f"{letter}{place}" for letter in LETTERS for place in range(7)), GAP_SPACE):
        yield f"name {name}", _text(name, (0, 9.6), 10.4, "#22160d")


def _grounds() -> Iterator[tuple[str, str]]:
    points = " ".join(f"{x * OVER:.2f},{y * OVER:.2f}" for x, y in CORNERS)
    for kind in GROUNDS:
        yield f"ground {kind}", f'<polygon points="{points}" fill="url(#t-{kind})" />'


def _lines() -> Iterator[tuple[str, str]]:
    for direction in range(len(DIRECTIONS)):
        ends = CORNERS[(direction + 1) % 6], CORNERS[(direction + 2) % 6]
        yield f"seam {direction}", _line(ends, INK, 0.8, opacity=0.35)
        yield f"border {direction}", _line(ends, INK, 2.6)
        for seat, colour in enumerate(SEATS):
            (ax, ay), (bx, by) = ends
            inside = ((ax * INSIDE, ay * INSIDE), (bx * INSIDE, by * INSIDE))
            yield f"owned {seat} {direction}", _line(inside, colour, 2.6)


def _line(ends: tuple[Point, Point], colour: str, width: float, opacity: float = 1) -> str:
    (ax, ay), (bx, by) = ends
    return (
        f'<path d="M{ax:.2f} {ay:.2f}L{bx:.2f} {by:.2f}" stroke="{colour}" '
        f'stroke-width="{width}" stroke-opacity="{opacity}" stroke-linecap="round" />'
    )


def _site(kind: str) -> str:
    circle = f'<circle r="5.8" fill="#fff7e6" stroke="{INK}" stroke-width="1" />'
    return circle + _used(kind, -4.5, -4.5, 9)


def _camps(seat: int) -> Iterator[tuple[str, str]]:
    colour = SEATS[seat]
    ring = SEATS[1] if colour == SEATS[2] else colour
    circle = f'<circle cy="-3" r="13.4" fill="none" stroke="{ring}" stroke-width="2" />'
    for kind, under, symbol, top, line in (
        ("camp", "", "camp", -18.0, -0.9),
        ("start", circle, "camp", -18.0, -0.9),
        ("village", "", "hut", -18.5, -5.6),
    ):
        for where, x in (("", 0.0), (" aside", 4.0)):
            drawn = f'<g color="{colour}">{_used(symbol, x - 9.5, top, 19)}</g>'
            mark = _text(str(seat + 1), (x, line), 9, ON_SEATS[seat], halo="none")
            yield f"{kind}{where} {seat}", under + drawn + mark


def _count(number: str, x: float, y: float) -> str:
    return _text(number, (x, y), 9.4, "#5c0f30")


def _used(symbol: str, x: float, y: float, size: float) -> str:
    return f'<use href="#g-{symbol}" x="{x}" y="{y}" width="{size}" height="{size}" />'


def _text(text: str, at: Point, size: float, colour: str, halo: str = "#fff7e6") -> str:
    return (
        f'<text x="{at[0]}" y="{at[1]}" font-size="{size}" font-weight="700" text-anchor="middle" '
        f'fill="{colour}" stroke="{halo}" stroke-width="2.4" paint-order="stroke" '
        f'stroke-linejoin="round">{text}</text>'
    )
