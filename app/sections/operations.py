"""A document's content by parts, so that it never floods an agent's context, and by sections.

By sections two writers can change different parts of it (decisions, sections 8 and 12).
"""

from collections.abc import Sequence
from functools import partial

from app.core.concurrency import processing
from app.core.context import Context
from app.core.errors import (
    BadRequest,
    BriefClaimed,
    HttpApiDecodeError,
    InvalidTransition,
    Issue,
    NotFound,
    VersionConflict,
)
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields
from app.core.vocabulary import Scope
from app.documents.content import EditedText, edited_text, markdown_of, prepare_edit, write_text
from app.documents.edits import can_write_content
from app.documents.operations import document_change, own_document
from app.documents.record import StoredDocument
from app.documents.responses import DocumentSummary
from app.documents.schemas import MAX_MARKDOWN
from app.sections.responses import Outline, section_summary
from app.sections.responses import Section as SectionResponse
from app.sections.rules import Edit, Section, apply_edits, partition
from app.sections.schemas import ContentEdits


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/outline",
    toolsets=("writing",),
    next="Next: `read_section`, `edit_content`.",
)
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


@operation(Scope.READ, Effect.READS, "GET /documents/<id>/sections/<number>", toolsets=("writing",))
def read_section(ctx: Context, document_id: str, number: str) -> Result[SectionResponse]:
    """Read one section of a document."""
    document = own_document(ctx, document_id)
    for section in sections_of(ctx, markdown_of(ctx, document.get("contentId"))):
        if section.number == int(number):
            return Result({**section_summary(section), "markdown": section.text, "version": document["version"]})
    raise NotFound(f"The document has no section {number}: read its outline.")


def _prepare(ctx: Context, document_id: str, fields: Fields) -> EditedText | None:
    return prepare_edit(ctx, document_id, partial(_edited, ctx, sent=fields["edits"]))


@document_change(
    Scope.WRITE,
    "PATCH /documents/<id>/content",
    body=ContentEdits,
    errors=(BriefClaimed, VersionConflict, InvalidTransition, BadRequest),
    transaction=True,
    prepare=_prepare,
    rule=can_write_content,
    toolsets=("writing",),
    next="After `VersionConflict`: `get_outline`. Next: `check_document`, then `submit_document`.",
)
def edit_content(ctx: Context, document_id: str, fields: Fields) -> Result[DocumentSummary]:
    """Edit sections of a document's content, all or none, as one new version.

    Each edit names a section by its `hash`. `VersionConflict` lists the `hashes` that are gone.
    """
    edit = partial(_edited, ctx, sent=fields["edits"])
    return write_text(ctx, document_id, fields, partial(edited_text, ctx, text_of=edit))


def _edited(ctx: Context, document: StoredDocument, sent: Sequence[Fields]) -> str:
    """Returns a document's content after edits.

    Refuses edits of sections that the content does not have, that exclude each other, or that make it too long.
    """
    markdown = markdown_of(ctx, document.get("contentId"))
    edits = [Edit(one["hash"], one["markdown"], one.get("number"), one.get("insertAfter", False)) for one in sent]
    with processing(ctx, markdown):
        edited = apply_edits(markdown, edits, document["version"])
    if len(edited) > MAX_MARKDOWN:
        message = f"The content would have {len(edited):,} characters; {MAX_MARKDOWN:,} is the most."
        raise HttpApiDecodeError(issues=[Issue(path="edits", message=message)])
    return edited


def sections_of(ctx: Context, markdown: str) -> list[Section]:
    """Returns the sections of a document's markdown."""
    with processing(ctx, markdown):
        return partition(markdown)
