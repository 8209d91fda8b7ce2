"""The calendar: what is due, scheduled and published, in the reader's time zone: five weeks, a month or a week."""

from calendar import Calendar
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

from flask import Response, request, url_for

from app.console import board
from app.console.additions import added
from app.console.calls import call, require
from app.console.forms import leads_to
from app.console.frame import console, page
from app.console.moves import refuse_if_moved, reschedule
from app.console.sessions import context
from app.console.times import local, zone
from app.console.words import today
from app.core.errors import HttpApiDecodeError
from app.core.schemas.loading import load
from app.core.times import wire_time
from app.documents import operations as documents
from app.documents.responses import DocumentSummary
from app.documents.schemas import DocumentQuery

MOST = 500
"""Maximum number of documents that the calendar shows of each kind: due, scheduled and published."""
FILTERS = ("assigneeId", "categoryId", "clusterId")
DAY_OF = {"due": "dueDate", "scheduled": "publishAt", "published": "publishedAt"}
"""The field that says on which day a document is shown."""
WEEKS = 5
"""How many weeks are shown, from this one on, where neither a month nor a week is asked for."""
VIEWS: Mapping[str, str] = {"": "Five weeks", "month": "Month", "week": "Week"}


@console.get("/calendar")
def show_calendar() -> Response:
    """Shows five weeks from the day in the address on, or its month or week; its filters are there too."""
    require(documents.list_documents)
    shown = _read_day(request.args.get("day", "")) or today()
    view = request.args.get("view", "")
    view = view if view in VIEWS else ""
    days = _days(shown, view)
    chosen = board.chosen_filters(FILTERS)
    items, cut = _items(load(DocumentQuery, board.filters_of(chosen)), days[0], days[-1])
    month, step = shown.replace(day=1), timedelta(days=len(days))
    before, after = shown - step, shown + step
    if view == "month":
        before, after = month - timedelta(days=1), month + timedelta(days=31)
    return page(
        "calendar.html",
        days=[(day, [item for item in items if item["day"] == day]) for day in days],
        shown=shown,
        today=today(),
        view=view,
        title=f"{shown:%B %Y}" if view == "month" else f"{days[0]:%d %b} to {days[-1]:%d %b %Y}",
        before=_address(chosen, before, view),
        after=_address(chosen, after, view),
        now=_address(chosen, None, view),
        views=[(name, text, _address(chosen, shown, name)) for name, text in VIEWS.items()],
        chosen=chosen,
        cut=cut,
        day_of=DAY_OF,
        most=MOST,
        **added("live"),
    )


@console.post("/calendar/<id>")
@leads_to("show_calendar")
def move_on_calendar(id: str) -> str:
    """Moves a document to another day: its due date, or the day on which it is published, at the same time of day."""
    day = _read_day(request.form.get("day", ""))
    if day is None:
        raise HttpApiDecodeError("The day must be a date, like 2027-02-14.")
    kind = "scheduled" if request.form.get("kind") == "scheduled" else "due"
    refuse_if_moved(id, lambda document: _day_of(kind, document))
    if kind == "scheduled":
        return _reschedule(id, day)
    moved = call(documents.update_document, id, fields={"dueDate": day.isoformat()}).body
    return f"{moved['title']} is due on {day:%A, %d %B}."


def _reschedule(id: str, day: date) -> str:
    """Reschedules a document to the same time on another day."""
    document = call(documents.get_document, id).body
    time_of_day = local(document["publishAt"]).time() if document["publishAt"] else time(9)
    at = datetime.combine(day, time_of_day, zone())
    reschedule(id, wire_time(at))
    return f"{document['title']} is scheduled for {at:%A, %d %B, %H:%M %Z}."


def _items(filters: dict[str, Any], first: date, last: date) -> tuple[list[dict[str, Any]], list[str]]:
    """Returns the documents of some days, each with its kind and day, and the kinds of which some are not shown.

    Days in the store are UTC: those before and after are read too.
    """
    ctx, day = context(), timedelta(days=1)
    found = documents.documents_by_day(ctx, filters, first - day, last + day, limit=MOST)
    items = [
        {"kind": kind, "document": one, "day": date.fromisoformat(_day_of(kind, one))}
        for kind, listed in found.items()
        for one in listed
    ]
    return items, [kind for kind, listed in found.items() if len(listed) == MOST]


def _day_of(kind: str, document: DocumentSummary) -> str:
    """Returns the day on which a document is shown; empty for none."""
    fields: Mapping[str, Any] = document
    value = fields[DAY_OF[kind]] or ""
    return value if kind == "due" or not value else f"{local(value):%Y-%m-%d}"


def _address(chosen: Mapping[str, str], day: date | None, view: str) -> str:
    wanted: dict[str, Any] = {**chosen, "day": day, "view": view or None}
    return url_for("console.show_calendar", **wanted)


def _days(shown: date, view: str) -> list[date]:
    """Returns the days of the five weeks that begin with a day's, of its week, or of the whole weeks of its month."""
    if view == "month":
        return [day for week in Calendar().monthdatescalendar(shown.year, shown.month) for day in week]
    monday = shown - timedelta(days=shown.weekday())
    return [monday + timedelta(days=number) for number in range(7 if view == "week" else 7 * WEEKS)]


def _read_day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 1970 <= found.year <= 9000 else None
