"""API tokens: knox makes and keeps them, hashed; reading one is a single query."""

from __future__ import annotations

from knox.auth import TokenAuthentication
from knox.crypto import hash_token
from knox.models import AuthToken
from rest_framework.exceptions import AuthenticationFailed

from dewan_site import sql
from dewan_site.accounts.models import Player

_PLAYER = ("id", "email", "name", "zone", "is_active")
_holder = sql.Prepared(
    lambda: AuthToken.objects.filter(digest="").values_list(*(f"user__{name}" for name in _PLAYER))
)


class BearerAuthentication(TokenAuthentication):  # type: ignore[misc]
    """Finds the player of ``Authorization: Bearer TOKEN`` by the digest of the token."""

    def authenticate_credentials(self, token: bytes) -> tuple[Player, None]:
        """Return the player; raise AuthenticationFailed if there is none, or one locked out."""
        (found,) = sql.read(_holder(hash_token(token.decode("ascii", "replace"))))
        if not found:
            raise AuthenticationFailed("this token is not valid")
        player = Player.from_db("default", _PLAYER, found[0])
        if not player.is_active:
            raise AuthenticationFailed("this account is locked")
        return player, None
