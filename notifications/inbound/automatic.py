"""Whether a program has written a mail: one of those is never obeyed and never answered."""

from __future__ import annotations

import re

from notifications.inbound.mime import Mail, header, headers, only_address, subject_of

SIGNS = (
    ("X-Dewan-Kind", r"", "it is one of our own mails"),
    ("Auto-Submitted", r"(?!no\s*(?:[;(]|$))\S", "it says so (Auto-Submitted)"),
    ("Precedence", r"(?:bulk|junk|list|auto_reply)\b", "it says so (Precedence)"),
    ("List-Id", r"", "it came through a mailing list"),
    ("X-Autoreply", r"(?!no$|false$|0$)", "it is an automatic reply"),
    ("X-Autorespond", r"(?!no$|false$|0$)", "it is an automatic reply"),
    ("X-Autoresponder", r"(?!no$|false$|0$)", "it is an automatic reply"),
    ("X-Mail-Autoreply", r"(?!no$|false$|0$)", "it is an automatic reply"),
)
"""Headers, how their value begins, and why the mail is automatic then.

X-Auto-Response-Suppress is none of them: it says which answers its writer does not want, not who
has written it, and Exchange puts it on people's mails too, for instance by a rule of a
distribution list. Automatic replies of Exchange have Auto-Submitted or a subject that tells.
"""

_SUBJECTS = re.compile(
    r"auto(?:matic|mated)?[- ]?(?:reply|response|answer)?:|automatic reply|auto[- ]?reply"
    r"|out of (?:the )?office|away from (?:my|the) office|on (?:annual )?leave:|vacation reply"
    r"|automatische (?:antwort|rückmeldung)|abwesenheit|abwesend:|ich bin (?:abwesend|im urlaub)"
    r"|réponse automatique|absence du bureau|absent du bureau|absence :"
    r"|respuesta automática|fuera de la oficina|ausente:"
    r"|risposta automatica|fuori sede|fuori ufficio|automatisch (?:antwoord|bericht)|afwezig"
    r"|resposta automática|ausência|fora do escritório"
    r"|odpowiedź automatyczna|automatyczna odpowiedź|nieobecn|autosvar|automatiskt svar|frånvaro"
    r"|automaattinen vastaus|poissa|automatická odpověď|automatické odpovědi"
    r"|автоответ|自动答复|自動返信"
    r"|delivery status notification|undeliver(?:ed|able)|mail delivery (?:failed|failure)"
    r"|returned mail",
    re.IGNORECASE,
)
"""How the subjects of replies begin that programs write when somebody is away."""

DAEMONS = frozenset({"mailer-daemon", "mail-daemon", "postmaster", "noreply", "no-reply", "bounce"})


def why_automatic(mail: Mail, sender: str | None) -> str:
    """Return why no person has written a mail, in our words; empty if one may have.

    ``sender`` is that of the envelope; where it is not known, Return-Path tells.
    """
    for name, begins, why in SIGNS:
        if any(re.match(begins, value, re.IGNORECASE) for value in headers(mail, name)):
            return why
    if is_report(mail, sender):
        return "it is a report, or nobody's"
    return "its subject says so" if _SUBJECTS.match(subject_of(mail)) else ""


def is_report(mail: Mail, sender: str | None) -> bool:
    """Tell whether a mail is a report, or comes from nobody, as most reports do."""
    path = header(mail, "Return-Path") if sender is None else f"<{sender.strip(' <>')}>"
    name = only_address(headers(mail, "From")).partition("@")[0]
    is_nobodys = path.replace(" ", "") == "<>" or name in DAEMONS
    return is_nobodys or mail.get_content_type() == "multipart/report"
