"""Signing in with a management token or an invitation, and out again."""

from flask import Response, redirect, request, url_for
from werkzeug import Response as BaseResponse

from app.console.additions import added
from app.console.frame import console, page, summary_of
from app.console.sessions import session_life, set_session, way_back
from app.core.errors import Refusal, Unauthorized
from app.core.vocabulary import Channel, TokenKind
from app.http.callers import SESSION_COOKIE, callers


@console.get("/sign-in")
def sign_in() -> Response:
    """Shows the form that takes a token."""
    return page("sign_in.html", to=request.args.get("to", ""), problem=None)


@console.post("/sign-in")
def start_session() -> BaseResponse:
    """Begins a session for a valid management token; the cookie has the session's secret, not the token."""
    to = request.form.get("to", "")
    try:
        secret = callers().sign_in(request.form.get("token", "").strip(), session_life())
    except Unauthorized:
        problem = "This is not a valid management token: it begins with cwm_, and may have expired or been revoked."
        return page("sign_in.html", 401, to=to, problem=problem)
    response = redirect(way_back(to), 303)
    set_session(response, secret)
    return response


@console.post("/sign-out")
def sign_out() -> BaseResponse:
    """Ends the session."""
    callers().sign_out()
    response = redirect(url_for("console.sign_in"), 303)
    response.delete_cookie(SESSION_COOKIE, path="/console")
    return response


@console.get("/join")
def join() -> Response:
    """Shows the button that accepts an invitation, whose secret is in the link's fragment, which no log sees."""
    return page("join.html", problem=None)


@console.post("/join")
def accept() -> BaseResponse:
    """Shows whose an invitation is; once that is accepted, begins a session with the new token, shown on request."""
    secret = request.form.get("invitation", "").strip()
    try:
        if "look" in request.form:
            project, member, by = callers().read_invitation(secret)
            shown = {"project": project, "member": member, "by": by, **added("joining")}
            return page("join.html", problem=None, secret=secret, **shown)
        token = callers().accept_invitation(secret)
    except Unauthorized:
        problem = "This invitation was used already or has ended: ask for a new one."
        return page("join.html", 401, problem=problem)
    except Refusal as refusal:
        problem = f"Nobody can join now: try this link again later. {summary_of(refusal)}"
        return page("join.html", refusal.status, problem=problem)
    life = session_life()
    try:
        joined = added("joined", callers().of_kind(TokenKind.MANAGEMENT, token, Channel.CONSOLE))
    except Refusal:  # they have joined all the same, and the token is shown only here
        joined = {}
    lasts = "30 days" if life.days else "12 hours"
    response = page("joined.html", token=token, home=way_back(), lasts=lasts, **joined)
    set_session(response, callers().sign_in(token, life))
    return response
