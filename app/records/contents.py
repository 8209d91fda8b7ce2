"""A part of a document's content, as agents read it (decisions, section 8)."""

from typing import Any

from app.records.types import Record, integer, record_id, string


class ContentPartRecord(Record):
    """A part of a version's markdown."""

    id = record_id("the document's id")
    version = integer("the version that was read")
    markdown = string("this part of the markdown")
    offset = integer("where this part begins, in characters")
    length = integer("how long the whole markdown is, in characters")
    nextOffset = integer("the `offset` of the next part; null when this was the last", null=True)


def content_part_record(document_id: str, version: int, markdown: str, *, offset: int, limit: int) -> dict[str, Any]:
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
