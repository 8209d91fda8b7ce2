"""A document's content in parts, its outline and its sections, as callers see them (decisions, sections 8 and 12)."""

from typing import Annotated, cast

from typing_extensions import TypedDict

from app.core.documented import Id, doc
from app.sections.rules import Section as MarkdownSection


class SectionSummary(TypedDict):
    """A section without its text."""

    number: Annotated[int, doc("the section's number; 0 is the text before the first heading", 1)]
    level: Annotated[int, doc("the heading's level, 1 to 6; 0 for section 0", 1)]
    title: Annotated[str, doc("the heading as plain text", "Dough")]
    line: Annotated[int, doc("the line that the section begins in, from 1", 1)]
    words: Annotated[int, doc("words of the section", 4)]
    hash: Annotated[str, doc("names the section in an edit; changes with its text", "d3d1babb0b651222")]


class Section(SectionSummary):
    """A section."""

    markdown: Annotated[str, doc("the section's markdown, its heading included", "# Dough\n\nFlour and water.\n")]
    version: Annotated[int, doc("the document's version")]


class Outline(TypedDict):
    """The sections of a document."""

    version: Annotated[int, doc("the document's version")]
    words: Annotated[int, doc("words of the whole content", 4)]
    sections: Annotated[list[SectionSummary], doc("the sections in their order")]


class ContentPart(TypedDict):
    """A part of a version's markdown."""

    id: Annotated[Id, doc("the document's id")]
    version: Annotated[int, doc("the version that was read")]
    markdown: Annotated[str, doc("this part of the markdown")]
    offset: Annotated[int, doc("where this part begins, in characters")]
    length: Annotated[int, doc("how long the whole markdown is, in characters")]
    nextOffset: Annotated[int | None, doc("the `offset` of the next part; null when this was the last")]


def section_summary(section: MarkdownSection) -> SectionSummary:
    """Returns a section as callers see it, without its text."""
    return cast(SectionSummary, {name: getattr(section, name) for name in SectionSummary.__annotations__})


def content_part_record(document_id: str, version: int, markdown: str, *, offset: int, limit: int) -> ContentPart:
    """Returns the part of a markdown that begins at an offset."""
    part, end = markdown[offset : offset + limit], offset + limit
    return {
        "id": document_id,
        "version": version,
        "markdown": part,
        "offset": offset,
        "length": len(markdown),
        "nextOffset": end if end < len(markdown) else None,
    }
