"""Live pages: they wait for events after the cursor at which they were rendered."""

from functools import partial
from typing import Any

from flask import request

from app.console.calls import call, may
from app.console.frame import console
from app.console.sessions import context
from app.events import operations as events
from app.events.errors import CursorExpired
from app.events.rules import cursor_of
from app.events.store import Events
from app.http.waiting import wait_for_events

WAIT_SECONDS = 20


def cursor() -> str:
    """Returns the cursor after the last event of the project; a page waits for the events after it."""
    ctx = context()
    if "events" not in ctx.features or not may(events.list_events):
        return ""
    return cursor_of(ctx.project_id, ctx.store[Events].last(ctx.project_id))


@console.get("/changes")
def changes() -> dict[str, Any]:
    """Returns, as JSON, which documents changed after a cursor, and the next cursor; with `wait`, once one changes."""
    fields = {"after": request.args.get("after", ""), "limit": 100}
    wait = WAIT_SECONDS if "wait" in request.args else 0
    list_events = partial(call, events.list_events, fields=fields)
    try:
        found = wait_for_events(wait, list_events).body
    except CursorExpired:
        return {"documents": ["*"], "cursor": cursor()}
    changed = sorted({event["data"].get("documentId", "*") for event in found["events"]})
    return {"documents": changed, "cursor": found["cursor"]}
