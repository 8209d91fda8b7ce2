"""Pages of events: the activity of a document, and pages that wait for events after those they show."""

from functools import partial
from typing import Any

from flask import Blueprint, Response, request

from app.console.additions import Pages
from app.console.calls import call, listing, may
from app.console.frame import page
from app.core.errors import CursorExpired
from app.documents import operations as documents
from app.events import operations as events
from app.events.schemas import LATEST
from app.http.waiting import wait_for_events

WAIT_SECONDS = 20
ON_A_PAGE = 50

pages = Blueprint("events", __name__, template_folder="templates")


def cursor() -> str:
    """Returns the cursor after the last event of the project; a page waits for the events after it."""
    if not may(events.list_events):
        return ""
    return str(call(events.list_events, fields={"after": LATEST, "limit": 1}).body["cursor"])


@pages.get("/changes")
def changes() -> dict[str, Any]:
    """Returns, as JSON, which documents changed after a cursor, and the next cursor; with `wait`, once one changes."""
    fields = {"after": request.args.get("after", ""), "limit": 100}
    wait = WAIT_SECONDS if "wait" in request.args else 0
    list_events = partial(call, events.list_events, fields=fields)
    try:
        found = wait_for_events(wait, list_events, fields).body
    except CursorExpired:
        return {"documents": ["*"], "cursor": cursor()}
    changed = sorted({event["data"].get("documentId", "*") for event in found["events"]})
    return {"documents": changed, "cursor": found["cursor"]}


@pages.get("/documents/<id>/activity")
def show_activity(id: str) -> Response:
    """Shows what happened to a document, the newest first."""
    happened = listing(events.get_document_activity, id, limit=ON_A_PAGE)
    return page("events/activity.html", document=call(documents.get_document, id).body, events=happened)


PAGES = Pages(
    "events",
    blueprints=(pages,),
    tabs={"document": ("events.show_activity", "Activity")},
    templates={"body": "events/body.html"},
    values={"live": lambda: {"cursor": cursor()}},
)
