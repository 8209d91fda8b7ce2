"""Resources: a document's brief and a document's markdown, for a client that attaches them to a conversation."""

from typing import Any

import mcp_types as t
import orjson

from app.briefs.operations import get_brief, list_briefs
from app.core.context import Context
from app.core.errors import NotFound
from app.core.operation import Operation
from app.core.schemas.loading import load
from app.core.schemas.queries import SMALL_PAGE
from app.documents.content import read_document_content
from app.documents.operations import list_documents
from mcp_tools.tools import UNTRUSTED

Contents = list[t.TextResourceContents | t.BlobResourceContents]

JSON, MARKDOWN = "application/json", "text/markdown"

ATTACHED = 100_000
"""Maximum number of characters of a document that are attached at once; the rest is read with the tool."""

TEMPLATES = (
    t.ResourceTemplate(
        uri_template="brief://{documentId}",
        name="brief",
        title="A document's brief",
        description="What is to be written: the brief, its category and the documents to link to.",
        mime_type=JSON,
        _meta=UNTRUSTED,
    ),
    t.ResourceTemplate(
        uri_template="document://{documentId}",
        name="document",
        title="A document's content",
        description=f"The current markdown; of a longer document the first {ATTACHED:,} characters.",
        mime_type=MARKDOWN,
        _meta=UNTRUSTED,
    ),
)


def offered(ctx: Context) -> list[t.Resource]:
    """Returns the resources that a client lists: the ready briefs, and the documents that changed last."""
    briefs = [(f"brief://{one['id']}", f"Brief: {one['title']}", JSON) for one in _first(ctx, list_briefs)]
    documents = [(f"document://{one['id']}", one["title"], MARKDOWN) for one in _first(ctx, list_documents)]
    return [t.Resource(uri=uri, name=name, mime_type=kind, _meta=UNTRUSTED) for uri, name, kind in briefs + documents]


def read(ctx: Context, uri: str) -> t.ReadResourceResult:
    """Returns the contents of an address. Raises `NotFound`."""
    scheme, _, document_id = uri.partition("://")
    if scheme == "document":
        return t.ReadResourceResult(contents=_document(ctx, uri, document_id))
    if scheme != "brief":
        raise NotFound("No such resource: the addresses are `brief://{documentId}` and `document://{documentId}`.")
    text = orjson.dumps(get_brief(ctx, document_id).body).decode()
    return t.ReadResourceResult(contents=[t.TextResourceContents(uri=uri, mime_type=JSON, text=text, _meta=UNTRUSTED)])


def _document(ctx: Context, uri: str, document_id: str) -> Contents:
    part = read_document_content(ctx, document_id, fields={"offset": 0, "limit": ATTACHED}).body
    contents: Contents = [t.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=part["markdown"], _meta=UNTRUSTED)]
    if part["nextOffset"] is not None:
        rest = (
            f"These are the first {ATTACHED:,} of {part['length']:,} characters. Read on with the tool "
            f"{ctx.name_of('read_document_content')}, `offset` {part['nextOffset']}."
        )
        contents.append(t.TextResourceContents(uri=uri, mime_type="text/plain", text=rest))
    return contents


def _first(ctx: Context, operation: Operation[Any]) -> list[dict[str, Any]]:
    if operation.query is None or operation.scope not in ctx.caller.scopes:
        return []
    found: list[dict[str, Any]] = operation(ctx, fields=load(operation.query, {"limit": SMALL_PAGE})).body
    return found
