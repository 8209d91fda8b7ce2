"""The pages of one document: overview, text, fields, brief, versions and activity."""

from collections.abc import Mapping
from typing import Any

from flask import Response, jsonify, request, url_for
from werkzeug import Response as BaseResponse

from app.briefs import operations as briefs
from app.briefs.responses import brief_detail
from app.console.additions import added
from app.console.calls import call, listing, require
from app.console.diffs import marked_changes, side_by_side
from app.console.forms import BRIEF_LISTS, BRIEF_TEXTS, changed_fields, form_of, leads_to
from app.console.frame import console, done, is_from_script, message_of, page
from app.console.moves import NEXT, moves_of, refusals_on
from app.console.reading import as_read
from app.console.sessions import context
from app.console.words import STATUSES
from app.core.actors import Actor, actor_name
from app.core.context import Context
from app.core.errors import BadRequest, NotFound, Refusal, VersionConflict
from app.core.schemas.queries import MAX_NUMBER
from app.core.text.diffs import with_line_ends_of
from app.core.text.html import TooMuchMarkup, to_html, word_count
from app.core.text.markdown import MARKER
from app.core.text.merging import merged
from app.core.times import wire_time
from app.core.vocabulary import DocumentStatus
from app.delivery.site_addresses import page_url
from app.documents import content as revisions
from app.documents import operations as documents
from app.documents import publishing
from app.documents.content import markdown_of, own_revision
from app.documents.operations import own_document
from app.documents.record import StoredDocument, brief_of
from app.documents.responses import DocumentSummary, document_summary, revision_summary
from app.documents.store import Documents
from app.http.callers import hold_large
from app.projects.rules import StoredProject
from app.projects.store import Projects
from app.publications.record import PUBLISHED_FIELDS

PREVIEWED = 200_000
"""How many characters of a text are rendered for a preview."""
LARGE = 50_000
"""From how many characters on rendering counts as a large request."""
FORM = "<any(fields, brief):form>"
FIELDS = (
    *("title", "slug", "subtitle", "excerpt", "metaTitle", "metaDescription", "coverImageUrl", "dueDate"),
    *("categoryId", "clusterId", "assigneeId", "authorId"),
)
ON_A_PAGE = 50


@console.get("/documents/<id>")
def show_document(id: str) -> Response:
    """Shows a document: its text as the site will show it, its brief, and what can be done with it."""
    stored, document, markdown = read_document(id)
    additions = added("document", stored, markdown)
    compares = additions.get("review", {}).get("decision") and len(markdown) <= PREVIEWED
    since = _version("since", 0) if compares else 0
    html = preview_of(context(), markdown, stored)
    changes = _changes_since(stored, since, html) if since else None
    return page(
        "document.html",
        markdown=markdown[:PREVIEWED],
        html=html if changes is None else changes,
        since=since,
        only_compared=since and changes is None,
        too_long=len(markdown) > PREVIEWED,
        brief_is_empty=not any(document["brief"].get(name) for name in (*BRIEF_TEXTS, *BRIEF_LISTS)),
        moves=moves_of(document),
        usual=NEXT[document["status"]],
        refusals=refusals_on(stored, markdown),
        **_around(stored, document),
        **additions,
    )


def read_document(id: str) -> tuple[StoredDocument, DocumentSummary, str]:
    """Returns a document as it is stored, which has more than callers see, as they see it, and its text."""
    require(documents.get_document)
    ctx = context()
    stored = own_document(ctx, id)
    markdown = markdown_of(ctx, stored.get("contentId"))
    return stored, document_summary(ctx, stored), markdown


def _changes_since(stored: StoredDocument, version: int, html: str | None) -> str | None:
    """Returns a text with what changed in it since a version marked; None where only a comparison shows that."""
    ctx = context()
    revision = own_revision(ctx, stored["id"], version)
    before = preview_of(context(), markdown_of(ctx, revision["bodyId"]), stored)
    return None if before is None or html is None else marked_changes(before, html, wire_time(revision["at"]))


def _around(stored: StoredDocument, document: DocumentSummary) -> dict[str, Any]:
    """Returns what a page shows beside a text: its brief, and where the website shows it."""
    ctx = context()
    links = ctx.store[Documents].get_links(ctx.project_id, brief_of(stored).get("internalLinks") or ())
    project = ctx.store[Projects].recent_settings(ctx.project_id)
    return {
        "document": document,
        "brief": brief_detail(context(), stored, None, links),
        "see_at": _see_at(document, project),
        "has_site": bool(project.get("siteUrl")),
        **added("live"),
    }


@console.get("/documents/<id>/edit")
def edit_text(id: str) -> Response:
    """Shows the editor with the present text, or with the one that was refused."""
    stored, document, saved = read_document(id)
    markdown, base = (_markdown(), _base()) if request.form else (saved, document["version"])
    refused = refusals_on(stored, saved).get("write_content")
    return page(
        "edit.html",
        base=base,
        markdown=markdown,
        html=preview_of(context(), markdown, stored),
        refused=refused,
        locked=refused and not request.form,
        **added("text", stored, saved),
        **_around(stored, document),
    )


@console.get("/documents/<id>/meanwhile")
def show_meanwhile(id: str) -> Response:
    """Shows what changed while somebody writes: why the text can't be saved any more, and whether another was saved."""
    stored, document, markdown = read_document(id)
    refused = refusals_on(stored, markdown).get("write_content")
    saved_by = _saved_by(document) if _base() != document["version"] else None
    return page(
        "meanwhile.html",
        document=document,
        base=_base(),
        refused=refused,
        saved_by=saved_by,
        follows=True,
        **added("text", stored, markdown),
    )


@console.post("/documents/<id>/edit")
@form_of(edit_text)
def save_text(id: str) -> BaseResponse:
    """Saves the text as a new version, and moves the document on; if it changed meanwhile, shows both texts."""
    present = markdown_of(context(), own_document(context(), id).get("contentId"))
    mine, others = with_line_ends_of(present, _markdown()), ""
    try:
        written = call(revisions.write_content, id, fields={"markdown": mine, "baseVersion": _base()})
    except VersionConflict:
        _, document, theirs = read_document(id)
        both = None if is_from_script() else _merged(id, mine, theirs)
        if both is None:
            return _both_texts(document, mine, theirs)
        others = f" What {actor_name(_saved_by(document))} saved meanwhile in other paragraphs is part of it."
        written = call(revisions.write_content, id, fields={"markdown": both, "baseVersion": document["version"]})
    saved = written.body
    live = " It is not live yet: the website shows what was published." if saved["isPublished"] else ""
    is_new = saved["version"] != _base()
    message, leads_on, at = (
        f"Saved as version {saved['version']}.{live}{others}" if is_new else "All of it is saved.",
        True,
        "",
    )
    try:
        message += _moved_on(id, saved["status"], written.etag)
    except Refusal as refusal:
        message, leads_on = f"{message} It stays in {STATUSES[saved['status']]}. {message_of(refusal)}", False
        at = "".join(f"t-{thread}" for thread in refusal.extra.get("threads", ())[:1])
    if is_from_script():  # `Ctrl-S`: the page stays, and its next save is based on this version
        return jsonify(message=message, version=saved["version"])
    return done(
        message, url_for("console.show_document" if leads_on else "console.edit_text", id=id), ok=leads_on, at=at
    )


def _moved_on(id: str, status: str, tag: str | None) -> str:
    """Submits a saved document, unless it changed since, or moves it to drafting, where the form says so.

    Returns what was done.
    """
    if request.form.get("then") == "submit":
        call(publishing.submit_document, id, match=tag)
        return " It is submitted for review."
    if "drafts" in request.form and status in (DocumentStatus.IDEA, DocumentStatus.PLANNED):
        call(documents.update_document, id, fields={"status": DocumentStatus.DRAFTING})
        return " It is in Drafting now."
    return ""


def _merged(id: str, mine: str, theirs: str) -> str | None:
    """Returns both texts in one, where they changed different paragraphs of the version that mine was made from."""
    ctx, base = context(), _base()
    if not base:
        return None
    try:
        before = revisions.markdown_of(ctx, revisions.own_revision(ctx, id, base)["bodyId"])
    except NotFound:
        return None
    return merged(before, mine, theirs)


def _both_texts(document: DocumentSummary, mine: str, theirs: str) -> Response:
    """Shows the text that was not saved beside the one that was saved meanwhile."""
    try:
        rows = side_by_side(revisions.compared(context(), theirs, mine, "theirs", "mine"), as_read)
    except BadRequest:
        rows = None
    compared = {"theirs": theirs, "rows": rows, "saved_by": _saved_by(document)}
    return page("conflict.html", 409, document=document, markdown=mine, html=preview_of(context(), mine), **compared)


@console.post("/documents/<id>/preview")
def preview(id: str) -> Response:
    """Returns the html of a text that is being written, and in a header how many words a reader sees."""
    markdown = request.form.get("markdown", "")
    stored = own_document(context(), id) if MARKER.search(markdown) else None
    response = page("preview.html", html=preview_of(context(), markdown, stored), too_long=len(markdown) > PREVIEWED)
    if len(markdown) <= PREVIEWED:
        response.headers["X-Words"] = f"{word_count(markdown):,}"
    return response


@console.get(f"/documents/<id>/{FORM}")
def edit_form(id: str, form: str) -> Response:
    """Shows the form with a document's fields, or with its brief."""
    return page(f"{form}.html", document=call(documents.get_document, id).body)


@console.post(f"/documents/<id>/{FORM}")
@form_of(edit_form)
def save_form(id: str, form: str) -> BaseResponse:
    """Saves the fields that the user changed."""
    if form == "brief":
        call(briefs.update_brief, id, fields=changed_fields(BRIEF_TEXTS, BRIEF_LISTS))
    else:
        call(documents.update_document, id, fields=changed_fields(FIELDS))
    return done("Saved.", url_for("console.show_document", id=id))


@console.get("/documents/<id>/revisions")
def show_revisions(id: str) -> Response:
    """Shows the versions of a document, and what changed between two of them."""
    document = call(documents.get_document, id).body
    additions = added("revisions", id)
    decided = document["version"] if "to" in request.args else additions.get("decided", document["version"])
    newer = _version("to", document["version"])
    older = _version("from", decided if decided < newer else max(1, newer - 1))
    rows, fields, problem = None, [], ""
    ctx = context()
    try:
        old, new = (own_revision(ctx, id, version) for version in (older, newer))
        before, after = (markdown_of(ctx, one["bodyId"]) for one in (old, new))
        fields = _fields_that_differ(revision_summary(ctx, old), revision_summary(ctx, new))
        rows = side_by_side(revisions.compared(ctx, before, after, f"version {older}", f"version {newer}"), as_read)
    except (BadRequest, NotFound) as refusal:
        problem = refusal.message
    found = listing(revisions.list_revisions, id, limit=ON_A_PAGE)
    shown: dict[str, Any] = {"older": older, "newer": newer, "rows": rows, "fields": fields, "problem": problem}
    return page("revisions.html", document=document, revisions=found, **shown, **additions)


@console.post("/documents/<id>/revisions/<int(max=999999999):version>/restore")
@leads_to("show_document", "id")
def restore_revision(id: str, version: int) -> str:
    """Makes an earlier version the newest."""
    call(revisions.restore_revision, id, str(version), fields={"baseVersion": _base()})
    return f"The text and fields are those of version {version} again."


def preview_of(ctx: Context, markdown: str, document: StoredDocument | None = None) -> str | None:
    """Returns the beginning of a text as html that is safe on any page; None if it has too much markup.

    That of a document has what features add to it.
    """
    hold_large(len(markdown))
    shown = markdown[:PREVIEWED]
    try:
        html = to_html(ctx.features.to_render(ctx, document, shown) if document else shown)
        return ctx.features.deliver_texts(ctx, [html])[0]
    except TooMuchMarkup:
        return None


def _see_at(document: DocumentSummary, project: StoredProject) -> str:
    """Returns the address of a document, or of its preview, on the website; empty if it has neither, or no text."""
    site, preview = project.get("siteUrl"), project.get("previewUrl")
    if site and document["isPublished"] and not document["hasUnpublishedChanges"]:
        return page_url(site, document["slug"])
    return page_url(preview, document["slug"], document["id"]) if preview and document["wordCount"] else ""


def _saved_by(document: DocumentSummary) -> Actor:
    """Returns who saved the newest version of a document."""
    return call(revisions.list_revisions, document["id"], fields={"limit": 1}).body[0]["createdBy"]


def _fields_that_differ(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    return [(name, old[name], new[name]) for name in PUBLISHED_FIELDS if old[name] != new[name]]


def _version(name: str, default: int) -> int:
    """Returns the number of a version in the page's address, at most the largest that there may be."""
    return max(0, min(request.args.get(name, default, type=int), MAX_NUMBER))


def _base() -> int | None:
    """Returns the version that the form was shown with."""
    return request.values.get("baseVersion", type=int)


def _markdown() -> str:
    """Returns the text that was sent, with the line ends of markdown."""
    return request.form.get("markdown", "").replace("\r\n", "\n").replace("\r", "\n")
