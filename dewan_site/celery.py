"""The Celery application. Tasks are only nudges: what is due is found in the database."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dewan_site.settings")

app = Celery("dewan")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["notifications"])
