"""The table: all documents with a choice of columns, and bulk actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, request, url_for

from app.console import board
from app.console.frame import ID, call, console, may, page, said_by
from app.errors import BadRequest, Refusal
from app.fields.queries import MAX_OFFSET
from app.operations import briefs, documents, publishing
from app.operations.operation import Operation

ON_A_PAGE = 50
MOST_AT_ONCE = 50
FILTERS = (*board.FILTERS, "status", "deleted")

COLUMNS: Mapping[str, str] = {
    "status": "Status",
    "brief": "Brief",
    "category": "Category",
    "cluster": "Cluster",
    "assignee": "Assignee",
    "author": "Author",
    "dueDate": "Due",
    "words": "Words",
    "updatedAt": "Changed",
    "createdAt": "Created",
    "publishedAt": "Live since",
    "slug": "Slug",
    "key": "Key",
}
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


@dataclass(frozen=True)
class Bulk:
    """A bulk action: an operation that is called for each selected document."""

    operation: Operation
    label: str
    asks: str = ""
    """The field of its form: `assigneeId` or `dueDate`."""
    keeps_version: bool = False
    """Whether it is done only to the version that was shown."""

    def fields(self, id: str) -> dict[str, Any]:
        """Returns the fields of the operation, for one document, from the form."""
        fields: dict[str, Any] = {self.asks: request.form.get(self.asks) or None} if self.asks else {}
        if self.keeps_version and (version := request.form.get(f"version.{id}", type=int)):
            fields["baseVersion"] = version
        return fields


BULKS: Mapping[str, Bulk] = {
    "assign": Bulk(documents.update_document, "Assign", asks="assigneeId"),
    "due": Bulk(documents.update_document, "Set due date", asks="dueDate"),
    "offer": Bulk(briefs.mark_brief_ready, "Offer briefs"),
    "approve": Bulk(publishing.approve_document, "Approve", keeps_version=True),
}


@console.get("/table")
def show_table() -> Response:
    """Shows a page of the documents; filters, order and columns are in the address."""
    chosen = {name: value for name in FILTERS if (value := request.args.get(name, "").strip())}
    sort = request.args.get("sort") or "-updatedAt"
    number = min(max(1, request.args.get("page", 1, type=int)), MAX_OFFSET // ON_A_PAGE)
    offset = (number - 1) * ON_A_PAGE
    fields = {**board.filters_of(chosen), "sort": sort, "limit": ON_A_PAGE, "offset": offset, "count": True}
    found = call(documents.list_documents, fields=fields)
    columns = [name for name in COLUMNS if name in request.args.getlist("column")]
    return page(
        "table.html",
        documents=found.body,
        total=found.total or 0,
        first=offset + 1,
        number=number,
        chosen=chosen,
        sort=sort,
        columns={name: COLUMNS[name] for name in columns or USUAL},
        bulks={name: bulk for name, bulk in BULKS.items() if may(bulk.operation) and "deleted" not in chosen},
        with_args=_with_args,
        all_columns=COLUMNS,
        sorts=SORTS,
    )


@console.post("/table")
def act_on_many() -> Response:
    """Runs an operation on each document that was selected, and shows the outcomes."""
    bulk = BULKS.get(request.form.get("bulk", ""))
    ids = [id for id in dict.fromkeys(request.form.getlist("id")) if ID.fullmatch(id)]
    if bulk is None or not ids:
        raise BadRequest("Select documents and an action.")
    if len(ids) > MOST_AT_ONCE:
        raise BadRequest(f"At most {MOST_AT_ONCE} documents are changed at once; {len(ids)} were selected.")
    outcomes = [_outcome(bulk, id) for id in ids]
    return page("table_results.html", outcomes=outcomes, label=bulk.label, back=_back())


def _outcome(bulk: Bulk, id: str) -> dict[str, Any]:
    title = request.form.get(f"title.{id}", "")
    try:
        document = call(bulk.operation, id, fields=bulk.fields(id)).body
    except Refusal as refusal:
        return {"id": id, "title": title or id, "ok": False, "message": said_by(refusal)}
    return {"id": id, "title": document["title"], "ok": True, "message": "Done"}


def _back() -> str:
    """Returns the address of the table as it was shown."""
    return url_for("console.show_table") + "?" + request.query_string.decode("ascii", "replace")


def _with_args(**changes: Any) -> str:
    """Returns the address of this page with other arguments; None leaves one out."""
    wanted: dict[str, Any] = {**request.args.to_dict(flat=False), **changes}
    return url_for("console.show_table", **wanted)
