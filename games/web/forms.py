"""What a player fills in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.forms.boundfield import BoundWidget

from engine.scenario import Scenario
from engine.scenarios import SCENARIOS
from engine.scenarios.base import BASE
from games.errors import InvalidRequest
from games.models import Game
from games.services import NewGame, Submitted
from games.web.scenario import Said, said
from games.words import duration_words

MOST_SEATS = max(max(scenario.players) for scenario in SCENARIOS.values())
FEWEST_SEATS = min(min(scenario.players) for scenario in SCENARIOS.values())

MOVE_TIMES = [
    timedelta(**length)
    for length in (
        {"hours": 1},
        {"hours": 4},
        {"hours": 12},
        {"days": 1},
        {"days": 2},
        {"days": 3},
        {"days": 7},
        {"days": 14},
        {"days": 30},
    )
]
"""The times for a move that are offered, as far as the installation allows them."""

MESSAGE_LENGTH = 200
"""How long a line to the table may be, as ``games.models.TableMessage`` keeps it."""

WHO = [("me", "Me"), ("open", "Open"), ("bot", "Bot")]


def move_times() -> list[tuple[int, str]]:
    """Return the times for a move on offer: seconds and words."""
    low, high = settings.DEWAN_MIN_MOVE_TIME, settings.DEWAN_MAX_MOVE_TIME
    seconds = [int(time.total_seconds()) for time in MOVE_TIMES if low <= time <= high]
    return [(length, duration_words(length)) for length in seconds]


class NewGameForm(forms.Form):
    """A game to be opened: how many play, who sits where, how fast, and who may watch."""

    players = forms.TypedChoiceField(
        coerce=int,
        choices=[(n, str(n)) for n in range(FEWEST_SEATS, MOST_SEATS + 1)],
        widget=forms.RadioSelect,
        initial=FEWEST_SEATS,
    )
    scenario = forms.ChoiceField(
        choices=[(s.key, s.name) for s in SCENARIOS.values()],
        widget=forms.RadioSelect,
        initial=BASE.key,
    )
    move_time = forms.TypedChoiceField(coerce=int, choices=move_times)
    visibility = forms.ChoiceField(
        choices=[
            (Game.Visibility.PRIVATE, "Private: only the players see it"),
            (Game.Visibility.PUBLIC, "Public: anybody may watch, and join an open seat"),
        ],
        widget=forms.RadioSelect,
        initial=Game.Visibility.PRIVATE,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for number in range(1, MOST_SEATS + 1):
            self.fields[f"seat{number}"] = forms.ChoiceField(
                label=f"Seat {number}",
                choices=WHO,
                widget=forms.RadioSelect,
                initial="me" if number == 1 else "open",
                required=False,
            )
        self.fields["move_time"].initial = int(settings.DEWAN_MOVE_TIME.total_seconds())

    @property
    def seats(self) -> list[forms.BoundField]:
        """Return the fields for the seats."""
        return [self[f"seat{number}"] for number in range(1, MOST_SEATS + 1)]

    @property
    def scenarios(self) -> list[tuple[BoundWidget, Scenario, Said]]:
        """Return the choices of a scenario, each with whom it is for and what it changes."""
        radios = self["scenario"].subwidgets
        return [(radio, SCENARIOS[key], said(key)) for radio in radios if (key := _value(radio))]

    def clean(self) -> dict[str, Any]:
        """Check that the player sits on one seat."""
        data = super().clean() or {}
        if "players" in data and self._seats().count("me") != 1:
            self.add_error(None, "Sit down on exactly one of the seats.")
        if "players" in data and "scenario" in data:
            self._check_number(SCENARIOS[data["scenario"]], data["players"])
        return data

    def _check_number(self, scenario: Scenario, players: int) -> None:
        if players not in scenario.players:
            wanted = " or ".join(map(str, scenario.players))
            problem = f"{scenario.name} is for {wanted} players, and you want to be {players}."
            self.add_error("scenario", problem)

    def _seats(self) -> tuple[str, ...]:
        data = self.cleaned_data
        return tuple(data.get(f"seat{n}") or "open" for n in range(1, data["players"] + 1))

    @property
    def wanted(self) -> NewGame:
        """Return the game that a valid form asks for."""
        data = self.cleaned_data
        return NewGame(
            players=data["players"],
            seats=self._seats(),
            scenario=data["scenario"],
            move_time=data["move_time"],
            visibility=data["visibility"],
        )


def _value(radio: BoundWidget) -> str:
    return str(radio.data["value"])


class MoveForm(forms.Form):
    """What a page sends to play: a line of notation, and what it answers and was seen with."""

    text = forms.CharField(max_length=1000)
    decision = forms.CharField(max_length=20, required=False)
    version = forms.IntegerField(min_value=0)
    message = forms.CharField(max_length=MESSAGE_LENGTH, required=False)
    key = forms.CharField(max_length=200, required=False)

    @property
    def submitted(self) -> Submitted:
        """Return the submission; raise InvalidRequest naming the first field that is wrong."""
        if not self.is_valid():
            field, problems = next(iter(self.errors.items()))
            raise InvalidRequest(f"{field}: {problems[0]}")
        data = self.cleaned_data
        return Submitted(
            decision=data["decision"] or None,
            expected_version=data["version"],
            text=data["text"],
            message=data["message"],
            key=data["key"],
        )
