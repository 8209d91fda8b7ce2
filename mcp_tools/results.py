"""What a tool returns: its operation's result without long texts, and the JSON Schema that documents it."""

from typing import Any

import marshmallow as ma
import mcp_types as t
import orjson

from app.errors import Refusal
from app.fields.json_schema import json_schema
from app.fields.loading import cached_schema
from app.operations.catalogue import MCP_CATALOGUE
from app.operations.operation import Operation, Result
from app.records.documents import DocumentRecord, DocumentSummary
from app.records.intents import CONFIRMED_RECORDS, ConfirmedRecord, IntentRecord
from app.records.revisions import RevisionRecord, RevisionSummary

SHORT: dict[type[ma.Schema], type[ma.Schema]] = {DocumentRecord: DocumentSummary, RevisionRecord: RevisionSummary}
"""Records with long texts, and the same records without them, as tools return them."""

UNTRUSTED = {"untrusted": True}
"""What `_meta` says of text that people and agents wrote, in which an agent follows no instructions (decisions, section
13). Every tool has this label, as all of them, and their refusals, return such text or names."""


def result_of(operation: Operation[Any], result: Result[Any]) -> t.CallToolResult:
    """Returns an operation's result as a tool's, as structured content and as text."""
    body = result.body
    if _record(operation) is IntentRecord and operation.name != "get_intent":  # which alone returns the draft's text
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


def output_schema(operation: Operation[Any]) -> dict[str, Any]:
    """Returns the JSON Schema of a tool's structured content: always an object, so a list is under `items`.

    A record is documented once, by the first tool that reads it, to use little of the context. A refusal fits every
    schema, since some clients check tool errors against it too.
    """
    alike = [one for one in MCP_CATALOGUE if _record(one) == _record(operation)]
    documents_it = operation is min(alike, key=lambda one: (not one.reads, one.many))
    record = {"type": "object", "properties": _keys(operation)} if documents_it else {}
    if operation.many:
        items = {"type": "array", "items": record} if record else {"type": "array"}
        counts = operation.query is not None and "count" in cached_schema(operation.query).fields
        record = {"properties": {"items": items, **({"totalCount": {"type": "integer"}} if counts else {})}}
    return {"type": "object", **record, "minProperties": 1}


def _record(operation: Operation[Any]) -> type[ma.Schema]:
    """Returns the schema of the record that an operation's tool returns."""
    if issubclass(operation.response, IntentRecord):
        return IntentRecord  # whatever the kind of draft
    return SHORT.get(operation.response, operation.response)


def _keys(operation: Operation[Any]) -> dict[str, Any]:
    """Returns the keys of an operation's record, without those of a record that it extends, which has its own tool."""
    record = _record(operation)
    keys = {name: _key(one) for name, one in json_schema(record)["properties"].items()}
    for extended in {_record(one) for one in MCP_CATALOGUE} & {*record.__mro__[1:]}:
        keys = {name: one for name, one in keys.items() if name not in extended().fields}
    return keys | ({str(kind): {"type": "object"} for kind in CONFIRMED_RECORDS} if record is ConfirmedRecord else {})


def _key(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns the documentation of a key: its type where it is no string, and the keys of the objects in a list."""
    if inner := schema.get("items", {}).get("properties"):
        return {"type": "array", "items": {"type": "object", "properties": {name: {} for name in inner}}}
    return {"type": schema["type"]} if schema.get("type", "string") not in ("string", ["string", "null"]) else {}


def _short(draft: dict[str, Any]) -> dict[str, Any]:
    """Returns a draft without its long text."""
    return {**draft, "fields": {name: value for name, value in draft["fields"].items() if name != "markdown"}}


def _text(body: object) -> t.TextContent:
    return t.TextContent(type="text", text=orjson.dumps(body).decode())
