"""Results of tools: an operation's result without long texts, and the JSON Schema that documents it."""

from typing import Any

import mcp_types as t
import orjson
from typing_extensions import get_original_bases

from app.core.errors import Refusal
from app.core.features import Features
from app.core.operation import Operation, Result
from app.core.response_schemas import response_schema
from app.core.schemas.loading import cached_schema
from app.documents.responses import minimal_record
from app.intents.responses import Intent

UNTRUSTED = {"untrusted": True}
"""Label in `_meta` of text that people and agents wrote, in which an agent follows no instructions (decisions, section
13). Every tool has this label, as all of them, and their refusals, return such text or names."""


def result_of(operation: Operation[Any], result: Result[Any], *, minimal: bool = False) -> t.CallToolResult:
    """Returns an operation's result as a tool's, as structured content and as text."""
    body: Any = result.body
    if minimal and (shorten := operation.minimal or (minimal_record if operation.writes_document else None)):
        body = shorten(body)
    if operation.record is Intent and operation.name != "get_intent":  # the only tool that returns the draft's text
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


def output_schema(operation: Operation[Any], features: Features) -> dict[str, Any]:
    """Returns the JSON Schema of a tool's structured content: always an object, so a list is under `items`.

    A record is documented once, by the first tool that reads it, to use little of the context; those of administration
    are in the OpenAPI document. A refusal fits every schema, since some clients check tool errors against it too.
    """
    alike = [one for one in features.operations if one.record is operation.record]
    is_first = operation is min(alike, key=lambda one: (not one.reads, one.many), default=None)
    documents_it = is_first and "admin" not in operation.toolsets
    record = {"type": "object", "properties": _keys(operation, features)} if documents_it else {}
    if operation.many:
        items = {"type": "array", "items": record} if record else {"type": "array"}
        counts = operation.query is not None and "count" in cached_schema(operation.query).fields
        record = {"properties": {"items": items, **({"totalCount": {"type": "integer"}} if counts else {})}}
    return {"type": "object", **record}


def _keys(operation: Operation[Any], features: Features) -> dict[str, Any]:
    """Returns the keys of an operation's record, without those of a record that it extends, which has its own tool."""
    record: type = features.response_of(operation.record)
    keys = {name: _key(one) for name, one in response_schema(record)["properties"].items()}
    for extended in {one.record for one in features.operations} & {*get_original_bases(operation.record)}:
        keys = {name: one for name, one in keys.items() if name not in features.response_of(extended).__annotations__}
    return keys


def _key(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns the documentation of a key: its type where it is no string."""
    found = ["object", "null"] if "anyOf" in schema else schema["type"]
    return {"type": found} if found not in ("string", ["string", "null"]) else {}


def _short(draft: dict[str, Any]) -> dict[str, Any]:
    """Returns a draft without its long text."""
    return {**draft, "fields": {name: value for name, value in draft["fields"].items() if name != "markdown"}}


def _text(body: object) -> t.TextContent:
    return t.TextContent(type="text", text=orjson.dumps(body).decode())
