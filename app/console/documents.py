"""The pages of one document: overview, text, fields, brief, versions and activity."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console import live
from app.console.actions import actions_of
from app.console.diffs import side_by_side
from app.console.frame import call, console, done, is_from_script, page, problems_of, said_by, session
from app.console.moves import BY_NAME, into_column
from app.errors import BadRequest, NotFound, Refusal, VersionConflict
from app.http import in_flight
from app.operations import briefs, checks, documents, events, revisions
from app.operations.operation import Result
from app.rules.diffs import TooDifferent, unified_diff
from app.rules.html_writer import TooMuchMarkup
from app.rules.rendering import to_html
from app.vocabulary import DocumentStatus

PREVIEWED = 200_000
"""How many characters of a text are rendered for a preview."""
LARGE = 50_000
"""From how many characters on rendering counts as a large request."""
TEXT_FIELDS = ("title", "slug", "subtitle", "excerpt", "metaTitle", "metaDescription", "coverImageUrl", "dueDate")
CHOSEN_FIELDS = ("categoryId", "clusterId", "assigneeId", "authorId")
BRIEF_TEXTS = ("keyword", "intent", "audience", "wordCount", "outline", "notes")
BRIEF_LISTS = ("referenceUrls", "internalLinks")
PAGE_OF_DOCUMENT = re.compile(r"https?://\S+/documents/([0-9a-fA-F]{24})\b\S*")
"""The address of a document's page, which stands for its id."""
ACTIVITY_SHOWN = 50
REVISIONS_SHOWN = 50


@console.get("/documents/<id>")
def show_document(id: str) -> Response:
    """Shows a document: its text as the site will show it, its brief, and what can be done with it."""
    result = _document(id)
    document = result.body
    markdown = text_of(result)
    return page(
        "document.html",
        document=document,
        html=preview_of(markdown),
        too_long=len(markdown) > PREVIEWED,
        brief=call(briefs.get_brief, document["id"]).body,
        actions=actions_of(document),
        cursor=live.cursor(),
    )


@console.get("/documents/<id>/edit")
def edit_text(id: str) -> Response:
    """Shows the editor with the present text."""
    result = _document(id)
    markdown = text_of(result)
    return page("edit.html", document=result.body, markdown=markdown, html=preview_of(markdown))


@console.post("/documents/<id>/edit")
def save_text(id: str) -> BaseResponse:
    """Saves the text as a new version; if the document changed meanwhile, shows both texts."""
    markdown = request.form.get("markdown", "").replace("\r\n", "\n")
    base = request.form.get("baseVersion", type=int)
    try:
        saved = call(revisions.write_content, id, fields={"markdown": markdown, "baseVersion": base}).body
    except VersionConflict:
        return _both_texts(id, markdown)
    except NotFound:
        raise
    except Refusal as refusal:
        document = _document(id).body
        return page(
            "edit.html", refusal.status, document=document | {"version": base}, markdown=markdown,
            html=preview_of(markdown), said=said_by(refusal),
        )  # fmt: skip
    return done(f"Saved as version {saved['version']}.", url_for("console.show_document", id=id))


def _both_texts(id: str, mine: str) -> Response:
    """Shows the text that was not saved beside the one that was saved meanwhile."""
    result = _document(id)
    theirs = text_of(result)
    try:
        rows = side_by_side(unified_diff(theirs, mine, "theirs", "mine"))
    except TooDifferent:
        rows = None
    return page(
        "conflict.html", 409, document=result.body, markdown=mine, theirs=theirs, rows=rows, html=preview_of(mine)
    )


@console.post("/documents/<id>/preview")
def preview(id: str) -> Response:
    """Returns the html of a text that is being written."""
    markdown = request.form.get("markdown", "")
    return page("preview.html", html=preview_of(markdown), too_long=len(markdown) > PREVIEWED)


@console.get("/documents/<id>/fields")
def edit_fields(id: str) -> Response:
    """Shows the form with a document's fields."""
    document = _document(id).body
    return page("fields.html", document=document, values=document, was=document, problems={})


@console.post("/documents/<id>/fields")
def save_fields(id: str) -> BaseResponse:
    """Changes those fields that differ from what the form was shown with."""
    try:
        call(documents.update_document, id, fields=changed_fields((*TEXT_FIELDS, *CHOSEN_FIELDS)))
    except NotFound:
        raise
    except Refusal as refusal:
        document = _document(id).body
        return _refused("fields.html", refusal, document, document | request.form.to_dict())
    return done("Saved.", url_for("console.show_document", id=id))


@console.get("/documents/<id>/brief")
def edit_brief(id: str) -> Response:
    """Shows the form with a document's brief."""
    document = _document(id).body
    values = _brief_as_text(document["brief"])
    return page("brief.html", document=document, values=values, was=values, problems={})


@console.post("/documents/<id>/brief")
def save_brief(id: str) -> BaseResponse:
    """Changes those parts of the brief that differ from what the form was shown with."""
    fields = changed_fields((*BRIEF_TEXTS, *BRIEF_LISTS))
    for name in fields.keys() & set(BRIEF_LISTS):
        lines = [line.strip() for line in (fields[name] or "").splitlines() if line.strip()]
        fields[name] = [PAGE_OF_DOCUMENT.sub(r"\1", line) for line in lines] if name == "internalLinks" else lines
    try:
        call(briefs.update_brief, id, fields=fields)
    except NotFound:
        raise
    except Refusal as refusal:
        return _refused("brief.html", refusal, _document(id).body, request.form.to_dict())
    return done("The brief is saved.", url_for("console.show_document", id=id))


@console.get("/documents/<id>/revisions")
def show_revisions(id: str) -> Response:
    """Shows the versions of a document, and what changed between two of them."""
    document = _document(id).body
    offset = max(0, request.args.get("offset", 0, type=int))
    found = call(revisions.list_revisions, id, fields={"limit": REVISIONS_SHOWN, "offset": offset}).body
    newer = request.args.get("to", document["version"], type=int)
    older = request.args.get("from", max(1, newer - 1), type=int)
    rows, said = None, ""
    try:
        diff = call(revisions.diff_revisions, id, fields={"from": older, "to": newer}).body["diff"]
        rows = side_by_side(diff)
    except (BadRequest, NotFound) as refusal:
        said = refusal.message
    return page(
        "revisions.html", document=document, revisions=found, older=older, newer=newer, rows=rows, said=said,
        offset=offset, more=len(found) == REVISIONS_SHOWN,
    )  # fmt: skip


@console.post("/documents/<id>/revisions/<int(max=999999999):version>/restore")
def restore_revision(id: str, version: int) -> BaseResponse:
    """Makes an earlier version the newest."""
    back = url_for("console.show_document", id=id)
    base = request.form.get("baseVersion", type=int)
    try:
        call(revisions.restore_revision, id, str(version), fields={"baseVersion": base})
    except Refusal as refusal:
        return done(said_by(refusal), back, ok=False)
    return done(f"The text and fields are those of version {version} again.", back)


@console.get("/documents/<id>/activity")
def show_activity(id: str) -> Response:
    """Shows what happened to a document, the newest first."""
    document = _document(id).body
    offset = max(0, request.args.get("offset", 0, type=int))
    found = call(events.get_document_activity, id, fields={"limit": ACTIVITY_SHOWN, "offset": offset}).body
    return page(
        "activity.html", document=document, events=found, offset=offset, more=len(found) == ACTIVITY_SHOWN,
        shown=ACTIVITY_SHOWN,
    )  # fmt: skip


@console.get("/documents/<id>/checks")
def show_checks(id: str) -> Response:
    """Shows the checks of a document; to a script the list alone, to be shown beside the text."""
    checked = call(checks.check_document, id).body
    if is_from_script():
        return page("checks_list.html", **checked)
    return page("checks.html", document=_document(id).body, **checked)


@console.post("/documents/<id>/actions/<name>")
def act(id: str, name: str) -> BaseResponse:
    """Runs the operation of a button, and shows the outcome."""
    move = BY_NAME.get(name)
    if move is None:
        raise NotFound("The console has no such action.")
    fields: dict[str, Any] = {move.asks: request.form.get(move.asks, "")} if move.asks else {}
    if move.keeps_version and (base := request.form.get("baseVersion", type=int)):
        fields["baseVersion"] = base
    back = url_for("console.show_document", id=id)
    try:
        call(move.operation, id, fields=fields)
    except Refusal as refusal:
        return done(said_by(refusal), back, ok=False)
    gone = name == documents.delete_document.name
    return done(move.done, url_for("console.show_board") if gone else back)


@console.post("/documents/<id>/move")
def move_card(id: str) -> BaseResponse:
    """Moves a card to a column of the board, by calling the operation for it."""
    column = request.form.get("to", "")
    back = url_for("console.show_board")
    if column not in set(DocumentStatus):
        raise NotFound("The board has no such column.")
    operation, fields = into_column(request.form.get("from", ""), column, request.form)
    try:
        moved = call(operation, id, fields=fields).body
    except Refusal as refusal:
        return done(said_by(refusal), back, ok=False)
    move = BY_NAME.get(operation.name)
    return done(f"{moved['title']}: {move.done if move else 'moved.'}", back)


def changed_fields(names: tuple[str, ...]) -> dict[str, Any]:
    """Returns the form's fields that differ from their `was.` twin; an empty one is null, which clears it."""
    form = request.form
    sent = {name: form[name].replace("\r\n", "\n").strip() for name in names if name in form}
    was = {name: form.get(f"was.{name}", "").replace("\r\n", "\n").strip() for name in names}
    clear = {"title": "", "slug": "", "name": ""}
    return {name: value or clear.get(name) for name, value in sent.items() if value != was[name]}


def text_of(result: Result) -> str:
    """Returns the markdown of a document that was read."""
    body_id = result.bodies["content"]
    if body_id is None:
        return ""
    ctx = session().ctx
    with ctx.store.deadline():
        return ctx.store.bodies.get_texts(ctx.project_id, [body_id]).get(body_id, "")


def preview_of(markdown: str) -> str | None:
    """Returns the beginning of a text as html that is safe on any page; None if it has too much markup."""
    if len(markdown) > LARGE:
        in_flight.large()
    try:
        return to_html(markdown[:PREVIEWED])
    except TooMuchMarkup:
        return None


def _document(id: str) -> Result:
    return call(documents.get_document, id)


def _brief_as_text(brief: Mapping[str, Any]) -> dict[str, str]:
    """Returns a brief as the form shows it: a list as lines."""
    return {name: brief[name] for name in BRIEF_TEXTS} | {name: "\n".join(brief[name]) for name in BRIEF_LISTS}


def _refused(template: str, refusal: Refusal, document: Mapping[str, Any], values: Mapping[str, Any]) -> Response:
    """Returns a form again, with what was sent, what it was shown with at first, and the problems."""
    was = {name: request.form.get(f"was.{name}", "") for name in values}
    shown = {"document": document, "values": values, "was": was}
    return page(template, refusal.status, **shown, problems=problems_of(refusal), said=refusal.message)
