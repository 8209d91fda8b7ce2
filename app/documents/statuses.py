"""The moves of a document between its statuses, and why one is refused (decisions, section 5).

A row of the table says from where a move leads where and what refuses it; each move is a rule that uses its row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from app.core.actors import StoredNote
from app.core.calls import Call
from app.core.context import NO_TAG
from app.core.errors import BadRequest, InvalidTransition, Problem, VersionConflict
from app.core.times import wire_time
from app.core.vocabulary import Channel
from app.core.vocabulary import DocumentStatus as Status
from app.documents.record import (
    OPEN,
    Decision,
    StoredDocument,
    changed,
    changed_since_published,
    finished_brief,
    refuse_if_guarded,
)

UNSCHEDULED: dict[str, Any] = {"publishAt": None, "statusBefore": None, "scheduledBy": None}
"""The fields that unscheduling clears."""

NOT_LIVE = "The document is not on the website: there is nothing to take off."
UNCHANGED = "The document has no changes since it was published: there is nothing to submit."
EMPTY = Problem(field="markdown", message="Is empty.")


@dataclass(frozen=True)
class StatusMove:
    """One row of the table of statuses."""

    name: str
    """The operation as its path names it."""
    leaves: tuple[Status, ...]
    enters: Status | Callable[[StoredDocument], str]
    event: str
    finishes: bool = False
    """True if it needs content, and makes a claimed brief `drafted`."""
    submits: bool = False
    """True if it is refused while the brief is claimed by another agent."""
    if_changed: tuple[Status, ...] = ()
    """Statuses that it leaves only when the content changed since it was published."""
    if_live: bool = False
    """True if it needs a document that is delivered."""
    clears: tuple[str, ...] = ()
    """Fields that are null afterwards."""


def status_before(document: StoredDocument) -> str:
    """Returns the status that unscheduling restores; `drafting` where the document was published and is no longer."""
    before = document.get("statusBefore")
    assert before is not None  # the document is scheduled
    return Status.DRAFTING if before == Status.PUBLISHED and not document["isPublished"] else before


def status_unpublished(document: StoredDocument) -> str:
    """Returns the status of a document that is taken off the website."""
    return Status.DRAFTING if document["status"] == Status.PUBLISHED else document["status"]


SUBMIT = StatusMove(
    "submit",
    leaves=OPEN,
    if_changed=(Status.PUBLISHED,),
    enters=Status.REVIEW,
    event="document.submitted",
    finishes=True,
    submits=True,
    clears=("review",),
)
APPROVE = StatusMove(
    "approve",
    leaves=(Status.DRAFTING, Status.REVIEW),
    enters=Status.APPROVED,
    event="document.approved",
    finishes=True,
)
REQUEST_CHANGES = StatusMove(
    "request-changes",
    leaves=(Status.REVIEW, Status.APPROVED),
    enters=Status.DRAFTING,
    event="document.changes_requested",
)
SCHEDULE = StatusMove(
    "schedule",
    leaves=tuple(status for status in Status if status != Status.SCHEDULED),
    enters=Status.SCHEDULED,
    event="document.scheduled",
    finishes=True,
)
UNSCHEDULE = StatusMove(
    "unschedule",
    leaves=(Status.SCHEDULED,),
    enters=status_before,
    event="document.unscheduled",
    clears=tuple(UNSCHEDULED),
)
PUBLISH = StatusMove(
    "publish",
    leaves=tuple(Status),
    enters=Status.PUBLISHED,
    event="document.published",
    finishes=True,
    clears=tuple(UNSCHEDULED),
)
UNPUBLISH = StatusMove(
    "unpublish", leaves=tuple(Status), enters=status_unpublished, event="document.unpublished", if_live=True
)
GIVE_UP = replace(UNSCHEDULE, enters=Status.DRAFTING, event="document.publish_failed")
"""The worker's move of a scheduled document that can't be published; no interface offers it."""
MOVES = (SUBMIT, APPROVE, REQUEST_CHANGES, SCHEDULE, UNSCHEDULE, PUBLISH, UNPUBLISH)


def submit_document(document: StoredDocument, call: Call) -> Decision:
    """Moves a document to review."""
    return move_status(SUBMIT, document, call, {"submittedBy": call.actor})


def approve_document(document: StoredDocument, call: Call, base_version: int | None = None) -> Decision:
    """Approves a document, if given a `base_version` that is its version."""
    return move_status(APPROVE, document, call, base_version=base_version)


def request_changes(document: StoredDocument, call: Call, note: str = "") -> Decision:
    """Sends a document back to drafting."""
    review: StoredNote = {"note": note, "at": call.now, "by": call.actor}
    moved = move_status(REQUEST_CHANGES, document, call, {"reviewNote": note or None, "review": review})
    return replace(moved, events=tuple(replace(event, note=note) for event in moved.events))


def schedule_document(
    document: StoredDocument,
    call: Call,
    at: datetime | None = None,
    base_version: int | None = None,
    problems: Sequence[Problem] = (),
) -> Decision:
    """Schedules a document to be published; `problems` are what is wrong with the time `at`."""
    fields = {"publishAt": at, "statusBefore": document["status"], "scheduledBy": call.actor}
    data = {} if at is None else {"publishAt": wire_time(at)}
    return move_status(SCHEDULE, document, call, fields, base_version=base_version, problems=problems, data=data)


def unschedule_document(document: StoredDocument, call: Call) -> Decision:
    """Gives a document the status back that it had before it was scheduled."""
    return move_status(UNSCHEDULE, document, call)


def give_up_publishing(document: StoredDocument, call: Call, reason: str) -> Decision:
    """Takes a document back to drafting that could not be published at its time."""
    return move_status(GIVE_UP, document, call, {"publishFailedAt": call.now}, data={"reason": reason})


def move_status(
    move: StatusMove,
    document: StoredDocument,
    call: Call,
    fields: Mapping[str, Any] | None = None,
    *,
    base_version: int | None = None,
    problems: Sequence[Problem] = (),
    data: Mapping[str, Any] | None = None,
) -> Decision:
    """Makes a move of the table, which also writes `fields`; `problems` are what is wrong with what was sent."""
    refuse_move(move, document, call, base_version, problems)
    return make_move(move, document, call, fields, data)


def make_move(
    move: StatusMove,
    document: StoredDocument,
    call: Call,
    fields: Mapping[str, Any] | None = None,
    data: Mapping[str, Any] | None = None,
) -> Decision:
    """Makes a move that `refuse_move` did not refuse."""
    status = move.enters(document) if callable(move.enters) else move.enters
    brief = finished_brief(document) if move.finishes else {}
    return changed(
        document, call, move.event, {**brief, **dict.fromkeys(move.clears), **(fields or {}), "status": status}, data
    )


def refuse_move(
    move: StatusMove,
    document: StoredDocument,
    call: Call,
    base_version: int | None = None,
    problems: Sequence[Problem] = (),
) -> None:
    """Raises the first refusal of a move, in the contract's order, but for those of gates that come last."""
    if move.submits:
        refuse_if_guarded(document, call, submits=True)
    refuse_if_outdated(document, base_version)
    if not _may_leave(move, document):
        unchanged = UNCHANGED if document["status"] in move.if_changed else ""
        raise not_now(document, call, NOT_LIVE if move.if_live else unchanged)
    call.pass_gates(document)
    if move.finishes and document.get("contentId") is None:
        raise BadRequest(errors=[EMPTY, *problems]) if problems else no_content()
    if problems:
        raise BadRequest(errors=list(problems))


def no_content() -> BadRequest:
    """Returns the refusal of a document in which there is nothing to read."""
    return BadRequest("The document has no content", advice="write some first", errors=[EMPTY])


def refuse_if_outdated(document: StoredDocument, base_version: int | None) -> None:
    """Refuses with `VersionConflict` a write that is based on another version than the current one; 0 is none."""
    if base_version is not None and base_version != document["version"]:
        raise VersionConflict(
            f"The document is at version {document['version']}, and this was made from version {base_version}"
            if base_version
            else NO_TAG,
            advice="read it again, merge, and send its `version` as `baseVersion`" if base_version else "",
            version=document["version"],
            baseVersion=base_version,
        )


def allowed_moves(document: StoredDocument) -> list[str]:
    """Returns the operations that the document's status allows."""
    return [move.name for move in MOVES if _may_leave(move, document)]


def not_now(document: StoredDocument, call: Call, message: str = "") -> InvalidTransition:
    """Returns the refusal of an operation that the document's status does not allow, or a fact that `message` says."""
    able = allowed_moves(document)
    named = able
    if call.channel == Channel.MCP:
        tools = {name: _TOOLS.get(name, f"{name}_document") for name in able}
        able = [name for name, tool in tools.items() if call.permits(tool)]
        is_refused = not was_approved(document) and not call.publishes_unapproved()
        named = [call.name_of(tools[name]) for name in able if not (is_refused and name in _NEED_APPROVAL)]
    message = message or f"The document is {status_words(document)}, which does not allow this."
    if call.channel != Channel.CONSOLE:  # which names the buttons that its user has
        message = f"{message} What it allows: {', '.join(named)}." if named else f"{message} Others go on from here."
    return InvalidTransition(message, status=document["status"], allowed=able)


def status_words(document: StoredDocument) -> str:
    """Returns a document's status as messages say it."""
    return _STATUS_WORDS.get(document["status"], document["status"])


def was_approved(document: StoredDocument) -> bool:
    """Returns whether a document is approved, or was before it was scheduled."""
    return Status.APPROVED in (document["status"], document.get("statusBefore"))


_NEED_APPROVAL = {SCHEDULE.name, PUBLISH.name}
"""The moves that a project can have refused to what was not approved."""

_TOOLS = {"request-changes": "request_changes"}
"""The tools of moves that are not called like `approve_document`."""

_STATUS_WORDS: Mapping[str, str] = {
    Status.IDEA: "an idea",
    Status.DRAFTING: "being drafted",
    Status.REVIEW: "in review",
}
"""Status labels for messages; a status without one is shown as it is."""


def _may_leave(move: StatusMove, document: StoredDocument) -> bool:
    if move.if_live and not document["isPublished"]:
        return False
    status = document["status"]
    return status in move.leaves or (status in move.if_changed and changed_since_published(document))
