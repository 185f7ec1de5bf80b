"""The notifications application."""

from django.apps import AppConfig


class NotificationsConfig(AppConfig):
    """Registers the application."""

    name = "notifications"
    default_auto_field = "django.db.models.BigAutoField"
