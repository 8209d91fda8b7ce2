"""Content and its history: every version is stored and can be read, compared and restored (decisions, section 5)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from app.categories.references import lock_references
from app.core.concurrency import processing
from app.core.context import Context
from app.core.errors import (
    BadRequest,
    BriefClaimed,
    HttpApiDecodeError,
    InvalidTransition,
    Issue,
    NotFound,
    Refusal,
    SlugTaken,
    VersionConflict,
    WriteConflict,
    or_raise,
)
from app.core.operation import Effect, Result, operation
from app.core.records import versions_in
from app.core.schemas.loading import Fields
from app.core.schemas.queries import Page, in_part
from app.core.store.bodies import Bodies
from app.core.store.collection import new_id
from app.core.text.diffs import unified_diff
from app.core.text.html import word_count
from app.core.vocabulary import Scope
from app.documents import edits as rules
from app.documents.edits import can_write_content, refuse_content_write, restore_version
from app.documents.operations import (
    call_under_claim,
    document_change,
    document_result,
    own_document,
    with_taken_slugs,
    write_decision,
)
from app.documents.record import Decision, StoredDocument, StoredRevision
from app.documents.responses import (
    ContentPart,
    Diff,
    DocumentSummary,
    Revision,
    RevisionSummary,
    revision_summary,
)
from app.documents.schemas import BASE_REQUIRED, ContentFields, ContentPartQuery, DiffPartQuery, DiffQuery, GuardedWrite
from app.documents.store import Documents, Revisions
from app.publications.record import PUBLISHED_FIELDS

_of_history = partial(operation, Scope.READ, Effect.READS, toolsets=("reviewing",))


@operation(
    Scope.READ,
    Effect.READS,
    query=ContentPartQuery,
    toolsets=("planning", "reviewing"),
    next="Read on with `nextOffset` as `offset` until it is null.",
)
def read_document_content(ctx: Context, document_id: str, fields: Fields) -> Result[ContentPart]:
    """Read a document's markdown in parts.

    Without `version` it is the current content; the published content is that of `publishedVersion`.
    """
    document = own_document(ctx, document_id)
    version = fields.get("version", document["version"])
    markdown = markdown_of(ctx, content_id_of(ctx, document, version))
    offset, end, length = fields["offset"], fields["offset"] + fields["limit"], len(markdown)
    return Result(
        {
            "id": document["id"],
            "version": version,
            "markdown": markdown[offset:end],
            "offset": offset,
            "length": length,
            "nextOffset": end if end < length else None,
        }
    )


def count_words(ctx: Context, *arguments: Any) -> int:
    """Returns the number of words of the markdown that is sent, which takes long: once, before anything is locked."""
    if ctx.prepared is not None:
        return int(ctx.prepared)
    markdown = arguments[-1].get("markdown") or ""
    with processing(ctx, markdown):
        return word_count(markdown)


@document_change(
    Scope.WRITE,
    "PUT /documents/<id>/content",
    body=ContentFields,
    errors=(BriefClaimed, VersionConflict, InvalidTransition),
    transaction=True,
    prepare=count_words,
    rule=can_write_content,
    toolsets=("writing",),
    next="For parts: `edit_content`. Next: `check_document`, then `submit_document`.",
    button="Write",
)
def write_content(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Write a document's whole content, without its title, as a new version."""
    _demand_base(ctx, fields)
    text = EditedText(None, fields["markdown"], ctx.prepared)
    return write_text(ctx, document_id, fields, lambda present: text)


@_of_history(
    "GET /documents/<id>/revisions", query=Page, next="The text of one: `read_document_content` with its `version`."
)
def list_revisions(ctx: Context, document_id: str, fields: Fields) -> Result[list[RevisionSummary]]:
    """List a document's versions, the newest first, without their content."""
    own_document(ctx, document_id)
    found = ctx.store[Revisions].list(ctx.project_id, document_id, limit=fields["limit"], offset=fields["offset"])
    return Result([revision_summary(ctx, revision) for revision in found])


@_of_history(
    "GET /documents/<id>/revisions/<version>",
    with_texts=Revision,
    next="Its text: `read_document_content` with this `version`.",
)
def get_revision(ctx: Context, document_id: str, version: str) -> Result[RevisionSummary]:
    """Read a version of a document as it was written."""
    own_document(ctx, document_id)
    revision = own_revision(ctx, document_id, int(version))
    return Result(
        revision_summary(ctx, revision), etag=str(revision["version"]), text_ids={"markdown": revision["bodyId"]}
    )


@document_change(
    Scope.WRITE,
    "POST /documents/<id>/revisions/<version>/restore",
    body=GuardedWrite,
    errors=(BriefClaimed, VersionConflict, InvalidTransition, SlugTaken),
    transaction=True,
    rule=can_write_content,
    toolsets=("reviewing",),
)
def restore_revision(ctx: Context, document_id: str, version: str, fields: Fields) -> Result[DocumentSummary]:
    """Make an earlier version the newest: its markdown and its published fields, as a new version."""
    _demand_base(ctx, fields)
    document, call = document_to_write(ctx, document_id), call_under_claim(ctx, fields)
    revision = own_revision(ctx, document_id, int(version))

    def restore(present: StoredDocument) -> Decision:
        refuse_content_write(present, call, *base_versions(ctx, present, fields))
        return restored(ctx, present, revision, {"restoredVersion": revision["version"]})

    return document_result(ctx, write_decision(ctx, document, restore))


def restored(ctx: Context, document: StoredDocument, revision: StoredRevision, data: Mapping[str, Any]) -> Decision:
    """Decides that a document gets an earlier version's fields; a category that does not exist any more becomes null.

    Refuses with `SlugTaken` and `InvalidTransition`; `data` is for the event.
    """
    fields = {name: value for name, value in revision.items() if name in PUBLISHED_FIELDS}
    fields["contentId"] = _body_of(ctx, revision, document)
    category = lock_references(ctx.store, ctx.project_id, {"categoryId": revision["categoryId"]}).categories
    if revision["categoryId"] not in category:
        fields["categoryId"] = None
    call = ctx.call if revision["slug"] == document["slug"] else with_taken_slugs(ctx, document, [revision["slug"]])
    return restore_version(document, call, fields, revision["wordCount"], data)


@_of_history("GET /documents/<id>/diff", query=DiffPartQuery, rest_query=DiffQuery, errors=(BadRequest,))
def diff_revisions(ctx: Context, document_id: str, fields: Fields) -> Result[Diff]:
    """Compare the markdown of two versions, as a unified diff."""
    own_document(ctx, document_id)
    older, newer = (own_revision(ctx, document_id, fields[name]) for name in ("from_", "to"))
    old, new = (markdown_of(ctx, revision["bodyId"]) for revision in (older, newer))
    diff = compared(ctx, old, new, f"version {older['version']}", f"version {newer['version']}")
    body: Any = in_part({"from": older["version"], "to": newer["version"], "diff": diff}, "diff", fields)
    return Result(body)


def compared(ctx: Context, old: str, new: str, old_name: str, new_name: str) -> str:
    """Returns the difference of two texts as a unified diff. Refuses with `BadRequest` where that takes too long."""
    with processing(ctx, max(old, new, key=len)):
        return unified_diff(old, new, old_name, new_name)


@dataclass(frozen=True)
class EditedText:
    """A text made of a document's content, and the number of its words; None where they were not counted yet."""

    base_id: str | None
    """The id of the content that it was made of."""
    markdown: str
    words: int | None


def prepare_edit(ctx: Context, document_id: str, text_of: Callable[[StoredDocument], str]) -> EditedText | None:
    """Returns the text that `text_of` makes of a document, before anything is locked; None where that is refused.

    None, too, after another write came first: the text is then made while the document is locked.
    """
    document = None if ctx.tries else ctx.store[Documents].get(ctx.project_id, document_id)
    if document is None:
        return None
    try:
        markdown = text_of(document)
    except Refusal:
        return None  # the write refuses, in the order of refusals
    with processing(ctx, markdown):
        return EditedText(document.get("contentId"), markdown, word_count(markdown))


def edited_text(ctx: Context, document: StoredDocument, text_of: Callable[[StoredDocument], str]) -> EditedText:
    """Returns the text that was prepared, or makes it now. Raises `WriteConflict` where it is of another content."""
    prepared: EditedText | None = ctx.prepared
    base_id = document.get("contentId")
    if prepared is None or ctx.store.lost_to_others:
        return EditedText(base_id, text_of(document), None)
    if prepared.base_id != base_id:
        raise WriteConflict
    return prepared


def write_text(
    ctx: Context, document_id: str, fields: Fields, text_of: Callable[[StoredDocument], EditedText]
) -> Result[DocumentSummary]:
    """Writes the content that `text_of` makes of a document, as a content write with these fields."""
    document, call, markdown = document_to_write(ctx, document_id), call_under_claim(ctx, fields), ""

    def write(present: StoredDocument) -> Decision:
        nonlocal markdown
        refuse_content_write(present, call, *base_versions(ctx, present, fields))
        text = text_of(present)
        markdown = text.markdown
        return new_content(ctx, present, markdown, fields, words=text.words)

    written = write_decision(ctx, document, write, fields=fields)
    return document_result(ctx, written, markdown)


def document_to_write(ctx: Context, document_id: str) -> StoredDocument:
    """Returns a document whose content is about to be written; refuses with `NotFound`.

    A write of a long text takes long enough for others to win again and again: when it lost, it locks the document.
    """
    if ctx.tries or ctx.store.lost_to_others:
        ctx.store[Documents].lock(ctx.project_id, document_id)
    return own_document(ctx, document_id)


def new_content(
    ctx: Context,
    document: StoredDocument,
    markdown: str,
    fields: Fields,
    *,
    words: int | None = None,
) -> Decision:
    """Decides that a document gets another content, which is stored; nothing where it has the same.

    `fields` are those of the request; `words` is the number of its words, if they were counted already.
    """
    if words is None:
        with processing(ctx, markdown):
            words = word_count(markdown)
    if words == document["wordCount"] and markdown == markdown_of(ctx, document.get("contentId")):
        return Decision(document)
    body_id = new_id() if markdown else None
    decision = rules.write_content(document, ctx.call, body_id, words, ctx.features.added("details", fields))
    if body_id is not None:
        ctx.store[Bodies].add(ctx.project_id, document["id"], markdown, body_id)
    return decision


def base_versions(ctx: Context, document: StoredDocument, fields: Fields) -> tuple[int | None, int | None]:
    """Returns the versions that a content write says it was made from: `baseVersion`, and that of `If-Match`.

    `If-Match` compares only the version here, so it means the same as `baseVersion`; with `*` any version will do.
    """
    matched = None if ctx.if_match is None else _matched_version(ctx.if_match, document["version"])
    return fields.get("baseVersion"), matched


def _demand_base(ctx: Context, fields: Fields) -> None:
    """Refuses with `HttpApiDecodeError` a content write that does not say which version it was made from."""
    if "baseVersion" not in fields and ctx.if_match is None and not ctx.any_state:
        raise HttpApiDecodeError(issues=[Issue(path="baseVersion", message=BASE_REQUIRED)])


def _matched_version(tags: Iterable[str], version: int) -> int:
    """Returns the version that the entity tags name: the present one if any of them does, else the lowest, or 0."""
    versions = versions_in(tags)
    return version if version in versions else min(versions, default=0)


def _body_of(ctx: Context, revision: StoredRevision, document: StoredDocument) -> str | None:
    """Returns the body that restoring a version gives the document: its own where that has the same text."""
    present: str | None = document.get("contentId")
    earlier: str | None = revision["bodyId"]
    same_words = revision["wordCount"] == document["wordCount"]
    if earlier == present or (same_words and markdown_of(ctx, earlier) == markdown_of(ctx, present)):
        return present
    return earlier


def markdown_of(ctx: Context, body_id: str | None) -> str:
    """Returns the text of a body; none is empty."""
    return ctx.store[Bodies].get_texts(ctx.project_id, [body_id])[body_id] if body_id else ""


def content_id_of(ctx: Context, document: StoredDocument, version: int) -> str | None:
    """Returns the id of the content of a version. Refuses with `NotFound` when there is none with this number."""
    if version == document["version"]:
        return document.get("contentId")
    return own_revision(ctx, document["id"], version)["bodyId"]


def own_revision(ctx: Context, document_id: str, version: int) -> StoredRevision:
    """Returns a version of a document. Refuses with `NotFound` when there is none with this number."""
    missing = (f"The document has no version {version}", "version", "list its revisions")
    return or_raise(ctx.store[Revisions].get(ctx.project_id, document_id, version), NotFound, *missing)
