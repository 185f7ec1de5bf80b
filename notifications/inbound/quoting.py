"""The sender's own lines of a reply: what is quoted, forwarded or a signature is left out.

Nothing is guessed: what may be somebody else's is not the sender's own. Marked quotes (``>``) are
left out wherever they stand; where a mail is quoted without marks, own lines end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mailparser_reply import EmailReplyParser
from mailparser_reply.constants import MAIL_LANGUAGES

MOST_LINES = 2_000
"""Lines that are looked at."""

MOST_OWN = 100
"""Own lines that are looked at."""

LONGEST = 1_000
"""Characters of an own line; a longer one is cut and ends with an ellipsis."""

LOOKED_AT = 250
"""Characters of a line by which is told what it is."""

WIDTH = 70
"""Where mail programs wrap lines, at the least."""

NARROWEST = 50
"""Where they do if somebody has chosen it: what an opponent says would be wrapped as they like."""

DOUBT = "… "
"""Begins a line that may be the rest of a quoted one: it stays, and is no order."""

_CASELESS = re.IGNORECASE


def own_lines(text: str, ours: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the sender's own lines, stripped; where something is left out is an empty line.

    ``ours`` are addresses of our own: who quotes us without marks names one above the quote.
    A line that may be the rest of a quoted one begins with ``DOUBT``.
    """
    lines = [_short(line.strip()) for line in text.split("\n")[:MOST_LINES]]
    own = _trimmed(_unquoted(lines, [address for address in ours if address]))
    return tuple(_trimmed(_believed(own[:MOST_OWN])))


def _short(line: str) -> str:
    return line if len(line) <= LONGEST else line[:LONGEST] + "…"


def _unquoted(lines: list[str], ours: list[str]) -> list[str]:
    """Leave out marked quotes, their introductions and signatures; end where marks are missing."""
    own: list[str] = []
    at, signed = 0, False
    while at < len(lines):
        if _MARKED.match(lines[at]):
            own.append("")
            at, signed = at + 1, False
            continue
        if _ends_own(lines, at):
            break
        if length := _introduction(lines, at, ours):
            at += length
            if not _is_quote_next(lines, at):
                break
            if lines[at - length].startswith("<") and own:
                own.pop()  # the name that belongs to the address
            continue
        signed = signed or bool(_SIGNATURE.match(lines[at][:LOOKED_AT]))
        own.append("" if signed else _doubted(lines, at, own))
        at += 1
    return own


def _doubted(lines: list[str], at: int, own: list[str]) -> str:
    """Return an own line, marked if a mail program may have wrapped it out of a quoted one."""
    line, before = lines[at], lines[at - 1] if at else ""
    if not line or _ARMOUR.match(line):
        return ""
    is_below = _MARKED.match(before) or (own and own[-1].startswith(DOUBT))
    width = NARROWEST if _SPOKEN.match(before) else WIDTH
    is_full = len(before) + len(line.split()[0]) >= width
    return DOUBT + line if is_below and is_full else line


def _is_quote_next(lines: list[str], at: int) -> bool:
    following = next(filter(None, lines[at:]), "")
    return bool(_MARKED.match(following))


def _trimmed(lines: list[str]) -> list[str]:
    """Return the lines without empty ones at the ends, or two together."""
    kept = [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]
    return kept[:-1] if kept and not kept[-1] else kept


def _believed(own: list[str]) -> list[str]:
    """Return the lines that the library takes for the sender's own too.

    It knows how more languages introduce a quote. Its signatures are not heeded: it takes any
    line for one that begins like a greeting, and ``take`` begins like the Danish for thanks.
    """
    own = _trimmed(own)
    shown = [" ".join(line[:LOOKED_AT].split()) for line in own]
    first = _PARSER.read("\n".join(shown)).replies[0]
    if first.headers:
        return []
    return own[: len(first.content.split("\n"))] if first.content else []


_PARSER = EmailReplyParser(languages=list(MAIL_LANGUAGES))


# ---- What a line is ----------------------------------------------------------------------------

_MARKED = re.compile(r"[>|»＞]|[a-z]{1,3}>", _CASELESS)
"""Marks of a quote; some programs put initials before them."""

_SIGNATURE = re.compile(
    r"""--(end\ of\ .*)?$
    | sent\ (from|with|via|using)\b | get\ outlook\ for | envoyé\ (de|depuis|avec|à\ partir)\b
    | (gesendet|verschickt|versendet)\ (von|mit|über|aus)\b | von\ meinem\ .*(gesendet|gesandt)
    | diese\ nachricht\ wurde\ (von|mit)\b | outlook\ für\ .* | holen\ sie\ sich\ outlook
    | (obtenir|télécharger|obtener|descargar|obter|scarica|ottieni|pobierz|hent|hämta|skaffa|lataa)
      \ .*outlook | outlook\ (voor|för|til)\ .*
    | (verstuurd|verzonden|gestuurd)\ (vanaf|met|vanuit|via|van)\b
    | enviado\ (desde|con|do|da|a\ partir|de|por|pelo|com)\b
    | inviato\ (da|dal|con|tramite)\b | wysłan[eoy]\ (z|ze|za\ pomocą)\b
    | skickat\ från | sendt\ (fra|med) | lähetetty\b | odesláno\ z | odeslané\ z
    | отправлено\ (с|из)\b | надіслано\ з | yahoo\ mail: | .*(umdan|imden|ımdan|den)\ gönderildi
    | .*から送信$ | 发自我的 | 從我的.*傳送 | .*에서\ 보냄$ | στάλθηκε\ από""",
    _CASELESS | re.VERBOSE,
)

_LABELS = re.compile(
    r"[*_\s]*(?:"
    r"from|sent|date|to|cc|bcc|subject|reply-to|"
    r"von|gesendet|datum|an|kopie|betreff|antwort an|"
    r"de|envoy[ée]|date d'envoi|à|a|objet|expéditeur|destinataire|répondre à|"
    r"enviado(?: el| em)?|enviada(?: em)?|fecha|para|asunto|assunto|data|"
    r"da|inviato|oggetto|van|verzonden|aan|onderwerp|"
    r"od|wysłano|do|dw|temat|från|skickat|till|ämne|kopia|fra|sendt|til|emne|dato|"
    r"lähettäjä|lähetetty|päiväys|vastaanottaja|aihe|odesláno|komu|předmět|kopie|"
    r"от|отправлено|кому|тема|дата|копия|від|надіслано|feladó|elküldve|címzett|tárgy|"
    r"kimden|gönderildi|tarih|kime|konu|"
    r"发件人|发送时间|收件人|主题|抄送|寄件者|收件者|主旨|差出人|送信日時|宛先|件名|日時|"
    r"보낸\s?사람|보낸\s?날짜|받는\s?사람|제목|참조"
    r")[*_\s]*[:：]",
    _CASELESS,
)
"""How mail programs name the headers of a mail that they quote."""

_ARMOUR = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----$|Hash: [A-Z0-9, -]+$")
"""Lines above a text that is signed within it."""

_SEPARATOR = re.compile(r"(?!-----BEGIN PGP SIGNED)-{4,}\s*\w|[-_]{10,}$")
"""Lines above a mail that is quoted or forwarded, whatever the language."""

_FORWARDED = re.compile(
    r"begin forwarded message|(anfang|beginn) der weitergeleiteten|weitergeleitete nachricht"
    r"|début du message|message (transféré|réexpédié)|inicio del mensaje|mensaje reenviado"
    r"|inizio messaggio|messaggio inoltrato|begin doorgestuurd|doorgestuurd bericht"
    r"|início da mensagem|mensagem encaminhada|początek przekazywanej|wiadomość przekazana"
    r"|vidarebefordrat|start på videresendt|videresendt|välitetty viesti|přeposlaná zpráva"
    r"|начало переадресованного|пересылаемое сообщение|転送されたメッセージ|转发的邮件",
    _CASELESS,
)

_OURS = re.compile(
    r"your turn: |reminder: |you have until |the map$|at the table$|your hand \(|the row$"
    r"|your story tiles$|story tiles on offer$|since your last move$|what you can play$"
    r"|good moves$|by a link, without signing in:|how to answer$|(?:- )?reply with the number"
    r"|open the game:?$|stop mails about games|game \w+, move \d+; head |place [1-6]: ",
    _CASELESS,
)
"""Lines that stand in our mails only: with one of them unmarked, our mail has been quoted."""

_WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb|schreibt|écrit|schreef|schrijft|escribió|escribe|scritto|scrive"
    r"|napisał|napisała|napisał\(a\)|pisze|nadesłał|escreveu|skrev|skriver|kirjoitti|napsal"
    r"|napísal|írta|yazdı|написал|написала|пишет|пише|έγραψε|scris)\b|写道|寫道|のメール|작성|wrote-",
    _CASELESS,
)
_BEGINS = re.compile(
    r"(?:on|am|le|el|op|il|em|den|dne|dňa|dnia|w dniu|a|i|pe|la|dana|у|в|στις|data)\s|.*<"
    r"|.*\d[:.h]\d\d\b|.*\b20\d\d\b|.*\bdewan by post\b",
    _CASELESS,
)
"""How an introduction begins that goes on in the next line."""

_SAID = re.compile(r"(?:say|note)\b", _CASELESS)
"""A line that no program writes above a quote, whatever addresses it has."""

_SPOKEN = re.compile(r"[>|»＞].*\ssays:\s", _CASELESS)
"""A quoted line with what somebody has said to the table."""

_ENDS = re.compile(r"[:：][*_]*$")
_KNOWN = re.compile(r"\d.*\d|\bdewan by post\b", _CASELESS)
"""What an introduction without an address has: a date, or our name."""


def _ends_own(lines: list[str], at: int) -> bool:
    """Tell whether a mail that is quoted without marks, or forwarded, begins here."""
    line = lines[at][:LOOKED_AT]
    if _SEPARATOR.match(line) or _FORWARDED.match(line) or _OURS.match(line):
        return True
    if not _LABELS.match(line):
        return False
    following = [following[:LOOKED_AT] for following in lines[at + 1 : at + 4]]
    return "@" in line or any(map(_LABELS.match, following))


def _introduction(lines: list[str], at: int, ours: list[str]) -> int:
    """Return how many lines introduce a quote here, as in "On Monday, Ann wrote:"; 0 if none."""
    joined = ""
    for length, line in enumerate(lines[at : at + 4], 1):
        if not line or (length == 2 and not (_BEGINS.match(joined) or _WROTE.search(joined))):
            break
        joined = f"{joined} {line[:LOOKED_AT]}".strip()
        if _introduces(joined, is_quote_next=_is_quote_next(lines, at + length)):
            return length
    return int(not _SAID.match(lines[at]) and any(a in lines[at].lower() for a in ours))


def _introduces(text: str, *, is_quote_next: bool) -> bool:
    if not _ENDS.search(text) or _MARKED.match(text):
        return False
    named = "@" in text and text.count("<") == text.count(">")
    wrote, known = bool(_WROTE.search(text)), bool(_KNOWN.search(text))
    return named or wrote + known + is_quote_next >= 2
