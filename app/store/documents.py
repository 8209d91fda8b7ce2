"""Documents: their records, which hold no long text, and the lists of them. The texts stand in `bodies`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from bson import ObjectId

from app.rules.briefs import MoveRequest
from app.rules.documents import Derived, Move
from app.rules.events import Event
from app.rules.text import search_words
from app.store.collection import EntityTags, Record, Recorded, from_bson, new_id, object_id, object_ids
from app.store.conditions import (
    STATUS_ENTERED,
    brief_state_filters,
    etag_filter,
    expire_lease_stage,
    finished_brief,
    not_deleted,
    status_move_filter,
)
from app.store.indexes import EPOCH, FIRST_ID
from app.vocabulary import BriefState, DocumentStatus

NO_DUE_DATE = "~"
"""The `dueKey` of a document without a due date: after every date."""
WORD_KEYS = ("titleWords", "slugWords", "keywordWords")
SORT_KEYS = {"updatedAt": "updatedAt", "createdAt": "createdAt", "title": "titleKey", "dueDate": "dueKey"}


class DocumentRecords(Recorded):
    """What all writes of documents share."""

    name = "documents"
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
    ) -> Record | None:
        """Changes a document that meets a condition of the present, in one atomic write; None when it does not."""
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
        index: str | None = None,
    ) -> Record | None:
        """Changes the first document that meets a condition; a claim that ran out is written down first."""
        keys = search_keys(changes)
        words = {"words": _united(keys)} if any(name in keys for name in WORD_KEYS) else {}
        return self._change(
            project_id,
            condition,
            event=event,
            changes={**changes, **keys, "updatedAt": event.at},
            computed={**words, **(computed or {})},
            first=expire_lease_stage(event.at),
            sort=sort,
            index=index,
        )


class Documents(DocumentRecords):
    """The documents of a project."""

    def _begun(self, record: Mapping[str, Any], event: Event) -> Record:
        """Returns a document as it begins, with the keys that lists sort and search by."""
        keyword = (record.get("brief") or {}).get("keyword")
        keys = search_keys({**record, "brief.keyword": keyword})
        words = sorted({word for name in WORD_KEYS for word in keys[name]})
        return super()._begun({"slugs": [record["slug"]], **record, **keys, "words": words}, event)

    def create(self, project_id: str, record: Mapping[str, Any], markdown: str, event: Event) -> Record:
        """Adds a document with its first content as its first version; inside a transaction."""
        document_id = new_id()
        body_id = self._store.bodies.add(project_id, document_id, markdown) if markdown else None
        document = self.add(project_id, {**record, "id": document_id, "contentId": body_id}, event)
        self._store.revisions.add(project_id, document, at=event.at, by=event.by)
        return document

    def create_many(self, project_id: str, begun: Iterable[tuple[Record, str, Event]]) -> Sequence[Record]:
        """Adds documents, each with its first content and its event, in three calls; inside a transaction."""
        rows, bodies, events = [], [], []
        for record, markdown, event in begun:
            document_id, body_id = new_id(), new_id() if markdown else None
            rows.append(self._begun({**record, "id": document_id, "contentId": body_id}, event))
            bodies += [{"id": body_id, "documentId": document_id, "text": markdown}] if body_id else []
            events.append(event)
        self._store.bodies.add_many(project_id, bodies)
        documents = self._insert_many(project_id, rows)
        self._store.revisions.add_many(project_id, zip(documents, events, strict=True))
        return documents

    def add_many(self, project_id: str, records: Iterable[Mapping[str, Any]], event: Event) -> None:
        """Adds documents whose texts and versions are there already, in one call; inside a transaction."""
        self._insert_many(project_id, [self._begun(record, event) for record in records])

    def all_of(self, project_id: str, document_ids: Iterable[str]) -> dict[str, Record]:
        """Returns those of the documents that exist, also in the trash, by id."""
        rows = self._find(project_id, {"_id": {"$in": object_ids(document_ids)}}, fields={"outbox": 0})
        return {row["id"]: row for row in rows}

    def get(self, project_id: str, record_id: str) -> Record | None:
        """Returns a document that is not in the trash, or None."""
        return self._find_one(project_id, not_deleted({"_id": ObjectId(record_id)}), {"outbox": 0})

    def any(self, project_id: str, document_id: str) -> Record | None:
        """Returns a document, also one that is in the trash, or None."""
        return self._find_one(project_id, {"_id": ObjectId(document_id)}, {"outbox": 0})

    def trashed(self, project_id: str, document_id: str) -> Record | None:
        """Returns a document that is in the trash, or None."""
        return self._find_one(project_id, {"_id": ObjectId(document_id), "deletedAt": {"$gt": EPOCH}}, {"outbox": 0})

    def list(
        self, project_id: str, filters: Mapping[str, Any], now: datetime, *, sort: str, limit: int, offset: int
    ) -> list[Record]:
        """Returns one page of documents without their long texts; `filters` are those of `DocumentQuery`."""
        condition = _filtered(filters, now)
        order = _order(sort)
        return self._find(project_id, condition, sort=order, skip=offset, limit=limit, fields={"outbox": 0})

    def known(self, project_id: str, document_ids: Iterable[str]) -> set[str]:
        """Returns those of the ids that are documents of the project."""
        return {row["id"] for row in self.links(project_id, document_ids)}

    def links(self, project_id: str, document_ids: Iterable[str]) -> Sequence[Record]:
        """Returns `id`, `slug` and `title` of those of the documents that exist, in the order asked for."""
        wanted = list(dict.fromkeys(object_ids(document_ids)))
        if not wanted:
            return []
        fields = {"slug": 1, "title": 1}
        found = {row["id"]: row for row in self._find(project_id, not_deleted({"_id": {"$in": wanted}}), fields=fields)}
        return [found[str(one)] for one in wanted if str(one) in found]

    def with_slugs(self, project_id: str, slugs: Sequence[str]) -> Sequence[Record]:
        """Returns the documents outside the trash that have one of the slugs now."""
        return self._find(
            project_id, not_deleted({"slugs": {"$in": [*slugs]}, "slug": {"$in": [*slugs]}}), fields={"outbox": 0}
        )

    def taken_slugs(self, project_id: str, slugs: Sequence[str], but: str | None = None) -> set[str]:
        """Returns those of the slugs that documents outside the trash have, or are delivered under."""
        condition = not_deleted({"slugs": {"$in": [*slugs]}, "_id": {"$ne": object_id(but)}})
        rows = self._find(project_id, condition, fields={"slugs": 1})
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
        review_required: bool = False,
        base_version: int | None = None,
    ) -> Record | None:
        """Makes a move of the table of statuses if the document stands where the move leaves from.

        `rev` is for a transaction that read the document before: it must not have changed since.
        """
        condition = status_move_filter(move, request, review_required=review_required, base_version=base_version)
        condition["$and"] += etag_filter(tags, request.now) + ([] if rev is None else [{"rev": rev}])
        enters = move.enters
        computed: Record = {"status": STATUS_ENTERED[enters] if isinstance(enters, Derived) else {"$literal": enters}}
        if move.enters == DocumentStatus.SCHEDULED:
            computed["statusBefore"] = "$status"
        if move.finishes_brief:
            computed["brief"] = finished_brief()
        return self.change(project_id, document_id, condition, event=event, changes=changes, computed=computed)

    def trash(self, project_id: str, document: Record, now: datetime, status: str, event: Event) -> Record | None:
        """Moves a document to the trash, unless it changed since it was read."""
        changes = {"deletedAt": now, "status": status, "statusBefore": None, "publishAt": None}
        return self.change(project_id, document["id"], {"rev": document["rev"]}, event=event, changes=changes)

    def bring_back(self, project_id: str, document: Record, changes: Mapping[str, Any], event: Event) -> Record | None:
        """Takes a document out of the trash, unless it changed since it was read."""
        condition = {"_id": ObjectId(document["id"]), "deletedAt": {"$gt": EPOCH}, "rev": document["rev"]}
        return self.change_first(project_id, condition, event=event, changes={**changes, "deletedAt": None})

    def projects_due(self, now: datetime) -> Sequence[str]:
        """Returns the projects with documents to be published by now, reading one index key for each project."""
        due = {"projectId": {"$gte": FIRST_ID}, "publishAt": {"$gt": EPOCH, "$lte": now}}
        rows = self._collection.aggregate([{"$match": due}, {"$group": {"_id": "$projectId"}}])
        return [str(row["_id"]) for row in rows]

    def due(self, project_id: str, now: datetime, limit: int) -> Sequence[str]:
        """Returns the ids of scheduled documents of a project whose time has come, the longest due first."""
        condition = not_deleted({"status": DocumentStatus.SCHEDULED, "publishAt": {"$gt": EPOCH, "$lte": now}})
        rows = self._find(project_id, condition, sort=(("publishAt", 1),), limit=limit, fields={"_id": 1})
        return [row["id"] for row in rows]

    def longest_in_trash(self, before: datetime, project_id: str | None) -> Record | None:
        """Returns `id` and `projectId` of a document that was trashed before an instant and has no event waiting."""
        condition: Record = {"deletedAt": {"$gt": EPOCH, "$lt": before}, "outbox": []}
        where = condition if project_id is None else self._where(project_id, condition)
        found: Record | None = from_bson(self._collection.find_one(where, {"projectId": 1}))
        return found

    def purge(self, project_id: str, document_id: str, before: datetime) -> int:
        """Deletes a document for good if it is in the trash since before an instant; returns how many were."""
        condition = {"_id": ObjectId(document_id), "deletedAt": {"$gt": EPOCH, "$lt": before}, "outbox": []}
        deleted = self._collection.delete_one(self._where(project_id, condition), session=self._session)
        return int(deleted.deleted_count)

    def rename_category(self, project_id: str, category_id: str, name: str) -> None:
        """Writes a category's new name to the documents that are in it, for the lists that show it.

        One in the trash learns it when it is restored.
        """
        where = self._where(project_id, not_deleted({"categoryId": ObjectId(category_id)}))
        self._collection.update_many(where, {"$set": {"categoryName": name}}, session=self._session)

    def any_in(self, project_id: str, field: str, record_id: str) -> bool:
        """Tells whether a document outside the trash is in a category or cluster, or is delivered in it."""
        ways: list[Record] = [{field: ObjectId(record_id)}, {f"snapshot.{field}": record_id}]
        return self._find_one(project_id, not_deleted({"$or": ways}), {"_id": 1}) is not None


def search_keys(changes: Mapping[str, Any]) -> Record:
    """Returns the stored keys that follow from what is written: to sort by title and due date, to search words."""
    keys: Record = {}
    if "title" in changes:
        keys |= {"titleKey": changes["title"].casefold(), "titleWords": search_words(changes["title"])}
    if "slug" in changes:
        keys["slugWords"] = search_words(changes["slug"])
    if "brief.keyword" in changes:
        keys["keywordWords"] = search_words(changes["brief.keyword"] or "")
    if "dueDate" in changes:
        keys["dueKey"] = changes["dueDate"] or NO_DUE_DATE
    return keys


def _filtered(filters: Mapping[str, Any], now: datetime) -> Record:
    condition: Record = {"deletedAt": {"$gt": EPOCH}} if filters.get("deleted") else not_deleted({})
    for name in ("status", "categoryId", "clusterId", "assigneeId"):
        if (wanted := filters.get(name)) is not None:
            many = wanted if name == "status" else [object_id(one) for one in wanted]
            condition[name] = many[0] if len(many) == 1 else {"$in": many}
    if (states := filters.get("briefState")) is not None:
        nothing: list[Record] = [{"brief": None}] if BriefState.NONE in states else []
        condition["$or"] = brief_state_filters([BriefState(state) for state in states], now) + nothing
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


def _order(sort: str) -> Sequence[tuple[str, int]]:
    """Returns the keys of a sort; missing due dates come last both ways, as `null` is before every date."""
    way = -1 if sort.startswith("-") else 1
    key = "dueDate" if sort == "-dueDate" else SORT_KEYS[sort.removeprefix("-")]
    return ((key, way), ("_id", way))


def _united(keys: Mapping[str, Sequence[str]]) -> Record:
    return {"$setUnion": [{"$literal": keys[name]} if name in keys else f"${name}" for name in WORD_KEYS]}
