"""Indexes and validators of documents and their versions; lists name the index that they are read by."""

from typing import Any

from app.core.store.indexes import FIRST_DATE, NOT_DELETED, Index, Storage, index, types
from app.core.store.types import Bson
from app.core.store.validators import COUNT, ID, ITEMS, TEXT, TIME, one_of, record_validator, validator
from app.core.vocabulary import BriefState, DocumentStatus

TRASHED: Bson = {"deletedAt": {"$gt": FIRST_DATE}}
LEASED = {**NOT_DELETED, "brief.claimExpiresAt": {"$gt": FIRST_DATE}}


def _documents(keys: str, why: str, only: Bson | None = None, **options: Any) -> Index:
    return index("documents", f"projectId {keys}", why, only, **options)


BY_UPDATE = _documents("listed updatedAt _id", "lists by the last change", title="listed_by_update")
BY_CREATION = _documents("listed createdAt _id", "lists by creation", title="listed_by_creation")
BY_TITLE = _documents("listed titleKey _id", "lists by title, ignoring case", title="listed_by_title")
BY_DUE_DATE = _documents(
    "listed dueKey createdAt _id", "lists by due date, and lists of briefs", title="listed_by_due_date"
)
SLUGS = _documents("slugKeys", "a slug, current or delivered, is one document's", NOT_DELETED, unique=True)
KEYS = _documents("key", "a key is one document's, also in the trash", {"key": {"$gt": ""}}, unique=True)
KEYWORDS = _documents("keywordKey", "documents whose briefs have the same keyword; the shard key")
WORDS = _documents("words", "searches for words of title, slug and keyword", NOT_DELETED)
EXPIRED_LEASES = _documents("brief.claimExpiresAt", "claims whose lease has expired", LEASED)
SCHEDULED = _documents(
    "publishAt",
    "scheduled documents that are due, and the projects that have some",
    {"publishAt": {"$gt": FIRST_DATE}},
)
PUBLISHED_AT = _documents("publishedAt", "what a calendar has of days past", {"publishedAt": {"$gt": FIRST_DATE}})
WRITTEN_SLUGS = index("revisions", "projectId slug", "the documents that had a slug, for imports")
PURGEABLE = _documents("deletedAt", "what to purge from the trash", TRASHED)

STORAGE = Storage(
    indexes=(
        *(BY_UPDATE, BY_CREATION, BY_TITLE, BY_DUE_DATE, SLUGS, KEYS, KEYWORDS, WORDS),
        *(EXPIRED_LEASES, SCHEDULED, PUBLISHED_AT, PURGEABLE),
        index("revisions", "projectId documentId version", "a document's history; each version once", unique=True),
        index("revisions", "projectId by.id at documentId version", "what a token wrote since a time"),
        WRITTEN_SLUGS,
    ),
    validators={
        "documents": record_validator(
            {
                "brief": {"bsonType": ["object", "null"], "properties": {"state": one_of(BriefState)}},
                "isPublished": {"bsonType": "bool"},
            },
            title=TEXT,
            slug=TEXT,
            slugs=ITEMS,
            status=one_of(DocumentStatus),
            version=COUNT,
        ),
        "revisions": validator(projectId=ID, documentId=ID, version=COUNT, at=TIME),
    },
    shard_keys={"documents": "projectId", "revisions": "projectId"},
    outboxes=("documents",),
    events=(
        *types("document", "created updated content_updated submitted approved changes_requested scheduled"),
        *types("document", "unscheduled published unpublished deleted restored publish_failed"),
        *types("brief", "updated ready claimed renewed withdrawn released expired"),
    ),
)
