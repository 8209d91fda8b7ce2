"""Documents: their records and the lists of them. Long texts are in the collection `bodies`."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bson import ObjectId
from pymongo import UpdateOne

from app.rules.briefs import MoveRequest
from app.rules.documents import Derived, Move, StoredDocument
from app.rules.events import Event
from app.rules.text import search_words
from app.store.collection import (
    DEEP_OFFSET,
    DESCENDING,
    Bson,
    EntityTags,
    OutboxFull,
    Recorded,
    new_id,
    object_id,
    object_ids,
)
from app.store.conditions import (
    STATUS_ENTERED,
    brief_state_filter,
    etag_filter,
    expire_lease_stage,
    finished_brief,
    lease_expired_filter,
    not_deleted,
    status_move_filter,
)
from app.store.indexes import (
    ALL_BY,
    BRIEFS_BY_DUE,
    EXPIRED_LEASES,
    FILTERED_BY,
    FIRST_DATE,
    FIRST_ID,
    KEYS,
    KEYWORD_COLLATION,
    KEYWORDS,
    PUBLISHED_BY_TIME,
    PUBLISHED_IN_CATEGORY,
    SCHEDULED,
    SLUGS,
    TRASH_BY,
    TRASHED_SLUGS,
    UNPUBLISHED_BY_CREATION,
    WORDS,
    Index,
)
from app.vocabulary import BriefState, DocumentStatus

NO_DUE_DATE = "~"
"""The `dueKey` of a document without a due date: after every date."""
WORD_KEYS = ("titleWords", "slugWords", "keywordWords")
SORT_KEYS = {"updatedAt": "updatedAt", "createdAt": "createdAt", "title": "titleKey", "dueDate": "dueKey"}
HIDDEN = dict.fromkeys(("outbox", "words", *WORD_KEYS, "deliveredWords"), 0)
NOT_LISTED = HIDDEN | dict.fromkeys(("slugs", "pastSlugs", "titleKey", "dueKey", "review", "submittedBy"), 0)
FILTER_FIELDS = {
    "assigneeId": "assigneeId",
    "clusterId": "clusterId",
    "categoryId": "categoryId",
    "briefState": "brief.state",
    "status": "status",
}
"""The filters of lists that have indexes, by the field that each looks at; the one that finds fewest comes first."""
MOST_MERGED = 20
"""Up to how many values of a filter MongoDB merges the parts of an index into one order."""
FILTERS = (*FILTER_FIELDS, "isPublished", "dueBefore", "dueAfter", "updatedSince", "words", "slug", "key")
WORDS_TRIED = 5
FEW = 500
"""Up to how many documents of a list are sorted here by their keys, rather than read in the order of an index."""


_ID_FIELDS = tuple(name for name in StoredDocument.__annotations__ if name.endswith("Id"))


def document_from_bson(record: Any) -> Any:
    """Returns a document of MongoDB, changed in place to have hex digits for its ObjectIds; None for None.

    Only `_ID_FIELDS` have any. Looking at each value of 50 rows, as `from_bson` does, took an eighth of their page.
    """
    if record is not None:
        record["id"] = str(record.pop("_id"))
        for name in _ID_FIELDS:
            if (value := record.get(name)) is not None:
                record[name] = str(value)
    return record


@dataclass(frozen=True)
class Change:
    """One of several changes of a document that are written together, with its event."""

    event: Event
    changes: Mapping[str, Any]
    computed: Mapping[str, Any] = field(default_factory=dict)
    """MongoDB expressions, by field."""


class DocumentRecords(Recorded[StoredDocument]):
    """What all writes of documents share."""

    name = "documents"
    hidden = HIDDEN
    read: Callable[[Any], StoredDocument] = staticmethod(document_from_bson)
    event_data = (
        ("documentId", "_id", None),
        ("status", "status", None),
        ("version", "version", None),
        ("slug", "slug", None),
        ("briefState", "brief.state", BriefState.NONE),
    )

    def change(
        self,
        project_id: str,
        document_id: str,
        condition: Mapping[str, Any],
        *,
        event: Event,
        changes: Mapping[str, Any],
        computed: Mapping[str, Any] | None = None,
    ) -> StoredDocument | None:
        """Changes a document outside the trash if it meets a condition, in one atomic write; None if it does not."""
        one = not_deleted({"_id": ObjectId(document_id), **condition})
        return self.change_first(project_id, one, event=event, changes=changes, computed=computed)

    def change_first(
        self,
        project_id: str,
        condition: Mapping[str, Any],
        *,
        event: Event,
        changes: Mapping[str, Any],
        computed: Mapping[str, Any] | None = None,
        sort: Sequence[tuple[str, int]] | None = None,
        index: Index | None = None,
    ) -> StoredDocument | None:
        """Changes the first document that meets a condition; an expired lease of its claim is recorded first."""
        with_keys, words = _with_keys(event, changes)
        return self._change(
            project_id,
            condition,
            event=event,
            changes=with_keys,
            computed={**words, **(computed or {})},
            first=expire_lease_stage(event.at),
            sort=sort,
            index=index,
        )

    def lock(self, project_id: str, document_id: str) -> None:
        """Has every other write of a document wait for this transaction, or try again after it."""
        where = self._where(project_id, {"_id": ObjectId(document_id)})
        self._collection.update_one(where, {"$inc": {"rev": 1}}, session=self._session)

    def has_expired_leases(self, project_id: str, now: datetime) -> bool:
        """Returns whether a claim of the project is still stored as claimed although its lease expired."""
        return self._exists(project_id, not_deleted(lease_expired_filter(now)), index=EXPIRED_LEASES)


class Documents(DocumentRecords):
    """The documents of a project."""

    def _new_record(self, record: Mapping[str, Any], *events: Event) -> Bson:
        """Returns a new document, with the keys that lists sort and search by."""
        keyword = (record.get("brief") or {}).get("keyword")
        keys = search_keys({**record, "brief.keyword": keyword})
        words = sorted({word for name in WORD_KEYS for word in keys[name]})
        return super()._new_record({"slugs": [record["slug"]], **record, **keys, "words": words}, *events)

    def create(self, project_id: str, record: Mapping[str, Any], markdown: str, event: Event) -> StoredDocument:
        """Adds a document with its first content as its first version; inside a transaction."""
        document_id = new_id()
        body_id = self._store.bodies.add(project_id, document_id, markdown) if markdown else None
        document = self.add(project_id, {**record, "id": document_id, "contentId": body_id}, event)
        self._store.revisions.add(project_id, document, at=event.at, by=event.by)
        return document

    def create_many(
        self, project_id: str, new: Iterable[tuple[Bson, str, Sequence[Event]]]
    ) -> Sequence[StoredDocument]:
        """Adds documents, each with its first content and its events, in three calls; inside a transaction."""
        rows, bodies, first_events = [], [], []
        for record, markdown, events in new:
            document_id, body_id = new_id(), new_id() if markdown else None
            rows.append(self._new_record({**record, "id": document_id, "contentId": body_id}, *events))
            bodies += [{"id": body_id, "documentId": document_id, "text": markdown}] if body_id else []
            first_events.append(events[0])
        self._store.bodies.add_many(project_id, bodies)
        documents = self._insert_many(project_id, rows)
        self._store.revisions.add_many(project_id, zip(documents, first_events, strict=True))
        return documents

    def change_many(self, project_id: str, writes: Iterable[tuple[StoredDocument, Sequence[Change]]]) -> None:
        """Makes changes of many documents that were read in the same transaction, in one call."""
        updates = []
        for document, changes in writes:
            stages = expire_lease_stage(changes[0].event.at)
            for one in changes:
                with_keys, words = _with_keys(one.event, one.changes)
                stages += self._stages(one.event, with_keys, {**words, **one.computed})
            condition = not_deleted({"_id": ObjectId(document["id"]), "rev": document["rev"], **self._has_room()})
            updates.append(UpdateOne(self._where(project_id, condition), stages, hint="_id_"))
        self._store.writes += len(updates)
        if updates and self._collection.bulk_write(updates, session=self._session).matched_count < len(updates):
            raise OutboxFull(project_id)  # nothing else can differ from what the transaction read

    def add_many(self, project_id: str, records: Iterable[tuple[Mapping[str, Any], Sequence[Event]]]) -> None:
        """Adds documents whose texts and versions are there already, in one call; inside a transaction."""
        self._insert_many(project_id, [self._new_record(record, *events) for record, events in records])

    def get_many(self, project_id: str, document_ids: Iterable[str]) -> dict[str, StoredDocument]:
        """Returns those of the documents that exist, also in the trash, by id."""
        rows = self._find(project_id, {"_id": {"$in": object_ids(document_ids)}}, fields=HIDDEN)
        return {row["id"]: row for row in rows}

    def get_trashed(self, project_id: str, document_id: str) -> StoredDocument | None:
        """Returns a document that is in the trash, or None."""
        return self._find_one(project_id, {"_id": ObjectId(document_id), "deletedAt": {"$gt": FIRST_DATE}}, HIDDEN)

    def list(
        self, project_id: str, filters: Mapping[str, Any], now: datetime, *, sort: str, limit: int, offset: int
    ) -> list[StoredDocument]:
        """Returns one page of documents without their long texts; `filters` are those of `DocumentQuery`.

        Up to `FEW` documents are sorted here by their sort keys, more are read in the order of an index: MongoDB sorts
        no records in memory in either case.
        """
        condition, (key, way) = self._filtered(project_id, filters, now), _sort_key(sort)
        if key == "dueKey" and "dueDate" in condition:
            condition[key] = condition["dueDate"]  # the same for all that have a date: where to begin in the index
        rows: list[Any] | None = self._few(project_id, filters, condition, key)
        if rows is not None:
            rows.sort(key=lambda row: (row[key] is not None, row[key] or "", row["id"]), reverse=way == DESCENDING)
            page = [row["id"] for row in rows[offset : offset + limit]]
            return self._with_ids(project_id, condition, page, NOT_LISTED)
        index, order = _index_in_order(filters, key, offset), ((key, way), ("_id", way))
        return self._page_in_order(
            project_id, condition, index, sort=order, offset=offset, limit=limit, fields=NOT_LISTED
        )

    def count(self, project_id: str, filters: Mapping[str, Any], now: datetime) -> int:
        """Returns how many documents a list has on all of its pages, counted by the keys of an index."""
        return self._count(project_id, self._filtered(project_id, filters, now), _index_of_count(filters))

    def count_by_status(self, project_id: str) -> dict[str, int]:
        """Returns how many documents outside the trash have each status; those that none has are left out.

        One command counts the keys of each status. A group by the status itself would read each document.
        """
        first, *others = (self._counted(project_id, status) for status in DocumentStatus)
        unions = [{"$unionWith": {"coll": self.name, "pipeline": one}} for one in others]
        with self._hint(FILTERED_BY["status", "updatedAt"], not_deleted({})) as hint:
            options = {"hint": hint} if hint else {}
            rows = list(self._collection.aggregate([*first, *unions], session=self._session, **options))
        return {row["_id"]: row["count"] for row in rows}

    def _counted(self, project_id: str, status: DocumentStatus) -> builtins.list[Bson]:
        condition = not_deleted({"status": str(status)})
        return [
            {"$match": self._where(project_id, condition)},
            {"$group": {"_id": str(status), "count": {"$sum": 1}}},
        ]

    def _few(
        self, project_id: str, filters: Mapping[str, Any], condition: Bson, key: str
    ) -> builtins.list[StoredDocument] | None:
        """Returns the ids and sort keys of all documents of a list, in no order; None where they may be many."""
        index = _index_of_few(filters, key)
        if index is WORDS:
            found = self._with_rarest_word(project_id, filters["words"])
            if found is None:
                return None
            return self._find(project_id, {"_id": {"$in": object_ids(found)}, **condition}, fields={key: 1})
        if index is None:
            return None
        rows = self._find(project_id, condition, fields={key: 1}, limit=FEW + 1, index=index)
        return rows if len(rows) <= FEW else None

    def _with_rarest_word(self, project_id: str, words: Sequence[str]) -> builtins.list[str] | None:
        """Returns the ids of documents outside the trash that have the rarest of the words; None where they are many.

        Only the longest few words are tried: long words are rarer.
        """
        for word in sorted(words, key=len, reverse=True)[:WORDS_TRIED]:
            one = not_deleted({"words": word})
            rows = self._find(project_id, one, fields={"_id": 1}, limit=FEW + 1, index=WORDS)
            if len(rows) <= FEW:
                return [row["id"] for row in rows]
        return None

    def _filtered(self, project_id: str, filters: Mapping[str, Any], now: datetime) -> Bson:
        condition: Bson = {"deletedAt": {"$gt": FIRST_DATE}} if filters.get("deleted") else not_deleted({})
        for name in ("status", "categoryId", "clusterId", "assigneeId"):
            if (wanted := filters.get(name)) is not None:
                many = wanted if name == "status" else [object_id(one) for one in wanted]
                condition[name] = many[0] if len(many) == 1 else {"$in": many}
        if (keys := filters.get("key")) is not None:
            condition["key"] = {"$in": keys}
        if (named := filters.get("briefState")) is not None:
            states = [BriefState(state) for state in named]
            leased = (BriefState.READY in states) != (BriefState.CLAIMED in states)
            any_expired = leased and (bool(filters.get("deleted")) or self.has_expired_leases(project_id, now))
            condition |= brief_state_filter(states, now, any_expired=any_expired)
        if (slugs := filters.get("slug")) is not None:
            condition["slug"] = {"$in": slugs}
            condition |= {} if filters.get("deleted") else {"slugs": {"$in": slugs}}  # which has the index
        if (published := filters.get("isPublished")) is not None:
            condition["isPublished"] = published
        due = {"$gte": filters.get("dueAfter"), "$lte": filters.get("dueBefore")}
        if bounds := {operator: day for operator, day in due.items() if day is not None}:
            condition["dueDate"] = bounds
        if (since := filters.get("updatedSince")) is not None:
            condition["updatedAt"] = {"$gte": since}
        if (words := filters.get("words")) is not None:
            condition["words"] = {"$all": words}
        return condition

    def find_existing(self, project_id: str, document_ids: Iterable[str]) -> set[str]:
        """Returns those of the ids that are documents of the project."""
        return {row["id"] for row in self.get_links(project_id, document_ids)}

    def get_links(self, project_id: str, document_ids: Iterable[str]) -> Sequence[StoredDocument]:
        """Returns `id`, `slug`, `title`, `status` and `excerpt` of those that exist, in the order of the ids."""
        wanted = list(dict.fromkeys(object_ids(document_ids)))
        if not wanted:
            return []
        fields = {"slug": 1, "title": 1, "status": 1, "excerpt": 1}
        found = {row["id"]: row for row in self._find(project_id, not_deleted({"_id": {"$in": wanted}}), fields=fields)}
        return [found[str(one)] for one in wanted if str(one) in found]

    def find_with_slugs(self, project_id: str, slugs: Sequence[str]) -> Sequence[StoredDocument]:
        """Returns the documents outside the trash that have one of the slugs now."""
        condition = not_deleted({"slugs": {"$in": [*slugs]}, "slug": {"$in": [*slugs]}})
        return self._find(project_id, condition, fields=HIDDEN, index=SLUGS)

    def find_titles_by_keyword(
        self, project_id: str, keyword: str, *, but: str | None = None, limit: int
    ) -> Sequence[str]:
        """Returns titles of documents outside the trash that have a keyword; case, accents and spaces are ignored."""
        condition = not_deleted({"brief.keyword": keyword, "_id": {"$ne": object_id(but)}})
        rows = self._find(
            project_id, condition, fields={"title": 1}, limit=limit, index=KEYWORDS, collation=KEYWORD_COLLATION
        )
        return [row["title"] for row in rows]

    def find_with_keys(self, project_id: str, keys: Iterable[str]) -> dict[str, StoredDocument]:
        """Returns the documents that have one of the keys, also in the trash, by key."""
        rows: builtins.list[Any] = self._find(project_id, {"key": {"$in": [*keys]}}, fields=HIDDEN, index=KEYS)
        return {row["key"]: row for row in rows}

    def find_taken_slugs(self, project_id: str, slugs: Sequence[str], but: str | None = None) -> set[str]:
        """Returns those of the slugs that documents outside the trash have, or are delivered under."""
        condition = not_deleted({"slugs": {"$in": [*slugs]}, "_id": {"$ne": object_id(but)}})
        rows = self._find(project_id, condition, fields={"slugs": 1}, index=SLUGS)
        return {slug for row in rows for slug in row["slugs"]} & set(slugs)

    def move(
        self,
        project_id: str,
        document_id: str,
        move: Move,
        request: MoveRequest,
        *,
        changes: Mapping[str, Any],
        event: Event,
        tags: EntityTags = None,
        rev: int | None = None,
        base_version: int | None = None,
    ) -> StoredDocument | None:
        """Makes a move of the table of statuses if the document is in a status that the move leaves.

        `rev` is for a transaction that read the document before: it must not have changed since.
        """
        condition = status_move_filter(move, request, base_version=base_version)
        condition["$and"] += etag_filter(tags, request.now) + ([] if rev is None else [{"rev": rev}])
        enters = move.enters
        computed: Bson = {"status": STATUS_ENTERED[enters] if isinstance(enters, Derived) else {"$literal": enters}}
        if move.enters == DocumentStatus.SCHEDULED:
            computed["statusBefore"] = "$status"
        if move.finishes_brief:
            computed["brief"] = finished_brief()
        return self.change(project_id, document_id, condition, event=event, changes=changes, computed=computed)

    def trash(
        self, project_id: str, document: StoredDocument, now: datetime, status: str, event: Event
    ) -> StoredDocument | None:
        """Moves a document to the trash, unless it changed since it was read."""
        changes = {"deletedAt": now, "status": status, "statusBefore": None, "publishAt": None}
        return self.change(project_id, document["id"], {"rev": document["rev"]}, event=event, changes=changes)

    def restore(
        self, project_id: str, document: StoredDocument, changes: Mapping[str, Any], event: Event
    ) -> StoredDocument | None:
        """Takes a document out of the trash, unless it changed since it was read."""
        condition = {"_id": ObjectId(document["id"]), "deletedAt": {"$gt": FIRST_DATE}, "rev": document["rev"]}
        return self.change_first(project_id, condition, event=event, changes={**changes, "deletedAt": None})

    def find_projects_due(self, now: datetime) -> Sequence[str]:
        """Returns the projects with documents to be published by now, reading one index key for each project."""
        due = {"projectId": {"$gte": FIRST_ID}, "publishAt": {"$gt": FIRST_DATE, "$lte": now}}
        rows = self._collection.aggregate([{"$match": due}, {"$group": {"_id": "$projectId"}}])
        return [str(row["_id"]) for row in rows]

    def find_due(self, project_id: str, now: datetime, limit: int) -> Sequence[str]:
        """Returns the ids of scheduled documents of a project whose time has come, the longest due first."""
        condition = not_deleted({"status": DocumentStatus.SCHEDULED, "publishAt": {"$gt": FIRST_DATE, "$lte": now}})
        rows = self._find(
            project_id, condition, sort=(("publishAt", 1),), limit=limit, fields={"_id": 1}, index=SCHEDULED
        )
        return [row["id"] for row in rows]

    def find_purgeable(self, before: datetime, project_id: str | None) -> StoredDocument | None:
        """Returns `id` and `projectId` of a document that was trashed before an instant and has no event waiting."""
        where = self._purgeable(before, project_id)
        return self.read(self._collection.find_one(where, {"projectId": 1}))

    def count_purgeable(self, before: datetime, project_id: str | None) -> int:
        """Returns how many documents were trashed before an instant and have no event waiting."""
        return int(self._collection.count_documents(self._purgeable(before, project_id)))

    def _purgeable(self, before: datetime, project_id: str | None) -> Bson:
        condition: Bson = {"deletedAt": {"$gt": FIRST_DATE, "$lt": before}, "outbox": []}
        return condition if project_id is None else self._where(project_id, condition)

    def purge(self, project_id: str, document_id: str, before: datetime) -> int:
        """Deletes a document for good if it is in the trash since before an instant; returns how many were."""
        condition = {"_id": ObjectId(document_id), "deletedAt": {"$gt": FIRST_DATE, "$lt": before}, "outbox": []}
        deleted = self._collection.delete_one(self._where(project_id, condition), session=self._session)
        return int(deleted.deleted_count)

    def has_filed_under(self, project_id: str, field: str, record_id: str) -> bool:
        """Returns whether a document outside the trash is in a category or cluster, or is delivered in a category."""
        filed = not_deleted({field: ObjectId(record_id)})
        delivered = not_deleted({"isPublished": True, "snapshot.categoryId": record_id})
        return self._exists(project_id, filed, index=FILTERED_BY[field, "updatedAt"]) or (
            field == "categoryId" and self._exists(project_id, delivered, index=PUBLISHED_IN_CATEGORY)
        )


def search_keys(changes: Mapping[str, Any]) -> Bson:
    """Returns the stored keys that follow from what is written: to sort by title and due date, to search words."""
    keys: Bson = {}
    if "title" in changes:
        keys |= {"titleKey": changes["title"].casefold(), "titleWords": search_words(changes["title"])}
    if "slug" in changes:
        keys["slugWords"] = search_words(changes["slug"])
    if "brief.keyword" in changes:
        keys["keywordWords"] = search_words(changes["brief.keyword"] or "")
    if "dueDate" in changes:
        keys["dueKey"] = changes["dueDate"] or NO_DUE_DATE
    return keys


def _with_keys(event: Event, changes: Mapping[str, Any]) -> tuple[Bson, Bson]:
    """Returns changes with the stored keys that follow from them, and the expression of the words to search."""
    keys = search_keys(changes)
    words = {"words": _united(keys)} if any(name in keys for name in WORD_KEYS) else {}
    return {**changes, **keys, "updatedAt": event.at}, words


def _sort_key(sort: str) -> tuple[str, int]:
    """Returns the stored key of a sort and its direction.

    Missing due dates come last both ways: `dueKey` is after every date then, and null is before every date.
    """
    if sort == "-dueDate":
        return "dueDate", DESCENDING
    return SORT_KEYS[sort.removeprefix("-")], DESCENDING if sort.startswith("-") else 1


def _index_in_order(filters: Mapping[str, Any], key: str, offset: int) -> Index:
    """Returns the index that has a list in its order and that skips most of what the filters leave out.

    Far from the beginning it is one that has every field of the condition.
    """
    if filters.get("deleted"):
        return TRASH_BY[key]
    path = _indexed_filter(filters)
    alone = sum(filters.get(name) is not None for name in FILTERS) == 1
    return ALL_BY[key] if path is None or (offset >= DEEP_OFFSET and not alone) else FILTERED_BY[path, key]


def _indexed_filter(filters: Mapping[str, Any]) -> str | None:
    """Returns the field of a filter that has an index in each order, or None."""
    for name, path in FILTER_FIELDS.items():
        wanted = filters.get(name)
        if wanted is not None and len(wanted) <= MOST_MERGED:
            return path
    return None


def _index_of_few(filters: Mapping[str, Any], key: str) -> Index | None:
    """Returns the index that finds the documents of a list in whatever order, where none has them in its order."""
    if filters.get("slug") is not None:
        return TRASHED_SLUGS if filters.get("deleted") else SLUGS
    if filters.get("key") is not None:
        return KEYS
    if filters.get("deleted"):
        return None
    if filters.get("words") is not None:
        return WORDS
    if _indexed_filter(filters) is not None:
        return None
    for name, path in FILTER_FIELDS.items():
        if filters.get(name) is not None:
            return FILTERED_BY[path, "updatedAt"]
    if filters.get("updatedSince") is not None and key != "updatedAt":
        return ALL_BY["updatedAt"]
    if (published := filters.get("isPublished")) is not None:
        return PUBLISHED_BY_TIME if published else UNPUBLISHED_BY_CREATION
    if key not in ("dueDate", "dueKey") and (filters.get("dueAfter") or filters.get("dueBefore")):
        return ALL_BY["dueDate"]
    return None


def _index_of_count(filters: Mapping[str, Any]) -> Index:
    """Returns the index whose keys tell how many documents a list has; for words it reads the documents too."""
    if filters.get("slug") is not None:
        return TRASHED_SLUGS if filters.get("deleted") else SLUGS
    if filters.get("deleted"):
        return TRASH_BY["updatedAt"]
    if filters.get("words") is not None:
        return WORDS
    given = [name for name in FILTERS if filters.get(name) is not None]
    if given == ["briefState"]:
        return BRIEFS_BY_DUE  # which has leases too
    if "updatedSince" not in given and ("dueAfter" in given or "dueBefore" in given):
        return ALL_BY["dueDate"]
    alone = given[0] if len({*given} - {"updatedSince"}) == 1 else ""
    return FILTERED_BY.get((alone, "updatedAt"), ALL_BY["updatedAt"])


def _united(keys: Mapping[str, Sequence[str]]) -> Bson:
    return {"$setUnion": [{"$literal": keys[name]} if name in keys else f"${name}" for name in WORD_KEYS]}
