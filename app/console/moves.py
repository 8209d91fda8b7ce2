"""The views behind the buttons of a document and the columns of the board; the operations decide."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from flask import abort, request, url_for
from werkzeug import Response as BaseResponse

from app.console.additions import added, remedy_for
from app.console.buttons import BY_NAME, MOVES, Move
from app.console.calls import call, may
from app.console.forms import leads_to
from app.console.frame import console, done
from app.console.sessions import context
from app.console.words import STATUSES
from app.core.errors import BadRequest, PreconditionFailed, Refusal
from app.core.operation import Operation
from app.core.store.store import Store
from app.core.vocabulary import DocumentStatus
from app.documents import operations as documents
from app.documents import publishing
from app.documents.record import StoredDocument, holds_claim
from app.documents.responses import DocumentSummary
from app.http.requests import note_refusal

NEXT: Mapping[str, tuple[str, ...]] = {
    DocumentStatus.IDEA: ("submit_document", "mark_brief_ready", "claim_brief", "withdraw_brief"),
    DocumentStatus.PLANNED: ("submit_document", "mark_brief_ready", "claim_brief", "withdraw_brief"),
    DocumentStatus.DRAFTING: ("submit_document", "approve_document", "claim_brief", "release_brief", "withdraw_brief"),
    DocumentStatus.REVIEW: ("approve_document", "request_changes"),
    DocumentStatus.APPROVED: ("publish_document", "schedule_document"),
    DocumentStatus.SCHEDULED: ("publish_document", "unschedule_document"),
    DocumentStatus.PUBLISHED: ("publish_document", "unpublish_document"),
}
"""The usual next step in each status: these buttons come first."""

GOES_OUT = "it goes out {}."
LIST = re.compile(r"/console/[a-z]+(\?\S*)?")
"""The address of a list of documents."""

INTO: Mapping[str, Operation[DocumentSummary]] = {
    DocumentStatus.REVIEW: publishing.submit_document,
    DocumentStatus.APPROVED: publishing.approve_document,
    DocumentStatus.SCHEDULED: publishing.schedule_document,
    DocumentStatus.PUBLISHED: publishing.publish_document,
}
BACK: Mapping[tuple[str, str], Operation[DocumentSummary]] = {
    (DocumentStatus.REVIEW, DocumentStatus.DRAFTING): publishing.request_changes,
    (DocumentStatus.APPROVED, DocumentStatus.DRAFTING): publishing.request_changes,
    (DocumentStatus.SCHEDULED, DocumentStatus.DRAFTING): publishing.unschedule_document,
    (DocumentStatus.SCHEDULED, DocumentStatus.APPROVED): publishing.unschedule_document,
    (DocumentStatus.PUBLISHED, DocumentStatus.DRAFTING): publishing.unpublish_document,
}
"""Operations that move a card back, by the columns that it leaves and enters; `INTO` is for all other columns.

Between the columns in which a brief is open (`OPEN`) a card moves freely.
"""


@console.post("/documents/<id>/actions/<name>")
@leads_to("show_document", "id")
def act(id: str, name: str) -> BaseResponse | str:
    """Runs the operation of a button, and shows the outcome."""
    move = BY_NAME.get(name) or abort(404)
    fields = sent_fields(move)
    try:
        moved = call(move.operation, id, fields=fields, once=True).body
    except Refusal as refusal:
        if (remedy := remedy_for(refusal)) is None:
            raise
        note_refusal(refusal)
        return done(remedy[1], url_for(f"console.{remedy[0]}", id=id), ok=False)
    if name == documents.delete_document.name:
        return done(move.message(moved["title"]), _list_before(), restores=id)
    return _message_of(move, fields, moved)


def _list_before() -> str:
    """Returns the address of the list from which a document was opened; of the board where a form names none."""
    found = request.form.get("list", "")
    return found if LIST.fullmatch(found) else url_for("console.show_board")


@console.post("/documents/<id>/reschedule")
@leads_to("show_document", "id")
def reschedule_document(id: str) -> str:
    """Schedules a document for another time."""
    return f"It is scheduled for another time: {GOES_OUT.format(reschedule(id, request.form.get('publishAt', '')))}"


def reschedule(id: str, publish_at: str) -> str | None:
    """Schedules a document for another time, and returns that; when it is refused, the document stays as it is."""
    ctx = context()

    def again(store: Store) -> str | None:
        within = replace(ctx, store=store)
        publishing.unschedule_document(within, id)
        return publishing.schedule_document(within, id, fields={"publishAt": publish_at}).body["publishAt"]

    return ctx.store.in_transaction(again)


def _message_of(move: Move, fields: Mapping[str, Any], moved: DocumentSummary, title: str = "") -> str:
    """Returns the message after a move."""
    message = move.message(title)
    if move.asks == "publishAt":
        message = f"{message[:-1]}: {GOES_OUT.format(moved['publishAt'])}"
    additions: str = added(f"message of {move.name}", message, fields, moved).get("message", message)
    return additions


def sent_fields(move: Move) -> dict[str, Any]:
    """Returns the fields of the form that a move sends."""
    fields: dict[str, Any] = {move.asks: request.form.get(move.asks, "")} if move.asks else {}
    fields |= added(f"fields of {move.name}")
    if move.keeps_version and (base := request.form.get("baseVersion", type=int)):
        fields["baseVersion"] = base
    return fields


@console.post("/documents/<id>/restore")
@leads_to("show_table", deleted="true")
def restore_document(id: str) -> BaseResponse:
    """Restores a document from the trash, and shows it."""
    restored = call(documents.restore_document, id).body
    return done("It is restored, as it was.", url_for("console.show_document", id=restored["id"]))


@console.post("/documents/<id>/move")
@leads_to("show_board")
def move_card(id: str) -> BaseResponse | str:
    """Moves a card to a column of the board, by calling the operation for it."""
    column = request.form.get("to", "")
    if column not in set(DocumentStatus):
        abort(404)
    refuse_if_moved(id, lambda document: document["status"])
    operation = _into_column(request.form.get("from", ""), column)
    move = BY_NAME.get(operation.name)
    fields = sent_fields(move) if move else {"status": column}
    moved = call(operation, id, fields=fields).body
    title, lands = moved["title"], f"is in {STATUSES[moved['status']]} now."
    message = _message_of(move, fields, moved, title) if move else f"“{title}” {lands}"
    return f"{message} It {lands}" if move and moved["status"] != column else message


def refuse_if_moved(id: str, place_of: Callable[[DocumentSummary], str]) -> None:
    """Refuses to move a document whose column or day is not the one that the page shows (`from`)."""
    before = request.form.get("from", "")
    if not before or not may(documents.get_document):
        return
    if place_of(call(documents.get_document, id).body) != before:
        raise PreconditionFailed("Somebody else has moved it meanwhile: see where it is now, and move it from there.")


def _into_column(status: str, column: str) -> Operation[DocumentSummary]:
    """Returns the operation that takes a document in a status to a column of the board, if its rules allow it.

    Refuses with `BadRequest` where none leads there.
    """
    if operation := BACK.get((status, column)) or INTO.get(column):
        return operation
    if any(status == left for left, _ in BACK):
        raise BadRequest(
            f"From {STATUSES[status]} a document goes back to {STATUSES['drafting']}: move it there first."
        )
    return documents.update_document


def refusals_on(document: StoredDocument, markdown: str) -> dict[str, str]:
    """Returns why operations on a document are not allowed now, by their names; those that are allowed are left out."""
    return added("refusals", document, markdown)


def moves_of(document: DocumentSummary) -> list[Move]:
    """Returns the moves on a document's page: those that the token's scopes allow, the usual next step first."""
    usual = NEXT[document["status"]]
    holds = holds_claim(document["brief"]["claimedBy"], context().caller.token_id)
    suiting = (move for move in MOVES if move.suits(document) and (holds or not move.for_holder))
    found = [move for move in suiting if may(move.operation)]
    return sorted(found, key=lambda move: usual.index(move.name) if move.name in usual else len(MOVES))
