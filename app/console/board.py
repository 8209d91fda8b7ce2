"""The board: documents in columns by status."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from flask import Response, request

from app.console.additions import added
from app.console.buttons import BY_NAME
from app.console.calls import call
from app.console.frame import console, page
from app.console.lookups import whole_categories
from app.console.sessions import context
from app.console.words import STATUSES, today
from app.core.schemas.loading import cached_schema
from app.core.schemas.queries import from_query
from app.core.vocabulary import DocumentStatus
from app.documents import operations as documents
from app.documents.responses import DocumentSummary
from app.documents.schemas import DocumentQuery

IN_A_COLUMN = 25
MOST = 99
"""Maximum cards in a column, and on a board filled from one list for a search: each page of one costs several commands.

One less than the longest page of a list: one more document is asked for, to know whether there are more.
"""
FILTERS = ("q", "assigneeId", "categoryId", "clusterId", "briefState", "due")
IN_ONE_LIST = frozenset({"q", "briefState", "due"})
"""The filters with which all columns are filled by one list."""

QUESTIONS = {"publish": BY_NAME["publish_document"].question, "unpublish": BY_NAME["unpublish_document"].question}
"""The questions before a card is moved to or from *Published*; those of the document's page."""


@dataclass
class Column:
    """One status with its first documents."""

    status: str
    documents: list[DocumentSummary] = field(default_factory=list)
    shown: int = IN_A_COLUMN
    more: bool = False


@console.get("/board")
def show_board() -> Response:
    """Shows the board; its filters are in the address."""
    chosen = chosen_filters((*FILTERS, *added("filters")))
    filters = filters_of(chosen)
    is_search = not (IN_ONE_LIST | added("filters").keys()).isdisjoint(chosen)
    columns = _in_one_list(filters) if is_search else [_column(status, filters) for status in STATUSES]
    return page(
        "board.html",
        columns=columns,
        chosen=chosen,
        is_cut=is_search and any(column.more for column in columns),
        most=MOST,
        questions=QUESTIONS,
        added_filters=added("filters"),
        sentences=added("sentences", [one["id"] for column in columns for one in column.documents], chosen),
        **added("live"),
    )


def chosen_filters(names: Iterable[str]) -> dict[str, str]:
    """Returns those filters of a page that its address sets."""
    return {name: value for name in names if (value := request.args.get(name, "").strip())}


def filters_of(chosen: Mapping[str, str]) -> dict[str, Any]:
    """Returns the filters of a page as those of the list of documents; a category brings its subcategories."""
    filters = {name: value for name, value in chosen.items() if name != "due"}
    if whole := "categoryId" in chosen and whole_categories().get(chosen["categoryId"]):
        filters["categoryId"] = ",".join(whole)
    if chosen.get("due") == "overdue":
        filters |= {"isPublished": "false", "dueBefore": (today() - timedelta(days=1)).isoformat()}
    elif chosen.get("due") == "week":
        week = {"dueAfter": today().isoformat(), "dueBefore": (today() + timedelta(days=7)).isoformat()}
        filters |= {"isPublished": "false", **week}
    return from_query(cached_schema(context().features.schema_of(DocumentQuery)), filters)


def _column(status: str, filters: Mapping[str, Any]) -> Column:
    """Returns one column: the earliest due date first, or the latest publication first."""
    shown = request.args.get(f"show.{status}", IN_A_COLUMN, type=int) or IN_A_COLUMN
    shown = max(1, min(shown, MOST))
    sort = "-updatedAt" if status == DocumentStatus.PUBLISHED else "dueDate"
    fields = {**filters, "status": [status], "sort": sort, "limit": shown + 1}
    found = call(documents.list_documents, fields=fields).body
    return Column(status, found[:shown], shown, more=len(found) > shown)


def _in_one_list(filters: Mapping[str, Any]) -> list[Column]:
    """Returns all columns, filled from one list."""
    found = call(documents.list_documents, fields={**filters, "sort": "dueDate", "limit": MOST + 1}).body
    columns = {status: Column(status, shown=MOST, more=len(found) > MOST) for status in STATUSES}
    for document in found[:MOST]:
        columns[document["status"]].documents.append(document)
    return list(columns.values())
