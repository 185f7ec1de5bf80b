"""The site: settings, URLs, processes, accounts and sign-in."""

from dewan_site.celery import app as celery_app

__all__ = ["celery_app"]
