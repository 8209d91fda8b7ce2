"""Documents as websites read them: the snapshot of each, without the rest of its record.

The condition of every query is one of two: published, or not published and outside the trash. Each has indexes of
its own, so neither can show a document of the other kind.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from pymongo import UpdateOne

from app.rules.documents import PUBLISHED_FIELDS, DeliveryRow, PublishedDocument, Snapshot
from app.store.collection import DESCENDING, Collection, object_id, object_ids
from app.store.document_keys import document_from_bson
from app.store.indexes import (
    PAST_SLUGS,
    PUBLISHED,
    PUBLISHED_BY_TIME,
    PUBLISHED_BY_UPDATE,
    PUBLISHED_BY_WORD,
    PUBLISHED_IN_CATEGORY,
    SLUGS,
    UNPUBLISHED,
    UNPUBLISHED_BY_CREATION,
    Index,
)
from app.store.types import Bson

NEWEST_PUBLISHED = (("publishedAt", DESCENDING), ("_id", 1))
NEWEST_CREATED = (("createdAt", DESCENDING), ("_id", 1))

SNAPSHOT = dict.fromkeys(("snapshot", "authorId", "clusterId", "contentId", "wordCount"), 1)
CURRENT = SNAPSHOT | dict.fromkeys((*PUBLISHED_FIELDS, "version", "updatedAt"), 1)
SITEMAP = {"snapshot.slug": 1, "snapshot.updatedAt": 1}


class Delivery(Collection[DeliveryRow]):
    """The documents of a project, as a website sees them."""

    name = "documents"
    from_bson: Callable[[Any], DeliveryRow] = staticmethod(document_from_bson)

    def published(
        self,
        project_id: str,
        category_id: str | None,
        words: Sequence[str],
        *,
        limit: int,
        offset: int,
        previews: bool,
    ) -> list[DeliveryRow]:
        """Returns one page of published documents, the newest first; of one category, and with all of some words.

        `previews` adds the fields of their present state.
        """
        condition, index = _published(category_id, words)
        fields = CURRENT if previews else SNAPSHOT
        return self._find(
            project_id, condition, sort=NEWEST_PUBLISHED, skip=offset, limit=limit, fields=fields, index=index
        )

    def count_published(self, project_id: str, category_id: str | None, words: Sequence[str]) -> int:
        """Returns how many documents are published; in one category, and with all of some words."""
        condition, index = _published(category_id, words)
        return self._count(project_id, condition, index)

    def unpublished(self, project_id: str, category_id: str | None, *, limit: int, offset: int) -> list[DeliveryRow]:
        """Returns one page of documents that are not published, the newest first; of one category, or of all."""
        condition, index = _unpublished(category_id)
        return self._find(
            project_id, condition, sort=NEWEST_CREATED, skip=offset, limit=limit, fields=CURRENT, index=index
        )

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
        self, project_id: str, cluster_ids: Iterable[str], *, limit: int, previews: bool
    ) -> dict[str, list[DeliveryRow]]:
        """Returns the newest published documents of each of the clusters, at most `limit` of one, in one read."""
        wanted = {"_id": {"$in": object_ids(cluster_ids)}}
        newest = [
            {"$match": self._where(project_id, PUBLISHED)},
            {"$sort": dict(NEWEST_PUBLISHED)},
            {"$limit": limit},
            {"$project": CURRENT if previews else SNAPSHOT},
        ]
        join = {"from": self.name, "localField": "_id", "foreignField": "clusterId", "pipeline": newest}
        pipeline = [
            {"$match": self._where(project_id, wanted)},
            {"$project": {"_id": 1}},
            {"$lookup": {**join, "as": "documents"}},
        ]
        found = self._store.database["clusters"].aggregate(pipeline, session=self._session, hint="_id_")
        return {str(cluster["_id"]): [self.from_bson(row) for row in cluster["documents"]] for cluster in found}

    def past_slugs(self, project_id: str, slug: str | None, limit: int) -> list[tuple[str, str]]:
        """Returns past slugs of published documents with their present ones, the latest left first; of one, or all."""
        named = {"pastSlugs.slug": {"$exists": True} if slug is None else slug}
        stages: list[Bson] = [
            {"$project": {"pastSlugs": 1, "to": "$snapshot.slug"}},
            {"$unwind": "$pastSlugs"},
            *([] if slug is None else [{"$match": named}]),
            {"$sort": {"pastSlugs.at": -1, "pastSlugs.slug": 1, "_id": 1}},
            {"$limit": limit},
        ]
        rows = self._aggregate(project_id, PUBLISHED | named, stages, PAST_SLUGS)
        return [(row["pastSlugs"]["slug"], row["to"]) for row in rows]

    def delivered_slugs(self, project_id: str, slugs: Sequence[str]) -> set[str]:
        """Returns those of the slugs that a document is delivered under."""
        condition = PUBLISHED | {"slugs": {"$in": slugs}}
        rows = self._find(project_id, condition, fields={"snapshot.slug": 1}, index=SLUGS)
        return {snapshot["slug"] for row in rows if (snapshot := row.get("snapshot"))}.intersection(slugs)

    def without_words(self, project_id: str, limit: int) -> list[PublishedDocument]:
        """Returns published documents whose words were not stored when they were published."""
        condition = PUBLISHED | {"deliveredWords": None}
        rows = self._find(
            project_id, condition, sort=NEWEST_PUBLISHED, limit=limit, fields=SNAPSHOT, index=PUBLISHED_BY_WORD
        )
        return cast(list[PublishedDocument], rows)

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

    def find(self, project_id: str, document_id: str, *, drafts: bool) -> DeliveryRow | None:
        """Returns a document by its id; one that is not published with `drafts` alone."""
        wanted = object_id(document_id)
        return None if wanted is None else self._one(project_id, {"_id": wanted}, {"_id": wanted}, drafts)

    def find_by_slug(self, project_id: str, slug: str, *, drafts: bool) -> DeliveryRow | None:
        """Returns a document by the slug it is delivered under; one that is not published by its present slug."""
        return self._one(project_id, {"slugs": slug, "snapshot.slug": slug}, {"slugs": slug, "slug": slug}, drafts)

    def published_after(
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
        rows = self._find(
            project_id, condition, sort=NEWEST_PUBLISHED, limit=limit, fields=fields, index=PUBLISHED_BY_TIME
        )
        return cast(list[PublishedDocument], rows)

    def last_published(self, project_id: str) -> Snapshot | None:
        """Returns the latest publication of any document, its first one or a later one."""
        latest, fields = (("snapshot.updatedAt", DESCENDING),), {"snapshot": 1}
        rows = self._find(project_id, PUBLISHED, sort=latest, limit=1, fields=fields, index=PUBLISHED_BY_UPDATE)
        return rows[0]["snapshot"] if rows else None

    def _one(self, project_id: str, published: Bson, unpublished: Bson, drafts: bool) -> DeliveryRow | None:
        if drafts:
            return self._find_one(project_id, {"$or": [PUBLISHED | published, UNPUBLISHED | unpublished]}, CURRENT)
        return self._find_one(project_id, PUBLISHED | published, SNAPSHOT)


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
    return UNPUBLISHED | {"categoryId": {"$in": object_ids([category_id])}}, None  # no document where it is not an id
