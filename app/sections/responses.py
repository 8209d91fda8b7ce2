"""A document's content in parts, its outline and its sections, as callers see them (decisions, sections 8 and 12)."""

from typing import Annotated, NotRequired, cast

from typing_extensions import TypedDict

from app.core.documented import doc
from app.documents.responses import Document, DocumentSummary
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


class SectionList(TypedDict):
    """Several sections of a document."""

    version: Annotated[int, doc("the document's version")]
    sections: Annotated[list[Section], doc("the sections, in the order of the request")]
    more: NotRequired[Annotated[list[int], doc("the numbers of those that did not fit", [3])]]


class Edited(TypedDict):
    """The key that an edit adds to the document."""

    headingsRemoved: Annotated[list[str], doc("the titles of headings that the edits dropped", [])]


class EditedSummary(Edited, DocumentSummary):
    """An edited document without its long texts."""


class EditedDocument(Edited, Document):
    """An edited document."""


class Outline(TypedDict):
    """The sections of a document."""

    version: Annotated[int, doc("the document's version")]
    words: Annotated[int, doc("words of the whole content", 4)]
    sections: Annotated[list[SectionSummary], doc("the sections in their order")]


class WithOutline(TypedDict):
    """The part of a work packet."""

    outline: Annotated[Outline, doc("the content's sections")]


def section_summary(section: MarkdownSection) -> SectionSummary:
    """Returns a section as callers see it, without its text."""
    return cast(SectionSummary, {name: getattr(section, name) for name in SectionSummary.__annotations__})


def section_record(section: MarkdownSection, version: int) -> Section:
    """Returns a section of a version as callers see it."""
    return {**section_summary(section), "markdown": section.text, "version": version}
