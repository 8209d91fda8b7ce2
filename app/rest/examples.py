"""An example of every record and every body, for the OpenAPI document."""

from typing import Any

from app.fields.kinds import Fields

_ID = "6650f0a1b2c3d4e5f6a7b8c9"
_OTHER = "6650f0a1b2c3d4e5f6a7b8d0"
_TIME = "2027-01-31T09:00:00.000Z"
_TOKEN = {"type": "token", "id": "6650f0a1b2c3d4e5f6a7b8e1", "name": "Night writer", "agent": "writer-1"}

BRIEF_FIELDS: dict[str, Any] = {
    "audience": "People who make their first loaf",
    "intent": "informational",
    "internalLinks": [_OTHER],
    "keyword": "sourdough starter",
    "notes": "Say plainly that a week is enough.",
    "outline": "What a starter is\nDay by day\nWhen it fails",
    "referenceUrls": ["https://example.org/wild-yeast"],
    "wordCount": "1200-1500",
}
_BRIEF = {**BRIEF_FIELDS, "state": "claimed", "claimedAt": _TIME, "claimedBy": _TOKEN, "claimExpiresAt": None}
_CATEGORY = {"name": "Baking", "slug": "baking", "description": "Bread, from flour to crust", "categoryId": None}
_CLUSTER = {"name": "Sourdough", "description": "Wild yeast at home", "keywords": ["sourdough", "levain"]}
_FILED = {"projectId": _ID, "teamId": _OTHER, "createdAt": _TIME, "updatedAt": _TIME, "createdBy": _TOKEN}
_DOCUMENT_INTENT = {
    "title": "How to begin a sourdough starter",
    "status": "planned",
    "brief": BRIEF_FIELDS,
    "categoryId": _ID,
    "dueDate": "2027-02-14",
}
_DRAFT = {"id": _ID, "createdAt": _TIME, "updatedAt": _TIME, "createdBy": _TOKEN}
_SUMMARY = {
    "id": _ID,
    "projectId": _ID,
    "teamId": _OTHER,
    "title": "How to begin a sourdough starter",
    "slug": "how-to-begin-a-sourdough-starter",
    "subtitle": "",
    "excerpt": "",
    "metaTitle": "",
    "metaDescription": "",
    "coverImageUrl": None,
    "status": "drafting",
    "assigneeId": None,
    "authorId": None,
    "categoryId": _ID,
    "clusterId": None,
    "dueDate": "2027-02-14",
    "version": 1,
    "publishedVersion": None,
    "isPublished": False,
    "hasUnpublishedChanges": False,
    "wordCount": 4,
    "contentUpdatedAt": _TIME,
    "contentUpdatedBy": _TOKEN,
    "createdAt": _TIME,
    "createdBy": _TOKEN,
    "updatedAt": _TIME,
    "publishAt": None,
    "publishedAt": None,
    "deletedAt": None,
    "reviewNote": "",
    "brief": _BRIEF,
}
_DOCUMENT = {**_SUMMARY, "content": "Flour, water and patience.", "publishedMarkdown": None}
_CATEGORY_RECORD = {"id": _ID, **_CATEGORY, **_FILED}
_CLUSTER_RECORD = {"id": _ID, **_CLUSTER, **_FILED}
_TOKEN_RECORD = {
    "id": _ID,
    "kind": "management",
    "name": "Night writer",
    "agent": "writer-1",
    "scopes": ["read", "write"],
    "drafts": False,
    "createdAt": _TIME,
    "expiresAt": None,
    "lastUsedAt": None,
    "revokedAt": None,
}

REQUESTS: dict[str, Any] = {
    "DocumentIntentFields": _DOCUMENT_INTENT,
    "ClusterFields": _CLUSTER,
    "CategoryFields": _CATEGORY,
    "BriefFields": BRIEF_FIELDS,
    "ClaimFields": {"leaseSeconds": 3600},
    "ClaimNextFields": {"leaseSeconds": 3600},
    "RenewFields": {"leaseSeconds": 3600},
    "MemberFields": {"name": "Ada Example", "email": "ada@example.org", "role": "editor"},
    "MemberChanges": {"role": "owner"},
    "TokenFields": {"name": "Night writer", "agent": "writer-1"},
    "ProjectChanges": {"claimLeaseSeconds": 3600},
}

ANSWERS: dict[str, Any] = {
    "DocumentIntentRecord": {**_DRAFT, "kind": "document", "fields": _DOCUMENT_INTENT},
    "ClusterIntentRecord": {**_DRAFT, "kind": "cluster", "fields": _CLUSTER},
    "CategoryIntentRecord": {**_DRAFT, "kind": "category", "fields": {"name": "Baking", "slug": "baking"}},
    "ConfirmedDocument": {"document": _DOCUMENT, "intentId": _OTHER},
    "ConfirmedCluster": {"cluster": _CLUSTER_RECORD, "intentId": _OTHER},
    "ConfirmedCategory": {"category": _CATEGORY_RECORD, "intentId": _OTHER},
    "ValidationRecord": {"valid": False, "errors": [{"field": "title", "message": "Is required."}]},
    "BriefItem": {
        "id": _ID,
        "title": "How to begin a sourdough starter",
        "keyword": "sourdough starter",
        "intent": "informational",
        "state": "ready",
        "status": "planned",
        "dueDate": "2027-02-14",
        "category": "Baking",
    },
    "BriefDetail": {
        "id": _ID,
        "title": "How to begin a sourdough starter",
        "brief": {**_BRIEF, "state": "ready", "claimedAt": None, "claimedBy": None},
        "status": "planned",
        "dueDate": "2027-02-14",
        "version": 1,
        "category": {"id": _ID, "name": "Baking", "description": "Bread, from flour to crust"},
        "clusterId": None,
        "internalLinks": [{"id": _OTHER, "slug": "flour", "title": "Which flour?"}],
    },
    "DocumentRecord": _DOCUMENT,
    "DocumentSummary": _SUMMARY,
    "CategoryRecord": _CATEGORY_RECORD,
    "ClusterRecord": _CLUSTER_RECORD,
    "MemberRecord": {"id": _ID, "name": "Ada Example", "email": "ada@example.org", "role": "editor", "createdAt": _TIME},
    "TokenRecord": _TOKEN_RECORD,
    "NewTokenRecord": {**_TOKEN_RECORD, "token": "cwm_shown-this-once"},
    "ProjectRecord": {
        "id": _ID,
        "teamId": _OTHER,
        "name": "The Crust",
        "reviewRequired": False,
        "siteUrl": "https://crust.example",
        "claimLeaseSeconds": None,
        "createdAt": _TIME,
        "updatedAt": _TIME,
    },
}


def request_example(table: type[Fields]) -> Any:
    """Returns an example of a body."""
    return REQUESTS[table.__name__]


def answer_example(record: type[Any], many: bool) -> Any:
    """Returns an example of an answer."""
    return [ANSWERS[record.__name__]] if many else ANSWERS[record.__name__]
