"""Converts stored records to lines of an export, and back; `fields.transfers` has the schema of each line."""

from collections.abc import Callable, Mapping
from datetime import datetime
from graphlib import TopologicalSorter
from typing import Any

from app.rules.times import read_time, wire_time
from app.schemas.loading import cached_schema
from app.schemas.transfers import LINES
from app.schemas.types import List, Nested, TimeString

COLLECTIONS = {
    "project": "projects",
    "member": "members",
    "category": "categories",
    "cluster": "clusters",
    "body": "bodies",
    "revision": "revisions",
    "thread": "threads",
    "document": "documents",
}
"""The collection of each type of line."""

REFERENCES = {
    "assigneeId": "members",
    "authorId": "members",
    "categoryId": "categories",
    "clusterId": "clusters",
    "documentId": "documents",
    "internalLinks": "documents",
    "bodyId": "bodies",
    "contentId": "bodies",
    "markdownId": "bodies",
}
"""The collection of the record that each of these fields of a line names, wherever it is."""


def line_of(kind: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a stored record as a line; `snapshot` of a document is its publication."""
    return {"type": kind, **_fields(kind, record, _written)}


def record_of(kind: str, line: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a line that breaks no rule as the record to store."""
    return _fields(kind, line, _read)


def renamed(line: Mapping[str, Any], new_id: Callable[[str, str], str]) -> dict[str, Any]:
    """Returns a line with each id replaced by `new_id(collection, id)`."""

    def mapped(value: Any, collection: str | None) -> Any:
        if isinstance(value, Mapping):
            return {name: mapped(inner, REFERENCES.get(name)) for name, inner in value.items()}
        if isinstance(value, list):
            return [mapped(inner, collection) for inner in value]
        return new_id(collection, value) if collection and value else value

    own = {"id": new_id(COLLECTIONS[line["type"]], line["id"])} if "id" in line else {}
    return {**mapped(line, None), **own}


def parents_first(categories: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns categories, which are sorted by id, with each parent before its subcategories."""
    by_id = {category["id"]: category for category in categories}
    parents = {one: {category["categoryId"]} & by_id.keys() for one, category in by_id.items()}
    return [by_id[one] for one in TopologicalSorter(parents).static_order()]


def slugs_of(line: Mapping[str, Any]) -> set[str]:
    """Returns the slugs that a document holds: none in the trash."""
    return set() if line["deletedAt"] else {line["slug"], (line["snapshot"] or line)["slug"]}


def _fields(kind: str, values: Mapping[str, Any], convert: Callable[[Any, Any], Any]) -> dict[str, Any]:
    """Returns the fields of a line, each converted; None if missing."""
    fields = cached_schema(LINES[kind]).fields
    return {name: _converted(field, values.get(name), convert) for name, field in fields.items()}


def _converted(field: Any, value: Any, convert: Callable[[Any, Any], Any]) -> Any:
    """Returns a value with `convert(field, value)` in place of each value that holds no others."""
    if value is None:
        return None
    if isinstance(field, Nested):
        inner = field.schema.fields
        return {name: _converted(one, value.get(name), convert) for name, one in inner.items()}
    if isinstance(field, List):
        return [_converted(field.inner, one, convert) for one in value]
    return convert(field, value)


def _written(field: Any, value: Any) -> Any:
    return wire_time(value) if isinstance(value, datetime) else value


def _read(field: Any, value: Any) -> Any:
    return read_time(value) if isinstance(field, TimeString) else value
