"""How a document is stored, and what is stored besides its own fields, so that lists and searches find it by an index.

`listed` follows the attribute pattern: an array of what the document is listed under, so that one index for each order
serves every filter. All keys are derived from the record by `document_keys`, whenever one is written.
"""

from collections.abc import Callable, Sequence
from typing import Any

from app.core.features import NO_FEATURES, Features
from app.core.slugs import slug_key
from app.core.store.collection import OutboxCollection
from app.core.store.store import Store
from app.core.store.types import Bson, Values
from app.core.text.words import folded, search_words
from app.core.vocabulary import BriefState
from app.documents.record import OPEN, StoredDocument

ALL, TRASH = "all", "trash"
NO_DUE_DATE = "~"
"""The `dueKey` of a document without a due date: after every date."""
CLOSED, MISSING = "brief:closed", "brief:missing"
"""A ready brief that is not offered, since its document is past drafting; and no brief."""

STATE_ENTRIES = {
    BriefState.NONE: ("brief:none", MISSING),
    BriefState.READY: ("brief:ready", CLOSED),
    BriefState.CLAIMED: ("brief:claimed",),
    BriefState.DRAFTED: ("brief:drafted",),
}
"""Under which entries documents with a brief in a state are listed."""

HIDDEN = dict.fromkeys(
    ("outbox", "listed", "words", "titleKey", "dueKey", "slugKeys", "keywordKey", "trashedPublication"), 0
)
"""Fields of a document that are not read, besides the keys of features."""


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


def document_keys(record: Values, before: Values | None = None, features: Features = NO_FEATURES) -> Bson:
    """Returns the keys that are stored with a document, without those of its names if these are those of `before`."""
    return {
        "listed": [*_listed(record), *features.entries_of_document(record)],
        "titleKey": record["title"].casefold(),
        "dueKey": record.get("dueDate") or NO_DUE_DATE,
        **{name: key(record) for name, key in features.document_keys.items()},
        **({} if before and _named(before) == _named(record) else _name_keys(record)),
    }


class KeyedDocuments(OutboxCollection[StoredDocument]):
    """The collection of documents, each stored with its keys."""

    name = "documents"
    from_bson: Callable[[Any], StoredDocument] = staticmethod(document_from_bson)
    event_data = (("documentId", "id"),)
    counters = ("rev", "remarks")

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.hidden = HIDDEN | dict.fromkeys(store.features.document_keys, 0)

    def keys(self, record: Values, before: Values | None = None) -> Bson:
        return document_keys(record, before, self._store.features)


def _named(document: Values) -> tuple[object, ...]:
    return *_searched(document), document["slugs"]


def _name_keys(document: Values) -> Bson:
    searched = _searched(document)
    return {
        "words": search_words(*searched),
        "slugKeys": sorted({slug_key(slug) for slug in document["slugs"]}),
        "keywordKey": keyword_key(searched[-1]),
    }


def keyword_key(keyword: str) -> str:
    """Returns what keywords are compared by: without case, accents and spaces."""
    return "".join(folded(keyword).split())


def reference_entry(name: str, record_id: str | None) -> str:
    """Returns the entry of the documents that name a record: `category:…`, or `category:none` for those without."""
    return f"{name.removesuffix('Id')}:{record_id or 'none'}"


def published_entry(is_published: bool) -> str:
    """Returns the entry of the documents that are published, or not."""
    return f"published:{str(is_published).lower()}"


def brief_entries(states: Sequence[BriefState]) -> list[str]:
    """Returns the entries of documents whose brief is in one of the states."""
    return list(dict.fromkeys(entry for state in states for entry in STATE_ENTRIES[state]))


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
    return f"brief:{brief['state']}"
