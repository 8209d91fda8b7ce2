"""Documents from idea to published (contract: Management document record; decisions, section 5)."""

from collections.abc import Mapping
from typing import Any

from app.errors import NotFound
from app.operations.context import Context
from app.operations.operation import Answer, Effect, operation
from app.records.documents import DocumentRecord, document_bodies, document_summary
from app.rules.etags import document_tag
from app.rules.slugs import numbered, slug_of
from app.store.store import Store
from app.vocabulary import Scope

NO_DOCUMENT = "The project has no such document: check the id, or it was deleted."


@operation(
    scope=Scope.READ, effect=Effect.READS, path=("documentId",), gives=DocumentRecord, refuses=(NotFound,)
)
def get_document(ctx: Context, document_id: str) -> Answer:
    """Read a document.

    `version` is the `baseVersion` of the next content write.
    """
    return document_answer(ctx, own_document(ctx, document_id))


def own_document(ctx: Context, document_id: str) -> dict[str, Any]:
    """Returns a stored document of the caller's project that is not in the trash; else refuses with `NotFound`."""
    document = ctx.store.documents.get(ctx.project_id, document_id)
    if document is None:
        raise NotFound(NO_DOCUMENT)
    return document


def document_answer(ctx: Context, document: Mapping[str, Any]) -> Answer:
    """Returns the answer that shows a stored document whole."""
    return Answer(
        document_summary(document, ctx.caller.team_id, ctx.now),
        etag=document_tag(document, ctx.now),
        bodies=document_bodies(document),
    )


def free_slug(store: Store, project_id: str, title: str) -> str:
    """Returns a slug made from a title, with `-2`, `-3`, … as long as a document of the project has it."""
    slug, first, many = slug_of(title), 1, 10
    while True:
        candidates = [numbered(slug, number) if number > 1 else slug for number in range(first, first + many)]
        taken = store.documents.taken_slugs(project_id, candidates)
        for candidate in candidates:
            if candidate not in taken:
                return candidate
        first, many = first + many, many * 10
