"""The answer to a player's own mail: what became of it (docs/mail.md, *Answer by reply*).

It is made of what the inbound mail's row keeps: codes, our own words and canonical notation.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from dewan_site.accounts.models import Player
from dewan_site.links import absolute
from engine.legal import legal
from games import selectors
from games.models import Game
from notifications.errands import Kind, errand_path
from notifications.inbound.outcomes import Outcome
from notifications.letters import asking, sections
from notifications.letters.letter import Letter, Link, NoLongerTrue, Section
from notifications.letters.maps import the_map
from notifications.letters.reading import Reading, until
from notifications.models import InboundMail, OutboxMail

Detail = dict[str, Any]

IN_VAIN: dict[str, tuple[str, list[str]]] = {
    Outcome.WRONG_SENDER: (
        "A mail about this game came from another address",
        [
            "Nothing was done. We take orders only from the address this mail goes to: if it was "
            "you, write from there. If it was not, you need not do anything.",
        ],
    ),
    Outcome.NOT_AUTHENTIC: (
        "A mail in your name is not to be trusted",
        [
            "Nothing was done. The server that took it could not confirm that it came from your "
            "provider. If you wrote it, send it through your provider's own server, or play on "
            "the page. If you did not, you need not do anything.",
        ],
    ),
    Outcome.TOO_MANY: (
        "Too many mails within an hour",
        ["Your last mail was not read, and none will be until the hour is over. Nothing is lost."],
    ),
    Outcome.TOO_LARGE: (
        "Your mail was too large",
        ["Nothing was done. Write the orders alone, without attachments."],
    ),
}
"""What is told of a mail that was not read: headline and lines."""

NOT_THEIRS = (Outcome.WRONG_SENDER, Outcome.NOT_AUTHENTIC)
"""Outcomes of mails that the player has not sent: nothing of those is in the answer, also no id."""

HELP = (
    "Write orders in the first lines of your reply, and an empty line below them:",
    "a number: plays the move with that number in the mail you answer",
    "take 3-4, camp C4 auto, story 3, tuck T27 forest …: plays this; several make one turn",
    "undo: takes your last move back while that is free",
    "say Hello: says a line to the table",
    "note Keep the forests: keeps a line for yourself, and your next mails show it",
    "back: you play again where a bot has played on for you",
    "legal, board, help: mails what you can play, the map, this",
    "resign, hand over, vacation 2026-12-24 2027-01-02: mails a link that does it",
)


def answer(reading: Reading) -> Letter:
    """Tell a player what became of their mail, and what they are asked now."""
    mail = InboundMail.objects.get(pk=int(reading.mail.stage))
    if mail.player_id != reading.player.pk:
        raise NoLongerTrue("somebody else sits there now")
    headline, lines = _told(reading, mail)
    question = reading.question
    if question is not None:
        lines += until(reading).sentences
    return Letter(
        headline=headline,
        answers=mail.message_id if mail.outcome not in NOT_THEIRS else "",
        preheader=lines[0] if lines else headline,
        lines=lines,
        sections=[
            *_wrong(mail.detail.get("problem", {})),
            *_asked_for(reading, mail.detail.get("asks", [])),
            *_errands(reading, mail.detail.get("errands", [])),
            *(asking.asking(reading, question) if question else _as_it_stands(reading)),
        ],
        link=reading.link,
        link_label="Open the game",
    )


def _as_it_stands(reading: Reading) -> list[Section]:
    return [*sections.news(reading), the_map(reading), sections.hand(reading)]


def _told(reading: Reading, mail: InboundMail) -> tuple[str, list[str]]:
    """Return the headline and the lines about what was done, or why nothing was."""
    if mail.outcome in IN_VAIN:
        headline, lines = IN_VAIN[mail.outcome]
        return headline, list(lines)
    if problem := mail.detail.get("problem"):
        return "Nothing was played", list(_problem_lines(problem))
    return _headline(mail.detail), list(_done(reading, mail.detail))


# ---- What was done -----------------------------------------------------------------------------


def _headline(detail: Detail) -> str:
    if detail.get("undone"):
        return "Your move is taken back"
    if "played" in detail:
        return "Your answer is sealed" if detail["sealed"] else "Your move is played"
    return "We have got your mail"


def _done(reading: Reading, detail: Detail) -> Iterator[str]:
    if number := detail.get("played"):
        for told in selectors.told_moves(reading.seen, number - 1, number):
            yield from told.sentences
        if _can_be_undone(reading, number):
            yield "Reply with “undo” to take it back, as long as nobody else has acted."
    if detail.get("sealed"):
        yield "Nobody sees it before everybody who is asked has answered. It cannot be taken back."
    for line in detail.get("unapplied", []):
        yield f"Not played, since what came before it has changed what is allowed: {line}"
    if detail.get("back"):
        yield "You are back: no bot plays for you."
    if detail.get("said"):
        yield "What you say is with the table: the others read it in their next mail."
    if noted := detail.get("noted"):
        yield "Your note is kept." if noted == 1 else f"Your {noted} notes are kept."


def _can_be_undone(reading: Reading, number: int) -> bool:
    last = reading.state.undoable
    return bool(last and last.move == number and last.seat == reading.seat)


# ---- What was wrong ----------------------------------------------------------------------------


def _problem_lines(problem: Detail) -> Iterator[str]:
    if line := problem.get("line"):
        yield f"In line {line} of your mail something is wrong: {problem['words']}."
    elif problem.get("code") in GONE_ON:
        yield "The question that your mail answers is not open any more, so it played nothing."
    elif problem.get("words"):
        rule = f" (rule {problem['rule']})" if "rule" in problem else ""
        which = f"Order {problem['number']}: " if problem.get("number", 1) > 1 else ""
        yield f"{which}{problem['words']}{rule}."
    if right := problem.get("right"):
        yield f"Write it like this: {right}"


GONE_ON = ("stale_move", "not_your_decision", "game_over", "not_found")


def _wrong(problem: Detail) -> Iterator[Section]:
    """Yield what would be right: legal moves, or those that the words fit; and the rule."""
    if examples := problem.get("examples"):
        ambiguous = problem["code"] == "ambiguous_command"
        title = "It could be any of these" if ambiguous else "Legal now"
        yield Section(title, examples, typed=True)
    if rule := problem.get("rule"):
        link = Link(f"Rule {rule}, in words", absolute(f"/rules/#{rule}"))
        yield Section("Why", links=[link])


# ---- What was asked for ------------------------------------------------------------------------


def _asked_for(reading: Reading, asks: list[str]) -> Iterator[Section]:
    if "help" in asks:
        yield Section("What you can write", list(HELP))
    if "legal" in asks:
        lines = [entry.text for entry in legal(reading.state, reading.seat)]
        yield Section("All you can play", lines or ["nothing: you are not asked now"], typed=True)


ERRANDS = {
    "resign": "Resign",
    "hand_over": "Hand your seat over",
    "vacation": "Book your vacation from {first} to {last}",
}


def _errands(reading: Reading, errands: list[Detail]) -> list[Section]:
    links = [
        Link(
            ERRANDS[errand["kind"]].format_map(errand),
            _errand_link(errand, reading.player, reading.game),
        )
        for errand in errands
    ]
    title = "This is done when you say yes there, within a day"
    return [Section(title, links=links)] if links else []


def _errand_link(errand: Detail, player: Player, game: Game) -> str:
    days = {name: date.fromisoformat(errand[name]) for name in ("first", "last") if name in errand}
    path = errand_path(Kind(errand["kind"]), player, game, **days)
    return absolute(path)


# ---- Without a game ----------------------------------------------------------------------------


def without_token(mail: OutboxMail, player: Player) -> tuple[str, Letter]:
    """Return subject and letter to a player whose mail names no question of ours."""
    waiting = [game for game in selectors.my_games(player)["games"] if game["deadline"]]
    links = [Link(f"Game {game['id']}", absolute(f"/games/{game['id']}/")) for game in waiting]
    letter = Letter(
        headline="We cannot tell which question your mail answers",
        answers=InboundMail.objects.get(pk=int(mail.stage)).message_id,
        lines=[
            "Nothing was done. Answer the newest mail about a game with your program's “reply”: "
            "the address it then writes to tells us which one it is."
        ],
        sections=[Section("Games that wait for you", links=links)] if links else [],
        link=absolute("/"),
        link_label="My games",
    )
    return "Your mail to Dewan by post", letter
