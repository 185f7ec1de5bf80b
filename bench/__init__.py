"""Measurements (docs/benchmarks.md): medians with their spread, beside a peer or a limit."""
