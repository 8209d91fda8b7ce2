"""What a website reads: published documents and categories, and with the permission drafts.

A query is read as a whole: it says beforehand what it selects, so that the reads are as few for a hundred documents as
for one, long texts are read only where they are selected, and all of them are refused together, before one is read,
where they would be too long. (decisions, sections 7 and 15)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from app.errors import Forbidden, Refusal, ResponseTooLarge, ServiceUnavailable, WriteConflict
from app.fields.loading import load
from app.fields.queries import MAX_OFFSET, DeliveryPage
from app.operations.context import Context
from app.operations.delivered_texts import Node, Text, TextReader, Texts, TooLong, content_to_excerpt, preview_html
from app.operations.revision_cache import RevisionCache
from app.operations.selections import DocumentSelection, PreviewSelection, Selected, Selection
from app.operations.single_flight import SingleFlight
from app.records.delivery import (
    Categories,
    DeliveredAuthor,
    DeliveredCategory,
    DeliveredDocument,
    DeliveredPage,
    DeliveredPreview,
    DeliveredRedirect,
    delivered_categories,
    delivered_document,
    delivered_preview,
)
from app.rules.documents import PublishedDocument, Snapshot, StoredDocument
from app.rules.publishing import delivered_words
from app.rules.redirects import redirects
from app.rules.text import search_words
from app.store.store import Store

READ_AGAIN = 3
"""How often a query is read whose texts were replaced before they could be read, or that names a missing index."""

CATEGORY_CACHE_BYTES = 64 * 1024 * 1024
MAX_CATEGORIES = 5_000
"""The most categories of a project that are read. A project may have 2,000; it could have more before that cap."""

REDIRECT_CACHE_BYTES = 64 * 1024 * 1024
MAX_REDIRECTS = MAX_OFFSET + 100
"""How many redirects can be reached by pages."""
SLUGS_LOOKED_UP = 1_000
"""How many past slugs are looked up at once among those that documents are delivered under."""

COUNTS_CACHE_BYTES = 8 * 1024 * 1024

DRAFTS_SEARCHED = 500
"""How many documents that are not published a search looks at, the newest ones: their words are not stored."""

WORDS_ADDED_AT_ONCE = 200
"""How many documents of an earlier version are completed at once."""

BATCH = 1_000
"""How many documents a feed reads at once."""

V = TypeVar("V")
Rows = list[StoredDocument]
Counts = Mapping[str | None, int]
"""How many documents are published, by the id of their category."""
Redirects = Sequence[DeliveredRedirect]


@dataclass(frozen=True)
class Site:
    """What feeds say of a project as a whole, and the versions that they change with."""

    name: str
    url: str
    category_url: str
    rev: int
    revision: int
    created_at: datetime


@dataclass(frozen=True)
class Answer:
    """What a query gives: by response key of each field of `Query` its result or refusal, and counts of categories."""

    results: Mapping[str, Any]
    counts: Counts


@dataclass
class Found:
    """What a field of `Query` finds, as it is stored."""

    rows: Rows = field(default_factory=list)
    total: int = 0
    has_next: bool = False
    value: Any = None
    """What is no list of documents: categories and redirects."""


Findings = dict[str, Found | Refusal]


class DeliveryReader:
    """Reads what queries select; caches by delivery revision what all queries of a project have in common."""

    def __init__(self) -> None:
        self._categories: RevisionCache[Categories] = RevisionCache(CATEGORY_CACHE_BYTES, size_of=_size_of_categories)
        self._counts: RevisionCache[Counts] = RevisionCache(COUNTS_CACHE_BYTES, size_of=lambda rows: 200 * len(rows))
        self._redirects: RevisionCache[Redirects] = RevisionCache(REDIRECT_CACHE_BYTES, size_of=_size_of_redirects)
        self._texts = TextReader()
        self._reads: SingleFlight[Any] = SingleFlight()

    def revision(self, ctx: Context) -> int:
        """Returns a number that changes whenever what the project delivers does: one small read."""

        def read() -> int:
            with ctx.store.deadline():
                return ctx.store.projects.delivery_revision(ctx.project_id)

        revision: int = self._reads.read(("revision", ctx.project_id), read)
        return revision

    def site(self, ctx: Context) -> Site:
        """Returns what feeds say of a project as a whole."""
        with ctx.store.deadline():
            revision = ctx.store.projects.delivery_revision(ctx.project_id)
            project = ctx.store.projects.settings(ctx.project_id)
        return Site(
            project["name"],
            project.get("siteUrl") or "",
            project.get("categoryUrl") or "",
            project["rev"],
            revision,
            project["createdAt"],
        )

    def last_published_at(self, ctx: Context) -> datetime | None:
        """Returns when something was last published, for the first time or again."""
        with ctx.store.deadline():
            latest = ctx.store.delivery.last_published(ctx.project_id)
        return latest and latest["updatedAt"]

    def every(self, ctx: Context, limit: int, *, bare: bool = False) -> Iterator[PublishedDocument]:
        """Yields published documents, the newest first, a batch a read, so that they are never all in memory."""
        last: PublishedDocument | None = None
        while limit > 0:
            with ctx.store.deadline():
                size = min(limit, BATCH)
                rows = ctx.store.delivery.following(ctx.project_id, last, limit=size, bare=bare)
            yield from rows
            if len(rows) < size:
                return
            last, limit = rows[-1], limit - size

    def categories(self, ctx: Context, revision: int) -> Categories:
        """Returns the project's categories by id, as they are at a delivery revision or later."""

        def read() -> Categories:
            return delivered_categories(ctx.store.delivery.categories(ctx.project_id, MAX_CATEGORIES + 1))

        return self._cached(self._categories, "categories", ctx, revision, read)

    def counts(self, ctx: Context, revision: int) -> Counts:
        """Returns how many documents are published in each category, at a delivery revision or later."""

        def read() -> Counts:
            return ctx.store.delivery.count_by_category(ctx.project_id)

        return self._cached(self._counts, "counts", ctx, revision, read)

    def published_categories(self, ctx: Context, revision: int) -> list[DeliveredCategory]:
        """Returns the categories that documents are published in, by name."""
        counts = self.counts(ctx, revision)
        return [category for category in self.categories(ctx, revision).values() if counts.get(category.id)]

    def redirects(self, ctx: Context, revision: int) -> Redirects:
        """Returns the redirects of the project, the latest first, at a delivery revision or later."""
        return self._cached(self._redirects, "redirects", ctx, revision, lambda: _redirects(ctx, None))

    def _cached(self, cache: RevisionCache[V], name: str, ctx: Context, revision: int, read: Callable[[], V]) -> V:
        """Returns a value of a revision from its cache; reads it once for all callers that wait for it."""
        if (known := cache.get(ctx.project_id, revision)) is not None:
            return known

        def read_and_cache() -> V:
            value = cache.get(ctx.project_id, revision)
            if value is None:
                with ctx.store.deadline():
                    value = read()
                cache.put(ctx.project_id, revision, value)
            return value

        value: V = self._reads.read((name, ctx.project_id), read_and_cache)
        return value

    def read(
        self, ctx: Context, selected: Selected, revision: int, before_large: Callable[[], object] = lambda: None
    ) -> Answer:
        """Returns what each selection finds, or the refusal that it meets; calls `before_large` before large texts.

        Refusals: `HttpApiDecodeError` for a page out of range, `Forbidden` for drafts without the permission,
        `ResponseTooLarge` for every selection of long texts when these are too long together.
        """
        for _ in range(READ_AGAIN):
            try:
                with ctx.store.deadline():
                    answer = self._try(ctx, selected, revision, before_large)
            except WriteConflict:  # the database lacks an index
                continue
            if answer is not None:
                return answer
        raise ServiceUnavailable("What the query selects is being published over and over: try again in a moment.")

    def _try(
        self, ctx: Context, selected: Selected, revision: int, before_large: Callable[[], object]
    ) -> Answer | None:
        """Returns the answer; None where a text was replaced since its record was read."""
        selections = selected.values()
        needs_categories = any(
            one.category or one.name in CATEGORY_QUERIES or one.arguments.get("categorySlug") is not None
            for one in selections
        )
        categories = self.categories(ctx, revision) if needs_categories else {}
        if len(categories) > MAX_CATEGORIES:
            raise ResponseTooLarge(
                f"The project has over {MAX_CATEGORIES:,} categories, too many to read: delete some."
            )
        counts = self.counts(ctx, revision) if any(one.document_count for one in selections) else {}
        query = _Query(ctx, revision, categories, self, shows_previews(ctx, selected))
        found: Findings = {key: query.find(selection) for key, selection in selected.items()}
        nodes = self._nodes(ctx, selected, found)
        every = [one for groups in nodes.values() for group in groups.values() for node in group for one in node.all()]
        texts: Texts | None = {}
        try:
            texts = self._texts.read(ctx, every, before_large)
        except TooLong:
            found |= {key: ResponseTooLarge() for key, selection in selected.items() if selection.has_texts}
        if texts is None:
            return None
        extras = _Extras(
            categories,
            texts,
            self._texts.excerpts(ctx, _contents_to_excerpt(ctx, every)),
            ctx.store.members.names(ctx.project_id, _authors(every)),
            ctx.store.revisions.word_counts(ctx.project_id, _uncounted(every)),
            shows_previews=ctx.caller.drafts,
        )
        results = {key: _presented(selected[key], one, nodes.get(key, {}), extras) for key, one in found.items()}
        return Answer(results, counts)

    def draft_excerpts(self, ctx: Context, rows: Rows) -> Mapping[str, str]:
        """Returns the excerpts made of documents that are not published, by the id of their content."""
        contents = map(content_to_excerpt, rows)
        return self._texts.excerpts(ctx, [one for one in contents if one is not None])

    def _nodes(
        self, ctx: Context, selected: Selected, found: Mapping[str, Found | Refusal]
    ) -> dict[str, dict[str, list[Node]]]:
        """Returns the documents found, each with those related to it; what is related takes one read for all."""
        lists = {key: one.rows for key, one in found.items() if isinstance(one, Found)}
        most = max((one.most_related for key in lists for one in selected[key].documents.values()), default=0)
        clusters: set[str] = set()
        for key, rows in lists.items():
            if any(one.related for one in selected[key].documents.values()):
                clusters.update(cluster_id for row in rows if (cluster_id := row.get("clusterId")))
        related: dict[str, Rows] = {}
        if clusters:
            current = shows_previews(ctx, selected)
            newest = ctx.store.delivery.newest_of_clusters
            related = newest(ctx.project_id, clusters, limit=most + 1, current=current)
        return {
            key: {
                group: [_node(selection, row, related) for row in rows]
                for group, selection in selected[key].documents.items()
            }
            for key, rows in lists.items()
        }


def _node(selection: DocumentSelection, row: StoredDocument, related: Mapping[str, Rows]) -> Node:
    others = [one for one in related.get(row.get("clusterId") or "", ()) if one["id"] != row["id"]]
    lists = {
        key: [_node(one.each, other, related) for other in others[: one.limit]]
        for key, one in selection.related.items()
    }
    return Node(selection, row, lists)


@dataclass(frozen=True)
class _Query:
    """Finds what the fields of `Query` select."""

    ctx: Context
    revision: int
    categories: Categories
    reader: DeliveryReader
    current: bool
    """Are the present fields of published documents needed, for previews?"""

    def find(self, selection: Selection) -> Found | Refusal:
        """Returns what a field of `Query` finds, or its refusal."""
        try:
            return FINDERS[selection.name](self, selection)
        except ServiceUnavailable:
            raise
        except Refusal as refusal:
            return refusal

    def document(self, selection: Selection) -> Found:
        """Finds a document by its id."""
        ctx, wanted = self.ctx, selection.arguments["id"]
        return _one(ctx.store.delivery.one(ctx.project_id, wanted, drafts=ctx.caller.drafts))

    def document_by_slug(self, selection: Selection) -> Found:
        """Finds a document by its slug."""
        ctx, slug = self.ctx, selection.arguments["slug"]
        return _one(ctx.store.delivery.one_by_slug(ctx.project_id, slug, drafts=ctx.caller.drafts))

    def documents(self, selection: Selection) -> Found:
        """Finds a page of documents: what is published, and after it, where drafts are asked for, what is not."""
        page = page_of(selection.arguments)
        drafts = bool(selection.arguments.get("includeDrafts"))
        if drafts and not self.ctx.caller.drafts:
            raise Forbidden("`includeDrafts` needs a delivery token that was made with the drafts permission.")
        words = search_words(page.get("search", ""))
        if page.get("search") and not words:
            return Found()
        category_id = selection.arguments.get("categoryId")
        if (slug := selection.arguments.get("categorySlug")) is not None:
            category = self._category_with(slug)
            if category is None:
                return Found()
            category_id = category.id
        return self._page(selection, _Filter(category_id and category_id.lower(), words, drafts), page)

    def _page(self, selection: Selection, wanted: _Filter, page: Mapping[str, Any]) -> Found:
        found = Found()
        limit, offset = page["limit"], page["offset"]
        if selection.documents or selection.has_next_page:
            rows = self._rows(wanted, limit=limit + selection.has_next_page, offset=offset)
            found.rows, found.has_next = rows[:limit], len(rows) > limit
        if selection.total_count:
            found.total = self._total(wanted)
        return found

    def _rows(self, wanted: _Filter, *, limit: int, offset: int) -> Rows:
        project_id, delivery = self.ctx.project_id, self.ctx.store.delivery
        category_id, words = wanted.category_id, wanted.words
        rows = delivery.published(project_id, category_id, words, limit=limit, offset=offset, current=self.current)
        if not wanted.drafts or len(rows) == limit:
            return rows
        skipped = 0 if rows else max(0, offset - delivery.count_published(project_id, category_id, words))
        more = limit - len(rows)
        if words:
            return rows + self._matching_drafts(wanted)[skipped : skipped + more]
        return rows + delivery.unpublished(project_id, category_id, limit=more, offset=skipped)

    def _total(self, wanted: _Filter) -> int:
        project_id, delivery = self.ctx.project_id, self.ctx.store.delivery
        if wanted.words:
            published = delivery.count_published(project_id, wanted.category_id, wanted.words)
            return published + (len(self._matching_drafts(wanted)) if wanted.drafts else 0)
        counts = self.reader.counts(self.ctx, self.revision)
        published = sum(counts.values()) if wanted.category_id is None else counts.get(wanted.category_id, 0)
        return published + (delivery.count_unpublished(project_id, wanted.category_id) if wanted.drafts else 0)

    def _matching_drafts(self, wanted: _Filter) -> Rows:
        """Returns documents that are not published and have all words, of the newest `DRAFTS_SEARCHED`."""
        ctx = self.ctx
        rows = ctx.store.delivery.unpublished(ctx.project_id, wanted.category_id, limit=DRAFTS_SEARCHED, offset=0)
        excerpts = self.reader.draft_excerpts(ctx, rows)
        shown = [{**row, "excerpt": row.get("excerpt") or excerpts.get(row.get("contentId") or "")} for row in rows]
        words = set(wanted.words)
        return [row for row, fields in zip(rows, shown, strict=True) if words <= set(delivered_words(fields))]

    def category(self, selection: Selection) -> Found:
        """Finds a category by its id."""
        return Found(value=self.categories.get(selection.arguments["id"].lower()))

    def category_by_slug(self, selection: Selection) -> Found:
        """Finds a category by its slug."""
        return Found(value=self._category_with(selection.arguments["slug"]))

    def all_categories(self, selection: Selection) -> Found:
        """Finds all categories."""
        return Found(value=list(self.categories.values()))

    def _category_with(self, slug: str) -> DeliveredCategory | None:
        return next((one for one in self.categories.values() if one.slug == slug), None)

    def redirects(self, selection: Selection) -> Found:
        """Finds a page of redirects."""
        page = page_of(selection.arguments)
        known = self.reader.redirects(self.ctx, self.revision)
        return Found(value=known[page["offset"] : page["offset"] + page["limit"]])

    def redirect(self, selection: Selection) -> Found:
        """Finds the redirect from a slug."""
        return Found(value=next(iter(_redirects(self.ctx, selection.arguments["from"])), None))


@dataclass(frozen=True)
class _Filter:
    """Which documents a page has."""

    category_id: str | None
    words: Sequence[str]
    drafts: bool


FINDERS: Mapping[str, Callable[[_Query, Selection], Found]] = {
    "category": _Query.category,
    "categoryBySlug": _Query.category_by_slug,
    "categories": _Query.all_categories,
    "document": _Query.document,
    "documentBySlug": _Query.document_by_slug,
    "documents": _Query.documents,
    "documentsInCategory": _Query.documents,
    "documentsPage": _Query.documents,
    "redirect": _Query.redirect,
    "redirects": _Query.redirects,
}
CATEGORY_QUERIES = ("category", "categoryBySlug", "categories")
SINGLE_DOCUMENTS = ("document", "documentBySlug")
DOCUMENT_QUERIES = (*SINGLE_DOCUMENTS, "documents", "documentsInCategory", "documentsPage")


def shows_previews(ctx: Context, selected: Selected) -> bool:
    """Returns whether an answer has previews: they are selected, and the caller may see drafts."""
    return ctx.caller.drafts and any(one.has_preview for one in selected.values())


def shows_drafts(ctx: Context, selected: Selected) -> bool:
    """Returns whether an answer may have what is not published, so that no cache may store it."""
    return shows_previews(ctx, selected) or (
        ctx.caller.drafts
        and any(one.name in SINGLE_DOCUMENTS or one.arguments.get("includeDrafts") for one in selected.values())
    )


def page_of(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns `limit`, `offset` and `search` of a list. Raises `HttpApiDecodeError` for those out of range."""
    return load(DeliveryPage, {name: value for name, value in arguments.items() if value is not None})


def add_delivered_words(store: Store, project_id: str) -> None:
    """Adds the words that searches look for to documents that were published before these were stored.

    Any number of processes may do this at once, while the service runs. (decisions, section 15)
    """
    while True:
        with store.deadline():
            rows = store.delivery.without_words(project_id, WORDS_ADDED_AT_ONCE)
            words = {row["id"]: (row["snapshot"]["htmlId"], delivered_words(row["snapshot"])) for row in rows}
            store.delivery.add_words(project_id, words)
        if len(rows) < WORDS_ADDED_AT_ONCE:
            return


def _size_of_categories(categories: Categories) -> int:
    return 500 + sum(500 + 2 * len(category.description or "") for category in categories.values())


def _size_of_redirects(known: Redirects) -> int:
    return 500 + sum(300 + 2 * len(one.from_) for one in known)


def _redirects(ctx: Context, slug: str | None) -> Redirects:
    """Returns the redirects from a slug, or all, the latest first."""
    delivery = ctx.store.delivery
    left = delivery.left_slugs(ctx.project_id, slug, MAX_REDIRECTS)
    slugs = list(dict.fromkeys(one["slug"] for one in left))
    parts = [slugs[start : start + SLUGS_LOOKED_UP] for start in range(0, len(slugs), SLUGS_LOOKED_UP)]
    taken = [one for part in parts for one in delivery.delivered_slugs(ctx.project_id, part)]
    return [DeliveredRedirect(from_, to) for from_, to in redirects(left, taken).items()]


def _one(row: StoredDocument | None) -> Found:
    return Found([] if row is None else [row])


def _contents_to_excerpt(ctx: Context, nodes: Iterable[Node]) -> set[str]:
    """Returns the ids of the contents that excerpts are made of: of drafts, and of previews."""
    wanted = set()
    for node in nodes:
        preview = node.selection.preview if ctx.caller.drafts else None
        if (node.selection.excerpt and not node.row.get("snapshot")) or (preview and preview.excerpt):
            wanted.add(content_to_excerpt(node.row))
    return {one for one in wanted if one is not None}


def _authors(nodes: Iterable[Node]) -> set[str]:
    return {author_id for node in nodes if node.selection.author and (author_id := node.row.get("authorId"))}


def _uncounted(nodes: Iterable[Node]) -> set[tuple[str, int]]:
    """Returns the delivered versions whose words are selected and that only their revision tells."""
    return {
        (node.row["id"], snapshot["version"])
        for node in nodes
        if node.selection.word_count
        and (snapshot := node.row.get("snapshot"))
        and _words_of(node.row, snapshot) is None
    }


def _words_of(row: StoredDocument, snapshot: Snapshot) -> int | None:
    """Returns how many words of a document are delivered; None where it was published before they were stored."""
    counted = snapshot.get("wordCount")
    return row["wordCount"] if counted is None and row.get("contentId") == snapshot["markdownId"] else counted


@dataclass(frozen=True)
class _Extras:
    """What documents are completed with, beside their records."""

    categories: Categories
    texts: Texts
    excerpts: Mapping[str, str]
    authors: Mapping[str, str]
    word_counts: Mapping[tuple[str, int], int]
    shows_previews: bool


def _presented(
    selection: Selection, found: Found | Refusal, nodes: Mapping[str, Sequence[Node]], extras: _Extras
) -> Any:
    """Returns what a selection gives: a list, a page, one record or None, or its refusal."""
    if isinstance(found, Refusal):
        return found
    if selection.name not in DOCUMENT_QUERIES:
        return found.value
    documents = {key: [_document(node, extras) for node in group] for key, group in nodes.items()}
    if selection.name == "documentsPage":
        return DeliveredPage(documents, found.total, found.has_next)
    if selection.name in SINGLE_DOCUMENTS:
        return next(iter(documents[""]), None)
    return documents[""]


def _document(node: Node, extras: _Extras) -> DeliveredDocument:
    selection, row = node.selection, node.row
    document = delivered_document(row, extras.categories)
    if snapshot := row.get("snapshot"):
        if selection.html:
            document.html = extras.texts[Text(snapshot["htmlId"])] or ""
        if selection.markdown:
            document.markdown = extras.texts[Text(snapshot["markdownId"])] or ""
    elif selection.excerpt and document.excerpt is None:
        document.excerpt = extras.excerpts.get(row.get("contentId") or "") or None
    if selection.author and (name := extras.authors.get(row.get("authorId") or "")) is not None:
        document.author = DeliveredAuthor(name)
    if selection.word_count:
        document.wordCount = _word_count(row, extras.word_counts)
    if selection.preview and extras.shows_previews:
        document.preview = _preview(selection.preview, row, extras)
    document.related = {key: [_document(one, extras) for one in group] for key, group in node.related.items()}
    return document


def _word_count(row: StoredDocument, of_versions: Mapping[tuple[str, int], int]) -> int:
    snapshot = row.get("snapshot")
    if snapshot is None:
        return 0
    words = _words_of(row, snapshot)
    return of_versions.get((row["id"], snapshot["version"]), 0) if words is None else words


def _preview(selection: PreviewSelection, row: StoredDocument, extras: _Extras) -> DeliveredPreview:
    preview, content_id = delivered_preview(row), row.get("contentId")
    if content_id:
        if selection.html:
            preview.html = extras.texts[preview_html(row, content_id)]
        if selection.markdown:
            preview.markdown = extras.texts[Text(content_id)] or ""
        if selection.excerpt and preview.excerpt is None:
            preview.excerpt = extras.excerpts.get(content_id) or None
    return preview
