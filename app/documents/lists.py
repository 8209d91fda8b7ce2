"""Lists of documents: which index has a list in its order, and what else each record has to meet.

The rule is short: the index of the list's order, with the entries of the leading filter (`LEADING`); MongoDB merges
several entries in order (`SORT_MERGE`). Further filters are looked at in the records. What finds few documents by an
index of its own (`_plan`) is found by that, and sorted by MongoDB.
"""

import builtins
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from app.core.errors import WriteConflict
from app.core.slugs import slug_key
from app.core.store.collection import DESCENDING, object_id, object_ids
from app.core.store.indexes import NOT_DELETED, Index
from app.core.store.types import Bson, Order, Projection
from app.core.vocabulary import BriefState
from app.documents import indexes
from app.documents.keys import (
    ALL,
    CLOSED,
    MISSING,
    NO_DUE_DATE,
    TRASH,
    KeyedDocuments,
    brief_entries,
    published_entry,
    reference_entry,
)
from app.documents.record import StoredDocument

ORDERS = {
    "updatedAt": indexes.BY_UPDATE,
    "createdAt": indexes.BY_CREATION,
    "title": indexes.BY_TITLE,
    "dueDate": indexes.BY_DUE_DATE,
}
"""Sort keys of lists of documents, each with its index."""
ORDER_KEYS = {
    "updatedAt": ("updatedAt", "_id"),
    "createdAt": ("createdAt", "_id"),
    "title": ("titleKey", "_id"),
    "dueDate": ("dueKey", "createdAt", "_id"),
}
LEADING = ("offered", "clusterId", "categoryId", "assigneeId", "briefState", "status", "isPublished")
"""The filters by entries, the one that finds fewest first: it leads. `offered` are states of briefs in lists of briefs:
it leaves out documents without one, and ready ones that are not offered."""
BRIEF_STATES = ("offered", "briefState")
MOST_MERGED = 100
"""Up to how many entries are merged into one order; MongoDB merges up to 200."""
FEW = 1_000
"""Up to how many documents are sorted, rather than read in the order of an index."""
FEW_DUE = 5_000
"""The same of documents due within some days, which are often far from both ends of another order."""
MOST_KEYS = 30_000
"""Up to how many keys are sorted, where an index has those of the order too: the records of other pages are not read.

What is due in some months was often created in some, so the order of creation has it far from both ends."""
MOST_AMONG = 100_000
"""How many documents of a list are looked for among ids that a feature's filter found."""
WORDS_TRIED = 5
NOT_LISTED = dict.fromkeys(("slugs", "pastSlugs", "review", "submittedBy"), 0)
"""Fields that lists leave out, besides those that are never read."""
BRIEF_ITEM = dict.fromkeys(
    (
        *("title", "status", "dueDate", "categoryId"),
        *("brief.keyword", "brief.intent", "brief.state", "brief.claimedBy", "brief.claimExpiresAt"),
    ),
    1,
)
"""Projection of a document in a list of briefs."""

Filters = Mapping[str, Any]
"""The filters of a list, as `DocumentQuery` loads them."""


class DocumentLists(KeyedDocuments):
    """The collection of documents, and lists of them."""

    def list(
        self,
        project_id: str,
        filters: Filters,
        *,
        sort: str,
        limit: int,
        offset: int,
        fields: Projection = None,
    ) -> Sequence[Any]:
        """Returns one page of documents, those of their fields that are not long; `filters` are of `DocumentQuery`."""
        name, way = sort.removeprefix("-"), DESCENDING if sort.startswith("-") else 1
        index, condition = self._plan(project_id, filters, in_order=ORDERS[name])
        order = tuple((key, way) for key in ORDER_KEYS[name])
        shown = fields or {**self.hidden, **NOT_LISTED}
        if index is None or (ids := filters.get("ids")) is None:
            return self._page(project_id, condition, index, order, shown, limit, offset)
        found: builtins.list[str] = []
        for most in (10 * (offset + limit), MOST_AMONG):
            found = self._among(project_id, condition, index, order, ids, most)[offset : offset + limit]
            if len(found) == limit:
                break
        rows = self._by_id(project_id, found, shown, **condition)
        return [rows[one] for one in found if one in rows]

    def list_briefs(
        self, project_id: str, states: Sequence[BriefState], *, limit: int, offset: int
    ) -> Sequence[StoredDocument]:
        """Returns one page of documents with a brief in one of the states, due soonest first."""
        filters = {"offered": states}
        return self.list(project_id, filters, sort="dueDate", limit=limit, offset=offset, fields=BRIEF_ITEM)

    def next_ready(self, project_id: str, filters: Mapping[str, str], *, limit: int) -> Sequence[StoredDocument]:
        """Returns documents whose briefs are ready, due soonest first; `filters` may name a category and a cluster."""
        if None in map(object_id, filters.values()):
            return []  # no category or cluster has this id; in the condition, null means documents without one
        within = {name: [one] for name, one in filters.items()}
        ready = {"offered": [BriefState.READY], **within}
        return self.list(project_id, ready, sort="dueDate", limit=limit, offset=0, fields=self.hidden)

    def _page(
        self,
        project_id: str,
        condition: Bson,
        index: Index | None,
        order: Order,
        fields: Projection,
        limit: int,
        offset: int,
    ) -> Sequence[StoredDocument]:
        """Returns one page in an order; documents without a due date come last both ways."""
        read_page = partial(self._page_in_order, project_id, index=index, fields=fields)
        if order[:1] != (("dueKey", DESCENDING),):
            return read_page(condition, sort=order, limit=limit, offset=offset)
        dated = {"$and": [condition, {"dueKey": {"$lt": NO_DUE_DATE}}]}
        undated = {"$and": [condition, {"dueKey": NO_DUE_DATE}]}
        page = read_page(dated, sort=order, limit=limit, offset=offset)
        if len(page) == limit:
            return page
        skipped = offset if page or not offset else self._count(project_id, dated, index)
        if skipped > offset:
            raise WriteConflict  # documents got a due date since the first of the reads
        page = [*page, *read_page(undated, sort=order[1:], limit=limit - len(page), offset=offset - skipped)]
        if len({row["id"] for row in page}) < len(page):
            raise WriteConflict  # a document lost its due date between the reads
        return page

    def _among(
        self, project_id: str, condition: Bson, index: Index, order: Order, ids: Collection[str], most: int
    ) -> builtins.list[str]:
        """Returns, in an order, those of the first `most` documents of a list that are among very many ids.

        The ids of the list are read from the index alone. With the others in its condition MongoDB looks each up there:
        30,000 take 0.8 s instead of 0.1.
        """
        rows = self._page(project_id, condition, index, order, {"_id": 1}, most, 0)
        return [row["id"] for row in rows if row["id"] in ids]

    def count(self, project_id: str, filters: Filters) -> int:
        """Returns how many documents a list has on all of its pages."""
        # The index that has the keys of the condition, so that no record is read.
        of_due_date = _due(filters) and not _updated(filters)
        in_order = indexes.BY_DUE_DATE if of_due_date else indexes.BY_UPDATE
        index, condition = self._plan(project_id, filters, in_order=in_order)
        if index is None or (ids := filters.get("ids")) is None:
            return self._count(project_id, condition, index)
        return len(self._among(project_id, condition, index, (), ids, MOST_AMONG))

    def _plan(self, project_id: str, filters: Filters, *, in_order: Index) -> tuple[Index | None, Bson]:
        """Returns the index that a list is read by, None for that of ids, and its condition.

        That is the index `in_order`, or one of a filter that few documents meet; these are then sorted.
        """
        condition = condition_of(filters)
        if (ids := filters.get("ids")) is not None and len(ids) <= FEW:
            return None, condition | {"_id": {"$in": object_ids(ids)}}
        if filters.get("deleted"):
            return in_order, condition
        if filters.get("slug") is not None:
            return indexes.SLUGS, condition
        if filters.get("key") is not None:
            return indexes.KEYS, condition
        for index, narrow in _ranges(filters, condition["listed"]):
            has_order = (index, in_order) == (indexes.BY_DUE_DATE, indexes.BY_CREATION) and condition == narrow
            most = MOST_KEYS if has_order else FEW_DUE if index == indexes.BY_DUE_DATE else FEW
            if index != in_order and self._count(project_id, narrow, index, limit=most + 1) <= most:
                return index, condition | (_words(filters, first=narrow["words"]) if "words" in narrow else {})
        return in_order, condition


def _ranges(filters: Filters, listed: Any) -> Iterator[tuple[Index, Bson]]:
    """Yields the filters that have an index of their own, as conditions; of words the longest, as they are rarer."""
    for word in sorted(filters.get("words") or (), key=len, reverse=True)[:WORDS_TRIED]:
        yield indexes.WORDS, {"words": word, **NOT_DELETED}
    if beginning := filters.get("beginning"):
        yield indexes.WORDS, {"words": _begins(beginning), **NOT_DELETED}
    if filters.get("updatedSince") is not None:
        yield indexes.BY_UPDATE, {"listed": listed, **_updated(filters)}
    if due := _due(filters):
        yield indexes.BY_DUE_DATE, {"listed": listed, **due}


def condition_of(filters: Filters) -> Bson:
    """Returns the condition of a list: the entries of its leading filter, and what else the records have to meet."""
    given = [name for name in LEADING if filters.get(name) is not None]
    leading = _leading(filters)
    entries = [TRASH if filters.get("deleted") else ALL] if leading is None else _entries(leading, filters[leading])
    condition: Bson = {"listed": entries[0] if len(entries) == 1 else {"$in": entries}}
    for name in given:
        if name != leading:
            condition |= _of_record(name, filters[name])
    for name in ("slug", "key"):
        if (values := filters.get(name)) is not None:
            condition[name] = {"$in": values}
    if filters.get("slug") is not None and not filters.get("deleted"):
        condition |= {"slugKeys": {"$in": [*map(slug_key, filters["slug"])]}, **NOT_DELETED}  # which has the index
    if (authors := filters.get("authorId")) is not None:
        condition |= _of_record("authorId", authors)
    if words := _words(filters):
        condition |= words | ({} if filters.get("deleted") else NOT_DELETED)
    return condition | _updated(filters) | _due(filters) | _created(filters)


def _leading(filters: Filters) -> str | None:
    """Returns the filter whose entries a list is read by; None where it is read by all, or by those in the trash."""
    if filters.get("deleted"):
        return None
    given = [name for name in LEADING if filters.get(name) is not None]
    return next((name for name in given if len(_entries(name, filters[name])) <= MOST_MERGED), None)


def _entries(name: str, wanted: Any) -> list[str]:
    """Returns the entries of a filter."""
    if name == "isPublished":
        return [published_entry(wanted)]
    if name == "status":
        return [f"status:{one}" for one in wanted]
    if name in BRIEF_STATES:
        entries = brief_entries([BriefState(one) for one in wanted])
        return [one for one in entries if name == "briefState" or one not in (CLOSED, MISSING)]
    return [reference_entry(name, one and one.lower()) for one in wanted]


def _of_record(name: str, wanted: Any) -> Bson:
    """Returns a filter that does not lead, as a condition of the record."""
    if name == "isPublished":
        return {"isPublished": wanted}
    if name in BRIEF_STATES:
        return {"brief.state": {"$in": [*wanted, *([None] if BriefState.NONE in wanted else [])]}}
    return {name: {"$in": wanted if name == "status" else [object_id(one) for one in wanted]}}


def _words(filters: Filters, first: Any = None) -> Bson:
    """Returns what the words of a record have to meet: all whole ones, and one with the beginning.

    MongoDB looks up the first of whole words, rather than a beginning; `first` is what it is to look up.
    """
    whole, beginning = filters.get("words") or (), filters.get("beginning")
    if isinstance(first, dict):
        lacking = [{"words": {"$ne": word}} for word in whole]  # which no index finds
        return {"words": first} | ({"$nor": lacking} if lacking else {})
    wanted = {"$all": [*([first] if first else []), *whole]} if whole else {}
    wanted |= _begins(beginning) if beginning else {}
    return {"words": wanted} if wanted else {}


def _begins(beginning: str) -> Bson:
    return {"$regex": f"^{beginning}"}  # of letters, digits and marks: nothing to escape


def _updated(filters: Filters) -> Bson:
    since = filters.get("updatedSince")
    return {} if since is None else {"updatedAt": {"$gte": since}}


def _created(filters: Filters) -> Bson:
    """Returns the condition of documents that follow one in the order of creation, newest first."""
    if (after := filters.get("createdBefore")) is None:
        return {}
    at, last = after
    return {"createdAt": {"$lte": at}, "$nor": [{"createdAt": at, "_id": {"$gte": object_id(last)}}]}


def _due(filters: Filters) -> Bson:
    bounds = {"$gte": filters.get("dueAfter"), "$lte": filters.get("dueBefore")}
    days = {operator: day for operator, day in bounds.items() if day is not None}
    return {"dueKey": {"$lt": NO_DUE_DATE, **days}} if days else {}
