"""Admin pages for operators: they look, they never change. What changes a game is a command."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from games.models import Decision, Game, Move, Seat


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Refuses to add, change or delete."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


@admin.register(Game)
class GameAdmin(ReadOnly):
    """Games by status."""

    list_display = ("id", "scenario", "players", "status", "version", "round", "created_at")
    list_filter = ("status", "scenario", "players")
    search_fields = ("id",)


@admin.register(Move)
class MoveAdmin(ReadOnly):
    """The move log, without what is secret while a game runs."""

    list_display = ("game", "number", "seat", "actor", "at")
    search_fields = ("game__id",)
    fields = ("game", "number", "seat", "actor", "decision", "at", "ruleset", "prev_hash", "hash")


@admin.register(Seat, Decision)
class PlainAdmin(ReadOnly):
    """Seats and decisions of a game."""

    search_fields = ("game__id",)
