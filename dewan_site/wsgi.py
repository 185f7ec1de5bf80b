"""The WSGI application, for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")
application = get_wsgi_application()

from dewan_site.checks import refuse_to_start_incomplete  # noqa: E402 - needs the applications

refuse_to_start_incomplete()
