"""Connecting a client by OAuth: what it would be able to do, and agreeing to it (decisions, section 16)."""

import re
from typing import Any
from urllib.parse import urlencode

from authlib.oauth2 import OAuth2Error
from flask import Blueprint, Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.forms import form_of, text
from app.console.frame import POLICY, page
from app.console.responses import respond_with_pages
from app.console.sessions import context, remember_page
from app.console.words import PERMISSIONS
from app.oauth.operations import scopes_to_give
from app.oauth.rules import host_of, known_scopes
from app.oauth.schemas import LOOPBACK
from app.oauth.server import connection_server

WRITES_PER_HOUR, DAYS = 600, 90
PAGE_POLICY = POLICY.replace("form-action 'self'; ", "")
"""The policy of the page that asks. Chromium holds `form-action` against every redirect that follows a form: to the
client, and from there to wherever it leads, such as an app's own scheme, which nobody can list here."""


pages = Blueprint("oauth", __name__, template_folder="templates")
pages.after_request(remember_page)  # an invitation leads back to it too

authorization = Blueprint("authorization", __name__)
"""Where a client sends people; it is outside of `/console`, and no session is sent to it."""
respond_with_pages(authorization)


@authorization.get("/oauth/authorize")
def authorize() -> Response:
    """Checks a client's request, and redirects to the page that asks the person.

    The response is a page that redirects by itself: after an HTTP redirect from the client's site, browsers would
    not send the session's cookie, which is `SameSite=Strict`.
    """
    connection_server().get_consent_grant()
    query = urlencode(list(request.args.items(multi=True)))
    return leading_on(f"{url_for('console.oauth.show_connect')}?{query}")


def leading_on(address: str) -> Response:
    """Returns a page that redirects to another page of the console."""
    return page("oauth/onward.html", address=address)


@pages.get("/connect")
def show_connect() -> Response:
    """Asks whether a client may be connected."""
    grant = connection_server().get_consent_grant()
    client, redirect_uri = grant.client, grant.redirect_uri
    response = page(
        "oauth/connect.html",
        client=client,
        leads_to=host_of(redirect_uri),
        is_local=LOOPBACK.match(redirect_uri),
        scopes_asked=scopes_to_give(context(), known_scopes(grant.request.scope)),
        permissions=PERMISSIONS,
        agent=client.name,
        writes_per_hour=WRITES_PER_HOUR,
        days=DAYS,
    )
    response.headers["Content-Security-Policy"] = PAGE_POLICY
    return response


@pages.post("/connect")
@form_of(show_connect)
def connect() -> BaseResponse:
    """Sends the client its code, or that the person refused."""
    server = connection_server()
    grant = server.get_consent_grant()
    scopes = request.form.getlist("scopes")
    agrees = text("answer") == "yes" and scopes
    fields = {"scopes": scopes, "agent": text("agent"), **{name: _number(name) for name in ("writesPerHour", "days")}}
    consent = (context(), fields) if agrees else None
    response: Response = server.create_authorization_response(grant.request, grant_user=consent, grant=grant)
    response.status_code = 303
    return response


@authorization.errorhandler(OAuth2Error)
@pages.errorhandler(OAuth2Error)
def refuse_client(error: OAuth2Error) -> Response:
    """Returns the redirect of a refused request; where no address is known to be the client's, a page."""
    if not error.redirect_uri:
        return page("oauth/no_client.html", 400, problem=error.description)
    response = connection_server().redirect_with(error)
    response.status_code = 303
    return response


def _number(name: str) -> Any:
    typed = text(name)
    return int(typed) if re.fullmatch("[0-9]{1,9}", typed) else typed
