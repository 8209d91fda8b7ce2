"""What may be written to a document after it exists (decisions, section 5)."""

from app.fields.intents import MAX_MARKDOWN, FirstStatus
from app.fields.kinds import Fields, day, http_url, not_blank, text, url_segment, whole, word


class WithBaseVersion(Fields):
    """A write that may say which version it was made from."""

    baseVersion = whole(1, doc="the `version` last read: refused with 409 when the document has another by now")


class DocumentChanges(WithBaseVersion):
    """What PATCH of a document may carry; null clears, but not title, slug and status."""

    title = text(300, not_blank, doc="the document's title", null=False)
    slug = text(200, url_segment, doc="URL slug", null=False)
    subtitle = text(300, doc="the line below the title")
    metaTitle = text(300, doc="title for search engines")
    metaDescription = text(500, doc="description for search engines")
    excerpt = text(500, doc="summary for lists; by default the first paragraph")
    coverImageUrl = text(2_000, http_url, doc="the cover image, http or https")
    categoryId = text(doc="a category's id (`GET /categories`)")
    clusterId = text(doc="a cluster's id (`GET /clusters`)")
    assigneeId = text(doc="a member's id (`GET /members`)")
    authorId = text(doc="a member's id (`GET /members`)")
    dueDate = day(doc="when the document is due")
    status = word(FirstStatus, doc="`idea`, `planned` or `drafting`; later statuses come from their own operations", null=False)


class ContentFields(Fields):
    """What a content write carries."""

    markdown = text(MAX_MARKDOWN, doc="the whole content as markdown", null=False, required=True)
    baseVersion = whole(1, doc="the `version` last read (or send `If-Match`)", required=True)
    claimedAt = text(100, doc="your claim's `claimedAt`, where several agents share a token", null=False)
