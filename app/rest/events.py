"""Routes of events, the feed with a long poll (decisions, section 14)."""

from collections.abc import Callable, Mapping
from typing import Any

from app.fields.queries import WaitingEventQuery
from app.http import feed_watch
from app.http.callers import callers
from app.operations import events
from app.operations.context import Context
from app.operations.operation import Result
from app.rest.blueprint import Routes
from app.vocabulary import TokenKind

routes = Routes("events", __name__)


def wait_for_events(ctx: Context, fields: Mapping[str, Any], list_events: Callable[[], Result]) -> Result:
    """Returns a page of events, as soon as it has one or the client's time is over.

    Raises `Unauthorized` when the token is not valid any more after a wait.
    """
    return feed_watch.wait_for_events(
        ctx.project_id, fields["wait"], list_events, lambda: callers().check_again(TokenKind.MANAGEMENT)
    )


routes.serve("GET", "/events", events.list_events, rest_query=WaitingEventQuery, long_poll=wait_for_events)
routes.serve("GET", "/documents/<id>/activity", events.get_document_activity)
