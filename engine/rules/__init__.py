"""The rules of play, by the part of the table they are about (docs/rules.md says where)."""
