"""The rules of the lines of an export besides the types of their fields: those of the requests that write the same."""

from app.core.schemas.fields import ComposedString, DateString, List, Nested, Schema, StrictString, StringList
from app.core.schemas.validation import full_match, not_blank
from app.core.slugs import MAX_PAST_SLUGS, document_slug
from app.documents.schemas import (
    MAX_MARKDOWN,
    BriefFields,
    ChangesRequest,
    EditedFields,
    PublishedChanges,
    document_key,
)
from app.images.rules import KEY
from app.images.schemas import ImageChanges
from app.intents.schemas import DraftDocumentFields
from app.projects.schemas import MAX_VIEWS, ProjectChanges, ViewFields
from app.provenance.schemas import ReviewFields, WithGeneration
from app.review.schemas import MOST_COMMENTS, ReplyFields, ThreadFields
from app.sources.rules import MOST_SOURCES
from app.sources.schemas import NewSource


class ProjectRules(ProjectChanges):
    """The project's settings and saved views."""

    views = List(Nested(ViewFields, allow_none=False), MAX_VIEWS)


class ImageRules(ImageChanges):
    """A picture."""

    key = StrictString(26, full_match(KEY, "Must be 26 letters and digits of base 32."), required=True)


class BodyRules(Schema):
    """A text of a document."""

    text = StrictString(MAX_MARKDOWN, required=True)


class PublishedRules(PublishedChanges):
    """The fields of a document that are published."""

    title = StrictString(300, not_blank, required=True)
    slug = ComposedString(200, document_slug, required=True)


class ReviewRules(ReviewFields):
    """The record of a review; projects may leave open what was examined."""

    examined = StrictString(2_000)


class RevisionRules(PublishedRules, WithGeneration):
    """A version of a document."""

    review = Nested(ReviewRules)


class PastSlugRules(Schema):
    """A slug that a document was delivered under."""

    slug = ComposedString(200, document_slug, required=True)


class ThreadRules(ThreadFields):
    """A review thread of a document; its text is the first comment."""

    comments = List(Nested(ReplyFields, allow_none=False), MOST_COMMENTS)

    class Meta(Schema.Meta):
        exclude = ("text", "level")


class SourceRules(NewSource):
    """A source of a document."""


class SnapshotRules(PublishedRules):
    """What is delivered of a document."""

    sources = List(Nested(NewSource, allow_none=False), MOST_SOURCES)


class DocumentRules(PublishedRules):
    """A document."""

    key = document_key()
    dueDate = DateString(description="when the document is due")
    reviewNote = StrictString(5_000)
    brief = Nested(BriefFields)
    review = Nested(ChangesRequest)
    snapshot = Nested(SnapshotRules)
    pastSlugs = List(Nested(PastSlugRules, allow_none=False), MAX_PAST_SLUGS)


class MovedFields(EditedFields):
    """The fields of a document that was published elsewhere before."""

    authors = StringList(
        50, 300, not_blank, description="names or e-mail addresses; the first of a member is its author"
    )
    aliases = List(
        ComposedString(200, document_slug, allow_none=False), MAX_PAST_SLUGS, description="slugs that redirect to it"
    )


class ImportedFields(MovedFields, DraftDocumentFields):
    """One document, with its category and its author by name."""

    category = StrictString(
        200, not_blank, description="the name or slug of its category, which is created where it is missing"
    )


class ImportFields(Schema):
    """A batch of documents."""

    documents = List(Nested(ImportedFields, allow_none=False), 10_000, required=True)
