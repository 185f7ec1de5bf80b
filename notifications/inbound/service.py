"""What becomes of a mail that comes in: one function, whichever way it came (docs/mail.md).

A mail is obeyed only with its token and from its player's address, and once. What it does, what is
kept of it and the answer to it are one transaction.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from dewan_site import sql
from dewan_site.accounts.limits import within_limit
from dewan_site.accounts.models import Player
from engine import commands, notation
from engine.errors import AmbiguousCommand, GameError, IllegalMove, InvalidCommand
from games import absence, selectors, services
from games.access import NotVisible
from games.models import Seat
from games.services import Submitted
from notifications import health, notices, seen, shortlists, tokens
from notifications.inbound import orders, reading
from notifications.inbound.orders import Errand, Orders, UnreadableOrder
from notifications.inbound.outcomes import Outcome
from notifications.inbound.reading import Incoming
from notifications.models import InboundMail, Note, OutboxMail
from notifications.tokens import Held, Purpose

log = logging.getLogger("dewan.mail")

ANSWERED_AN_HOUR = {
    Outcome.NO_TOKEN: 2,
    Outcome.TOO_MANY: 1,
    Outcome.UNREADABLE: 10,
    Outcome.WRONG_SENDER: 4,
    Outcome.NOT_AUTHENTIC: 4,
}
"""How many mails of a player, or in their name, with these outcomes are answered in an hour.

A machine that answers every mail with one that nobody can read is not talked to for ever.
"""


OBEYED = (Outcome.DONE, Outcome.REFUSED, Outcome.UNREADABLE)
"""Outcomes of mails that have been read: whoever sent one has looked at what they are asked."""


def receive(raw: bytes, *, sender: str | None = None, recipients: Sequence[str] = ()) -> Outcome:
    """Do what a mail says, and return what became of it; everything is committed then.

    ``sender`` and ``recipients`` are those of the envelope, where it is known. Raises nothing but
    errors of the database: then nothing has happened, and the mail can be given again.
    """
    incoming = reading.read(
        raw[: settings.DEWAN_MAIL_SIZE],
        sender=sender,
        recipients=recipients,
        authserv=settings.DEWAN_MAIL_AUTHSERV,
    )
    outcome = _receive(incoming, whole=len(raw) <= settings.DEWAN_MAIL_SIZE)
    log.info("a mail has come in: %s", outcome)
    return outcome


def _receive(incoming: Incoming, *, whole: bool) -> Outcome:
    if incoming.bounces:
        for bounce in incoming.bounces:
            health.bounced(bounce.address, bounce.message_id, bounce.permanent, bounce.status)
        return Outcome.BOUNCE
    if incoming.automatic:
        return Outcome.AUTOMATIC
    try:
        with notices.nudging_once(), transaction.atomic():
            return _taken_in(incoming, whole=whole)
    except IntegrityError:
        # What a second copy has done is undone, since its row cannot be written again.
        if InboundMail.objects.filter(digest=incoming.digest).exists():
            return Outcome.DUPLICATE
        raise


def _taken_in(incoming: Incoming, *, whole: bool) -> Outcome:
    held = _held(incoming)
    if held is None:
        return _without_token(incoming)
    return _with_token(incoming, held, whole=whole)


# ---- Whose mail it is --------------------------------------------------------------------------


def _held(incoming: Incoming) -> Held | None:
    """Return what the mail's token stands for: in an address it goes to, else as an answer."""
    found = {token for address in incoming.recipients if (token := tokens.token_in(address))}
    if found:
        return tokens.read(Purpose.REPLY, found.pop()) if len(found) == 1 else None
    return _answered(incoming)


def _answered(incoming: Incoming) -> Held | None:
    """Return what the nearest mail of ours asked that this one answers; its Message-ID is secret.

    Some programs do not heed Reply-To. One mail that tells of several games names none.
    """
    ours = OutboxMail.objects.filter(message_id__in=incoming.references).exclude(seat=None)
    # Only then is written down what else the mail has told.
    ours = ours.filter(state=OutboxMail.State.SENT)
    mail = ours.prefetch_related("tells").order_by("-pk").first()
    if mail is None or mail.seat is None:
        return None
    told = [mail, *mail.tells.all()]
    seats = Seat.objects.select_related("game", "player")
    seats = seats.filter(player__email=incoming.sender, player__is_active=True)
    seat = seats.filter(game=mail.game_id, number=mail.seat).first()
    if seat is None or any(other.game_id != mail.game_id for other in told):
        return None
    decision = next((other.decision for other in told if other.decision), "0")
    return Held(seat, int(decision.partition("-")[0]))


def _is_believed(incoming: Incoming) -> bool:
    """Tell whether the receiving server vouches for the sender as far as the operator wants."""
    match settings.DEWAN_MAIL_AUTH:
        case "passed":
            return incoming.authentic == "passed"
        case "not_failed":
            return incoming.authentic != "failed"
    return True


def _without_token(incoming: Incoming) -> Outcome:
    """Tell a player who writes without a token that it was in vain; nobody else is answered."""
    player = Player.objects.filter(email=incoming.sender).first()
    to_us = any(map(tokens.is_ours, incoming.recipients))
    if player is None or not to_us or not _is_believed(incoming):
        return Outcome.NO_TOKEN
    if _is_to_be_answered(Outcome.NO_TOKEN, player):
        notices.answer(_kept(incoming, Outcome.NO_TOKEN, player=player))
    return Outcome.NO_TOKEN


def _is_to_be_answered(outcome: Outcome, player: Player) -> bool:
    limit = ANSWERED_AN_HOUR.get(outcome)
    return limit is None or within_limit(f"answers-{outcome}", str(player.pk), limit)


def _with_token(incoming: Incoming, held: Held, *, whole: bool) -> Outcome:
    player = held.seat.player
    assert player is not None, "a token is for a seat with a player"
    outcome, detail = _dealt_with(incoming, held, player, whole=whole)
    mail = _kept(
        incoming,
        outcome,
        player=player,
        game=held.seat.game,
        seat=held.seat.number,
        decision=held.decision,
        detail=detail,
    )
    # After the row, which a second copy waits for: it holds no notice then. What is answered need
    # not be seen any more.
    if outcome in OBEYED and "played" not in detail:
        seen.mark(held.seat.game, held.seat.number, player)
    if _is_to_be_answered(outcome, player):
        notices.answer(mail)
    return outcome


def _kept(incoming: Incoming, outcome: Outcome, **columns: Any) -> InboundMail:
    """Write down what became of a mail; raise IntegrityError if a copy of it came in before."""
    mail = InboundMail(
        digest=incoming.digest, message_id=incoming.message_id, outcome=outcome, **columns
    )
    ((mail.pk,),) = sql.read(sql.returning(sql.inserting(mail), "id"))[0]
    return mail


# ---- What it says ------------------------------------------------------------------------------


Detail = dict[str, Any]
"""What the answer mail tells: codes, our own words, and notation in its canonical form."""


def _dealt_with(
    incoming: Incoming, held: Held, player: Player, *, whole: bool
) -> tuple[Outcome, Detail]:
    if incoming.sender != player.email.lower():
        return Outcome.WRONG_SENDER, {}
    if not _is_believed(incoming):
        return Outcome.NOT_AUTHENTIC, {}
    if _is_one_too_many(incoming, player):  # after the sender: others must not use it up
        return Outcome.TOO_MANY, {}
    if not whole:
        return Outcome.TOO_LARGE, {}
    try:
        wanted = orders.read(incoming.words)
    except UnreadableOrder as error:
        problem = {"line": error.line, "words": error.problem, "right": error.right}
        return Outcome.UNREADABLE, {"problem": problem}
    return _obeyed(held, player, wanted, key=f"mail:{incoming.digest}")


def _is_one_too_many(incoming: Incoming, player: Player) -> bool:
    """Tell whether a player writes too often; a mail that is given again counts once.

    It is, as long as the database fails, and must not be refused for that afterwards.
    """
    if not within_limit("mail-counted", incoming.digest, 1):
        return False
    return not within_limit("mails-of-player", str(player.pk), settings.DEWAN_MAILS_PER_HOUR)


def _obeyed(held: Held, player: Player, wanted: Orders, key: str) -> tuple[Outcome, Detail]:
    """Carry out all orders of a mail, or none of them."""
    detail = {"asks": wanted.asks, "errands": [_errand(errand) for errand in wanted.errands]}
    try:
        # A move alone is a transaction of its own.
        with nullcontext() if wanted.is_move_alone else transaction.atomic():
            done = _carry_out(held, player, wanted, key)
    except GameError as error:
        return Outcome.REFUSED, detail | {"problem": problem_of(error)}
    except NotVisible:
        return Outcome.REFUSED, detail | {"problem": {"code": "not_found"}}
    return Outcome.DONE, detail | done


def _carry_out(held: Held, player: Player, wanted: Orders, key: str) -> Detail:
    game = held.seat.game
    said = tokens.without_tokens(services.one_line(wanted.say))
    for text in wanted.notes:
        Note.objects.create(game=game, player=player, text=text)
    done: Detail = {"noted": len(wanted.notes), "said": bool(said), "back": wanted.back}
    if wanted.back:
        absence.come_back(player, game.pk)
    if wanted.play:
        return done | _play(held, player, wanted, said, key)
    if said:
        services.say(player, game.pk, said)
    return done


def _play(held: Held, player: Player, wanted: Orders, said: str, key: str) -> Detail:
    """Submit the moves as an answer to the decision that the token names, and to no other."""
    game = held.seat.game
    listed = partial(shortlists.line, game.pk, held.decision)
    submitted = Submitted(
        decision=held.decision,
        # A decision's legal answers never change; an undo is of what is there now.
        expected_version=game.version if wanted.is_undo else held.since,
        text=", ".join(orders.moves_of(wanted, listed)),
        message=said,
        key=key,
    )
    answer = services.submit_move(player, game.pk, submitted)
    return {
        "played": answer["number"],
        "sealed": answer["number"] is None,
        "undone": wanted.is_undo,
        "unapplied": _unapplied(player, game.pk, answer["unapplied"]),
    }


def _unapplied(player: Player, game_id: str, left: list[Any]) -> list[str]:
    """Return as notation what was not played, since what came before it has changed the game."""
    if not left:
        return []
    _, state = selectors.seen_state(player, game_id)
    assert state is not None, "something was played"
    return [notation.text_of(state, commands.parse(command)) for command in left]


def problem_of(error: GameError) -> Detail:
    """Return what an answer mail tells of a refusal; never anything that the mail has said."""
    problem: Detail = {"code": error.code, "words": error.detail}
    if isinstance(error, InvalidCommand):
        problem |= {"words": "", "right": error.right}
    elif isinstance(error, IllegalMove):
        problem |= {
            "rule": error.rule,
            "number": error.command_index + 1,
            "examples": [entry.text for entry in error.legal],
        }
    elif isinstance(error, AmbiguousCommand):
        problem["examples"] = [entry.text for entry in error.candidates]
    return problem


def _errand(errand: Errand) -> Detail:
    """Return an errand for the answer mail, which has the link that does it."""
    days = {"first": errand.first, "last": errand.last}
    return {"kind": errand.kind, **{name: day.isoformat() for name, day in days.items() if day}}
