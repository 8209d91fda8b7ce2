"""Sources of a document: added, changed, compared, deleted (decisions, section 22).

The rule of the same name decides; a source and the record of its document, which has the event, are written in one
transaction.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from app.core.concurrency import processing
from app.core.context import Context
from app.core.errors import (
    BadRequest,
    BriefClaimed,
    HumanReviewRequired,
    InvalidTransition,
    NotFound,
    Problem,
    or_raise,
)
from app.core.operation import Effect, Result, operation
from app.core.records import record_tag
from app.core.schemas.fields import Schema
from app.core.schemas.loading import Fields, check, problems
from app.core.store.collection import new_id
from app.core.vocabulary import Scope
from app.documents.content import markdown_of
from app.documents.operations import own_document, write_decision
from app.documents.record import Decision, StoredDocument, brief_of, refuse_if_guarded
from app.documents.store import Documents
from app.sources import rules
from app.sources.citations import Citations, cites_any
from app.sources.errors import SourceCited
from app.sources.responses import (
    AddedSources,
    ChangedSource,
    Source,
    changed_source,
    minimal_source,
    source_record,
    without_excerpt,
)
from app.sources.rules import StoredSource, record_sources
from app.sources.schemas import NewSource, SourceChanges, SourceFields, SourceList, SourcesQuery, VerifyFields
from app.sources.store import SourceRecords

_CHANGES = (BriefClaimed, InvalidTransition)

source_change = partial(operation, tag="sources", transaction=True, short=without_excerpt, minimal=minimal_source)
"""Declares an operation that changes a source."""


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/sources",
    query=SourcesQuery,
    rest_query=Schema,
    tag="sources",
    toolsets=("writing", "reviewing"),
    button="Sources",
)
def list_sources(ctx: Context, document_id: str, fields: Fields) -> Result[list[Source]]:
    """List a document's sources by number.

    `cited` says whether the present text cites it.
    """
    document = own_document(ctx, document_id)
    sources = sources_of(ctx, document)
    cited = cited_by(ctx, document.get("contentId")) if sources else {}
    return Result([source_record(one, cited) for one in sources][fields.get("offset", 0) :])


@source_change(
    Scope.WRITE,
    Effect.CREATES,
    body=SourceList,
    errors=(*_CHANGES, BadRequest),
    short=lambda body: {"sources": [*map(without_excerpt, body["sources"])]},
    minimal=lambda body: {"sources": [*map(minimal_source, body["sources"])]},
)
def add_sources(ctx: Context, document_id: str, fields: Fields) -> Result[AddedSources]:
    """Add several sources, all or none."""
    document = ctx.check_match(own_document(ctx, document_id))
    refuse_if_guarded(document, ctx.call)
    wrong = [
        Problem(field=f"sources[{number}].{one['field']}", message=one["message"])
        for number, sent in enumerate(fields["sources"])
        for one in problems(NewSource, sent)
    ]
    cited = cited_by(ctx, document.get("contentId"))
    added, version = _add(ctx, document, cited, fields["sources"], wrong)
    return Result({"sources": [changed_source(one, cited, version) for one in added]})


@source_change(
    Scope.WRITE,
    Effect.CREATES,
    "POST /documents/<id>/sources",
    body=SourceFields,
    errors=(*_CHANGES, BadRequest),
    rule=refuse_if_guarded,
    may_list=True,
    short=lambda body: [*map(without_excerpt, body)] if isinstance(body, list) else without_excerpt(body),
    minimal=lambda body: body if isinstance(body, list) else minimal_source(body),
    batch=add_sources,
    toolsets=("writing", "reviewing"),
    next="Then cite number 3 as `[^s3]`. Cited already, it makes a new version.",
    button="Add a source",
)
def add_source(ctx: Context, document_id: str, fields: Fields) -> Result[ChangedSource]:
    """Add a source, or several."""
    document = ctx.check_match(own_document(ctx, document_id))
    refuse_if_guarded(document, ctx.call)
    cited = cited_by(ctx, document.get("contentId"))
    if fields.get("fromBrief"):
        before = sources_of(ctx, document)
        urls = brief_of(document).get("referenceUrls") or ()
        new = rules.sources_from_brief(urls, before, rules.MOST_SOURCES - len(before))
        added, version = _add(ctx, document, cited, new) if new else ([], document["version"])
        return Result(cast(Any, [changed_source(one, cited, version) for one in (*before, *added)]))
    sent = {name: value for name, value in fields.items() if name != "fromBrief"}
    [source], version = _add(ctx, document, cited, [sent], problems(SourceFields, sent))
    return Result(changed_source(source, cited, version), etag=record_tag(source))


@source_change(
    Scope.WRITE,
    Effect.CHANGES,
    "PATCH /documents/<id>/sources/<source_id>",
    body=SourceChanges,
    errors=(*_CHANGES, BadRequest),
    toolsets=("writing", "reviewing"),
    arguments_as="add_source",
)
def update_source(ctx: Context, document_id: str, source_id: str, fields: Fields) -> Result[ChangedSource]:
    """Change a source; null clears.

    A new `url`, `title` or `excerpt` ends verification.
    """
    document, before = _own(ctx, document_id, source_id)
    after = rules.changed_source(before, ctx.call, fields)
    cited = cited_by(ctx, document.get("contentId"))
    is_cited = before["number"] in cited
    rules.refuse_change(document, ctx.call, is_cited=is_cited and after != before)
    check(SourceChanges, fields)
    return _change(ctx, document, before, after, cited, "source.updated", is_cited=is_cited)


@source_change(
    Scope.WRITE,
    Effect.CHANGES,
    "POST /documents/<id>/sources/<source_id>/verify",
    body=VerifyFields,
    errors=(HumanReviewRequired,),
    tool=False,
    button="I compared it",
)
def verify_source(ctx: Context, document_id: str, source_id: str, fields: Fields) -> Result[ChangedSource]:
    """Say that you compared a source's excerpt with the source, or take that back.

    For people alone, over REST and in the console. Send the source's `ETag` as `If-Match`, so that what you compared is
    what counts.
    """
    document, before = _own(ctx, document_id, source_id)
    after = rules.verified_source(before, ctx.call, fields["verified"])
    cited = cited_by(ctx, document.get("contentId"))
    return _change(ctx, document, before, after, cited, "source.verified", data={"verified": fields["verified"]})


@source_change(
    Scope.WRITE,
    Effect.DESTROYS,
    "DELETE /documents/<id>/sources/<source_id>",
    errors=(*_CHANGES, SourceCited),
    toolsets=("reviewing",),
)
def delete_source(ctx: Context, document_id: str, source_id: str) -> Result[ChangedSource]:
    """Delete a source that no present or published text cites."""
    document, source = _own(ctx, document_id, source_id)
    published = document.get("published")
    rules.refuse_deletion(
        document,
        ctx.call,
        is_cited=source["number"] in cited_by(ctx, document.get("contentId")),
        is_published=published is not None and source["number"] in cited_by(ctx, published["markdownId"]),
    )
    version = _write(ctx, document, record_sources(document, ctx.call, "source.deleted", [source]))
    ctx.store[SourceRecords].delete(ctx.project_id, source)
    return Result(changed_source(source, {}, version), etag=record_tag(source))


def sources_of(ctx: Context, document: StoredDocument) -> list[StoredSource]:
    """Returns a document's sources by number; reads nothing of one that never had any."""
    if not document.get("nextSource"):
        return []
    return ctx.store[SourceRecords].list(ctx.project_id, [document["id"]])


def cited_by(ctx: Context, content_id: str | None) -> Mapping[int, int]:
    """Returns the numbers of the sources that a content cites, each with its first line."""
    return cited_in(ctx, markdown_of(ctx, content_id))


def cited_in(ctx: Context, markdown: str) -> Mapping[int, int]:
    """Returns the numbers of the sources that a text cites, in its order, each with its first line."""
    return citations_of(ctx, markdown).lines if cites_any(markdown) else {}


def citations_of(ctx: Context, markdown: str) -> Citations:
    """Returns what a text cites."""
    with processing(ctx, markdown):
        return Citations(markdown, ctx.content.of)


def _add(
    ctx: Context,
    document: StoredDocument,
    cited: Mapping[int, int],
    sent: Sequence[Mapping[str, Any]],
    wrong: Sequence[Problem] = (),
) -> tuple[list[StoredSource], int]:
    """Adds sources to a document whose text cites some numbers; returns them, and the version that it has since then.

    `wrong` is what is wrong with what was sent.
    """
    new = rules.new_sources(document, ctx.call, sent, [new_id() for _ in sent])
    is_cited = any(one["number"] in cited for one in new)
    rules.refuse_change(document, ctx.call, is_cited=is_cited)
    if wrong:
        raise BadRequest(errors=[*wrong])
    rules.refuse_if_full(len(sources_of(ctx, document)), len(new))
    after = rules.next_number(document) + len(new)
    decision = record_sources(document, ctx.call, "source.added", new, is_cited=is_cited, nextSource=after)
    version = _write(ctx, document, decision)
    ctx.store[SourceRecords].add_many(ctx.project_id, new)
    return new, version


def _change(
    ctx: Context,
    document: StoredDocument,
    before: StoredSource,
    after: StoredSource,
    cited: Mapping[int, int],
    event: str,
    **recorded: Any,
) -> Result[ChangedSource]:
    """Writes a changed source with its event, and returns it; nothing where nothing differs."""
    version = document["version"]
    if after != before:
        version = _write(ctx, document, record_sources(document, ctx.call, event, [after], **recorded))
        after = ctx.store[SourceRecords].change(ctx.project_id, before, after)
    return Result(changed_source(after, cited, version), etag=record_tag(after))


def _write(ctx: Context, document: StoredDocument, decision: Decision) -> int:
    """Writes the events of sources to their document, as a version where the text cites them; returns its version."""
    if decision.document["version"] != document["version"]:
        write_decision(ctx, document, lambda present: decision)
    else:
        ctx.store[Documents].remark(ctx.project_id, document, decision)
    return decision.document["version"]


def _own(ctx: Context, document_id: str, source_id: str) -> tuple[StoredDocument, StoredSource]:
    """Returns a document and one of its sources. Refuses with `NotFound`, and where the caller holds another state."""
    document = own_document(ctx, document_id)
    found = ctx.store[SourceRecords].get(ctx.project_id, document["id"], source_id)
    source = or_raise(found, NotFound, "The document has no such source", "sourceId", "list its sources")
    ctx.check_match({"rev": source["rev"]})
    return document, source
