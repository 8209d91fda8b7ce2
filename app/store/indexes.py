"""Every index and why; `db init` makes them, `db check` tells what differs.

Every unique index begins with `projectId`, so that the collections can be sharded by it; the exception is the one
that finds a token before its project is known. Lists look at documents outside the trash alone, so their indexes
hold only those.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bson import ObjectId
from pymongo.errors import OperationFailure

LIVE = {"deletedAt": None}
EPOCH = datetime(1, 1, 1, tzinfo=UTC)
"""Before every deletion: what compares later was deleted."""
FIRST_ID = ObjectId("0" * 24)
"""Before every id: with it, a condition on all projects can skip along an index from project to project."""
WAITING = {"outbox.at": {"$exists": True}}
DELIVERED: dict[str, Any] = {"partialFilterExpression": LIVE | {"isPublished": True}}
LEASED = LIVE | {"brief.claimExpiresAt": {"$gt": EPOCH}}
DAY_SECONDS = 86_400

OUTBOXES = ("documents", "categories", "clusters", "members", "webhooks", "tokens", "projects")
"""The collections whose records have an outbox."""

CONFLICTS = (85, 86)
"""MongoDB's codes for an index that is there already, with another name or other options."""


@dataclass(frozen=True)
class Index:
    """One index: its collection, its keys in order, what it is for, and MongoDB's options."""

    collection: str
    keys: tuple[tuple[str, int], ...]
    why: str
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The index's name: its keys, and whether it holds live documents alone."""
        keys = "_".join(f"{key}{'' if order == 1 else '-'}" for key, order in self.keys)
        return keys + ("_live" if self.options.get("partialFilterExpression") == LIVE else "")


def _index(collection: str, keys: str, why: str, **options: Any) -> Index:
    order = tuple((key.removeprefix("-"), -1 if key.startswith("-") else 1) for key in keys.split())
    return Index(collection, order, why, options)


def _live(keys: str, why: str, **options: Any) -> Index:
    return _index("documents", f"projectId {keys}", why, partialFilterExpression=LIVE, **options)


BRIEFS_BY_DUE = _live("brief.state dueKey createdAt _id", "lists of briefs, and the next one to claim")

INDEXES: tuple[Index, ...] = (
    _live("slugs", "a slug, current or delivered, is one document's", unique=True),
    BRIEFS_BY_DUE,
    _index(
        "documents",
        "projectId dueKey createdAt _id brief.claimExpiresAt",
        "briefs that are ready because a lease ran out, among those",
        partialFilterExpression=LEASED,
    ),
    *(_live(f"{key} _id", f"all documents by {key}") for key in ("updatedAt", "createdAt", "titleKey", "dueKey")),
    _live("dueDate _id", "all documents, the latest due first: null is before every date"),
    *(
        _live(f"{field} {key} _id", f"documents of one {field} by {key}")
        for field in ("status", "categoryId", "clusterId", "assigneeId")
        for key in ("updatedAt", "dueKey")
    ),
    _live("words", "searches for whole words"),
    _live("snapshot.categoryId", "is a category delivered?"),
    _index("documents", "projectId -publishedAt _id", "what is delivered, newest first", **DELIVERED),
    _index(
        "documents", "projectId snapshot.categoryId -publishedAt _id", "what is delivered in a category", **DELIVERED
    ),
    _index("documents", "projectId -snapshot.updatedAt", "when a feed last changed", **DELIVERED),
    _index(
        "documents",
        "projectId -createdAt _id",
        "what a preview adds to what is delivered",
        partialFilterExpression=LIVE | {"isPublished": False},
    ),
    _index(
        "documents",
        "projectId deletedAt",
        "the trash",
        partialFilterExpression={"deletedAt": {"$gt": EPOCH}},
    ),
    _index(
        "documents",
        "projectId publishAt",
        "scheduled documents that are due, and the projects that have some",
        partialFilterExpression={"publishAt": {"$gt": EPOCH}},
    ),
    *(
        _index(name, "projectId outbox.at", "the relay finds what waits", partialFilterExpression=WAITING)
        for name in OUTBOXES
    ),
    _index("documents", "brief.claimExpiresAt", "claims whose lease ran out", partialFilterExpression=LEASED),
    _index("documents", "projectId brief.claimExpiresAt", "the same, of a project", partialFilterExpression=LEASED),
    _index("intents", "projectId tokenId slot", "the cap of drafts a token", unique=True),
    _index("intents", "projectId tokenId -updatedAt -_id", "lists of drafts"),
    _index(
        "clusters",
        "projectId nameKey",
        "a cluster's name is unique; lists by name",
        unique=True,
        partialFilterExpression=LIVE,
    ),
    _index("categories", "projectId slug", "a category's slug is unique", unique=True, partialFilterExpression=LIVE),
    _index("categories", "projectId nameKey _id", "lists by name", partialFilterExpression=LIVE),
    _index("categories", "projectId categoryId", "does a category have subcategories?", partialFilterExpression=LIVE),
    _index("members", "projectId nameKey _id", "lists by name", partialFilterExpression=LIVE),
    _index("tokens", "hash", "finds a caller, before any project is known", unique=True),
    _index("tokens", "projectId _id", "lists of a project's tokens"),
    _index("idempotency", "projectId tokenId key", "a key is used once", unique=True),
    _index("idempotency", "at", "keys are kept for a day", expireAfterSeconds=DAY_SECONDS),
    _index("revisions", "projectId documentId version", "a document's history; each version once", unique=True),
    _index("bodies", "projectId documentId _id", "all texts of a document, to purge or export them"),
    _index("events", "projectId sequence", "the feed, in order", unique=True),
    _index(
        "events",
        "projectId data.documentId -sequence",
        "what happened to a document",
        partialFilterExpression={"data.documentId": {"$exists": True}},
    ),
    _index("webhooks", "projectId _id", "a project's webhooks, and where an event goes"),
    _index("deliveries", "projectId webhookId eventId", "an event goes to each webhook once", unique=True),
    _index("deliveries", "projectId webhookId -_id", "the log of a webhook"),
    _index(
        "deliveries",
        "projectId webhookId nextAttemptAt sequence",
        "what is due",
        partialFilterExpression={"status": "pending"},
    ),
    _index("deliveries", "createdAt", "the log goes back 30 days", expireAfterSeconds=30 * DAY_SECONDS),
    _index("leases", "slow dueAt", "the webhook that has waited longest"),
)


def create_indexes(database: Any) -> None:
    """Makes every index that is not there yet; one that differs is left alone, for `differences` to tell."""
    for index in INDEXES:
        with _conflict_passed_over():
            database[index.collection].create_index(list(index.keys), name=index.name, **index.options)


@contextmanager
def _conflict_passed_over() -> Iterator[None]:
    """Passes over an index that is there with another name or other options: replacing it is for an administrator."""
    try:
        yield
    except OperationFailure as error:
        if error.code not in CONFLICTS:
            raise


def differences(database: Any) -> list[str]:
    """Returns a line for each index that is missing, differs, or is nobody's."""
    lines = []
    for collection in sorted({index.collection for index in INDEXES}):
        wanted = {index.name: index for index in INDEXES if index.collection == collection}
        present = {name: row for name, row in database[collection].index_information().items() if name != "_id_"}
        lines += [
            f"{collection}: the index {name} is missing: {wanted[name].why}." for name in wanted.keys() - present.keys()
        ]
        lines += [f"{collection}: the index {name} is nobody's." for name in present.keys() - wanted.keys()]
        lines += [
            f"{collection}: the index {name} has other keys or options."
            for name in wanted.keys() & present.keys()
            if not _same(wanted[name], present[name])
        ]
    return sorted(lines)


def _same(index: Index, present: Mapping[str, Any]) -> bool:
    options = {key: present.get(key) for key in ("unique", "partialFilterExpression", "expireAfterSeconds")}
    wanted = {key: _as_told(index.options.get(key)) for key in options}
    keys = [(key, int(order)) for key, order in present["key"]]
    return keys == list(index.keys) and {k: v or None for k, v in options.items()} == {
        k: v or None for k, v in wanted.items()
    }


def _as_told(value: Any) -> Any:
    """Returns an option as MongoDB tells it again: its times without a zone."""
    if isinstance(value, Mapping):
        return {key: _as_told(inner) for key, inner in value.items()}
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value
