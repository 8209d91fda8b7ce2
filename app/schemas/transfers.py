"""The lines of an export: one JSON object each, whose `type` names the schema.

A line refers only to earlier lines: settings, members, categories (parents first), clusters, and then for each document
its texts, its versions, its threads and last the document itself. The first line names the format, and the last one
says how many there are, so that an export that was cut short is noticed.
"""

from typing import Any

from marshmallow.fields import Field

from app.schemas.briefs import BriefFields
from app.schemas.checks import full_match, not_blank
from app.schemas.documents import PublishedChanges, document_key
from app.schemas.generation import GenerationFields
from app.schemas.intents import MAX_MARKDOWN
from app.schemas.named import DraftCategoryFields, DraftClusterFields, MemberFields
from app.schemas.projects import MAX_VIEWS, ProjectChanges, ViewFields
from app.schemas.slugs import MAX_PAST_SLUGS, document_slug
from app.schemas.types import (
    DateString,
    EnumString,
    List,
    Nested,
    Schema,
    StrictBoolean,
    StrictInteger,
    StrictString,
    StringList,
    TimeString,
)
from app.vocabulary import (
    ActorType,
    BriefState,
    DisclosureValue,
    DocumentStatus,
    Role,
    ThreadLevel,
    ThreadOutcome,
    ThreadState,
    WriterKind,
)

CONTEXT = 32
"""The most characters that are stored before and after the passage of a thread."""
MOST_MODELS = 10_000
FORMAT = 1
"""The version of the format; an import refuses any other."""


_hex_id = full_match("[0-9a-f]{24}", "Must be an id of 24 hexadecimal digits.")


def _id(description: str, *, null: bool = False) -> StrictString:
    return StrictString(24, _hex_id, description=description, required=not null)


def _time(description: str, *, null: bool = False) -> TimeString:
    return TimeString(description=description, required=not null)


class ActorLine(Schema):
    """Who made a change."""

    type = EnumString(ActorType, description="the kind of actor", required=True)
    id = _id("the token's id", null=True)
    name = StrictString(300, description="the token's name", required=True)
    agent = StrictString(300, description="the agent", required=True)


def _actor(description: str, *, null: bool = False) -> Nested:
    return Nested(ActorLine, description=description, required=not null)


class HeadLine(Schema):
    """The first line: the version of the format."""

    version = StrictInteger(FORMAT, FORMAT, description="the version of the format", required=True)


class EndLine(Schema):
    """The last line: how many there are before it."""

    lines = StrictInteger(1, description="the number of lines before this one", required=True)


class ProjectLine(ProjectChanges):
    """The project's settings and saved views; a copy of it tells nobody of anything."""

    views = List(Nested(ViewFields, allow_none=False), MAX_VIEWS, description="the saved views")

    class Meta(Schema.Meta):
        exclude = ("slack",)


class MemberLine(MemberFields):
    """A member; deleted ones are exported too, since records refer to them."""

    id = _id("the member's id")
    role = EnumString(Role, description="descriptive: permissions are the token's", required=True)
    createdAt = _time("when they were added")
    deletedAt = _time("when they were deleted", null=True)


class RecordLine(Schema):
    """The fields of every record that tokens create."""

    id = _id("its id")
    createdAt = _time("when it was created")
    updatedAt = _time("when it last changed")
    createdBy = _actor("who created it")


class CategoryLine(RecordLine, DraftCategoryFields):
    """A category."""


class ClusterLine(RecordLine, DraftClusterFields):
    """A cluster."""


class BodyLine(Schema):
    """A text of a document."""

    id = _id("the text's id")
    documentId = _id("the document's id")
    text = StrictString(MAX_MARKDOWN, description="markdown", required=True)


class PublishedLine(PublishedChanges):
    """The fields of a document that are published."""

    title = StrictString(300, not_blank, description="the title", required=True)
    slug = StrictString(200, document_slug, description="the slug", required=True)
    categoryId = _id("the category", null=True)


def _counts(*names: str) -> Nested:
    fields: dict[str, Field[Any]] = {name: StrictInteger(0, required=True) for name in names}
    return Nested(Schema.from_dict(fields, name="Counts"), required=True)


class ReviewRecordLine(Schema):
    """The record of a review."""

    sha256 = StrictString(64, full_match("[0-9a-f]{64}", "Must be 64 hexadecimal digits."), required=True)
    by = _actor("who approved")
    at = StrictString(100, description="when they approved", required=True)
    facts = StrictBoolean(description="whether facts were checked", required=True)
    sources = StrictBoolean(description="whether sources were checked", required=True)
    examined = StrictString(2_000, description="what was examined", required=True)
    responsible = StrictString(200, description="who answers for it", required=True)
    people = StrictInteger(0, description="words of people", required=True)
    agents = StrictInteger(0, description="words of agents", required=True)
    models = StringList(MOST_MODELS, 200, description="the models", required=True)
    threads = _counts("resolved", "accepted", "rejected")
    checks = _counts("passed", "failed")
    disclosure = EnumString(DisclosureValue, description="what is to be disclosed", required=True)


class RevisionLine(PublishedLine):
    """A version of a document."""

    documentId = _id("the document's id")
    version = StrictInteger(1, description="the version", required=True)
    bodyId = _id("its text; null for none", null=True)
    wordCount = StrictInteger(0, description="words of the text", required=True)
    at = _time("when it was written")
    by = _actor("who wrote it")
    kind = EnumString(WriterKind, description="whether an agent or a person wrote it")
    generation = Nested(GenerationFields, description="what they say that they used")
    suggestedBy = _actor("the agent whose suggestion was accepted", null=True)
    review = Nested(ReviewRecordLine, description="the record of its review")


class SnapshotLine(PublishedLine):
    """The delivered state of a document; the import renders its html."""

    version = StrictInteger(1, description="the delivered version", required=True)
    markdownId = _id("the text that is delivered")
    publishedAt = _time("when it went live")
    updatedAt = _time("when it was last published")


class PastSlugLine(Schema):
    """A slug that a document was delivered under before."""

    slug = StrictString(200, document_slug, description="the slug", required=True)
    at = _time("when it stopped being delivered under it")


class ReviewLine(Schema):
    """A request for changes."""

    note = StrictString(5_000, description="the note", required=True)
    at = _time("when it was made")
    by = _actor("who made it")


class BriefLine(BriefFields):
    """A brief with its state."""

    state = EnumString(BriefState, description="the state", required=True)
    claimedBy = _actor("who claimed it", null=True)
    claimedAt = _time("when it was claimed", null=True)
    claimExpiresAt = _time("when the claim's lease expires", null=True)
    leaseSeconds = StrictInteger(0, description="the claim's lease", allow_none=True)


class QuoteLine(Schema):
    """The passage that a thread is about."""

    exact = StrictString(2_000, description="the passage", required=True)
    prefix = StrictString(CONTEXT, description="what stood before it", required=True)
    suffix = StrictString(CONTEXT, description="what stood after it", required=True)


class CommentLine(Schema):
    """A comment of a thread."""

    id = _id("its id")
    at = _time("when it was written")
    by = _actor("who wrote it")
    text = StrictString(5_000, description="the comment", required=True)


class ThreadLine(Schema):
    """A review thread of a document."""

    id = _id("its id")
    documentId = _id("the document's id")
    version = StrictInteger(1, description="the version that it was opened on", required=True)
    level = EnumString(ThreadLevel, description="how much it matters", required=True)
    state = EnumString(ThreadState, description="the state", required=True)
    quote = Nested(QuoteLine, description="the passage that it is about")
    place = StrictInteger(0, description="where the passage begins in that version", allow_none=True)
    suggestion = StrictString(20_000, description="what to replace it with")
    outcome = EnumString(ThreadOutcome, description="what became of the suggestion")
    comments = List(Nested(CommentLine, allow_none=False), 100, description="the comments", required=True)
    openedBy = _actor("who opened it")
    byAgent = StrictBoolean(description="whether an agent opened it", allow_none=True)
    resolvedAt = _time("when it was resolved", null=True)
    resolvedBy = _actor("who resolved it", null=True)
    createdAt = _time("when it was opened")
    updatedAt = _time("when it last changed")
    rev = StrictInteger(1, description="how often it was written", required=True)


class DocumentLine(RecordLine, PublishedLine):
    """A document."""

    key = document_key(description="its key; null without one")
    status = EnumString(DocumentStatus, description="the status", required=True)
    statusBefore = EnumString(DocumentStatus, description="the status before it was scheduled")
    assigneeId = _id("the member who works on it", null=True)
    authorId = _id("its author", null=True)
    clusterId = _id("its cluster", null=True)
    dueDate = DateString(description="when the document is due")
    version = StrictInteger(1, description="the version", required=True)
    contentId = _id("its text; null for none", null=True)
    wordCount = StrictInteger(0, description="words of the text", required=True)
    contentUpdatedAt = _time("when the text last changed")
    contentUpdatedBy = _actor("who last changed the text")
    publishAt = _time("when it will be published", null=True)
    isPublished = StrictBoolean(description="whether it is delivered")
    snapshot = Nested(SnapshotLine, description="the delivered state")
    pastSlugs = List(
        Nested(PastSlugLine, allow_none=False), MAX_PAST_SLUGS, description="its slugs before, the latest first"
    )
    deletedAt = _time("when it was moved to the trash", null=True)
    reviewNote = StrictString(5_000, description="the last note of a request for changes")
    review = Nested(ReviewLine, description="the request for changes that is open")
    submittedBy = _actor("who submitted it last", null=True)
    rounds = StrictInteger(0, description="requests for changes since it was last published", allow_none=True)
    brief = Nested(BriefLine, description="the brief")


LINES: dict[str, type[Schema]] = {
    "export": HeadLine,
    "project": ProjectLine,
    "member": MemberLine,
    "category": CategoryLine,
    "cluster": ClusterLine,
    "body": BodyLine,
    "revision": RevisionLine,
    "thread": ThreadLine,
    "document": DocumentLine,
    "end": EndLine,
}
"""The schema of each type of line."""
