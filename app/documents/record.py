"""Stored form of a document and its versions, the decision of a rule about one, and the rules of claims.

A rule is a pure function from a document as it is and the call to a `Decision`; it raises the refusal where there is
none. The rules of statuses, edits and publishing are in modules of their own (contract: Management document record,
Brief states; decisions, sections 5 and 6).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NotRequired, cast

from typing_extensions import TypedDict

from app.core.actors import Actor, StoredNote, actor_name
from app.core.calls import Call
from app.core.documented import Count, Id, Version
from app.core.errors import BriefClaimed
from app.core.events import Event
from app.core.records import Stored
from app.core.schemas.validation import word_of
from app.core.times import Instant, read_time, wire_time
from app.core.vocabulary import BriefState, Channel, DocumentStatus
from app.publications.record import PastSlug, Published, PublishedFields

Origin = Mapping[str, Any]
"""How a version came about: what features store with it, and whether it is `scripted`."""


class StoredRevision(PublishedFields):
    """A version of a document as the store returns it; its content is a body."""

    id: str
    projectId: str
    documentId: Id
    version: Version
    bodyId: Id | None
    wordCount: Count
    at: Instant
    by: Actor
    scripted: NotRequired[bool]
    """True if `plan`, `import` or another command wrote it."""


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
    state: Annotated[str, word_of(BriefState)]
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
    status: Annotated[str, word_of(DocumentStatus)]
    statusBefore: NotRequired[Annotated[str, word_of(DocumentStatus)] | None]
    """The status before it was scheduled."""
    statusSince: NotRequired[Instant]
    """When its status last changed."""
    statusBy: NotRequired[Actor | None]
    """Who changed it then."""
    assigneeId: NotRequired[Id | None]
    assignedAt: NotRequired[Instant | None]
    """When another than the assignee assigned it to them."""
    assignedBy: NotRequired[Actor | None]
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
    since: dict[str, Any] = {"statusSince": call.now, "statusBy": call.actor} if moved else {}
    if fields.get("assigneeId", document.get("assigneeId")) != document.get("assigneeId"):
        since |= assignment(fields["assigneeId"], call)
    after = cast(StoredDocument, {**document, **fields, **since, "updatedAt": call.now})
    return Decision(after, (document_event(event, after, call.now, call.actor, data),))


def assignment(assignee_id: str | None, call: Call) -> dict[str, Any]:
    """Returns who assigned a document to somebody, and when; nobody where they did so themselves."""
    is_others = assignee_id is not None and assignee_id != call.member_id
    return {"assignedAt": call.now, "assignedBy": call.actor} if is_others else {"assignedAt": None, "assignedBy": None}


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


def expire_lease(document: StoredDocument, call: Call) -> Decision:
    """Ends a claim whose lease has run out, and offers the brief again; remembers the claim, for a late submit."""
    expired = {"state": BriefState.READY, "expiredClaim": brief_of(document).get("claimedAt")}
    return change_brief(document, call, "brief.expired", {**NO_CLAIM, **expired})


def written_brief(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns fields of a brief as they are stored: null for what is empty, ids in lower case."""
    written = {name: value or None for name, value in fields.items()}
    links = written.get("internalLinks")
    return {**written, "internalLinks": [link.lower() for link in links]} if links else written


def finished_brief(document: StoredDocument) -> dict[str, Any]:
    """Returns the fields of a document whose claimed brief becomes drafted; none for a brief in another state."""
    if brief_state(document) != BriefState.CLAIMED:
        return {}
    return {"brief": {**brief_of(document), **NO_CLAIM, "state": BriefState.DRAFTED}}


def refuse_if_claimed(document: StoredDocument, call: Call, *, offers: bool = False) -> None:
    """Refuses with `BriefClaimed` while somebody holds a claim; a call that `offers` the brief does not write."""
    brief = brief_of(document)
    if brief["state"] == BriefState.CLAIMED:
        raise brief_claimed(brief, call, offers=offers)


def refuse_if_guarded(document: StoredDocument, call: Call, *, submits: bool = False) -> None:
    """Refuses with `BriefClaimed` a write of a document that a claim guards against the caller (decisions, section 6).

    A claim guards it against agents that do not hold it, and against callers who name another claim. A caller who
    names a claim that has ended is refused too, unless it `submits` under the last claim, whose lease expired.
    """
    brief = brief_of(document)
    by_another = call.is_by_agent and not holds_claim(brief.get("claimedBy"), call.token_id)
    names_another = call.claimed_at is not None and not names_claim(call, brief.get("claimedAt"))
    if by_another or names_another:
        refuse_if_claimed(document, call)
    if names_another and not (submits and names_claim(call, brief.get("expiredClaim"))):
        raise no_claim_held(document, call)


def holds_claim(holder: Actor | None, token_id: str | None) -> bool:
    """Returns whether the token is the one that claimed a brief, its `claimedBy`."""
    return token_id is not None and holder is not None and holder["id"] == token_id


def brief_claimed(brief: StoredBrief, call: Call, *, offers: bool = False) -> BriefClaimed:
    """Returns the refusal for the caller of a claimed brief (decisions, section 6).

    The message tells the holder what to call next, and all others who holds the claim, since when and until when.
    """
    by, claimed_at, expires_at = brief["claimedBy"], brief["claimedAt"], brief.get("claimExpiresAt")
    assert by is not None
    assert claimed_at is not None
    at = wire_time(claimed_at)
    who = f"{by['agent']}, token {by['name']!r}" if by["agent"] else f"token {by['name']!r}"
    until = f" until {wire_time(expires_at)}" if expires_at else ""
    say, advice = call.name_of, ""
    is_own = holds_claim(by, call.token_id)
    if is_own and offers:
        message = (
            f"Your token holds this claim ({who}, since {at}{until}): end it with {say('withdraw_brief')} first, or "
            f"with {say('release_brief')}, which offers the brief again."
        )
    elif is_own and (call.claimed_at is None or names_claim(call, claimed_at)):
        message = (
            f"Your token already holds this claim ({who}, since {at}{until}). Go on with {say('get_work_packet')} and "
            f"{say('write_content')}, then {say('submit_document')}. If you can't finish, call "
            f"{say('release_brief')}, which offers the brief again."
        )
    elif is_own:
        message = (
            f"The claim that your token holds ({who}, since {at}{until}) is another than the one that you name, of "
            f"{call.claimed_at}. If it is yours, send `claimedAt` {at}. If another agent with your token made it, "
            f"claim another brief with {say('claim_next_brief')}."
        )
    else:
        message = f"{who} claimed this brief at {at} and holds it{until}"
        advice = f"claim another with {say('claim_next_brief')}, or end this claim with {say('withdraw_brief')}"
        if call.channel == Channel.MCP:
            advice = "wait until this claim ends, or ask a person to end it"
    return BriefClaimed(message, advice=advice, claimedBy=by, claimedAt=at)


def names_claim(call: Call, claimed_at: datetime | None) -> bool:
    """Returns whether a call names the claim of an instant: to the second where it names no fraction of one."""
    if claimed_at is None or call.claimed_at is None:
        return False
    to_the_second = not {".", ","} & set(call.claimed_at)
    return read_time(call.claimed_at) == (claimed_at.replace(microsecond=0) if to_the_second else claimed_at)


def brief_state(document: StoredDocument) -> str:
    return brief_of(document)["state"]


def no_claim_held(document: StoredDocument, call: Call) -> BriefClaimed:
    """Returns the refusal for a caller whose claim has ended."""
    return BriefClaimed(f"You hold no claim: {why_no_claim(document, call)}", claimedBy=None, claimedAt=None)


def why_no_claim(document: StoredDocument, call: Call) -> str:
    """Returns why a brief's claim has ended, and what its holder can claim, as the end of a message."""
    brief, status = brief_of(document), document["status"]
    state, expired = brief["state"], brief.get("expiredClaim")
    is_ready = state == BriefState.READY and status in OPEN
    if status not in OPEN:
        why = f"{_last_move(document, call)}, so your work on it is done"
    elif expired and (call.claimed_at is None or names_claim(call, expired)):
        why = "its lease ran out"
    elif state == BriefState.DRAFTED:
        why = f"{_last_move(document, call)}, and its brief is not offered"
    elif state == BriefState.NONE:
        never = "" if call.claimed_at else ", or never offered"
        why = f"the brief was withdrawn{never}. Don't go on with this document: a person can offer it again"
    else:
        why = "it ended before the brief was offered again"
    go_on = f"The brief is ready: claim it again with {call.name_of('claim_brief')}"
    another = f"Claim another with {call.name_of('claim_next_brief')}"
    return f"{why}. {go_on if is_ready else another}."


def _last_move(document: StoredDocument, call: Call) -> str:
    """Returns who moved a document to its status, and when."""
    by, since, status = document.get("statusBy"), document.get("statusSince"), document["status"]
    if by is None or since is None:
        return f"the document is in `{status}`"
    who = "your token" if by["id"] == call.token_id else actor_name(by)
    return f"{who} moved the document to `{status}` at {wire_time(since)}"


def change_brief(
    document: StoredDocument, call: Call, event: str, fields: Mapping[str, Any], **of_document: Any
) -> Decision:
    return changed(document, call, event, {"brief": {**brief_of(document), **fields}, **of_document})
