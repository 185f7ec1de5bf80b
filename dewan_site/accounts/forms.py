"""What players fill in about themselves."""

from __future__ import annotations

from functools import cache
from typing import Any

from django import forms

from dewan_site.accounts.models import Player, known_zones
from dewan_site.accounts.names import clean_name

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
