"""The games application."""

from django.apps import AppConfig


class GamesConfig(AppConfig):
    """Registers the application."""

    name = "games"
    default_auto_field = "django.db.models.BigAutoField"
