"""Mails: from a row of the outbox to a message, at the moment it is sent (docs/mail.md).

What a mail says comes from the seat's own view. A notice that is no longer true is not sent.
"""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from datetime import datetime

import msgspec
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string
from django.utils import timezone

from dewan_site.accounts import links as account_links
from dewan_site.accounts.models import Player
from dewan_site.accounts.names import flat_name
from dewan_site.links import absolute
from engine.commands import Story
from engine.events import Score
from engine.legal import legal
from engine.questions import KINDS
from engine.rules.stories import missing
from engine.state import Question, State
from engine.views import mask
from games import consent, demo, selectors, store, timing
from games.access import Seen
from games.models import Game, Proposal, Seat
from games.times import LEFT, WHEN_UP, rest_words, treatment
from games.words import (
    CANCELLED,
    card_words,
    counted,
    listed,
    proposal_words,
    requirement_words,
    story_words,
    victory_words,
)
from notifications import notices
from notifications.models import OutboxMail

SHOWN = 12
"""How many legal moves a mail lists, at most."""


class NoLongerTrue(Exception):
    """The mail must not go out, mostly since it is no longer so; the text is why it is dropped."""


class Section(msgspec.Struct, frozen=True):
    """A titled list of lines; ``typed`` ones are notation."""

    title: str
    lines: list[str]
    typed: bool = False

    @property
    def bullet(self) -> str:
        """Return what begins a line in the text version."""
        return "  " if self.typed else "- "


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a mail, for its text and its HTML version alike."""

    headline: str
    lines: list[str] = []
    sections: list[Section] = []
    link: str = ""
    link_label: str = ""
    preheader: str = ""
    footer: list[str] = []


def message_for(mail: OutboxMail) -> EmailMultiAlternatives:
    """Return the message for a row of the outbox; raise NoLongerTrue if it must not go out."""
    if mail.game is None:
        return _account_message(mail)
    if mail.player is not None:
        return _leaver_message(mail, mail.game, mail.player)
    return _game_message(mail, mail.game)


# ---- Mails about a game ----------------------------------------------------------------------


class Reading(msgspec.Struct, frozen=True):
    """What a mail about a game is written from: the seat, its player, and its view of the game."""

    mail: OutboxMail
    game: Game
    seat: int
    player: Player
    state: State
    names: list[str]

    @property
    def seen(self) -> Seen:
        """Return the game as the selectors want it."""
        return Seen(self.game, self.seat)

    @property
    def link(self) -> str:
        """Return the address of the game's page."""
        return absolute(f"/games/{self.game.pk}/")


def _game_message(mail: OutboxMail, game: Game) -> EmailMultiAlternatives:
    reading = _read(mail, game)
    letter = _LETTERS[mail.kind](reading)
    stop = absolute(account_links.stop_mails_path(reading.player))
    letter = msgspec.structs.replace(letter, footer=_footer(reading, stop))
    thread = f"<game.{game.pk}.{reading.seat}@{notices.mail_domain()}>"
    headers = {
        "In-Reply-To": thread,
        "References": thread,
        **_stopping(stop),
        "X-Dewan-Game": game.pk,
        "X-Dewan-Seat": str(reading.seat),
    }
    if mail.decision:
        headers["X-Dewan-Decision"] = mail.decision
    # One subject for all mails of a game: clients keep them in one thread by it.
    subject = f"Dewan: {listed(reading.names)} [{game.pk}]"
    return _message(mail, reading.player.email, subject, letter, headers)


def _stopping(stop: str) -> dict[str, str]:
    """Return the headers with which mails are stopped by one click (RFC 8058)."""
    return {
        "List-Unsubscribe": f"<{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def _read(mail: OutboxMail, game: Game) -> Reading:
    assert mail.seat is not None, "a mail about a game goes to a seat"
    seat = Seat.objects.select_related("player").get(game=game, number=mail.seat)
    if seat.player is None:
        raise NoLongerTrue("nobody sits there")
    if seat.player.mails_stopped:
        raise NoLongerTrue("the player has stopped mails")
    state = store.state_of(game)
    if state is None:
        raise NoLongerTrue("the game has not begun")
    seen = selectors.unanswered(Seen(game, mail.seat), mask(state, mail.seat))
    names = [flat_name(name) for name in selectors.names_of(game)]
    return Reading(mail, game, mail.seat, seat.player, seen, names)


def _footer(reading: Reading, stop: str) -> list[str]:
    game = reading.game
    return [
        f"Game {game.pk}, move {game.version}; head {game.version}:{game.head_hash}",
        f"Stop mails about games: {stop}",
        "Dewan is a game by Johannes Goupy and Yoann Levet, published by Space Cowboys. "
        "We are not affiliated with them.",
    ]


def _question(reading: Reading) -> Question | None:
    """Return what the seat is asked, unless a bot answers for it."""
    seat = Seat.objects.get(game=reading.game, number=reading.seat)
    return None if seat.is_played_by_bot else reading.state.question_of(reading.seat)


def _asked(reading: Reading) -> Question:
    """Return the question a notice is about; raise NoLongerTrue if it is not open any more."""
    asked = _question(reading)
    if asked is None or reading.state.decision_of(asked) != reading.mail.decision:
        raise NoLongerTrue("the decision has been answered")
    return asked


def _turn(reading: Reading) -> Letter:
    asked = _asked(reading)
    return _asking(reading, asked, f"Your turn: {KINDS[asked.kind].asks}", [])


STAGES = {
    "half": "Half of your time is over.",
    "last_tenth": "Only the last tenth of your time is left.",
    "last_hour": "The last hour of your time has begun.",
}
"""What a reminder says of its stage."""


def _reminder(reading: Reading) -> Letter:
    asked = _asked(reading)
    stage = STAGES[reading.mail.stage.partition("+")[0]]
    lines = [f"{stage} When it is over, {_when_time_is_up(reading)}."]
    return _asking(reading, asked, f"Reminder: {KINDS[asked.kind].asks}", lines)


def _when_time_is_up(reading: Reading) -> str:
    seat = Seat.objects.get(game=reading.game, number=reading.seat)
    if seat.misses < reading.game.excused_misses:
        return "that miss is excused, and you have the time of a move again"
    return WHEN_UP[Game.Absence(reading.game.absence)].to_you


def _asking(reading: Reading, asked: Question, headline: str, lines: list[str]) -> Letter:
    until = _until(reading)
    return Letter(
        headline=headline,
        preheader=f"{headline}, until {until[0]}",
        lines=[*lines, *_sentences(until)],
        sections=[
            *_news(reading),
            _hand(reading),
            *_stories(reading),
            *(_on_offer(reading) if asked.kind in Story.answers else [_row(reading)]),
            _choices(reading),
        ],
        link=reading.link,
        link_label="Open the game",
    )


def _until(reading: Reading) -> tuple[str, str]:
    """Return until when the seat can answer, and a sentence about what rests its clock."""
    decision = reading.game.decisions.select_related("game").get(
        seat=reading.seat, answered_at=None
    )
    clocks = timing.clocks_of([reading.game])[reading.game.pk]
    clock = clocks.clock(decision, timezone.now())
    rests = rest_words(clock.resting, clock.rests, whose="your") if clock.rests else ""
    return local_time(clock.deadline, reading.player.zone), rests


def _sentences(until: tuple[str, str]) -> list[str]:
    when, rests = until
    return [f"You have until {when}.", *([rests] if rests else [])]


def _news(reading: Reading) -> list[Section]:
    after = selectors.last_own_move(reading.game, reading.seat)
    lines: list[str] = []
    for told in selectors.told_moves(reading.seen, after):
        lines += told.sentences
        if told.message and told.seat is not None:
            lines.append(f"{reading.names[told.seat]} says: {told.message}")
    return [Section("Since your last move", lines)] if lines else []


def _hand(reading: Reading) -> Section:
    cards = reading.state.components.cards
    hand = sorted(reading.state.tribes[reading.seat].hand)
    lines = [f"{card}: {card_words(cards[card])}" for card in hand]
    return Section(f"Your hand ({counted(len(hand), 'card')})", lines or ["no cards"])


def _row(reading: Reading) -> Section:
    cards = reading.state.components.cards
    lines = [
        f"place {place}: {card_words(cards[card]) if card else 'empty'}"
        for place, card in enumerate(reading.state.row, 1)
    ]
    return Section("The row", lines)


def _stories(reading: Reading) -> list[Section]:
    tribe = reading.state.tribes[reading.seat]
    stories = reading.state.components.stories
    lines = []
    for tile in tribe.stories:
        needed = missing(reading.state, reading.seat, tile.story)
        how = "completed" if tile.completed else f"still needs {requirement_words(needed)}"
        if not needed and not tile.completed:
            how = "completes at the end of your turn"
        lines.append(f"{story_words(stories[tile.story])}: {how}")
    return [Section("Your story tiles", lines)] if lines else []


def _on_offer(reading: Reading) -> list[Section]:
    """Describe the story tiles that can be taken."""
    stories = reading.state.components.stories
    lines = [
        f"place {place}: {story_words(stories[story])}"
        for place, story in enumerate(reading.state.story_row, 1)
        if story
    ]
    return [Section("Story tiles on offer", lines)]


def _choices(reading: Reading) -> Section:
    entries = legal(reading.state, reading.seat)
    lines = [entry.text for entry in entries[:SHOWN]]
    more = len(entries) - len(lines)
    title = "What you can play" + (f" (and {more} more on the page)" if more else "")
    return Section(title, lines, typed=True)


def _started(reading: Reading) -> Letter:
    if reading.state.over:
        raise NoLongerTrue("the game is over")
    start = reading.names[reading.state.start_seat]
    return Letter(
        headline="The game has begun",
        preheader=f"{listed(reading.names)} are at the table",
        lines=[
            f"At the table: {listed(reading.names)}. {start} is the start player.",
            "You will get a mail when it is your turn.",
            *treatment(selectors.options_of(reading.game)).sentences,
        ],
        sections=[_hand(reading)],
        link=reading.link,
        link_label="Look at the map",
    )


def _timed_out(reading: Reading) -> Letter:
    return Letter(
        headline="Your time was up",
        preheader="The clock played for you",
        lines=["The clock has made a safe move for you, and the game goes on."],
        sections=_news_of(reading, reading.mail.decision),
        link=reading.link,
        link_label="Open the game",
    )


def _news_of(reading: Reading, decision: str) -> list[Section]:
    numbers = reading.game.moves.filter(decision=decision).values_list("number", flat=True)
    lines = [
        sentence
        for number in numbers
        for told in selectors.told_moves(reading.seen, number - 1, number)
        for sentence in told.sentences
    ]
    return [Section("What was played", lines)]


def _taken_back(reading: Reading) -> Letter:
    if reading.state.question_of(reading.seat) is not None:
        raise NoLongerTrue("the seat is asked again")
    return Letter(
        headline="It is not your turn yet",
        preheader="The move before yours was taken back",
        lines=["The move before your turn was taken back. You will be told when it is your turn."],
        link=reading.link,
        link_label="Open the game",
    )


def _game_over(reading: Reading) -> Letter:
    ended = reading.state.ended
    assert ended is not None, "a game that is over has ended"
    sides = sum(score.seats[0] in ended.winners for score in ended.scores)
    winners = victory_words([reading.names[seat] for seat in ended.winners], sides)
    sections = []
    for score in sorted(ended.scores, key=lambda score: -score.total):
        lines = [f"{line.label}: {line.points} ({line.rule})" for line in score.lines]
        title = f"{_side(reading, score)}: {counted(score.total, 'point')}"
        sections.append(Section(title, lines))
    return Letter(
        headline=f"The game is over: {winners}",
        preheader=listed([f"{_side(reading, score)} {score.total}" for score in ended.scores]),
        sections=[*sections, *_news(reading)],
        link=reading.link,
        link_label="See the final map, or play again",
    )


def _side(reading: Reading, score: Score) -> str:
    return listed([reading.names[seat] for seat in score.seats])


def _of_the_table(reading: Reading) -> Letter:
    """Tell of what has happened at the table with one row, and until when the seat can answer."""
    number = int(reading.mail.stage)
    if reading.state.over and reading.mail.kind != notices.SEAT_LEFT:
        raise NoLongerTrue("the game is over")
    (told,) = selectors.told_moves(reading.seen, number - 1, number)
    mine = reading.mail.kind == notices.SEAT_LEFT and reading.seat in reading.state.out
    headline = "You are out of the game" if mine else HEADLINES[reading.mail.kind]
    asked = _question(reading)
    lines = [*told.sentences, *(_sentences(_until(reading)) if asked else [])]
    return Letter(
        headline=headline,
        preheader=lines[0],
        lines=[*lines, *AFTERWORDS.get(reading.mail.kind, [])],
        sections=[_hand(reading), *_stories(reading)] if asked else [],
        link=reading.link,
        link_label="Open the game",
    )


HEADLINES = {
    notices.MISS_EXCUSED: "Your time was up, and it is excused",
    notices.AWAY: "A bot plays on for you",
    notices.SEAT_LEFT: "Somebody has left the game",
    notices.TAKEN_OVER: "You have taken over a seat",
    notices.PAUSED: "The game is paused",
    notices.RESUMED: "The pause is over",
    notices.OUTAGE: "We were out of order, and your clock has it back",
}

AFTERWORDS = {
    notices.AWAY: ["You are back as soon as you say so on the page of the game."],
    notices.SEAT_LEFT: ["The game goes on."],
}
"""What is said besides of some news of the table."""


def _proposal(reading: Reading) -> Letter:
    proposal = _live_proposal(reading)
    return Letter(
        headline=f"{reading.names[proposal.seat]} proposes to {_proposed(proposal)}",
        lines=["It is done when all who play agree. Say yes or no on the page of the game."],
        link=f"{reading.link}#proposals",
        link_label="Answer",
    )


def _live_proposal(reading: Reading) -> Proposal:
    proposal = Proposal.objects.select_related("game").get(pk=int(reading.mail.stage))
    if not consent.stands(proposal) or reading.seat in proposal.agreed:
        raise NoLongerTrue("the proposal does not stand any more, or was answered")
    return proposal


def _proposed(proposal: Proposal) -> str:
    return proposal_words(proposal.kind, proposal.first, proposal.seconds)


def _refused(reading: Reading) -> Letter:
    proposal = Proposal.objects.get(pk=int(reading.mail.stage))
    return Letter(
        headline="Your proposal was refused",
        lines=[f"You proposed to {_proposed(proposal)}. Not everybody agrees."],
        link=reading.link,
        link_label="Open the game",
    )


def _cancelled(reading: Reading) -> Letter:
    return Letter(
        headline="The game was called off",
        lines=[f"{CANCELLED[reading.game.ending]} It stays in your list, without a result."],
        link=reading.link,
        link_label="Open the game",
    )


_LETTERS: dict[str, Callable[[Reading], Letter]] = {
    notices.STARTED: _started,
    notices.TURN: _turn,
    notices.REMINDER: _reminder,
    notices.TIMED_OUT: _timed_out,
    notices.TAKEN_BACK: _taken_back,
    notices.GAME_OVER: _game_over,
    notices.CANCELLED: _cancelled,
    notices.PROPOSAL: _proposal,
    notices.REFUSED: _refused,
    **dict.fromkeys(HEADLINES, _of_the_table),
}


# ---- To who has left a seat --------------------------------------------------------------------


def _leaver_message(mail: OutboxMail, game: Game, player: Player) -> EmailMultiAlternatives:
    """Write to who has left a game: how it ended for them, and nothing of the game itself."""
    if player.mails_stopped:
        raise NoLongerTrue("the player has stopped mails")
    sitting = game.sittings.filter(player=player).exclude(until=None).last()
    assert sitting is not None, "who has left has sat there"
    letter = Letter(
        headline=LEFT[sitting.how],
        lines=["The game goes on without you, and you get no more mails about it."],
        link=absolute("/"),
        link_label="My games",
    )
    headers = _stopping(absolute(account_links.stop_mails_path(player)))
    return _message(mail, player.email, f"Dewan: you have left game {game.pk}", letter, headers)


# ---- Mails about an account ------------------------------------------------------------------


def _account_message(mail: OutboxMail) -> EmailMultiAlternatives:
    player = mail.player
    assert player is not None, "a mail without a game is about an account"
    player.name = flat_name(player.name)
    subject, letter = _ACCOUNT_LETTERS[mail.kind](mail, player)
    return _message(mail, mail.address or player.email, subject, letter, {})


def _sign_in(_: OutboxMail, player: Player) -> tuple[str, Letter]:
    letter = Letter(
        headline="Sign in to Dewan by post",
        preheader="The link works once, within the hour",
        lines=[
            f"Hello {player.name}, here is your link. It works once, within the hour.",
            "If you did not ask for it, do nothing: nobody can sign in without this mail.",
        ],
        link=absolute(account_links.sign_in_path(player)),
        link_label="Sign in",
    )
    return "Your link to Dewan by post", letter


def _address_change(mail: OutboxMail, player: Player) -> tuple[str, Letter]:
    letter = Letter(
        headline="Confirm your new address",
        lines=[
            f"{player.name} wants to get their mails from Dewan by post at {mail.address}.",
            "If that is not you, do nothing and nothing changes.",
        ],
        link=absolute(account_links.address_change_path(player, mail.address)),
        link_label="Use this address",
    )
    return "Confirm your address for Dewan by post", letter


def _address_changed(_: OutboxMail, player: Player) -> tuple[str, Letter]:
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


_ACCOUNT_LETTERS: dict[str, Callable[[OutboxMail, Player], tuple[str, Letter]]] = {
    notices.SIGN_IN: _sign_in,
    notices.ADDRESS_CHANGE: _address_change,
    notices.ADDRESS_CHANGED: _address_changed,
}


# ---- Both ------------------------------------------------------------------------------------


def _message(
    mail: OutboxMail, to: str, subject: str, letter: Letter, headers: dict[str, str]
) -> EmailMultiAlternatives:
    if settings.EMAIL_URL and to == demo.EMAIL:
        raise NoLongerTrue("the demo player has no mailbox in the world")
    message = EmailMultiAlternatives(
        subject=" ".join(subject.split()),
        body=render_to_string("notifications/mail.txt", {"letter": letter}),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[to],
        headers={
            "Message-ID": mail.message_id,
            "Auto-Submitted": "auto-generated",
            "X-Dewan-Kind": mail.kind,
            **headers,
        },
    )
    html = render_to_string("notifications/mail.html", {"letter": letter})
    message.attach_alternative(html, "text/html")
    return message


def local_time(moment: datetime, zone: str) -> str:
    """Write a moment for a player: local date and time, the zone, and UTC."""
    local = moment.astimezone(zoneinfo.ZoneInfo(zone))
    offset = local.strftime("%z")
    there = f"{local:%A} {local.day} {local:%B %Y}, {local:%H:%M}"
    if zone == "UTC":
        return f"{there} UTC"
    return f"{there} ({zone}, UTC{offset[:3]}:{offset[3:]}; {moment:%d %b, %H:%M} UTC)"
