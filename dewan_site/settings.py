"""Settings of the site. Everything that differs between installations comes from the environment.

docs/settings.md lists the variables. Unset, they give the embedded service of ``make run``.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import quote

from csp.constants import NONCE, SELF
from django.http.request import split_domain_port

from dewan_site.env import MAIL_LISTENERS, Environment, SettingError, is_public, secret_key

_env = Environment()

# ---- This installation -------------------------------------------------------------------

DEWAN_DATA = _env.data_folder()
DEWAN_HOST = _env.text("DEWAN_HOST", "127.0.0.1")
DEWAN_PORT = _env.whole("DEWAN_PORT", 8000, 0, 65535)
DEWAN_URL = _env.origin("DEWAN_URL")
EMAIL_URL = _env.text("EMAIL_URL")
DEWAN_DEMO = _env.flag("DEWAN_DEMO", default=not is_public(DEWAN_URL))
DEWAN_MIN_MOVE_TIME = _env.duration("DEWAN_MIN_MOVE_TIME", "PT1H", "PT1S", "P30D")
DEWAN_MAX_MOVE_TIME = timedelta(days=30)
DEWAN_MOVE_TIME = max(timedelta(days=3), DEWAN_MIN_MOVE_TIME)
DEWAN_TICK = _env.duration("DEWAN_TICK", "10", "PT0.1S", "PT1H")
DEWAN_UNDO_HOLD = _env.duration("DEWAN_UNDO_HOLD", "120", "PT0S", "P1D")
DEWAN_MAX_PAUSE = _env.duration("DEWAN_MAX_PAUSE", "P30D", "PT1H", "P90D")
DEWAN_TIME_OUT_UNDO = _env.duration("DEWAN_TIME_OUT_UNDO", "P1D", "PT0S", "P7D")
# Where the sweep asks the web server whether it takes moves; unset, it asks the database alone.
DEWAN_PROBE_URL = _env.origin("DEWAN_PROBE_URL")
DEWAN_MAIL_DIR = DEWAN_DATA / "mail"
# Our servers speak no TLS: behind an https address there is a proxy, and what it says is true.
DEWAN_BEHIND_PROXY = _env.flag("DEWAN_BEHIND_PROXY", default=DEWAN_URL.startswith("https:"))

SECRET_KEY = secret_key(_env, DEWAN_DATA)
DEBUG = _env.flag("DEWAN_DEBUG", default=False)
ALLOWED_HOSTS = _env.hosts("DEWAN_ALLOWED_HOSTS")
if DEWAN_URL:
    ALLOWED_HOSTS.append(split_domain_port(DEWAN_URL.partition("//")[2])[0])
    CSRF_TRUSTED_ORIGINS = [DEWAN_URL]
ALLOWED_HOSTS = ALLOWED_HOSTS or ["*"]

# ---- Applications --------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "dewan_site",
    "dewan_site.accounts",
    "games",
    "notifications",
]

MIDDLEWARE = [
    "dewan_site.middleware.HealthMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "dewan_site.middleware.StaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "dewan_site.accounts.middleware.PlayerZoneMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

ROOT_URLCONF = "dewan_site.urls"
ASGI_APPLICATION = "dewan_site.asgi.application"
WSGI_APPLICATION = "dewan_site.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "notifications.context.mail_trouble",
            ],
        },
    },
]

# ---- Database ------------------------------------------------------------------------------


def _database(config: dict[str, Any]) -> dict[str, Any]:
    if config["ENGINE"].endswith("sqlite3"):
        # IMMEDIATE takes the write lock when a transaction begins, so that what it reads is
        # still true when it writes; without it two writers end in "database is locked".
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }
    else:
        config["CONN_HEALTH_CHECKS"] = True
        config["OPTIONS"] = {"connect_timeout": 10} | config.get("OPTIONS", {})
    return config | {"CONN_MAX_AGE": 600}


_SQLITE = f"sqlite:///{quote(str(DEWAN_DATA / 'dewan.sqlite3'))}"
DATABASE_URL = _env.text("DATABASE_URL", _SQLITE)
DATABASES = {"default": _database(_env.database("DATABASE_URL", _SQLITE))}

# ---- Celery --------------------------------------------------------------------------------

REDIS_URL = _env.broker("REDIS_URL")
CELERY_BROKER_URL = REDIS_URL or "memory://localhost/"
# A broker that is away holds nobody up: a nudge is tried once, the sweeps make up for it, and
# worker and beat wait for the broker as long as it takes.
_ONCE_AND_SHORTLY = {"max_retries": 0, "socket_connect_timeout": 1, "socket_keepalive": True}
CELERY_BROKER_TRANSPORT_OPTIONS = _ONCE_AND_SHORTLY if REDIS_URL else {"polling_interval": 0.05}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"
_EVERY_TICK = {"schedule": DEWAN_TICK, "options": {"expires": max(DEWAN_TICK.total_seconds(), 1)}}
CELERY_BEAT_SCHEDULE = {
    "clock": {"task": "notifications.tasks.sweep_clock", **_EVERY_TICK},
    "mail": {"task": "notifications.tasks.deliver_mail", **_EVERY_TICK},
}
CELERY_BEAT_SCHEDULE_FILENAME = str(DEWAN_DATA / "beat")

CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# ---- Mail ----------------------------------------------------------------------------------

EMAIL_BACKEND = "notifications.transports.mailbox.MailboxBackend"
globals().update(_env.mail_server("EMAIL_URL"))
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = _env.sender("DEWAN_MAIL_FROM", "Dewan by post <dewan@localhost>")
# Ways in: where a server listens for mail, or the mailbox that is asked for it.
DEWAN_REPLY_TO = _env.address("DEWAN_REPLY_TO")
DEWAN_MAIL_IN = _env.server("DEWAN_MAIL_IN", MAIL_LISTENERS, "smtp://127.0.0.1:8025 or lmtp://…")
DEWAN_IMAP_URL = _env.mailbox("DEWAN_IMAP_URL")
if DEWAN_IMAP_URL:
    CELERY_BEAT_SCHEDULE["mail_in"] = {"task": "notifications.tasks.fetch_mail", **_EVERY_TICK}
# What the receiving server says of a sender: asked for, listened to if it fails, or not at all.
DEWAN_MAIL_AUTH = _env.choice("DEWAN_MAIL_AUTH", "not_failed", ("passed", "not_failed", "off"))
DEWAN_MAIL_AUTHSERV = _env.text("DEWAN_MAIL_AUTHSERV")
if DEWAN_MAIL_AUTH == "passed" and not DEWAN_MAIL_AUTHSERV:
    raise SettingError("DEWAN_MAIL_AUTH=passed: needs DEWAN_MAIL_AUTHSERV, whose word is taken")
DEWAN_MAILS_PER_HOUR = _env.whole("DEWAN_MAILS_PER_HOUR", 60, 1, 100_000)
DEWAN_MAIL_SIZE = _env.whole("DEWAN_MAIL_SIZE", 1_000_000, 10_000, 100_000_000)

# ---- Accounts ------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.Player"
AUTHENTICATION_BACKENDS = ["sesame.backends.ModelBackend"]
SESAME_MAX_AGE = timedelta(hours=1)
SESAME_ONE_TIME = True
SESAME_INVALIDATE_ON_PASSWORD_CHANGE = True
SESAME_INVALIDATE_ON_EMAIL_CHANGE = True
LOGIN_URL = "sign_in"
SESSION_COOKIE_AGE = 60 * 60 * 24 * 90
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = DEWAN_URL.startswith("https:")
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if DEWAN_BEHIND_PROXY else None
SECURE_REFERRER_POLICY = "same-origin"

# ---- REST ----------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["dewan_site.accounts.tokens.BearerAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["games.api.parsers.StrictParser"],
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "games.api.problems.handle",
}
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_TTL": None}
SPECTACULAR_SETTINGS = {
    "TITLE": "Dewan by post",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "DESCRIPTION": "Play Dewan from a program of your own: see docs/api.md.",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
}

# ---- Pages ---------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "static/"
# Collected, files have the hash of their content in their names and are kept for ever; else they
# are served from where they lie, under their own names.
STATIC_ROOT = _env.text("DEWAN_STATIC") or None
WHITENOISE_USE_FINDERS = STATIC_ROOT is None
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if STATIC_ROOT
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "style-src": [SELF, NONCE],
        "script-src": [SELF, NONCE],
        "frame-ancestors": ["'none'"],
        "form-action": [SELF],
        "base-uri": ["'none'"],
        "object-src": ["'none'"],
    },
}

# ---- Logs ----------------------------------------------------------------------------------

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_LOG_LEVEL = _env.choice("DEWAN_LOG_LEVEL", "WARNING", _LEVELS)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": _LOG_LEVEL},
    # It would write down addresses, with their tokens.
    "loggers": {"mail.log": {"level": "WARNING"}},
}
