"""How players want the mails about their games, as it is stored; a change counts at once."""

from __future__ import annotations

from datetime import time

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from dewan_site.accounts.models import Player
from games.models import Game, Seat
from notifications import notices
from notifications.models import GameRhythm, OutboxMail
from notifications.rhythm import Preferences


def of(player: Player, rhythm: str | None = None) -> Preferences:
    """Return how a player wants mails; ``rhythm`` is what they want of one game, if anything."""
    begins, until = player.quiet_from, player.quiet_until
    return Preferences(
        rhythm=rhythm or player.rhythm,
        zone=player.zone,
        digest_at=player.digest_at,
        quiet=None if begins is None or until is None else (begins, until),
    )


def of_game(player: Player, game: Game) -> str | None:
    """Return the rhythm that a player wants for one game; None if it is that of all."""
    mine = GameRhythm.objects.filter(player=player, game=game)
    return mine.values_list("rhythm", flat=True).first()


def change(
    player: Player, *, rhythm: str, digest_at: time, quiet: tuple[time, time] | None
) -> None:
    """Set when a player gets mails about games, and look again at what waits for them."""
    player.rhythm, player.digest_at = rhythm, digest_at
    player.quiet_from, player.quiet_until = quiet or (None, None)
    player.save(update_fields=["rhythm", "digest_at", "quiet_from", "quiet_until"])
    look_again(player)


def stop(player: Player, *, stopped: bool) -> None:
    """Stop the mails about games, or send them again."""
    player.mails_stopped = stopped
    player.save(update_fields=["mails_stopped"])
    look_again(player)


def change_of_game(player: Player, game: Game, rhythm: str | None) -> None:
    """Set the rhythm of one game, which can be off; with None it is that of all the others."""
    mine = GameRhythm.objects.filter(player=player, game=game)
    if rhythm is None:
        mine.delete()
    else:
        GameRhythm.objects.update_or_create(player=player, game=game, defaults={"rhythm": rhythm})
    look_again(player)


def look_again(player: Player) -> None:
    """Have everything looked at now that waits for a player for more than a mail's own hold."""
    waiting_for(player).exclude(ready_at=None).update(due_at=timezone.now())
    notices.after_commit("deliver_mail")


def waiting_for(player: Player) -> QuerySet[OutboxMail]:
    """Return the mails that wait to go out to a player, about games and about the account."""
    return mails_to(player).filter(state__in=OutboxMail.WAITING)


def mails_to(player: Player) -> QuerySet[OutboxMail]:
    """Return the mails that have gone out, or will, to a player as they sit at tables now."""
    seat = Seat.objects.filter(game=OuterRef("game"), number=OuterRef("seat"), player=player)
    return OutboxMail.objects.filter(Q(player=player) | Q(Exists(seat), player=None))
