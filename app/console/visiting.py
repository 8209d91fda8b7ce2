"""The page behind a review link: one text and its threads, for somebody who is no member (decisions, section 17)."""

from flask import Response, abort, g, redirect, request, url_for
from werkzeug import Response as BaseResponse

from app.console.documents import PREVIEWED, preview_of
from app.console.forms import leads_to, remarks
from app.console.frame import console, page, set_cookie
from app.console.reviewing import CHANGES, OPENED, reply_fields
from app.console.sessions import VISIT_COOKIE
from app.core.context import Context
from app.core.errors import NotFound, Unauthorized
from app.core.schemas.loading import load
from app.documents.content import markdown_of
from app.documents.operations import own_document
from app.http.callers import callers
from app.review import operations as threads
from app.review.links import visit
from app.review.schemas import ReplyFields, SettleFields, ThreadFields

LONGEST_SECONDS = 14 * 86_400
"""How long the cookie lasts; the link may end before."""
ENDED = "This link has ended, or is incomplete: ask whoever sent it for another."


@console.get("/review")
def show_review() -> Response:
    """Shows a visitor the text and the threads of their link; without one, the form that takes it."""
    if not g.visit_secret:
        return page("review_link.html", problem=None)
    try:
        ctx, document_id = callers().visit(visit, g.visit_secret)
    except Unauthorized:
        response = page("review_link.html", 401, problem=ENDED)
        response.delete_cookie(VISIT_COOKIE, path="/console")
        return response
    document = own_document(ctx, document_id)
    markdown = markdown_of(ctx, document.get("contentId"))
    return page(
        "review.html",
        visitor=ctx.caller,
        title=document["title"],
        threads=threads.threads_to_show(ctx, document, markdown),
        markdown=markdown[:PREVIEWED],
        html=preview_of(markdown),
        too_long=len(markdown) > PREVIEWED,
    )


@console.post("/review")
def begin_review() -> BaseResponse:
    """Begins a visit: the link's secret comes from behind the `#`, and is in a cookie from then on."""
    secret = request.form.get("link", "").strip().rpartition("#")[2]
    try:
        callers().visit(visit, secret)
    except Unauthorized:
        return page("review_link.html", 401, problem=ENDED)
    response = redirect(url_for("console.show_review"), 303)
    set_cookie(response, VISIT_COOKIE, secret, max_age=LONGEST_SECONDS)
    return response


@console.post("/review/threads")
@leads_to("show_review")
def open_as_visitor() -> str:
    """Opens threads."""
    ctx, document_id = _visit()
    for remark in remarks():
        threads.open_thread(ctx, document_id, fields=load(ThreadFields, remark))
    return OPENED


@console.post("/review/threads/<thread>/<change>")
@leads_to("show_review")
def change_as_visitor(thread: str, change: str) -> str:
    """Answers a thread, or resolves one of the visitor's own."""
    operation, message = CHANGES[change] if change in ("reply", "resolve") else abort(404)
    fields = load(ReplyFields if change == "reply" else SettleFields, reply_fields(change))
    operation(*_visit(), thread, fields=fields)
    return message


def _visit() -> tuple[Context, str]:
    try:
        return callers().visit(visit, g.visit_secret)
    except Unauthorized:
        raise NotFound(ENDED) from None
