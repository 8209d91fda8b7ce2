"""A document's content by parts, so that it never floods an agent's context, and by sections.

By sections two writers can change different parts of it (decisions, sections 8 and 12).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import orjson

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
from app.core.schemas.fields import Schema
from app.core.schemas.loading import Fields
from app.core.schemas.queries import MOST_BYTES, PartQuery, in_part
from app.core.vocabulary import Scope
from app.documents.content import EditedText, edited_text, markdown_of, prepare_edit, write_text
from app.documents.edits import can_write_content
from app.documents.operations import document_change, own_document
from app.documents.record import StoredDocument
from app.documents.schemas import MAX_MARKDOWN
from app.projects.gates import Attempt
from app.sections.responses import (
    EditedDocument,
    EditedSummary,
    Outline,
    SectionList,
    WithOutline,
    section_record,
    section_summary,
)
from app.sections.responses import Section as SectionResponse
from app.sections.rules import Edit, Section, apply_edits, partition, removed_headings
from app.sections.schemas import ContentEdits, OutlineQuery, SectionNumbers


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/outline",
    query=OutlineQuery,
    rest_query=Schema,
    toolsets=("writing",),
    next="Next: `read_section`, `edit_content`.",
)
def get_outline(ctx: Context, document_id: str, fields: Fields) -> Result[Outline]:
    """Read a document's outline: its sections without their text.

    Section 0 stands before the first heading.
    """
    document = own_document(ctx, document_id)
    sections = sections_of(ctx, markdown_of(ctx, document.get("contentId")))
    if "limit" in fields:
        sections = sections[: fields["offset"] + fields["limit"]]
    body: Any = in_part(_outline(document, sections), "sections", fields)
    return Result(body)


@operation(Scope.READ, Effect.READS, query=SectionNumbers)
def read_sections(ctx: Context, document_id: str, fields: Fields) -> Result[SectionList]:
    """Read several sections of a document."""
    document, found = _sections(ctx, document_id, fields["numbers"])
    sections, left = list[Any](), MOST_BYTES
    for one in found:
        section = in_part(section_record(one, document["version"]), "markdown", {"offset": 0}, max(left, 0))
        if not section["markdown"]:  # of which nothing fits
            break
        left -= len(orjson.dumps(section["markdown"]))
        sections.append(section)
    more = [one.number for one in found[len(sections) :]]
    body: Any = {"version": document["version"], "sections": sections, **({"more": more} if more else {})}
    return Result(body)


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/sections/<number>",
    query=PartQuery,
    rest_query=Schema,
    toolsets=("writing",),
    batch=read_sections,
)
def read_section(ctx: Context, document_id: str, number: str, fields: Fields) -> Result[SectionResponse]:
    """Read one section of a document."""
    document, [section] = _sections(ctx, document_id, [int(number)])
    body: Any = in_part(section_record(section, document["version"]), "markdown", fields)
    return Result(body)


def _sections(ctx: Context, document_id: str, numbers: Sequence[int]) -> tuple[StoredDocument, list[Section]]:
    """Returns a document and some of its sections. Refuses with `NotFound`."""
    document = own_document(ctx, document_id)
    found = {one.number: one for one in sections_of(ctx, markdown_of(ctx, document.get("contentId")))}
    if missing := [number for number in numbers if number not in found]:
        raise NotFound(f"The document has no section {missing[0]}", "number", "read its outline")
    return document, [found[number] for number in numbers]


def _prepare(ctx: Context, document_id: str, fields: Fields) -> tuple[EditedText | None, list[str]]:
    """Returns the edited text, and the list of the titles of the headings that the edits drop."""
    removed: list[str] = []
    edit = partial(_edited, ctx, sent=fields["edits"], removed=removed)
    return prepare_edit(ctx, document_id, edit), removed


@document_change(
    Scope.WRITE,
    "PATCH /documents/<id>/content",
    body=ContentEdits,
    with_texts=EditedDocument,
    errors=(BriefClaimed, VersionConflict, InvalidTransition, BadRequest),
    transaction=True,
    prepare=_prepare,
    rule=can_write_content,
    toolsets=("writing",),
    next="After `VersionConflict`: `get_outline`. Next: `check_document`.",
)
def edit_content(ctx: Context, document_id: str, fields: Fields) -> Result[EditedSummary]:
    """Edit sections of a document's content as a new version.

    Each edit names a section by its `hash`.
    """
    text, removed = ctx.prepared
    edit = partial(_edited, ctx, sent=fields["edits"], removed=removed)
    own = replace(ctx, prepared=text)
    result: Result[Any] = write_text(ctx, document_id, fields, partial(edited_text, own, text_of=edit))
    return replace(result, body={**result.body, "headingsRemoved": removed})


def _edited(ctx: Context, document: StoredDocument, sent: Sequence[Fields], removed: list[str]) -> str:
    """Returns a document's content after edits, and fills `removed` with the titles of the headings that they drop.

    Refuses edits of sections that the content does not have, that exclude each other, or that make it too long.
    """
    markdown = markdown_of(ctx, document.get("contentId"))
    edits = [Edit(one["hash"], one["markdown"], one.get("number"), one.get("insertAfter", False)) for one in sent]
    with processing(ctx, markdown):
        edited = apply_edits(markdown, edits, document["version"])
        if len(edited) <= MAX_MARKDOWN:
            removed[:] = removed_headings(markdown, edited, edits)
            return edited
    message = f"The content would have {len(edited):,} characters; {MAX_MARKDOWN:,} is the most."
    raise HttpApiDecodeError(issues=[Issue(path="edits", message=message)])


def sections_of(ctx: Context, markdown: str) -> list[Section]:
    """Returns the sections of a document's markdown."""
    with processing(ctx, markdown):
        return partition(markdown)


def outline_of_packet(ctx: Context, packet: Mapping[str, Any], fields: Fields) -> WithOutline:
    """Returns the outline of a packet's document."""
    attempt: Attempt = packet["attempt"]
    with processing(ctx, attempt.markdown):
        headings = ctx.content.of(attempt.markdown).headings  # which the checks of the packet parse, too
        return {"outline": _outline(attempt.record, partition(attempt.markdown, headings))}


def _outline(document: StoredDocument, shown: Iterable[Section]) -> Outline:
    return {
        "version": document["version"],
        "words": document["wordCount"],
        "sections": [section_summary(section) for section in shown],
    }
