"""A document's content in parts, its outline and its sections, as callers see them (decisions, sections 8 and 12)."""

from typing import TypedDict

from app.records.types import Record, integer, nested_list, record_id, string
from app.rules.sections import Section


class SectionSummary(Record):
    """A section without its text."""

    number = integer("the section's number; 0 is the text before the first heading", example=1)
    level = integer("the heading's level, 1 to 6; 0 for section 0", example=1)
    title = string("the heading as plain text", example="Dough")
    line = integer("the line that the section begins in, from 1", example=1)
    words = integer("words of the section", example=4)
    hash = string("names the section in an edit; changes with its text", example="d3d1babb0b651222")


class SectionRecord(SectionSummary):
    """A section."""

    markdown = string("the section's markdown, its heading included", example="# Dough\n\nFlour and water.\n")
    version = integer("the document's version")


class OutlineRecord(Record):
    """The sections of a document."""

    version = integer("the document's version")
    words = integer("words of the whole content", example=4)
    sections = nested_list(SectionSummary, "the sections in their order")


class ShownSection(TypedDict):
    """A section as callers see it, without its text."""

    number: int
    level: int
    title: str
    line: int
    words: int
    hash: str


class ShownWholeSection(ShownSection):
    """A section as callers see it, with its text."""

    markdown: str
    version: int


class ShownOutline(TypedDict):
    """The sections of a document as callers see them."""

    version: int
    words: int
    sections: list[ShownSection]


def section_summary(section: Section) -> ShownSection:
    """Returns a section as callers see it, without its text."""
    return {
        "number": section.number,
        "level": section.level,
        "title": section.title,
        "line": section.line,
        "words": section.words,
        "hash": section.hash,
    }


class ContentPartRecord(Record):
    """A part of a version's markdown."""

    id = record_id("the document's id")
    version = integer("the version that was read")
    markdown = string("this part of the markdown")
    offset = integer("where this part begins, in characters")
    length = integer("how long the whole markdown is, in characters")
    nextOffset = integer("the `offset` of the next part; null when this was the last", null=True)


class ShownContentPart(TypedDict):
    """A part of a version's markdown as callers see it."""

    id: str
    version: int
    markdown: str
    offset: int
    length: int
    nextOffset: int | None


def content_part_record(document_id: str, version: int, markdown: str, *, offset: int, limit: int) -> ShownContentPart:
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
