"""Signing in with an OpenID provider: Authlib's client for Flask, as its manual has it (decisions, section 16)."""

import hashlib
import hmac
import logging
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Flask, current_app, redirect, request, session, url_for
from werkzeug import Response

from app.console.frame import page
from app.console.sessions import set_session, way_back
from app.core.context import this_instant
from app.core.errors import NotFound, Unauthorized
from app.core.store.request_time import standing_still
from app.http.callers import callers
from app.oauth.oidc import members_with_email, sign_in_member
from app.oauth.pages.connecting import leading_on
from app.projects.rules import StoredMember
from app.projects.store import Projects
from app.settings import Settings

log = logging.getLogger("content_workflow.oidc")

REMEMBERED = timedelta(hours=1)
"""How long the remembered state, with a verified address in it, is valid: by default Flask accepts it for 31 days."""
SECONDS = 10
"""How long the provider may take for each of its responses."""
EMAIL, TO = "email", "to"
"""The keys of what is remembered: the verified address, until a project is chosen, and where signing in leads."""


pages = Blueprint("oidc", __name__)


def install(app: Flask, settings: Settings) -> None:
    """Gives the app its OpenID provider, where the settings name one.

    What has to be remembered until somebody comes back is in a signed cookie, which comes back from another site.
    """
    issuer = settings.oidc_issuer.rstrip("/")
    if not issuer:
        return
    app.secret_key = hmac.digest(settings.oidc_client_secret.encode(), b"cookie", hashlib.sha256)
    app.config.update(
        SESSION_COOKIE_NAME="cw_oidc",
        SESSION_COOKIE_PATH="/console",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.is_https,
        PERMANENT_SESSION_LIFETIME=REMEMBERED,
    )
    from authlib.integrations.flask_client import OAuth  # takes 6 MB with requests, and few have a provider

    OAuth(app).register(
        "oidc",
        client_id=settings.oidc_client_id,
        client_secret=settings.oidc_client_secret,
        server_metadata_url=f"{issuer}/.well-known/openid-configuration",
        client_kwargs={"scope": "openid email profile", "code_challenge_method": "S256", "default_timeout": SECONDS},
    )
    app.extensions["oidc"] = settings


@pages.app_template_global("oidc_host")
def oidc_host() -> str:
    """Returns the host of the provider; empty where there is none."""
    return urlsplit(_settings().oidc_issuer).netloc if "oidc" in current_app.extensions else ""


def signs_in(view: Callable[[], Response]) -> Callable[[], Response]:
    """Makes a view show the sign-in page with the reason if it can't sign the person in."""

    @wraps(view)
    def run() -> Response:
        try:
            return view()
        except Unauthorized as refusal:
            return page("sign_in.html", 401, to=session.get(TO, ""), problem=None, refused=refusal.message)

    return run


@pages.get("/oidc")
@signs_in
def sign_in_with_oidc() -> Response:
    """Redirects to the OpenID provider."""
    client = _client()
    session[TO] = way_back(request.args.get("to", ""))
    callback = f"{callers().address.rstrip('/')}{url_for('console.oidc.back_from_oidc')}"
    response: Response = _asking(lambda: client.authorize_redirect(callback))
    return response


@pages.get("/oidc/callback")
@signs_in
def back_from_oidc() -> Response:
    """Signs in the member with the verified e-mail address; a member of several projects chooses one first."""
    client, settings = _client(), _settings()
    issuer = settings.oidc_issuer.rstrip("/")
    expected = {
        "iss": {"essential": True, "values": [issuer, f"{issuer}/"]},
        "aud": {"essential": True, "value": settings.oidc_client_id},
    }
    claims = _asking(lambda: client.authorize_access_token(claims_options=expected)).get("userinfo") or {}
    email = claims.get("email")
    if not isinstance(email, str) or claims.get("email_verified") is not True:
        raise _refusal(f"{oidc_host()} names no verified e-mail address of yours.", "no verified e-mail address")
    found = members_with_email(callers().store, email)
    if not found:
        message = f"{email} is no member's address here: ask an administrator to add it."
        raise _refusal(message, "no member has the e-mail address")
    if len(found) == 1:
        return _signed_in(found[0])
    session[EMAIL] = email
    projects = callers().store[Projects]
    return page(
        "oauth/choose_project.html", projects=[(one["id"], projects.settings(one["projectId"])) for one in found]
    )


@pages.post("/oidc/project")
def choose_project() -> Response:
    """Signs in the member of the project that was chosen."""
    found = members_with_email(callers().store, session.pop(EMAIL, "")) if _client() else []
    chosen = next((one for one in found if one["id"] == request.form.get("member")), None)
    return _signed_in(chosen) if chosen else redirect(url_for("console.sign_in"), 303)


def _signed_in(member: StoredMember) -> Response:
    """Returns a page that redirects with the session: after an HTTP redirect browsers don't send its cookie."""
    secret = sign_in_member(callers().store, member, _settings().oidc_scopes, this_instant())
    log.info("signed in with OpenID Connect", extra={"projectId": member["projectId"], "memberId": member["id"]})
    response = leading_on(way_back(session.pop(TO, "")))
    set_session(response, secret)
    return response


def _asking(call: Callable[[], Any]) -> Any:
    """Returns what Authlib reads from the provider's responses. Raises `Unauthorized` if they are invalid."""
    from authlib.integrations.base_client import OAuthError
    from joserfc.errors import JoseError
    from requests import RequestException

    try:
        with standing_still():
            return call()
    except (OAuthError, JoseError, RequestException, ValueError, KeyError, RuntimeError) as error:
        raise _refusal(f"Signing in with {oidc_host()} failed: try again.", type(error).__name__) from error


def _refusal(message: str, reason: str) -> Unauthorized:
    """Logs why somebody can't sign in, without their address, and returns what they are told."""
    log.warning("signing in with OpenID Connect failed", extra={"reason": reason, "issuer": _settings().oidc_issuer})
    return Unauthorized(message)


def _client() -> Any:
    """Returns Authlib's client; refuses with `NotFound` where there is no provider."""
    if "oidc" not in current_app.extensions:
        raise NotFound("No OpenID provider is set up here: see OIDC_ISSUER.")
    return current_app.extensions["authlib.integrations.flask_client"].oidc


def _settings() -> Settings:
    settings: Settings = current_app.extensions["oidc"]
    return settings
