"""Every index and its reason. `db init` creates them, `db check` reports what differs.

Every unique index begins with `projectId`, so that the collections can be sharded by it; the exception is the one
that finds a token before its project is known. A query of a list of documents names the index it uses: left to choose,
MongoDB tries every index of the collection, most of them with a sort in memory of up to 100 MB.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import bson
from bson import ObjectId
from pymongo import IndexModel
from pymongo.database import Database
from pymongo.errors import DuplicateKeyError, OperationFailure

from app.core.store.types import Bson
from app.core.times import DAY_SECONDS

NOT_DELETED: Bson = {"deletedAt": None}
FIRST_DATE = datetime(1, 1, 1, tzinfo=UTC)
"""Before every date that is stored: what compares as later has a date."""
FIRST_ID = ObjectId("0" * 24)
"""Before every id: with it, a condition on all projects can skip along an index from project to project."""
TRASHED: Bson = {"deletedAt": {"$gt": FIRST_DATE}}
WAITING = {"outbox.at": {"$exists": True}}
LEASED = {**NOT_DELETED, "brief.claimExpiresAt": {"$gt": FIRST_DATE}}

OUTBOXES = ("documents", "categories", "clusters", "members", "webhooks", "tokens", "projects")
"""The collections whose records have an outbox."""

REFUSED = (85, 86, 11000)
"""MongoDB's codes for an index that is there already with another name or other options, and one that records break."""
UNAUTHORIZED = 13
"""MongoDB's code for what a user may not do."""


@dataclass(frozen=True)
class Index:
    """One index: its collection, its keys in order, what it is for, and MongoDB's options."""

    collection: str
    keys: tuple[tuple[str, int], ...]
    why: str
    options: Bson = field(default_factory=dict)
    title: str = ""

    @property
    def name(self) -> str:
        """The index's name: its title, else its keys and whether it holds only documents outside the trash."""
        if self.title:
            return self.title
        keys = "_".join(f"{key}{'' if order == 1 else '-'}" for key, order in self.keys)
        return keys + ("_live" if self.options.get("partialFilterExpression") == NOT_DELETED else "")


INDEXES: list[Index] = []
"""All of them; those that a query names have a name of their own."""


def _index(collection: str, keys: str, why: str, only: Bson | None = None, *, title: str = "", **options: Any) -> Index:
    order = tuple((key.removeprefix("-"), -1 if key.startswith("-") else 1) for key in keys.split())
    partial = {} if only is None else {"partialFilterExpression": only}
    INDEXES.append(Index(collection, order, why, {**options, **partial}, title))
    return INDEXES[-1]


def _documents(keys: str, why: str, only: Bson | None = None, **options: Any) -> Index:
    return _index("documents", f"projectId {keys}", why, only, **options)


BY_UPDATE = _documents("listed updatedAt _id", "lists by the last change", title="listed_by_update")
BY_CREATION = _documents("listed createdAt _id", "lists by creation", title="listed_by_creation")
BY_TITLE = _documents("listed titleKey _id", "lists by title, ignoring case", title="listed_by_title")
BY_DUE_DATE = _documents(
    "listed dueKey createdAt _id", "lists by due date, and lists of briefs", title="listed_by_due_date"
)
SLUGS = _documents("slugs", "a slug, current or delivered, is one document's", NOT_DELETED, unique=True)
KEYS = _documents("key", "a key is one document's, also in the trash", {"key": {"$gt": ""}}, unique=True)
KEYWORD_COLLATION = {"locale": "en", "strength": 1, "alternate": "shifted", "maxVariable": "space"}
"""Compares keywords without case, accents and spaces."""
KEYWORDS = _documents(
    "brief.keyword", "documents whose briefs have the same keyword", NOT_DELETED, collation=KEYWORD_COLLATION
)
WORDS = _documents("words", "searches for words of title, slug and keyword", NOT_DELETED)
EXPIRED_LEASES = _documents("brief.claimExpiresAt", "claims whose lease has expired", LEASED)
SCHEDULED = _documents(
    "publishAt",
    "scheduled documents that are due, and the projects that have some",
    {"publishAt": {"$gt": FIRST_DATE}},
)
PUBLISHED_AT = _documents("publishedAt", "what a calendar has of days past", {"publishedAt": {"$gt": FIRST_DATE}})
WAITING_SINCE = _documents(
    "waitingSince assigneeId",
    "what waits for somebody, the longest first",
    {"deletedAt": None, "waitingSince": {"$gt": FIRST_DATE}},
)
ROUNDS_AT = _documents(
    "roundsAt assigneeId rounds",
    "documents whose rounds of changes may be exhausted",
    {"deletedAt": None, "roundsAt": {"$gt": FIRST_DATE}},
)
_documents("deletedAt", "what to purge from the trash", TRASHED)
for _name in OUTBOXES:
    _index(_name, "projectId outbox.at", "records whose events wait", WAITING)

NEWEST_FIRST = _index("publications", "projectId -publishedAt _id", "lists, the feed and the sitemap, newest first")
_index("publications", "projectId categoryId -publishedAt _id", "lists of a category, and how many are in each")
_index(
    "publications",
    "projectId clusterId -publishedAt _id",
    "lists of a cluster, and the documents that are related to one",
)
_index("publications", "projectId authorId -publishedAt _id", "lists of an author")
_index("publications", "projectId words -publishedAt _id", "searches for whole words")
_index("publications", "projectId -updatedAt", "when the feed last changed")
_index("publications", "projectId slug", "a slug leads to one document", unique=True)
_index("publications", "projectId agentWords.words", "what agents wrote that is live", {"agentWords.words": {"$gt": 0}})
_index("publications", "projectId pastSlugs.slug", "redirects from slugs that documents were delivered under before")

_index("intents", "projectId tokenId slot", "the cap of drafts a token", unique=True)
_index("intents", "projectId tokenId -updatedAt -_id", "lists of drafts")
_index("clusters", "projectId nameKey", "a cluster's name is unique; lists by name", NOT_DELETED, unique=True)
_index("categories", "projectId nameKey _id", "lists by name", NOT_DELETED)
_index("categories", "projectId slug", "a category's slug is unique", NOT_DELETED, unique=True)
_index("categories", "projectId categoryId", "whether a category has subcategories", NOT_DELETED)
_index("members", "projectId nameKey _id", "lists by name", NOT_DELETED)
_index(
    "members",
    "projectId emailKey",
    "an e-mail address is one member's",
    {**NOT_DELETED, "emailKey": {"$gt": ""}},
    unique=True,
)
_index("members", "emailKey", "who signs in with an e-mail address, before any project is known", NOT_DELETED)
_index("tokens", "projectId memberId", "which tokens are members'", {"memberId": {"$gt": FIRST_ID}})
_index("tokens", "hash", "finds a caller, before any project is known", unique=True)
_index("tokens", "projectId _id", "lists of a project's tokens")
_index("tokens", "projectId connection.code", "what a code made", {"connection.code": {"$gt": ""}})
_index("tokens", "projectId connection.family", "whose a refresh token is", {"connection.family": {"$gt": ""}})
_index("codes", "projectId hash", "finds what somebody agreed to", unique=True)
_index("codes", "expiresAt", "codes expire", expireAfterSeconds=0)
_index("registrations", "address createdAt", "how many clients an address registered")
_index("registrations", "expiresAt", "registrations without a connection are dropped", expireAfterSeconds=0)
_index("idempotency", "projectId tokenId key", "a key is used once", unique=True)
_index("idempotency", "at", "keys are stored for a day", expireAfterSeconds=DAY_SECONDS)
_index("sessions", "projectId hash", "finds who is signed in", unique=True)
_index("sessions", "expiresAt", "sessions end by themselves", expireAfterSeconds=0)
_index("invitations", "projectId hash", "finds an invitation", unique=True)
_index("invitations", "projectId memberId _id", "lists of a member's invitations")
_index("invitations", "expiresAt", "invitations expire", expireAfterSeconds=0)
_index("threads", "projectId documentId _id", "a document's threads, the oldest first")
_index("threads", "projectId openedBy.id state stateSince", "the answered threads that somebody opened, in order")
_index("reviewLinks", "projectId hash", "finds who comes by a review link", unique=True)
_index("reviewLinks", "projectId documentId _id", "a document's review links")
_index("reviewLinks", "expiresAt", "review links end by themselves", expireAfterSeconds=0)
_index("budgets", "projectId tokenId limit begins", "what a token has used of its budget", unique=True)
_index("budgets", "begins", "days and hours that are over", expireAfterSeconds=2 * DAY_SECONDS)
_index("revisions", "projectId documentId version", "a document's history; each version once", unique=True)
_index("revisions", "projectId by.id at documentId version", "what a token wrote since a time")
_index("bodies", "projectId documentId _id", "all texts of a document, to purge or export them")
_index("events", "projectId sequence", "the feed, in order", unique=True)
_index(
    "events",
    "projectId data.documentId -sequence",
    "what happened to a document",
    {"data.documentId": {"$exists": True}},
)
_index("figures", "projectId day", "the figures of some days")
_index("figures", "day", "figures go back 100 days", expireAfterSeconds=100 * DAY_SECONDS)
_index(
    "progress",
    "projectId waitingSince",
    "the ready brief that has waited longest",
    {"waitingSince": {"$gt": FIRST_DATE}},
)
_index("webhooks", "projectId _id", "a project's webhooks, and where an event goes")
_index("deliveries", "projectId webhookId eventId", "each webhook gets an event once", unique=True)
_index("deliveries", "projectId webhookId -_id", "the log of a webhook")
_index("deliveries", "projectId webhookId nextAttemptAt sequence", "what is due", {"status": "pending"})
_index("deliveries", "createdAt", "the log goes back 30 days", expireAfterSeconds=30 * DAY_SECONDS)
_index("leases", "slow dueAt", "the webhook that has waited longest")
_index("members", "notify.digest notify.hour", "who is told each day at an hour", {"notify.digest": "daily"})
_index("notices", "projectId mailbox key", "a notice is sent once", unique=True)
_index("notices", "projectId mailbox _id", "what is to be sent", {"isPending": True})
_index("notices", "createdAt", "as long as failed ones are tried, and a day more", expireAfterSeconds=4 * DAY_SECONDS)
_index("noticeLeases", "slow dueAt", "the mailbox that has waited longest")


def create_indexes(database: Database[Bson]) -> list[str]:
    """Creates every index that is missing; all that a collection lacks are built in one pass over it.

    Safe while the service runs, and in several processes at once. Returns a line for each index that can't be built;
    one that differs is left alone, for `differences` to report.
    """
    lines = []
    for collection in dict.fromkeys(index.collection for index in INDEXES):
        if missing := _missing(database, collection):
            lines += _build(database, missing)
    return lines


def _build(database: Database[Bson], indexes: Sequence[Index]) -> list[str]:
    """Builds indexes of one collection, each alone where they can't all be built; returns a line for each that can't.

    One that is there with another name or other options stays: replacing it is for an administrator.
    """
    models = [IndexModel(list(index.keys), name=index.name, **index.options) for index in indexes]
    try:
        database[indexes[0].collection].create_indexes(models)
    except OperationFailure as error:
        if error.code not in REFUSED:
            raise
        if len(indexes) > 1:
            return [line for index in indexes for line in _build(database, [index])]
        if isinstance(error, DuplicateKeyError):
            reason = str((error.details or {}).get("errmsg")).partition("dup key: ")[2]
            index = indexes[0]
            return [f"{index.collection}: the index {index.name} can't be built, as several records have {reason}."]
    return []


def missing_unique(database: Database[Bson]) -> list[str]:
    """Returns the unique indexes that are missing, like `tokens.hash`: without them nothing is unique or capped."""
    collections = dict.fromkeys(index.collection for index in INDEXES if index.options.get("unique"))
    missing = (index for collection in collections for index in _missing(database, collection))
    return [f"{index.collection}.{index.name}" for index in missing if index.options.get("unique")]


def _missing(database: Database[Bson], collection: str) -> list[Index]:
    present = database[collection].index_information()
    return [index for index in INDEXES if index.collection == collection and index.name not in present]


FOREIGN = "is not one of the service's: drop it, unless somebody needs it."
"""How the line of an index ends that somebody else made: it costs writes, and does no other harm."""


def differences(database: Database[Bson]) -> list[str]:
    """Returns a line for each index that is missing, differs, or is not the service's."""
    lines = []
    for collection in sorted({index.collection for index in INDEXES}):
        wanted = {index.name: index for index in INDEXES if index.collection == collection}
        present = {name: row for name, row in database[collection].index_information().items() if name != "_id_"}
        lines += [
            f"{collection}: the index {name} is missing: {wanted[name].why}." for name in wanted.keys() - present.keys()
        ]
        lines += [f"{collection}: the index {name} {FOREIGN}" for name in present.keys() - wanted.keys()]
        lines += [
            f"{collection}: the index {name} has other keys or options: drop it, then run `content-workflow db init`."
            for name in wanted.keys() & present.keys()
            if not _same(wanted[name], present[name])
        ]
    return sorted(lines)


COMPARED = ("unique", "partialFilterExpression", "expireAfterSeconds")
"""The options that are compared, besides the collation, of which MongoDB returns more than it was sent."""


def _same(index: Index, present: Bson) -> bool:
    wanted = bson.decode(bson.encode(index.options))  # times without a zone, as MongoDB returns them
    collation, stored = wanted.get("collation", {}), present.get("collation", {})
    return (
        [(key, int(order)) for key, order in present["key"]] == list(index.keys)
        and all((wanted.get(key) or None) == (present.get(key) or None) for key in COMPARED)
        and collation.items() <= stored.items()
        and bool(collation) == bool(stored)
    )
