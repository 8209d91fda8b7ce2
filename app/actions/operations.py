"""What can be done with a document now, and why the rest is refused (decisions, section 11).

The refusals are those of the operations: scope and freeze by `Operation.permit`, the budget by `if_over_budget`, the
rest by the rule that each operation declares. What the rules need besides the document is read once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from app.actions.responses import Action, action_record
from app.checks.operations import checks_of, demanded_checks
from app.checks.rules import CheckResult, failed_errors
from app.core.context import Context
from app.core.errors import NotFound, Refusal, or_raise
from app.core.features import Features
from app.core.operation import Effect, Operation, Result, if_over_budget, operation
from app.core.vocabulary import Scope
from app.documents.content import markdown_of
from app.documents.operations import NO_DOCUMENT, with_taken_slugs
from app.documents.publishing_rules import refuse_publication
from app.documents.record import Call, StoredDocument
from app.documents.rendering import is_renderable
from app.documents.statuses import submit_document
from app.documents.store import Documents
from app.guards.gates import publishing_call, refusal_of
from app.projects.store import Projects
from app.review.responses import NewReviewLink, ReviewLink

RESTORE = "restore_document"
OF_LINKS = (ReviewLink, NewReviewLink)
"""The records of operations on a document's links, which are not listed; those on one thread are not either."""


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/actions",
    toolsets=("reviewing",),
    next="Call it when a refusal is unclear.",
)
def list_document_actions(ctx: Context, document_id: str) -> Result[list[Action]]:
    """List what can be done with a document now, and why the rest is refused.

    `refusal` is the error that a valid call would get.
    """
    documents = ctx.store[Documents].get_many(ctx.project_id, [document_id])
    document = or_raise(documents.get(document_id.lower()), NotFound, NO_DOCUMENT)
    return Result(
        [action_record(one.name, *one.address, document["id"], refused) for one, refused in actions_on(ctx, document)]
    )


def actions_on(
    ctx: Context, document: StoredDocument, markdown: str | None = None, results: Sequence[CheckResult] | None = None
) -> Iterator[tuple[Operation[Any], Refusal | None]]:
    """Yields each operation that writes a document or its brief, and why it would be refused now.

    The document's text and the results of its checks are read and made where they are not given.
    """
    call = _call(ctx, document, markdown, results)
    over_budget = if_over_budget(ctx)
    for one in document_operations(ctx.features):
        yield one, _refusal(ctx, one, document, call) or over_budget.get(one.publishes)


@lru_cache
def document_operations(features: Features) -> tuple[Operation[Any], ...]:
    """Returns the operations that write one document or its brief."""
    of_documents = [one for one in features.operations if one.id_names[:1] == ("documentId",) and not one.reads]
    return tuple(one for one in of_documents if "threadId" not in one.id_names and one.record not in OF_LINKS)


def _refusal(ctx: Context, one: Operation[Any], document: StoredDocument, call: Call) -> Refusal | None:
    try:
        one.permit(ctx)
    except Refusal as refused:
        return refused
    if document["deletedAt"] is not None and one.name != RESTORE:
        return NotFound(NO_DOCUMENT)
    return refusal_of(ctx, document, one.rule, call) if one.rule else None


def _call(ctx: Context, document: StoredDocument, markdown: str | None, results: Sequence[CheckResult] | None) -> Call:
    """Returns the call with the facts that the rules for the caller's scopes need; no others are read."""
    scopes, call = ctx.caller.scopes, ctx.call
    if document["deletedAt"] is not None:
        return with_taken_slugs(ctx, document, document["slugs"])
    project = ctx.store[Projects].settings(ctx.project_id)
    if Scope.PUBLISH in scopes:
        call = publishing_call(ctx, document, project)
    content_id, levels = document.get("contentId"), demanded_checks(project)
    if Scope.WRITE in scopes and levels and refusal_of(ctx, document, submit_document, call) is None:
        if results is None:
            markdown = markdown_of(ctx, content_id)
            results = checks_of(ctx, document, levels, markdown)
        call = replace(call, failed_checks=failed_errors(results))
    if Scope.PUBLISH in scopes and content_id and refusal_of(ctx, document, refuse_publication, call) is None:
        call = replace(call, not_renderable=not is_renderable(ctx, content_id, markdown))
    return call
