"""What a tool gives: its operation's answer without long texts, and the JSON Schema that documents it."""

from __future__ import annotations

from typing import Any

import marshmallow as ma
import mcp_types as t
import orjson

from app.errors import Refusal
from app.fields.json_schema import json_schema
from app.operations.operation import Operation, Result
from app.records.documents import DocumentRecord, DocumentSummary
from app.records.intents import CONFIRMED_RECORDS, ConfirmedRecord, IntentRecord
from app.records.revisions import RevisionRecord, RevisionSummary
from app.vocabulary import Kind

SHORT: dict[type[ma.Schema], type[ma.Schema]] = {DocumentRecord: DocumentSummary, RevisionRecord: RevisionSummary}
"""Records that hold long texts, and what is left of them here: the texts are never filled in."""

KEPT = ("type", "enum", "const", "items", "properties", "required")
"""What results are held to; patterns and examples would only fill a context."""

DESCRIBED = (*KEPT, "description")
"""What the tools that read say of a record; those that write give the same records, without saying it again."""

DRAFT_TEXT = "markdown"
"""The long text of a document draft: left out, but where the draft itself is asked for."""


REFUSAL = {
    "_tag": {"type": "string", "description": "in a refusal alone: which it is"},
    "message": {"type": "string", "description": "in a refusal alone: what to do"},
}


def output_schema(operation: Operation) -> dict[str, Any]:
    """Returns the JSON Schema of a tool's structured content: an object always, so a list stands under `items`.

    A refusal fits it as well: there are clients that hold the content of tool errors to the schema too, and would
    show an agent that mismatch in place of the refusal.
    """
    response = _lean(_given(operation.response), DESCRIBED if operation.reads else KEPT)
    if operation.many:
        response = {"properties": {"items": {"type": "array", "items": response}}, "required": ["items"]}
    return {
        "type": "object",
        "properties": {**response["properties"], **REFUSAL},
        "if": {"required": ["_tag"]},
        "then": {"required": ["message"]},
        "else": {"required": response["required"]},
    }


def result_of(operation: Operation, answer: Result) -> t.CallToolResult:
    """Returns an answer as a tool's result, as structured content and as text."""
    body = [_short(operation, one) for one in answer.body] if operation.many else _short(operation, answer.body)
    result = {"items": body} if operation.many else body
    meta = {"content-workflow/idempotencyReplayed": True} if answer.replayed else None
    return t.CallToolResult(content=[_text(result)], structured_content=result, _meta=meta)


def refused(refusal: Refusal) -> t.CallToolResult:
    """Returns a refusal as a tool error with the body that REST has for it."""
    content: list[t.ContentBlock] = [_text(refusal.body())]
    if wait := refusal.headers.get("Retry-After"):
        content.append(t.TextContent(type="text", text=f"Wait {wait} seconds, then call again."))
    return t.CallToolResult(is_error=True, content=content, structured_content=refusal.body())


def _text(body: Any) -> t.TextContent:
    return t.TextContent(type="text", text=orjson.dumps(body).decode())


def _short(operation: Operation, body: dict[str, Any]) -> dict[str, Any]:
    """Leaves the long text out of a draft."""
    if not issubclass(operation.response, IntentRecord) or operation.name == "get_intent":
        return body
    return {**body, "fields": {name: value for name, value in body["fields"].items() if name != DRAFT_TEXT}}


def _given(record: type[ma.Schema]) -> dict[str, Any]:
    """Returns the schema of a record without its long texts; what confirming gives has one key more, by kind."""
    schema = json_schema(SHORT.get(record, record))
    if record is ConfirmedRecord:
        schema["properties"] |= {str(kind): _given(_nested(kind)) for kind in CONFIRMED_RECORDS}
    return schema


def _nested(kind: Kind) -> type[ma.Schema]:
    made = CONFIRMED_RECORDS[kind]._declared_fields[kind.value]
    return made.schema.__class__ if isinstance(made, ma.fields.Nested) else ma.Schema


def _lean(schema: dict[str, Any], kept: tuple[str, ...]) -> dict[str, Any]:
    """Returns a schema with the given keywords alone; it allows keys that later versions add."""
    lean = {key: schema[key] for key in kept if key in schema}
    if "properties" in lean:
        lean["properties"] = {name: _lean(one, kept) for name, one in lean["properties"].items()}
    if "items" in lean:
        lean["items"] = _lean(lean["items"], kept)
    return lean
