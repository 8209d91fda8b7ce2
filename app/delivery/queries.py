"""Queries of a website: published documents and categories, and with the permission drafts.

A query has one `DeliveryQuery`, which its resolvers ask. What a list needs beside its records (authors, related
documents, previews, texts) is read for the whole list when the first record needs it, so the number of reads is the
same for a hundred documents as for one. (decisions, sections 7 and 15)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import chain
from typing import Any, Generic, TypeVar
from unicodedata import normalize

from app.core.context import Context
from app.core.errors import BadRequest, Forbidden, Problem
from app.core.schemas.validation import HEX_ID
from app.core.store.delivery_revisions import Revision
from app.core.text.words import query_words
from app.core.times import wire_time
from app.delivery.caches import (
    Authors,
    Counts,
    Redirects,
    authors_at,
    categories_at,
    counts_at,
    read_authors,
    read_redirects,
    redirects_at,
)
from app.delivery.places import ListPlace, read_place
from app.delivery.responses import (
    CategoryTree,
    DeliveredAuthor,
    DeliveredCategory,
    DeliveredImage,
)
from app.delivery.texts import Text, Texts
from app.documents.record import StoredDocument
from app.documents.store import Documents
from app.publications.rules import Publication, delivered_words
from app.publications.store import NO_WORDS, Publications, Words

DRAFTS_SEARCHED = 500
"""How many documents that are not published a search looks at, the newest ones: their words are not stored."""
MAX_RELATED = 10
NEWEST_CREATED = "-createdAt"

V = TypeVar("V")
ReadDrafts = Callable[[Context, Sequence[StoredDocument]], Mapping[str, Any]]
"""Reads something of documents that are not published, by the document's id."""


class Batch(Generic[V]):
    """Values by id: the first that is needed is read with those of all documents that the query has found by then."""

    def __init__(
        self, read: Callable[[set[str]], Mapping[str, V]], ids_of_all: Callable[[], Iterable[str | None]]
    ) -> None:
        self._read, self._ids_of_all = read, ids_of_all
        self._values: dict[str, V | None] = {}

    def get(self, one: str | None) -> V | None:
        """Returns the value of an id, None where there is none."""
        if one is None:
            return None
        if one not in self._values:
            ids = {one, *filter(None, self._ids_of_all())} - self._values.keys()
            self._values |= {**dict.fromkeys(ids), **self._read(ids)}
        return self._values[one]


class DeliveredRecord:
    """The common fields of a document and its preview. Related records are read when they are first selected."""

    def __init__(self, query: DeliveryQuery, row: Mapping[str, Any]) -> None:
        self._query, self.row = query, row
        self.id, self.title, self.slug = row["id"], row["title"], row["slug"]
        self.subtitle: str | None = row.get("subtitle") or None
        self.meta_title: str | None = row.get("metaTitle") or None
        self.meta_description: str | None = row.get("metaDescription") or None

    @property
    def cover_image(self) -> DeliveredImage | None:
        url = self.row.get("coverImageUrl")
        return self._query.covers.get(url) or DeliveredImage(url) if url else None

    @property
    def excerpt(self) -> str | None:
        """The document's excerpt; where it has none, that which is generated from its present content."""
        return self.row.get("excerpt") or self._query.excerpts.get(self.row.get("contentId")) or None

    @property
    def category(self) -> DeliveredCategory | None:
        return self._query.categories.get(self.row.get("categoryId") or "")


class DeliveredPreview(DeliveredRecord):
    """A document as it is now."""

    def __init__(self, query: DeliveryQuery, row: Mapping[str, Any]) -> None:
        super().__init__(query, row)
        self.updated_at, self.version = wire_time(row["updatedAt"]), row["version"]

    @property
    def html(self) -> Text | str:
        return self._query.texts.rendered(self.row) if self.row.get("contentId") else ""

    @property
    def markdown(self) -> Text | str:
        content_id = self.row.get("contentId")
        return self._query.texts.stored(content_id) if content_id else ""


class DeliveredDocument(DeliveredRecord):
    """A published document; for a caller with the drafts permission also an unpublished one with its current fields."""

    def __init__(self, query: DeliveryQuery, row: Mapping[str, Any], *, published: bool) -> None:
        super().__init__(query, row)
        self.is_published = published
        self.word_count: int = row["wordCount"] if published else 0
        self.published_at = wire_time(row["publishedAt"]) if published else None
        self.updated_at = wire_time(row["updatedAt"]) if published else None

    @property
    def author(self) -> DeliveredAuthor | None:
        return self._query.authors.get(self.row.get("authorId"))

    @property
    def cluster_id(self) -> str | None:
        return self.row.get("clusterId")

    @property
    def html(self) -> Text | str:
        row = self.row
        return self._query.texts.stored(row["htmlId"], row["htmlBytes"]) if self.is_published else ""

    @property
    def markdown(self) -> Text | str:
        row = self.row
        return self._query.texts.stored(row["markdownId"], row["markdownBytes"]) if self.is_published else ""

    @property
    def preview(self) -> DeliveredPreview | None:
        return self._query.preview(self)

    def related(self, limit: int) -> list[DeliveredDocument]:
        """Returns other published documents of the document's cluster, the newest first."""
        newest = self._query.clusters.get(self.row.get("clusterId")) or ()
        return [one for one in newest if one.id != self.id][:limit]


@dataclass(frozen=True)
class Wanted:
    """Which documents a list has: those with one of the ids in each field, and with the words."""

    ids: Mapping[str, Sequence[str]] = field(default_factory=dict)
    words: Words = NO_WORDS
    drafts: bool = False


@dataclass(frozen=True)
class DeliveryPage:
    """One page of a list; with a place, the one that follows it."""

    query: DeliveryQuery
    wanted: Wanted
    limit: int
    offset: int
    after: ListPlace | None = None

    @cached_property
    def _rows(self) -> list[DeliveredDocument]:
        """The documents of the page, and the one after it."""
        return self.query.documents(self.wanted, limit=self.limit + 1, offset=self.offset, after=self.after)

    @property
    def end_cursor(self) -> str | None:
        """The cursor after the last document of the page; None where there is none."""
        return self.query.cursor_after(self.documents[-1]) if self.documents else None

    @property
    def documents(self) -> list[DeliveredDocument]:
        return self._rows[: self.limit]

    @property
    def has_next_page(self) -> bool:
        return len(self._rows) > self.limit

    @cached_property
    def total_count(self) -> int:
        """How many documents there are on all pages together."""
        return self.query.count(self.wanted)


class DeliveryQuery:
    """The data of one GraphQL query: reads what its resolvers need, in batches, within its caller's deadline."""

    def __init__(self, ctx: Context, revision: Revision) -> None:
        self.ctx, self.revision = ctx, revision
        self._ctx, self._revision = ctx, revision.number
        self._store, self._project_id = ctx.store, ctx.project_id
        self.texts = Texts(ctx)
        self.shows_drafts = False
        """True if the response may show drafts, so that no cache may store it."""
        self._found: list[DeliveredDocument] = []
        """The documents that were found so far."""
        self._current: dict[str, StoredDocument] = {}
        """Those of them that were read as they are now, by id."""
        self.authors = Batch(partial(read_authors, ctx), lambda: (one.row.get("authorId") for one in self._found))
        """Who wrote documents, as they are named now."""
        self.clusters = Batch(self._newest_of_clusters, lambda: (one.row.get("clusterId") for one in self._found))
        """The newest published documents of clusters."""
        self.previews = Batch(self._read_previews, lambda: (one.id for one in self._found if one.is_published))
        self.covers: Batch[DeliveredImage] = Batch(lambda urls: ctx.features.covers(ctx, urls), self._urls_of_covers)
        """The cover images of which a feature knows more than the address, by that."""
        self._of_drafts: dict[tuple[ReadDrafts, bool], Batch[Any]] = {}
        self.excerpts = Batch(self.texts.excerpts, self._ids_of_contents_without_excerpt)
        """The excerpts that are generated from present contents, by the content's id."""

    # Categories, authors and redirects

    @cached_property
    def categories(self) -> CategoryTree:
        """The project's categories by id."""
        return categories_at(self._ctx, self._revision)

    @cached_property
    def counts(self) -> Counts:
        """How many documents are published, by the id of their category."""
        return counts_at(self._ctx, self._revision)

    def category_with(self, slug: str) -> DeliveredCategory | None:
        """Returns the category with a slug."""
        return next((one for one in self.categories.values() if one.slug == slug), None)

    def filed_under(self, slug: str, subcategories: bool) -> list[str]:
        """Returns the id of the category with a slug, and of those below it where they are wanted; none without it."""
        category = self.category_with(slug)
        if category is None:
            return []
        return [one.id for one in category.subtree()] if subcategories else [category.id]

    @cached_property
    def published_authors(self) -> Authors:
        """The authors of published documents by id, sorted by name."""
        return authors_at(self._ctx, self._revision)

    @property
    def redirects(self) -> Redirects:
        """The redirects of the project, the latest first."""
        return redirects_at(self._ctx, self._revision)

    def redirect(self, slug: str) -> Redirects:
        """Returns the redirect from a slug, if there is one."""
        return read_redirects(self._ctx, normalize("NFC", slug))

    # Documents

    def document(self, document_id: str) -> DeliveredDocument | None:
        """Returns a document by its id; an unpublished one only with the drafts permission."""
        found = self._store[Publications].get(self._project_id, document_id)
        return self._one(found, lambda: self._store[Documents].get(self._project_id, document_id))

    def document_with(self, slug: str) -> DeliveredDocument | None:
        """Returns a document by the slug that it is delivered under; an unpublished one by its current slug."""
        slug = normalize("NFC", slug)
        found = self._store[Publications].find_by_slug(self._project_id, slug)
        drafts = self._store[Documents].find_with_slugs
        return self._one(found, lambda: next(iter(drafts(self._project_id, [slug])), None))

    def wanted(self, *, search: str = "", drafts: bool = False, **ids: str | Sequence[str] | None) -> Wanted:
        """Returns which documents a list has: those with one of the `ids` in each field, any for None.

        Refuses with `Forbidden` where drafts need a permission.
        """
        if drafts:
            if not self._ctx.caller.drafts:
                raise Forbidden("`includeDrafts` needs a delivery token that was made with the drafts permission.")
            self.shows_drafts = True
        lists = {name: [one] if isinstance(one, str) else one for name, one in ids.items() if one is not None}
        valid = {name: [one.lower() for one in some if HEX_ID.fullmatch(one)] for name, some in lists.items()}
        whole, beginning = query_words(search)
        return Wanted(valid, (tuple(whole), beginning), drafts)

    def place(self, cursor: str) -> ListPlace:
        """Returns the place that a page's `endCursor` names; refuses with `BadRequest` what is none."""
        if (place := read_place(self._project_id, cursor)) is None:
            message = "Is no cursor of this project's pages: send the `endCursor` of the page before, or none."
            raise BadRequest(message, errors=[Problem(field="after", message=message)])
        return place

    def cursor_after(self, document: DeliveredDocument) -> str:
        """Returns the cursor of the place after a document in a list."""
        row = document.row
        at = row["publishedAt"] if document.is_published else row["createdAt"]
        return ListPlace(document.is_published, at, document.id).encode(self._project_id)

    def documents(
        self, wanted: Wanted, *, limit: int, offset: int, after: ListPlace | None = None
    ) -> list[DeliveredDocument]:
        """Returns part of a list: the published documents and, where they are wanted, after them the others."""
        if after is not None and not after.published:
            drafts = self._matching_drafts if wanted.words != NO_WORDS else self._newest_drafts
            return drafts(wanted, limit=limit, offset=0, after=after) if wanted.drafts else []
        publications = self._store[Publications]
        place = (after.at, after.id) if after else None
        found = self.published(
            publications.page(self._project_id, wanted.ids, wanted.words, limit=limit, offset=offset, after=place)
        )
        if after is not None:
            offset = 0
        if wanted.drafts and len(found) < limit:
            before = 0 if found or after else publications.count(self._project_id, wanted.ids, wanted.words)
            drafts = self._matching_drafts if wanted.words != NO_WORDS else self._newest_drafts
            found += drafts(wanted, limit=limit - len(found), offset=0 if found else max(0, offset - before))
        return found

    def count(self, wanted: Wanted) -> int:
        """Returns how many documents a list has."""
        if wanted.words != NO_WORDS or wanted.ids.keys() - {"categoryId"}:
            published = self._store[Publications].count(self._project_id, wanted.ids, wanted.words)
        else:
            published = sum(self.counts.get(one, 0) for one in wanted.ids.get("categoryId", self.counts))
        if not wanted.drafts:
            return published
        if wanted.words != NO_WORDS:
            return published + len(self._matching_drafts(wanted, limit=DRAFTS_SEARCHED, offset=0))
        return published + self._store[Documents].count(self._project_id, _draft_filters(wanted))

    # What belongs to a document

    def preview(self, document: DeliveredDocument) -> DeliveredPreview | None:
        """Returns a document as it is now; None without the permission."""
        if not self._ctx.caller.drafts:
            return None
        self.shows_drafts = True
        return self.previews.get(document.id) if document.is_published else DeliveredPreview(self, document.row)

    def of_drafts(self, read: ReadDrafts) -> Batch[Any]:
        """Returns what a feature reads of documents that are not published, of all that were found at once."""
        return self._of_current(read, lambda: (one.id for one in self._found if not one.is_published))

    def of_present(self, read: ReadDrafts) -> Batch[Any]:
        """Returns what a feature reads of all documents that were read as they are now, at once."""
        return self._of_current(read, lambda: [*self._current], all_of_them=True)

    def _of_current(
        self, read: ReadDrafts, ids: Callable[[], Iterable[str | None]], *, all_of_them: bool = False
    ) -> Batch[Any]:
        key = read, all_of_them
        if key not in self._of_drafts:
            self._of_drafts[key] = Batch(lambda wanted: read(self._ctx, [self._current[one] for one in wanted]), ids)
        return self._of_drafts[key]

    def _newest_drafts(
        self, wanted: Wanted, *, limit: int, offset: int, after: ListPlace | None = None
    ) -> list[DeliveredDocument]:
        filters = {**_draft_filters(wanted), **({"createdBefore": (after.at, after.id)} if after else {})}
        rows = self._store[Documents].list(self._project_id, filters, sort=NEWEST_CREATED, limit=limit, offset=offset)
        return self._unpublished(rows)

    def _matching_drafts(
        self, wanted: Wanted, *, limit: int, offset: int, after: ListPlace | None = None
    ) -> list[DeliveredDocument]:
        """Returns documents that are not published and have the words, of the newest `DRAFTS_SEARCHED`."""
        drafts = self._newest_drafts(wanted, limit=DRAFTS_SEARCHED, offset=0, after=after)
        whole, beginning = wanted.words

        def is_found(draft: DeliveredDocument) -> bool:
            words = delivered_words({**draft.row, "excerpt": draft.excerpt})
            return {*whole} <= {*words} and any(one.startswith(beginning or "") for one in words)

        found = [one for one in drafts if is_found(one)]
        return found[offset : offset + limit]

    def _one(
        self, found: Publication | None, read_draft: Callable[[], StoredDocument | None]
    ) -> DeliveredDocument | None:
        self.shows_drafts |= self._ctx.caller.drafts
        if found is not None:
            return self.published([found])[0]
        draft = read_draft() if self._ctx.caller.drafts else None
        return None if draft is None or draft["isPublished"] else self._unpublished([draft])[0]

    def published(self, rows: Iterable[Publication]) -> list[DeliveredDocument]:
        """Returns publications as documents of this query."""
        documents = [DeliveredDocument(self, row, published=True) for row in rows]
        self._found += documents
        return documents

    def _unpublished(self, rows: Iterable[StoredDocument]) -> list[DeliveredDocument]:
        self._current |= {row["id"]: row for row in rows}
        documents = [DeliveredDocument(self, row, published=False) for row in rows]
        self._found += documents
        return documents

    def _newest_of_clusters(self, ids: set[str]) -> Mapping[str, list[DeliveredDocument]]:
        newest = self._store[Publications].newest_of_clusters(self._project_id, ids, MAX_RELATED + 1)
        return {one: self.published(rows) for one, rows in newest.items()}

    def _read_previews(self, ids: set[str]) -> Mapping[str, DeliveredPreview]:
        rows = self._store[Documents].get_many(self._project_id, ids)
        self._current |= rows
        return {one: DeliveredPreview(self, row) for one, row in rows.items()}

    def _urls_of_covers(self) -> Iterable[str | None]:
        rows: Iterable[Mapping[str, Any]] = chain((one.row for one in self._found), self._current.values())
        return (row.get("coverImageUrl") for row in rows)

    def _ids_of_contents_without_excerpt(self) -> Iterable[str | None]:
        return (row.get("contentId") for row in self._current.values() if not row.get("excerpt"))


def _draft_filters(wanted: Wanted) -> Mapping[str, object]:
    return {"isPublished": False, **wanted.ids}
