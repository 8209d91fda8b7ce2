"""A document's content read in parts, so that it never floods an agent's context (decisions, section 8)."""

from app.fields.contents import ContentPartQuery
from app.operations.context import Context, Fields
from app.operations.documents import own_document
from app.operations.operation import Effect, Result, operation
from app.operations.revisions import markdown_of, own_revision
from app.records.contents import ContentPartRecord, content_part_record
from app.vocabulary import Scope


@operation(Scope.READ, Effect.READS, query=ContentPartQuery, response=ContentPartRecord)
def read_document_content(ctx: Context, document_id: str, fields: Fields) -> Result:
    """Read a document's markdown in parts.

    Without `version` it is the current content; the published content is that of `publishedVersion`.
    """
    document = own_document(ctx, document_id)
    version = fields.get("version", document["version"])
    is_current = version == document["version"]
    body_id = document.get("contentId") if is_current else own_revision(ctx, document["id"], version)["bodyId"]
    markdown = markdown_of(ctx, body_id)
    part = content_part_record(document["id"], version, markdown, offset=fields["offset"], limit=fields["limit"])
    return Result(part)
