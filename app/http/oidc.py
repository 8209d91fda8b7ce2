"""Signing in with an OpenID provider: Authlib's client for Flask, as its manual has it (decisions, section 16)."""

import hashlib
import hmac
from urllib.parse import urlsplit

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.flask_client import OAuth
from flask import Flask, current_app
from joserfc.errors import JoseError
from werkzeug import Response

from app.errors import Unauthorized
from app.settings import Settings
from app.vocabulary import Scope

SECONDS = 10
"""How long the provider may take for each of its responses."""


class Provider:
    """The OpenID provider of an app."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self.host = urlsplit(settings.oidc_issuer).netloc
        self.scopes: tuple[Scope, ...] = settings.oidc_scopes
        issuer = settings.oidc_issuer
        self._claims = {
            "iss": {"essential": True, "values": [issuer, f"{issuer.rstrip('/')}/"]},
            "aud": {"essential": True, "value": settings.oidc_client_id},
        }
        self._client = OAuth(app).register(
            "oidc",
            client_id=settings.oidc_client_id,
            client_secret=settings.oidc_client_secret,
            server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs={
                "scope": "openid email profile",
                "code_challenge_method": "S256",
                "default_timeout": SECONDS,
            },
        )

    def redirect(self, callback: str) -> Response:
        """Returns the redirect to the provider, which leads back to `callback`. Refuses with `Unauthorized`."""
        try:
            response: Response = self._client.authorize_redirect(callback)
        except (requests.RequestException, OAuthError, ValueError, RuntimeError) as error:
            raise Unauthorized(f"{self.host} can't be reached: try again later.") from error
        return response

    def verified_email(self) -> str:
        """Returns the verified e-mail address of who comes back from the provider; refuses with `Unauthorized`."""
        try:
            claims = self._client.authorize_access_token(claims_options=self._claims).get("userinfo") or {}
        except (requests.RequestException, OAuthError, JoseError, ValueError, KeyError, RuntimeError) as error:
            raise Unauthorized(f"Signing in with {self.host} failed: try again.") from error
        email = claims.get("email")
        if not isinstance(email, str) or claims.get("email_verified") is not True:
            raise Unauthorized(f"{self.host} names no verified e-mail address of yours.")
        return email


def provider() -> Provider | None:
    """Returns the app's OpenID provider; None where it has none."""
    found: Provider | None = current_app.extensions.get("oidc")
    return found


def install(app: Flask, settings: Settings) -> None:
    """Gives the app its OpenID provider, where the settings name one.

    What has to be remembered until somebody comes back is in a signed cookie, which comes back from another site.
    """
    if not settings.oidc_issuer:
        return
    app.secret_key = hmac.digest(settings.oidc_client_secret.encode(), b"cookie", hashlib.sha256)
    app.config.update(
        SESSION_COOKIE_NAME="cw_oidc",
        SESSION_COOKIE_PATH="/console",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.is_https,
    )
    app.extensions["oidc"] = Provider(app, settings)
