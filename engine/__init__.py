"""The rules of Dewan: pure functions on immutable states (docs/flow.md)."""
