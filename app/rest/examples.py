"""An example of every record and every body, for the OpenAPI document."""

from collections.abc import Callable
from typing import Any

from app.errors import BadRequest, Forbidden, HttpApiDecodeError, IntentInvalid, Issue, Refusal
from app.fields.intents import INTENT_FIELDS
from app.fields.kinds import Fields
from app.fields.stages import load_shape, problems
from app.operations.intents import FULL_OF_DRAFTS
from app.operations.operation import Operation
from app.records.errors import error_example
from app.records.intents import CONFIRMED_RECORDS

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

_REVISION = {
    "version": 2,
    "title": "How to begin a sourdough starter",
    "slug": "how-to-begin-a-sourdough-starter",
    "subtitle": "",
    "metaTitle": "",
    "metaDescription": "",
    "excerpt": "",
    "coverImageUrl": None,
    "categoryId": _ID,
    "wordCount": 4,
    "createdAt": _TIME,
    "createdBy": _TOKEN,
}

_WEBHOOK = {"url": "https://hooks.example.org/content", "events": ["document.published"], "description": "The website"}

REQUESTS: dict[str, Any] = {
    "WebhookFields": _WEBHOOK,
    "WebhookChanges": {"events": ["document.published", "document.unpublished"]},
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
    "CategoryChanges": {"description": "Bread, from flour to crust"},
    "ClusterChanges": {"keywords": ["sourdough", "levain", "starter"]},
    "DocumentChanges": {"subtitle": "A week of flour and water", "dueDate": "2027-02-21", "baseVersion": 1},
    "ContentFields": {"markdown": "Flour, water and patience.", "baseVersion": 1},
    "GuardedWrite": {"baseVersion": 4},
    "SubmitFields": {},
    "WithBaseVersion": {"baseVersion": 3},
    "ChangesRequest": {"note": "Say which flour."},
    "ScheduleFields": {"publishAt": "2027-02-21T07:00:00+01:00", "baseVersion": 3},
}

_HAPPENED = {"documentId": _ID, "status": "drafting", "version": 1, "slug": "flour", "briefState": "claimed"}
_EVENT = {"id": _OTHER, "type": "brief.claimed", "at": _TIME, "by": _TOKEN}

_WEBHOOK_RECORD = {
    "id": _ID,
    **_WEBHOOK,
    "enabled": True,
    "disabledAt": None,
    "createdAt": _TIME,
    "createdBy": _TOKEN,
    "updatedAt": _TIME,
}
_DELIVERY = {
    "id": _ID,
    "eventId": _OTHER,
    "type": "document.published",
    "status": "pending",
    "attempts": [{"at": _TIME, "statusCode": 503, "error": "the answer was 503", "durationMs": 38}],
    "nextAttemptAt": "2027-01-31T09:00:05.000Z",
    "createdAt": _TIME,
}

ANSWERS: dict[str, Any] = {
    "WebhookRecord": _WEBHOOK_RECORD,
    "NewWebhookRecord": {**_WEBHOOK_RECORD, "secret": "whsec_c2hvd24gdGhpcyBvbmNl"},
    "DeliveryRecord": _DELIVERY,
    "EventPage": {"events": [{**_EVENT, "sequence": 42, "data": _HAPPENED}], "cursor": "ZlDwobLD1OX2p7jJAAAAAAAq"},
    "ActivityRecord": {**_EVENT, "details": _HAPPENED},
    "RevisionSummary": _REVISION,
    "RevisionRecord": {**_REVISION, "markdown": "Flour, water and patience."},
    "DiffRecord": {"from": 1, "to": 2, "diff": "--- version 1\n+++ version 2\n@@ -1 +1 @@\n-Flour.\n+Flour, water.\n"},
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
    "MemberRecord": {
        "id": _ID,
        "name": "Ada Example",
        "email": "ada@example.org",
        "role": "editor",
        "createdAt": _TIME,
    },
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


def refusal_example(error: type[Refusal], operation: Operation | None) -> dict[str, Any]:
    """Returns an example of an error as an operation would give it."""
    real = _REFUSED.get(error)
    body = real(operation) if real and operation else None
    return body or error_example(error)


def _misshapen(operation: Operation) -> dict[str, Any]:
    """Returns what is said of a wrong type in the first field that the operation takes."""
    table = operation.body or operation.query
    if table is None:
        issue = Issue(path="Idempotency-Key", message="Must be 1 to 255 visible ASCII characters.")
        return HttpApiDecodeError(issues=[issue]).body()
    name = next(field.data_key or key for key, field in table._declared_fields.items())
    try:
        load_shape(table, {**REQUESTS.get(table.__name__, {}), name: {}})
    except HttpApiDecodeError as refused:
        return refused.body()
    raise AssertionError(f"{table.__name__}.{name} takes an object: choose another example")


def _meaningless(operation: Operation) -> dict[str, Any] | None:
    """Returns what is said of a wrong value in the first field whose meaning the operation checks."""
    if operation.body is None:
        return None
    if not operation.checks_meaning:
        return BadRequest(FULL_OF_DRAFTS).body()
    for key, field in operation.body._declared_fields.items():
        wrong = problems(operation.body, {**request_example(operation.body), field.data_key or key: "%"})
        if getattr(field, "meaning", ()) and wrong:
            return BadRequest(errors=wrong).body()
    return None


def _unconfirmed(operation: Operation) -> dict[str, Any]:
    """Returns what is said of an empty draft."""
    [kind] = [kind for kind, record in CONFIRMED_RECORDS.items() if record is operation.response]
    return IntentInvalid(problems(INTENT_FIELDS[kind], {})).body()


_REFUSED: dict[type[Refusal], Callable[[Operation], dict[str, Any] | None]] = {
    Forbidden: lambda operation: operation.forbidden().body(),
    HttpApiDecodeError: _misshapen,
    BadRequest: _meaningless,
    IntentInvalid: _unconfirmed,
}


def answer_example(record: type[Any], many: bool) -> Any:
    """Returns an example of an answer."""
    return [ANSWERS[record.__name__]] if many else ANSWERS[record.__name__]
