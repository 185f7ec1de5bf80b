"""Reading mails: never an error, in little time, and nothing that its sender has not written."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notifications.inbound.authentication import verdict
from notifications.inbound.quoting import MOST_OWN, own_lines
from notifications.inbound.reading import Incoming, read
from tests.notifications.corpus_mails import EXPECTED, raw_mail
from tests.notifications.test_corpus import AUTHSERV, LETTER, PLACES

UNREAD = "it cannot be read"


def mail_with(body: str, *headers: str, kind: str = "text/plain") -> bytes:
    """Return a mail with a body, and headers beside those that every mail has."""
    head = ("From: ann@example.org", f"Content-Type: {kind}; charset=utf-8", *headers)
    return "\r\n".join([*head, "", body]).encode("utf-8", "surrogateescape")


def check(mail: Incoming) -> None:
    """Check what holds for any mail."""
    assert mail.automatic != UNREAD
    words = mail.words
    assert words == () or (words[0] and words[-1])
    assert all(line == line.strip() and "\n" not in line for line in words)
    assert not any(line.startswith(">") for line in words)
    assert all(line or before for line, before in zip(words[1:], words, strict=False))
    assert not (mail.automatic and words)
    for text in (mail.message_id, mail.sender, *mail.references, *mail.recipients):
        assert text.isprintable()


# ---- Any bytes ---------------------------------------------------------------------------------

NAMES = (
    "From To Cc Subject Message-ID In-Reply-To References Return-Path Precedence "
    "Content-Type Content-Transfer-Encoding Content-Disposition Authentication-Results"
)
VALUES = (
    "text/plain|text/html|multipart/mixed; boundary=b|message/rfc822|multipart/report|<>|<a@b>|"
    "message/delivery-status|text/plain; charset=utf-16|text/plain; charset=idna|attachment|bulk|"
    "text/plain; format=flowed; charset*0*=x|base64|quoted-printable|x-uuencode|=?utf-8?b?*?=|"
    "ann@example.org|mx.example.com; dmarc=pass ("
)
HEADERS = st.tuples(
    st.sampled_from(NAMES.split()), st.sampled_from(VALUES.split("|")) | st.text()
).map(": ".join)
BODIES = st.lists(
    st.sampled_from(["--b", "--b--", "", "> a", "<div>", "<blockquote>", "wrote:", "-- "])
    | st.text()
    | HEADERS
).map("\r\n".join)
MAILS = st.tuples(st.lists(HEADERS), BODIES).map(lambda mail: "\r\n".join([*mail[0], "", mail[1]]))


@settings(max_examples=300, deadline=None)
@given(raw=st.binary() | MAILS.map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read(raw: bytes) -> None:
    check(read(raw, authserv=AUTHSERV))


CUTS = st.tuples(st.floats(0, 1), st.floats(0, 0.2), st.binary(max_size=20))


@settings(max_examples=300, deadline=None)
@given(
    name=st.sampled_from([name for name in EXPECTED if not EXPECTED[name].recipe]),
    cuts=st.lists(CUTS, min_size=1, max_size=4),
)
def test_corpus_mails_with_holes_and_rubbish_are_read(
    name: str, cuts: list[tuple[float, float, bytes]]
) -> None:
    raw = raw_mail(name, PLACES)
    for place, length, rubbish in cuts:
        start = int(place * len(raw))
        raw = raw[:start] + rubbish + raw[start + int(length * len(raw)) :]
    check(read(raw, authserv=AUTHSERV))


@given(
    sender=st.none() | st.text(), recipients=st.lists(st.text()), authserv=st.text(), text=st.text()
)
def test_any_envelope_is_read(
    sender: str | None, recipients: list[str], authserv: str, text: str
) -> None:
    raw = mail_with("take 3-4", f"Authentication-Results: {text}")
    check(read(raw, sender=sender, recipients=recipients, authserv=authserv))


LARGE: dict[str, Callable[[], bytes]] = {
    "empty lines": lambda: mail_with("\r\n" * 400_000),
    "one line": lambda: mail_with("On " + "1 " * 400_000 + "wrote:"),
    "colons": lambda: mail_with("a:\r\n\r\n" * 9_000),
    "introductions": lambda: mail_with(("On " + "On 1 " * 50 + "wrote\r\n") * 3_000),
    "labels": lambda: mail_with("From:   \r\n" * 9_000),
    "parameters": lambda: mail_with("", "Content-Type: text/plain" + ';a="' * 200_000),
    "comments": lambda: mail_with("", "To: " + "(" * 200_000),
    "results": lambda: mail_with("", "Authentication-Results: mx.example.com; a=b " + "(x" * 4_000),
    "parts in parts": lambda: mail_with("Content-Type: message/rfc822\r\n\r\n" * 9_000),
    "tags": lambda: mail_with("<a <b" * 60_000, kind="text/html"),
    "elements": lambda: mail_with("<div>" * 60_000, kind="text/html"),
    "comments in HTML": lambda: mail_with("<!--" * 60_000, kind="text/html"),
    "a report": lambda: mail_with("a@example.org user unknown\r\n" * 9_000, "Return-Path: <>"),
    "reports": lambda: mail_with(
        "\r\n" * 400_000, "Return-Path: <>", kind="message/delivery-status"
    ),
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_mails_take_little_time(kind: str) -> None:
    raw = LARGE[kind]()
    began = time.process_time()

    check(read(raw, authserv=AUTHSERV))

    assert time.process_time() - began < 5


# ---- Own words ---------------------------------------------------------------------------------


@given(quoted=st.text())
def test_nothing_that_is_marked_is_ever_an_own_word(quoted: str) -> None:
    marked = "\r\n".join(f"> {line}" for line in quoted.replace("\r", "").split("\n"))
    assert read(mail_with(marked)).words == ()


ORDERS = st.sampled_from(["take 3-4", "camp C4 from B2 auto, story 3", "2", "say hello", "undo"])
INTRODUCTIONS = st.sampled_from(
    [
        "On Wed, Mar 4, 2026 at 10:00, Dewan by post <play+abc@example.com> wrote:",
        "Am 04.03.26 um 10:00 schrieb Dewan by post:",
        "Le 4 mars 2026 à 10:00, Dewan by post <play@example.com> a écrit\xa0:",
        "Op wo 4 mrt 2026 om 10:00 schreef Dewan by post <\nplay+abc@example.com>:",
        "El 4/3/26 a las 10:00, Dewan by post escribió:",
        "W dniu 4.03.2026 o\u00a010:00, Dewan by post pisze:",
        "Den ons 4 mars 2026 kl 10:00 skrev Dewan by post <play@example.com>:",
        "2026. márc. 4., Sze 10:00 dátummal Dewan by post <play@example.com>\nezt írta:",
        "在 2026年3月4日，10:00，Dewan by post <play@example.com> 写道：",
    ]
)


@given(own=st.lists(ORDERS, min_size=1), introduction=INTRODUCTIONS, quoted=st.text())
def test_own_words_stand_above_or_below_a_marked_quote(
    own: list[str], introduction: str, quoted: str
) -> None:
    quote = [introduction, *(f"> {line[:50]}" for line in f"{quoted}\n{LETTER}".split("\n"))]

    assert own_lines("\n".join([*own, "", *quote])) == tuple(own)
    assert own_lines("\n".join([*quote, "", *own])) == tuple(own)


@given(own=st.lists(ORDERS, min_size=1), introduction=INTRODUCTIONS)
def test_an_unmarked_quote_ends_own_words(own: list[str], introduction: str) -> None:
    text = "\n".join([*own, "", introduction, "", LETTER, "", "take 5-6"])
    assert own_lines(text) == tuple(own)


@pytest.mark.parametrize(
    "separator",
    [
        "-----Ursprüngliche Nachricht-----",
        "-------- Message d'origine --------",
        "---------- Doorgestuurd bericht ---------",
        "________________________________",
        "Anfang der weitergeleiteten Nachricht:",
        "Início da mensagem encaminhada:",
        "From: Ben Example <ben@example.net>",
        "*Van:* Ben Example\n*Verzonden:* woensdag 4 maart 2026 10:00",
        "Lähettäjä: Ben\nLähetetty: keskiviikko 4. maaliskuuta 2026 10.00",
        "发件人：Ben\n发送时间：2026年3月4日 10:00",
        "you can write to play+abc@example.com",
    ],
)
def test_what_follows_a_separator_is_not_the_senders(separator: str) -> None:
    text = f"undo\n\n{separator}\n\ntake 5-6\n> take 1-2\ntake 7-8"
    assert own_lines(text, ["play+abc@example.com"]) == ("undo",)


@pytest.mark.parametrize(
    "signature",
    [
        "-- ",
        "--",
        "Sent from my Galaxy",
        "Sent from Outlook for iOS",
        "Gesendet mit der GMX Mail App",
        "Envoyé depuis mon mobile",
        "Enviado desde mi iPhone",
        "Inviato da iPhone",
        "Verstuurd vanaf mijn iPhone",
        "Wysłane z iPhone'a",
        "Enviado do meu iPhone",
        "Skickat från min iPhone",
        "iPhone'umdan gönderildi",
        "iPhoneから送信",
        "Отправлено с iPhone",
    ],
)
def test_a_signature_is_not_an_own_word(signature: str) -> None:
    assert own_lines(f"undo\n\n{signature}\ntake 5-6") == ("undo",)


@pytest.mark.parametrize(
    "line",
    [
        "take 3-4",
        "note that Ben wrote: nothing",
        "say at 10:30 I take 3-4: really",
        "camp C4 from B2 via B5 B6 pay T05 T12",
        "say To: be or not",
        "Thanks, Ben",
        "- a list",
        "/sig",
        "Tak for the game",
    ],
)
def test_what_looks_like_something_else_stays(line: str) -> None:
    assert own_lines(f"hello\n\n{line}\nundo") == ("hello", "", line, "undo")


def test_where_a_quote_is_left_out_a_paragraph_ends() -> None:
    assert own_lines("> one?\n1\n> two?\nsay yes") == ("1", "", "say yes")


def test_a_long_quote_takes_no_room_from_what_stands_below_it() -> None:
    quote = "\n".join(f"> {number}" for number in range(MOST_OWN + 50))
    assert own_lines(f"Dewan <dewan@localhost> wrote:\n\n{quote}\n\n3\nundo") == ("3", "undo")


def test_the_rest_of_a_wrapped_quote_is_doubtful() -> None:
    long = "> Ben says: I have thought about it for a long time, and then I did so:"
    assert own_lines(f"undo\n\n{long}\ntake 5-6\n> and so on") == ("undo", "", "… take 5-6")
    rest = f"{long[2:]}\ntake 5-6\n\ntake 1-2"
    assert own_lines(f"{long}\n{rest}") == (f"… {long[2:]}", "… take 5-6", "", "take 1-2")


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("take 3–4", "take 3-4"),
        ("take\u00a03\u20114", "take 3-4"),
        ("\u200btake\u2009３-４", "take ３-４"),
        ("say “it’s” ½", 'say "it\'s" ½'),
        ("say a\u0308 \x07\x1b[0m", "say ä [0m"),
    ],
)
def test_characters_are_plain_and_digits_stay(written: str, read_as: str) -> None:
    assert read(mail_with(written)).words == (read_as,)


def test_html_is_read_as_it_is_seen() -> None:
    html = (
        "<div>one<br>two</div><p>three<p>four</p><ul><li>five<li>six</ul><pre>seven\n eight</pre>"
        "<table><tr><td>nine<td>ten</tr></table>eleven &ndash; &lt;&#8203;12&gt;"
        "<blockquote>thirteen</blockquote><span style='display:none'>14</span><del>15</del>16"
    )

    assert read(mail_with(html, kind="text/html")).words == (
        *("one", "two", "", "three", "", "four", "", "five", "six", "seven", "eight"),
        *("nine ten", "eleven - <12>", "", "16"),
    )


def test_numbers_of_a_list_are_seen_with_their_items() -> None:
    html = (
        "<ol><li><p>one</p><li><li>three<ul><li>four</ul></ol><ol start=7><li>seven<br>!<li></ol>8"
    )

    words = read(mail_with(html, kind="text/html")).words

    assert words == ("1. one", "", "3. three", "four", "7. seven", "!", "8")


# ---- Who has sent it ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ("dmarc=pass header.from=example.org", "passed"),
        ("dmarc=pass header.from=example.net", "failed"),
        ("dmarc=fail header.from=example.org; dkim=pass header.d=example.org", "failed"),
        ("dmarc=none; spf=pass smtp.mailfrom=bounces.example.org", "passed"),
        ("spf=pass smtp.helo=example.org; dkim=none", "failed"),
        ("spf=pass smtp.mailfrom=notexample.org", "failed"),
        ("spf=pass smtp.mailfrom=org", "failed"),
        ("spf=fail smtp.mailfrom=ann@example.org; dkim=pass header.i=@example.org", "passed"),
        ("dkim=fail header.d=example.org; dkim=pass header.d=example.org", "passed"),
        ("iprev=pass smtp.remote-ip=2001:db8::1; dkim=pass header.d=example.org", "passed"),
        ("spf=pass smtp.mailfrom=<ann@example.org>", "failed"),
        ("spf=fail (; dmarc=pass header.from=example.org", "failed"),
        ('spf=pass smtp.mailfrom="; dmarc=pass header.from=example.org', "failed"),
        ("none", "failed"),
    ],
)
def test_what_the_receiving_server_says_of_the_sender(results: str, said: str) -> None:
    headers = [f"Mx.Example.com; {results}", "mx.example.com; dmarc=pass header.from=example.org"]
    assert verdict(headers, "ann@example.org", "mx.example.com") == said


def test_nobody_else_is_believed() -> None:
    headers = ["mx.example.net; dmarc=pass header.from=example.org", "; x", ""]
    assert verdict(headers, "ann@example.org", "mx.example.com") == "none"
    assert verdict(headers, "ann@example.org", "") == "none"


@pytest.mark.parametrize(
    "sender",
    [
        "ann@example.org <mallory@example.net>",
        "<ann@example.org> mallory@example.net",
        "ann@example.org, mallory@example.net",
        "Friends: ann@example.org, ben@example.net;",
        "=?utf-8?q?ann=40example=2Eorg?=",
        "ann@example.org@example.net",
        '"ann"@example.org',
        "ann",
        "",
    ],
)
def test_a_sender_that_is_not_plain_is_none(sender: str) -> None:
    assert read(f"From: {sender}\r\n\r\nundo".encode()).sender == ""


def test_a_name_may_be_anything() -> None:
    raw = 'From: "Mallory <mallory@example.net>" (m@example.net) <Ann@Example.ORG>\r\n\r\nundo'
    assert read(raw.encode()).sender == "ann@example.org"


def test_recipients_are_those_of_the_envelope_and_of_all_headers() -> None:
    raw = mail_with("", "To: A <a@example.com>, b@example.com", "Delivered-To: C@example.com")
    mail = read(raw, recipients=["<D@example.com>", "b@example.com", "not one"])
    assert mail.recipients == ("d@example.com", "b@example.com", "a@example.com", "c@example.com")


def test_what_is_answered_comes_nearest_first() -> None:
    raw = mail_with("", "References: <1@x> <2@x>\r\n <3@x>", "In-Reply-To: <4@x> (of today)")
    assert read(raw).references == ("<4@x>", "<3@x>", "<2@x>", "<1@x>")


@pytest.mark.parametrize(
    "message_id", ["<a b@x>", "<a@x", "a@x", "<a@x> <b@x>", "<ä@x>", f"<{'a' * 250}@x>", "<>"]
)
def test_a_message_id_that_is_none_is_not_kept(message_id: str) -> None:
    assert read(mail_with("", f"Message-ID: {message_id}")).message_id == ""


# ---- Whether a person has written it -----------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "is_automatic"),
    [
        ("Auto-Submitted: auto-replied (vacation)", True),
        ("Auto-Submitted: no", False),
        ("Auto-Submitted: NO; x", False),
        ("Auto-Submitted: nobody", True),
        ("Precedence: junk", True),
        ("Precedence: first-class", False),
        ("X-Autoreply: no", False),
        ("X-Autorespond: yes", True),
        ("X-Auto-Response-Suppress: OOF", False),
        ("X-Auto-Response-Suppress: All", False),
        ("Return-Path: <ann@example.org>", False),
        ("Subject: Auto: Re: your turn", True),
        ("Subject: Automatisch antwoord: Dewan", True),
        ("Subject: Re: Out of office", False),
        ("Subject: Automobile", False),
    ],
)
def test_what_a_program_has_written_is_known(header: str, is_automatic: bool) -> None:
    assert bool(read(mail_with("undo", header)).automatic) is is_automatic


@pytest.mark.parametrize("sender", ["", "<>", " "])
def test_what_nobody_has_sent_is_automatic(sender: str) -> None:
    assert read(mail_with("undo"), sender=sender).automatic
    assert not read(mail_with("undo", "Return-Path: <>"), sender="ann@example.org").automatic
