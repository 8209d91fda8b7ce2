"""The records of documents: what all writes of them share, and lists of them by their indexes."""

import builtins
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, Literal

from bson import ObjectId

from app.errors import WriteConflict
from app.rules.documents import StoredDocument
from app.rules.events import Event
from app.rules.words import search_words
from app.store.collection import DEEP_OFFSET, DESCENDING, OutboxCollection, object_id, object_ids
from app.store.conditions import DOCUMENT_EVENT_DATA, brief_state_filter, expire_lease_stage, lease_expired_filter
from app.store.indexes import (
    ALL_BY,
    BRIEFS_BY_DUE,
    EXPIRED_LEASES,
    FILTERED_BY,
    KEYS,
    NOT_DELETED,
    PUBLISHED_AT,
    SCHEDULED,
    SLUGS,
    SORT_KEYS,
    TRASH_BY,
    TRASHED,
    TRASHED_SLUGS,
    WORDS,
    Index,
)
from app.store.types import Bson, Values
from app.vocabulary import BriefState, DocumentStatus

NO_DUE_DATE = "~"
"""The `dueKey` of a document without a due date: after every date."""
WORD_KEYS = ("titleWords", "slugWords", "keywordWords")
HIDDEN = dict.fromkeys(("outbox", "words", *WORD_KEYS, "trashedPublication"), 0)
WITH_PUBLICATION = {name: 0 for name in HIDDEN if name != "trashedPublication"}
NOT_LISTED = HIDDEN | dict.fromkeys(("slugs", "pastSlugs", "titleKey", "dueKey", "review", "submittedBy"), 0)
FILTER_FIELDS = {
    "assigneeId": "assigneeId",
    "clusterId": "clusterId",
    "categoryId": "categoryId",
    "dueDays": "dueDate",
    "briefState": "status",
    "status": "status",
}
"""The filters of lists that have indexes, by the first field of these; the one that finds fewest comes first."""
STATUS_FILTERS = {"briefState", "status"}
"""The filters that share the indexes of `status` and `brief.state`: for one alone, all values of the other named."""
MOST_MERGED = 100
"""Up to how many values of a filter, or days of a range, the parts of an index are merged into one order; MongoDB
merges up to 200."""
FILTER_NAMES = (*FILTER_FIELDS, "isPublished", "dueBefore", "dueAfter", "updatedSince", "words", "slug", "key")
WORDS_TRIED = 5
MAX_SORTED = 500
"""Up to how many documents of a list are sorted here by their keys, rather than read in the order of an index."""

Filters = Mapping[str, Any]
"""The filters of a list, as `DocumentQuery` loads them."""

_ID_FIELDS = frozenset(name for name in StoredDocument.__annotations__ if name.endswith("Id"))


def document_from_bson(record: Any) -> Any:
    """Returns a document of MongoDB, changed in place to have hex digits for its ObjectIds; None for None.

    Only `_ID_FIELDS` have any. Looking at each value of 50 rows, as `from_bson` does, took an eighth of their page.
    """
    if record is not None:
        record["id"] = str(record.pop("_id"))
        for name in _ID_FIELDS.intersection(record):
            if record[name] is not None:
                record[name] = str(record[name])
    return record


class DocumentRecords(OutboxCollection[StoredDocument]):
    """What all writes of documents share."""

    name = "documents"
    hidden = HIDDEN
    from_bson: Callable[[Any], StoredDocument] = staticmethod(document_from_bson)
    event_data = DOCUMENT_EVENT_DATA

    def _write_stages(self, event: Event, changes: Values, computed: Values) -> list[Bson]:
        """Returns the stages of a change; before them, the one that records an expired lease."""
        return [expire_lease_stage(event.at), *self._change_stages(event, changes, computed)]

    def _change_stages(self, event: Event, changes: Values, computed: Values) -> list[Bson]:
        """Returns the stages of a change of a document without expired lease, with the keys that lists need."""
        keys = search_keys(changes)
        written = {**changes, **keys, "updatedAt": event.at}
        if any(name in keys for name in WORD_KEYS):
            united = [{"$literal": keys[name]} if name in keys else f"${name}" for name in WORD_KEYS]
            computed = {"words": {"$setUnion": united}, **computed}
        return super()._write_stages(event, written, computed)

    def lock(self, project_id: str, document_id: str) -> None:
        """Makes every other write of a document wait for this transaction, or run again after it."""
        where = self._where(project_id, {"_id": ObjectId(document_id)})
        self._collection.update_one(where, {"$inc": {"rev": 1}}, session=self._session)

    def has_expired_leases(self, project_id: str, now: datetime) -> bool:
        """Returns whether a claim of the project is still stored as claimed although its lease expired."""
        return self._exists(project_id, lease_expired_filter(now) | NOT_DELETED, index=EXPIRED_LEASES)


class DocumentLists(DocumentRecords):
    """Pages of the project's documents, with filters and in an order."""

    def list(
        self, project_id: str, filters: Filters, now: datetime, *, sort: str, limit: int, offset: int
    ) -> list[StoredDocument]:
        """Returns one page of documents without their long texts; `filters` are those of `DocumentQuery`.

        Up to `MAX_SORTED` documents are sorted here by their sort keys, more are read in the order of an index: MongoDB
        sorts no records in memory in either case.
        """
        key, way = SORT_KEYS[sort.removeprefix("-")], DESCENDING if sort.startswith("-") else 1
        filters = filters if key == "dueKey" else _with_due_days(filters)
        condition = self._filtered(project_id, filters, now)
        undated_last = sort == "-dueDate" and "dueDate" not in condition
        rows = self._unsorted(project_id, filters, condition, key)
        if rows is not None:
            rows = sorted(
                rows,
                key=lambda row: (not undated_last or row[key] != NO_DUE_DATE, row[key], row["id"]),
                reverse=way == DESCENDING,
            )
            page = [row["id"] for row in rows[offset : offset + limit]]
            return self._with_ids(project_id, condition, page, NOT_LISTED)
        index, order = _index_in_order(filters, key, offset), ((key, way), ("_id", way))
        if index is FILTERED_BY["status", key]:
            condition = _with_all_statuses(condition)
        condition = _from_due_key(condition, index)
        read_page = partial(self._page_in_order, project_id, index=index, fields=NOT_LISTED)
        if not undated_last:
            return read_page(condition, sort=order, offset=offset, limit=limit)
        dated, undated = condition | {key: {"$lt": NO_DUE_DATE}}, condition | {key: NO_DUE_DATE}
        found = read_page(dated, sort=order, offset=offset, limit=limit)
        if len(found) < limit:
            before = offset if found or not offset else self._count(project_id, dated, index)
            if before > offset:
                raise WriteConflict  # documents got a due date since the first of the reads
            found += read_page(undated, sort=order[1:], offset=offset - before, limit=limit - len(found))
            if len({row["id"] for row in found}) < len(found):
                raise WriteConflict  # a document lost its due date between the reads
        return found

    def dated(
        self,
        project_id: str,
        filters: Filters,
        now: datetime,
        *,
        time: Literal["publishAt", "publishedAt"],
        since: datetime,
        before: datetime,
        limit: int,
    ) -> builtins.list[StoredDocument]:
        """Returns the documents that are scheduled for, or were published in, a span of time, the latest first."""
        within: Bson = {time: {"$gte": since, "$lt": before}}
        given: Bson = {} if time == "publishAt" else {"isPublished": True}
        index = SCHEDULED if time == "publishAt" else PUBLISHED_AT
        condition = self._filtered(project_id, {**filters, **given}, now) | within
        return self._find(project_id, condition, sort=[(time, DESCENDING)], limit=limit, fields=NOT_LISTED, index=index)

    def count(self, project_id: str, filters: Filters, now: datetime) -> int:
        """Returns how many documents a list has on all of its pages, counted by the keys of an index."""
        condition, index = self._filtered(project_id, filters, now), _index_of_count(filters)
        if index is WORDS and (found := self._with_rarest_word(project_id, filters["words"])) is not None:
            return self._count(project_id, {"_id": {"$in": object_ids(found)}, **condition})
        return self._count(project_id, _from_due_key(condition, index), index)

    def _unsorted(self, project_id: str, filters: Filters, condition: Bson, key: str) -> Sequence[Values] | None:
        """Returns the ids and sort keys of all documents of a list, in no order; None where they may be many."""
        index = _index_of_unsorted(filters, key)
        if index is WORDS:
            found = self._with_rarest_word(project_id, filters["words"])
            if found is None:
                return None
            return self._find(project_id, {"_id": {"$in": object_ids(found)}, **condition}, fields={key: 1})
        if index is None:
            return None
        condition = _from_due_key(condition, index)
        rows = self._find(project_id, condition, fields={key: 1}, limit=MAX_SORTED + 1, index=index)
        return rows if len(rows) <= MAX_SORTED else None

    def _with_rarest_word(self, project_id: str, words: Sequence[str]) -> builtins.list[str] | None:
        """Returns the ids of documents outside the trash that have the rarest of the words; None where they are many.

        Only the longest few words are tried: long words are rarer.
        """
        for word in sorted(words, key=len, reverse=True)[:WORDS_TRIED]:
            rows = self._find(
                project_id, {"words": word, **NOT_DELETED}, fields={"_id": 1}, limit=MAX_SORTED + 1, index=WORDS
            )
            if len(rows) <= MAX_SORTED:
                return [row["id"] for row in rows]
        return None

    def _filtered(self, project_id: str, filters: Filters, now: datetime) -> Bson:
        condition: Bson = dict(TRASHED if filters.get("deleted") else NOT_DELETED)
        for name in ("status", "categoryId", "clusterId", "assigneeId"):
            if (wanted := filters.get(name)) is not None:
                many = wanted if name == "status" else [object_id(one) for one in wanted]
                condition[name] = many[0] if len(many) == 1 else {"$in": many}
        if (days := filters.get("dueDays")) is not None:
            condition["dueDate"] = {"$in": days}
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


def search_keys(changes: Values) -> Bson:
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


def _from_due_key(condition: Bson, index: Index) -> Bson:
    """Returns a condition that has a range of due dates begin and end at these in an index of `dueKey`."""
    if "dueDate" not in condition or ("dueKey", 1) not in index.keys:
        return condition
    return {**condition, "dueKey": {"$lt": NO_DUE_DATE, **condition["dueDate"]}}


def _index_in_order(filters: Filters, key: str, offset: int) -> Index:
    """Returns the index that has a list in its order and that skips most of what the filters leave out.

    Far from the beginning it is one that has every field of the condition.
    """
    if filters.get("deleted"):
        return TRASH_BY[key]
    name = _indexed_filter(filters)
    given = {name for name in FILTER_NAMES if filters.get(name) is not None}
    alone = given <= STATUS_FILTERS or len(given) == 1
    return (
        ALL_BY[key] if name is None or (offset >= DEEP_OFFSET and not alone) else FILTERED_BY[FILTER_FIELDS[name], key]
    )


def _indexed_filter(filters: Filters) -> str | None:
    """Returns the first filter that has an index in each order, or None."""
    for name in FILTER_FIELDS:
        wanted = filters.get(name)
        if wanted is not None and len(wanted) <= MOST_MERGED:
            return name
    return None


def _with_all_statuses(condition: Bson) -> Bson:
    """Returns a condition that names values of both fields of the indexes of `status` and `brief.state`."""
    states = {} if "$or" in condition else {"brief.state": {"$in": [*BriefState, None]}}
    return {"status": {"$in": [*DocumentStatus]}, **states, **condition}


def _with_due_days(filters: Filters) -> Filters:
    """Returns filters with the days of a short range of due dates in its place, for the parts of an index to be merged.

    No index has a range of one field in the order of another.
    """
    first, last = filters.get("dueAfter"), filters.get("dueBefore")
    if filters.get("deleted") or first is None or last is None:
        return filters
    begin = date.fromisoformat(first)
    count = (date.fromisoformat(last) - begin).days + 1
    if count > MOST_MERGED:
        return filters
    days = [(begin + timedelta(days=number)).isoformat() for number in range(count)]
    return {**filters, "dueAfter": None, "dueBefore": None, "dueDays": days}


def _index_of_unsorted(filters: Filters, key: str) -> Index | None:
    """Returns the index that finds the documents of a list in any order, where none has them in the list's order."""
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
    if key != "dueKey" and (filters.get("dueAfter") or filters.get("dueBefore")):
        return ALL_BY["dueKey"]
    return None


def _index_of_count(filters: Filters) -> Index:
    """Returns the index whose keys tell how many documents a list has; for words and keys it reads documents too."""
    if filters.get("slug") is not None:
        return TRASHED_SLUGS if filters.get("deleted") else SLUGS
    if filters.get("key") is not None:
        return KEYS
    if filters.get("deleted"):
        return TRASH_BY["updatedAt"]
    if filters.get("words") is not None:
        return WORDS
    given = [name for name in FILTER_NAMES if filters.get(name) is not None]
    if given == ["briefState"]:
        return BRIEFS_BY_DUE  # which has leases too
    if "updatedSince" not in given and ("dueAfter" in given or "dueBefore" in given):
        return ALL_BY["dueKey"]
    alone = given[0] if len({*given} - {"updatedSince"}) == 1 else ""
    return FILTERED_BY.get((alone, "updatedAt"), ALL_BY["updatedAt"])
