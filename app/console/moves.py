"""What a person can do with a document, as buttons and columns, and the views that do it; the operations decide."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from flask import abort, request, url_for
from werkzeug import Response as BaseResponse

from app.actions.operations import actions_on
from app.briefs import operations as briefs
from app.console.calls import call, may
from app.console.forms import leads_to, remarks
from app.console.frame import console, done, summary_of
from app.console.sessions import context
from app.console.words import STATUSES
from app.core.errors import BadRequest, InvalidTransition, PreconditionFailed
from app.core.operation import Operation
from app.core.store.store import Store
from app.core.vocabulary import BriefState, DocumentStatus
from app.documents import operations as documents
from app.documents import publishing
from app.documents.claims import holds_claim
from app.documents.record import StoredDocument
from app.documents.responses import DocumentSummary
from app.provenance.errors import HumanReviewRequired


@dataclass(frozen=True)
class Move:
    """An operation on one document as a button: its label, its message when done, and the field of its form.

    The message has `{}` in place of the document.
    """

    operation: Operation[DocumentSummary]
    label: str
    done: str
    question: str = ""
    """The question to confirm first, where the move can't be undone easily."""
    asks: str = ""
    """The field of its form, like `note` or `publishAt`."""
    hint: str = ""
    """What it does, in words for who never did it."""
    takes_away: bool = False
    """Whether somebody or the site loses something by it: its button is red, and never the main one."""
    never_main: bool = False
    """Whether its button is never the main one either, since it is no step towards publishing."""
    keeps_version: bool = False
    """Whether it sends `baseVersion`, so that the version that was read is the one published."""
    suits: Callable[[DocumentSummary], bool] = lambda document: True
    """Whether to show a button for it on the page of a document; the operation decides whether it is allowed."""

    @property
    def name(self) -> str:
        return self.operation.name

    def message(self, title: str = "") -> str:
        """Returns the message after the move; without a title it is about the document that the page shows."""
        return self.done.format(f"“{title}”" if title else "It")


MOVES: tuple[Move, ...] = (
    Move(
        briefs.mark_brief_ready,
        "Offer brief",
        "The brief is offered: agents and writers can claim it.",
        hint="Agents and writers can claim it, and write the text.",
        suits=lambda document: document["brief"]["state"] in (BriefState.NONE, BriefState.DRAFTED),
    ),
    Move(
        briefs.claim_brief,
        "Claim brief",
        "The brief is claimed: nobody else is offered it now.",
        hint="You write the text; nobody else is offered it.",
        never_main=True,
        suits=lambda document: document["brief"]["state"] == BriefState.READY,
    ),
    Move(
        briefs.release_brief,
        "Release brief",
        "The brief is released: it is offered again.",
        hint="You give it back: others can claim it.",
        never_main=True,
        suits=lambda document: holds_claim(document["brief"]["claimedBy"], context().caller.token_id),
    ),
    Move(
        briefs.withdraw_brief,
        "Withdraw brief",
        "The brief is withdrawn: it is not offered any more.",
        hint="Nobody can claim it any more, and whoever claimed it loses it.",
        question="Withdraw the brief? It is not offered any more, and whoever holds its claim loses it.",
        takes_away=True,
        suits=lambda document: document["brief"]["state"] in (BriefState.READY, BriefState.CLAIMED),
    ),
    Move(publishing.submit_document, "Submit for review", "{} is submitted for review."),
    Move(publishing.approve_document, "Approve", "{} is approved: its text stays as it is.", keeps_version=True),
    Move(
        publishing.request_changes,
        "Request changes",
        "{} is back in drafting.",
        asks="note",
        never_main=True,
    ),
    Move(publishing.schedule_document, "Schedule", "{} is scheduled.", asks="publishAt", keeps_version=True),
    Move(
        publishing.unschedule_document,
        "Unschedule",
        "{} is not scheduled any more.",
        never_main=True,
        suits=lambda document: document["status"] == DocumentStatus.SCHEDULED,
    ),
    Move(
        publishing.publish_document,
        "Publish now",
        "{} is published.",
        question="Publish now? The website shows it from then on.",
        keeps_version=True,
        suits=lambda document: document["status"] != DocumentStatus.PUBLISHED or document["hasUnpublishedChanges"],
    ),
    Move(
        publishing.unpublish_document,
        "Unpublish",
        "{} is off the site.",
        question="Take this off the website?",
        takes_away=True,
        suits=lambda document: bool(document["isPublished"]),
    ),
    Move(
        documents.delete_document,
        "Move to trash",
        "{} is in the trash.",
        question="Move this to the trash? It disappears from every list and from the website; it can be restored.",
        takes_away=True,
    ),
)
BY_NAME: Mapping[str, Move] = {move.name: move for move in MOVES}

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
"""What moves a card back, by the column that it leaves and the one that it enters; `INTO` is for all other columns.

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
    except HumanReviewRequired:
        message = "It is not approved yet: this project asks for the record of your review. Make it here."
        return done(message, url_for("console.show_approval", id=id), ok=False)
    if name == documents.delete_document.name:
        return done(move.message(), url_for("console.show_table", deleted="true"), restores=id)
    return _message_of(move, fields, moved)


@console.post("/documents/<id>/reschedule")
@leads_to("show_document", "id")
def reschedule_document(id: str) -> str:
    """Schedules a document for another time."""
    reschedule(id, request.form.get("publishAt", ""))
    return "It is scheduled for another time."


def reschedule(id: str, publish_at: str) -> None:
    """Schedules a document for another time; when that is refused, it stays as it is."""
    ctx = context()

    def again(store: Store) -> None:
        within = replace(ctx, store=store)
        publishing.unschedule_document(within, id)
        publishing.schedule_document(within, id, fields={"publishAt": publish_at})

    with ctx.store.deadline():
        ctx.store.in_transaction(again)


def _message_of(move: Move, fields: Mapping[str, Any], moved: DocumentSummary, title: str = "") -> str:
    """Returns the message after a move; for a request for changes with remarks, round, and who revises the text."""
    message = move.message(title)
    if move.operation is not publishing.request_changes:
        return message
    count = len(fields["threads"])
    sent = ["your note"] if fields["note"].strip() else []
    sent += [f"{count} remark{'s' if count > 1 else ''}"] if count else []
    told = f", with {' and '.join(sent)}" if sent else ""
    offered = ", and its brief is offered" if fields["offer"] else ""
    return f"{message.rstrip('.')}{told}{offered}. That was round {moved['brief']['rounds']}."


def sent_fields(move: Move) -> dict[str, Any]:
    """Returns the fields of the form that a move sends."""
    fields: dict[str, Any] = {move.asks: request.form.get(move.asks, "")} if move.asks else {}
    if move.operation is publishing.request_changes:
        fields |= {"offer": "offer" in request.form, "threads": remarks()}
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


def possible_moves(allowed: Collection[str]) -> list[str]:
    """Returns the labels of those moves, as their paths name them, that the signed-in user's scopes allow."""
    paths = [(move.name.removesuffix("_document").replace("_", "-"), move) for move in MOVES]
    return [move.label for path, move in paths if path in allowed and may(move.operation)]


def refusals_on(document: StoredDocument, markdown: str) -> dict[str, str]:
    """Returns why operations on a document are not allowed now, by their names; those that are allowed are left out."""
    ctx = context()
    with ctx.store.deadline():
        refused = {one.name: refusal for one, refusal in actions_on(ctx, document, markdown) if refusal}
    return {
        name: refusal.message if isinstance(refusal, InvalidTransition) else summary_of(refusal)
        for name, refusal in refused.items()
    }


def moves_of(document: DocumentSummary) -> list[Move]:
    """Returns the moves on a document's page: those that the token's scopes allow, the usual next step first."""
    usual = NEXT[document["status"]]
    found = [move for move in MOVES if may(move.operation) and move.suits(document)]
    return sorted(found, key=lambda move: usual.index(move.name) if move.name in usual else len(MOVES))
