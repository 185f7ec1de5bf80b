"""Players. Everything personal is here; the move log knows seats only."""

from __future__ import annotations

from datetime import time
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import msgspec
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models

from dewan_site.accounts.names import NAME_LENGTH, name_from, validate_name
from notifications import ladder, rests


@cache
def known_zones() -> frozenset[str]:
    """Return the names of the IANA time zones, the same on every machine.

    A machine's own folder of zones has others: ``localtime`` is wherever the machine stands.
    """
    names = files("tzdata").joinpath("zones").read_text().split()
    return frozenset(names) - {"Factory"}  # says that no zone was set


def validate_zone(zone: str) -> None:
    """Raise ValidationError unless this is the name of an IANA time zone."""
    if zone not in known_zones():
        raise ValidationError(f"“{zone}” is no time zone; write it like Europe/Amsterdam")


class PlayerManager(BaseUserManager["Player"]):
    """Finds and makes players by mail address, upper and lower case being the same."""

    def with_email(self, email: str, **defaults: Any) -> Player:
        """Return the player with this address, made with the defaults if there is none."""
        email = email.strip().lower()
        player, made = self.get_or_create(
            email=email,
            defaults={"name": name_from(email), **defaults},
        )
        if made:
            player.set_unusable_password()
            player.save(update_fields=["password"])
        return player

    def get_by_natural_key(self, username: str | None) -> Player:
        """Return the player with this address."""
        return self.get(email=(username or "").lower())


def all_stages() -> list[str]:
    """Return every stage of the ladder of reminders."""
    return list(ladder.STAGES)


class Rhythm(models.TextChoices):
    """When a player wants the mails about their games (docs/mail.md)."""

    AT_ONCE = "at_once"
    BATCHED = "batched"
    DAILY = "daily"


class Player(AbstractBaseUser, PermissionsMixin):
    """A person with a mail address. ``zone`` is the IANA time zone their times are shown in.

    ``reminders`` are the stages at which they want to be reminded of a decision, ``digest_at`` the
    local hour of a daily mail; in the quiet hours, if they have any, no mail about a game goes out.
    """

    email = models.EmailField(unique=True)
    name = models.CharField(max_length=NAME_LENGTH, validators=[validate_name])
    zone = models.CharField(max_length=64, default="UTC", validators=[validate_zone])
    mails_stopped = models.BooleanField(
        default=False, help_text="Send no mails about games; sign-in mails still go out."
    )
    rhythm = models.CharField(max_length=10, choices=Rhythm.choices, default=Rhythm.AT_ONCE)
    digest_at = models.TimeField(default=time(8))
    quiet_from = models.TimeField(null=True, blank=True)
    quiet_until = models.TimeField(null=True, blank=True)
    reminders = models.JSONField(default=all_stages)
    introduced = models.BooleanField(
        default=False, help_text="Has confirmed name and zone after the first sign-in."
    )
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = PlayerManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"

    def __str__(self) -> str:
        return self.name


class Rests(models.Model):
    """When a player's clocks rest, for what they are asked from ``since`` on (docs/clock.md).

    A change is a new row and never touches an old one, so that a clock that runs is reckoned as
    it was begun. ``data`` is a ``rests.Rests`` in JSON.
    """

    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="rests")
    since = models.DateTimeField()
    data = models.TextField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "since"], name="rests_since")]
        ordering = ["since"]

    def __str__(self) -> str:
        return f"rests of player {self.player_id} from {self.since}"

    @property
    def rests(self) -> rests.Rests:
        """Return them as clocks are reckoned with them."""
        return read_rests(self.data)


@lru_cache(maxsize=10_000)
def read_rests(data: str) -> rests.Rests:
    """Read ``Rests.data``."""
    return msgspec.json.decode(data, type=rests.Rests)
