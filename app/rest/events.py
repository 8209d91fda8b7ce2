"""Routes of events, the feed with a long poll (decisions, section 14)."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from app.fields.events import WaitingEventQuery
from app.http import feed_watch
from app.http.callers import callers
from app.operations import events
from app.operations.context import Context
from app.operations.operation import Result
from app.rest.blueprint import Routes
from app.rules.cursors import read_cursor
from app.vocabulary import TokenKind

routes = Routes("events", __name__)


def wait_for_events(ctx: Context, fields: Mapping[str, Any], list_events: Callable[[], Result]) -> Result:
    """Returns a page of events, as soon as it has one or the client's time is over.

    Raises `Unauthorized` when the token is not valid any more after a wait.
    """
    page, end = list_events(), time.monotonic() + fields["wait"]
    if page.body["events"] or not fields["wait"]:
        return page
    with feed_watch.may_wait() as allowed:
        while allowed and not page.body["events"]:
            reached = read_cursor(ctx.project_id, page.body["cursor"]) or 0
            if not feed_watch.wait_for_event(ctx.project_id, reached, end):
                break
            callers().check_again(TokenKind.MANAGEMENT)
            page = list_events()
    return page


routes.serve("GET", "/events", events.list_events, rest_query=WaitingEventQuery, waiting=wait_for_events)
routes.serve("GET", "/documents/<id>/activity", events.get_document_activity)
