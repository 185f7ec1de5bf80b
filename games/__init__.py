"""Games: the move log, the one way in (services) and the one way out (selectors)."""
