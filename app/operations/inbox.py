"""The inbox: what waits for somebody (decisions, section 19)."""

from collections.abc import Iterator, Sequence

from app.operations.context import Context
from app.operations.operation import Effect, Result, operation
from app.rules.documents import StoredDocument
from app.rules.inbox import MOST_WAITING, NEEDED, InboxEntry, Team, waiting_in
from app.rules.threads import StoredThread
from app.schemas.inbox import InboxQuery
from app.schemas.loading import Fields
from app.vocabulary import DocumentStatus, Scope, WaitKind


@operation(Scope.READ, Effect.READS, query=InboxQuery)
def get_inbox(ctx: Context, fields: Fields) -> Result[list[InboxEntry]]:
    """List what waits for members or everybody, the longest waiting first, at most 200.

    `action` ends it.
    """
    member_id = fields.get("memberId")
    return Result(ctx.store.inboxes.read(ctx.project_id, ctx.now, member_id and member_id.lower()))


def reviews_of_others(ctx: Context, member_id: str) -> list[InboxEntry]:
    """Returns the entries of documents in review that wait for other members than this one, for the console."""
    filters = {"status": [DocumentStatus.REVIEW]}
    team = Team(frozenset(ctx.store.members.ids(ctx.project_id)))  # its other facts decide about other kinds
    documents = ctx.store.documents.list(
        ctx.project_id,
        filters,
        ctx.now,
        sort="updatedAt",
        limit=MOST_WAITING,
        offset=0,
        fields=dict.fromkeys(NEEDED, 1),
    )
    entries = [entry for document in documents for entry in waiting_in(document, team)]
    return [one for one in entries if one["kind"] == WaitKind.REVIEW and one["memberId"] not in (None, member_id)]


def with_records(
    ctx: Context, lines: Sequence[InboxEntry]
) -> Iterator[tuple[InboxEntry, StoredDocument, StoredThread | None]]:
    """Yields what waits with its document and thread, for the console; without documents that are gone meanwhile."""
    documents = ctx.store.documents.get_many(ctx.project_id, {line["documentId"] for line in lines})
    threads = ctx.store.threads.get_many(ctx.project_id, {line["threadId"] for line in lines if line["threadId"]})
    for line in lines:
        if line["documentId"] in documents:
            yield line, documents[line["documentId"]], threads.get(line["threadId"] or "")
