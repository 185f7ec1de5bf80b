"""What a player fills in."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.forms.boundfield import BoundWidget

from engine.scenario import Scenario
from engine.scenarios import SCENARIOS
from engine.scenarios.base import BASE
from games.errors import InvalidRequest
from games.models import MESSAGE_LENGTH, Game
from games.services import NewGame, Submitted
from games.times import WHEN_UP
from games.web.scenario import Said, said
from games.words import duration_words

MOST_SEATS = max(max(scenario.players) for scenario in SCENARIOS.values())
FEWEST_SEATS = min(min(scenario.players) for scenario in SCENARIOS.values())

LENGTHS = [
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
"""The lengths of time that are offered, as far as the installation allows them."""

FIXED, BANK = "fixed", "bank"
"""How a table can treat time: the same for each turn, or a bank that turns add to."""

FOR_PEOPLE = {
    "move_time": timedelta(days=3),
    "bank": timedelta(days=3),
    "added": timedelta(hours=12),
    "bank_cap": timedelta(days=7),
}
"""What the form proposes; programs have the defaults of ``services.NewGame``."""

IN_SHORT: dict[str, dict[str, str]] = {
    "time": {
        FIXED: "{move_time} a turn",
        BANK: "{bank} + {added} a turn, up to {bank_cap}",
    },
    "rests": {"on": "clocks rest", "": "clocks never rest"},
    "absence": {key: f"{up.name[:1].lower()}{up.name[1:]}" for key, up in WHEN_UP.items()},
}
"""How a form treats time in one line: words for what is chosen, ``{field}`` for a length."""

EXCUSED = ("Never", "Once for each seat", "Twice for each seat", "3 times for each seat")
"""How often a missed turn can be excused, as far as the form offers it."""

ABOUT_TIME = (*FOR_PEOPLE, "time", "absence", "excused_misses")
"""The fields about time that hold a choice."""


WHO = [("me", "Me"), ("open", "Open"), ("bot", "Bot")]


def lengths() -> list[tuple[int, str]]:
    """Return the lengths of time on offer: seconds and words."""
    low, high = settings.DEWAN_MIN_MOVE_TIME, settings.DEWAN_MAX_MOVE_TIME
    offered = [time for time in LENGTHS if low <= time <= high]
    seconds = [int(time.total_seconds()) for time in offered]
    return [(length, duration_words(length)) for length in seconds]


def _nearest(wanted: timedelta) -> int:
    """Return the length on offer that is nearest to one, in seconds."""
    return min((length for length, _ in lengths()), key=lambda n: abs(n - wanted.total_seconds()))


def _length(label: str) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(label=label, coerce=int, choices=lengths, required=False)


class NewGameForm(forms.Form):
    """A game to be opened: how many play, who sits where, how fast, and who may watch.

    Of the lengths of time only those count that go with ``time``.
    """

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
    time = forms.ChoiceField(
        choices=[
            (FIXED, "A fixed time for each turn"),
            (BANK, "A bank of time: what a turn leaves is kept"),
        ],
        widget=forms.RadioSelect,
        initial=FIXED,
        required=False,
    )
    move_time = _length("Each turn has")
    bank = _length("It begins with")
    added = _length("Each turn adds")
    bank_cap = _length("It holds at most")
    rests = forms.BooleanField(
        label="Clocks rest in night hours, on free days and on vacation",
        required=False,
        initial=True,
    )
    absence = forms.ChoiceField(
        choices=[(key, up.name) for key, up in WHEN_UP.items()],
        widget=forms.RadioSelect,
        initial=Game.Absence.BOT.value,
        required=False,
    )
    excused_misses = forms.TypedChoiceField(
        label="How often it is excused before",
        coerce=int,
        choices=list(enumerate(EXCUSED)),
        initial=1,
        required=False,
    )
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
        for name, length in FOR_PEOPLE.items():
            self.fields[name].initial = _nearest(length)

    @property
    def seats(self) -> list[forms.BoundField]:
        """Return the fields for the seats."""
        return [self[f"seat{number}"] for number in range(1, MOST_SEATS + 1)]

    @property
    def scenarios(self) -> list[tuple[BoundWidget, Scenario, Said]]:
        """Return the choices of a scenario, each with whom it is for and what it changes."""
        radios = self["scenario"].subwidgets
        return [(radio, SCENARIOS[key], said(key)) for radio in radios if (key := _value(radio))]

    @property
    def choices_when_up(self) -> list[tuple[BoundWidget, str]]:
        """Return the choices of what happens when time is up, each with what it comes to."""
        radios = self["absence"].subwidgets
        return [(radio, WHEN_UP[Game.Absence(_value(radio))].comes_to) for radio in radios]

    @property
    def in_short(self) -> str:
        """Return the words for ``time_words``, for the script that says them anew."""
        return json.dumps(IN_SHORT)

    @property
    def time_words(self) -> str:
        """Return how the form treats time as it stands, in one line."""
        chosen = {name: str(self[name].value() or "") for name in IN_SHORT}
        chosen["rests"] = "on" if self["rests"].value() else ""
        parts = [IN_SHORT[name].get(value, "") for name, value in chosen.items()]
        return "; ".join(parts).format(**{name: self._length_words(name) for name in FOR_PEOPLE})

    def _length_words(self, name: str) -> str:
        return dict(map(_as_texts, lengths())).get(str(self[name].value()), "?")

    @property
    def has_problem_with_time(self) -> bool:
        """Tell whether something is wrong in the part about time."""
        return not self.errors.keys().isdisjoint(ABOUT_TIME)

    def clean(self) -> dict[str, Any]:
        """Check that the player sits on one seat, and that a bank can hold what it is given."""
        data = super().clean() or {}
        self._fill_in(data)
        self._check_bank(data)
        if "players" in data and self._seats().count("me") != 1:
            self.add_error(None, "Sit down on exactly one of the seats.")
        if "players" in data and "scenario" in data:
            self._check_number(SCENARIOS[data["scenario"]], data["players"])
        return data

    def _fill_in(self, data: dict[str, Any]) -> None:
        """Take as proposed what an older page does not know of."""
        for name in ABOUT_TIME:
            if name in data and data[name] in ("", None):
                data[name] = self.fields[name].initial

    def _check_bank(self, data: dict[str, Any]) -> None:
        names = ("bank", "added", "bank_cap")
        if data.get("time") == BANK and data.keys() >= set(names):
            bank, added, cap = (data[name] for name in names)
            if max(bank, added) > cap:
                self.add_error(
                    "bank_cap", "It holds at least what it begins with, and what is added."
                )

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
            rests=data["rests"],
            absence=data["absence"],
            excused_misses=data["excused_misses"],
            visibility=data["visibility"],
            **self._times(),
        )

    def _times(self) -> dict[str, int]:
        data = self.cleaned_data
        if data["time"] == FIXED:
            return {"move_time": data["move_time"]}
        names = {"move_time": "added", "bank": "bank", "bank_cap": "bank_cap"}
        return {option: data[name] for option, name in names.items()}


def _as_texts(choice: tuple[int, str]) -> tuple[str, str]:
    return str(choice[0]), choice[1]


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
