"""Mails about an account, and to who has left a seat: they tell nothing of a game."""

from __future__ import annotations

from dewan_site.accounts import links
from dewan_site.accounts.models import Player
from dewan_site.links import absolute
from games.models import Game
from games.times import LEFT
from notifications.letters.letter import Letter
from notifications.models import OutboxMail


def sign_in(_: OutboxMail, player: Player) -> tuple[str, Letter]:
    """Return subject and letter with the link that signs somebody in."""
    letter = Letter(
        headline="Sign in to Dewan by post",
        preheader="The link works once, within the hour",
        lines=[
            f"Hello {player.name}, here is your link. It works once, within the hour.",
            "If you did not ask for it, do nothing: nobody can sign in without this mail.",
        ],
        link=absolute(links.sign_in_path(player)),
        link_label="Sign in",
    )
    return "Your link to Dewan by post", letter


def address_change(mail: OutboxMail, player: Player) -> tuple[str, Letter]:
    """Return subject and letter that ask the new address whether it is theirs."""
    letter = Letter(
        headline="Confirm your new address",
        lines=[
            f"{player.name} wants to get their mails from Dewan by post at {mail.address}.",
            "If that is not you, do nothing and nothing changes.",
        ],
        link=absolute(links.address_change_path(player, mail.address)),
        link_label="Use this address",
    )
    return "Confirm your address for Dewan by post", letter


def address_changed(_: OutboxMail, player: Player) -> tuple[str, Letter]:
    """Return subject and letter that tell the old address of the new one."""
    letter = Letter(
        headline="Your address has changed",
        lines=[
            f"Hello {player.name}, from now on your mails from Dewan by post go to another "
            "address, and you sign in with that one. This was asked for by somebody who was "
            "signed in as you, and confirmed at the new address.",
            "If that was not you, tell whoever runs this service.",
        ],
    )
    return "Your address at Dewan by post has changed", letter


def left(game: Game, player: Player) -> tuple[str, Letter]:
    """Return subject and letter to who has left a game: how, and nothing of the game itself."""
    sitting = game.sittings.filter(player=player).exclude(until=None).last()
    assert sitting is not None, "who has left has sat there"
    letter = Letter(
        headline=LEFT[sitting.how],
        lines=["The game goes on without you, and you get no more mails about it."],
        link=absolute("/"),
        link_label="My games",
    )
    return f"Dewan: you have left game {game.pk}", letter
