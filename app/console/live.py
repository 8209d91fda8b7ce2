"""Live pages: they wait for events after the cursor at which they were rendered."""

from __future__ import annotations

from datetime import date, timedelta

import orjson
from flask import Response, request

from app.console.frame import call, console, may, session
from app.errors import CursorExpired
from app.http import feed_watch
from app.http.callers import callers
from app.operations import events
from app.operations.operation import Result
from app.rules.cursors import cursor_of

WAIT_SECONDS = 20


def cursor() -> str:
    """Returns the cursor after the last event of the project; a page waits for the events after it."""
    ctx = session().ctx
    if not may(events.list_events):
        return ""
    with ctx.store.deadline():
        return cursor_of(ctx.project_id, ctx.store.events.last(ctx.project_id))


@console.get("/changes")
def changes() -> Response:
    """Returns, as JSON, which documents changed after a cursor, and the next cursor; with `wait`, once one changes."""
    fields = {"after": request.args.get("after", ""), "limit": 100}
    wait = WAIT_SECONDS if "wait" in request.args else 0

    def list_events() -> Result:
        return call(events.list_events, fields=fields)

    try:
        found = feed_watch.wait_for_events(
            session().ctx.project_id, wait, list_events, callers().check_session_again
        ).body
    except CursorExpired:
        return _json({"documents": ["*"], "cursor": cursor()})
    changed = sorted({event["data"].get("documentId", "*") for event in found["events"]})
    return _json({"documents": changed, "cursor": found["cursor"]})


def _json(body: dict[str, object]) -> Response:
    return Response(orjson.dumps(body), content_type="application/json")


def today() -> date:
    """Returns the present day in UTC."""
    return session().ctx.now.date()


def days_later(day: date, days: int) -> date:
    """Returns the day so many days after another."""
    return day + timedelta(days=days)
