"""The accounts application."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers the application under the label ``accounts``."""

    name = "dewan_site.accounts"
    label = "accounts"
    default_auto_field = "django.db.models.BigAutoField"
