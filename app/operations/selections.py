"""What a query of the delivery API selects, known before anything is read (decisions, sections 7 and 15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class DocumentSelection:
    """What is selected of each document of a list, or of its preview: then `html`, `markdown` and `excerpt` alone."""

    html: int = 0
    """How many times html is in the response for each document."""
    markdown: int = 0
    excerpt: bool = False
    author: bool = False
    word_count: bool = False
    preview: DocumentSelection | None = None
    related: Mapping[str, RelatedSelection] = field(default_factory=dict)
    """The lists of related documents by response key."""

    @property
    def has_texts(self) -> bool:
        """Whether html or markdown is selected, of these documents or of those related to them."""
        below = (self.preview, *(one.each for one in self.related.values()))
        return bool(self.html or self.markdown) or any(one.has_texts for one in below if one is not None)

    @property
    def has_preview(self) -> bool:
        """Whether a preview is selected, of these documents or of those related to them."""
        return self.preview is not None or any(one.each.has_preview for one in self.related.values())

    @property
    def most_related(self) -> int:
        """The largest limit of a list of related documents, at any depth."""
        return max((max(one.limit, one.each.most_related) for one in self.related.values()), default=0)


@dataclass(frozen=True)
class RelatedSelection:
    """One list of related documents: its limit, and what is selected of each."""

    limit: int
    each: DocumentSelection


ONLY_LIST = ""
"""The key of the documents of a field of `Query` that has one list of them, or one document."""


@dataclass(frozen=True)
class Selection:
    """One field of `Query`: its name, its arguments, and what is selected below it."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    documents: Mapping[str, DocumentSelection] = field(default_factory=dict)
    """What is selected of documents: by response key below `documentsPage`, else under `ONLY_LIST`."""
    category: bool = False
    """Whether a category is selected, at any depth."""
    document_count: bool = False
    """Whether the number of documents of a category is selected, at any depth."""
    total_count: bool = False
    has_next_page: bool = False

    @property
    def has_texts(self) -> bool:
        """Whether html or markdown is selected."""
        return any(one.has_texts for one in self.documents.values())

    @property
    def has_preview(self) -> bool:
        """Whether a preview is selected."""
        return any(one.has_preview for one in self.documents.values())


Selected = Mapping[str, Selection]
"""The fields of `Query` by response key."""
