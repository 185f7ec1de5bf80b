"""The map as geometry: from a view (docs/api.md) to what a template draws as SVG.

Pure: it knows the view's plain data and nothing of requests, so that pages and mails can draw
the same board. Hexagons stand on a corner; one is ``SIZE`` from its centre to each corner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

import msgspec

from engine.components import RESOURCES, TERRAINS, WATER
from engine.hexes import DIRECTIONS, Hex, add
from engine.scenario import GAP_SPACE
from engine.state import State
from games.words import counted, listed

SIZE = 20.0
MARGIN = 3.0
HALF_WIDTH = SIZE * sqrt(3) / 2

View = Mapping[str, Any]
"""A game as ``games.selectors.view_of`` gives it, begun."""

Details = Mapping[str, Any]
"""A space, as a view has it."""

Point = tuple[float, float]
CORNERS: tuple[Point, ...] = (
    (0, -SIZE),
    (HALF_WIDTH, -SIZE / 2),
    (HALF_WIDTH, SIZE / 2),
    (0, SIZE),
    (-HALF_WIDTH, SIZE / 2),
    (-HALF_WIDTH, -SIZE / 2),
)
"""The corners of a hexagon, clockwise from the top."""

INSIDE = 0.87
"""How far from a space's centre the line in its owner's colour runs, the border being at 1."""

TILE_GROUND = {"rain": "water", "volcano": "volcano", "water": "water", "lava": "lava"}
CLOSED = ("volcano", "lava")
TILES = {
    "rain": "water, the downpour tile",
    "volcano": "the volcano, closed to every route",
    "water": "water, a water tile",
    "lava": "lava, closed to every route",
}
"""What lies on a space instead of, or over, what is printed there, in words."""


class Camp(msgspec.Struct, frozen=True):
    """A camp as it is drawn; ``mark`` is its number, ``fresh`` if it is news, a village a hut."""

    seat: int
    mark: int
    starting: bool
    fresh: bool
    village: bool


class Space(msgspec.Struct, frozen=True):
    """A hexagon: where it lies, what stands on it, its words, and where tapping it leads.

    ``tile`` is what the scenario has laid there: ``rain``, ``volcano``, ``water`` or ``lava``.
    ``part`` is the letter of a part of a split area, ``fresh`` if the tile is news.
    """

    name: str
    x: float
    y: float
    points: str
    terrain: str
    tile: str
    berries: int
    camp: Camp | None
    words: str
    href: str
    part: str
    fresh: bool


class SiteMark(msgspec.Struct, frozen=True):
    """A site, drawn on the border between its two spaces."""

    kind: str
    x: float
    y: float
    words: str


class Owned(msgspec.Struct, frozen=True):
    """The outline of a starting tile, inside its border, in the colour of its seat."""

    seat: int
    outline: str


class Legend(msgspec.Struct, frozen=True):
    """A mark that lies on the map, and what it means; ``ground`` is what it is drawn on."""

    drawing: str
    words: str
    box: str = "0 0 24 24"
    ground: str = ""


class Drawing(msgspec.Struct, frozen=True):
    """A map ready to be drawn: ``borders`` part areas, ``seams`` the spaces within one."""

    view_box: str
    words: str
    spaces: tuple[Space, ...]
    borders: str
    seams: str
    sites: tuple[SiteMark, ...]
    route: str
    route_seat: int | None
    stops: tuple[Point, ...]
    act: str
    owners: tuple[Owned, ...]

    @property
    def glyph(self) -> str:
        """Return what a camp at the end of the route looks like: a tent, or a hut on water."""
        end = next((space for space in self.spaces if (space.x, space.y) == self.stops[-1]), None)
        return "hut" if end and end.terrain == WATER else "camp"

    @property
    def legend(self) -> list[Legend]:
        """Return what the marks on this map mean."""
        camps = [space.camp for space in self.spaces if space.camp]
        here = {"terrain": {space.terrain for space in self.spaces}}
        here["site"] = {site.kind for site in self.sites}
        here["tile"] = {space.tile for space in self.spaces}
        return [
            *(Legend(f"p-{kind}", kind) for kind in TERRAINS if kind in here["terrain"]),
            *(Legend(f"p-{kind}", f"{kind} site") for kind in RESOURCES if kind in here["site"]),
            Legend("g-berry", "berries"),
            Legend("g-camp", "camp, with the number of its seat"),
            *([Legend("g-hut", "lake village")] if any(camp.village for camp in camps) else []),
            *(
                Legend(f"m-{tile}", words, "-16 -16 32 32", TILE_GROUND[tile])
                for tile, words in TILES.items()
                if tile in here["tile"]
            ),
        ]

    @property
    def has_links(self) -> bool:
        """Tell whether there is anything to tap."""
        return any(space.href for space in self.spaces)


class Route(msgspec.Struct, frozen=True):
    """A way across the map to be drawn, and the seat whose colour it has."""

    spaces: Sequence[str]
    seat: int | None = None


NO_ROUTE = Route(())


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """What a map shows beside the view, by the names of spaces.

    ``links`` are where tapping leads, ``act`` is what it does; ``fresh`` has new camps and tiles,
    ``covered`` the spaces that a tile has been laid on, ``parts`` the letters of the parts of a
    split area, ``owners`` whether starting tiles have the colour of their seat.
    """

    links: Mapping[str, str] = {}
    act: str = "Place a camp on"
    fresh: Collection[str] = ()
    covered: Collection[str] = ()
    parts: Mapping[str, str] = {}
    owners: bool = False


NO_MARKS = Marks()


def covered(state: State) -> frozenset[str]:
    """Return the spaces that a water or lava tile has been laid on."""
    return frozenset(
        space.space
        for space, terrain in zip(state.board.spaces, state.terrain, strict=True)
        if terrain != space.terrain
    )


def draw(view: View, *, marks: Marks = NO_MARKS, route: Route = NO_ROUTE) -> Drawing:
    """Return the map of a view, with what is marked on it and a route."""
    spaces = view["state"]["spaces"]
    at: dict[Hex, Mapping[str, Any]] = {(space["q"], space["r"]): space for space in spaces}
    centres = _centres(view)
    line = route_line(view, route.spaces)
    names = [seat["name"] or f"seat {seat['seat'] + 1}" for seat in view["seats"]]
    return Drawing(
        view_box=_view_box(centres.values()),
        words=f"The map: {counted(len(spaces), 'space')}",
        spaces=tuple(_space(space, view, names, marks) for space in spaces),
        borders=_path(_edges(at, between_areas=True)),
        seams=_path(_edges(at, between_areas=False)),
        sites=tuple(_site(site, centres) for site in view["state"]["sites"]),
        route=" ".join(map(_coordinates, line)),
        route_seat=route.seat,
        stops=line,
        act=marks.act,
        owners=_owners(view) if marks.owners else (),
    )


def route_line(view: View, spaces: Sequence[str]) -> tuple[Point, ...]:
    """Return the points that a route joins: the centres of its spaces."""
    centres = _centres(view)
    return tuple(_rounded(centres[name]) for name in spaces)


def _centres(view: View) -> dict[str, Point]:
    return {
        space["space"]: centre_of((space["q"], space["r"])) for space in view["state"]["spaces"]
    }


def centre_of(hexagon: Hex) -> Point:
    """Return where the centre of a hexagon lies."""
    q, r = hexagon
    return 2 * HALF_WIDTH * (q + r / 2), 1.5 * SIZE * r


def _rounded(point: Point) -> Point:
    return round(point[0], 1), round(point[1], 1)


def _coordinates(point: Point) -> str:
    x, y = _rounded(point)
    return f"{x:g},{y:g}"


def _view_box(centres: Collection[Point]) -> str:
    left = min(x for x, _ in centres) - HALF_WIDTH - MARGIN
    top = min(y for _, y in centres) - SIZE - MARGIN
    width = max(x for x, _ in centres) + HALF_WIDTH + MARGIN - left
    height = max(y for _, y in centres) + SIZE + MARGIN - top
    return f"{left:.1f} {top:.1f} {width:.1f} {height:.1f}"


def _space(space: Details, view: View, names: Sequence[str], marks: Marks) -> Space:
    name, camp = space["space"], space["camp"]
    x, y = centre_of((space["q"], space["r"]))
    tile = _tile(space, marks)
    return Space(
        name=name,
        x=round(x, 1),
        y=round(y, 1),
        points=" ".join(_coordinates((x + dx, y + dy)) for dx, dy in CORNERS),
        terrain=space["terrain"] or (tile if tile in CLOSED else "bare"),
        tile=tile,
        berries=space["berries"],
        camp=_camp(space, fresh=name in marks.fresh) if camp else None,
        words=", ".join([space_words(space, names, tile), *_more_words(space, view, names, marks)]),
        href=marks.links.get(name, ""),
        part=marks.parts.get(name, ""),
        fresh=name in marks.fresh and not camp,
    )


def _tile(space: Details, marks: Marks) -> str:
    """Return which tile of the scenario lies on a space, if any (R10.6, R11.2, R12.1)."""
    if space["space"] == GAP_SPACE:
        return "rain" if space["terrain"] == WATER else "volcano"
    if space["space"] in marks.covered:
        return "water" if space["terrain"] == WATER else "lava"
    return ""


def _camp(space: Details, *, fresh: bool) -> Camp:
    camp = space["camp"]
    village = space["terrain"] == WATER
    return Camp(camp["seat"], camp["seat"] + 1, camp["starting"], fresh, village)


def space_words(space: Details, names: Sequence[str], tile: str = "") -> str:
    """Return a space in words: ``C4: forest, 2 berries, camp of Robin``."""
    parts = [TILES.get(tile) or space["terrain"] or "no terrain"]
    if space["berries"]:
        parts.append(counted(space["berries"], "berry", "berries"))
    if camp := space["camp"]:
        kind = "starting camp" if camp["starting"] else "camp"
        kind = "lake village" if space["terrain"] == WATER else kind
        parts.append(f"{kind} of {names[camp['seat']]}")
    return f"{space['space']}: {', '.join(parts)}"


def _more_words(space: Details, view: View, names: Sequence[str], marks: Marks) -> Iterator[str]:
    """Tell of the part of a split area, and of the starting tile, where they are marked."""
    if part := marks.parts.get(space["space"]):
        yield f"part {part}"
    if marks.owners and (seat := _owner(space, view)) is not None:
        yield f"on the starting tile of {names[seat]}"


def _owner(space: Details, view: View) -> int | None:
    """Return the seat whose starting tile a space is on."""
    tiles = (tile for tile in view["state"]["tiles"] if tile["letter"] == space["space"][0])
    return next((tile["seat"] for tile in tiles), None)


def _owners(view: View) -> tuple[Owned, ...]:
    """Return the outlines of the starting tiles, by seat."""
    by_seat: dict[int, list[Hex]] = {}
    for space in view["state"]["spaces"]:
        if (seat := _owner(space, view)) is not None:
            by_seat.setdefault(seat, []).append((space["q"], space["r"]))
    return tuple(Owned(seat, _path(_inside(tile))) for seat, tile in sorted(by_seat.items()))


def _inside(tile: Sequence[Hex]) -> Iterator[tuple[Point, Point]]:
    """Yield the edges round a tile, a little inside it."""
    for hexagon in tile:
        x, y = centre_of(hexagon)
        for number, direction in enumerate(DIRECTIONS):
            if add(hexagon, direction) not in tile:
                (ax, ay), (bx, by) = _edge(hexagon, number)
                a = (x + INSIDE * (ax - x), y + INSIDE * (ay - y))
                yield a, (x + INSIDE * (bx - x), y + INSIDE * (by - y))


def _edges(
    at: Mapping[Hex, Mapping[str, Any]], *, between_areas: bool
) -> Iterator[tuple[Point, Point]]:
    """Yield the edges between two areas and round the map, or those within an area, each once.

    Neighbours are in one area exactly if they have the same terrain.
    """
    for hexagon, space in at.items():
        for number, direction in enumerate(DIRECTIONS):
            near = at.get(add(hexagon, direction))
            if near is not None and number >= len(DIRECTIONS) // 2:
                continue
            same_area = near is not None and space["terrain"] == near["terrain"] is not None
            if same_area != between_areas:
                yield _edge(hexagon, number)


def _edge(hexagon: Hex, direction: int) -> tuple[Point, Point]:
    """Return the ends of the side that faces a direction; the first faces right."""
    x, y = centre_of(hexagon)
    (ax, ay), (bx, by) = CORNERS[(direction + 1) % 6], CORNERS[(direction + 2) % 6]
    return (x + ax, y + ay), (x + bx, y + by)


def _path(edges: Iterator[tuple[Point, Point]]) -> str:
    return "".join(f"M{_coordinates(a)}L{_coordinates(b)}" for a, b in edges)


def _site(site: Mapping[str, Any], centres: Mapping[str, Point]) -> SiteMark:
    (ax, ay), (bx, by) = (centres[name] for name in site["spaces"])
    x, y = _rounded(((ax + bx) / 2, (ay + by) / 2))
    return SiteMark(site["kind"], x, y, f"{site['kind']} site between {listed(site['spaces'])}")
