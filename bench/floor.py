"""The bare floor: the least that can answer the same requests, with pymongo and orjson and nothing else.

It checks nothing: neither a token, nor a body, nor whether a write is allowed.
"""

import os
import random
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

import orjson
from bson import ObjectId
from pymongo import MongoClient, ReturnDocument

Body = Any

_client: MongoClient[dict[str, Any]] = MongoClient(os.environ["MONGODB_URI"], w="majority")
_database = _client[os.environ["MONGODB_DATABASE"]]
_project = ObjectId(os.environ["BENCH_PROJECT"])
_SHOWN = dict.fromkeys(("title", "status", "dueDate", "categoryId", "brief.keyword", "brief.intent", "brief.state"), 1)
_SOONEST = [("dueKey", 1), ("createdAt", 1), ("_id", 1)]
_DELIVERED = dict.fromkeys(("title", "slug", "excerpt", "categoryId", "publishedAt", "htmlId"), 1)


def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Answers the requests of the benchmarks."""
    path = environ["PATH_INFO"].split("/")[1:]
    length = int(environ.get("CONTENT_LENGTH") or 0)
    sent = orjson.loads(environ["wsgi.input"].read(length)) if length else {}
    name = path[0] if len(path) == 1 else f"{path[0]}/{path[-1]}" if len(path) > 2 else f"{path[0]}/"
    answer = _ANSWERS[name](path, sent)
    body = answer if isinstance(answer, bytes) else orjson.dumps(answer, default=_json)
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


def _json(value: Any) -> str:
    return str(value)


def _briefs(path: list[str], sent: Body) -> Any:
    where = {"projectId": _project, "deletedAt": None, "brief.state": "ready"}
    return [_item(row) for row in _database.documents.find(where, _SHOWN).sort(_SOONEST).limit(50)]


def _item(row: Mapping[str, Any]) -> dict[str, Any]:
    brief = row["brief"]
    return {
        "id": str(row["_id"]),
        "title": row["title"],
        "keyword": brief.get("keyword") or "",
        "intent": brief.get("intent") or "",
        "state": brief["state"],
        "status": row["status"],
        "dueDate": row["dueDate"],
        "category": "",
    }


def _document(path: list[str], sent: Body) -> Any:
    row = _database.documents.find_one({"_id": ObjectId(path[1])}, {"words": 0, "outbox": 0})
    assert row is not None
    return row | {"content": _text(row)}


def _text(row: Mapping[str, Any]) -> str:
    body = _database.bodies.find_one({"_id": row["contentId"]})
    assert body is not None
    return str(body["text"])


def _claim(path: list[str], sent: Body) -> Any:
    one = {"_id": ObjectId(path[1]), "brief.state": "ready", "deletedAt": None}
    claimed = {"brief.state": "claimed", "brief.claimedAt": datetime.now(UTC), "status": "drafting"}
    change = {"$set": claimed, "$inc": {"rev": 1}, "$push": {"outbox": _event("brief.claimed")}}
    row = _database.documents.find_one_and_update(one, change, {"outbox": 0}, return_document=ReturnDocument.AFTER)
    assert row is not None
    return row | {"content": _text(row)}


def _event(kind: str) -> dict[str, Any]:
    return {"_id": ObjectId(), "type": kind, "at": datetime.now(UTC)}


def _create(path: list[str], sent: Body) -> Any:
    row = {"projectId": _project, "tokenId": _project, "slot": random.getrandbits(60), "kind": "document"}
    row |= {"fields": sent, "updatedAt": datetime.now(UTC)}
    _database.intents.insert_one(row)
    return row


def _confirm(path: list[str], sent: Body) -> Any:
    def confirm(session: Any) -> Any:
        draft = _database.intents.find_one_and_delete({"_id": ObjectId(path[1])}, session=session)
        assert draft is not None
        fields, document_id, body_id = draft["fields"], ObjectId(), ObjectId()
        slug = fields["title"].lower().replace(" ", "-")
        document = {"_id": document_id, "projectId": _project, "title": fields["title"], "slugs": [slug]}
        document |= {"contentId": body_id, "deletedAt": None, "outbox": [_event("document.created")], "version": 1}
        _insert_text(document_id, body_id, 1, fields["markdown"], session)
        _database.documents.insert_one(document, session=session)
        return {"document": document | {"content": fields["markdown"]}}

    return _in_transaction(confirm)


def _content(path: list[str], sent: Body) -> Any:
    def write(session: Any) -> Any:
        document_id, body_id = ObjectId(path[1]), ObjectId()
        row = _database.documents.find_one({"_id": document_id}, {"version": 1}, session=session)
        assert row is not None
        version = row["version"] + 1
        _insert_text(document_id, body_id, version, sent["markdown"], session)
        change = {"$set": {"contentId": body_id, "version": version}, "$push": {"outbox": _event("content")}}
        written = _database.documents.find_one_and_update(
            {"_id": document_id}, change, {"outbox": 0}, return_document=ReturnDocument.AFTER, session=session
        )
        assert written is not None
        return written | {"content": sent["markdown"]}

    return _in_transaction(write)


def _insert_text(document_id: ObjectId, body_id: ObjectId, version: int, text: str, session: Any) -> None:
    body = {"_id": body_id, "projectId": _project, "documentId": document_id, "text": text}
    _database.bodies.insert_one(body, session=session)
    revision = {"projectId": _project, "documentId": document_id, "version": version, "bodyId": body_id}
    _database.revisions.insert_one(revision, session=session)


def _in_transaction(run: Any) -> Any:
    with _client.start_session() as session:
        return session.with_transaction(run)


def _point(path: list[str], sent: Body) -> Any:
    """Reads one small record and answers with a page that was made before."""
    _database.deliveryRevisions.find_one({"_id": _project}, {"number": 1})
    return _page_made_once()


@cache
def _page_made_once() -> bytes:
    return orjson.dumps(_page([], {}))


def _page(path: list[str], sent: Body) -> Any:
    found = _database.publications.find({"projectId": _project}, _DELIVERED)
    rows = list(found.sort([("publishedAt", -1), ("_id", 1)]).limit(20))
    categories = _by_id("categories", {one["categoryId"] for one in rows}, {"name": 1, "slug": 1})
    texts = _by_id("bodies", {one["htmlId"] for one in rows}, {"text": 1})
    documents = [
        {
            "id": str(one["_id"]),
            "title": one["title"],
            "slug": one["slug"],
            "excerpt": one["excerpt"],
            "html": texts[str(one["htmlId"])]["text"],
            "publishedAt": one["publishedAt"].isoformat(timespec="milliseconds") + "Z",
            "category": {name: categories[str(one["categoryId"])][name] for name in ("name", "slug")},
        }
        for one in rows
    ]
    return {"data": {"documents": documents}}


def _by_id(collection: str, ids: set[ObjectId], fields: dict[str, int]) -> dict[str, Any]:
    return {str(row["_id"]): row for row in _database[collection].find({"_id": {"$in": list(ids)}}, fields)}


_ANSWERS = {
    "briefs": _briefs,
    "documents/": _document,
    "documents/claim": _claim,
    "document-intents": _create,
    "document-intents/confirm": _confirm,
    "documents/content": _content,
    "point": _point,
    "page": _page,
}
