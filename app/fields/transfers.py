"""The lines of an export: one JSON object each, its `type` says which of these tables it follows.

Lines name what stands above them alone: settings, members, categories (parents first), clusters, and then for each
document its texts, its versions and at last the document itself, which so stands for all of it being there.
"""

from __future__ import annotations

import re

import marshmallow as ma

from app.fields.briefs import BriefFields
from app.fields.categories import CategoryFields
from app.fields.clusters import ClusterFields
from app.fields.documents import DocumentChanges
from app.fields.intents import MAX_MARKDOWN
from app.fields.kinds import Fields, Table, Text, flag, not_blank, table, text, timestamp, whole, word
from app.fields.members import MemberFields
from app.fields.projects import ProjectChanges
from app.fields.slugs import document_slug
from app.vocabulary import ActorType, BriefState, DocumentStatus

FORMAT = 1
"""The version of the format; an import refuses any other."""


def _hex_id(value: str) -> None:
    if not re.fullmatch(r"[0-9a-f]{24}", value):
        raise ma.ValidationError("Must be an id of 24 hexadecimal digits.")


def _id(doc: str, *, null: bool = False) -> Text:
    return text(24, _hex_id, doc=doc, null=null, needed=not null)


def _time(doc: str, *, null: bool = False) -> Text:
    return text(100, timestamp, doc=doc, null=null, needed=not null)


class ActorLine(Fields):
    """Who wrote."""

    type = word(ActorType, doc="what wrote", null=False, needed=True)
    id = _id("the token's id", null=True)
    name = text(300, doc="the token's name", null=False, needed=True)
    agent = text(300, doc="the agent", null=False, needed=True)


def _actor(doc: str, *, null: bool = False) -> Table:
    return table(ActorLine, doc=doc, needed=not null)


class HeadLine(Fields):
    """The first line: which format follows."""

    version = whole(FORMAT, FORMAT, doc="the version of the format", required=True)


class ProjectLine(ProjectChanges):
    """The project's settings."""


class MemberLine(MemberFields):
    """A member; those that were deleted too, as records name them."""

    id = _id("the member's id")
    createdAt = _time("when they were added")
    deletedAt = _time("when they were deleted", null=True)


class CategoryLine(CategoryFields):
    """A category."""

    id = _id("the category's id")
    createdAt = _time("when it was made")
    updatedAt = _time("when it last changed")
    createdBy = _actor("who made it")


class ClusterLine(ClusterFields):
    """A cluster."""

    id = _id("the cluster's id")
    createdAt = _time("when it was made")
    updatedAt = _time("when it last changed")
    createdBy = _actor("who made it")


class BodyLine(Fields):
    """A text of a document."""

    id = _id("the text's id")
    documentId = _id("the document's id")
    text = text(MAX_MARKDOWN, doc="markdown", null=False, needed=True)


class PublishedLine(Fields):
    """The fields of a document that are published."""

    title = text(300, not_blank, doc="the title", null=False, needed=True)
    slug = text(200, document_slug, doc="the slug", null=False, needed=True)
    subtitle = DocumentChanges._declared_fields["subtitle"]
    metaTitle = DocumentChanges._declared_fields["metaTitle"]
    metaDescription = DocumentChanges._declared_fields["metaDescription"]
    excerpt = DocumentChanges._declared_fields["excerpt"]
    coverImageUrl = DocumentChanges._declared_fields["coverImageUrl"]
    categoryId = _id("the category", null=True)


class RevisionLine(PublishedLine):
    """A version of a document."""

    documentId = _id("the document's id")
    version = whole(1, doc="the version", required=True)
    bodyId = _id("its text; null for none", null=True)
    wordCount = whole(0, doc="words of the text", required=True)
    at = _time("when it was written")
    by = _actor("who wrote it")


class SnapshotLine(PublishedLine):
    """What is delivered of a document; its html is made anew."""

    version = whole(1, doc="the version that is delivered", required=True)
    markdownId = _id("the text that is delivered")
    publishedAt = _time("when it went live")
    updatedAt = _time("when it was last published")


class BriefLine(BriefFields):
    """A brief with its state."""

    state = word(BriefState, doc="where it stands", null=False, needed=True)
    claimedBy = _actor("who claimed it", null=True)
    claimedAt = _time("when it was claimed", null=True)
    claimExpiresAt = _time("when the claim's lease runs out", null=True)
    leaseSeconds = whole(0, doc="the claim's lease", allow_none=True)


class DocumentLine(PublishedLine):
    """A document."""

    id = _id("the document's id")
    status = word(DocumentStatus, doc="where it stands", null=False, needed=True)
    statusBefore = word(DocumentStatus, doc="where it stood before it was scheduled")
    assigneeId = _id("the member who works on it", null=True)
    authorId = _id("its author", null=True)
    clusterId = _id("its cluster", null=True)
    dueDate = DocumentChanges._declared_fields["dueDate"]
    version = whole(1, doc="the version", required=True)
    contentId = _id("its text; null for none", null=True)
    wordCount = whole(0, doc="words of the text", required=True)
    contentUpdatedAt = _time("when the text last changed")
    contentUpdatedBy = _actor("who last changed the text")
    createdAt = _time("when it was made")
    createdBy = _actor("who made it")
    updatedAt = _time("when it last changed")
    publishAt = _time("when it will be published", null=True)
    isPublished = flag(doc="is it delivered?")
    snapshot = table(SnapshotLine, doc="what is delivered")
    deletedAt = _time("when it was moved to the trash", null=True)
    reviewNote = text(5_000, doc="the last note of a request for changes")
    brief = table(BriefLine, doc="the brief")


LINES: dict[str, type[Fields]] = {
    "export": HeadLine,
    "project": ProjectLine,
    "member": MemberLine,
    "category": CategoryLine,
    "cluster": ClusterLine,
    "body": BodyLine,
    "revision": RevisionLine,
    "document": DocumentLine,
}
"""The table of each type of line."""
