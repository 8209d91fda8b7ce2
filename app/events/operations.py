"""The feed of the project's events, and the activity of a document (decisions, section 9)."""

from app.core.context import Context
from app.core.errors import CursorExpired, HttpApiDecodeError, Issue
from app.core.operation import Effect, Result, operation
from app.core.schemas.loading import Fields
from app.core.schemas.queries import fitting
from app.core.vocabulary import Channel, Scope
from app.documents.operations import own_document
from app.events.responses import Activity, EventPage, activity_record, event_record
from app.events.rules import cursor_of, read_cursor
from app.events.schemas import LATEST, ActivityQuery, EventQuery, WaitingEventQuery
from app.events.store import Events


@operation(
    Scope.READ,
    Effect.READS,
    "GET /events",
    query=EventQuery,
    errors=(CursorExpired,),
    rest_query=WaitingEventQuery,
    toolsets=("admin",),
)
def list_events(ctx: Context, fields: Fields) -> Result[EventPage]:
    """List the project's events, oldest first.

    Send the `cursor` of each page as `after` of the next one: a reader that does misses no event. An empty page is the
    last one.
    """
    types, known = fields.get("type", ()), ctx.features.event_types
    if not {*types} <= {*known}:
        raise HttpApiDecodeError(issues=[Issue(path="type", message=f"Must be one of {', '.join(known)}.")])
    if fields.get("after") == LATEST:
        return Result({"events": [], "cursor": cursor_of(ctx.project_id, ctx.store[Events].last(ctx.project_id))})
    after = _sequence(ctx, fields.get("after"))
    events, reached = ctx.store[Events].page(ctx.project_id, after, fields["limit"], types)
    page = [event_record(event) for event in events]
    if ctx.channel == Channel.MCP and page and (fits := fitting(page)) < len(page):
        page, reached = page[:fits], page[fits - 1]["sequence"]
    return Result({"events": page, "cursor": cursor_of(ctx.project_id, reached)})


@operation(
    Scope.READ,
    Effect.READS,
    "GET /documents/<id>/activity",
    tag="events",
    query=ActivityQuery,
    toolsets=("reviewing", "admin"),
)
def get_document_activity(ctx: Context, document_id: str, fields: Fields) -> Result[list[Activity]]:
    """List all events of a document, newest first, also those that are not in the feed."""
    own_document(ctx, document_id)
    events = ctx.store[Events].of_document(ctx.project_id, document_id, limit=fields["limit"], offset=fields["offset"])
    return Result([activity_record(event) for event in events])


def _sequence(ctx: Context, cursor: str | None) -> int | None:
    if cursor is None:
        return None
    sequence = read_cursor(ctx.project_id, cursor)
    if sequence is None or sequence > ctx.store[Events].last(ctx.project_id):
        message = "Must be the `cursor` of a page of this project's events, unchanged."
        raise HttpApiDecodeError(issues=[Issue(path="after", message=message)])
    return sequence
