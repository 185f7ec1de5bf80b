"""The golden transcripts: what they say is what is played, byte for byte."""

from __future__ import annotations

import re

import pytest

from engine.scenarios import SCENARIOS
from engine.verify import verify
from tests.golden.games import FOLDER, GOLDEN, Golden, ended

MOVE = re.compile(r"^ *\d+ seat (\d)(:| leaves:) (.*)$", re.MULTILINE)

EACH = pytest.mark.parametrize("golden", GOLDEN, ids=lambda golden: golden.name)


@EACH
def test_the_transcript_is_as_it_was_reviewed(golden: Golden) -> None:
    assert golden.text() == golden.file.read_text(), "review `make golden`"


@EACH
def test_the_game_shows_what_it_is_kept_for(golden: Golden) -> None:
    game = golden.played()
    assert golden.shows(game)
    assert game.state == game.refolded
    report = verify(game.export())
    assert (report.problems, report.notes) == ((), ())


@EACH
def test_the_lines_of_the_transcript_play_the_game_again(golden: Golden) -> None:
    game = golden.new()
    for seat, does, what in MOVE.findall(golden.file.read_text()):
        if does == ":":
            assert game.asked == int(seat)
            game.say(what)
        else:
            game.forfeit(int(seat), what)
    assert game.state == golden.played().state


def test_every_way_to_end_has_a_transcript() -> None:
    reasons = {ended(golden.played()).reason for golden in GOLDEN}
    assert reasons == {"last_camp", "no_destination", "all_passed", "forfeit"}


def test_every_scenario_has_a_transcript_for_each_number_of_players() -> None:
    shown = {(golden.scenario, len(golden.styles)) for golden in GOLDEN}
    assert shown == {(s.key, players) for s in SCENARIOS.values() for players in s.players}


def test_no_transcript_is_left_over() -> None:
    assert {file.name for file in FOLDER.glob("*.txt")} == {golden.file.name for golden in GOLDEN}
