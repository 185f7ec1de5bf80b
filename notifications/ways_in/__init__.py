"""Ways for mail to come in: by SMTP or LMTP, from a mailbox, and from a program (docs/mail.md)."""
