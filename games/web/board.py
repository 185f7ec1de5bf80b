"""The map as geometry: from a view (docs/api.md) to what a template draws as SVG.

Pure: it knows the view's plain data and nothing of requests, so that pages and mails can draw
the same board. Hexagons stand on a corner; one is ``SIZE`` from its centre to each corner.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from math import sqrt
from typing import Any

import msgspec

from engine.hexes import DIRECTIONS, Hex, add
from games.words import counted, listed

SIZE = 20.0
MARGIN = 3.0
HALF_WIDTH = SIZE * sqrt(3) / 2

View = Mapping[str, Any]
"""A game as ``games.selectors.view_of`` gives it, begun."""

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


class Camp(msgspec.Struct, frozen=True):
    """A camp as it is drawn; ``mark`` is the number on the tent, ``fresh`` if it is news."""

    seat: int
    mark: int
    starting: bool
    fresh: bool


class Space(msgspec.Struct, frozen=True):
    """A hexagon: where it lies, what stands on it, its words, and where tapping it leads."""

    name: str
    x: float
    y: float
    points: str
    terrain: str
    berries: int
    camp: Camp | None
    words: str
    href: str


class SiteMark(msgspec.Struct, frozen=True):
    """A site, drawn on the border between its two spaces."""

    kind: str
    x: float
    y: float
    words: str


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

    @property
    def has_links(self) -> bool:
        """Tell whether there is anything to tap."""
        return any(space.href for space in self.spaces)


class Route(msgspec.Struct, frozen=True):
    """A way across the map to be drawn, and the seat whose colour it has."""

    spaces: Sequence[str]
    seat: int | None = None


NO_ROUTE = Route(())


def draw(
    view: View,
    *,
    links: Mapping[str, str] | None = None,
    route: Route = NO_ROUTE,
    fresh: Collection[str] = (),
) -> Drawing:
    """Return the map of a view: ``links`` by space name, a route, and spaces with new camps."""
    spaces = view["state"]["spaces"]
    at: dict[Hex, Mapping[str, Any]] = {(space["q"], space["r"]): space for space in spaces}
    centres = _centres(view)
    line = route_line(view, route.spaces)
    names = [seat["name"] or f"seat {seat['seat'] + 1}" for seat in view["seats"]]
    return Drawing(
        view_box=_view_box(centres.values()),
        words=f"The map: {counted(len(spaces), 'space')}",
        spaces=tuple(_space(space, names, links or {}, fresh) for space in spaces),
        borders=_path(_edges(at, between_areas=True)),
        seams=_path(_edges(at, between_areas=False)),
        sites=tuple(_site(site, centres) for site in view["state"]["sites"]),
        route=" ".join(map(_coordinates, line)),
        route_seat=route.seat,
        stops=line,
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


def _space(
    space: Mapping[str, Any],
    names: Sequence[str],
    links: Mapping[str, str],
    fresh: Collection[str],
) -> Space:
    name, camp = space["space"], space["camp"]
    x, y = centre_of((space["q"], space["r"]))
    return Space(
        name=name,
        x=round(x, 1),
        y=round(y, 1),
        points=" ".join(_coordinates((x + dx, y + dy)) for dx, dy in CORNERS),
        terrain=space["terrain"] or "bare",
        berries=space["berries"],
        camp=_camp(camp, fresh=name in fresh) if camp else None,
        words=space_words(space, names),
        href=links.get(name, ""),
    )


def _camp(camp: Mapping[str, Any], *, fresh: bool) -> Camp:
    return Camp(camp["seat"], camp["seat"] + 1, camp["starting"], fresh)


def space_words(space: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a space in words: ``C4: forest, 2 berries, camp of Robin``."""
    parts = [space["terrain"] or "no terrain"]
    if space["berries"]:
        parts.append(counted(space["berries"], "berry", "berries"))
    if camp := space["camp"]:
        kind = "starting camp" if camp["starting"] else "camp"
        parts.append(f"{kind} of {names[camp['seat']]}")
    return f"{space['space']}: {', '.join(parts)}"


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
