"""``make mail-game``: a whole game played by mail only, with real mail servers and programs."""
