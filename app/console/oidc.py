"""Signing in with an OpenID provider: there, and back (decisions, section 16)."""

from flask import redirect, request, session, url_for
from werkzeug import Response as BaseResponse

from app.console.connecting import leading_on
from app.console.frame import console, page
from app.console.sessions import set_session, way_back
from app.errors import NotFound, Unauthorized
from app.http.callers import callers
from app.http.oidc import Provider, provider
from app.operations.context import this_instant
from app.operations.oidc import members_with_email, sign_in_member
from app.rules.named import StoredMember

EMAIL, TO = "email", "to"
"""The keys of what is remembered: the verified address, until a project is chosen, and where signing in leads."""


@console.get("/oidc")
def sign_in_with_oidc() -> BaseResponse:
    """Leads to the provider."""
    there = _provider()
    session[TO] = way_back(request.args.get("to", ""))
    callback = f"{callers().address.rstrip('/')}{url_for('console.back_from_oidc')}"
    try:
        return there.redirect(callback)
    except Unauthorized as refusal:
        return _refused(refusal)


@console.get("/oidc/callback")
def back_from_oidc() -> BaseResponse:
    """Signs in the member whose verified e-mail address it is; who is one in several projects chooses first."""
    try:
        email = _provider().verified_email()
        found = members_with_email(callers().store, email)
        if not found:
            raise Unauthorized(f"{email} is no member's address here: ask an administrator to add it.")
    except Unauthorized as refusal:
        return _refused(refusal)
    if len(found) == 1:
        return _signed_in(found[0])
    session[EMAIL] = email
    projects = callers().store.projects
    return page("choose_project.html", projects=[(one["id"], projects.settings(one["projectId"])) for one in found])


@console.post("/oidc/project")
def choose_project() -> BaseResponse:
    """Signs in the member of the project that was chosen."""
    found = members_with_email(callers().store, session.pop(EMAIL, ""))
    chosen = next((one for one in found if one["id"] == request.form.get("member")), None)
    if chosen is None:
        return redirect(url_for("console.sign_in"), 303)
    return _signed_in(chosen)


def _signed_in(member: StoredMember) -> BaseResponse:
    """Returns the page that leads on with the session, whose cookie browsers don't send after a redirect from there."""
    secret = sign_in_member(callers().store, member, _provider().scopes, this_instant())
    response = leading_on(way_back(session.pop(TO, "")))
    set_session(response, secret)
    return response


def _refused(refusal: Unauthorized) -> BaseResponse:
    return page("sign_in.html", 401, to=session.get(TO, ""), problem=None, refused=refusal.message)


def _provider() -> Provider:
    found = provider()
    if found is None:
        raise NotFound("No OpenID provider is set up here: see OIDC_ISSUER.")
    return found


@console.app_template_global("oidc_host")
def oidc_host() -> str:
    """Returns the host of the provider; empty where there is none."""
    found = provider()
    return found.host if found else ""
