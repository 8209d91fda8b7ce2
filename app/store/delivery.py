"""Documents as websites read them: the snapshot of each, without the rest of its record.

The condition of every query is one of two: published, or not published and outside the trash. Each has indexes of
its own, so neither can show a document of the other kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bson import ObjectId
from pymongo import UpdateOne

from app.rules.categories import StoredCategory
from app.rules.documents import PUBLISHED_FIELDS, PublishedDocument, Snapshot, StoredDocument
from app.rules.redirects import LeftSlug
from app.store.collection import Bson, Collection, object_id, object_ids
from app.store.indexes import (
    PAST_SLUGS,
    PUBLISHED_BY_TIME,
    PUBLISHED_BY_WORD,
    PUBLISHED_IN_CATEGORY,
    SLUGS,
    UNPUBLISHED_BY_CREATION,
    Index,
)

PUBLISHED: Bson = {"deletedAt": None, "isPublished": True}
UNPUBLISHED: Bson = {"deletedAt": None, "isPublished": False}

NEWEST_PUBLISHED = (("publishedAt", -1), ("_id", 1))
NEWEST_MADE = (("createdAt", -1), ("_id", 1))

BY_LAST_PUBLICATION = "projectId_snapshot.updatedAt-"

SNAPSHOT = dict.fromkeys(("snapshot", "authorId", "clusterId", "contentId", "wordCount"), 1)
CURRENT = SNAPSHOT | dict.fromkeys((*PUBLISHED_FIELDS, "version", "updatedAt"), 1)
CATEGORY = dict.fromkeys(("name", "slug", "description", "categoryId"), 1)
SITEMAP = {"snapshot.slug": 1, "snapshot.updatedAt": 1}


class Delivery(Collection[StoredDocument]):
    """The documents of a project, as a website sees them."""

    name = "documents"

    def published(
        self,
        project_id: str,
        category_id: str | None,
        words: Sequence[str] = (),
        *,
        limit: int,
        offset: int,
        current: bool = False,
    ) -> list[StoredDocument]:
        """Returns one page of published documents, the newest first; of one category, and with all of some words.

        `current` adds the fields of their present state.
        """
        condition, index = _published(category_id, words)
        fields = CURRENT if current else SNAPSHOT
        return self._page(project_id, condition, NEWEST_PUBLISHED, fields, limit, offset, index)

    def count_published(self, project_id: str, category_id: str | None, words: Sequence[str] = ()) -> int:
        """Returns how many documents are published; in one category, and with all of some words."""
        condition, index = _published(category_id, words)
        return self._count(project_id, condition, index)

    def unpublished(self, project_id: str, category_id: str | None, *, limit: int, offset: int) -> list[StoredDocument]:
        """Returns one page of documents that are not published, the newest first; of one category, or of all."""
        condition, index = _unpublished(category_id)
        return self._page(project_id, condition, NEWEST_MADE, CURRENT, limit, offset, index)

    def count_unpublished(self, project_id: str, category_id: str | None) -> int:
        """Returns how many documents are not published; in one category, or in all."""
        condition, index = _unpublished(category_id)
        return self._count(project_id, condition, index)

    def count_by_category(self, project_id: str) -> dict[str | None, int]:
        """Returns how many documents are published in each category, and under None in no category."""
        group = {"$group": {"_id": "$snapshot.categoryId", "count": {"$sum": 1}}}
        rows = self._aggregate(project_id, PUBLISHED, [group], PUBLISHED_IN_CATEGORY)
        return {row["_id"]: row["count"] for row in rows}

    def newest_of_clusters(
        self, project_id: str, cluster_ids: Iterable[str], *, limit: int, current: bool
    ) -> dict[str, list[StoredDocument]]:
        """Returns the newest published documents of each of the clusters, at most `limit` of one, in one read."""
        wanted = {"_id": {"$in": object_ids(cluster_ids)}}
        newest = [
            {"$match": self._where(project_id, PUBLISHED)},
            {"$sort": dict(NEWEST_PUBLISHED)},
            {"$limit": limit},
            {"$project": CURRENT if current else SNAPSHOT},
        ]
        join = {"from": self.name, "localField": "_id", "foreignField": "clusterId", "pipeline": newest}
        pipeline = [
            {"$match": self._where(project_id, wanted)},
            {"$project": {"_id": 1}},
            {"$lookup": {**join, "as": "documents"}},
        ]
        found = self._store.database["clusters"].aggregate(pipeline, session=self._session, hint="_id_")
        return {str(cluster["_id"]): [_row(row) for row in cluster["documents"]] for cluster in found}

    def left_slugs(self, project_id: str, slug: str | None, limit: int) -> list[LeftSlug]:
        """Returns the past slugs of published documents, the latest left first; those of one slug, or of all."""
        named = {"pastSlugs.slug": {"$exists": True} if slug is None else slug}
        stages: list[Bson] = [
            {"$project": {"pastSlugs": 1, "to": "$snapshot.slug"}},
            {"$unwind": "$pastSlugs"},
            *([] if slug is None else [{"$match": named}]),
            {"$sort": {"pastSlugs.at": -1, "pastSlugs.slug": 1, "_id": 1}},
            {"$limit": limit},
        ]
        rows = self._aggregate(project_id, PUBLISHED | named, stages, PAST_SLUGS)
        return [LeftSlug(slug=row["pastSlugs"]["slug"], to=row["to"]) for row in rows]

    def delivered_slugs(self, project_id: str, slugs: Sequence[str]) -> set[str]:
        """Returns those of the slugs that a document is delivered under."""
        where = self._where(project_id, PUBLISHED | {"slugs": {"$in": slugs}})
        found = self._collection.find(where, {"snapshot.slug": 1}, session=self._session, hint=SLUGS.name)
        return {row["snapshot"]["slug"] for row in found}.intersection(slugs)

    def without_words(self, project_id: str, limit: int) -> list[PublishedDocument]:
        """Returns published documents whose words were not stored when they were published."""
        condition = PUBLISHED | {"deliveredWords": None}
        return self._page(project_id, condition, NEWEST_PUBLISHED, SNAPSHOT, limit, 0, PUBLISHED_BY_WORD)

    def add_words(self, project_id: str, words: Mapping[str, tuple[str, Sequence[str]]]) -> None:
        """Stores the words of documents, by id with the html that is delivered; a newer publication stays as it is."""
        updates = [
            UpdateOne(
                self._where(project_id, {"_id": object_id(one), "snapshot.htmlId": html_id, "deliveredWords": None}),
                {"$set": {"deliveredWords": list(found)}},
            )
            for one, (html_id, found) in words.items()
        ]
        if updates:
            self._collection.bulk_write(updates, ordered=False, session=self._session)

    def one(self, project_id: str, document_id: str, *, drafts: bool) -> StoredDocument | None:
        """Returns a document by its id; one that is not published with `drafts` alone."""
        wanted = object_id(document_id)
        return None if wanted is None else self._one(project_id, {"_id": wanted}, {"_id": wanted}, drafts)

    def one_by_slug(self, project_id: str, slug: str, *, drafts: bool) -> StoredDocument | None:
        """Returns a document by the slug it is delivered under; one that is not published by its present slug."""
        return self._one(project_id, {"slugs": slug, "snapshot.slug": slug}, {"slugs": slug, "slug": slug}, drafts)

    def categories(self, project_id: str, limit: int) -> list[StoredCategory]:
        """Returns the categories of the project by name, at most `limit`."""
        where = self._where(project_id, {"deletedAt": None})
        found = self._store.database["categories"].find(where, CATEGORY, session=self._session)
        return [_row(row) for row in found.sort([("nameKey", 1), ("_id", 1)]).limit(limit)]

    def following(
        self, project_id: str, last: PublishedDocument | None, *, limit: int, bare: bool
    ) -> list[PublishedDocument]:
        """Returns the published documents that follow one in the order of lists, from the first for None.

        `bare` ones have nothing but their slug and their times.
        """
        condition = PUBLISHED
        if last is not None:
            older: list[Bson] = [
                {"publishedAt": {"$lt": last["publishedAt"]}},
                {"publishedAt": last["publishedAt"], "_id": {"$gt": object_id(last["id"])}},
            ]
            condition = PUBLISHED | {"$or": older}
        fields = {"publishedAt": 1} | (SITEMAP if bare else SNAPSHOT)
        return self._page(project_id, condition, NEWEST_PUBLISHED, fields, limit, 0, PUBLISHED_BY_TIME)

    def last_published(self, project_id: str) -> Snapshot | None:
        """Returns the latest publication of any document, its first one or a later one."""
        where, latest = self._where(project_id, PUBLISHED), [("snapshot.updatedAt", -1)]
        hint = BY_LAST_PUBLICATION
        found: Any = self._collection.find_one(where, {"snapshot": 1}, sort=latest, session=self._session, hint=hint)
        published: Snapshot | None = found and found["snapshot"]
        return published

    def _one(self, project_id: str, published: Bson, unpublished: Bson, drafts: bool) -> StoredDocument | None:
        conditions = [PUBLISHED | published, *([UNPUBLISHED | unpublished] if drafts else [])]
        fields = CURRENT if drafts else SNAPSHOT
        where = self._where(project_id, conditions[0] if len(conditions) == 1 else {"$or": conditions})
        found = self._collection.find_one(where, fields, session=self._session)
        return None if found is None else _row(found)

    def _page(
        self,
        project_id: str,
        condition: Bson,
        order: tuple[tuple[str, int], ...],
        fields: Mapping[str, Any],
        limit: int,
        offset: int,
        index: Index | None,
    ) -> list[Any]:
        where = self._where(project_id, condition)
        with self._hint(index, condition) as hint:
            cursor = self._collection.find(where, fields, session=self._session, hint=hint)
            return [_row(row) for row in cursor.sort(list(order)).skip(offset).limit(limit)]


def _published(category_id: str | None, words: Sequence[str]) -> tuple[Bson, Index]:
    """Returns the condition for published documents, and the index that has them in the order of lists.

    The longest word comes first, the one that MongoDB looks up: long words are rarer.
    """
    condition = PUBLISHED | ({} if category_id is None else {"snapshot.categoryId": category_id})
    if words:
        by_length = sorted(words, key=len, reverse=True)
        return condition | {"deliveredWords": {"$all": by_length}}, PUBLISHED_BY_WORD
    return condition, PUBLISHED_BY_TIME if category_id is None else PUBLISHED_IN_CATEGORY


def _unpublished(category_id: str | None) -> tuple[Bson, Index | None]:
    """Returns the condition for documents that are not published, and the index that has them in the order of lists."""
    if category_id is None:
        return UNPUBLISHED, UNPUBLISHED_BY_CREATION
    return UNPUBLISHED | {"categoryId": object_id(category_id)}, None


def _row(found: Bson) -> Any:
    """Returns a row with hex digits for ids; those in a snapshot are hex digits already."""
    found["id"] = str(found.pop("_id"))
    for name in ("categoryId", "contentId", "authorId", "clusterId"):
        if type(value := found.get(name)) is ObjectId:
            found[name] = str(value)
    return found
