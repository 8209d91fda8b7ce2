"""The session of a request: who is signed in, and the refusal of what another site or an older page sent."""

import hashlib
import hmac
import re
from datetime import timedelta

from flask import Response, g, redirect, request, url_for
from werkzeug import Response as BaseResponse

from app.console.additions import needs_no_session
from app.console.frame import console, is_from_script, page_before, set_cookie
from app.core.context import Context
from app.core.errors import Forbidden, NotFound, PayloadTooLarge, Unauthorized
from app.core.schemas.validation import HEX_ID
from app.core.vocabulary import Channel
from app.http.bodies import MAX_BODY
from app.http.callers import SESSION_COOKIE, callers, session_secret
from app.http.hosts import is_same_origin
from app.projects.access import REMEMBERED_LIFE, SESSION_LIFE

LONGEST_PLAIN_FORM = 64 * 1024
"""How many bytes a form may have that is not multipart: it is parsed in one piece, while all other requests wait."""
RETURN_COOKIE = "cw_return"
"""The cookie with the page that a client sent somebody to who was not signed in: an invitation leads back to it too."""
RETURN_SECONDS, LONGEST_RETURN = 3_600, 3_000
HERE = re.compile(r"/console(/[a-zA-Z0-9/-]*)?(\?[!-~]*)?")
"""The addresses to which signing in may lead: pages of the console, without dots, which could lead out of it."""
OPEN_TO_ALL = {f"console.{name}" for name in ("sign_in", "start_session", "join", "accept", "asset")}
"""The endpoints of the console that need no session."""


def context() -> Context:
    """Returns the context of the request, whose caller is the signed-in user."""
    ctx: Context = g.console_context
    return ctx


@console.app_template_global("csrf_token")
def csrf_token() -> str:
    """Returns the CSRF token, made from the secret of the session, which every request except `GET` must carry.

    Pages that need no session may set another secret, as `g.form_secret`.
    """
    secret: str = g.get("form_secret") or session_secret()
    return hmac.digest(secret.encode(), b"csrf", hashlib.sha256).hex()


@console.before_request
def authenticate() -> BaseResponse | None:
    """Redirects requests without a session to the sign-in page, and refuses cross-site requests."""
    changes = request.method not in ("GET", "HEAD", "OPTIONS")
    if changes:
        refuse_other_sites()
        bound_form()
    if request.endpoint in OPEN_TO_ALL or needs_no_session(request.blueprint):
        return None
    try:
        g.console_context = callers().context(Channel.CONSOLE)
    except Unauthorized:
        return ask_to_sign_in()
    if any(name == "id" and not HEX_ID.fullmatch(value) for name, value in (request.view_args or {}).items()):
        raise NotFound("The project has no such record: check the address.")
    if changes:
        request.max_form_memory_size = MAX_BODY
        request.max_form_parts = 2_500  # a sheet is 50 rows of up to 40 cells, with what is chosen for its names
        refuse_without_csrf_token()
    return None


@console.before_request
def read_form() -> None:
    """Reads the form before the view, under whose deadline a slow sender would be refused."""
    _ = request.form


def bound_form() -> None:
    """Refuses a long form that is not multipart; multipart forms are parsed part by part."""
    if request.mimetype == "multipart/form-data":
        return
    if "Transfer-Encoding" in request.headers or (request.content_length or 0) > LONGEST_PLAIN_FORM:
        raise PayloadTooLarge("Send a form of more than 64 KB as multipart/form-data, as the console does.")


def refuse_other_sites() -> None:
    """Refuses with `Forbidden` what the browser marks as sent by another site."""
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    is_our_origin = origin is None or is_same_origin(origin, request.host)
    if site not in ("same-origin", "none") if site else not is_our_origin:
        raise Forbidden("Another site sent this request: open the console and try again there.")


def refuse_without_csrf_token() -> None:
    """Refuses with `Forbidden` a request without the session's CSRF token."""
    given = request.headers.get("X-CSRF-Token") or request.form.get("_csrf", "")
    if not hmac.compare_digest(given.encode(), csrf_token().encode()):
        raise Forbidden("This form belongs to another session: reload the page and try again.")


def ask_to_sign_in() -> BaseResponse:
    """Returns a redirect to the sign-in page, which leads back to this page, or to that of a form that was sent."""
    if is_from_script():
        return Response(status=401, headers={"HX-Redirect": url_for("console.sign_in", to=page_before())})
    here = request.full_path.rstrip("?") if request.method == "GET" else page_before()
    return redirect(url_for("console.sign_in", to=here, sent="yes" if request.method == "POST" else None), 303)


def remember_page(response: Response) -> Response:
    """Remembers a page, in a cookie, that needs somebody to sign in first; for `after_request`."""
    leads_to_sign_in = request.method == "GET" and response.status_code == 303 and "console_context" not in g
    if leads_to_sign_in and len(here := request.full_path) <= LONGEST_RETURN:
        set_cookie(response, RETURN_COOKIE, here, max_age=RETURN_SECONDS)
    return response


def way_back(to: str = "") -> str:
    """Returns the address to open after signing in: the page that was requested, else that of a waiting client."""
    named = (to, request.cookies.get(RETURN_COOKIE, ""))
    return next((one for one in named if HERE.fullmatch(one)), url_for("console.home"))


def session_life() -> timedelta:
    """Returns how long the session lasts that a form begins: longer in a browser that is to be remembered."""
    return REMEMBERED_LIFE if "remember" in request.form else SESSION_LIFE


def set_session(response: BaseResponse, secret: str) -> None:
    """Sets the session cookie."""
    set_cookie(response, SESSION_COOKIE, secret, max_age=int(session_life().total_seconds()))
    if RETURN_COOKIE in request.cookies:
        response.delete_cookie(RETURN_COOKIE, path="/console")
