"""What players fill in about themselves."""

from __future__ import annotations

from datetime import time
from functools import cache
from typing import Any

from django import forms

from dewan_site.accounts.models import Player, Rhythm, known_zones
from dewan_site.accounts.names import clean_name
from notifications.ladder import STAGES
from notifications.rests import Rests

REGIONS = (
    "Africa",
    "America",
    "Antarctica",
    "Arctic",
    "Asia",
    "Atlantic",
    "Australia",
    "Europe",
    "Indian",
    "Pacific",
)
"""The parts of the world that time zones of places are named after."""

Group = tuple[str, list[tuple[str, str]]]


class SignInForm(forms.Form):
    """The address a sign-in link is sent to."""

    email = forms.EmailField(
        label="Your mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "inputmode": "email"}),
    )


class NameAndZoneForm(forms.ModelForm):  # type: ignore[type-arg]
    """What a player is called at the table, and the zone their times are shown in."""

    class Meta:
        model = Player
        fields = ("name", "zone")
        labels = {"name": "Your name at the table", "zone": "Your time zone"}
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "nickname"})}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups: list[Group] = [("", [(zone, zone)]) for zone in self._other_zones()]
        self.fields["zone"].widget = forms.Select(choices=[*groups, *zones()])

    def _other_zones(self) -> list[str]:
        """Return UTC, and the player's own zone if it is not the zone of a place."""
        zone = self.instance.zone
        return ["UTC"] if zone == "UTC" or zone.startswith(REGIONS) else ["UTC", zone]

    def clean_name(self) -> str:
        """Return the name as it is kept."""
        return clean_name(self.cleaned_data["name"])


@cache
def zones() -> list[Group]:
    """Return the time zones of places, by part of the world."""
    places: dict[str, list[tuple[str, str]]] = {region: [] for region in REGIONS}
    for zone in sorted(known_zones()):
        region, _, place = zone.partition("/")
        if place and region in places:
            places[region].append((zone, place.replace("_", " ").replace("/", ", ")))
    return list(places.items())


class AddressForm(forms.Form):
    """The address a player wants their mails at from now on."""

    address = forms.EmailField(
        label="New mail address",
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "inputmode": "email"}),
    )

    def clean_address(self) -> str:
        """Return the address as it is stored."""
        return str(self.cleaned_data["address"]).lower()


# ---- When a player's clocks rest, and when they are reminded -----------------------------------

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

REMINDERS = {
    "half": "when half of my time is over",
    "last_tenth": "when only the last tenth of it is left",
    "last_hour": "when the last hour of it begins",
}
"""What each stage of the ladder of reminders is called."""


def _time_of_day(label: str) -> forms.TimeField:
    widget = forms.TimeInput(format="%H:%M", attrs={"type": "time"})
    return forms.TimeField(label=label, required=False, widget=widget)


def _day(label: str) -> forms.DateField:
    widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
    return forms.DateField(label=label, widget=widget)


class RestsForm(forms.Form):
    """When a player's clocks rest every night and every week."""

    begins = _time_of_day("Night from")
    ends = _time_of_day("to")
    weekdays = forms.TypedMultipleChoiceField(
        label="Free days",
        coerce=int,
        choices=list(enumerate(WEEKDAYS, 1)),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    @classmethod
    def showing(cls, rests: Rests) -> RestsForm:
        """Return the form with the rests that are in force."""
        begins, ends = map(_clock_time, rests.night) if rests.night else (None, None)
        return cls(initial={"begins": begins, "ends": ends, "weekdays": rests.weekdays})

    def clean(self) -> dict[str, Any]:
        """Check that a night has both its ends."""
        data = super().clean() or {}
        if not self.errors and (data["begins"] is None) != (data["ends"] is None):
            self.add_error("ends", "A night has a beginning and an end; leave out both for none.")
        return data

    @property
    def night(self) -> tuple[int, int] | None:
        """Return the night of a valid form, in minutes after midnight."""
        begins, ends = self.cleaned_data["begins"], self.cleaned_data["ends"]
        return None if begins is None else (_minutes(begins), _minutes(ends))


def _clock_time(minutes: int) -> time:
    return time(minutes // 60, minutes % 60)


def _minutes(at: time) -> int:
    return at.hour * 60 + at.minute


class VacationForm(forms.Form):
    """A vacation, from its first day to its last."""

    first = _day("First day")
    last = _day("Last day")


class CancelForm(forms.Form):
    """Which vacation is to be cancelled, by the moment it begins."""

    start = forms.DateTimeField()


class RemindersForm(forms.Form):
    """At which stages a player wants to be reminded."""

    stages = forms.MultipleChoiceField(
        label="Remind me",
        choices=[(stage, REMINDERS[stage]) for stage in STAGES],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )


# ---- When mails about games come ---------------------------------------------------------------

RHYTHMS = {
    Rhythm.AT_ONCE: "at once",
    Rhythm.BATCHED: "together, every 4 hours at most",
    Rhythm.DAILY: "together, once a day",
}
"""What each rhythm is called."""


class RhythmForm(forms.Form):
    """When a player gets mails about their games."""

    rhythm = forms.ChoiceField(
        label="They come", choices=[(key.value, words) for key, words in RHYTHMS.items()]
    )
    digest_at = _time_of_day("The daily mail comes at")
    begins = _time_of_day("Quiet from")
    ends = _time_of_day("to")

    @classmethod
    def showing(cls, player: Player) -> RhythmForm:
        """Return the form with what a player has chosen."""
        quiet = {"begins": player.quiet_from, "ends": player.quiet_until}
        return cls(initial={"rhythm": player.rhythm, "digest_at": player.digest_at, **quiet})

    def clean(self) -> dict[str, Any]:
        """Check that quiet hours have both their ends, and that a daily mail has a time."""
        data = super().clean() or {}
        begins, ends = data.get("begins"), data.get("ends")
        if not self.errors and ((begins is None) != (ends is None) or begins == ends is not None):
            words = "Quiet hours end at another time than they begin; leave out both for none."
            self.add_error("ends", words)
        if not self.errors and data["rhythm"] == Rhythm.DAILY and data["digest_at"] is None:
            self.add_error("digest_at", "Say at what time the daily mail is to come.")
        return data

    @property
    def quiet(self) -> tuple[time, time] | None:
        """Return the quiet hours of a valid form."""
        begins, ends = self.cleaned_data["begins"], self.cleaned_data["ends"]
        return None if begins is None else (begins, ends)
