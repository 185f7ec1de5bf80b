"""Bots: programs that answer a seat's decisions from the seat's own view and nothing else."""

from __future__ import annotations

from engine.bots.planner import choose

__all__ = ["choose"]
