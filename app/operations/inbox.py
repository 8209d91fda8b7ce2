"""The inbox: what waits for somebody (decisions, section 19)."""

from app.operations.context import Context
from app.operations.operation import Effect, Result, operation
from app.rules.inbox import InboxEntry
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
