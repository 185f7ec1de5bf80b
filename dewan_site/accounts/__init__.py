"""Players and how they sign in: by a link in a mail, never by a password."""
