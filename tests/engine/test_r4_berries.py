"""R4: berries."""

from __future__ import annotations

from engine import events as e
from tests.engine.table import Table


def test_r4_1_a_new_camp_takes_1_berry_of_its_area() -> None:
    table = Table("*0 f:2 d m *1", hands={0: "F1 F2"}).play("camp A1 auto")
    assert len(table.happened(e.BerryTaken)) == 1
    assert table.state.tribes[0].berries == 1
    assert sum(table.state.berries) == 1


def test_r4_1_an_area_without_berries_gives_none() -> None:
    table = Table("*0 f d:2 m *1", hands={0: "F1 F2"}).play("camp A1 auto")
    assert table.happened(e.BerryTaken) == []
    assert table.state.tribes[0].berries == 0


def test_r4_1_later_camps_of_the_area_take_again_while_berries_last() -> None:
    table = Table("*0 f:2 f f *1\n  d f f", hands={0: "F1 F2 F3 F4", 1: "F5 F6"})
    table.play("camp A1 from A0 auto").play("camp A3 from A4 auto")
    assert [tribe.berries for tribe in table.state.tribes] == [1, 1]
    table.play("camp B1 from A1 auto")
    assert [tribe.berries for tribe in table.state.tribes] == [1, 1]
    assert sum(table.state.berries) == 0


def test_r4_1_passing_through_an_area_takes_nothing() -> None:
    table = Table("*0 f:2 d m *1", hands={0: "B1 F1 D1"}).play("camp A2 from A0 via A1 auto")
    assert sum(table.state.berries) == 2


def test_r4_2_berries_belong_to_the_area_not_to_the_space() -> None:
    table = Table("*0 f f f:2 *1", hands={0: "B1 F1"}).play("camp A1 auto")
    assert table.happened(e.BerryTaken) == [e.BerryTaken(seat=0, space="A3")]


def test_r4_2_another_area_of_the_same_terrain_keeps_its_berries() -> None:
    table = Table("*0 f d f:2 *1", hands={0: "B1 F1"}).play("camp A1 auto")
    assert table.happened(e.BerryTaken) == []
