"""Documents: what is written of their records, and the history of their content; long texts are in `bodies`."""

import builtins
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal, cast

from bson import ObjectId
from pymongo import UpdateOne

from app.core.context import Context
from app.core.events import Event
from app.core.slugs import slug_key
from app.core.store.bodies import Bodies
from app.core.store.collection import DESCENDING, Collection, OutboxFull, new_id, object_id, object_ids
from app.core.store.indexes import FIRST_DATE, FIRST_ID, NOT_DELETED
from app.core.store.types import Bson
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents import indexes
from app.documents.keys import ALL, keyword_key, reference_entry
from app.documents.lists import NOT_LISTED, DocumentLists, Filters, condition_of
from app.documents.record import Decision, Origin, StoredDocument, StoredRevision
from app.publications.record import PUBLISHED_FIELDS

EXPIRED_AT_ONCE = 250
"""Maximum number of expired claims of a project that are ended before the next project has its turn."""


class Documents(DocumentLists):
    """The documents of a project."""

    def create(
        self, project_id: str, new: Iterable[tuple[Bson, str, Sequence[Event], Origin]]
    ) -> Sequence[StoredDocument]:
        """Adds documents, each with its first content as its first version and with its events; inside a transaction.

        It takes three calls, however many there are.
        """
        rows, bodies, first_events, origins = [], [], [], []
        for record, markdown, events, origin in new:
            document_id, body_id = new_id(), new_id() if markdown else None
            row = {"slugs": [record["slug"]], **record, "id": document_id, "contentId": body_id}
            if body_id:
                bodies.append({"id": body_id, "documentId": document_id, "text": markdown})
            rows.append(self._new_record(row, events))
            first_events.append(events[0])
            origins.append(origin)
        self._store[Bodies].add_many(project_id, bodies)
        documents = [self.from_bson(row) for row in self._insert_many(project_id, rows)]
        self._store[Revisions].add(project_id, zip(documents, first_events, origins, strict=True))
        return documents

    def change_many(self, project_id: str, changes: Iterable[tuple[StoredDocument, Decision]]) -> None:
        """Writes what was decided about documents that were read in the same transaction, in one call."""
        decided = [
            self._update_of(project_id, before, decision.document, decision.events) for before, decision in changes
        ]
        updates = [UpdateOne(unchanged, update) for unchanged, update in decided]
        self._store.writes += len(updates)
        if updates and self._collection.bulk_write(updates, session=self._session).matched_count < len(updates):
            raise OutboxFull  # nothing else can differ from what the transaction read

    def remark(self, project_id: str, before: StoredDocument, decision: Decision) -> None:
        """Writes what threads and review links change in a document's record, but neither its ETag nor `updatedAt`.

        Raises as `change` does; so does a change of the document that was decided without it.
        """
        if decision.events:
            self._change(project_id, before, decision.document, decision.events, "remarks")

    def lock(self, project_id: str, document_id: str) -> None:
        """Makes every other write of a document wait for this transaction, or run again after it."""
        where = self._where(project_id, {"_id": ObjectId(document_id)})
        self._collection.update_one(where, {"$inc": {"rev": 1}}, session=self._session)

    def lock_scheduled(self, project_id: str) -> None:
        """Makes every publication of a scheduled document that is under way run again after this transaction."""
        scheduled = self._where(project_id, {"publishAt": {"$gt": FIRST_DATE}})
        self._collection.update_many(scheduled, {"$inc": {"remarks": 1}}, session=self._session)

    def get_many(self, project_id: str, document_ids: Iterable[str]) -> dict[str, StoredDocument]:
        """Returns those of the documents that exist, also in the trash, by id."""
        return self._by_id(project_id, document_ids, self.hidden)

    def get_trashed(self, project_id: str, document_id: str) -> StoredDocument | None:
        """Returns a document that is in the trash, or None."""
        fields = {name: 0 for name in self.hidden if name != "trashedPublication"}
        return self._find_one(project_id, {"_id": ObjectId(document_id), **indexes.TRASHED}, fields)

    def dated(
        self,
        project_id: str,
        filters: Filters,
        *,
        time: Literal["publishAt", "publishedAt"],
        since: datetime,
        before: datetime,
        limit: int,
    ) -> builtins.list[StoredDocument]:
        """Returns the documents that are scheduled for, or were published in, a span of time, the latest first."""
        within: Bson = {time: {"$gte": since, "$lt": before}}
        given: Bson = {} if time == "publishAt" else {"isPublished": True}
        index = indexes.SCHEDULED if time == "publishAt" else indexes.PUBLISHED_AT
        condition = condition_of({**filters, **given}) | within | NOT_DELETED
        return self._find(
            project_id,
            condition,
            sort=[(time, DESCENDING)],
            limit=limit,
            fields={**self.hidden, **NOT_LISTED},
            index=index,
        )

    def count_by_status(self, project_id: str) -> dict[str, int]:
        """Returns how many documents outside the trash have each status; those that none has are left out.

        One command counts the keys of each status. A group by the status itself would read each document.
        """
        conditions: builtins.list[Bson] = [{"listed": f"status:{status}"} for status in DocumentStatus]
        groups = [{"$group": {"_id": status, "count": {"$sum": 1}}} for status in DocumentStatus]
        others = zip(conditions[1:], groups[1:], strict=True)
        pipelines = [[{"$match": self._where(project_id, condition)}, group] for condition, group in others]
        unions = [{"$unionWith": {"coll": self.name, "pipeline": pipeline}} for pipeline in pipelines]
        rows = self._aggregate(project_id, conditions[0], [groups[0], *unions])
        return {row["_id"]: row["count"] for row in rows}

    def find_existing(self, project_id: str, document_ids: Iterable[str]) -> set[str]:
        """Returns those of the ids that are documents of the project."""
        return {row["id"] for row in self.get_links(project_id, document_ids)}

    def get_links(self, project_id: str, document_ids: Iterable[str]) -> Sequence[StoredDocument]:
        """Returns those of the documents that exist, in the order of the ids."""
        wanted = list(dict.fromkeys(one.lower() for one in document_ids))
        shown = dict.fromkeys(("slug", "title", "status", "excerpt", "isPublished"), 1)
        found = self._by_id(project_id, wanted, shown, **NOT_DELETED)
        return [found[one] for one in wanted if one in found]

    def find_with_slugs(self, project_id: str, slugs: Sequence[str]) -> Sequence[StoredDocument]:
        """Returns the documents outside the trash that have one of the slugs now."""
        condition = {"slugKeys": {"$in": [*map(slug_key, slugs)]}, "slug": {"$in": [*slugs]}, **NOT_DELETED}
        return self._find(project_id, condition, fields=self.hidden, index=indexes.SLUGS)

    def trashed_slugs(self, project_id: str, document_ids: Iterable[str]) -> set[str]:
        """Returns the slugs of those of the documents that are in the trash."""
        return {row["slug"] for row in self._by_id(project_id, document_ids, {"slug": 1}, **indexes.TRASHED).values()}

    def find_titles_by_keyword(
        self, project_id: str, keyword: str, *, exclude: str | None, limit: int
    ) -> Sequence[str]:
        """Returns titles of documents outside the trash that have a keyword; case, accents and spaces are ignored."""
        condition = {"keywordKey": keyword_key(keyword), "_id": {"$ne": object_id(exclude)}, **NOT_DELETED}
        rows = self._find(project_id, condition, fields={"title": 1}, limit=limit, index=indexes.KEYWORDS)
        return [row["title"] for row in rows]

    def find_with_keys(self, project_id: str, keys: Iterable[str]) -> dict[str, StoredDocument]:
        """Returns the documents that have one of the keys, also in the trash, by key."""
        rows = self._find(project_id, {"key": {"$in": [*keys]}}, fields=self.hidden, index=indexes.KEYS)
        return {key: row for row in rows if (key := row.get("key"))}

    def find_titled(self, project_id: str, titles: Iterable[str]) -> Sequence[StoredDocument]:
        """Returns the documents outside the trash that have one of the titles; case is ignored."""
        condition = {"listed": ALL, "titleKey": {"$in": sorted({title.casefold() for title in titles})}}
        return self._find(project_id, condition, fields=self.hidden, index=indexes.BY_TITLE)

    def find_taken_slugs(self, project_id: str, slugs: Sequence[str], exclude: str | None = None) -> set[str]:
        """Returns those of the slugs that documents outside the trash have, or are delivered under, by `slug_key`."""
        keys = {slug: slug_key(slug) for slug in slugs}
        condition = {"slugKeys": {"$in": [*keys.values()]}, "_id": {"$ne": object_id(exclude)}, **NOT_DELETED}
        rows = self._find(project_id, condition, fields={"slugKeys": 1}, index=indexes.SLUGS)
        taken = {key for row in rows for key in cast(Bson, row)["slugKeys"]}
        return {slug for slug, key in keys.items() if key in taken}

    def find_projects_due(self, now: datetime) -> Sequence[str]:
        """Returns the projects with documents to be published by now."""
        # Only a scheduled document has `publishAt`: every move out of `scheduled` clears it.
        return self._projects_with({"publishAt": {"$gt": FIRST_DATE, "$lte": now}})

    def find_due(self, project_id: str, now: datetime, limit: int) -> Sequence[str]:
        """Returns the ids of scheduled documents of a project whose time has come, the longest due first."""
        condition = {"status": DocumentStatus.SCHEDULED, "publishAt": {"$gt": FIRST_DATE, "$lte": now}, **NOT_DELETED}
        rows = self._find(
            project_id, condition, sort=(("publishAt", 1),), limit=limit, fields={"_id": 1}, index=indexes.SCHEDULED
        )
        return [row["id"] for row in rows]

    def find_projects_with_expired(self, now: datetime) -> Sequence[str]:
        """Returns the projects with claims whose lease has run out."""
        return self._projects_with(_lease_expired(now))

    def _projects_with(self, condition: Bson) -> Sequence[str]:
        """Returns the projects with documents that meet a condition, reading one index key for each project."""
        where = {"projectId": {"$gte": FIRST_ID}, **condition}
        rows = self._collection.aggregate([{"$match": where}, {"$group": {"_id": "$projectId"}}])
        return [str(row["_id"]) for row in rows]

    def find_expired(self, project_id: str, now: datetime) -> Sequence[StoredDocument]:
        """Returns documents with a claim whose lease has run out."""
        condition = _lease_expired(now)
        return self._find(
            project_id, condition, limit=EXPIRED_AT_ONCE, fields=self.hidden, index=indexes.EXPIRED_LEASES
        )

    def find_purgeable(self, before: datetime, project_id: str | None) -> StoredDocument | None:
        """Returns `id` and `projectId` of a document that was trashed before an instant and has no event waiting."""
        where = self._purgeable(before, project_id)
        return self.from_bson(self._collection.find_one(where, {"projectId": 1}))

    def count_purgeable(self, before: datetime, project_id: str | None) -> int:
        """Returns how many documents were trashed before an instant and have no event waiting."""
        return self._collection.count_documents(self._purgeable(before, project_id))

    def _purgeable(self, before: datetime, project_id: str | None) -> Bson:
        condition: Bson = {"deletedAt": {"$gt": FIRST_DATE, "$lt": before}, "outbox": []}
        if project_id is None:
            return {"projectId": {"$gte": FIRST_ID}, **condition}
        return self._where(project_id, condition)

    def purge(self, project_id: str, document_id: str, before: datetime) -> int:
        """Deletes a document for good if it is in the trash since before an instant; returns how many were."""
        where = self._purgeable(before, project_id) | {"_id": ObjectId(document_id)}
        return self._collection.delete_one(where, session=self._session).deleted_count

    def has_filed_under(self, project_id: str, field: str, record_id: str) -> bool:
        """Returns whether a document outside the trash is in a category or cluster."""
        return self._exists(project_id, {"listed": reference_entry(field, record_id)})


def is_filed_under(ctx: Context, field: str, record_id: str) -> bool:
    """Returns whether a document outside the trash is in a category or cluster."""
    return ctx.store[Documents].has_filed_under(ctx.project_id, field, record_id)


def _lease_expired(now: datetime) -> Bson:
    return {"brief.state": BriefState.CLAIMED, "brief.claimExpiresAt": {"$gt": FIRST_DATE, "$lte": now}, **NOT_DELETED}


class Revisions(Collection[StoredRevision]):
    """The versions of documents."""

    name = "revisions"

    def add(self, project_id: str, written: Iterable[tuple[StoredDocument, Event, Origin]]) -> None:
        """Stores the current versions of documents, each with the time and author of its event, in one call."""
        rows = [{**_version(document, event), **origin} for document, event, origin in written]
        self._insert_many(project_id, rows)

    def list(self, project_id: str, document_id: str, *, limit: int, offset: int) -> list[StoredRevision]:
        """Returns one page of a document's versions, the newest first."""
        condition = {"documentId": ObjectId(document_id)}
        newest = (("version", DESCENDING),)
        return self._find(project_id, condition, sort=newest, skip=offset, limit=limit)

    def get(self, project_id: str, document_id: str, version: int) -> StoredRevision | None:
        """Returns one version of a document, or None."""
        return self._find_one(project_id, {"documentId": ObjectId(document_id), "version": version})

    def find_with_slugs(self, project_id: str, slugs: Iterable[str]) -> Sequence[StoredRevision]:
        """Returns the slug, document, time and author of the versions that have one of the slugs."""
        fields = {"slug": 1, "documentId": 1, "at": 1, "by": 1}
        return self._find(project_id, {"slug": {"$in": [*slugs]}}, fields=fields, index=indexes.WRITTEN_SLUGS)

    def find_newest(self, project_id: str, documents: Iterable[StoredDocument]) -> dict[str, StoredRevision]:
        """Returns the present version of each document, by the document's id."""
        present: builtins.list[Bson] = [
            {"documentId": ObjectId(one["id"]), "version": one["version"]} for one in documents
        ]
        fields = {"documentId": 1, "by": 1}
        rows = self._find(project_id, {"$or": present}, fields=fields) if present else []
        return {row["documentId"]: row for row in rows}

    def find_read_before(self, project_id: str, document_id: str, version: int) -> StoredRevision | None:
        """Returns the newest version before a number that no script wrote, or None."""
        earlier: Bson = {"documentId": ObjectId(document_id), "version": {"$lt": version}, "scripted": None}
        return next(iter(self._find(project_id, earlier, sort=(("version", DESCENDING),), limit=1)), None)

    def first_versions_by(self, project_id: str, token_id: str, since: datetime) -> Sequence[tuple[str, int]]:
        """Returns the documents that a token wrote since a time, each with its first version that was not undone."""
        written = {"by.id": token_id, "undone": None, "at": {"$gte": since}}
        first = {"$group": {"_id": "$documentId", "version": {"$min": "$version"}}}
        rows = self._aggregate(project_id, written, [first, {"$sort": {"_id": 1}}])
        return [(str(row["_id"]), row["version"]) for row in rows]

    def around(self, project_id: str, firsts: Iterable[tuple[str, int]]) -> Mapping[str, Sequence[StoredRevision]]:
        """Returns the authors of each document's versions from a number on, and of the one before, without fields."""
        documents = [
            {"documentId": ObjectId(document_id), "version": {"$gte": version - 1}} for document_id, version in firsts
        ]
        found: dict[str, list[StoredRevision]] = {str(one["documentId"]): [] for one in documents}
        fields = {"documentId": 1, "version": 1, "by.id": 1, "reverts": 1}
        for row in self._find(project_id, {"$or": documents}, fields=fields):
            found[row["documentId"]].append(row)
        return found

    def mark_undone(self, project_id: str, revision_ids: Sequence[str]) -> None:
        """Marks versions as undone, so that they are undone once."""
        if revision_ids:
            where = self._where(project_id, {"_id": {"$in": object_ids(revision_ids)}})
            self._collection.update_many(where, {"$set": {"undone": True}}, session=self._session)


def _version(document: StoredDocument, event: Event) -> Bson:
    fields = {name: document.get(name) for name in PUBLISHED_FIELDS}
    version = {"documentId": document["id"], "version": document["version"], "bodyId": document.get("contentId")}
    return {**version, **fields, "wordCount": document["wordCount"], "at": event.at, "by": dict(event.by)}
