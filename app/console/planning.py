"""Planning: a new piece in one form."""

from collections.abc import Mapping
from typing import Any

from flask import Response, g, request, url_for
from werkzeug import Response as BaseResponse

from app.console.calls import call, require
from app.console.forms import BRIEF_LISTS, BRIEF_TEXTS, leads_to, lines, text
from app.console.frame import console, done, page
from app.console.moves import act
from app.console.words import STATUSES, first_statuses
from app.core.errors import NotFound, Refusal
from app.core.schemas.validation import HEX_ID
from app.core.vocabulary import DocumentStatus, Kind
from app.documents import operations as documents
from app.intents import operations as intents

FIELDS = ("title", "status", "slug", "categoryId", "clusterId", "assigneeId", "dueDate")
NEW: Mapping[str, Any] = {"status": DocumentStatus.PLANNED}


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
        return act(id=made["id"], name="mark_brief_ready")
    return done(
        f"It is added, with the status {STATUSES[made['status']]}.", url_for("console.show_document", id=made["id"])
    )


@console.post("/plan/drafts/<id>/discard")
@leads_to("show_plan")
def discard_draft(id: str) -> str:
    """Discards a draft."""
    call(intents.discard_intent, id, fields={})
    return "The draft is discarded."


def _form(draft_id: str | None, fields: Mapping[str, Any] = NEW) -> Response:
    drafts = call(intents.list_intents, fields={"kind": Kind.DOCUMENT}).body
    return page("plan.html", fields=fields, draft_id=draft_id or "", drafts=drafts, first_statuses=first_statuses())


def _fields() -> dict[str, Any]:
    """Returns the form as the fields of a draft; what is empty is null, so that it is cleared."""
    brief: dict[str, Any] = {name: sent for name in BRIEF_TEXTS if (sent := text(f"brief.{name}"))}
    brief |= {name: items for name in BRIEF_LISTS if (items := lines(f"brief.{name}"))}
    return {name: text(name) or None for name in FIELDS} | {"brief": brief or None}
