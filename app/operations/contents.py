"""A document's content read in parts, so that it never floods an agent's context (decisions, section 8)."""

from collections.abc import Mapping
from typing import Any

from app.errors import NotFound
from app.fields.contents import ContentPartQuery
from app.operations.context import Context
from app.operations.documents import own_document
from app.operations.operation import Effect, Result, operation
from app.records.contents import ContentPartRecord, content_part_record
from app.vocabulary import Scope


@operation(
    scope=Scope.READ,
    effect=Effect.READS,
    path=("documentId",),
    query=ContentPartQuery,
    response=ContentPartRecord,
    errors=(NotFound,),
)
def read_document_content(ctx: Context, document_id: str, fields: Mapping[str, Any]) -> Result:
    """Read a document's markdown in parts.

    Without `version` it is the current content; the published content is that of `publishedVersion`.
    """
    document = own_document(ctx, document_id)
    version = fields.get("version", document["version"])
    body_id = document.get("contentId") if version == document["version"] else _body_of(ctx, document["id"], version)
    markdown = ctx.store.bodies.get_texts(ctx.project_id, [body_id])[body_id] if body_id else ""
    part = content_part_record(document["id"], version, markdown, offset=fields["offset"], limit=fields["limit"])
    return Result(part)


def _body_of(ctx: Context, document_id: str, version: int) -> str | None:
    revision = ctx.store.revisions.get(ctx.project_id, document_id, version)
    if revision is None:
        raise NotFound(f"The document has no version {version}: list its revisions.")
    found: str | None = revision["bodyId"]
    return found
