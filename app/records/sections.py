"""The outline of a document and its sections as callers see them (decisions, section 12)."""

from typing import Any

from app.records.types import Record, integer, nested_list, string
from app.rules.sections import Section


class SectionSummary(Record):
    """A section without its text."""

    number = integer("the section's number; 0 is the text before the first heading", example=1)
    level = integer("the heading's level, 1 to 6; 0 for section 0", example=1)
    title = string("the heading as plain text", example="Dough")
    line = integer("the line that the section begins in, from 1", example=1)
    words = integer("words of the section", example=5)
    hash = string("names the section in an edit; changes with its text", example="5f2d1c3b4a596877")


class SectionRecord(SectionSummary):
    """A section."""

    markdown = string("the section's markdown, its heading included", example="# Dough\n\nFlour and water.\n")
    version = integer("the document's version", example=2)


class OutlineRecord(Record):
    """The sections of a document."""

    version = integer("the document's version", example=2)
    words = integer("words of the whole content", example=5)
    sections = nested_list(SectionSummary, "the sections in their order")


def section_summary(section: Section) -> dict[str, Any]:
    """Returns a section as callers see it, without its text."""
    return {
        "number": section.number,
        "level": section.level,
        "title": section.title,
        "line": section.line,
        "words": section.words,
        "hash": section.hash,
    }
