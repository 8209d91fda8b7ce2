"""Databases as earlier versions left them: files of lines of extended JSON, compressed (`zcat` shows them).

The first line says what the version is, what its interfaces answered, and which collections there were, with their
options and indexes. Every other line is a record. When a dump is loaded, all of its times move on as if it had been
written just now: leases, keys and tokens that were valid are valid still, and what had run out has.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from bson import json_util

FOLDER = Path(__file__).parent / "fixtures"
DUMPS = sorted(FOLDER.glob("*.jsonl.gz"))
RECENT = datetime(2020, 1, 1, tzinfo=UTC)
"""Times before it mean something else than when something happened, and stay."""
OPTIONS = json_util.CANONICAL_JSON_OPTIONS.with_options(tz_aware=True)

Document = dict[str, Any]


def write(database: Any, path: Path, about: Document) -> None:
    """Writes a dump of a database, with what `about` says of the version and its answers."""
    collections = [
        {"name": row["name"], "options": row["options"], "indexes": list(database[row["name"]].list_indexes())}
        for row in sorted(database.list_collections(), key=lambda row: row["name"])
    ]
    head = {**about, "at": datetime.now(UTC), "collections": collections}
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(_line(head))
        for one in collections:
            for record in database[one["name"]].find().sort("_id", 1):
                file.write(_line({"collection": one["name"], "record": record}))


def load(database: Any, path: Path) -> Document:
    """Fills an empty database from a dump, indexes and validators too; returns what it says of the version."""
    lines = _lines(path)
    about = next(lines)
    later = datetime.now(UTC) - about["at"]
    for one in about.pop("collections"):
        database.create_collection(one["name"], **one["options"])
        indexes = [{**row, "key": dict(row["key"])} for row in one["indexes"] if row["name"] != "_id_"]
        if indexes:
            database.command("createIndexes", one["name"], indexes=indexes)
    for name, rows in groupby(lines, key=lambda row: row["collection"]):
        options = {"bypass_document_validation": True}  # as a collection is that had no validator at first
        database[name].insert_many([_moved(row["record"], later) for row in rows], **options)
    return about


def _lines(path: Path) -> Iterator[Document]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json_util.loads(line, json_options=OPTIONS)


def _line(document: Document) -> bytes:
    return json_util.dumps(document, json_options=OPTIONS).encode() + b"\n"


def _moved(value: Any, later: timedelta) -> Any:
    if isinstance(value, dict):
        return {key: _moved(inner, later) for key, inner in value.items()}
    if isinstance(value, list):
        return [_moved(inner, later) for inner in value]
    return value + later if isinstance(value, datetime) and value > RECENT else value
