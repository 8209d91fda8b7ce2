"""Who wrote a text: read from the origins that are stored with it (decisions, section 18)."""

from functools import reduce
from operator import or_

from app.operations.concurrency import processing
from app.operations.context import Context
from app.operations.documents import own_document
from app.operations.operation import Effect, Result, operation
from app.operations.revisions import content_id_of
from app.responses.provenance import Provenance as ProvenanceResponse
from app.rules.provenance import Provenance, load_origins, paragraphs_of, provenance_of, versions_in
from app.rules.text import word_count
from app.schemas.documents import VersionQuery
from app.schemas.loading import Fields
from app.store.bodies import StoredBody
from app.vocabulary import Scope, WriterKind


@operation(Scope.READ, Effect.READS, query=VersionQuery)
def get_provenance(ctx: Context, document_id: str, fields: Fields) -> Result[ProvenanceResponse]:
    """Read who wrote each paragraph of a document."""
    document = own_document(ctx, document_id)
    version = fields.get("version", document["version"])
    body = ctx.store.bodies.get(ctx.project_id, content_id_of(ctx, document, version))
    written = written_text(ctx, body)
    return Result(
        {
            "version": version,
            "words": written.words(),
            "people": written.words(WriterKind.PERSON),
            "agents": written.words(WriterKind.AGENT),
            "paragraphs": written.paragraphs,
        }
    )


def written_text(ctx: Context, body: StoredBody | None) -> Provenance:
    """Returns who wrote a document's content, None being no content."""
    if body is None:
        return Provenance([])
    with processing(ctx, body["text"]):
        paragraphs, origins = paragraphs_of(body["text"]), load_origins(body["origins"] or "")
        words = [word_count(one.text) for one in paragraphs]
    named = versions_in(reduce(or_, set(origins), 0))
    revisions = ctx.store.revisions.get_many(ctx.project_id, body["documentId"], named)
    return provenance_of(paragraphs, words, origins, revisions)
