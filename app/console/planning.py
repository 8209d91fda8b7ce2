"""Planning: a new piece in one form, and many pieces from a table, with a dry run first."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, g, request, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call, require
from app.console.forms import BRIEF_LISTS, BRIEF_TEXTS, leads_to, lines, text
from app.console.frame import console, done, page
from app.console.moves import offer_brief
from app.console.words import STATUSES
from app.errors import HttpApiDecodeError, NotFound, Refusal
from app.operations import documents, intents, plans
from app.schemas.checks import HEX_ID
from app.schemas.intents import FirstStatus
from app.schemas.plan_tables import COLUMNS, PlanFile, UnreadablePlan, read_table, text_of
from app.schemas.plans import MAX_PIECES
from app.vocabulary import DocumentStatus, Kind

FIELDS = ("title", "status", "slug", "categoryId", "clusterId", "assigneeId", "dueDate")
NEW: Mapping[str, Any] = {"status": DocumentStatus.PLANNED}

LONGEST = 2_000_000
MOST_LINES = 100_000
"""The most characters of a table that are parsed; more than 500 pieces are for the command line."""
SHOWN = 50
"""The most problems of a table that are shown."""


@console.get("/plan")
def show_plan() -> Response:
    """Shows the form of a new piece, and the drafts that are not finished.

    It has the fields of a draft, or those that another document shares with it, or the day on which it is due.
    """
    require(intents.create_document_intent)
    draft_id, like = request.args.get("draft", ""), request.args.get("like", "")
    if HEX_ID.fullmatch(draft_id):
        return _form(draft_id, call(intents.get_intent, draft_id, fields={"kind": Kind.DOCUMENT}).body["fields"])
    fields = dict(NEW, dueDate=request.args.get("dueDate", ""))
    if HEX_ID.fullmatch(like):
        shared = call(documents.get_document, like).body
        fields |= {name: shared[name] for name in ("categoryId", "clusterId", "assigneeId", "brief")}
    return _form(None, fields)


@console.post("/plan")
def plan_piece() -> BaseResponse:
    """Writes the draft of a piece and, unless it is only to be saved, makes the document and offers its brief."""
    sent_id = request.form.get("draft", "")
    draft_id = sent_id if HEX_ID.fullmatch(sent_id) else None
    try:
        if draft_id:
            call(intents.update_document_intent, draft_id, fields=_fields(), once=True)
        else:
            draft_id = call(intents.create_document_intent, fields=_fields(), once=True).body["id"]
        if request.form.get("then") == "draft":
            return done("The draft is saved.", url_for("console.show_plan", draft=draft_id))
        confirmed = call(intents.confirm_intent, draft_id, fields={"kind": Kind.DOCUMENT}, once=True)
    except NotFound:
        raise
    except Refusal as refusal:
        g.refused_form = refusal
        return _form(draft_id)
    made = confirmed.body["document"]
    if request.form.get("then") == "offer":
        return offer_brief(made["id"], "It is planned")
    return done("It is planned.", url_for("console.show_document", id=made["id"]))


@console.post("/plan/drafts/<id>/discard")
@leads_to("show_plan")
def discard_draft(id: str) -> str:
    """Discards a draft."""
    call(intents.discard_intent, id, fields={})
    return "The draft is discarded."


def _form(draft_id: str | None, fields: Mapping[str, Any] = NEW) -> Response:
    drafts = call(intents.list_intents, fields={"kind": Kind.DOCUMENT}).body
    statuses = [(status, STATUSES[status]) for status in FirstStatus]
    return page("plan.html", fields=fields, draft_id=draft_id or "", drafts=drafts, first_statuses=statuses)


def _fields() -> dict[str, Any]:
    """Returns the form as the fields of a draft; what is empty is null, so that it is cleared."""
    brief: dict[str, Any] = {name: sent for name in BRIEF_TEXTS if (sent := text(f"brief.{name}"))}
    brief |= {name: items for name in BRIEF_LISTS if (items := lines(f"brief.{name}"))}
    return {name: text(name) or None for name in FIELDS} | {"brief": brief or None}


@console.get("/plan/many")
def plan_many() -> Response:
    """Shows the form that takes a table of pieces."""
    require(plans.plan_documents)
    return _many("")


@console.post("/plan/many")
def plan_table() -> Response:
    """Shows the dry run of a table; once that is confirmed, plans its pieces and shows the outcome."""
    if "correct" in request.form:  # the form again, with the table of a dry run
        return _many(request.form.get("table", ""))
    confirmed = "confirmed" in request.form
    table = ""
    try:
        table = _table()
        plan = _read(table)
        fields = {"pieces": plan.pieces}
        found = call(plans.plan_documents, fields=fields, dry_run=not confirmed, once=confirmed).body["pieces"]
    except UnreadablePlan as unreadable:
        return _many(table, unreadable.problems, 422, unreadable.more)
    except HttpApiDecodeError as refusal:
        wrong = [plan.problem(**issue) for issue in refusal.extra["issues"]]
        return _many(table, wrong, refusal.status, refusal.extra.get("more", 0))
    counts = Counter(one["outcome"] for one in found)
    rows = [
        {"where": plan.place(place), "title": piece.get("title", ""), **one}
        for place, (piece, one) in enumerate(zip(plan.pieces, found, strict=True))
    ]
    return page("plan_outcome.html", rows=rows, counts=counts, confirmed=confirmed, table=table)


def _many(table: str, wrong: Sequence[str] = (), status: int = 200, more: int = 0) -> Response:
    more += max(0, len(wrong) - SHOWN)
    return page("plan_many.html", status, table=table, wrong=wrong[:SHOWN], more=more, columns=COLUMNS)


def _table() -> str:
    """Returns the table that was dropped or pasted. Raises `UnreadablePlan`."""
    file = request.files.get("file")
    if file is not None and file.filename:
        return text_of(file.read(LONGEST + 1))
    return request.form.get("table", "")


def _read(table: str) -> PlanFile:
    if not table.strip():
        raise UnreadablePlan("Paste a table, or choose a file.")
    if len(table) > LONGEST or table.count("\n") > MOST_LINES:
        raise UnreadablePlan("The table is too long for the console: use `content-workflow plan`.")
    plan = read_table(table)
    if not plan.pieces:
        raise UnreadablePlan("The table has a header, but no pieces.")
    if len(plan.pieces) > MAX_PIECES:
        raise UnreadablePlan(
            f"The table has {len(plan.pieces):,} pieces, and the console plans {MAX_PIECES} at once: plan it in parts, "
            "or with `content-workflow plan`."
        )
    return plan
