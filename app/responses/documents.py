"""The management document record (contract: Management document record; decisions, section 5)."""

from datetime import datetime
from typing import Annotated

from typing_extensions import TypedDict

from app.documented import EXAMPLE_DAY, Date, Id, Timestamp, doc, one_of
from app.responses.briefs import Brief, brief_record
from app.responses.named import Created, Identified
from app.responses.records import record_of
from app.responses.revisions import Published
from app.rules.actors import Actor
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


def document_summary(document: StoredDocument, team_id: str, now: datetime) -> DocumentSummary:
    """Returns a stored document as callers see it at an instant, without its long texts."""
    published = document.get("published")
    return record_of(
        DocumentSummary,
        document,
        teamId=team_id,
        publishedVersion=published and published["version"],
        hasUnpublishedChanges=changed_since_published(document),
        brief=brief_record(document, now),
    )


TEXT_IF_MISSING = {"content": "", "markdown": "", "publishedMarkdown": None}
"""What the field of a long text has where nothing was written, or published."""


def document_text_ids(document: StoredDocument) -> dict[str, str | None]:
    """Returns the ids of a document's long texts, by the fields of the record that show them."""
    published = document.get("published")
    return {"content": document.get("contentId"), "publishedMarkdown": published and published["markdownId"]}
