"""The site as an application: what is to be known before anything is served."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    """Registers the site's checks and the API's authentication in its OpenAPI document."""

    name = "dewan_site"

    def ready(self) -> None:
        """Import what registers itself."""
        from dewan_site import checks  # noqa: F401, PLC0415 - needs the applications
        from dewan_site.accounts import openapi  # noqa: F401, PLC0415
