"""The inbox: what waits for somebody (decisions, section 19)."""

from collections.abc import Iterator, Sequence

from app.operations.context import Context
from app.operations.operation import Effect, Result, operation
from app.rules.documents import StoredDocument
from app.rules.inbox import InboxEntry
from app.rules.threads import StoredThread
from app.schemas.inbox import InboxQuery
from app.schemas.loading import Fields
from app.vocabulary import Scope


@operation(Scope.READ, Effect.READS, query=InboxQuery)
def get_inbox(ctx: Context, fields: Fields) -> Result[list[InboxEntry]]:
    """List what waits for members or everybody, the longest waiting first, at most 200.

    `action` ends it.
    """
    member_id = fields.get("memberId")
    return Result(ctx.store.inboxes.read(ctx.project_id, ctx.now, member_id and member_id.lower()))


def with_records(
    ctx: Context, lines: Sequence[InboxEntry]
) -> Iterator[tuple[InboxEntry, StoredDocument, StoredThread | None]]:
    """Yields what waits with its document and thread, for the console; without documents that are gone meanwhile."""
    with ctx.store.deadline():
        documents = ctx.store.documents.get_many(ctx.project_id, {line["documentId"] for line in lines})
        threads = ctx.store.threads.get_many(ctx.project_id, {line["threadId"] for line in lines if line["threadId"]})
    for line in lines:
        if line["documentId"] in documents:
            yield line, documents[line["documentId"]], threads.get(line["threadId"] or "")
