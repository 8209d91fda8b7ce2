"""The management document record (contract: Management document record; decisions, section 5)."""

from datetime import datetime
from typing import TypedDict

from app.records.actors import ActorRecord, CreatedRecord, ShownCreated
from app.records.briefs import BriefRecord, ShownBrief, brief_record
from app.records.revisions import PublishedRecord, ShownPublished
from app.records.types import Record, boolean, date, integer, nested, record_id, string, timestamp
from app.rules.actors import Actor
from app.rules.documents import StoredDocument, brief_of
from app.rules.times import wire_time, wire_time_or_none
from app.vocabulary import DocumentStatus


class DocumentSummary(PublishedRecord, CreatedRecord):
    """A document without its long texts, as lists and tools give it."""

    key = string("its key, given when it was planned; null without one", null=True)
    status = string("the status", one_of=DocumentStatus, example="drafting")
    assigneeId = record_id("the member who works on it", null=True)
    authorId = record_id("the member named as its author", null=True)
    clusterId = record_id("its cluster", null=True)
    dueDate = date("when it is due")
    version = integer("counts the content's versions, from 1; the `baseVersion` of the next content write")
    publishedVersion = integer("the version that is delivered; null unless published", null=True)
    isPublished = boolean("whether it is delivered")
    hasUnpublishedChanges = boolean("whether the content changed since it was published")
    contentUpdatedAt = timestamp("when the content last changed")
    contentUpdatedBy = nested(ActorRecord, "who last changed the content")
    publishAt = timestamp("when it will be published; null unless scheduled", null=True)
    publishedAt = timestamp("when it went live; null unless published", null=True)
    deletedAt = timestamp("when it was moved to the trash; null outside it", null=True)
    reviewNote = string("the last note of a request for changes")
    brief = nested(BriefRecord, "its brief; one that was never written is empty, in state `none`")


class DocumentRecord(DocumentSummary):
    """A document with its long texts."""

    content = string("the current content as markdown", example="Flour, water and patience.")
    publishedMarkdown = string("the markdown that is delivered; null unless published", null=True)


class ScheduleOutcome(Record):
    """The outcome of a scheduled document at its time."""

    id = record_id("the document's id")
    reason = string("why it could not be published; null when it was", null=True)


class ShownDocument(ShownPublished, ShownCreated):
    """A document as callers see it; its long texts are read separately."""

    key: str | None
    status: str
    assigneeId: str | None
    authorId: str | None
    clusterId: str | None
    dueDate: str | None
    version: int
    publishedVersion: int | None
    isPublished: bool
    hasUnpublishedChanges: bool
    contentUpdatedAt: str
    contentUpdatedBy: Actor
    publishAt: str | None
    publishedAt: str | None
    deletedAt: str | None
    reviewNote: str
    brief: ShownBrief


class ShownScheduleOutcome(TypedDict):
    """The outcome of a scheduled document at its time, as callers see it."""

    id: str
    reason: str | None


def document_summary(document: StoredDocument, team_id: str, now: datetime) -> ShownDocument:
    """Returns a stored document as callers see it at an instant, without its long texts."""
    published = document.get("published")
    return {
        "id": document["id"],
        "projectId": document["projectId"],
        "teamId": team_id,
        "title": document["title"],
        "slug": document["slug"],
        "key": document.get("key"),
        "subtitle": document.get("subtitle") or "",
        "excerpt": document.get("excerpt") or "",
        "metaTitle": document.get("metaTitle") or "",
        "metaDescription": document.get("metaDescription") or "",
        "coverImageUrl": document.get("coverImageUrl"),
        "status": document["status"],
        "assigneeId": document.get("assigneeId"),
        "authorId": document.get("authorId"),
        "categoryId": document.get("categoryId"),
        "clusterId": document.get("clusterId"),
        "dueDate": document.get("dueDate"),
        "version": document["version"],
        "publishedVersion": published and published["version"],
        "isPublished": document["isPublished"],
        "hasUnpublishedChanges": published is not None and document["version"] != published["version"],
        "wordCount": document["wordCount"],
        "contentUpdatedAt": wire_time(document["contentUpdatedAt"]),
        "contentUpdatedBy": document["contentUpdatedBy"],
        "createdAt": wire_time(document["createdAt"]),
        "createdBy": document["createdBy"],
        "updatedAt": wire_time(document["updatedAt"]),
        "publishAt": wire_time_or_none(document.get("publishAt")),
        "publishedAt": wire_time_or_none(document.get("publishedAt")),
        "deletedAt": wire_time_or_none(document.get("deletedAt")),
        "reviewNote": document.get("reviewNote") or "",
        "brief": brief_record(brief_of(document), now),
    }


TEXT_IF_MISSING = {"content": "", "markdown": "", "publishedMarkdown": None}
"""What the field of a long text has where nothing was written, or published."""


def document_text_ids(document: StoredDocument) -> dict[str, str | None]:
    """Returns the ids of a document's long texts, by the fields of the record that show them."""
    published = document.get("published")
    return {"content": document.get("contentId"), "publishedMarkdown": published and published["markdownId"]}
