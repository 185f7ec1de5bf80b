"""The map as geometry."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.views import view_for
from games.web import board
from tests.engine.table import Table

MAP = """
*0   f:2  f    d1
  w    m    *1
"""


@pytest.fixture
def view() -> dict[str, Any]:
    table = Table(MAP, sites={"crystal": ["A1 A2"]})
    seats = [
        {"seat": 0, "name": "Ann", "kind": "human"},
        {"seat": 1, "name": None, "kind": "human"},
    ]
    return {"state": view_for(table.state, None), "seats": seats}


def edges(path: str) -> int:
    return path.count("M")


def space(drawing: board.Drawing, name: str) -> board.Space:
    return next(space for space in drawing.spaces if space.name == name)


def test_hexagons_lie_side_by_side() -> None:
    (x0, y0), (x1, y1), (x2, y2) = (board.centre_of(at) for at in [(0, 0), (1, 0), (0, 1)])

    assert x1 - x0 == pytest.approx(2 * board.HALF_WIDTH)
    assert y0 == y1
    assert x2 - x0 == pytest.approx(board.HALF_WIDTH)
    assert y2 - y0 == pytest.approx(1.5 * board.SIZE)


def test_areas_have_a_border_and_spaces_of_one_area_a_seam(view: dict[str, Any]) -> None:
    drawing = board.draw(view)

    inside = 11  # pairs of neighbours among these seven spaces
    assert edges(drawing.seams) == 1  # A1 and A2, both forest
    assert edges(drawing.borders) == 7 * 6 - 2 * inside + (inside - 1)


def test_spaces_without_terrain_are_no_area(view: dict[str, Any]) -> None:
    for number in (1, 2):
        view["state"]["spaces"][number]["terrain"] = None

    assert board.draw(view).seams == ""


def test_every_space_is_told_in_words(view: dict[str, Any]) -> None:
    drawing = board.draw(view)

    assert space(drawing, "A0").words == "A0: no terrain, starting camp of Ann"
    assert space(drawing, "A1").words == "A1: forest, 2 berries"
    assert space(drawing, "A3").words == "A3: desert, camp of seat 2"
    assert drawing.sites[0].words == "crystal site between A1 and A2"


def test_a_site_lies_in_the_middle_of_its_border(view: dict[str, Any]) -> None:
    drawing = board.draw(view)
    a, b, site = space(drawing, "A1"), space(drawing, "A2"), drawing.sites[0]

    assert (site.x, site.y) == pytest.approx(((a.x + b.x) / 2, (a.y + b.y) / 2), abs=0.11)


def test_links_news_and_a_route_are_drawn_where_they_belong(view: dict[str, Any]) -> None:
    drawing = board.draw(
        view,
        marks=board.Marks(links={"B1": "/there/"}, fresh={"A3"}),
        route=board.Route(["A0", "B0", "B1"], 0),
    )

    assert [s.name for s in drawing.spaces if s.href] == ["B1"]
    assert [s.name for s in drawing.spaces if s.camp and s.camp.fresh] == ["A3"]
    assert drawing.stops[-1] == (space(drawing, "B1").x, space(drawing, "B1").y)
    assert len(drawing.route.split()) == 3


def test_the_whole_map_fits_into_the_picture(view: dict[str, Any]) -> None:
    drawing = board.draw(view)
    left, top, width, height = map(float, drawing.view_box.split())

    for x, y in re.findall(r"(-?[\d.]+),(-?[\d.]+)", " ".join(s.points for s in drawing.spaces)):
        assert left < float(x) < left + width
        assert top < float(y) < top + height
