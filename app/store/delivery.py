"""Documents as websites read them: the snapshot of each, without the rest of its record.

The condition of every query is one of two: published, or not published and outside the trash. Each has indexes of
its own, so neither can show a document of the other kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bson import ObjectId

from app.rules.documents import PUBLISHED_FIELDS
from app.store.collection import Collection, Record, object_id

PUBLISHED: Record = {"deletedAt": None, "isPublished": True}
UNPUBLISHED: Record = {"deletedAt": None, "isPublished": False}

NEWEST_PUBLISHED = (("publishedAt", -1), ("_id", 1))
NEWEST_MADE = (("createdAt", -1), ("_id", 1))

# Without a hint MongoDB tries some twenty indexes for each of these queries.
BY_PUBLICATION = "projectId_publishedAt-__id"
BY_CATEGORY = "projectId_snapshot.categoryId_publishedAt-__id"
BY_CREATION = "projectId_createdAt-__id"
BY_LAST_PUBLICATION = "projectId_snapshot.updatedAt-"

SNAPSHOT = {"snapshot": 1}
CURRENT = dict.fromkeys((*PUBLISHED_FIELDS, "contentId"), 1)
CATEGORY = dict.fromkeys(("name", "slug", "description", "categoryId"), 1)
SITEMAP = {"snapshot.slug": 1, "snapshot.updatedAt": 1}


class Delivery(Collection[Record]):
    """The documents of a project, as a website sees them."""

    name = "documents"

    def published(self, project_id: str, category_id: str | None, *, limit: int, offset: int) -> list[Record]:
        """Returns one page of published documents, the newest first; of one category, or of all."""
        condition = PUBLISHED | ({} if category_id is None else {"snapshot.categoryId": category_id})
        index = BY_PUBLICATION if category_id is None else BY_CATEGORY
        return self._page(project_id, condition, NEWEST_PUBLISHED, SNAPSHOT, limit, offset, index)

    def count_published(self, project_id: str, category_id: str | None) -> int:
        """Returns how many documents are published; in one category, or in all."""
        condition = PUBLISHED | ({} if category_id is None else {"snapshot.categoryId": category_id})
        return int(self._collection.count_documents(self._where(project_id, condition), session=self._session))

    def unpublished(self, project_id: str, category_id: str | None, *, limit: int, offset: int) -> list[Record]:
        """Returns one page of documents that are not published, the newest first; of one category, or of all."""
        condition = UNPUBLISHED | ({} if category_id is None else {"categoryId": object_id(category_id)})
        index = BY_CREATION if category_id is None else None
        return self._page(project_id, condition, NEWEST_MADE, CURRENT, limit, offset, index)

    def one(self, project_id: str, document_id: str, *, drafts: bool) -> Record | None:
        """Returns a document by its id; one that is not published with `drafts` alone."""
        wanted = object_id(document_id)
        return None if wanted is None else self._one(project_id, {"_id": wanted}, {"_id": wanted}, drafts)

    def one_by_slug(self, project_id: str, slug: str, *, drafts: bool) -> Record | None:
        """Returns a document by the slug it is delivered under; one that is not published by its present slug."""
        return self._one(project_id, {"slugs": slug, "snapshot.slug": slug}, {"slugs": slug, "slug": slug}, drafts)

    def categories(self, project_id: str, limit: int) -> list[Record]:
        """Returns the categories of the project by name, at most `limit`."""
        where = self._where(project_id, {"deletedAt": None})
        found = self._store.database["categories"].find(where, CATEGORY, session=self._session)
        return [_row(row) for row in found.sort([("nameKey", 1), ("_id", 1)]).limit(limit)]

    def following(self, project_id: str, last: Record | None, *, limit: int, bare: bool) -> list[Record]:
        """Returns the published documents that follow one in the order of lists, from the first for None.

        `bare` ones have nothing but their slug and their times.
        """
        condition = PUBLISHED
        if last is not None:
            older: list[Record] = [
                {"publishedAt": {"$lt": last["publishedAt"]}},
                {"publishedAt": last["publishedAt"], "_id": {"$gt": object_id(last["id"])}},
            ]
            condition = PUBLISHED | {"$or": older}
        fields = {"publishedAt": 1} | (SITEMAP if bare else SNAPSHOT)
        return self._page(project_id, condition, NEWEST_PUBLISHED, fields, limit, 0, BY_PUBLICATION)

    def last_published(self, project_id: str) -> Record | None:
        """Returns the document that was published last, for the first time or again."""
        where, latest = self._where(project_id, PUBLISHED), [("snapshot.updatedAt", -1)]
        hint = BY_LAST_PUBLICATION
        found = self._collection.find_one(where, SNAPSHOT, sort=latest, session=self._session, hint=hint)
        return None if found is None else _row(found)

    def _one(self, project_id: str, published: Record, unpublished: Record, drafts: bool) -> Record | None:
        conditions = [PUBLISHED | published, *([UNPUBLISHED | unpublished] if drafts else [])]
        fields = SNAPSHOT | CURRENT if drafts else SNAPSHOT
        where = self._where(project_id, conditions[0] if len(conditions) == 1 else {"$or": conditions})
        found = self._collection.find_one(where, fields, session=self._session)
        return None if found is None else _row(found)

    def _page(
        self,
        project_id: str,
        condition: Record,
        order: tuple[tuple[str, int], ...],
        fields: Mapping[str, Any],
        limit: int,
        offset: int,
        index: str | None,
    ) -> list[Record]:
        where = self._where(project_id, condition)
        cursor = self._collection.find(where, fields, session=self._session, hint=index)
        return [_row(row) for row in cursor.sort(list(order)).skip(offset).limit(limit)]


def _row(found: Record) -> Record:
    """Returns a row with hex digits for ids; those in a snapshot are hex digits already."""
    found["id"] = str(found.pop("_id"))
    for name in ("categoryId", "contentId"):
        if type(value := found.get(name)) is ObjectId:
            found[name] = str(value)
    return found
