"""The version of the rules: it changes with behaviour, not refactoring (CHANGELOG, *Rules*)."""

RULESET = "1"
