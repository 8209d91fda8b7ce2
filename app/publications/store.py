"""Delivered content: one record for each document that is live, under the document's id.

It is written in the transactions that change what is delivered, and all that a website reads; a preview reads the
document too.

What is published, changed or taken off is in an order, by `deliveredIn`: the transaction writes an id of its change
there, and who reads the order next replaces it by a number (`InOrder.number`). So publications don't conflict on a
number, and a number is always later than the commit.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from bson import ObjectId
from pymongo import ReturnDocument, UpdateOne
from typing_extensions import TypedDict

from app.core.context import Context
from app.core.store.collection import DESCENDING, Collection, object_id, object_ids, to_bson
from app.core.store.indexes import Index, Storage, index
from app.core.store.types import Bson, Projection, Values
from app.publications.rules import Publication

NEWEST_FIRST = index("publications", "projectId -publishedAt _id", "lists, the feed and the sitemap, newest first")
CHANGED = index("publications", "projectId deliveredIn _id", "what was published or changed since, in order")
REMOVED = index("removals", "projectId deliveredIn _id", "what was taken off since, in order")
REMEMBERED_DAYS = 91
"""How long removals are remembered: a day longer than cursors hold."""
STORAGE = Storage(
    indexes=(
        NEWEST_FIRST,
        index("publications", "projectId categoryId -publishedAt _id", "lists of a category, and how many are in each"),
        index(
            "publications",
            "projectId clusterId -publishedAt _id",
            "lists of a cluster, and the documents that are related to one",
        ),
        index("publications", "projectId authorId -publishedAt _id", "lists of an author"),
        index("publications", "projectId words -publishedAt _id", "searches for whole words"),
        index("publications", "projectId -updatedAt", "when the feed last changed"),
        CHANGED,
        REMOVED,
        index("removals", "at", "removals are forgotten", expireAfterSeconds=REMEMBERED_DAYS * 86_400),
        index("publications", "projectId slug", "a slug leads to one document", unique=True),
        index(
            "publications",
            "projectId agentWords.words",
            "what agents wrote that is live",
            {"agentWords.words": {"$gt": 0}},
        ),
        index(
            "publications",
            "projectId pastSlugs.slug",
            "redirects from slugs that documents were delivered under before",
        ),
    ),
    shard_keys={"publications": "projectId", "removals": "projectId"},
)

NEWEST = (("publishedAt", DESCENDING), ("_id", 1))
DELIVERED = {"projectId": 0, "version": 0, "pastSlugs": 0, "words": 0, "agentWords": 0}
Ids = Mapping[str, Sequence[str]]
"""The ids that a list may have, by the field: `categoryId`, `authorId`, `clusterId`."""
Words = tuple[Sequence[str], str | None]
"""The words that a publication has, and what one of its words begins with, or None (`query_words`)."""
NO_WORDS: Words = ((), None)
Place = tuple[int, str | None]
"""A place in the order of changes: the number of a change, and the id after which it goes on; None after all of it."""
Changed = TypeVar("Changed", bound=Mapping[str, Any])
IN_ORDER = (("deliveredIn", 1), ("_id", 1))
MOST_MERGED = 200
PAGE = dict.fromkeys(("slug", "publishedAt", "updatedAt"), 1)


class InOrder(Collection[Changed]):
    """A collection whose records are in the order of their changes."""

    order: Index
    fields: Projection = None

    def waiting(self, project_id: str) -> list[str | None]:
        """Returns the changes that were committed and have no number yet; None for what is older than numbers."""
        where = [{"deliveredIn": {"$gte": ""}}, {"deliveredIn": None}]
        changes: list[Bson] = [{"$group": {"_id": "$deliveredIn"}}]
        return [row["_id"] for row in self._aggregate(project_id, {"$or": where}, changes)]

    def number(self, project_id: str, changes: Sequence[str | None], number: int) -> None:
        """Gives what was written by changes a number; what was written again since waits for another one."""
        where = self._where(project_id, {"deliveredIn": {"$in": changes}})
        self._collection.update_many(where, {"$set": {"deliveredIn": number}}, session=self._session)

    def changed(self, project_id: str, since: Place, until: int, limit: int) -> list[Changed]:
        """Returns what changed after a place in the order, at most up to a number."""
        number, last = since
        same: Bson = {"deliveredIn": number, "_id": {"$gt": object_id(last)}}
        later: Bson = {"deliveredIn": {"$gt": number, "$lte": until}}
        condition = later if last is None else {"$or": [same, later]}
        return self._find(project_id, condition, sort=IN_ORDER, limit=limit, fields=self.fields, index=self.order)


class Publications(InOrder[Publication]):
    """The publications of a project."""

    name = "publications"
    order, fields = CHANGED, DELIVERED

    def put(self, project_id: str, publication: Publication) -> str | None:
        """Makes this what is delivered of its document; returns the id of the html that was delivered before."""
        change = self._announced()
        keys = self._store.features.keys_of_publication(publication)
        row = to_bson({**publication, **keys, "projectId": project_id, "deliveredIn": change})
        where = {"projectId": row["projectId"], "_id": row["_id"]}
        replaced = self._collection.find_one_and_replace(
            where, row, {"htmlId": 1}, upsert=True, return_document=ReturnDocument.BEFORE, session=self._session
        )
        self._store.writes += 1
        return str(replaced["htmlId"]) if replaced else None

    def change_many(self, project_id: str, changes: Iterable[tuple[str, Values]]) -> None:
        """Changes fields that are delivered without publishing, each with the id of the document, in one call."""
        change = {"deliveredIn": self._announced()}
        self._collection.bulk_write(
            [
                UpdateOne(self._where(project_id, {"_id": ObjectId(one)}), {"$set": to_bson({**new, **change})})
                for one, new in changes
            ],
            session=self._session,
        )
        self._store.writes += 1

    def remove(self, project_id: str, document_id: str) -> Publication | None:
        """Takes a document out of what is delivered, and returns what was delivered of it."""
        change = self._announced()
        removed = self._delete_one(project_id, {"_id": ObjectId(document_id)})
        if removed is not None:
            self._store[Removals].put(project_id, document_id, removed["slug"], change)
        return removed

    def add_many(self, project_id: str, publications: Iterable[Publication]) -> None:
        """Adds publications of documents that are new, in one call."""
        change = {"deliveredIn": self._announced()}
        keys = self._store.features.keys_of_publication
        self._insert_many(project_id, [{**one, **keys(one), **change} for one in publications])

    def _announced(self) -> str:
        """Returns the id of the transaction's change; finds operations that forget to have the revision incremented."""
        change = self._store.delivery_change
        assert change, "Call `change_delivery` first, in the transaction."
        return change[1]

    def page(
        self,
        project_id: str,
        ids: Ids,
        words: Words,
        *,
        limit: int,
        offset: int,
        after: tuple[datetime, str] | None = None,
    ) -> list[Publication]:
        """Returns one page, the newest first, with one of the ids in each field, and with all of some words.

        It begins after the publication with a time and an id, where `after` names one.

        MongoDB merges the lists of up to 200 categories in order; of more it would read all and sort them.
        """
        index = (
            NEWEST_FIRST
            if len(ids.get("categoryId", ())) > MOST_MERGED and len(ids) == 1 and words == NO_WORDS
            else None
        )
        condition = _condition(ids, words)
        if after is not None:
            at, last = after
            condition |= {"publishedAt": {"$lte": at}, "$nor": [{"publishedAt": at, "_id": {"$lte": object_id(last)}}]}
        return self._find(project_id, condition, sort=NEWEST, skip=offset, limit=limit, fields=DELIVERED, index=index)

    def count(self, project_id: str, ids: Ids, words: Words) -> int:
        """Returns how many documents are published with one of the ids in each field, and with all of some words."""
        return self._count(project_id, _condition(ids, words))

    def count_by_category(self, project_id: str) -> dict[str | None, int]:
        """Returns how many documents are published in each category, and under None in no category."""
        in_order = {"$sort": {"projectId": 1, "categoryId": 1}}  # so that the keys of one index are counted
        rows = self._aggregate(project_id, {}, [in_order, {"$group": {"_id": "$categoryId", "count": {"$sum": 1}}}])
        return {row["_id"] and str(row["_id"]): row["count"] for row in rows}

    def author_ids(self, project_id: str) -> list[str]:
        """Returns the ids of the members whom documents that are published name as their authors."""
        in_order = {"$sort": {"projectId": 1, "authorId": 1}}  # so that the keys of one index are read
        rows = self._aggregate(project_id, {}, [in_order, {"$group": {"_id": "$authorId"}}])
        return [str(row["_id"]) for row in rows if row["_id"]]

    def newest_of_clusters(
        self, project_id: str, cluster_ids: Iterable[str], limit: int
    ) -> dict[str, list[Publication]]:
        """Returns the newest publications of each of the clusters, at most `limit` of one, in one read."""
        newest = [
            {"$match": self._where(project_id, {})},
            {"$sort": dict(NEWEST)},
            {"$limit": limit},
            {"$project": DELIVERED},
        ]
        join = {"from": self.name, "localField": "_id", "foreignField": "clusterId", "pipeline": newest}
        stages: list[Bson] = [
            {"$match": self._where(project_id, {"_id": {"$in": object_ids(cluster_ids)}})},
            {"$project": {"_id": 1}},
            {"$lookup": {**join, "as": "publications"}},
        ]
        rows = self._store.database["clusters"].aggregate(stages, session=self._session)
        return {str(row["_id"]): [self.from_bson(one) for one in row["publications"]] for row in rows}

    def get(self, project_id: str, document_id: str) -> Publication | None:
        """Returns what is delivered of a document; None where nothing is."""
        wanted = object_id(document_id)
        return None if wanted is None else self._find_one(project_id, {"_id": wanted}, DELIVERED)

    def find_by_slug(self, project_id: str, slug: str) -> Publication | None:
        """Returns what is delivered under a slug, or None."""
        return self._find_one(project_id, {"slug": slug}, DELIVERED)

    def is_in_category(self, project_id: str, category_id: str) -> bool:
        """Returns whether a document is delivered in a category."""
        return self._exists(project_id, {"categoryId": ObjectId(category_id)})

    def past_slugs(self, project_id: str, slug: str | None, limit: int) -> list[tuple[str, str]]:
        """Returns past slugs with the current ones, the latest first: one slug, or all."""
        past = {"pastSlugs.slug": {"$gt": ""} if slug is None else slug}
        stages: list[Bson] = [
            {"$project": {"pastSlugs": 1, "to": "$slug"}},
            {"$unwind": "$pastSlugs"},
            *([] if slug is None else [{"$match": past}]),
            {"$sort": {"pastSlugs.at": -1, "pastSlugs.slug": 1, "_id": 1}},
            {"$limit": limit},
        ]
        rows = self._aggregate(project_id, past, stages)
        return [(row["pastSlugs"]["slug"], row["to"]) for row in rows]

    def delivered_slugs(self, project_id: str, slugs: Sequence[str]) -> set[str]:
        """Returns those of the slugs that a document is delivered under."""
        return {row["slug"] for row in self._find(project_id, {"slug": {"$in": slugs}}, fields={"slug": 1})}

    def after(self, project_id: str, last: Publication | None, *, limit: int, bare: bool = False) -> list[Publication]:
        """Returns the publications that follow one in the order of lists, from the first for None.

        `bare` ones have nothing but their slug and their times.
        """
        condition: Bson = {}
        if last is not None:
            later = {"publishedAt": last["publishedAt"], "_id": {"$gt": object_id(last["id"])}}
            condition = {"$or": [{"publishedAt": {"$lt": last["publishedAt"]}}, later]}
        fields: Projection = PAGE if bare else DELIVERED
        return self._find(project_id, condition, sort=NEWEST, limit=limit, fields=fields)

    def get_many(self, project_id: str, document_ids: Iterable[str]) -> dict[str, Publication]:
        """Returns what is delivered of documents, by id."""
        return self._by_id(project_id, document_ids, DELIVERED)

    def find_by_slugs(self, project_id: str, slugs: Sequence[str]) -> dict[str, Publication]:
        """Returns what is delivered under slugs, by slug."""
        rows = self._find(project_id, {"slug": {"$in": slugs}}, fields=DELIVERED) if slugs else []
        return {row["slug"]: row for row in rows}

    def last_update(self, project_id: str) -> datetime | None:
        """Returns when something was last published, for the first time or again."""
        rows = self._find(project_id, {}, sort=(("updatedAt", DESCENDING),), limit=1, fields={"updatedAt": 1})
        return rows[0]["updatedAt"] if rows else None


class Removal(TypedDict):
    """A document that was taken off the website, under its id; it may be delivered again since."""

    id: str
    projectId: str
    slug: str
    """The slug that it was delivered under."""
    at: datetime
    deliveredIn: int


class Removals(InOrder[Removal]):
    """The documents that were taken off the website of a project in the last 90 days."""

    name = "removals"
    order = REMOVED

    def put(self, project_id: str, document_id: str, slug: str, change: str) -> None:
        """Remembers that a document was taken off, in the transaction that does it."""
        row = to_bson({"id": document_id, "projectId": project_id, "slug": slug, "deliveredIn": change})
        where = {"projectId": row["projectId"], "_id": row["_id"]}
        row["at"] = ObjectId(change).generation_time
        self._collection.replace_one(where, row, upsert=True, session=self._session)
        self._store.writes += 1


def is_delivered_in(ctx: Context, field: str, record_id: str) -> bool:
    """Returns whether a document is delivered in a category; clusters are not delivered."""
    return field == "categoryId" and ctx.store[Publications].is_in_category(ctx.project_id, record_id)


def _condition(ids: Ids, words: Words) -> Bson:
    """Returns the condition for a list.

    The longest word comes first, the one that MongoDB looks up: long words are rarer. An invalid id matches nothing.
    """
    listed: Bson = {name: {"$in": object_ids(some)} for name, some in ids.items()}
    whole, beginning = words
    wanted: Bson = {"$all": sorted(whole, key=len, reverse=True)} if whole else {}
    wanted |= {"$regex": f"^{beginning}"} if beginning else {}  # of letters, digits and marks: nothing to escape
    return listed | ({"words": wanted} if wanted else {})
