"""Answering by reply: what a mail does, what it never does, and what is mailed back."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from games import absence, services
from games.models import Move, Seat, TableMessage
from notifications import outbox, tokens
from notifications.inbound.outcomes import Outcome
from notifications.models import InboundMail, Note, OutboxMail
from tests.people import Person, asked_person, draft, start_game
from tests.replies import reply, send, text_of
from tests.smtp import Sink

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


class Correspondence:
    """A game of Ann and Ben, and the mails they get about it."""

    def __init__(self, sink: Sink, *people: Person, game: str = "") -> None:
        cache.clear()  # limits are counted by players' keys, which SQLite gives again
        self.sink = sink
        self.people = people
        self.game = game or start_game(*people)

    @property
    def asked(self) -> Person:
        return asked_person(self.game, self.people)

    @property
    def others(self) -> list[Person]:
        return [person for person in self.people if person is not self.asked]

    def deliver(self) -> None:
        OutboxMail.objects.filter(state__in=OutboxMail.WAITING).update(due_at=timezone.now())
        outbox.deliver()

    def newest(self, person: Person) -> EmailMessage:
        self.deliver()
        return self.sink.to(person.player.email)[-1]

    def answered(self, person: Person) -> str:
        """Return the text of the answer to a person's last mail."""
        mail = self.newest(person)
        assert mail["X-Dewan-Kind"] == "answer"
        return text_of(mail)

    def moves(self) -> list[tuple[int | None, str]]:
        moves = Move.objects.filter(game=self.game, actor="player").exclude(seat=None)
        return list(moves.order_by("number").values_list("seat", "commands"))


@pytest.fixture
def post(sink: Sink, settings: Any, ann: Person, ben: Person) -> Correspondence:
    settings.DEWAN_UNDO_HOLD = settings.DEWAN_UNDO_HOLD * 0
    return Correspondence(sink, ann, ben)


# ---- Playing -----------------------------------------------------------------------------------


def test_a_number_plays_the_move_that_was_mailed_with_it(post: Correspondence) -> None:
    player = post.asked
    mail = post.newest(player)

    assert send(reply(mail, "2")) == Outcome.DONE

    ((_, commands),) = post.moves()
    line = next(line for line in text_of(mail).splitlines() if line.strip().startswith("2. "))
    assert f'"place":{line.split()[-1]}' in commands
    assert "took the story tile" in post.answered(player)


def test_notation_plays_too_and_several_commands_are_one_submission(post: Correspondence) -> None:
    draft(post.game, post.people)
    player = post.asked
    entries = post.asked.legal(post.game)["entries"]
    take = next(entry["text"] for entry in entries if entry["text"].startswith("take"))

    assert send(reply(post.newest(player), f"{take.upper()}\nsay Good luck!")) == Outcome.DONE

    assert len(post.moves()) == 3
    assert TableMessage.objects.get(game=post.game).text == "Good luck!"
    assert "Good luck!" in text_of(post.newest(post.asked))


def test_a_whole_turn_is_one_mail(post: Correspondence) -> None:
    draft(post.game, post.people)
    while not any(e["text"].startswith("camp") for e in post.asked.legal(post.game)["entries"]):
        post.asked.choose(post.game, "take")
    player = post.asked
    before = post.asked.view(post.game)["version"]
    entries = post.asked.legal(post.game)["entries"]
    camp = next(entry["text"] for entry in entries if entry["text"].startswith("camp"))
    assert send(reply(post.newest(player), camp)) == Outcome.DONE
    answer = post.answered(player)
    assert "placed a camp" in answer
    assert player.view(post.game)["version"] > before


def test_the_same_mail_is_obeyed_once(post: Correspondence) -> None:
    mail = reply(post.newest(post.asked), "1")

    assert [send(mail), send(mail)] == [Outcome.DONE, Outcome.DUPLICATE]

    assert len(post.moves()) == 1
    post.deliver()
    answers = OutboxMail.objects.filter(kind="answer")
    assert answers.count() == 1


def test_a_mail_for_a_question_that_is_answered_plays_nothing(post: Correspondence) -> None:
    player = post.asked
    mail = post.newest(player)
    draft(post.game, post.people)
    for text in ("1", "story 2", "take 1-2"):
        assert send(reply(mail, text)) == Outcome.REFUSED
        assert "Nothing was played" in post.answered(player)
    assert len(post.moves()) == 2


def test_without_reply_to_the_mail_that_is_answered_tells_the_question(
    post: Correspondence,
) -> None:
    mail = post.newest(post.asked)

    assert send(reply(mail, "1", to=tokens.reply_address())) == Outcome.DONE

    assert len(post.moves()) == 1


def open_camp(post: Correspondence) -> str:
    """Play until somebody can place a camp that all cards for are known; return its notation."""
    draft(post.game, post.people)
    while True:
        player, (other,) = post.asked, post.others
        seat = player.view(post.game)["you"]
        known = other.view(post.game)["state"]["tribes"][seat]["hand"]["cards"]
        for entry in player.legal(post.game)["entries"]:
            cards = {paid["card"] for paid in entry["command"].get("payment", [])}
            if cards and cards <= set(known):
                return str(entry["text"])
        player.choose(post.game, "take")


def test_undo_takes_the_move_back_while_it_is_free(post: Correspondence) -> None:
    camp = open_camp(post)
    player = post.asked
    assert send(reply(post.newest(player), camp)) == Outcome.DONE
    answer = post.newest(player)
    assert "undo" in text_of(answer)

    assert send(reply(answer, "undo")) == Outcome.DONE

    assert post.asked is player
    again = post.newest(player)
    assert "Your move is taken back" in text_of(again)
    assert send(reply(again, camp)) == Outcome.DONE


def test_undo_is_of_the_move_that_the_mail_is_about(post: Correspondence) -> None:
    camp = open_camp(post)
    player = post.asked
    before = post.newest(player)
    send(reply(before, camp))
    answer = post.newest(player)
    send(reply(answer, "undo"))
    send(reply(post.newest(player), camp))
    moves = len(post.moves())

    for old in (before, answer):
        assert send(reply(old, "undo")) == Outcome.REFUSED

    assert len(post.moves()) == moves


def test_an_answer_that_tells_what_is_asked_next_is_the_only_mail_about_it(
    sink: Sink, ann: Person
) -> None:
    game = ann.open("me", "bot")
    while not ann.legal(game)["decision"]:
        services.play_bot(game)
    post = Correspondence(sink, ann, game=game)
    assert send(reply(post.newest(ann), "1")) == Outcome.DONE
    while services.play_bot(game):
        pass

    asked = ann.legal(game)["decision"]
    answer = post.newest(ann)
    post.deliver()

    assert answer["X-Dewan-Kind"] == "answer"
    assert "\r\n1. " in text_of(answer)
    assert post.newest(ann)["Message-ID"] == answer["Message-ID"]
    turn = OutboxMail.objects.get(game=game, kind="turn", decision=asked)
    assert turn.state == "sent"
    assert turn.told_in is not None
    assert turn.told_in.kind == "answer"
    assert send(reply(answer, "1")) == Outcome.DONE


# ---- Refusals ----------------------------------------------------------------------------------


def test_an_illegal_move_is_refused_with_the_rule_and_legal_ones(post: Correspondence) -> None:
    draft(post.game, post.people)
    player = post.asked

    assert send(reply(post.newest(player), "take 1-3")) == Outcome.REFUSED

    answer = post.answered(player)
    assert "R3.2" in answer
    assert "take 1-2" in answer
    assert len(post.moves()) == 2


def test_what_cannot_be_read_is_refused_without_being_quoted(post: Correspondence) -> None:
    player = post.asked
    secret = "xyzzy-plugh"

    assert send(reply(post.newest(player), f"story 1\n{secret}")) == Outcome.UNREADABLE

    mail = post.newest(player)
    answer = text_of(mail)
    assert "line 2" in answer
    assert secret not in mail.as_string()
    assert not post.moves()


def test_a_number_beyond_the_list_is_refused(post: Correspondence) -> None:
    player = post.asked
    assert send(reply(post.newest(player), "77")) == Outcome.REFUSED
    assert "number of the list" in post.answered(player)


def test_nothing_is_done_by_halves(post: Correspondence) -> None:
    text = "note remember this\nsay hello\nstory 9"
    assert send(reply(post.newest(post.asked), text)) == Outcome.REFUSED
    assert not Note.objects.exists()
    assert not TableMessage.objects.exists()
    assert not post.moves()


# ---- Other orders ------------------------------------------------------------------------------


def test_a_line_to_the_table_without_a_move(post: Correspondence) -> None:
    player, (other,) = post.asked, post.others
    post.newest(player)
    assert send(reply(post.newest(other), "say Take your time")) == Outcome.DONE
    assert TableMessage.objects.get(game=post.game).alone
    assert "with the table" in post.answered(other)

    for _ in range(3):
        post.asked.choose(post.game)
    post.deliver()
    told = "".join(text_of(mail) for mail in post.sink.to(player.player.email))
    assert f"{other.player.name} says: Take your time" in told


def test_what_is_said_carries_none_of_our_tokens(post: Correspondence) -> None:
    mail = post.newest(post.asked)
    secret = str(mail["Reply-To"])

    assert send(reply(mail, f"1\nsay answer to {secret}")) == Outcome.DONE

    said = TableMessage.objects.get(game=post.game).text
    assert said.startswith("answer to […]")
    assert "+" not in said


def test_a_note_is_for_oneself(post: Correspondence) -> None:
    player, (other,) = post.asked, post.others
    assert send(reply(post.newest(player), "note go for the lake")) == Outcome.DONE
    post.answered(player)

    post.asked.choose(post.game)
    post.asked.choose(post.game)
    post.deliver()
    mine = [text_of(mail) for mail in post.sink.to(player.player.email)]
    theirs = [text_of(mail) for mail in post.sink.to(other.player.email)]
    assert any("go for the lake" in text for text in mine)
    assert not any("go for the lake" in text for text in theirs)


def test_what_is_asked_for_is_mailed(post: Correspondence) -> None:
    player = post.asked
    assert send(reply(post.newest(player), "legal\nboard\nhelp")) == Outcome.DONE

    answer = post.answered(player)
    for entry in player.legal(post.game)["entries"]:
        assert entry["text"] in answer
    assert "resign" in answer
    assert not post.moves()


def test_what_cannot_be_taken_back_needs_a_click(post: Correspondence) -> None:
    player = post.asked
    text = "resign\nvacation 2027-02-01 2027-02-05\nhand over"
    assert send(reply(post.newest(player), text)) == Outcome.DONE
    answer = post.answered(player)
    assert answer.count("/errand") == 3
    assert Seat.objects.filter(player=player.player, standing="playing").exists()


# ---- Who may -----------------------------------------------------------------------------------


def test_from_another_address_nothing_is_done_and_the_player_is_told(post: Correspondence) -> None:
    player = post.asked
    mail = reply(post.newest(player), "1", From="mallory@example.net")

    assert send(mail) == Outcome.WRONG_SENDER

    assert not post.moves()
    assert "another address" in post.answered(player)
    assert not post.sink.to("mallory@example.net")


def test_an_opponent_to_whom_a_mail_was_forwarded_cannot_answer_it(post: Correspondence) -> None:
    player, (other,) = post.asked, post.others
    mail = reply(post.newest(player), "1", From=other.player.email)
    assert send(mail) == Outcome.WRONG_SENDER
    assert not post.moves()


def test_a_token_of_who_has_left_the_seat_is_none(post: Correspondence) -> None:
    player = post.asked
    mail = post.newest(player)
    absence.leave(player.player, post.game)

    for to in ("", tokens.reply_address()):
        assert send(reply(mail, "1", to=to)) == Outcome.NO_TOKEN
    assert not post.moves()


@pytest.mark.parametrize(
    ("wanted", "header", "outcome"),
    [
        ("not_failed", "", Outcome.DONE),
        ("not_failed", "mx.dewan.example; dmarc=pass header.from=example.org", Outcome.DONE),
        (
            "not_failed",
            "mx.dewan.example; dmarc=fail header.from=example.org",
            Outcome.NOT_AUTHENTIC,
        ),
        ("passed", "", Outcome.NOT_AUTHENTIC),
        ("passed", "mx.other.example; dmarc=pass header.from=example.org", Outcome.NOT_AUTHENTIC),
        ("passed", "mx.dewan.example; dmarc=pass header.from=example.org", Outcome.DONE),
        ("off", "mx.dewan.example; dmarc=fail header.from=example.org", Outcome.DONE),
    ],
)
def test_how_strict_we_are_about_senders_is_the_operators_choice(
    post: Correspondence, settings: Any, wanted: str, header: str, outcome: Outcome
) -> None:
    settings.DEWAN_MAIL_AUTH, settings.DEWAN_MAIL_AUTHSERV = wanted, "mx.dewan.example"
    mail = reply(post.newest(post.asked), "1", Authentication_Results=header)
    assert send(mail) == outcome
    assert len(post.moves()) == (outcome == Outcome.DONE)


def test_a_player_who_writes_without_a_token_is_told_so_twice_an_hour(post: Correspondence) -> None:
    player = post.asked
    mail = post.newest(player)
    for _ in range(4):
        lost = reply(mail, "1", to=tokens.reply_address(), In_Reply_To="", References="")
        assert send(lost) == Outcome.NO_TOKEN
    assert not post.moves()
    post.deliver()
    kinds = [mail["X-Dewan-Kind"] for mail in post.sink.to(player.player.email)]
    assert kinds.count("answer") == 2


def test_a_stranger_is_never_answered(post: Correspondence) -> None:
    mail = reply(post.newest(post.asked), "1", From="x@example.net", In_Reply_To="", References="")
    mail.replace_header("To", tokens.reply_address())
    assert send(mail) == Outcome.NO_TOKEN
    assert not InboundMail.objects.exists()


# ---- Machines ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"List_Id": "<people.example.org>"},
        {"X_Dewan_Kind": "turn"},
    ],
)
def test_what_no_person_has_written_is_neither_obeyed_nor_answered(
    post: Correspondence, headers: dict[str, str]
) -> None:
    assert send(reply(post.newest(post.asked), "1", **headers)) == Outcome.AUTOMATIC
    assert not post.moves()
    assert not OutboxMail.objects.filter(kind="answer").exists()


def test_there_is_a_limit_for_an_hour_and_it_is_told_once(
    post: Correspondence, settings: Any
) -> None:
    settings.DEWAN_MAILS_PER_HOUR = 3
    player = post.asked
    mail = post.newest(player)
    outcomes = [send(reply(mail, "board")) for _ in range(6)]
    assert outcomes == [Outcome.DONE] * 3 + [Outcome.TOO_MANY] * 3
    post.deliver()
    kinds = [mail["X-Dewan-Kind"] for mail in post.sink.to(player.player.email)]
    assert kinds.count("answer") == 4


def test_a_mail_that_is_too_large_is_answered_and_not_obeyed(
    post: Correspondence, settings: Any
) -> None:
    settings.DEWAN_MAIL_SIZE = 20_000
    player = post.asked
    mail = reply(post.newest(player), "1\n\n" + "x" * 70_000)
    assert send(mail) == Outcome.TOO_LARGE
    assert not post.moves()
    assert "too large" in post.answered(player)


def test_answers_go_out_though_other_mails_are_stopped(post: Correspondence) -> None:
    player = post.asked
    mail = post.newest(player)
    player.player.mails_stopped = True
    player.player.save()
    assert send(reply(mail, "1")) == Outcome.DONE
    assert "took the story tile" in post.answered(player)


def test_nothing_of_a_mails_text_is_kept(post: Correspondence) -> None:
    send(reply(post.newest(post.asked), "1\n\nxyzzy-plugh"))
    (mail,) = InboundMail.objects.all()
    assert "xyzzy" not in str(mail.__dict__)
