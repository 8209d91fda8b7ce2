"""What a tool returns: its operation's result without long texts, and the JSON Schema that documents it."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
import mcp_types as t
import orjson

from app.errors import Refusal
from app.fields.json_schema import json_schema
from app.operations.catalogue import CATALOGUE, FOR_AGENTS
from app.operations.operation import Operation, Result
from app.records.documents import DocumentRecord, DocumentSummary
from app.records.intents import CONFIRMED_RECORDS, ConfirmedRecord, IntentRecord
from app.records.revisions import RevisionRecord, RevisionSummary

SHORT: dict[type[ma.Schema], type[ma.Schema]] = {DocumentRecord: DocumentSummary, RevisionRecord: RevisionSummary}
"""Records with long texts, and the same records without them, as tools return them."""

SHOWN = ("type", "enum", "const", "items", "properties")
"""The JSON Schema keywords that results are documented with; patterns, formats and examples only fill a context."""

EXPLAINED = frozenset(
    {
        *("claimExpiresAt", "cursor", "fields", "hasUnpublishedChanges", "internalLinks", "length", "nextOffset"),
        *("publishAt", "publishedVersion", "reviewNote", "secret", "token", "valid", "version", "enabled", "data"),
    }
)
"""The keys of results that say too little without their description."""

ACTOR = {"type", "id", "name", "agent"}
"""The keys of an actor, such as `createdBy`, which is documented as an object alone."""

STRING = {"type": "string"}

LONG_LIST = 4
"""The most words of a closed list that a result is documented with."""

DRAFT_TEXT = "markdown"
"""The long text of a document draft, which only `get_intent` returns."""


def output_schema(operation: Operation) -> dict[str, Any]:
    """Returns the JSON Schema of a tool's structured content: an object always, so a list stands under `items`.

    A record is documented once, by the tool that reads it. A refusal fits every schema, since some clients check tool
    errors against it too.
    """
    record = _record_schema(operation) if operation.name == _reader_of(operation) else {}
    if operation.many:
        items = {"type": "array", "items": record} if record else {"type": "array"}
        record = {"properties": {"items": items}}
    return {"type": "object", **record, "minProperties": 1}


def result_of(operation: Operation, answer: Result) -> t.CallToolResult:
    """Returns an operation's result as a tool's, as structured content and as text."""
    body = [_short(operation, one) for one in answer.body] if operation.many else _short(operation, answer.body)
    result = {"items": body} if operation.many else body
    meta = {"content-workflow/idempotencyReplayed": True} if answer.replayed else None
    return t.CallToolResult(content=[_text(result)], structured_content=result, _meta=meta)


def refused(refusal: Refusal) -> t.CallToolResult:
    """Returns a refusal as a tool error, with the body of REST's error response."""
    content: list[t.ContentBlock] = [_text(refusal.body())]
    if wait := refusal.headers.get("Retry-After"):
        content.append(t.TextContent(type="text", text=f"Wait {wait} seconds, then call again."))
    return t.CallToolResult(is_error=True, content=content, structured_content=refusal.body())


def _text(body: Any) -> t.TextContent:
    return t.TextContent(type="text", text=orjson.dumps(body).decode())


def _short(operation: Operation, body: dict[str, Any]) -> dict[str, Any]:
    """Returns a draft without its long text."""
    if not issubclass(operation.response, IntentRecord) or operation.name == "get_intent":
        return body
    return {**body, "fields": {name: value for name, value in body["fields"].items() if name != DRAFT_TEXT}}


def _reader_of(operation: Operation) -> str:
    """Returns the name of the tool that documents what an operation returns: one that reads a single such record."""
    readers = [one for one in (*CATALOGUE, *FOR_AGENTS) if one.reads and _record(one) == _record(operation)]
    return min(readers, key=lambda one: one.many, default=operation).name


def _record(operation: Operation) -> type[ma.Schema]:
    """Returns the schema of the record that an operation's tool returns."""
    if issubclass(operation.response, IntentRecord):
        return IntentRecord  # whatever the kind of draft
    return SHORT.get(operation.response, operation.response)


def _record_schema(operation: Operation) -> dict[str, Any]:
    schema = _lean(json_schema(_record(operation)))
    if operation.response is DocumentRecord:
        schema["properties"]["brief"] = {"type": "object", "description": "see `get_brief`"}
    if operation.response is ConfirmedRecord:
        schema["properties"] |= {str(kind): {"type": "object"} for kind in CONFIRMED_RECORDS}
    return schema


def _lean(schema: dict[str, Any], name: str = "") -> dict[str, Any]:
    """Returns a schema without what an agent can do without; it allows keys that later versions add."""
    shown = (*SHOWN, "description") if name in EXPLAINED else SHOWN
    lean = {key: schema[key] for key in shown if key in schema}
    if len(lean.get("enum", ())) > LONG_LIST:
        del lean["enum"]
    if "properties" in lean:
        inner = {name: _lean(one, name) for name, one in lean.pop("properties").items()}
        lean |= {} if set(inner) == ACTOR else {"properties": inner}
    if "items" in lean:
        lean["items"] = _lean(lean["items"])
    return {} if lean == STRING else lean  # what is not described otherwise is a string
