"""Stored form of a document, and the decision of a rule about one (contract: Management document record).

A rule is a pure function from a document as it is and the call to a `Decision`; it raises the refusal where there is
none. The rules of briefs, statuses, edits and publishing are in modules of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NotRequired, cast

from pydantic import AfterValidator
from typing_extensions import TypedDict

from app.core.actors import Actor, StoredNote
from app.core.calls import Call
from app.core.documented import Count, Id, Version
from app.core.events import Event
from app.core.records import Stored
from app.core.times import Instant
from app.core.vocabulary import BriefState, DocumentStatus
from app.publications.record import PastSlug, Published, PublishedFields


class StoredBrief(TypedDict):
    """A brief as the store returns it, inside its document; unset fields are missing or null."""

    audience: NotRequired[str | None]
    intent: NotRequired[str | None]
    internalLinks: NotRequired[list[str] | None]
    keyword: NotRequired[str | None]
    notes: NotRequired[str | None]
    outline: NotRequired[str | None]
    referenceUrls: NotRequired[list[str] | None]
    wordCount: NotRequired[str | None]
    state: Annotated[str, AfterValidator(BriefState)]
    claimedAt: NotRequired[Instant | None]
    claimedBy: NotRequired[Actor | None]
    claimExpiresAt: NotRequired[Instant | None]
    leaseSeconds: NotRequired[Count | None]
    expiredClaim: NotRequired[Instant | None]
    """When the last claim was made, where its lease expired."""


class StoredDocument(Stored, PublishedFields):
    """A document as the store returns it; its texts are bodies."""

    key: NotRequired[str | None]
    """The caller's own id of the document, unique in the project, also in the trash."""
    slugs: list[str]
    """Its current slug, and the one that it is delivered under."""
    pastSlugs: NotRequired[list[PastSlug] | None]
    """The slugs that it was delivered under before, the latest first."""
    status: Annotated[str, AfterValidator(DocumentStatus)]
    statusBefore: NotRequired[Annotated[str, AfterValidator(DocumentStatus)] | None]
    """The status before it was scheduled."""
    statusSince: NotRequired[Instant]
    """When its status last changed."""
    assigneeId: NotRequired[Id | None]
    authorId: NotRequired[Id | None]
    clusterId: NotRequired[Id | None]
    dueDate: NotRequired[str | None]
    version: Version
    wordCount: Count
    contentId: NotRequired[Id | None]
    contentUpdatedAt: Instant
    contentUpdatedBy: Actor
    isPublished: bool
    published: NotRequired[Published | None]
    createdBy: Actor
    updatedAt: Instant
    publishAt: NotRequired[Instant | None]
    scheduledBy: NotRequired[Actor | None]
    publishedAt: NotRequired[Instant | None]
    firstPublishedAt: NotRequired[Instant | None]
    """When it went live before it was taken off."""
    deletedAt: Instant | None
    trashedPublication: NotRequired[Any]
    """In the trash, what was delivered of it (`Publication`)."""
    reviewNote: NotRequired[str | None]
    review: NotRequired[StoredNote | None]
    """The last request for changes, until the document is submitted again."""
    submittedBy: NotRequired[Actor | None]
    brief: NotRequired[StoredBrief]
    publishFailedAt: NotRequired[Instant]
    """When it was last found not to be publishable at its time."""


OPEN = (DocumentStatus.IDEA, DocumentStatus.PLANNED, DocumentStatus.DRAFTING)
"""The statuses in which a brief can be offered and claimed; in all others it is closed."""


DELIVERED_AT_ONCE = ("authorId", "clusterId")
"""The fields whose changes are delivered without publishing: the author, and the cluster of related documents."""


NO_CLAIM: Any = {"claimedBy": None, "claimedAt": None, "claimExpiresAt": None}
"""The fields of a brief that nobody claims."""


NO_BRIEF: StoredBrief = {"state": BriefState.NONE}


@dataclass(frozen=True)
class Decision:
    """Decision of a rule: the changed document, and the events of the change; no events if nothing changes."""

    document: StoredDocument
    events: tuple[Event, ...] = ()

    def with_fields(self, **fields: Any) -> Decision:
        """Returns the decision with further fields of the document."""
        return Decision(cast(StoredDocument, {**self.document, **fields}), self.events)

    def then(self, rule: Callable[[StoredDocument], Decision]) -> Decision:
        """Returns what a further rule decides about the changed document, with the events of both."""
        following = rule(self.document)
        return Decision(following.document, self.events + following.events)


def changed(
    document: StoredDocument, call: Call, event: str, fields: Mapping[str, Any], data: Mapping[str, Any] | None = None
) -> Decision:
    """Decides that a document gets fields; the event has the type `event`, and `data` besides the record's own."""
    moved = fields.get("status", document["status"]) != document["status"]
    since = {"statusSince": call.now} if moved else {}
    after = cast(StoredDocument, {**document, **fields, **since, "updatedAt": call.now})
    return Decision(after, (document_event(event, after, call.now, call.actor, data),))


def document_event(
    event: str, document: Mapping[str, Any], at: datetime, by: Actor, data: Mapping[str, Any] | None = None
) -> Event:
    """Returns an event of a document: it has the status, version, slug and brief state after the change."""
    own = {name: document[name] for name in ("status", "version", "slug")}
    return Event(event, at, by, {**own, "briefState": brief_of(document)["state"], **(data or {})})


def brief_of(document: Mapping[str, Any]) -> StoredBrief:
    """Returns the stored brief of a document, `NO_BRIEF` for one that has none."""
    return document.get("brief") or NO_BRIEF


def changed_since_published(document: StoredDocument) -> bool:
    """Returns whether the content changed since it was published."""
    published = document.get("published")
    return published is not None and document["version"] != published["version"]


def delivered_at_once(before: StoredDocument, after: StoredDocument) -> dict[str, Any]:
    """Returns the changes of a document, outside the trash, that are delivered without its being published again."""
    if not before["isPublished"] or before["deletedAt"] is not None:
        return {}
    return {name: after.get(name) for name in DELIVERED_AT_ONCE if before.get(name) != after.get(name)}
