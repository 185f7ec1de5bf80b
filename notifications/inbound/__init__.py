"""Mails that come in: from raw bytes to an outcome, whichever way they came (docs/mail.md)."""
