"""The calendar: what is due, scheduled and published, by month or week; days are UTC."""

from calendar import Calendar
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from flask import Response, request

from app.console import live
from app.console.calls import call
from app.console.forms import leads_to
from app.console.frame import console, page
from app.console.sessions import session
from app.errors import HttpApiDecodeError
from app.operations import documents, publishing
from app.rules.times import read_time, wire_time
from app.store.store import Store
from app.vocabulary import DocumentStatus

MOST = 100
"""The most documents of one kind that the calendar shows: one page of the list of documents."""


@console.get("/calendar")
def show_calendar() -> Response:
    """Shows a month, or a week with `view=week`, around the day in the address."""
    today = session().ctx.now.date()
    shown = _read_day(request.args.get("day", "")) or today
    weekly = request.args.get("view") == "week"
    days = _days(shown, weekly)
    items, is_cut = _items(days[0], days[-1])
    month, week = shown.replace(day=1), timedelta(days=7)
    return page(
        "calendar.html",
        days=[(day, [item for item in items if item["day"] == day]) for day in days],
        shown=shown,
        today=today,
        weekly=weekly,
        title=f"{days[0]:%d %b} to {days[-1]:%d %b %Y}" if weekly else f"{shown:%B %Y}",
        before=shown - week if weekly else month - timedelta(days=1),
        after=shown + week if weekly else month + timedelta(days=31),
        cut=is_cut,
        cursor=live.cursor(),
    )


@console.post("/calendar/<id>")
@leads_to("show_calendar")
def move_on_calendar(id: str) -> str:
    """Moves a document to another day: its due date, or the day on which it is published, at the same time of day."""
    day = _read_day(request.form.get("day", ""))
    if day is None:
        raise HttpApiDecodeError("The day must be a date, like 2027-02-14.")
    if request.form.get("kind") == "scheduled":
        return _reschedule(id, day)
    moved = call(documents.update_document, id, fields={"dueDate": day.isoformat()}).body
    return f"{moved['title']} is due on {day:%A, %d %B}."


def _reschedule(id: str, day: date) -> str:
    """Reschedules a document to the same time on another day; when that is refused, it stays as it is."""
    document = call(documents.get_document, id).body
    publish_at = read_time(document["publishAt"]) if document["publishAt"] else datetime.combine(day, time(9), UTC)
    at = datetime.combine(day, publish_at.timetz())
    ctx = session().ctx

    def reschedule(store: Store) -> None:
        within = replace(ctx, store=store)
        publishing.unschedule_document(within, id)
        publishing.schedule_document(within, id, fields={"publishAt": wire_time(at)})

    with ctx.store.deadline():
        ctx.store.in_transaction(reschedule)
    return f"{document['title']} is scheduled for {at:%A, %d %B, %H:%M} UTC."


def _items(first: date, last: date) -> tuple[list[dict[str, Any]], bool]:
    """Returns the documents of some days, and whether there may be more than are shown."""
    since = wire_time(datetime.combine(first, time(), UTC))
    due = _listed(dueAfter=first.isoformat(), dueBefore=last.isoformat(), sort="dueDate")
    scheduled = _listed(status=[DocumentStatus.SCHEDULED], sort="dueDate")
    published = _listed(isPublished=True, updatedSince=since, sort="-updatedAt")
    elsewhere = (DocumentStatus.PUBLISHED, DocumentStatus.SCHEDULED)
    items = [_item("due", one, one["dueDate"]) for one in due if one["status"] not in elsewhere]
    items += [_item("scheduled", one, one["publishAt"]) for one in scheduled]
    items += [_item("published", one, one["publishedAt"]) for one in published]
    return items, MOST in (len(due), len(scheduled), len(published))


def _item(kind: str, document: dict[str, Any], at: str) -> dict[str, Any]:
    """Returns a document on the day of an instant: when it is due, scheduled, or was published."""
    return {"kind": kind, "document": document, "day": date.fromisoformat(at[:10])}


def _listed(**filters: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = call(documents.list_documents, fields={**filters, "limit": MOST}).body
    return found


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
