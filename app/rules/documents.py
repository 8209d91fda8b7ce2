"""The moves of a document between its statuses, and why one is refused (decisions, section 5).

Each move is a row of data, as with briefs: the store makes the filter of one atomic write from it, `refusal` the
reason of a refusal, and `allowed` the list in `InvalidTransition`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from typing import Any, NotRequired, TypedDict

from app.errors import (
    BadRequest,
    BriefClaimed,
    ChecksFailed,
    FourEyes,
    InvalidTransition,
    Problem,
    Refusal,
    ReviewRequired,
    SlugTaken,
    VersionConflict,
)
from app.rules.actors import Actor, StoredNote
from app.rules.briefs import OPEN, MoveRequest, StoredBrief, brief_of, holds_claim, if_claimed, is_claimed
from app.rules.html_writer import MAX_PARTS
from app.vocabulary import Channel
from app.vocabulary import DocumentStatus as Status


class PublishedFields(TypedDict):
    """The fields of a document that are published: when one of them changes, so does the version."""

    title: str
    slug: str
    subtitle: NotRequired[str | None]
    metaTitle: NotRequired[str | None]
    metaDescription: NotRequired[str | None]
    excerpt: NotRequired[str | None]
    coverImageUrl: NotRequired[str | None]
    categoryId: NotRequired[str | None]


PUBLISHED_FIELDS = tuple(PublishedFields.__annotations__)


class Snapshot(PublishedFields):
    """The delivered state of a document; its texts are bodies."""

    version: int
    markdownId: str
    htmlId: str
    markdownBytes: int
    htmlBytes: int
    wordCount: NotRequired[int]
    publishedAt: datetime
    updatedAt: NotRequired[datetime]


class PastSlug(TypedDict):
    """A slug that a document was delivered under, and until when."""

    slug: str
    at: datetime


class StoredDocument(PublishedFields):
    """A document as the store returns it; its texts are bodies."""

    id: str
    projectId: str
    key: NotRequired[str | None]
    """The caller's own id of the document, unique in the project, also in the trash."""
    slugs: list[str]
    """Its current slug, and the one that it is delivered under."""
    pastSlugs: NotRequired[list[PastSlug] | None]
    """The slugs that it was delivered under before, the latest first."""
    status: str
    statusBefore: NotRequired[str | None]
    """The status before it was scheduled."""
    assigneeId: NotRequired[str | None]
    authorId: NotRequired[str | None]
    clusterId: NotRequired[str | None]
    dueDate: NotRequired[str | None]
    version: int
    wordCount: int
    contentId: NotRequired[str | None]
    contentUpdatedAt: datetime
    contentUpdatedBy: Actor
    isPublished: bool
    snapshot: NotRequired[Snapshot | None]
    createdAt: datetime
    createdBy: Actor
    updatedAt: datetime
    publishAt: NotRequired[datetime | None]
    publishedAt: NotRequired[datetime | None]
    deletedAt: datetime | None
    reviewNote: NotRequired[str | None]
    review: NotRequired[StoredNote | None]
    """The last request for changes, until the document is submitted again."""
    submittedBy: NotRequired[Actor | None]
    brief: NotRequired[StoredBrief]
    rev: int


class ListedBrief(TypedDict):
    """A document as the store returns it in the list of briefs; its brief has the fields of the list alone."""

    id: str
    title: str
    status: str
    dueDate: NotRequired[str | None]
    categoryId: NotRequired[str | None]
    brief: NotRequired[StoredBrief]


class LinkedDocument(TypedDict):
    """A document as the store returns it where others link to it."""

    id: str
    title: str
    slug: str
    status: str
    excerpt: NotRequired[str | None]


class DeliveryRow(TypedDict):
    """A document as the store returns it to the delivery API: its snapshot, and where asked for its present fields."""

    id: str
    snapshot: NotRequired[Snapshot | None]
    authorId: NotRequired[str | None]
    clusterId: NotRequired[str | None]
    contentId: NotRequired[str | None]
    wordCount: int
    title: NotRequired[str]
    slug: NotRequired[str]
    subtitle: NotRequired[str | None]
    metaTitle: NotRequired[str | None]
    metaDescription: NotRequired[str | None]
    excerpt: NotRequired[str | None]
    coverImageUrl: NotRequired[str | None]
    categoryId: NotRequired[str | None]
    version: NotRequired[int]
    updatedAt: NotRequired[datetime]


class PublishedDocument(TypedDict):
    """A published document as the store returns it where only the delivered state is needed."""

    id: str
    publishedAt: datetime
    snapshot: Snapshot


NOT_RENDERABLE = (
    f"The content's html would be over 15 MB, or of over {MAX_PARTS:,} parts such as paragraphs, links, table cells "
    "and html tags, more than can be published: shorten or split the document."
)

NOT_EDITABLE = (Status.APPROVED, Status.SCHEDULED)
"""The statuses in which the published fields can't be changed: exactly what was approved is published."""

DELIVERED_AT_ONCE = ("authorId", "clusterId")
"""The fields whose changes are delivered without publishing: the author, and the cluster of related documents."""


class Derived(Enum):
    """A status that a move enters and that depends on the document."""

    BEFORE = "the status before it was scheduled; `drafting` where that was `published` and it was unpublished since"
    UNLESS_PUBLISHED = "the same status; `drafting` where that is `published`"


@dataclass(frozen=True)
class StatusMove:
    """One row of the table of statuses."""

    name: str
    """The operation as its path names it."""
    leaves: tuple[Status, ...]
    enters: Status | Derived
    event: str
    needs_content: bool = False
    finishes_brief: bool = False
    """Whether it makes a claimed brief `drafted`."""
    guarded: bool = False
    """Whether it is refused while the brief is claimed by another agent."""
    four_eyes: bool = False
    """Whether a project that requires four eyes refuses it to the author and the submitter of the version."""
    needs_approval: bool = False
    """Whether a project that requires approval refuses it for a document that was not approved."""
    needs_checks: bool = False
    """Whether it is refused while checks of level `error` fail."""
    if_changed: tuple[Status, ...] = ()
    """Statuses that it leaves only when the content changed since it was published."""
    if_live: bool = False
    """Whether it needs a document that is delivered."""


SUBMIT = StatusMove(
    "submit",
    leaves=OPEN,
    if_changed=(Status.PUBLISHED,),
    enters=Status.REVIEW,
    event="document.submitted",
    needs_content=True,
    needs_checks=True,
    finishes_brief=True,
    guarded=True,
)
APPROVE = StatusMove(
    "approve",
    leaves=(Status.DRAFTING, Status.REVIEW),
    enters=Status.APPROVED,
    event="document.approved",
    needs_content=True,
    finishes_brief=True,
    four_eyes=True,
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
    needs_content=True,
    finishes_brief=True,
    four_eyes=True,
    needs_approval=True,
)
UNSCHEDULE = StatusMove("unschedule", leaves=(Status.SCHEDULED,), enters=Derived.BEFORE, event="document.unscheduled")
PUBLISH = StatusMove(
    "publish",
    leaves=tuple(Status),
    enters=Status.PUBLISHED,
    event="document.published",
    needs_content=True,
    finishes_brief=True,
    four_eyes=True,
    needs_approval=True,
)
UNPUBLISH = StatusMove(
    "unpublish", leaves=tuple(Status), enters=Derived.UNLESS_PUBLISHED, event="document.unpublished", if_live=True
)
GIVE_UP = replace(UNSCHEDULE, enters=Status.DRAFTING, event="document.publish_failed")
"""The worker's move of a scheduled document that can't be published; no interface offers it."""
UNSCHEDULED: dict[str, Any] = {"publishAt": None, "statusBefore": None}
"""The fields that unscheduling clears."""
MOVES = (SUBMIT, APPROVE, REQUEST_CHANGES, SCHEDULE, UNSCHEDULE, PUBLISH, UNPUBLISH)


def status_before(document: StoredDocument) -> Status:
    """Returns the status that unscheduling restores; `drafting` where the document was published and is no longer."""
    before = document.get("statusBefore")
    assert before is not None  # the document is scheduled
    return Status.DRAFTING if before == Status.PUBLISHED and not document["isPublished"] else Status(before)


def approved(document: StoredDocument) -> bool:
    """Returns whether the document was approved; one that was scheduled after that still counts."""
    return Status.APPROVED in (document["status"], document.get("statusBefore"))


def changed_since_published(document: StoredDocument) -> bool:
    """Returns whether the content changed since it was published."""
    snapshot = document.get("snapshot")
    return document["isPublished"] and snapshot is not None and document["version"] != snapshot["version"]


def delivers_at_once(document: StoredDocument, changes: Mapping[str, Any]) -> bool:
    """Returns whether changes of a document are delivered without its being published again."""
    return document["isPublished"] and any(name in changes for name in DELIVERED_AT_ONCE)


def may_leave(move: StatusMove, document: StoredDocument) -> bool:
    """Returns whether the document's status allows the move."""
    if move.if_live and not document["isPublished"]:
        return False
    status = document["status"]
    return status in move.leaves or (status in move.if_changed and changed_since_published(document))


def allowed(document: StoredDocument) -> list[str]:
    """Returns the operations that the document's status allows."""
    return [move.name for move in MOVES if may_leave(move, document)]


def not_now(document: StoredDocument, request: MoveRequest, state: str = "") -> InvalidTransition:
    """Returns the refusal of an operation that the document's status, or another state, does not allow."""
    able, status = allowed(document), document["status"]
    named = [f"`{_TOOLS.get(name, f'{name}_document')}`" for name in able] if request.channel == Channel.MCP else able
    return InvalidTransition(
        f"The document is {state or _STATUS_WORDS.get(status, status)}, which does not allow this. "
        f"What it allows: {', '.join(named)}.",
        status=status,
        allowed=able,
    )


_TOOLS = {"request-changes": "request_changes"}
"""The tools of moves that are not called like `approve_document`."""

_STATUS_WORDS: Mapping[str, str] = {
    Status.IDEA: "an idea",
    Status.DRAFTING: "being drafted",
    Status.REVIEW: "in review",
}
"""The statuses in a sentence, where they are not their own words."""


def refusal(
    move: StatusMove,
    document: StoredDocument,
    request: MoveRequest,
    base_version: int | None = None,
) -> Refusal | None:
    """Returns the first reason, in the contract's order, why the move is refused; None when it is allowed."""
    if move.guarded and (claimed := if_guarded(document, request)):
        return claimed
    if outdated := if_outdated(document, base_version):
        return outdated
    if not may_leave(move, document):
        unchanged = "published and has no changes since" if document["status"] in move.if_changed else ""
        return not_now(document, request, unchanged)
    if move.four_eyes and request.same_eyes is not None:
        return FourEyes(by=request.same_eyes)
    if move.needs_approval and request.review_required and not approved(document):
        return ReviewRequired()
    if move.needs_content and document.get("contentId") is None:
        message = "The document has no content: write some first."
        return BadRequest(message, errors=[Problem(field="markdown", message="Is empty.")])
    if move.needs_checks and request.failed_checks:
        return ChecksFailed(checks=list(request.failed_checks))
    return None


def if_guarded(document: StoredDocument, request: MoveRequest) -> BriefClaimed | None:
    """Refuses a write of a document that a claim guards against the caller (decisions, section 6).

    A claim guards it against agents that do not hold it, and against callers who name another claim than it.
    """
    brief = brief_of(document)
    by_another = request.is_by_agent and not holds_claim(brief.get("claimedBy"), request.token_id)
    other_claim = request.claimed_at is not None and brief.get("claimedAt") != request.claimed_at
    return if_claimed(document, request) if by_another or other_claim else None


def if_outdated(document: StoredDocument, base_version: int | None) -> VersionConflict | None:
    """Refuses a write that is based on another version than the current one."""
    if base_version is None or base_version == document["version"]:
        return None
    return VersionConflict(
        f"The document is at version {document['version']}, and this was made from version {base_version}: read it "
        "again, merge, and send its `version` as `baseVersion`.",
        version=document["version"],
        baseVersion=base_version,
    )


def if_not_renderable(document: StoredDocument, request: MoveRequest) -> BadRequest | None:
    """Refuses to publish a document whose html is too large to store."""
    if not request.not_renderable:
        return None
    return BadRequest(NOT_RENDERABLE, errors=[Problem(field="markdown", message=NOT_RENDERABLE)])


def if_not_deleted(document: StoredDocument, request: MoveRequest) -> InvalidTransition | None:
    """Refuses to restore a document that is not in the trash."""
    return not_now(document, request, "not in the trash") if document["deletedAt"] is None else None


def if_slug_taken(document: StoredDocument, request: MoveRequest) -> SlugTaken | None:
    """Refuses a slug that another document has."""
    return slug_taken(request.taken_slugs) if request.taken_slugs else None


def slug_taken(slugs: Collection[str]) -> SlugTaken:
    """Returns the refusal of slugs that other documents have."""
    return SlugTaken(f"Another document has the slug {min(slugs)!r}: choose another, or change that one first.")


def made_by_caller(by: Actor, token_id: str, agents: Mapping[str, str]) -> bool:
    """Returns whether a token counts as the actor: it is the same token, or a token of the same agent.

    `agents` has the agent of each token by token id; a name that a client sends does not count.
    """
    agent = agents.get(token_id)
    return by["id"] == token_id or bool(agent and agent == agents.get(by["id"] or ""))


def if_not_editable(document: StoredDocument, request: MoveRequest) -> InvalidTransition | None:
    """Refuses changes of the published fields after approval, and by agents during review."""
    in_review = request.is_by_agent and document["status"] == Status.REVIEW
    return not_now(document, request) if in_review or document["status"] in NOT_EDITABLE else None


def if_status_closed(document: StoredDocument, status: str, request: MoveRequest) -> InvalidTransition | None:
    """Refuses a change from a status after the first three, or of a claimed brief to one other than `drafting`."""
    if document["status"] not in OPEN:
        return not_now(document, request)
    taken_out = is_claimed(document, request) and status != Status.DRAFTING
    return not_now(document, request, "being drafted under a claim of its brief") if taken_out else None
