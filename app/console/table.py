"""The table: all documents with a choice of columns, saved views, and bulk actions."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.briefs import operations as briefs
from app.console import board
from app.console.additions import added
from app.console.buttons import Move
from app.console.calls import call, may, require
from app.console.forms import form_of, text
from app.console.frame import console, done, message_of, page
from app.console.words import first_statuses
from app.core.errors import BadRequest, Refusal
from app.core.schemas.queries import MAX_OFFSET
from app.core.schemas.validation import HEX_ID
from app.documents import operations as documents
from app.documents import publishing
from app.projects import operations as projects

ON_A_PAGE = 50
MOST_AT_ONCE = 50
FILTERS = (*board.FILTERS, "status", "deleted")
PARTS = (*FILTERS, "sort", "column")
"""The query parameters that a saved view stores."""

COLUMNS = (
    *("status", "brief", "category", "cluster", "assignee", "author", "dueDate", "words"),
    *("updatedAt", "createdAt", "publishedAt", "slug", "key"),
)
USUAL = ("status", "brief", "category", "assignee", "dueDate", "words", "updatedAt")
SORTS: Mapping[str, str] = {
    "-updatedAt": "Changed last",
    "updatedAt": "Changed first",
    "-createdAt": "Newest",
    "createdAt": "Oldest",
    "dueDate": "Due soonest",
    "-dueDate": "Due latest",
    "title": "Title, A to Z",
    "-title": "Title, Z to A",
}


BULKS: Mapping[str, Move] = {
    "assign": Move(documents.update_document, "Assign", "Done", asks="assigneeId"),
    "due": Move(documents.update_document, "Set due date", "Done", asks="dueDate"),
    "category": Move(documents.update_document, "Set category", "Done", asks="categoryId"),
    "cluster": Move(documents.update_document, "Set cluster", "Done", asks="clusterId"),
    "status": Move(documents.update_document, "Set status", "Done", asks="status"),
    "offer": Move(briefs.mark_brief_ready, "Offer briefs", "Done"),
    "approve": Move(publishing.approve_document, "Approve", "Done", keeps_version=True),
    "publish": Move(
        publishing.publish_document,
        "Publish",
        "Done",
        question="Publish what is selected? The website shows it from then on.",
        keeps_version=True,
    ),
    "trash": Move(
        documents.delete_document,
        "Move to trash",
        "Done",
        question="Move what is selected to the trash? It disappears from every list and from the website.",
        takes_away=True,
    ),
}
BULKS_OF_TRASH: Mapping[str, Move] = {"restore": Move(documents.restore_document, "Restore", "Done")}
"""The bulk actions, and those of the trash: each is called for each selected document."""

CHOSEN: Mapping[str, tuple[str, str]] = {
    "assigneeId": ("members", "Nobody"),
    "categoryId": ("categories", "No category"),
    "clusterId": ("clusters", "No cluster"),
}
"""The fields that a bulk action sets by a choice: of what, and the choice that clears the field.

An empty date, and no choice, are refused.
"""


@console.get("/table")
def show_table() -> Response:
    """Shows a page of the documents; filters, order and columns are in the address."""
    chosen = board.chosen_filters((*FILTERS, *added("filters")))
    sort = request.args.get("sort") or "-updatedAt"
    number = min(max(1, request.args.get("page", 1, type=int)), MAX_OFFSET // ON_A_PAGE)
    offset = (number - 1) * ON_A_PAGE
    fields = {**board.filters_of(chosen), "sort": sort, "limit": ON_A_PAGE, "offset": offset, "count": True}
    found = call(documents.list_documents, fields=fields)
    bulks = BULKS_OF_TRASH if "deleted" in chosen else BULKS
    columns = [name for name in COLUMNS if name in request.args.getlist("column")]
    view = _view_of(_query())
    views = [(one["name"], _view_of(one["query"])) for one in call(projects.get_project).body["views"]]
    return page(
        "table.html",
        view=view,
        views=views,
        view_name=next((name for name, query in views if query == view), ""),
        can_save=may(projects.save_views),
        documents=found.body,
        total=found.total or 0,
        first=offset + 1,
        number=number,
        chosen=chosen,
        added_filters=added("filters"),
        sentences=added("sentences", [one["id"] for one in found.body], chosen),
        sort=sort,
        columns=columns or USUAL,
        bulks={name: bulk for name, bulk in bulks.items() if may(bulk.operation)},
        chosen_in_bulk=CHOSEN,
        first_statuses=first_statuses(),
        all_columns=COLUMNS,
        sorts=SORTS,
    )


@console.post("/table/views")
@form_of(show_table)
def save_view() -> BaseResponse:
    """Saves the table as it is shown under a name, in place of the view `was`; or deletes that view."""
    name, was, view = text("name"), text("was"), _view_of(_query())
    is_deleted = "delete" in request.form
    before = [{"name": was, "query": None}] if was else []
    after = [] if is_deleted else [{"name": name, "query": view}]
    call(projects.save_views, fields={"views": [*before, *after]})
    return done(f"{was} is deleted." if is_deleted else f"{name} is saved.", _address(view))


@console.post("/table")
def act_on_many() -> Response:
    """Runs an operation on each document that was selected, and shows the outcomes."""
    bulk = {**BULKS, **BULKS_OF_TRASH}.get(request.form.get("bulk", ""))
    ids = [id for id in dict.fromkeys(request.form.getlist("id")) if HEX_ID.fullmatch(id)]
    if bulk is None or not ids:
        raise BadRequest("Select documents and an action.")
    if len(ids) > MOST_AT_ONCE:
        raise BadRequest(f"At most {MOST_AT_ONCE} documents are changed at once; {len(ids)} were selected.")
    require(bulk.operation)
    sent = request.form.get(bulk.asks)
    if bulk.asks and not sent and not (bulk.asks in CHOSEN and sent == ""):
        raise BadRequest("Choose what to set first.")
    fields = {bulk.asks: sent or None} if bulk.asks else {}
    outcomes = [_outcome(bulk, id, fields) for id in ids]
    return page("table_results.html", outcomes=outcomes, bulk=bulk, back=_address(_query()))


def _outcome(bulk: Move, id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    title = request.form.get(f"title.{id}", "")
    version = request.form.get(f"version.{id}", type=int) if bulk.keeps_version else None
    read = {"baseVersion": version} if version else {}
    try:
        document = call(bulk.operation, id, fields={**fields, **read}).body
    except Refusal as refusal:
        return {"id": id, "title": title or id, "ok": False, "message": message_of(refusal)}
    return {"id": id, "title": document["title"], "ok": True, "message": bulk.done}


def _query() -> str:
    return request.query_string.decode("ascii", "replace")


def _view_of(query: str) -> str:
    """Returns the query parameters that a view stores, in one form."""
    parts = {*PARTS, *added("filters")}
    return urlencode(sorted(part for part in parse_qsl(query) if part[0] in parts))


def _address(query: str) -> str:
    return f"{url_for('console.show_table')}?{query}"
