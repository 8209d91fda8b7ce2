"""The management document record (contract: Management document record; decisions, section 5)."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

from typing_extensions import TypedDict

from app.documented import EXAMPLE_DAY, Date, Id, Timestamp, doc, one_of
from app.errors import Refusal
from app.responses.briefs import Brief, brief_record
from app.responses.errors import Error
from app.responses.named import Created, Identified
from app.responses.records import record_of
from app.responses.revisions import Published
from app.rules.actors import Actor
from app.rules.checks import CheckResult
from app.rules.documents import StoredDocument, changed_since_published
from app.vocabulary import DocumentStatus


class DocumentSummary(Identified, Created, Published):
    """A document without its long texts, as lists and tools give it."""

    key: Annotated[str | None, doc("its key, given when it was planned; null without one")]
    status: Annotated[str, one_of(DocumentStatus), doc("the status", "drafting")]
    assigneeId: Annotated[Id | None, doc("the member who works on it")]
    authorId: Annotated[Id | None, doc("the member named as its author")]
    clusterId: Annotated[Id | None, doc("its cluster")]
    dueDate: Annotated[Date | None, doc("when it is due", EXAMPLE_DAY)]
    version: Annotated[int, doc("counts the content's versions, from 1; the `baseVersion` of the next content write")]
    publishedVersion: Annotated[int | None, doc("the version that is delivered; null unless published")]
    isPublished: Annotated[bool, doc("whether it is delivered")]
    hasUnpublishedChanges: Annotated[bool, doc("whether the content changed since it was published")]
    contentUpdatedAt: Annotated[Timestamp, doc("when the content last changed")]
    contentUpdatedBy: Annotated[Actor, doc("who last changed the content")]
    publishAt: Annotated[Timestamp | None, doc("when it will be published; null unless scheduled")]
    publishedAt: Annotated[Timestamp | None, doc("when it went live; null unless published")]
    deletedAt: Annotated[Timestamp | None, doc("when it was moved to the trash; null outside it")]
    reviewNote: Annotated[str, doc("the last note of a request for changes")]
    brief: Annotated[Brief, doc("its brief; one that was never written is empty, in state `none`")]


class Document(DocumentSummary):
    """A document with its long texts, which REST adds."""

    content: Annotated[str, doc("the current content as markdown", "Flour, water and patience.")]
    publishedMarkdown: Annotated[str | None, doc("the markdown that is delivered; null unless published")]


class ScheduleOutcome(TypedDict):
    """The outcome of a scheduled document at its time."""

    id: Annotated[Id, doc("the document's id")]
    reason: Annotated[str | None, doc("why it could not be published; null when it was")]


def document_summary(document: StoredDocument, team_id: str) -> DocumentSummary:
    """Returns a stored document as callers see it, without its long texts."""
    published = document.get("published")
    return record_of(
        DocumentSummary,
        document,
        teamId=team_id,
        publishedVersion=published and published["version"],
        hasUnpublishedChanges=changed_since_published(document),
        brief=brief_record(document),
    )


TEXT_IF_MISSING = {"content": "", "markdown": "", "publishedMarkdown": None}
"""What the field of a long text has where nothing was written, or published."""


def document_text_ids(document: StoredDocument) -> dict[str, str | None]:
    """Returns the ids of a document's long texts, by the fields of the record that show them."""
    published = document.get("published")
    return {"content": document.get("contentId"), "publishedMarkdown": published and published["markdownId"]}


MINIMAL = "minimal"
"""The only value of `return`, in the address of MCP and in `Prefer`."""


def minimal_record(record: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the caller needs of a document's record for the next call, and the packet of a claim."""
    packet = {"packet": record["packet"]} if "packet" in record else {}
    kept = {name: record[name] for name in ("id", "version", "status")}
    return {**kept, "briefState": record["brief"]["state"], **packet}


class CheckReport(TypedDict):
    """The checks of a document."""

    passed: Annotated[bool, doc("whether no check of level `error` failed", True)]
    blocking: Annotated[int, doc("how many entries of level `error` failed", 0)]
    warnings: Annotated[int, doc("how many entries of level `warning` failed", 0)]
    checks: Annotated[list[CheckResult], doc("in the order of the checks; an entry for each place where one fails")]


class Action(TypedDict):
    """An operation on a document, and why it would be refused now."""

    action: Annotated[str, doc("the operation, by the name of its tool", "submit_document")]
    method: Annotated[str, doc("the method of its route", "POST")]
    path: Annotated[str, doc("its route", "/documents/6650f0a1b2c3d4e5f6a7b8c9/submit")]
    allowed: Annotated[bool, doc("whether a valid call would succeed now", True)]
    refusal: Annotated[Error | None, doc("the error that it would get; null where it is allowed", None)]


def action_record(action: str, method: str, path: str, document_id: str, refusal: Refusal | None) -> Action:
    """Returns an operation with its path for a document, and the refusal that a call would get now."""
    return {
        "action": action,
        "method": method,
        "path": path.replace(":id", document_id),
        "allowed": refusal is None,
        "refusal": None if refusal is None else cast(Error, refusal.body()),
    }
