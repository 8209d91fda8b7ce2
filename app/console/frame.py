"""Shared by all pages of the console: navigation, responding with a page or a message, and the messages of refusals."""

import base64
import re
from collections.abc import Mapping
from typing import Any

import orjson
from flask import Blueprint, Response, g, jsonify, make_response, redirect, render_template, request
from werkzeug import Response as BaseResponse

from app.console.additions import Entry, all_pages, message_for, tabs, templates
from app.console.buttons import possible_moves
from app.console.times import with_local_times
from app.core.context import Context
from app.core.errors import (
    BadRequest,
    HttpApiDecodeError,
    IntentInvalid,
    InvalidTransition,
    PreconditionFailed,
    RateLimited,
    Refusal,
    ServiceUnavailable,
    SlugTaken,
    VersionConflict,
)
from app.core.schemas.validation import HEX_ID
from app.core.vocabulary import Scope
from app.http.callers import callers
from app.http.requests import note_refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: http: https:; connect-src 'self'; "
    "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Images of articles come from anywhere; everything else comes from the service."""

PAGE = re.compile(r"https?://[^/]*(/console(?:[/?].*)?)")
"""The address of a page of the console, in the header `Referer`."""

NOTICE_COOKIE = "cw_notice"
NOTICE_LENGTH = 700

console = Blueprint("console", __name__, url_prefix="/console", template_folder="templates")
console.add_app_template_global(tabs, "added_tabs")
console.add_app_template_global(templates, "added_templates")


NAVIGATION: tuple[Entry, ...] = (
    ("show_board", "Board", "board", "b", Scope.READ),
    ("show_calendar", "Calendar", "calendar", "c", Scope.READ),
    ("show_table", "Table", "table", "t", Scope.READ),
    ("show_plan", "Plan", "plan", "p", Scope.WRITE),
    ("show_settings", "Admin", "settings", "a", Scope.ADMIN),
)
"""The navigation; entries of features come before the last."""


@console.context_processor
def shared_values() -> dict[str, Any]:
    """Returns what all templates know: the navigation."""
    *own, last = NAVIGATION
    return {"navigation": [*own, *(entry for one in all_pages() for entry in one.navigation), last]}


def is_from_script() -> bool:
    """Returns whether a script of a page sent the request, not the browser itself."""
    return "HX-Request" in request.headers


def page(template: str, status: int | None = None, **values: Any) -> Response:
    """Returns a page made from a template, of `templates/console` if it names no folder; of a form that was refused,
    with what is wrong.
    """
    signed_in: Context | None = g.get("console_context")
    refusal: Refusal | None = g.get("refused_form")
    problems = problems_of(refusal) if refusal else {}
    notice = {"ok": False, "message": summary_of(refusal), "problems": problems} if refusal else _read_notice()
    shared = {
        "signed_in": signed_in,
        "scopes": [scope for scope in Scope if signed_in and scope in signed_in.caller.scopes],
        "notice": notice,
        "is_refused": refusal is not None,
        "problems": problems,
    }
    html = render_template(template if "/" in template else f"console/{template}", **shared, **values)
    response = Response(html, status or (refusal.status if refusal else 200), content_type="text/html; charset=utf-8")
    if NOTICE_COOKIE in request.cookies:
        response.delete_cookie(NOTICE_COOKIE, path="/console")
    return response


def done(message: str, to: str, *, ok: bool = True, restores: str = "", at: str = "") -> BaseResponse:
    """Returns a redirect to a page that shows a message; to a script only the message, as JSON.

    `restores` is the id of a document that a button beside the message restores from the trash, `at` that of a part
    of the page that a link leads to.
    """
    if is_from_script():
        return jsonify(ok=ok, message=with_local_times(message))
    response = redirect(to, 303)
    notice = {"ok": ok, "message": message[:NOTICE_LENGTH], "restores": restores, "at": at}
    text = base64.urlsafe_b64encode(orjson.dumps(notice)).decode()
    set_cookie(response, NOTICE_COOKIE, text, max_age=60)
    return response


@console.app_template_global("page_before")
def page_before() -> str | None:
    """Returns the address of the page that sent the request, without its host; None where the browser names none."""
    found = PAGE.fullmatch(request.referrer or "")
    return found[1] if found else None


def secret_page(heading: str, text: str, secret: str | None, back: str) -> BaseResponse:
    """Returns a page that shows a secret once; None if it was shown already, since only a hash is stored."""
    if secret is None:
        return done("The form was sent twice and done once. If the secret is lost, make a new one.", back, ok=False)
    return page("secret.html", heading=heading, text=text, secret=secret, back=back)


def set_cookie(response: BaseResponse, name: str, value: str, *, max_age: int) -> None:
    """Sets a cookie that browsers send only from the console's own pages, and that no script can read.

    Where users reach the service over https, browsers send it only over https, also behind a proxy.
    """
    secure = request.is_secure or callers().settings.is_https
    response.set_cookie(name, value, max_age=max_age, path="/console", secure=secure, httponly=True, samesite="Strict")


def problems_of(refusal: Refusal) -> dict[str, list[str]]:
    """Returns the messages of a refusal by the name of the form's field; of a list, each with its line."""
    found: dict[str, list[str]] = {}
    wrong = [("slug", refusal.message)] if isinstance(refusal, SlugTaken) else refusal.details
    for path, message in wrong:
        field, _, place = path.removesuffix("]").partition("[")
        found.setdefault(field, []).append(f"Line {int(place) + 1}: {message}" if place.isdecimal() else message)
    return found


PAGE_MESSAGES: Mapping[type[Refusal], str] = {
    **dict.fromkeys((HttpApiDecodeError, BadRequest, IntentInvalid, SlugTaken), "Correct this and send it again."),
    PreconditionFailed: "It changed meanwhile: read it again, then decide.",
    VersionConflict: "The text changed since this page was shown: read it again, then decide.",
    RateLimited: "Too many requests: wait a minute, then try again.",
    ServiceUnavailable: "The database can't be reached right now: try again in a few seconds.",
}
"""The messages on pages of refusals whose usual message is about what programs send and get."""


def summary_of(refusal: Refusal) -> str:
    """Returns the message of a refusal for a page, without the errors of single fields."""
    if isinstance(refusal, InvalidTransition):
        signed_in: Context | None = g.get("console_context")
        able = possible_moves(refusal.extra["allowed"], signed_in.caller.scopes if signed_in else ())
        return f"{refusal.message} You can: {', '.join(able)}." if able else refusal.message
    if message := message_for(refusal):
        return message
    is_usual = isinstance(refusal, (VersionConflict, SlugTaken)) or refusal.message == type(refusal).message
    return PAGE_MESSAGES.get(type(refusal), refusal.message) if is_usual else refusal.message


def message_of(refusal: Refusal) -> str:
    """Returns the message of a refusal on a page: why, and what is wrong with which field."""
    details = [f"{label(name)}: {text}" for name, texts in problems_of(refusal).items() for text in texts]
    return " ".join([summary_of(refusal), *details])


LABELS: Mapping[str, str] = {
    "claimLeaseSeconds": "Claims expire after",
    "coverImageUrl": "Cover image",
    "createdAt": "Created",
    "guidelines": "House style",
    "previewUrl": "Address of a preview",
    "intent": "Search intent",
    "internalLinks": "Link to",
    "publishAt": "When to publish",
    "publishedAt": "Live since",
    "referenceUrls": "Sources",
    "updatedAt": "Changed",
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
        notice = dict(orjson.loads(base64.urlsafe_b64decode(request.cookies.get(NOTICE_COOKIE, ""))))
        restores = str(notice.get("restores", ""))
        valid = HEX_ID.fullmatch(restores) is not None
        shown = {"ok": bool(notice["ok"]), "message": str(notice["message"]), "at": str(notice.get("at", ""))}
        return {**shown, "restores": restores if valid else ""}
    except (ValueError, KeyError, TypeError):
        return None


def problem_page(refusal: Refusal) -> BaseResponse:
    """Returns the page, or to a script the message, that says why a request was refused."""
    note_refusal(refusal)
    if is_from_script():
        return make_response(jsonify(ok=False, message=with_local_times(message_of(refusal))), refusal.status)
    back = page_before() if request.method == "POST" else None
    response = page("problem.html", refusal.status, refusal=refusal, message=message_of(refusal), back=back)
    response.headers.update({k: v for k, v in refusal.headers.items() if k != "WWW-Authenticate"})
    return response
