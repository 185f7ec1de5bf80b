"""Each mail of the corpus is read as what its sender has written, and nothing else."""

from __future__ import annotations

import time

import pytest

from notifications.inbound.reading import read
from tests.notifications.corpus_mails import CORPUS, EXPECTED, RECIPES, Places, raw_mail

AUTHSERV = "mx.example.com"

LETTER = """Your turn: a turn

You have until Friday 6 March 2026, 10:00 (Europe/Berlin, UTC+01:00; 06 Mar, 09:00 UTC).

SINCE YOUR LAST MOVE
- Ben took T05 and T12 from places 1 and 2.
- Ben says: take 5-6 was what I had feared

YOUR HAND (2 CARDS)
- T05: forest
- T33: desert or water

GOOD MOVES
1. take 1-2
   forest / water with berry; mountain / forest
2. take 3-4
   desert with artefact; mountain with artefact
3. camp C4 from B2 auto
take 5-6

HOW TO ANSWER
- Reply with the number, or with moves in the first lines, one per line.
- Other words: legal, board, undo, note …, say …, help.

Open the game:
https://example.com/games/g7k2m4pq/

--
Game g7k2m4pq, move 7; head 7:0123456789abcdef
Stop mails about games: https://example.com/stop/abc""".replace("\n--\n", "\n-- \n")

PLACES = Places(
    sender="ann@example.org",
    opponent="ben@example.net",
    address="play@example.com",
    reply_to="play+g7k2m4pqrstvwxyz0123456789abcdefghjk@example.com",
    other_reply_to="play+h8k2m4pqrstvwxyz0123456789abcdefghjk@example.com",
    old_reply_to="play+g7k2m4pqrstvwxyz9876543210abcdefghjk@example.com",
    message_id="<20260304.turn.17-0@example.com>",
    play="take 3-4",
    other="take 1-2",
    number="2",
    text=LETTER,
    html="".join(f"<p>{line}</p>" for line in LETTER.split("\n")),
)


def test_every_file_has_its_reading_and_there_are_enough() -> None:
    files = {path.stem for path in CORPUS.glob("*.eml")}
    assert files | set(RECIPES) == set(EXPECTED)
    assert {name for name in EXPECTED if EXPECTED[name].recipe} == set(RECIPES)
    assert len(files) >= 60


@pytest.mark.parametrize("name", EXPECTED)
def test_a_mail_is_read_as_what_its_sender_has_written(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    expected = EXPECTED[name].filled(PLACES)

    began = time.perf_counter()
    mail = read(raw_mail(name, PLACES), authserv=AUTHSERV)

    assert time.perf_counter() - began < 5
    assert list(mail.words) == expected.words
    assert bool(mail.automatic) == expected.automatic
    assert list(mail.bounces) == expected.bounces
    assert mail.sender == expected.sender
    assert mail.authentic == expected.authentic
    assert caplog.text == "", "nothing went wrong"


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_written_into_headers_is_clean(name: str) -> None:
    mail = read(raw_mail(name, PLACES))

    for text in (mail.message_id, mail.sender, *mail.references, *mail.recipients):
        assert text.isprintable()
        assert " " not in text
        assert len(text) <= 254


def test_a_copy_is_known_by_its_message_id() -> None:
    first, again = (read(raw_mail(name, PLACES)) for name in ("several_orders", "replayed"))

    assert first.digest == again.digest
    assert read(raw_mail("blank", PLACES)).digest != first.digest


def test_without_a_message_id_it_is_known_by_its_bytes() -> None:
    raw = raw_mail("injected_message_id", PLACES)

    mail = read(raw)

    assert mail.message_id == ""
    assert mail.digest == read(raw).digest != read(raw + b" ").digest
