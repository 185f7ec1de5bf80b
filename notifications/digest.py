"""One mail for everything that waits for a player: a chapter a game, the most urgent first.

If all of it is about one game and its question, that is the ordinary mail about the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from urllib.parse import quote

import msgspec
from django.core.mail import EmailMultiAlternatives

from dewan_site.accounts import links
from dewan_site.accounts.models import Player
from dewan_site.links import absolute
from engine.questions import KINDS
from games import selectors
from games.words import counted, listed
from notifications import letters, notices, render, tokens
from notifications.letters import accounts, sections
from notifications.letters.choices import choices
from notifications.letters.letter import Letter, Section
from notifications.letters.reading import Reading, asked, read, until
from notifications.models import OutboxMail
from notifications.tokens import Purpose
from notifications.verdicts import ASKING

FEW = 6
"""How many lines tell what has happened in a game, at most: the newest."""

MOST = 12
"""How many games have a chapter, at most; of the others it says only that they are there."""

TOLD_BY_A_TURN = frozenset(
    {
        notices.TAKEN_BACK,
        notices.SEAT_LEFT,
        notices.MISS_EXCUSED,
        notices.PAUSED,
        notices.RESUMED,
        notices.OUTAGE,
    }
)
"""The news that the mail about a question tells too, among what has happened since."""

SUBJECT = "Dewan: "
"""What all subjects of mails about games begin with."""

KIND = "digest"
"""What ``X-Dewan-Kind`` says of a mail for several notices."""

NEVER = datetime.max.replace(tzinfo=UTC)


class Part(msgspec.Struct, frozen=True):
    """A notice that is to go out with others: its letter, unless it asks something."""

    mail: OutboxMail
    reading: Reading | None
    letter: Letter | None

    @property
    def asks(self) -> bool:
        """Tell whether it asks something."""
        return self.letter is None


class Told(msgspec.Struct, frozen=True):
    """A piece of news: what it is, and what there is to say of it."""

    headline: str
    lines: list[str]


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """What a mail for several games says of one. ``reply_to`` is empty where nothing is asked."""

    mail: OutboxMail
    title: str
    deadline: datetime = NEVER
    asks: str = ""
    until: list[str] = []
    news: list[str] = []
    told: list[Told] = []
    choices: Section | None = None
    reply_to: str = ""
    link: str = ""

    @property
    def mailto(self) -> str:
        """Return the link that begins a mail with the answer."""
        subject = quote(f"Re: {SUBJECT}{self.title}")
        return f"mailto:{self.reply_to}?subject={subject}" if self.reply_to else ""

    @property
    def preview(self) -> str:
        """Return the chapter in half a line."""
        return self.asks or (self.told[0].headline if self.told else self.title)


def part_of(mail: OutboxMail) -> Part:
    """Return what a row adds to a mail for several; raise NoLongerTrue if it must not go out."""
    assert mail.game is not None, "mails about accounts go alone"
    if mail.player is not None:
        return Part(mail, None, accounts.left(mail.game, mail.player)[1])
    reading = read(mail, mail.game)
    if mail.kind in ASKING:
        asked(reading)
        return Part(mail, reading, None)
    return Part(mail, reading, letters.GAME_LETTERS[mail.kind](reading))


def message(parts: Sequence[Part]) -> tuple[OutboxMail, EmailMultiAlternatives]:
    """Return the mail that tells all parts, and the row whose mail it is."""
    leading = _leading(parts)
    if leading is not None:
        return leading, render.message_for(leading)
    chapters = sorted(_chapters(parts), key=lambda chapter: (chapter.deadline, chapter.mail.pk))
    return chapters[0].mail, _message(parts, chapters)


def _leading(parts: Sequence[Part]) -> OutboxMail | None:
    """Return the part whose own mail tells all the others, if there is one."""
    asking = [part.mail for part in parts if part.asks]
    others = [part.mail for part in parts if not part.asks]
    if len(asking) == 1 and all(_tells(asking[0], other) for other in others):
        return asking[0]
    return parts[0].mail if len(parts) == 1 else None


def _tells(asking: OutboxMail, other: OutboxMail) -> bool:
    return other.game_id == asking.game_id and other.kind in TOLD_BY_A_TURN


# ---- Chapters ----------------------------------------------------------------------------------


def _chapters(parts: Sequence[Part]) -> Iterable[Chapter]:
    games: dict[str | None, list[Part]] = {}
    for part in parts:
        games.setdefault(part.mail.game_id, []).append(part)
    return map(_chapter, games.values())


def _chapter(parts: Sequence[Part]) -> Chapter:
    """Return the chapter of one game: what is asked, and news that its answer need not know."""
    asking = next((part for part in parts if part.asks), None)
    told = [
        _told(part.mail, part.letter)
        for part in parts
        if part.letter and not (asking and part.mail.kind in TOLD_BY_A_TURN)
    ]
    if asking is None or asking.reading is None:
        first = parts[0]
        link = first.reading.link if first.reading else absolute("/")
        return Chapter(mail=first.mail, title=_title(first), told=told, link=link)
    return _asking(asking.mail, asking.reading, told)


def _told(mail: OutboxMail, letter: Letter) -> Told:
    """Return a letter in few words; of what the clock has played, all of them."""
    lines = letter.lines or [letter.preheader]
    if mail.kind == notices.TIMED_OUT:
        lines = [line for section in letter.sections for line in section.lines]
    return Told(letter.headline, lines)


def _title(part: Part) -> str:
    assert part.mail.game is not None, "every part is about a game"
    if part.reading is None:
        return f"Game {part.mail.game_id}"
    return _at_table(part.reading)


def _at_table(reading: Reading) -> str:
    return render.subject_of(reading).removeprefix(SUBJECT)


def _asking(mail: OutboxMail, reading: Reading, told: list[Told]) -> Chapter:
    question = asked(reading)
    happened = [line for section in sections.news(reading) for line in section.lines]
    reply = tokens.make(Purpose.REPLY, reading.place, reading.since)
    return Chapter(
        mail=mail,
        title=_at_table(reading),
        deadline=dict(selectors.deadlines_of(reading.game))[reading.seat],
        asks=KINDS[question.kind].asks,
        until=until(reading).sentences,
        news=happened[-FEW:],
        told=told,
        choices=choices(reading),
        reply_to=tokens.reply_address(reply) if tokens.replies_work() else "",
        link=reading.link,
    )


# ---- The whole mail ----------------------------------------------------------------------------


def _message(parts: Sequence[Part], chapters: Sequence[Chapter]) -> EmailMultiAlternatives:
    mail, player = chapters[0].mail, _player(parts[0])
    stop = absolute(links.stop_mails_path(player))
    context = {
        "headline": _headline(chapters),
        "preheader": listed([chapter.preview for chapter in chapters[:3]]),
        "chapters": chapters[:MOST],
        "further": chapters[MOST:],
        "stop": stop,
        "choose": absolute("/me/#rhythm_form"),
    }
    subject, headers = f"{SUBJECT}{_headline(chapters)}", render.stopping(stop)
    reading = next(part.reading for part in parts if part.mail == mail)
    if len(chapters) == 1 and reading is not None:
        subject, headers = render.subject_of(reading), headers | render.headers_about(reading)
    headers |= {"X-Dewan-Kind": KIND}
    return render.compose(mail, player.email, subject, ("digest", context), headers)


def _player(part: Part) -> Player:
    player = part.reading.player if part.reading else part.mail.player
    assert player is not None, "a mail goes to somebody"
    return player


def _headline(chapters: Sequence[Chapter]) -> str:
    asking = sum(bool(chapter.asks) for chapter in chapters)
    news = len(chapters) - asking
    if not asking:
        return f"News of {counted(news, 'game')}"
    waiting = f"{counted(asking, 'game')} {'waits' if asking == 1 else 'wait'} for you"
    return f"{waiting}, and there is news of {counted(news, 'other')}" if news else waiting
