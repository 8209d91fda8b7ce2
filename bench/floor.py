"""The bare floor: the least that can answer the same requests, with pymongo and orjson and nothing else."""

import os
from typing import Any

import orjson
from bson import ObjectId
from pymongo import MongoClient

_database = MongoClient(os.environ["MONGODB_URI"], w="majority")[os.environ["MONGODB_DATABASE"]]
_project = ObjectId(os.environ.get("BENCH_PROJECT"))
_SHOWN = ("title", "status", "dueDate", "categoryId", "brief.keyword", "brief.intent", "brief.state")
_SOONEST = [("dueKey", 1), ("createdAt", 1), ("_id", 1)]


def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """Answers `GET /briefs` with a page of 50 and `POST /documents/<id>/brief/claim` with one atomic write."""
    if environ["REQUEST_METHOD"] == "GET":
        where = {"projectId": _project, "deletedAt": None, "brief.state": "ready"}
        body: Any = [
            _item(row) for row in _database.documents.find(where, dict.fromkeys(_SHOWN, 1)).sort(_SOONEST).limit(50)
        ]
    else:
        one = {"_id": ObjectId(environ["PATH_INFO"].split("/")[2]), "brief.state": "ready", "deletedAt": None}
        changed = _database.documents.find_one_and_update(one, {"$set": {"brief.state": "claimed"}})
        body = {"id": str(changed["_id"])}
    sent = orjson.dumps(body)
    start_response("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(sent)))])
    return [sent]


def _item(row: dict[str, Any]) -> dict[str, Any]:
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
