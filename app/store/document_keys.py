"""How a document is stored, and what is stored besides its own fields, so that lists and searches find it by an index.

`listed` follows the attribute pattern: an array of what the document is listed under, so that one index for each order
serves every filter. All keys are derived from the record by `document_keys`, whenever one is written.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from app.rules.documents import OPEN, StoredDocument
from app.rules.inbox import waiting_since
from app.rules.words import search_words
from app.store.indexes import FIRST_DATE, NOT_DELETED
from app.store.types import Bson, Order, Values
from app.vocabulary import BriefState

ALL, TRASH = "all", "trash"
NO_DUE_DATE = "~"
"""The `dueKey` of a document without a due date: after every date."""
LEASED, CLOSED, MISSING = "brief:leased", "brief:closed", "brief:missing"
"""A claim that has a lease, which may have expired; a ready brief that is not offered, since its document is past
drafting; and no brief."""

STATE_ENTRIES = {
    BriefState.NONE: ("brief:none", MISSING),
    BriefState.READY: ("brief:ready", CLOSED),
    BriefState.CLAIMED: ("brief:claimed", LEASED),
    BriefState.DRAFTED: ("brief:drafted",),
}
"""Under which entries documents with a brief in a state are listed."""

HIDDEN = dict.fromkeys(("outbox", "listed", "words", "titleKey", "dueKey", "waitingSince", "trashedPublication"), 0)
WITH_PUBLICATION = {name: 0 for name in HIDDEN if name != "trashedPublication"}
"""What is not read of a document; for one in the trash its publication is."""


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


def document_keys(record: Values, before: Values | None = None) -> Bson:
    """Returns the keys that are stored with a document, without its words if they are those of `before`."""
    searched = _searched(record)
    return {
        "listed": _listed(record),
        "titleKey": record["title"].casefold(),
        "dueKey": record.get("dueDate") or NO_DUE_DATE,
        "waitingSince": waiting_since(record),
        **({} if before and _searched(before) == searched else {"words": search_words(*searched)}),
    }


def reference_entry(name: str, record_id: str | None) -> str:
    """Returns the entry of the documents that name a record: `category:…`, or `category:none` for those without."""
    return f"{name.removesuffix('Id')}:{record_id or 'none'}"


def published_entry(is_published: bool) -> str:
    """Returns the entry of the documents that are published, or not."""
    return f"published:{str(is_published).lower()}"


def brief_entries(states: Sequence[BriefState]) -> list[str]:
    """Returns the entries of documents whose brief is stored in one of the states."""
    return list(dict.fromkeys(entry for state in states for entry in STATE_ENTRIES[state]))


def lease_filter(states: Sequence[BriefState], now: datetime) -> Bson:
    """Returns the condition that leaves out claims whose lease has expired, where only claims are wanted.

    Briefs in other states have no lease, and meet the condition.
    """
    if BriefState.READY in states or BriefState.CLAIMED not in states:
        return {}
    return {"brief.claimExpiresAt": {"$not": {"$lte": now}}}


def adds_expired(states: Sequence[BriefState]) -> bool:
    """Returns whether a list has claims whose lease expired, which count as ready, besides what is stored as ready."""
    return BriefState.READY in states and BriefState.CLAIMED not in states


def expired(now: datetime) -> Bson:
    """Returns the condition of briefs that are stored as claimed although the lease has expired.

    They are few, as the worker records within seconds that they are ready, and `EXPIRED_LEASES` has them.
    """
    return {"brief.state": BriefState.CLAIMED, "brief.claimExpiresAt": {"$gt": FIRST_DATE, "$lte": now}, **NOT_DELETED}


def sort_key(record: Values, order: Order) -> list[Any]:
    """Returns what a record is sorted by, as MongoDB compares it; no due date comes last both ways."""
    keys = {
        "_id": record["id"],
        "titleKey": record["title"].casefold(),
        "dueKey": record.get("dueDate") or (NO_DUE_DATE if order[0][1] > 0 else ""),
    }
    return [keys[name] if name in keys else record[name] for name, _ in order]


def _searched(document: Values) -> tuple[str, ...]:
    """Returns the texts that searches look into."""
    return document["title"], document["slug"], (document.get("brief") or {}).get("keyword") or ""


def _listed(document: Values) -> list[str]:
    if document["deletedAt"] is not None:
        return [TRASH]
    references = [reference_entry(name, document.get(name)) for name in ("clusterId", "categoryId", "assigneeId")]
    status, published = f"status:{document['status']}", published_entry(document["isPublished"])
    return [ALL, status, *references, _brief_entry(document), published]


def _brief_entry(document: Values) -> str:
    brief: dict[str, Any] | None = document.get("brief")
    if brief is None:
        return MISSING
    if brief["state"] == BriefState.READY and document["status"] not in OPEN:
        return CLOSED
    if brief["state"] == BriefState.CLAIMED and brief.get("claimExpiresAt") is not None:
        return LEASED
    return f"brief:{brief['state']}"
