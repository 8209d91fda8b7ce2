"""The page behind a review link: one text and its threads, for somebody who is no member (decisions, section 17)."""

from flask import Blueprint, Response, abort, g, redirect, request, url_for
from werkzeug import Response as BaseResponse

from app.console.documents import PREVIEWED, preview_of
from app.console.forms import leads_to, remarks
from app.console.frame import page, set_cookie
from app.console.sessions import refuse_without_csrf_token
from app.core.context import Context
from app.core.errors import NotFound, Unauthorized
from app.core.schemas.loading import load
from app.documents.content import markdown_of
from app.documents.operations import own_document
from app.http.callers import callers
from app.review import operations as threads
from app.review.links import visit
from app.review.pages.members import CHANGES, OPENED, reply_fields
from app.review.schemas import ReplyFields, SettleFields, ThreadFields

LONGEST_SECONDS = 14 * 86_400
"""How long the cookie lasts; the link may end before."""
ENDED = "This link has ended, or is incomplete: ask whoever sent it for another."
VISIT_COOKIE = "cw_visit"
"""The cookie with the secret of a review link, of somebody who opened it."""

pages = Blueprint("visitors", __name__)


@pages.before_request
def begin_visit() -> None:
    """Reads the link's secret from its cookie; forms carry a CSRF token made from it, but for the one that sets it."""
    g.form_secret = request.cookies.get(VISIT_COOKIE, "")
    if request.method == "POST" and request.endpoint != "console.visitors.begin_review":
        refuse_without_csrf_token()


@pages.get("/review")
def show_review() -> Response:
    """Shows a visitor the text and the threads of their link; without one, the form that takes it."""
    if not g.form_secret:
        return page("review/review_link.html", problem=None)
    try:
        ctx, document_id = callers().visit(visit, g.form_secret)
    except Unauthorized:
        response = page("review/review_link.html", 401, problem=ENDED)
        response.delete_cookie(VISIT_COOKIE, path="/console")
        return response
    document = own_document(ctx, document_id)
    markdown = markdown_of(ctx, document.get("contentId"))
    return page(
        "review/review.html",
        visitor=ctx.caller,
        title=document["title"],
        threads=threads.threads_to_show(ctx, document, markdown),
        markdown=markdown[:PREVIEWED],
        html=preview_of(ctx, markdown[:PREVIEWED], document),
        too_long=len(markdown) > PREVIEWED,
    )


@pages.post("/review")
def begin_review() -> BaseResponse:
    """Begins a visit: the link's secret comes from behind the `#`, and is in a cookie from then on."""
    secret = request.form.get("link", "").strip().rpartition("#")[2]
    try:
        callers().visit(visit, secret)
    except Unauthorized:
        return page("review/review_link.html", 401, problem=ENDED)
    response = redirect(url_for("console.visitors.show_review"), 303)
    set_cookie(response, VISIT_COOKIE, secret, max_age=LONGEST_SECONDS)
    return response


@pages.post("/review/threads")
@leads_to("visitors.show_review")
def open_as_visitor() -> str:
    """Opens threads."""
    ctx, document_id = _visit()
    for remark in remarks():
        threads.open_thread(ctx, document_id, fields=load(ThreadFields, remark))
    return OPENED


@pages.post("/review/threads/<thread>/<change>")
@leads_to("visitors.show_review")
def change_as_visitor(thread: str, change: str) -> str:
    """Answers a thread, or resolves one of the visitor's own."""
    operation, message = CHANGES[change] if change in ("reply", "resolve") else abort(404)
    fields = load(ReplyFields if change == "reply" else SettleFields, reply_fields(change))
    operation(*_visit(), thread, fields=fields)
    return message


def _visit() -> tuple[Context, str]:
    try:
        return callers().visit(visit, g.form_secret)
    except Unauthorized:
        raise NotFound(ENDED) from None
