"""What may be written to a document after it exists (decisions, section 5)."""

from marshmallow import validate

from app.fields.intents import MAX_MARKDOWN, FirstStatus
from app.fields.kinds import (
    Fields,
    Text,
    Words,
    calendar_date,
    checked,
    day,
    flag,
    http_url,
    ids,
    not_blank,
    text,
    timestamp,
    whole,
    word,
)
from app.fields.queries import Page
from app.fields.slugs import document_slug
from app.vocabulary import BriefState, DocumentStatus

SORTS = tuple(f"{order}{key}" for key in ("updatedAt", "createdAt", "dueDate", "title") for order in ("-", ""))


def claimed_at() -> Text:
    """Declares the time that tells one claim from another."""
    doc = "your claim's `claimedAt`, where several agents share a token: another claim is refused"
    return checked(timestamp, doc=doc, format="date-time")


class WithBaseVersion(Fields):
    """A write that may say which version it was made from."""

    baseVersion = whole(1, doc="the `version` last read: refused with 409 when the document has another by now")


class DocumentChanges(WithBaseVersion):
    """What PATCH of a document may carry; null clears, but not title, slug and status."""

    title = text(300, not_blank, doc="the document's title", null=False)
    slug = text(200, document_slug, doc="URL slug", null=False)
    subtitle = text(300, doc="the line below the title")
    metaTitle = text(300, doc="title for search engines")
    metaDescription = text(500, doc="description for search engines")
    excerpt = text(500, doc="summary for lists; by default the first paragraph")
    coverImageUrl = text(2_000, http_url, doc="the cover image, http or https")
    categoryId = text(doc="a category's id, from the list of categories")
    clusterId = text(doc="a cluster's id, from the list of clusters")
    assigneeId = text(doc="a member's id, from the list of members")
    authorId = text(doc="a member's id, from the list of members")
    dueDate = day(doc="when the document is due")
    status = word(
        FirstStatus, doc="`idea`, `planned` or `drafting`; later statuses come from their own operations", null=False
    )


class GuardedWrite(WithBaseVersion):
    """A write that a claim of the brief protects the document from."""

    claimedAt = claimed_at()


class ContentFields(GuardedWrite):
    """What a content write carries; `baseVersion` may be sent as `If-Match` instead."""

    markdown = text(MAX_MARKDOWN, doc="the whole content as markdown", null=False, required=True)


class SubmitFields(Fields):
    """What submitting may carry."""

    claimedAt = claimed_at()


class ChangesRequest(Fields):
    """What asking for changes may carry."""

    note = text(5_000, doc="what has to change", null=False)


class ScheduleFields(WithBaseVersion):
    """What scheduling carries."""

    publishAt = text(
        100, timestamp, doc="when to publish: a timestamp with its offset, in the future", null=False, required=True
    )


class DocumentQuery(Page):
    """The filters, sorts and pages of the list of documents."""

    status = Words(DocumentStatus, metadata={"description": "comma-separated list of statuses"})
    briefState = Words(BriefState, metadata={"description": "comma-separated list of brief states"})
    categoryId = ids(doc="comma-separated list of category ids; `none` for those without")
    clusterId = ids(doc="comma-separated list of cluster ids; `none` for those without")
    assigneeId = ids(doc="comma-separated list of member ids; `none` for those without")
    isPublished = flag(doc="only those that are delivered, or only those that are not")
    dueBefore = checked(calendar_date, doc="due on this day or before, `YYYY-MM-DD`", format="date")
    dueAfter = checked(calendar_date, doc="due on this day or after, `YYYY-MM-DD`", format="date")
    updatedSince = checked(timestamp, doc="changed at this time or after, with its offset", format="date-time")
    q = text(doc="whole words of title, keyword and slug, all of them, ignoring case and accents", null=False)
    deleted = flag(doc="`true`: the trash alone")
    sort = checked(
        validate.OneOf(SORTS, error=f"Must be one of {', '.join(SORTS)}."),
        doc="what to sort by, with `-` the other way round; no due date comes last both ways",
        load_default="-updatedAt",
        enum=list(SORTS),
    )


class DiffQuery(Fields):
    """Which two versions to compare."""

    from_ = whole(1, doc="the older version", required=True, data_key="from")
    to = whole(1, doc="the newer version", required=True)
