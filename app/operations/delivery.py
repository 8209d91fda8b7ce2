"""What a website reads: published documents and categories, and with the permission drafts.

A query is read as a whole: its selections are known beforehand, so the number of reads is the same for a hundred
documents as for one, and long texts are read only where they are selected. When they are too long together, all of them
are refused before one is read. (decisions, sections 7 and 15)
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import Refusal, ResponseTooLarge, ServiceUnavailable, WriteConflict
from app.operations.context import Context
from app.operations.delivered_documents import Extras, completed_document, read_extras
from app.operations.delivered_texts import ResponseDocument, TextReader, Texts, TooLong
from app.operations.delivery_caches import MAX_CATEGORIES, Counts, DeliveryCaches
from app.operations.delivery_queries import (
    CATEGORY_QUERIES,
    DOCUMENT_QUERIES,
    SINGLE_DOCUMENTS,
    Finder,
    Found,
    Rows,
)
from app.operations.selections import ONLY_LIST, DocumentSelection, Selected, Selection
from app.records.delivery import DeliveredPage
from app.rules.documents import DeliveryRow

Lists = Mapping[str, Sequence[ResponseDocument]]
"""The lists of documents of one field of `Query`, by their keys (`Selection.documents`)."""

READ_AGAIN = 3
"""How often a query is read whose texts were replaced before they could be read, or that names a missing index."""


@dataclass(frozen=True)
class QueryResult:
    """The result of a query: for each response key of `Query` its value or refusal, and the counts of categories."""

    results: Mapping[str, Any]
    counts: Counts


class DeliveryReader:
    """Reads what queries select."""

    def __init__(self) -> None:
        self.caches = DeliveryCaches()
        self._texts = TextReader()

    def read(
        self, ctx: Context, selected: Selected, revision: int, before_large: Callable[[int], object] = lambda _: None
    ) -> QueryResult:
        """Returns what each selection finds, or the refusal that it meets; calls `before_large` before large texts.

        Refusals: `HttpApiDecodeError` for a page out of range, `Forbidden` for drafts without the permission,
        `ResponseTooLarge` for every selection of long texts when these are too long together.
        """
        for _ in range(READ_AGAIN):
            try:
                with ctx.store.deadline():
                    result = self._try(ctx, selected, revision, before_large)
            except WriteConflict:  # the database lacks an index
                continue
            if result is not None:
                return result
        raise ServiceUnavailable("What the query selects is being published over and over: try again in a moment.")

    def _try(
        self, ctx: Context, selected: Selected, revision: int, before_large: Callable[[int], object]
    ) -> QueryResult | None:
        """Returns the result; None where a text was replaced since its record was read."""
        selections = selected.values()
        needs_categories = any(
            one.category or one.name in CATEGORY_QUERIES or one.arguments.get("categorySlug") is not None
            for one in selections
        )
        categories = self.caches.categories(ctx, revision) if needs_categories else {}
        if len(categories) > MAX_CATEGORIES:
            raise ResponseTooLarge(
                f"The project has over {MAX_CATEGORIES:,} categories, too many to read: delete some."
            )
        counts = self.caches.counts(ctx, revision) if any(one.document_count for one in selections) else {}
        finder = Finder(ctx, revision, categories, self.caches, self._texts, shows_previews(ctx, selected))
        found: dict[str, Found | Refusal] = {key: finder.find(selection) for key, selection in selected.items()}
        shown = _response_documents(ctx, selected, found)
        every = list(_all_documents(shown))
        texts: Texts | None = {}
        try:
            texts = self._texts.read(ctx, every, before_large)
        except TooLong:
            found |= {key: ResponseTooLarge() for key, selection in selected.items() if selection.has_texts}
        if texts is None:
            return None
        extras = read_extras(ctx, every, categories, texts, self._texts)
        results = {key: _presented(selected[key], one, shown.get(key, {}), extras) for key, one in found.items()}
        return QueryResult(results, counts)


def shows_previews(ctx: Context, selected: Selected) -> bool:
    """Returns whether a response has previews: they are selected, and the caller may see drafts."""
    return ctx.caller.drafts and any(one.has_preview for one in selected.values())


def shows_drafts(ctx: Context, selected: Selected) -> bool:
    """Returns whether a response may have unpublished documents, so that no cache may store it."""
    return shows_previews(ctx, selected) or (
        ctx.caller.drafts
        and any(one.name in SINGLE_DOCUMENTS or one.arguments.get("includeDrafts") for one in selected.values())
    )


def _response_documents(ctx: Context, selected: Selected, found: Mapping[str, Found | Refusal]) -> Mapping[str, Lists]:
    """Returns the lists of documents found, by the response key of their field of `Query`.

    Each document comes with those related to it, which take one read for all.
    """
    rows_by_key = {key: one.rows for key, one in found.items() if isinstance(one, Found)}
    most = max((one.most_related for key in rows_by_key for one in selected[key].documents.values()), default=0)
    clusters: set[str] = set()
    for key, rows in rows_by_key.items():
        if any(one.related for one in selected[key].documents.values()):
            clusters.update(cluster_id for row in rows if (cluster_id := row.get("clusterId")))
    related: dict[str, Rows] = {}
    if clusters:
        related = ctx.store.delivery.newest_of_clusters(
            ctx.project_id, clusters, limit=most + 1, previews=shows_previews(ctx, selected)
        )
    return {
        key: {
            list_key: [_response_document(selection, row, related) for row in rows]
            for list_key, selection in selected[key].documents.items()
        }
        for key, rows in rows_by_key.items()
    }


def _all_documents(shown: Mapping[str, Lists]) -> Iterator[ResponseDocument]:
    """Yields every document of a response, those related to others too."""
    for lists in shown.values():
        for documents in lists.values():
            for document in documents:
                yield from document.all()


def _response_document(selection: DocumentSelection, row: DeliveryRow, related: Mapping[str, Rows]) -> ResponseDocument:
    others = [one for one in related.get(row.get("clusterId") or "", ()) if one["id"] != row["id"]]
    related_documents = {
        key: [_response_document(one.each, other, related) for other in others[: one.limit]]
        for key, one in selection.related.items()
    }
    return ResponseDocument(selection, row, related_documents)


def _presented(selection: Selection, found: Found | Refusal, lists: Lists, extras: Extras) -> Any:
    """Returns what a selection gives: a list, a page, one record or None, or its refusal."""
    if isinstance(found, Refusal):
        return found
    if selection.name not in DOCUMENT_QUERIES:
        return found.value
    documents = {key: [completed_document(one, extras) for one in some] for key, some in lists.items()}
    if selection.name == "documentsPage":
        return DeliveredPage(documents, found.total, found.has_next)
    if selection.name in SINGLE_DOCUMENTS:
        return next(iter(documents[ONLY_LIST]), None)
    return documents[ONLY_LIST]
