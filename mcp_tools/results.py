"""What a tool returns: its operation's result without long texts, the JSON Schema that documents it, and its labels.

Labels say which tools and resources return text that people and agents wrote (decisions, section 13).
"""

from collections.abc import Iterator
from typing import Any

import mcp_types as t
import orjson
from typing_extensions import get_original_bases, is_typeddict

from app.errors import Refusal
from app.fields.loading import cached_schema
from app.operations.catalogue import MCP_CATALOGUE
from app.operations.operation import Operation, Result
from app.records.intents import Intent
from app.records.json_schema import JsonSchema, response_schema

STRINGS = ("string", ["string", "null"])
"""The types of a key that is documented only by its name."""

DRAFT_TEXT = "markdown"
"""The long text of a document draft, which only `get_intent` returns."""


UNTRUSTED = {"untrusted": True}
"""What `_meta` says of text in which an agent follows no instructions."""


def output_schema(operation: Operation[Any]) -> dict[str, Any]:
    """Returns the JSON Schema of a tool's structured content: always an object, so a list is under `items`.

    A record is documented once, by the tool that reads it. A refusal fits every schema, since some clients check tool
    errors against it too.
    """
    record = _record_schema(operation) if _documents_its_record(operation) else {}
    if operation.many:
        items = {"type": "array", "items": record} if record else {"type": "array"}
        total = {"totalCount": {"type": "integer"}} if _counts(operation) else {}
        record = {"properties": {"items": items, **total}}
    return {"type": "object", **record, "minProperties": 1}


def result_of(operation: Operation[Any], result: Result[Any]) -> t.CallToolResult:
    """Returns an operation's result as a tool's, as structured content and as text."""
    body = result.body
    if operation.response is Intent and operation.name != "get_intent":
        body = [_short(draft) for draft in body] if operation.many else _short(body)
    total = {} if result.total is None else {"totalCount": result.total}
    content = {"items": body, **total} if operation.many else body
    meta = {"content-workflow/idempotencyReplayed": True} if result.replayed else None
    return t.CallToolResult(content=[_text(content)], structured_content=content, _meta=meta)


def refused(refusal: Refusal) -> t.CallToolResult:
    """Returns a refusal as a tool error, with the body of REST's error response."""
    content: list[t.ContentBlock] = [_text(refusal.body())]
    if wait := refusal.headers.get("Retry-After"):
        content.append(t.TextContent(type="text", text=f"Wait {wait} seconds, then call again."))
    return t.CallToolResult(is_error=True, content=content, structured_content=refusal.body())


def labelled(result: t.CallToolResult, label: dict[str, Any]) -> t.CallToolResult:
    """Returns a result with the labels of its call; a refusal names claims and tokens, so it has them too."""
    return result.model_copy(update={"meta": {**(result.meta or {}), **label}}) if label else result


def _counts(operation: Operation[Any]) -> bool:
    """Returns whether a list can report the number of its items."""
    return operation.query is not None and "count" in cached_schema(operation.query).fields


def _text(body: object) -> t.TextContent:
    return t.TextContent(type="text", text=orjson.dumps(body).decode())


def _short(draft: dict[str, Any]) -> dict[str, Any]:
    """Returns a draft without its long text."""
    return {**draft, "fields": {name: value for name, value in draft["fields"].items() if name != DRAFT_TEXT}}


def _documents_its_record(operation: Operation[Any]) -> bool:
    """Returns whether, of the tools with the same record, this one documents it: one that reads it, or the first."""
    alike = [one for one in MCP_CATALOGUE if one.record is operation.record]
    return operation is min(alike, key=lambda one: (not one.reads, one.many))


def _record_schema(operation: Operation[Any]) -> dict[str, Any]:
    """Returns the schema of a record without the keys of a record that it extends, which has a tool of its own."""
    properties = {name: _key(one) for name, one in response_schema(operation.record)["properties"].items()}
    for extended in {one.record for one in MCP_CATALOGUE} & {*_bases(operation.record)}:
        for name in extended.__annotations__:
            del properties[name]
    return {"type": "object", "properties": properties}


def _bases(record: Any) -> Iterator[Any]:
    """Yields the TypedDicts that a TypedDict extends."""
    for base in get_original_bases(record):
        if is_typeddict(base):
            yield base
            yield from _bases(base)


def _key(schema: JsonSchema) -> dict[str, Any]:
    """Returns the documentation of a key of a record: its type, and the keys of the objects in a list.

    More would only use up the context.
    """
    if inner := schema.get("items", {}).get("properties"):
        return {"type": "array", "items": {"type": "object", "properties": {name: {} for name in inner}}}
    found = ["object", "null"] if "anyOf" in schema else schema["type"]
    return {} if found in STRINGS else {"type": found}


def label_of(operation: Operation[Any]) -> dict[str, Any] | None:
    """Returns what `_meta` says of an operation's tool and of its results; None where they hold no such text."""
    return UNTRUSTED if holds_text(response_schema(operation.record)) else None


def holds_text(schema: JsonSchema) -> bool:
    """Returns whether a record has free text: all but the words of a closed list, and ids, times and addresses."""
    if "anyOf" in schema:
        return any(map(holds_text, schema["anyOf"]))
    if "properties" in schema:
        return any(map(holds_text, schema["properties"].values()))
    if "items" in schema:
        return holds_text(schema["items"])
    if schema["type"] == "object":
        return True
    return schema["type"] in STRINGS and schema.keys().isdisjoint(("enum", "pattern", "format"))
