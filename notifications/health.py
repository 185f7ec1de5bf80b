"""Addresses that our mails do not reach (docs/mail.md, *Delivery*)."""

from __future__ import annotations


def bounced(address: str, message_id: str, permanent: bool, status: str) -> None:
    """Note that a mail of ours came back from an address."""
