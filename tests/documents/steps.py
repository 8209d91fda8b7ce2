"""Steps of a document's life, as a script takes them through the management API."""

from datetime import timedelta
from typing import Any

from bson import ObjectId
from werkzeug.test import TestResponse

from app.core.context import this_instant
from app.core.store.store import Store
from app.core.times import wire_time
from tests.make import end_expired_claims
from tests.rest.client import Rest

NOBODY = "6650f0a1b2c3d4e5f6a7b8c9"
"""An id that names nothing."""


def ok(response: TestResponse, status: int = 200) -> Any:
    """Returns the body of an answer with the status that is expected."""
    assert response.status_code == status, response.get_data(as_text=True)[:2_000]
    return response.json


def refused(response: TestResponse, tag: str) -> dict[str, Any]:
    """Returns the body of the refusal that is expected."""
    body: dict[str, Any] = response.json
    assert body.get("_tag") == tag, str(body)[:2_000]
    return body


def a_document(rest: Rest, **fields: Any) -> dict[str, Any]:
    """Makes a document by confirming a draft, with content unless that is said otherwise."""
    return _made(rest, "document", {"title": "Rye", "markdown": "Rye is dark.", **fields})


def a_category(rest: Rest, name: str = "Bread", **fields: Any) -> dict[str, Any]:
    return _made(rest, "category", {"name": name, "slug": name.lower(), **fields})


def a_cluster(rest: Rest, name: str = "Sourdough", **fields: Any) -> dict[str, Any]:
    return _made(rest, "cluster", {"name": name, **fields})


def a_member(rest: Rest, name: str = "Ada") -> dict[str, Any]:
    member: dict[str, Any] = ok(rest.post("/members", {"name": name, "role": "writer"}), 201)
    return member


def _made(rest: Rest, kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    draft = ok(rest.post(f"/{kind}-intents", fields), 201)
    record: dict[str, Any] = ok(rest.post(f"/{kind}-intents/{draft['id']}/confirm"), 201)[kind]
    return record


def path_of(document: dict[str, Any]) -> str:
    return f"/documents/{document['id']}"


def incomplete(document: dict[str, Any]) -> list[str]:
    """Returns the fields of a document that are set where its state has none of them, or unset where it has them."""
    brief, is_live = document["brief"], document["isPublished"]
    is_claimed, is_scheduled = brief["state"] == "claimed", document["status"] == "scheduled"
    fields = [
        *((name, document[name], is_live) for name in ("publishedAt", "publishedVersion")),
        *((name, brief[name], is_claimed) for name in ("claimedAt", "claimedBy")),
        ("claimExpiresAt", brief["claimExpiresAt"], is_claimed and brief["claimExpiresAt"] is not None),
        ("publishAt", document["publishAt"], is_scheduled),
    ]
    return [name for name, value, is_demanded in fields if (value is not None) != is_demanded]


def in_hours(hours: float = 1) -> str:
    """Returns the instant that comes after so many hours, as in JSON; before now where they are negative."""
    return wire_time(this_instant() + timedelta(hours=hours))


def a_document_in(rest: Rest, status: str, **fields: Any) -> dict[str, Any]:
    """Makes a document and takes it to a status, by the operations that lead there."""
    document = a_document(rest, **{"status": status} if status in ("idea", "planned") else {}, **fields)
    ways = {
        "review": [("submit", None)],
        "approved": [("approve", None)],
        "scheduled": [("schedule", {"publishAt": in_hours()})],
        "published": [("publish", None)],
    }
    for step, body in ways.get(status, []):
        document = ok(rest.post(f"{path_of(document)}/{step}", body))
    assert document["status"] == status
    return document


def claimed(rest: Rest, document: dict[str, Any], by: Rest, **lease: Any) -> dict[str, Any]:
    """Marks a document's brief ready and claims it."""
    ok(rest.post(f"{path_of(document)}/brief/ready"))
    record: dict[str, Any] = ok(by.post(f"{path_of(document)}/brief/claim", lease or None))
    return record


def expire_claim(store: Store, document: dict[str, Any]) -> None:
    """Makes a claim's lease have run out a moment ago, and has the worker end the claim."""
    past = this_instant() - timedelta(seconds=1)
    store.database.documents.update_one(
        {"_id": ObjectId(document["id"])}, {"$set": {"brief.claimExpiresAt": past}, "$inc": {"rev": 1}}
    )
    end_expired_claims(store)


def make_due(store: Store, document: dict[str, Any]) -> None:
    """Makes a scheduled document due a moment ago, as waiting would."""
    past = this_instant() - timedelta(seconds=1)
    store.database.documents.update_one({"_id": ObjectId(document["id"])}, {"$set": {"publishAt": past}})


def events_of(store: Store, document: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the events of a document, in order, whether or not they were relayed."""
    one = ObjectId(document["id"])
    row = store.database.documents.find_one({"_id": one}) or {"outbox": []}
    relayed = store.database.events.find({"projectId": ObjectId(document["projectId"]), "data.documentId": one})
    return [*relayed.sort("sequence", 1), *row["outbox"]]


def types_of(store: Store, document: dict[str, Any]) -> list[str]:
    return [event["type"] for event in events_of(store, document)]
