"""How the OpenAPI document describes signing in; registered by being imported."""

from __future__ import annotations

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Documents ``Authorization: Bearer TOKEN``."""

    target_class = "dewan_site.accounts.tokens.BearerAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """Return the security scheme."""
        del auto_schema
        scheme: dict[str, str] = build_bearer_security_scheme_object("Authorization", "Bearer")
        return scheme
