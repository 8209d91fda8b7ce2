"""A document's content by parts, so that it never floods an agent's context, and by sections.

By sections two writers can change different parts of it (decisions, sections 8 and 12).
"""

from dataclasses import dataclass

from app.errors import (
    BadRequest,
    BriefClaimed,
    HttpApiDecodeError,
    InvalidTransition,
    Issue,
    NotFound,
    Problem,
    VersionConflict,
    WriteConflict,
)
from app.operations.context import Context
from app.operations.documents import document_change, origin_of, own_document
from app.operations.guards import call_under_claim
from app.operations.long_texts import processing
from app.operations.operation import Effect, Result, operation
from app.operations.revisions import (
    base_versions,
    content_result,
    markdown_of,
    new_content,
    own_revision,
)
from app.responses.documents import DocumentSummary
from app.responses.sections import (
    ContentPart,
    Outline,
    content_part_record,
    section_summary,
)
from app.responses.sections import Section as SectionResponse
from app.rules.documents import Decision, StoredDocument
from app.rules.edits import can_write_content, refuse_content_write
from app.rules.sections import Edit, ReplacedTwice, Section, SectionsMissing, apply_edits, partition
from app.rules.text import word_count
from app.schemas.documents import ContentPartQuery
from app.schemas.intents import MAX_MARKDOWN
from app.schemas.loading import Fields
from app.schemas.sections import ContentEdits
from app.vocabulary import Scope


@dataclass(frozen=True)
class _Edited:
    """The content that edits make of one, or why they make none."""

    content_id: str | None
    markdown: str = ""
    words: int = 0
    problem: SectionsMissing | ReplacedTwice | None = None


def _edit_unlocked(ctx: Context, document_id: str, fields: Fields) -> _Edited | None:
    """Returns the edited content, made outside of the transaction; None on a retry, which locks the document first."""
    document = None if ctx.tries else ctx.store.documents.get(ctx.project_id, document_id)
    return None if document is None else _edit(ctx, document, fields)


def _edit(ctx: Context, document: StoredDocument, fields: Fields) -> _Edited:
    content_id = document.get("contentId")
    before = markdown_of(ctx, content_id)
    edits = [
        Edit(edit["hash"], edit["markdown"], edit.get("number"), edit.get("insertAfter", False))
        for edit in fields["edits"]
    ]
    try:
        with processing(ctx, before):
            markdown = apply_edits(before, edits)
    except (SectionsMissing, ReplacedTwice) as problem:
        return _Edited(content_id, problem=problem)
    return _Edited(content_id, markdown, word_count(markdown) if len(markdown) <= MAX_MARKDOWN else 0)


@operation(Scope.READ, Effect.READS, query=ContentPartQuery)
def read_document_content(ctx: Context, document_id: str, fields: Fields) -> Result[ContentPart]:
    """Read a document's markdown in parts.

    Without `version` it is the current content; the published content is that of `publishedVersion`.
    """
    document = own_document(ctx, document_id)
    version = fields.get("version", document["version"])
    is_current = version == document["version"]
    body_id = document.get("contentId") if is_current else own_revision(ctx, document["id"], version)["bodyId"]
    markdown = markdown_of(ctx, body_id)
    part = content_part_record(document["id"], version, markdown, offset=fields["offset"], limit=fields["limit"])
    return Result(part)


@operation(Scope.READ, Effect.READS)
def get_outline(ctx: Context, document_id: str) -> Result[Outline]:
    """Read a document's outline: its sections without their text.

    Each heading begins a section, up to the 10,000th; section 0 stands before the first.
    """
    document = own_document(ctx, document_id)
    sections = sections_of(ctx, markdown_of(ctx, document.get("contentId")))
    return Result(
        {
            "version": document["version"],
            "words": document["wordCount"],
            "sections": [section_summary(section) for section in sections],
        }
    )


@operation(Scope.READ, Effect.READS)
def read_section(ctx: Context, document_id: str, number: str) -> Result[SectionResponse]:
    """Read one section of a document."""
    document = own_document(ctx, document_id)
    for section in sections_of(ctx, markdown_of(ctx, document.get("contentId"))):
        if section.number == int(number):
            return Result({**section_summary(section), "markdown": section.text, "version": document["version"]})
    raise NotFound(f"The document has no section {number}: read its outline.")


@document_change(
    Scope.WRITE,
    body=ContentEdits,
    errors=(BriefClaimed, VersionConflict, InvalidTransition, BadRequest),
    transaction=True,
    prepare=_edit_unlocked,
    rule=can_write_content,
)
def edit_content(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Edit sections of a document's content, all or none, as one new version.

    Each edit names a section by its `hash`. `VersionConflict` lists the `hashes` that are gone.
    """
    if ctx.tries:
        ctx.store.documents.lock(ctx.project_id, document_id)
    document, call = own_document(ctx, document_id), call_under_claim(ctx, fields)
    edited: _Edited = ctx.prepared or _edit(ctx, document, fields)

    def edit(present: StoredDocument) -> Decision:
        refuse_content_write(present, call, *base_versions(ctx, present, fields))
        _refuse_wrong(present, edited)
        return new_content(ctx, present, edited.markdown, edited.words, fields.get("generation"))

    return content_result(ctx, document, edit, edited.markdown, origin_of(ctx, fields.get("generation")))


def _refuse_wrong(document: StoredDocument, edited: _Edited) -> None:
    """Refuses edits of sections that the content does not have, that exclude each other, or that make it too long."""
    if edited.content_id != document.get("contentId"):
        raise WriteConflict
    if isinstance(edited.problem, SectionsMissing):
        raise VersionConflict(
            "No section of the document has these hashes any more, or those that do have another `number`: read its "
            "outline and edit what it has.",
            version=document["version"],
            hashes=list(edited.problem.hashes),
        )
    if edited.problem is not None:
        message = "Replaces the same section as an earlier edit."
        raise BadRequest(errors=[Problem(field=f"edits[{edited.problem.index}].hash", message=message)])
    if len(edited.markdown) > MAX_MARKDOWN:
        message = f"The content would have {len(edited.markdown):,} characters; {MAX_MARKDOWN:,} is the most."
        raise HttpApiDecodeError(issues=[Issue(path="edits", message=message)])


def sections_of(ctx: Context, markdown: str) -> list[Section]:
    """Returns the sections of a document's markdown."""
    with processing(ctx, markdown):
        return partition(markdown)
