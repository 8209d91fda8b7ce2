"""Accepting an invitation: a link makes a token for a member, and signs them in with it."""

from __future__ import annotations

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.frame import OPEN_TO_ALL, console, page, set_session
from app.errors import Unauthorized
from app.http.callers import callers

OPEN_TO_ALL.update(("console.join", "console.accept"))


@console.get("/join")
def join() -> Response:
    """Shows the button that accepts an invitation, whose secret is in the link's fragment, which no log sees."""
    return page("join.html", problem=None)


@console.post("/join")
def accept() -> BaseResponse:
    """Accepts an invitation: shows the new token once, and begins a session with it."""
    try:
        token = callers().accept_invitation(request.form.get("invitation", "").strip())
    except Unauthorized:
        problem = "This invitation was used already or has expired: ask for a new one."
        return page("join.html", 401, problem=problem)
    response = page("joined.html", token=token, home=url_for("console.home"))
    set_session(response, callers().sign_in(token))
    return response
