"""The calendar: what is due, scheduled and published, by month or week; days are UTC."""

from calendar import Calendar
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, TypedDict

from flask import Response, request, url_for

from app.console import board, live
from app.console.calls import call, require
from app.console.forms import leads_to
from app.console.frame import console, page
from app.console.moves import refuse_if_moved
from app.console.sessions import context
from app.errors import HttpApiDecodeError
from app.operations import documents, publishing
from app.responses.documents import DocumentSummary
from app.rules.times import read_time, wire_time
from app.schemas.documents import DocumentQuery
from app.schemas.loading import load
from app.store.store import Store

MOST = 500
"""The most documents that the calendar shows as due, as scheduled and as published."""
FILTERS = ("assigneeId", "categoryId", "clusterId")
DAY_OF = {"due": "dueDate", "scheduled": "publishAt", "published": "publishedAt"}
"""The field that says on which day a document is shown."""


class _Item(TypedDict):
    """A document on a day of the calendar."""

    kind: str
    document: DocumentSummary
    day: date


@console.get("/calendar")
def show_calendar() -> Response:
    """Shows a month, or a week with `view=week`, around the day in the address; its filters are there too."""
    require(documents.list_documents)
    today = context().now.date()
    shown = _read_day(request.args.get("day", "")) or today
    weekly = request.args.get("view") == "week"
    days = _days(shown, weekly)
    chosen = board.chosen_filters(FILTERS)
    items, cut = _items(load(DocumentQuery, board.filters_of(chosen)), days[0], days[-1])
    month, week = shown.replace(day=1), timedelta(days=7)
    return page(
        "calendar.html",
        days=[(day, [item for item in items if item["day"] == day]) for day in days],
        shown=shown,
        today=today,
        weekly=weekly,
        title=f"{days[0]:%d %b} to {days[-1]:%d %b %Y}" if weekly else f"{shown:%B %Y}",
        before=_address(chosen, shown - week if weekly else month - timedelta(days=1), weekly),
        after=_address(chosen, shown + week if weekly else month + timedelta(days=31), weekly),
        now=_address(chosen, None, weekly),
        views={"Month": _address(chosen, shown, False), "Week": _address(chosen, shown, True)},
        chosen=chosen,
        cut=cut,
        most=MOST,
        cursor=live.cursor(),
    )


@console.post("/calendar/<id>")
@leads_to("show_calendar")
def move_on_calendar(id: str) -> str:
    """Moves a document to another day: its due date, or the day on which it is published, at the same time of day."""
    day = _read_day(request.form.get("day", ""))
    if day is None:
        raise HttpApiDecodeError("The day must be a date, like 2027-02-14.")
    kind = "scheduled" if request.form.get("kind") == "scheduled" else "due"
    refuse_if_moved(id, DAY_OF[kind])
    if kind == "scheduled":
        return _reschedule(id, day)
    moved = call(documents.update_document, id, fields={"dueDate": day.isoformat()}).body
    return f"{moved['title']} is due on {day:%A, %d %B}."


def _reschedule(id: str, day: date) -> str:
    """Reschedules a document to the same time on another day; when that is refused, it stays as it is."""
    document = call(documents.get_document, id).body
    publish_at = read_time(document["publishAt"]) if document["publishAt"] else datetime.combine(day, time(9), UTC)
    at = datetime.combine(day, publish_at.timetz())
    ctx = context()

    def reschedule(store: Store) -> None:
        within = replace(ctx, store=store)
        publishing.unschedule_document(within, id)
        publishing.schedule_document(within, id, fields={"publishAt": wire_time(at)})

    with ctx.store.deadline():
        ctx.store.in_transaction(reschedule)
    return f"{document['title']} is scheduled for {at:%A, %d %B, %H:%M} UTC."


def _items(filters: dict[str, Any], first: date, last: date) -> tuple[list[_Item], list[str]]:
    """Returns the documents of some days, and of what there may be more than is shown."""
    ctx = context()
    with ctx.store.deadline():
        found = documents.documents_by_day(ctx, filters, first, last, limit=MOST)
    items = [_item(kind, one) for kind, listed in found.items() for one in listed]
    return items, [kind for kind, listed in found.items() if len(listed) == MOST]


def _item(kind: str, document: DocumentSummary) -> _Item:
    """Returns a document on the day when it is due, scheduled, or was published."""
    fields: Mapping[str, Any] = document
    return {"kind": kind, "document": document, "day": date.fromisoformat(fields[DAY_OF[kind]][:10])}


def _address(chosen: Mapping[str, str], day: date | None, weekly: bool) -> str:
    wanted: dict[str, Any] = {**chosen, "day": day, "view": "week" if weekly else None}
    return url_for("console.show_calendar", **wanted)


def _days(shown: date, weekly: bool) -> list[date]:
    """Returns the days of the week, or of the whole weeks of the month, that a day belongs to."""
    weeks = Calendar().monthdatescalendar(shown.year, shown.month)
    return next(week for week in weeks if shown in week) if weekly else [day for week in weeks for day in week]


def _read_day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 1970 <= found.year <= 9000 else None
