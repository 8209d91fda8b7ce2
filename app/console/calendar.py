"""The calendar: what is due, scheduled and published, by month or week; days are UTC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console import live
from app.console.frame import call, console, done, page, said_by, session
from app.console.words import utc_day
from app.errors import HttpApiDecodeError, Refusal
from app.operations import documents, publishing
from app.rules.times import read_time, wire_time
from app.store.store import Store
from app.vocabulary import DocumentStatus

MOST = 100
"""The most pieces of one kind that the calendar shows: one page of the list of documents."""


@dataclass(frozen=True)
class Item:
    """A piece on a day: when it is due, scheduled, or was published."""

    kind: str
    """`due`, `scheduled` or `published`."""
    document: dict[str, Any]
    at: str
    """The day, or the instant."""


@dataclass
class Day:
    """A day with its pieces."""

    date: date
    inside: bool
    """Whether the day belongs to the month shown."""
    items: list[Item] = field(default_factory=list)


@console.get("/calendar")
def show_calendar() -> Response:
    """Shows a month, or a week with `view=week`, around the day in the address."""
    today = live.today()
    shown = _read_day(request.args.get("day", "")) or today
    weekly = request.args.get("view") == "week"
    days = {one.date: one for one in _days(shown, weekly)}
    first, last = min(days), max(days)
    cut = False
    for item, found_cut in _items(first, last):
        cut = cut or found_cut
        if item is not None and (one := days.get(_day_of(item))) is not None:
            one.items.append(item)
    span = timedelta(days=7) if weekly else None
    return page(
        "calendar.html",
        days=list(days.values()),
        shown=shown,
        today=today,
        weekly=weekly,
        title=f"{first:%d %b} to {last:%d %b %Y}" if weekly else f"{shown:%B %Y}",
        before=shown - span if span else (shown.replace(day=1) - timedelta(days=1)).replace(day=1),
        after=shown + span if span else (shown.replace(day=28) + timedelta(days=4)).replace(day=1),
        cut=cut,
        cursor=live.cursor(),
    )


@console.post("/calendar/<id>")
def move_on_calendar(id: str) -> BaseResponse:
    """Moves a piece to another day: its due date, or the day on which it is published, at the same time of day."""
    day = _read_day(request.form.get("day", ""))
    back = url_for("console.show_calendar", day=day, view=request.form.get("view"))
    if day is None:
        raise HttpApiDecodeError("The day must be a date, like 2027-02-14.")
    try:
        if request.form.get("kind") == "scheduled":
            return done(_reschedule(id, day), back)
        moved = call(documents.update_document, id, fields={"dueDate": day.isoformat()}).body
    except Refusal as refusal:
        return done(said_by(refusal), back, ok=False)
    return done(f"{moved['title']} is due on {day:%A, %d %B}.", back)


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


def _items(first: date, last: date) -> Iterator[tuple[Item | None, bool]]:
    """Yields the pieces of some days, each with whether there may be more than are shown."""
    bounds = {"dueAfter": first.isoformat(), "dueBefore": last.isoformat()}
    due = call(documents.list_documents, fields={**bounds, "sort": "dueDate", "limit": MOST}).body
    for document in due:
        if document["status"] not in (DocumentStatus.PUBLISHED, DocumentStatus.SCHEDULED):
            yield Item("due", document, document["dueDate"]), False
    scheduled = {"status": DocumentStatus.SCHEDULED, "sort": "dueDate", "limit": MOST}
    planned = call(documents.list_documents, fields=scheduled).body
    for document in planned:
        yield Item("scheduled", document, document["publishAt"]), False
    since = wire_time(datetime.combine(first, time(), UTC))
    live_since = {"isPublished": True, "updatedSince": since, "sort": "-updatedAt", "limit": MOST}
    published = call(documents.list_documents, fields=live_since).body
    for document in published:
        yield Item("published", document, document["publishedAt"]), False
    yield None, MOST in (len(due), len(planned), len(published))


def _day_of(item: Item) -> date:
    return date.fromisoformat(item.at) if item.kind == "due" else utc_day(item.at)


def _days(shown: date, weekly: bool) -> Iterator[Day]:
    """Yields the days of the week, or of the whole weeks of the month, that a day belongs to."""
    first = shown if weekly else shown.replace(day=1)
    monday = first - timedelta(days=first.weekday())
    for number in range(7 if weekly else 42):
        one = monday + timedelta(days=number)
        if not weekly and number >= 28 and number % 7 == 0 and one.month != shown.month:
            return
        yield Day(one, weekly or one.month == shown.month)


def _read_day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if 1970 <= found.year <= 9000 else None
