"""Links that mails carry: what each one can do, for how long, and how it is read again.

Following any of them shows a page; only its button acts, since scanners follow links too.
"""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.urls import reverse
from django.utils import timezone
from sesame.utils import get_token, get_user

from dewan_site.accounts.models import Player

_STOP = "stop-mails"
_ADDRESS = "change-address"
ADDRESS_CHANGE_AGE = timedelta(days=1)


def sign_in_path(player: Player) -> str:
    """Return the path that signs a player in: once, within the hour."""
    return reverse("sign_in_link", args=[get_token(player)])


def player_signing_in(token: str) -> Player | None:
    """Return whom a sign-in link is for, without using it up; None if it is used or too old."""
    player = get_user(token, update_last_login=False)
    assert player is None or isinstance(player, Player)
    return player


def spend_sign_in(player: Player) -> bool:
    """Use up the link a player was just read by; tell whether nobody else has done so meanwhile.

    A link holds the moment of the last sign-in, so whoever moves that first spends it for all.
    """
    unspent = Player.objects.filter(pk=player.pk, last_login=player.last_login)
    return unspent.update(last_login=timezone.now()) == 1


def stop_mails_path(player: Player) -> str:
    """Return the path that stops mails about games; it works for ever."""
    return reverse("stop_mails", args=[signing.dumps(player.pk, salt=_STOP)])


def player_stopping_mails(token: str) -> Player | None:
    """Return whose mails a link stops, None if it is not one of ours."""
    try:
        return Player.objects.filter(pk=signing.loads(token, salt=_STOP)).first()
    except signing.BadSignature:
        return None


def address_change_path(player: Player, address: str) -> str:
    """Return the path that gives a player a new address; it works for a day, until a change."""
    token = signing.dumps([player.pk, player.email, address], salt=_ADDRESS)
    return reverse("address_link", args=[token])


def address_change(token: str) -> tuple[Player, str] | None:
    """Return the player and new address of a link, None if it is spent, too old or not ours."""
    try:
        player_id, old, new = signing.loads(token, salt=_ADDRESS, max_age=ADDRESS_CHANGE_AGE)
    except signing.BadSignature:
        return None
    player = Player.objects.filter(pk=player_id, email=old).first()
    return (player, new) if player else None
