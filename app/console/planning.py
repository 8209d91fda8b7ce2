"""Planning: a new piece in one form, and many pieces from a table, with a dry run first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, request, url_for
from werkzeug import Response as BaseResponse

from app.console.frame import ID, call, console, done, page, problems_of, require, said_by
from app.errors import HttpApiDecodeError, NotFound, Refusal
from app.fields.plan_tables import COLUMNS, PlanFile, UnreadablePlan, read_table, text_of
from app.fields.plans import MAX_PIECES
from app.operations import briefs, intents, plans
from app.vocabulary import DocumentStatus, Kind

FIRST_STATUSES = (DocumentStatus.IDEA, DocumentStatus.PLANNED, DocumentStatus.DRAFTING)
FIELDS = ("title", "status", "slug", "categoryId", "clusterId", "assigneeId", "dueDate")
BRIEF_FIELDS = ("keyword", "intent", "audience", "wordCount", "outline", "notes")
NEW: Mapping[str, Any] = {"status": DocumentStatus.PLANNED}

LONGEST = 2_000_000
MOST_LINES = 100_000
"""The most characters of a table that are parsed; more than 500 pieces are for the command line."""
SHOWN = 50
"""The most problems of a table that are shown."""


@console.get("/plan")
def show_plan() -> Response:
    """Shows the form of a new piece, empty or with a draft, and the drafts that are not finished."""
    require(intents.create_document_intent)
    values, draft_id = NEW, request.args.get("draft", "")
    if ID.fullmatch(draft_id):
        draft = call(intents.get_intent, draft_id, fields={"kind": Kind.DOCUMENT}).body
        values = _as_form(draft["fields"])
    return _form(values, draft_id)


@console.post("/plan")
def plan_piece() -> BaseResponse:
    """Writes the draft of a piece and, unless it is only to be saved, makes the document and offers its brief."""
    draft_id = request.form.get("draft", "")
    fields = _fields()
    try:
        if ID.fullmatch(draft_id):
            call(intents.update_document_intent, draft_id, fields=fields, once=True)
        else:
            draft_id = call(intents.create_document_intent, fields=fields, once=True).body["id"]
        if request.form.get("then") == "draft":
            return done("The draft is saved.", url_for("console.show_plan", draft=draft_id))
        confirmed = call(intents.confirm_intent, draft_id, fields={"kind": Kind.DOCUMENT}, once=True)
    except NotFound:
        raise
    except Refusal as refusal:
        return _form(request.form.to_dict(), draft_id, problems_of(refusal), refusal)
    made = confirmed.body["document"]
    to = url_for("console.show_document", id=made["id"])
    if request.form.get("then") != "offer":
        return done("It is planned.", to)
    try:
        call(briefs.mark_brief_ready, made["id"], once=True)
    except Refusal as refusal:
        return done(f"It is planned, but its brief could not be offered. {said_by(refusal)}", to, ok=False)
    return done("It is planned, and its brief is offered.", to)


@console.post("/plan/drafts/<id>/discard")
def discard_draft(id: str) -> BaseResponse:
    """Discards a draft."""
    call(intents.discard_intent, id, fields={})
    return done("The draft is discarded.", url_for("console.show_plan"))


def _form(
    values: Mapping[str, Any],
    draft_id: str,
    problems: Mapping[str, list[str]] | None = None,
    refusal: Refusal | None = None,
) -> Response:
    drafts = call(intents.list_intents, fields={"kind": Kind.DOCUMENT}).body
    return page(
        "plan.html",
        refusal.status if refusal else 200,
        values=values,
        draft_id=draft_id if ID.fullmatch(draft_id) else "",
        drafts=drafts,
        problems=problems or {},
        said=refusal.message if refusal else "",
        first_statuses=FIRST_STATUSES,
    )


def _fields() -> dict[str, Any]:
    """Returns the form as the fields of a draft; what is empty is null, so that it is cleared."""
    form = {name: text.replace("\r\n", "\n").strip() for name, text in request.form.items()}
    brief: dict[str, Any] = {name: form[f"brief.{name}"] for name in BRIEF_FIELDS if form.get(f"brief.{name}")}
    if urls := [line.strip() for line in form.get("brief.referenceUrls", "").splitlines() if line.strip()]:
        brief["referenceUrls"] = urls
    return {name: form.get(name) or None for name in FIELDS} | {"brief": brief or None}


def _as_form(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a draft as its form shows them."""
    brief = fields.get("brief") or {}
    urls = "\n".join(brief.get("referenceUrls") or ())
    return {
        **{name: fields.get(name) for name in FIELDS},
        **{f"brief.{name}": brief.get(name) for name in BRIEF_FIELDS},
        "brief.referenceUrls": urls,
    }


@console.get("/plan/many")
def plan_many() -> Response:
    """Shows the form that takes a table of pieces."""
    require(plans.plan_documents)
    return _many("")


@console.post("/plan/many")
def plan_table() -> Response:
    """Shows the dry run of a table; once that is confirmed, plans its pieces and shows the outcome."""
    confirmed = "confirmed" in request.form
    text = ""
    try:
        text = _table()
        plan = _read(text)
        fields = {"pieces": plan.pieces}
        found = call(plans.plan_documents, fields=fields, dry_run=not confirmed, once=confirmed).body["pieces"]
    except UnreadablePlan as unreadable:
        return _many(text, str(unreadable).splitlines(), 422)
    except HttpApiDecodeError as refusal:
        wrong = [_placed(plan, issue["path"], issue["message"]) for issue in refusal.extra["issues"]]
        return _many(text, wrong, refusal.status)
    counts = Counter(one["outcome"] for one in found)
    rows = [
        {"where": plan.place(place), "title": piece.get("title", ""), **one}
        for place, (piece, one) in enumerate(zip(plan.pieces, found, strict=True))
    ]
    return page("plan_outcome.html", rows=rows, counts=counts, confirmed=confirmed, text=text, shown=SHOWN)


@console.post("/plan/many/correct")
def correct_table() -> Response:
    """Shows the form again with the table of a dry run."""
    return _many(request.form.get("table", ""))


def _many(text: str, wrong: Sequence[str] = (), status: int = 200) -> Response:
    more = max(0, len(wrong) - SHOWN)
    return page("plan_many.html", status, text=text, wrong=wrong[:SHOWN], more=more, columns=list(COLUMNS))


def _table() -> str:
    """Returns the table that was dropped or pasted. Raises `UnreadablePlan`."""
    file = request.files.get("file")
    if file is not None and file.filename:
        return text_of(file.read(LONGEST + 1))
    return request.form.get("table", "")


def _read(text: str) -> PlanFile:
    if not text.strip():
        raise UnreadablePlan("Paste a table, or choose a file.")
    if len(text) > LONGEST or text.count("\n") > MOST_LINES:
        raise UnreadablePlan("The table is too long for the console: use `content-workflow plan`.")
    plan = read_table(text)
    if not plan.pieces:
        raise UnreadablePlan("The table has a header, but no pieces.")
    if len(plan.pieces) > MAX_PIECES:
        raise UnreadablePlan(
            f"The table has {len(plan.pieces):,} pieces, and the console plans {MAX_PIECES} at once: plan it in parts, "
            "or with `content-workflow plan`."
        )
    return plan


def _placed(plan: PlanFile, path: str, message: str) -> str:
    """Returns a problem as a line that names its place in the table."""
    found = re.fullmatch(r"pieces\[(\d+)\]\.?(.*)", path)
    if found is None:
        return f"{path}: {message}"
    return ": ".join(filter(None, (plan.place_and_key(int(found[1])), found[2], message)))
