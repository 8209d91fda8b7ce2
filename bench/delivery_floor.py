"""The bare floors of delivery: one point read, and a page of documents written by hand with pymongo and orjson."""

import os
from datetime import datetime
from typing import Any

import orjson
from bson import ObjectId
from pymongo import MongoClient

_client: Any = MongoClient(os.environ["MONGODB_URI"], w="majority")
_database = _client[os.environ["MONGODB_DATABASE"]]
_project = ObjectId(os.environ["BENCH_PROJECT"])
_FIELDS = dict.fromkeys(
    [f"snapshot.{name}" for name in ("title", "slug", "excerpt", "categoryId", "publishedAt")],
    1,
)


def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Answers `/point` with one small record, and anything else with 20 documents and their categories."""
    if environ["PATH_INFO"] == "/point":
        body: Any = {"delivery": _database.counters.find_one({"_id": _project}, {"delivery": 1})["delivery"]}
    else:
        body = {"data": {"documents": _documents()}}
    sent = orjson.dumps(body)
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(sent)))])
    return [sent]


def _documents() -> list[dict[str, Any]]:
    where = {"projectId": _project, "deletedAt": None, "isPublished": True}
    rows = list(_database.documents.find(where, _FIELDS).sort([("publishedAt", -1), ("_id", 1)]).limit(20))
    named = {ObjectId(row["snapshot"]["categoryId"]) for row in rows}
    found = _database.categories.find({"projectId": _project, "_id": {"$in": list(named)}}, {"name": 1, "slug": 1})
    categories = {str(row["_id"]): {"name": row["name"], "slug": row["slug"]} for row in found}
    return [_document(str(row["_id"]), row["snapshot"], categories) for row in rows]


def _document(document_id: str, snapshot: dict[str, Any], categories: dict[str, Any]) -> dict[str, Any]:
    published_at: datetime = snapshot["publishedAt"]
    return {
        "id": document_id,
        "title": snapshot["title"],
        "slug": snapshot["slug"],
        "excerpt": snapshot["excerpt"],
        "publishedAt": published_at.isoformat(timespec="milliseconds") + "Z",
        "category": categories[snapshot["categoryId"]],
    }
