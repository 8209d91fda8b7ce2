"""Shared by all pages of the console: the session, calling operations, responding with a page or a message."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import orjson
from flask import Blueprint, Response, g, jsonify, make_response, redirect, render_template, request, url_for
from werkzeug import Response as BaseResponse

from app.errors import (
    BadRequest,
    ChecksFailed,
    Forbidden,
    HttpApiDecodeError,
    IdempotencyConflict,
    IntentInvalid,
    NotFound,
    Refusal,
    ServiceUnavailable,
    Unauthorized,
    VersionConflict,
)
from app.fields.loading import load
from app.http.bodies import MAX_BODY
from app.http.callers import callers
from app.http.in_flight import SESSION_COOKIE, session_secret
from app.operations.access import SESSION_LIFE
from app.operations.context import Context
from app.operations.operation import Operation, Result
from app.vocabulary import Channel, Scope

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: http: https:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Images of articles come from anywhere; everything else comes from the service."""

ID = re.compile("[0-9a-fA-F]{24}")
MOST_FIELDS = 2_000
TRIES_OF_A_FORM = 50
"""How often a form that was sent twice checks whether the first request is done; each pause is 0.1 s."""

NOTICE_COOKIE = "cw_notice"
NOTICE_LENGTH = 700

console = Blueprint("console", __name__, url_prefix="/console", template_folder="templates")


class Entry(NamedTuple):
    """An entry of the navigation: its endpoint, its words, its icon, the key that opens it after `g`, its scope."""

    endpoint: str
    label: str
    icon: str
    key: str
    scope: Scope = Scope.READ


NAVIGATION = (
    Entry("console.show_board", "Board", "board", "b"),
    Entry("console.show_calendar", "Calendar", "calendar", "c"),
    Entry("console.show_table", "Table", "table", "t"),
    Entry("console.show_plan", "Plan", "plan", "p", Scope.WRITE),
    Entry("console.show_insight", "Insight", "chart", "i"),
    Entry("console.show_settings", "Administration", "settings", "a", Scope.ADMIN),
)
"""The entries of the navigation, in order; what a token's scopes don't allow is left out."""

OPEN_TO_ALL = {f"console.{name}" for name in ("sign_in", "start_session", "join", "accept", "asset")}
"""The endpoints that need no session."""


@dataclass(frozen=True)
class Session:
    """A signed-in user."""

    ctx: Context

    @cached_property
    def csrf(self) -> str:
        """The CSRF token that every request except `GET` must carry."""
        return hmac.digest(session_secret().encode(), b"csrf", hashlib.sha256).hex()


def session() -> Session:
    """Returns the session of the request."""
    found: Session = g.console_session
    return found


@console.before_request
def authenticate() -> BaseResponse | None:
    """Redirects requests without a session to the sign-in page, and refuses cross-site requests."""
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        refuse_other_sites()
    if request.endpoint in OPEN_TO_ALL:
        return None
    try:
        g.console_session = Session(callers().context_of_session(Channel.CONSOLE))
    except Unauthorized:
        return ask_to_sign_in()
    if any(name == "id" and not ID.fullmatch(value) for name, value in (request.view_args or {}).items()):
        raise NotFound("The project has no such record: check the address.")
    if request.method not in ("GET", "HEAD", "OPTIONS"):
        bound_form()
        refuse_without_csrf_token()
    return None


def bound_form() -> None:
    """Allows a form the length of any other request; refuses one with too many fields before they are parsed."""
    request.max_form_memory_size = MAX_BODY
    if request.mimetype != "multipart/form-data" and request.get_data().count(b"&") > MOST_FIELDS:
        raise HttpApiDecodeError(f"A form has at most {MOST_FIELDS:,} fields.")


def refuse_other_sites() -> None:
    """Refuses with `Forbidden` what the browser marks as sent by another site."""
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    is_our_origin = origin is None or origin.partition("://")[2] == request.host
    from_here = site in ("same-origin", "none") if site else is_our_origin
    if not from_here:
        raise Forbidden("Another site sent this request: open the console and try again there.")


def refuse_without_csrf_token() -> None:
    """Refuses with `Forbidden` a request without the session's CSRF token."""
    given = request.headers.get("X-CSRF-Token") or request.form.get("_csrf", "")
    if not hmac.compare_digest(given.encode(), session().csrf.encode()):
        raise Forbidden("This form belongs to another session: reload the page and try again.")


def ask_to_sign_in() -> BaseResponse:
    """Returns a redirect to the sign-in page, which leads back to this one."""
    here = request.full_path.rstrip("?") if request.method == "GET" and not is_from_script() else None
    address = url_for("console.sign_in", to=here)
    if is_from_script():
        return Response(status=401, headers={"HX-Redirect": address})
    return redirect(address, 303)


def accepts_gzip() -> bool:
    """Returns whether the browser takes compressed responses."""
    return bool(request.accept_encodings.quality("gzip") > 0)


def is_from_script() -> bool:
    """Returns whether a script of a page sent the request, not the browser itself."""
    return "HX-Request" in request.headers


def call(
    operation: Operation,
    *ids: str,
    fields: Mapping[str, Any] | None = None,
    dry_run: bool = False,
    once: bool = False,
) -> Result:
    """Runs an operation for the signed-in user; `fields` are those of its body or query, as JSON would have them.

    A dry run changes nothing. With `once`, a form that is sent again as it was, as by a double click, changes nothing
    more and gets the first result. Raises the operation's refusals.
    """
    table = operation.body or operation.query
    ctx = replace(session().ctx, dry_run=dry_run)
    operation.permit(ctx)
    key = _idempotency_key(operation, ids, fields) if once else None
    loaded = load(table, fields or {}) if table else None
    for _ in range(TRIES_OF_A_FORM):
        try:
            return operation(ctx, *ids, fields=loaded, key=key)
        except IdempotencyConflict:
            time.sleep(0.1)  # the first request is still being processed; the browser shows the response to the second
    return operation(ctx, *ids, fields=loaded, key=key)


@dataclass(frozen=True)
class Listing:
    """A part of a list that is longer than a page shows."""

    rows: list[dict[str, Any]]
    offset: int
    limit: int


def listing(operation: Operation, *ids: str, limit: int, **filters: Any) -> Listing:
    """Returns the part of a list that the address of the page names by its `offset`."""
    offset = max(0, request.args.get("offset", 0, type=int))
    return Listing(call(operation, *ids, fields={**filters, "limit": limit, "offset": offset}).body, offset, limit)


def _idempotency_key(operation: Operation, ids: Sequence[str], fields: Mapping[str, Any] | None) -> str | None:
    """Returns the key of a call: that of the form's page, with what is called, since a form may call several
    operations, and may be changed and sent once more from the same page."""
    page_key = request.form.get("_key")
    called = orjson.dumps([page_key, operation.name, ids, fields], option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(called).hexdigest() if page_key else None


@console.app_template_global("new_key")
def new_key() -> str:
    """Returns an idempotency key for a form: what it calls with `once` is done once."""
    return secrets.token_urlsafe(16)


def may(operation: Operation) -> bool:
    """Returns whether the signed-in user's scopes allow an operation; pages offer only what they allow."""
    return operation.scope in session().ctx.caller.scopes


def require(operation: Operation) -> None:
    """Refuses with `Forbidden` the page of an operation that the signed-in user's scopes don't allow."""
    if not may(operation):
        raise operation.forbidden()


def page(template: str, status: int | None = None, **values: Any) -> Response:
    """Returns a page made from a template of `templates/console`; of a form that was refused, with what is wrong."""
    signed_in: Session | None = g.get("console_session")
    refusal: Refusal | None = g.get("refused_form")
    notice = {"ok": False, "message": said_by(refusal)} if refusal else _read_notice()
    shared = {
        "signed_in": signed_in,
        "scopes": [scope for scope in Scope if signed_in and scope in signed_in.ctx.caller.scopes],
        "navigation": NAVIGATION,
        "notice": notice,
        "problems": problems_of(refusal) if refusal else {},
    }
    html = render_template(f"console/{template}", **shared, **values)
    status = status or (refusal.status if refusal else 200)
    response = Response(html, status, content_type="text/html; charset=utf-8")
    if NOTICE_COOKIE in request.cookies:
        response.delete_cookie(NOTICE_COOKIE, path="/console")
    return response


def done(message: str, to: str, *, ok: bool = True) -> BaseResponse:
    """Returns a redirect to a page that shows a message; to a script the message alone, as JSON."""
    if is_from_script():
        return jsonify(ok=ok, message=message)
    response = redirect(to, 303)
    text = base64.urlsafe_b64encode(orjson.dumps({"ok": ok, "message": message[:NOTICE_LENGTH]})).decode()
    set_cookie(response, NOTICE_COOKIE, text, max_age=60)
    return response


def set_cookie(response: BaseResponse, name: str, value: str, *, max_age: int) -> None:
    """Sets a cookie that browsers send only from the console's own pages, and that no script can read.

    Where users reach the service over https, browsers send it over https alone, also behind a proxy.
    """
    secure = request.is_secure or callers().is_https
    response.set_cookie(name, value, max_age=max_age, path="/console", secure=secure, httponly=True, samesite="Strict")


def set_session(response: BaseResponse, secret: str) -> None:
    """Sets the session cookie."""
    set_cookie(response, SESSION_COOKIE, secret, max_age=int(SESSION_LIFE.total_seconds()))


def problems_of(refusal: Refusal) -> dict[str, list[str]]:
    """Returns the messages of a refusal by the name of the form's field; of a list, each with its line."""
    found: dict[str, list[str]] = {}
    wrong = [(problem["field"], problem["message"]) for problem in refusal.extra.get("errors", ())]
    wrong += [(issue["path"], issue["message"]) for issue in refusal.extra.get("issues", ())]
    for path, message in wrong:
        field, _, place = path.removesuffix("]").partition("[")
        found.setdefault(field, []).append(f"Line {int(place) + 1}: {message}" if place.isdecimal() else message)
    return found


SHOWN_BEFORE = (
    "The form was sent twice and done once. Its secret was shown the first time: if it is lost, make a new one."
)
"""What the second of two clicks gets where the first made a secret, of which only a hash is stored."""
CORRECT = "Correct this and send it again."
IN_WORDS: Mapping[type[Refusal], str] = {
    VersionConflict: "The text changed since this page was shown: read it again, then decide.",
    HttpApiDecodeError: CORRECT,
    BadRequest: CORRECT,
    IntentInvalid: CORRECT,
    ChecksFailed: "The project demands checks that fail: correct what the checks list, then submit again.",
    ServiceUnavailable: "The database can't be reached right now: try again in a few seconds.",
}
"""What a page says instead of the usual message of a refusal, which speaks of what programs send and get."""


def said_by(refusal: Refusal) -> str:
    """Returns what a page says of a refusal: its message, and what is wrong with which field."""
    has_words = isinstance(refusal, VersionConflict) or refusal.message == type(refusal).message
    message = IN_WORDS.get(type(refusal), refusal.message) if has_words else refusal.message
    details = [f"{label(name)}: {text}" for name, texts in problems_of(refusal).items() for text in texts]
    return " ".join([message, *details])


LABELS: Mapping[str, str] = {
    "claimLeaseSeconds": "Claims expire after",
    "coverImageUrl": "Cover image",
    "dueDate": "Due",
    "guidelines": "House style",
    "intent": "Search intent",
    "internalLinks": "Link to",
    "referenceUrls": "Sources",
    "wordCount": "Length",
}
"""The labels of fields in forms where they are not the fields' names in words."""


@console.app_template_filter("field_label")
def label(name: str) -> str:
    """Returns the label of a field: `Length` for `brief.wordCount`, `Meta title` for `metaTitle`."""
    last = name.rpartition(".")[2]
    return LABELS.get(last) or re.sub("[A-Z]", r" \g<0>", last).removesuffix(" Id").capitalize()


def _read_notice() -> dict[str, Any] | None:
    try:
        notice = orjson.loads(base64.urlsafe_b64decode(request.cookies.get(NOTICE_COOKIE, "")))
        return {"ok": bool(notice["ok"]), "message": str(notice["message"])}
    except (ValueError, KeyError, TypeError):
        return None


def problem_page(refusal: Refusal) -> BaseResponse:
    """Returns the page, or to a script the message, that says why a request was refused."""
    if is_from_script():
        return make_response(jsonify(ok=False, message=said_by(refusal)), refusal.status)
    response = page("problem.html", refusal.status, refusal=refusal, said=said_by(refusal))
    response.headers.update({k: v for k, v in refusal.headers.items() if k != "WWW-Authenticate"})
    return response
