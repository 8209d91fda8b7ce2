"""The inbox: what waits for somebody (decisions, section 19)."""

from app.operations.context import Context
from app.operations.operation import Effect, Result, operation
from app.responses.inbox import InboxEntry, inbox_entry
from app.schemas.inbox import InboxQuery
from app.schemas.loading import Fields
from app.vocabulary import Scope


@operation(Scope.READ, Effect.READS, query=InboxQuery)
def get_inbox(ctx: Context, fields: Fields) -> Result[list[InboxEntry]]:
    """List what waits for somebody, the longest waiting first, at most 200.

    With `memberId`, what waits for that member and for everybody. `action` is the operation that ends it.
    """
    member_id = fields.get("memberId")
    lines = ctx.store.inboxes.read(ctx.project_id, ctx.now, member_id and member_id.lower())
    return Result([inbox_entry(line) for line in lines])
