"""Lists the operations that a document allows now, and why the others are refused (decisions, section 11).

The refusals are those of the operations: of `Operation.permit`, of the rule that each operation declares, of its gates
and of the gates of all writes. What the gates need besides the document is read once.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any

from app.actions.responses import Action, action_record, tool_action
from app.core.context import Context
from app.core.errors import NotFound, Refusal, or_raise, refusal_of
from app.core.features import Features
from app.core.operation import Effect, Operation, Result, operation
from app.core.vocabulary import Scope
from app.documents.operations import NO_DOCUMENT, with_taken_slugs
from app.documents.record import StoredDocument
from app.documents.store import Documents
from app.projects.gates import Attempt

RESTORE = "restore_document"
OF_DOCUMENTS = (("documentId",), ("documentId", "version"))
"""The ids of operations on a document; further ones name a record of its own, as a thread."""


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/actions",
    short=tool_action,
    toolsets=("reviewing",),
    next="Call it when a refusal is unclear.",
)
def list_document_actions(ctx: Context, document_id: str) -> Result[list[Action]]:
    """List what can be done with a document now, and why the rest is refused.

    `refusal` is the error that a valid call would get.
    """
    documents = ctx.store[Documents].get_many(ctx.project_id, [document_id])
    document = or_raise(documents.get(document_id.lower()), NotFound, *NO_DOCUMENT)
    return Result(
        [
            action_record(one, ctx.server.base_path, document["id"], refused and ctx.explain(refused, one, ctx))
            for one, refused in actions_on(attempt_on(ctx, document))
        ]
    )


def attempt_on(ctx: Context, document: StoredDocument, markdown: str | None = None) -> Attempt:
    """Returns a call that asks what it could change in a document, whose text is read if it is not given."""
    is_trashed = document["deletedAt"] is not None
    call = with_taken_slugs(ctx, document, document["slugs"]) if is_trashed else ctx.call
    return Attempt(ctx, document, call, text=markdown, reads=not is_trashed)


def actions_on(attempt: Attempt) -> Iterator[tuple[Operation[Any], Refusal | None]]:
    """Yields each operation that writes a document or its brief, and why it would be refused now."""
    ctx = attempt.ctx
    asked = [gate.ask(ctx) for gate in ctx.features.write_gates]
    for one in filter(lambda one: one.is_in(ctx.toolset), document_operations(ctx.features)):
        after = (refusals.get(one.publishes(attempt.record)) for refusals in asked)
        yield one, _refusal(attempt, one) or next(filter(None, after), None)


@lru_cache
def document_operations(features: Features) -> tuple[Operation[Any], ...]:
    """Returns the operations that write one document or its brief; those on its links, a thread or a source are not."""
    return tuple(
        one for one in features.operations if one.id_names in OF_DOCUMENTS and not one.reads and not one.unchanging
    )


def _refusal(attempt: Attempt, one: Operation[Any]) -> Refusal | None:
    if refused := refusal_of(partial(one.permit, attempt.ctx)):
        return refused
    if attempt.record["deletedAt"] is not None and one.name != RESTORE:
        return NotFound(*NO_DOCUMENT)
    return attempt.if_refused(one)
