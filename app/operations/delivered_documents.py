"""Completes the documents that a query found with what is selected of texts, excerpts, authors, words and previews."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.operations.context import Context
from app.operations.delivered_texts import (
    ResponseDocument,
    TextReader,
    TextRef,
    Texts,
    content_to_excerpt,
    preview_html,
)
from app.operations.selections import DocumentSelection
from app.records.delivery import (
    Categories,
    DeliveredAuthor,
    DeliveredDocument,
    DeliveredPreview,
    delivered_document,
    delivered_preview,
)
from app.rules.documents import DeliveryRow, Snapshot


@dataclass(frozen=True)
class Extras:
    """What documents are completed with, beside their records."""

    categories: Categories
    texts: Texts
    excerpts: Mapping[str, str]
    authors: Mapping[str, str]
    word_counts: Mapping[tuple[str, int], int]
    shows_previews: bool


def read_extras(
    ctx: Context, documents: Sequence[ResponseDocument], categories: Categories, texts: Texts, reader: TextReader
) -> Extras:
    """Reads what documents are completed with, at most one read for each kind."""
    return Extras(
        categories,
        texts,
        reader.excerpts(ctx, _contents_to_excerpt(ctx, documents)),
        ctx.store.members.names(ctx.project_id, _authors(documents)),
        ctx.store.revisions.word_counts(ctx.project_id, _uncounted(documents)),
        shows_previews=ctx.caller.drafts,
    )


def completed_document(document: ResponseDocument, extras: Extras) -> DeliveredDocument:
    """Returns a document with all that is selected of it, and of those related to it."""
    selection, row = document.selection, document.row
    delivered = delivered_document(row, extras.categories)
    if snapshot := row.get("snapshot"):
        if selection.html:
            delivered.html = extras.texts[TextRef(snapshot["htmlId"])] or ""
        if selection.markdown:
            delivered.markdown = extras.texts[TextRef(snapshot["markdownId"])] or ""
    elif selection.excerpt and delivered.excerpt is None:
        delivered.excerpt = extras.excerpts.get(row.get("contentId") or "") or None
    if selection.author and (name := extras.authors.get(row.get("authorId") or "")) is not None:
        delivered.author = DeliveredAuthor(name)
    if selection.word_count:
        delivered.wordCount = _word_count(row, extras.word_counts)
    if selection.preview and extras.shows_previews:
        delivered.preview = _preview(selection.preview, row, extras)
    delivered.related = {
        key: [completed_document(one, extras) for one in group] for key, group in document.related.items()
    }
    return delivered


def _word_count(row: DeliveryRow, of_versions: Mapping[tuple[str, int], int]) -> int:
    snapshot = row.get("snapshot")
    if snapshot is None:
        return 0
    words = _words_of(row, snapshot)
    return of_versions.get((row["id"], snapshot["version"]), 0) if words is None else words


def _preview(selection: DocumentSelection, row: DeliveryRow, extras: Extras) -> DeliveredPreview:
    preview, content_id = delivered_preview(row), row.get("contentId")
    if content_id:
        if selection.html:
            preview.html = extras.texts[preview_html(row, content_id)]
        if selection.markdown:
            preview.markdown = extras.texts[TextRef(content_id)] or ""
        if selection.excerpt and preview.excerpt is None:
            preview.excerpt = extras.excerpts.get(content_id) or None
    return preview


def _contents_to_excerpt(ctx: Context, documents: Iterable[ResponseDocument]) -> set[str]:
    """Returns the ids of the contents from which excerpts are generated: those of drafts and of previews."""
    wanted = set()
    for document in documents:
        preview = document.selection.preview if ctx.caller.drafts else None
        if (document.selection.excerpt and not document.row.get("snapshot")) or (preview and preview.excerpt):
            wanted.add(content_to_excerpt(document.row))
    return {one for one in wanted if one is not None}


def _authors(documents: Iterable[ResponseDocument]) -> set[str]:
    return {
        author_id for document in documents if document.selection.author and (author_id := document.row.get("authorId"))
    }


def _uncounted(documents: Iterable[ResponseDocument]) -> set[tuple[str, int]]:
    """Returns the delivered versions whose word count is selected and stored in their revision alone."""
    return {
        (document.row["id"], snapshot["version"])
        for document in documents
        if document.selection.word_count
        and (snapshot := document.row.get("snapshot"))
        and _words_of(document.row, snapshot) is None
    }


def _words_of(row: DeliveryRow, snapshot: Snapshot) -> int | None:
    """Returns how many words of a document are delivered; None where its publication did not store the count yet."""
    counted = snapshot.get("wordCount")
    return row["wordCount"] if counted is None and row.get("contentId") == snapshot["markdownId"] else counted
