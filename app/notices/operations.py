"""The inbox: what waits for somebody (decisions, section 19)."""

from collections.abc import Iterator, Sequence

from app.core.context import Context
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields
from app.core.vocabulary import DocumentStatus, Scope
from app.documents.record import StoredDocument
from app.documents.store import Documents
from app.notices.inbox import MOST_WAITING, NEEDED, InboxEntry, Team, waiting_in
from app.notices.inbox_store import Inboxes
from app.notices.schemas import InboxPage, InboxQuery
from app.notices.vocabulary import WaitKind
from app.projects.store import Members
from app.review.rules import StoredThread
from app.review.store import Threads


@operation(Scope.READ, Effect.READS, "GET /inbox", query=InboxPage, rest_query=InboxQuery, toolsets=("reviewing",))
def get_inbox(ctx: Context, fields: Fields) -> Result[list[InboxEntry]]:
    """List what waits for members or everybody, the longest waiting first.

    `action` ends it.
    """
    member_id = fields.get("memberId")
    entries = ctx.store[Inboxes].read(ctx.project_id, ctx.now, member_id and member_id.lower())
    return Result(entries[: fields.get("limit", MOST_WAITING)])


def reviews_of_others(ctx: Context, member_id: str) -> list[InboxEntry]:
    """Returns the entries of documents in review that wait for other members than this one, for the console."""
    filters = {"status": [DocumentStatus.REVIEW]}
    team = Team(frozenset(ctx.store[Members].ids(ctx.project_id)))  # its other facts decide about other kinds
    documents = ctx.store[Documents].list(
        ctx.project_id,
        filters,
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
    documents = ctx.store[Documents].get_many(ctx.project_id, {line["documentId"] for line in lines})
    threads = ctx.store[Threads].get_many(ctx.project_id, {line["threadId"] for line in lines if line["threadId"]})
    for line in lines:
        if line["documentId"] in documents:
            yield line, documents[line["documentId"]], threads.get(line["threadId"] or "")
