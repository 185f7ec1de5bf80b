"""The map as geometry."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine.scenarios.downpour import DOWNPOUR
from engine.scenarios.lake_villages import LAKE_VILLAGES
from engine.scenarios.volcano import VOLCANO
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


# ---- Tiles of the scenarios ------------------------------------------------------------------


def drawn(table: Table, **marks: Any) -> board.Drawing:
    seats = [{"seat": seat, "name": name} for seat, name in enumerate(["Ann", "Ben"])]
    view = {"state": view_for(table.state, None), "seats": seats}
    covered = board.covered(table.state)
    return board.draw(view, marks=board.Marks(covered=covered, **marks))


def words(drawing: board.Drawing) -> dict[str, str]:
    return {space.name: space.words.partition(": ")[2] for space in drawing.spaces}


def legend(drawing: board.Drawing) -> set[str]:
    return {mark.words for mark in drawing.legend}


def test_the_downpour_and_what_it_has_covered_look_like_water() -> None:
    table = Table("*0 f:2 f x d *1", scenario=DOWNPOUR, small_pile="W1 W2")
    drawing = drawn(table.play("take 1-2").play("water A2"))

    assert words(drawing)["X0"] == "water, the downpour tile"
    assert words(drawing)["A2"] == "water, a water tile"
    assert [(s.tile, s.terrain) for s in drawing.spaces if s.tile] == [
        ("water", "water"),
        ("rain", "water"),
    ]
    assert {"water, the downpour tile", "water, a water tile"} <= legend(drawing)
    assert "lake village" not in legend(drawing)


def test_volcano_and_lava_are_closed_and_told_from_bare_ground() -> None:
    table = Table("*0 f f:2 v d *1", scenario=VOLCANO, small_pile="W1 W2", owners={"A": 1})
    drawing = drawn(table.play("take 1-2").play("lava A2"), owners=True)

    assert words(drawing)["X0"] == "the volcano, closed to every route"
    assert words(drawing)["A2"] == "lava, closed to every route, on the starting tile of Ben"
    assert [s.terrain for s in drawing.spaces] == [
        *("bare", "forest", "lava", "volcano", "desert", "bare")
    ]
    assert [owned.seat for owned in drawing.owners] == [1]


def test_a_camp_on_water_is_a_lake_village() -> None:
    drawing = drawn(Table("*0 f w1 d *1", scenario=LAKE_VILLAGES, small_pile="W1 W2"))

    assert words(drawing)["A2"] == "water, lake village of Ben"
    assert [s.name for s in drawing.spaces if s.camp and s.camp.village] == ["A2"]
    assert "lake village" in legend(drawing)


def test_the_parts_of_a_split_area_are_lettered() -> None:
    drawing = drawn(Table(MAP), parts={"A1": "A", "A2": "B"})

    assert [s.part for s in drawing.spaces if s.part] == ["A", "B"]
    assert words(drawing)["A2"] == "forest, part B"
