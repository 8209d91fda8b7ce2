"""Signing in with a management token, and out again."""

from __future__ import annotations

import re

from flask import Response, redirect, request, url_for
from werkzeug import Response as BaseResponse

from app.console.frame import console, page, set_session, sign_out_cookie
from app.errors import Unauthorized
from app.http.callers import callers

HERE = re.compile(r"/console(/[!-~]*)?(\?[!-~]*)?")
"""The addresses to which signing in may lead: pages of the console."""


@console.get("/sign-in")
def sign_in() -> Response:
    """Shows the form that takes a token."""
    return page("sign_in.html", to=request.args.get("to", ""), problem=None)


@console.post("/sign-in")
def start_session() -> BaseResponse:
    """Begins a session for a valid management token; the cookie has the session's secret, not the token."""
    to = request.form.get("to", "")
    try:
        secret = callers().sign_in(request.form.get("token", "").strip())
    except Unauthorized:
        problem = "This is not a valid management token: it begins with cwm_, and may have expired or been revoked."
        return page("sign_in.html", 401, to=to, problem=problem)
    response = redirect(to if HERE.fullmatch(to) else url_for("console.home"), 303)
    set_session(response, secret)
    return response


@console.post("/sign-out")
def sign_out() -> BaseResponse:
    """Ends the session."""
    callers().sign_out()
    return sign_out_cookie(redirect(url_for("console.sign_in"), 303))
