"""What a website reads: published documents and categories, and with the permission drafts.

A query has one `DeliveryQuery`, which its resolvers ask. What a list needs beside its records (authors, related
documents, previews, texts) is read for the whole list when the first record needs it, so the number of reads is the
same for a hundred documents as for one. (decisions, sections 7 and 15)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Concatenate, Generic, ParamSpec, TypeVar

from app.errors import Forbidden
from app.operations.context import Context
from app.operations.delivered_texts import TextCache, Texts
from app.operations.delivery_caches import Counts, DeliveryCaches, Redirects, read_redirects
from app.responses.delivery import (
    Categories,
    DeliveredCategory,
    DeliveredDocument,
    current_document,
    published_document,
    unpublished_document,
)
from app.rules.documents import StoredDocument
from app.rules.publishing import Publication, delivered_words
from app.rules.words import search_words

DRAFTS_SEARCHED = 500
"""How many documents that are not published a search looks at, the newest ones: their words are not stored."""
MAX_RELATED = 10
NEWEST_CREATED = "-createdAt"

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V")


class Batch(Generic[V]):
    """Values by id, read for all records that want one when the first of them gets it."""

    def __init__(self, read: Callable[[set[str]], Mapping[str, V]]) -> None:
        self._read = read
        self._wanted: set[str] = set()
        self._found: dict[str, V | None] = {}

    def want(self, ids: Iterable[str | None]) -> None:
        """Has ids read with the next one."""
        self._wanted.update(one for one in ids if one is not None and one not in self._found)

    def get(self, one: str) -> V | None:
        """Returns the value of an id, None where there is none."""
        if one not in self._found:
            wanted = self._wanted | {one}
            self._found |= {**dict.fromkeys(wanted), **self._read(wanted)}
            self._wanted.clear()
        return self._found[one]


@dataclass(frozen=True)
class Wanted:
    """Which documents a list has."""

    category_id: str | None = None
    words: Sequence[str] = ()
    drafts: bool = False
    nothing: bool = False
    """Whether the search has no word that a document could have."""


@dataclass(frozen=True)
class DeliveryPage:
    """One page of a list."""

    query: DeliveryQuery
    wanted: Wanted
    limit: int
    offset: int

    @cached_property
    def _rows(self) -> list[DeliveredDocument]:
        """The documents of the page, and the one after it."""
        return self.query.documents(self.wanted, limit=self.limit + 1, offset=self.offset)

    @property
    def documents(self) -> list[DeliveredDocument]:
        return self._rows[: self.limit]

    @property
    def has_next(self) -> bool:
        return len(self._rows) > self.limit

    @cached_property
    def total(self) -> int:
        """How many documents there are on all pages together."""
        return self.query.count(self.wanted)


class DeliveryQuery:
    """Reads for one query what its resolvers ask for."""

    def __init__(self, ctx: Context, revision: int, caches: DeliveryCaches, text_cache: TextCache) -> None:
        self._ctx, self._revision, self._caches = ctx, revision, caches
        self.texts = Texts(ctx, text_cache)
        self.shows_drafts = False
        """Whether the response may show drafts, so that no cache may store it."""
        self._authors = Batch(lambda ids: self._read(ctx.store.members.names, ids))
        self._current = Batch(self._read_current)
        self._excerpts = Batch(self.texts.excerpts)
        self._clusters = Batch(self._newest_of_clusters)

    # Categories and redirects

    @cached_property
    def categories(self) -> Categories:
        """The project's categories by id."""
        return self._caches.categories(self._ctx, self._revision)

    @cached_property
    def counts(self) -> Counts:
        """How many documents are published, by the id of their category."""
        return self._caches.counts(self._ctx, self._revision)

    def category_with(self, slug: str) -> DeliveredCategory | None:
        """Returns the category with a slug."""
        return next((one for one in self.categories.values() if one.slug == slug), None)

    @property
    def redirects(self) -> Redirects:
        """The redirects of the project, the latest first."""
        return self._caches.redirects(self._ctx, self._revision)

    def redirect(self, slug: str) -> Redirects:
        """Returns the redirect from a slug, if there is one."""
        with self._ctx.store.deadline():
            return read_redirects(self._ctx, slug)

    # Documents

    def document(self, document_id: str) -> DeliveredDocument | None:
        """Returns a document by its id; one that is not published with the permission alone."""
        found = self._read(self._ctx.store.publications.get, document_id)
        return self._one(found, lambda: self._read(self._ctx.store.documents.get, document_id))

    def document_with(self, slug: str) -> DeliveredDocument | None:
        """Returns a document by the slug that it is delivered under; one that is not published by its present slug."""
        found = self._read(self._ctx.store.publications.find_by_slug, slug)
        drafts = self._ctx.store.documents.find_with_slugs
        return self._one(found, lambda: next(iter(self._read(drafts, [slug])), None))

    def wanted(self, *, category_id: str | None = None, search: str = "", drafts: bool = False) -> Wanted:
        """Returns which documents a list has. Refuses with `Forbidden` where drafts need a permission."""
        if drafts:
            if not self._ctx.caller.drafts:
                raise Forbidden("`includeDrafts` needs a delivery token that was made with the drafts permission.")
            self.shows_drafts = True
        words = search_words(search)
        return Wanted(category_id and category_id.lower(), words, drafts, nothing=not words and bool(search.strip()))

    def documents(self, wanted: Wanted, *, limit: int, offset: int) -> list[DeliveredDocument]:
        """Returns part of a list: the published documents and, where they are wanted, after them the others."""
        if wanted.nothing:
            return []
        publications = self._ctx.store.publications
        rows = self._read(publications.page, wanted.category_id, wanted.words, limit=limit, offset=offset)
        found = self._published(rows)
        if wanted.drafts and len(found) < limit:
            before = 0 if found else self._read(publications.count, wanted.category_id, wanted.words)
            skipped = 0 if found else max(0, offset - before)
            found += self._drafts(wanted, limit=limit - len(found), offset=skipped)
        return found

    def count(self, wanted: Wanted) -> int:
        """Returns how many documents a list has."""
        if wanted.nothing:
            return 0
        if wanted.words:
            published = self._read(self._ctx.store.publications.count, wanted.category_id, wanted.words)
            return published + (len(self._matching_drafts(wanted)) if wanted.drafts else 0)
        all_counts = sum(self.counts.values())
        published = all_counts if wanted.category_id is None else self.counts.get(wanted.category_id, 0)
        if not wanted.drafts or (wanted.category_id is not None and wanted.category_id not in self.categories):
            return published
        return published + self._read(self._ctx.store.documents.count, _draft_filters(wanted), self._ctx.now)

    # What belongs to a document

    def author(self, document: DeliveredDocument) -> str | None:
        """Returns the name of a document's author."""
        author_id = document.get("authorId")
        return None if author_id is None else self._authors.get(author_id)

    def related(self, document: DeliveredDocument, limit: int) -> list[DeliveredDocument]:
        """Returns other published documents of a document's cluster, the newest first."""
        cluster_id = document.get("clusterId")
        newest = None if cluster_id is None else self._clusters.get(cluster_id)
        return [one for one in newest or () if one["id"] != document["id"]][:limit]

    def current(self, document: DeliveredDocument) -> DeliveredDocument | None:
        """Returns a document as it is now; None without the permission."""
        if not self._ctx.caller.drafts:
            return None
        self.shows_drafts = True
        return self._current.get(document["id"]) if document["isPublished"] else document["current"]

    def excerpt(self, document: DeliveredDocument) -> str | None:
        """Returns a document's excerpt; where it has none, that which is generated from its present content."""
        content_id = document.get("contentId")
        return document.get("excerpt") or (content_id and self._excerpts.get(content_id)) or None

    def _drafts(self, wanted: Wanted, *, limit: int, offset: int) -> list[DeliveredDocument]:
        if wanted.words:
            return self._matching_drafts(wanted)[offset : offset + limit]
        return self._newest_drafts(wanted, limit=limit, offset=offset)

    def _newest_drafts(self, wanted: Wanted, *, limit: int, offset: int) -> list[DeliveredDocument]:
        if wanted.category_id is not None and wanted.category_id not in self.categories:
            return []
        filters, documents = _draft_filters(wanted), self._ctx.store.documents
        rows = self._read(documents.list, filters, self._ctx.now, sort=NEWEST_CREATED, limit=limit, offset=offset)
        return self._noted(map(unpublished_document, rows))

    def _matching_drafts(self, wanted: Wanted) -> list[DeliveredDocument]:
        """Returns documents that are not published and have all words, of the newest `DRAFTS_SEARCHED`."""
        drafts, words = self._newest_drafts(wanted, limit=DRAFTS_SEARCHED, offset=0), set(wanted.words)
        return [one for one in drafts if words <= set(delivered_words({**one, "excerpt": self.excerpt(one)}))]

    def _one(
        self, found: Publication | None, read_draft: Callable[[], StoredDocument | None]
    ) -> DeliveredDocument | None:
        self.shows_drafts |= self._ctx.caller.drafts
        if found is not None:
            return self._published([found])[0]
        draft = read_draft() if self._ctx.caller.drafts else None
        return None if draft is None or draft["isPublished"] else self._noted([unpublished_document(draft)])[0]

    def _newest_of_clusters(self, ids: set[str]) -> Mapping[str, list[DeliveredDocument]]:
        found = self._read(self._ctx.store.publications.newest_of_clusters, ids, MAX_RELATED + 1)
        return {one: self._published(rows) for one, rows in found.items()}

    def _read_current(self, ids: set[str]) -> Mapping[str, DeliveredDocument]:
        rows = self._read(self._ctx.store.documents.get_many, ids)
        return {one["id"]: one for one in self._noted(map(current_document, rows.values()))}

    def _published(self, rows: Iterable[Publication]) -> list[DeliveredDocument]:
        found = self._noted(map(published_document, rows))
        self._current.want(one["id"] for one in found)
        return found

    def _noted(self, documents: Iterable[DeliveredDocument]) -> list[DeliveredDocument]:
        """Has what belongs to documents read together, and returns them."""
        noted = [*documents]
        self._authors.want(one.get("authorId") for one in noted)
        self._clusters.want(one.get("clusterId") for one in noted)
        self._excerpts.want(one.get("contentId") for one in noted if not one.get("excerpt"))
        return noted

    def _read(self, read: Callable[Concatenate[str, P], T], *args: P.args, **options: P.kwargs) -> T:
        with self._ctx.store.deadline():
            return read(self._ctx.project_id, *args, **options)


def _draft_filters(wanted: Wanted) -> Mapping[str, object]:
    return {"isPublished": False} | ({} if wanted.category_id is None else {"categoryId": [wanted.category_id]})
