"""The site with the peer beside it, for gunicorn."""

from django.conf import settings

from dewan_site.wsgi import application

settings.ROOT_URLCONF = "bench.urls"
__all__ = ["application"]
