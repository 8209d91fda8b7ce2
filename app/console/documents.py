"""The pages of one document: overview, text, fields, brief, versions and activity."""

from collections.abc import Mapping
from typing import Any

from flask import Response, jsonify, request, url_for
from werkzeug import Response as BaseResponse

from app.console import live
from app.console.calls import call, listing
from app.console.diffs import side_by_side
from app.console.forms import BRIEF_LISTS, BRIEF_TEXTS, changed_fields, form_of, leads_to
from app.console.frame import console, done, is_from_script, page
from app.console.moves import NEXT, moves_of, refusals_of
from app.console.sessions import context
from app.errors import BadRequest, NotFound, VersionConflict
from app.http.callers import hold_large
from app.operations import briefs, checks, documents, events, projects, revisions
from app.operations.operation import Result
from app.responses.documents import DocumentSummary
from app.rules.actors import Actor
from app.rules.diffs import TooDifferent
from app.rules.documents import PUBLISHED_FIELDS
from app.rules.rendering import TooMuchMarkup, to_html
from app.rules.sites import page_url
from app.rules.text import word_count
from app.schemas.queries import MAX_NUMBER

PREVIEWED = 200_000
"""How many characters of a text are rendered for a preview."""
LARGE = 50_000
"""From how many characters on rendering counts as a large request."""
TEXT_FIELDS = ("title", "slug", "subtitle", "excerpt", "metaTitle", "metaDescription", "coverImageUrl", "dueDate")
CHOSEN_FIELDS = ("categoryId", "clusterId", "assigneeId", "authorId")
ON_A_PAGE = 50


@console.get("/documents/<id>")
def show_document(id: str) -> Response:
    """Shows a document: its text as the site will show it, its brief, and what can be done with it."""
    result = call(documents.get_document, id)
    document = result.body
    markdown = text_of(result)
    return page(
        "document.html",
        document=document,
        html=preview_of(markdown),
        too_long=len(markdown) > PREVIEWED,
        brief=call(briefs.get_brief, document["id"]).body,
        brief_is_empty=not any(document["brief"].get(name) for name in (*BRIEF_TEXTS, *BRIEF_LISTS)),
        moves=moves_of(document),
        usual=NEXT[document["status"]],
        refusals=refusals_of(document),
        see_at=_see_at(document),
        cursor=live.cursor(),
    )


@console.get("/documents/<id>/edit")
def edit_text(id: str) -> Response:
    """Shows the editor with the present text, or with the one that was refused."""
    result = call(documents.get_document, id)
    markdown, base = (_markdown(), _base()) if request.form else (text_of(result), result.body["version"])
    refused = refusals_of(result.body).get("write_content")
    return page(
        "edit.html",
        document=result.body,
        brief=call(briefs.get_brief, id).body,
        base=base,
        markdown=markdown,
        html=preview_of(markdown),
        refused=refused,
        locked=refused and not request.form,
        see_at=_see_at(result.body),
        cursor=live.cursor(),
    )


@console.get("/documents/<id>/meanwhile")
def show_meanwhile(id: str) -> Response:
    """Shows what somebody who writes has to know by now: why a text can't be saved, and that another was."""
    document = call(documents.get_document, id).body
    refused = refusals_of(document).get("write_content")
    saved_by = _saved_by(document) if _base() != document["version"] else None
    return page("meanwhile.html", document=document, base=_base(), refused=refused, saved_by=saved_by)


@console.post("/documents/<id>/edit")
@form_of(edit_text)
def save_text(id: str) -> BaseResponse:
    """Saves the text as a new version; if the document changed meanwhile, shows both texts."""
    try:
        saved = call(revisions.write_content, id, fields={"markdown": _markdown(), "baseVersion": _base()}).body
    except VersionConflict:
        return _both_texts(id, _markdown())
    message = f"Saved as version {saved['version']}."
    if is_from_script():  # `Ctrl-S`: the page stays, and its next save is based on this version
        return jsonify(message=message, version=saved["version"])
    return done(message, url_for("console.show_document", id=id))


def _both_texts(id: str, mine: str) -> Response:
    """Shows the text that was not saved beside the one that was saved meanwhile."""
    result = call(documents.get_document, id)
    theirs = text_of(result)
    try:
        rows = side_by_side(revisions.compared(context(), theirs, mine, "theirs", "mine"))
    except TooDifferent:
        rows = None
    compared = {"theirs": theirs, "rows": rows, "saved_by": _saved_by(result.body)}
    return page("conflict.html", 409, document=result.body, markdown=mine, html=preview_of(mine), **compared)


@console.post("/documents/<id>/preview")
def preview(id: str) -> Response:
    """Returns the html of a text that is being written, and in a header how many words a reader sees."""
    markdown = request.form.get("markdown", "")
    response = page("preview.html", html=preview_of(markdown), too_long=len(markdown) > PREVIEWED)
    if len(markdown) <= PREVIEWED:
        response.headers["X-Words"] = f"{word_count(markdown):,}"
    return response


@console.get("/documents/<id>/fields")
def edit_fields(id: str) -> Response:
    """Shows the form with a document's fields."""
    return page("fields.html", document=call(documents.get_document, id).body)


@console.post("/documents/<id>/fields")
@form_of(edit_fields)
def save_fields(id: str) -> BaseResponse:
    """Changes those fields that differ from what the form was shown with."""
    call(documents.update_document, id, fields=changed_fields((*TEXT_FIELDS, *CHOSEN_FIELDS)))
    return done("Saved.", url_for("console.show_document", id=id))


@console.get("/documents/<id>/brief")
def edit_brief(id: str) -> Response:
    """Shows the form with a document's brief."""
    return page("brief.html", document=call(documents.get_document, id).body)


@console.post("/documents/<id>/brief")
@form_of(edit_brief)
def save_brief(id: str) -> BaseResponse:
    """Changes those parts of the brief that differ from what the form was shown with."""
    call(briefs.update_brief, id, fields=changed_fields(BRIEF_TEXTS, BRIEF_LISTS))
    return done("The brief is saved.", url_for("console.show_document", id=id))


@console.get("/documents/<id>/revisions")
def show_revisions(id: str) -> Response:
    """Shows the versions of a document, and what changed between two of them."""
    document = call(documents.get_document, id).body
    newer = _version("to", document["version"])
    older = _version("from", max(1, newer - 1))
    rows, fields, problem = None, [], ""
    try:
        old, new = (_published_fields(id, version) for version in (older, newer))
        fields = [(name, old[name], new[name]) for name in PUBLISHED_FIELDS if old[name] != new[name]]
        rows = side_by_side(call(revisions.diff_revisions, id, fields={"from": older, "to": newer}).body["diff"])
    except (BadRequest, NotFound) as refusal:
        problem = refusal.message
    found = listing(revisions.list_revisions, id, limit=ON_A_PAGE)
    shown: dict[str, Any] = {"older": older, "newer": newer, "rows": rows, "fields": fields, "problem": problem}
    return page("revisions.html", document=document, revisions=found, **shown)


@console.post("/documents/<id>/revisions/<int(max=999999999):version>/restore")
@leads_to("show_document", "id")
def restore_revision(id: str, version: int) -> str:
    """Makes an earlier version the newest."""
    call(revisions.restore_revision, id, str(version), fields={"baseVersion": _base()})
    return f"The text and fields are those of version {version} again."


@console.get("/documents/<id>/activity")
def show_activity(id: str) -> Response:
    """Shows what happened to a document, the newest first."""
    document = call(documents.get_document, id).body
    return page("activity.html", document=document, events=listing(events.get_document_activity, id, limit=ON_A_PAGE))


@console.get("/documents/<id>/checks")
def show_checks(id: str) -> Response:
    """Shows the checks of a document; to a script the list alone, to be shown beside the text."""
    checked = call(checks.check_document, id).body
    if is_from_script():
        return page("checks_list.html", **checked)
    return page("checks.html", document=call(documents.get_document, id).body, **checked)


def text_of(result: Result[DocumentSummary]) -> str:
    """Returns the markdown of a document that was read."""
    body_id = result.text_ids["content"]
    if body_id is None:
        return ""
    ctx = context()
    with ctx.store.deadline():
        return ctx.store.bodies.get_texts(ctx.project_id, [body_id]).get(body_id, "")


def preview_of(markdown: str) -> str | None:
    """Returns the beginning of a text as html that is safe on any page; None if it has too much markup."""
    hold_large(len(markdown))
    try:
        return to_html(markdown[:PREVIEWED])
    except TooMuchMarkup:
        return None


def _see_at(document: DocumentSummary) -> str:
    """Returns where the website shows a document, or its preview; empty where it does neither."""
    project = call(projects.get_project).body
    if document["isPublished"] and not document["hasUnpublishedChanges"] and project["siteUrl"]:
        return page_url(project["siteUrl"], document["slug"])
    return page_url(project["previewUrl"], document["slug"], document["id"]) if project["previewUrl"] else ""


def _saved_by(document: DocumentSummary) -> Actor:
    """Returns who saved the newest version of a document."""
    return call(revisions.list_revisions, document["id"], fields={"limit": 1}).body[0]["createdBy"]


def _published_fields(id: str, version: int) -> Mapping[str, Any]:
    """Returns the fields of a version, which are compared by name."""
    return call(revisions.get_revision, id, str(version)).body


def _version(name: str, default: int) -> int:
    """Returns the number of a version in the page's address, at most the largest that there may be."""
    return max(0, min(request.args.get(name, default, type=int), MAX_NUMBER))


def _base() -> int | None:
    """Returns the version that the form was shown with."""
    return request.values.get("baseVersion", type=int)


def _markdown() -> str:
    """Returns the text that was sent, with the line ends of markdown."""
    return request.form.get("markdown", "").replace("\r\n", "\n")
