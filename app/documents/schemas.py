"""Schemas of writes to an existing document, and of queries that read documents (decisions, section 5)."""

from enum import StrEnum
from typing import Any

import marshmallow as ma

from app.core.schemas.fields import (
    MAX_LISTED,
    ComposedString,
    DateString,
    DelimitedStrings,
    EnumList,
    EnumString,
    IdList,
    Schema,
    StrictBoolean,
    StrictInteger,
    StrictString,
    StringList,
    TimeString,
    not_empty,
)
from app.core.schemas.loading import Fields
from app.core.schemas.queries import Page, PartQuery, ShortRecords
from app.core.schemas.validation import calendar_date, full_match, http_url, not_blank, one_of
from app.core.slugs import document_slug
from app.core.times import timestamp
from app.core.vocabulary import BriefState, DocumentStatus, SearchIntent

MAX_MARKDOWN, MAX_EXCERPT = 2_097_152, 500


class ContentPartQuery(Schema):
    """Which part of which version of a document's content (decisions, section 8)."""

    version = StrictInteger(1, description="the version to read; by default the present one")
    offset = StrictInteger(0, MAX_MARKDOWN, description="characters to skip", load_default=0)
    limit = StrictInteger(1, 100_000, description="most characters to return", load_default=20_000)


SORTS = tuple(f"{order}{key}" for key in ("updatedAt", "createdAt", "dueDate", "title") for order in ("-", ""))


MAX_KEY = 200
"""Maximum number of characters of a document's key, the caller's own id of it (decisions, section 14)."""


def document_key(**options: Any) -> StrictString:
    """Declares a document's key, 1 to 200 characters, whose form the second stage checks."""
    form = full_match(r"[^,\x00-\x1f\x7f-\x9f]*", "Must not contain commas, line breaks or other control characters.")
    return StrictString(MAX_KEY, form, validate=[not_empty], **options)


def day(description: str, **options: Any) -> StrictString:
    return StrictString(
        validate=[calendar_date],
        description=f"{description}, `YYYY-MM-DD`",
        allow_none=False,
        metadata={"format": "date"},
        **options,
    )


def instant(description: str) -> StrictString:
    return StrictString(
        validate=[timestamp], description=description, allow_none=False, metadata={"format": "date-time"}
    )


class WithBaseVersion(Schema):
    """A write that may say which version it was made from."""

    baseVersion = StrictInteger(1, description="the `version` last read", example=1)


class WithClaim(Schema):
    """A write that may say which claim it was made under."""

    claimedAt = instant("your claim's")


class PageTexts(Schema):
    """Texts of a document's page."""

    subtitle = StrictString(300, description="the line below the title", example="A week of flour and water")
    metaDescription = StrictString(500, description="description for search engines")
    coverImageUrl = StrictString(2_000, http_url, description="the cover image, http or https")


class EditedFields(PageTexts):
    """The fields that no draft has and that an import takes."""

    excerpt = StrictString(MAX_EXCERPT, description="summary; by default the first paragraph")


class PublishedChanges(EditedFields):
    """The optional texts that are published with a document."""

    metaTitle = StrictString(300, description="for search engines")


class FirstStatus(StrEnum):
    """The statuses that a document may begin in."""

    IDEA = DocumentStatus.IDEA
    PLANNED = DocumentStatus.PLANNED
    DRAFTING = DocumentStatus.DRAFTING


class Filing(Schema):
    """Where a document belongs, and to whom."""

    categoryId = StrictString(description="a category's id")
    clusterId = StrictString(description="a cluster's id")
    assigneeId = StrictString(description="a member's id")
    authorId = StrictString(description="a member's id")


class DocumentChanges(WithBaseVersion, PublishedChanges, Filing):
    """Body of `PATCH /documents/:id`; null clears a field, except title, slug and status."""

    title = StrictString(300, not_blank, description="the document's title", allow_none=False)
    slug = ComposedString(200, document_slug, description="URL slug", allow_none=False)
    dueDate = DateString(description="when", example="2027-02-21")
    status = EnumString(FirstStatus, description="later ones have operations of their own", allow_none=False)


BASE_REQUIRED = "Is required: the `version` that you read last (or send it as `If-Match`)."


class GuardedWrite(WithBaseVersion, WithClaim):
    """A write that is refused while another caller's claim of the brief guards the document.

    It has to say which version it was made from.
    """


class ContentFields(GuardedWrite):
    """Body of `PUT /documents/:id/content`; `baseVersion` may be sent as `If-Match` instead."""

    markdown = StrictString(
        MAX_MARKDOWN, description="the whole text", example="Flour, water and patience.", required=True
    )


class SubmitFields(WithClaim):
    """Body of `POST /documents/:id/submit`."""


class ApproveFields(WithBaseVersion):
    """The body of an approval."""


class ChangesRequest(Schema):
    """The body of a request for changes."""

    note = StrictString(5_000, description="what has to change", example="Say which flour.", allow_none=False)


class ScheduleFields(WithBaseVersion):
    """Body of `POST /documents/:id/schedule`."""

    publishAt = TimeString(
        description="when to publish: a timestamp with its offset, in the future",
        example="2027-02-21T07:00:00+01:00",
        required=True,
    )


class PublishFields(WithBaseVersion):
    """Body of `POST /documents/:id/publish`."""

    publishedAt = TimeString(description="for a text that went live elsewhere before: when, in the past")
    keepPublishedAt = StrictBoolean(description="`true`: published again, it keeps when it first went live")


class DatedFields(Schema):
    """When a document went live."""

    publishedAt = TimeString(description="when it went live elsewhere", required=True)


class DocumentQuery(Page):
    """The filters, sorts and pages of the list of documents."""

    status = EnumList(DocumentStatus, description="in one of these statuses")
    briefState = EnumList(BriefState, description="whose brief is in one of these states")
    categoryId = IdList(description="ids of categories; `none`: without one")
    clusterId = IdList(description="ids of clusters; `none`: without one")
    assigneeId = IdList(description="ids of members; `none`: unassigned")
    slug = DelimitedStrings(ComposedString(200, allow_none=False), description="with one of these slugs")
    key = DelimitedStrings(
        ComposedString(MAX_KEY, validate=[not_empty], allow_none=False), description="with one of these keys"
    )
    isPublished = StrictBoolean(description="only delivered ones, or only others")
    dueBefore = day("due on this day or before")
    dueAfter = day("due on this day or after")
    updatedSince = instant("changed at this time or after, with its offset")
    q = StrictString(
        description="words of title, keyword and slug",
        allow_none=False,
    )
    deleted = StrictBoolean(description="`true`: the trash alone")
    sort = StrictString(
        validate=[one_of(SORTS)],
        description="with `-` descending; without a due date last both ways",
        allow_none=False,
        load_default="-updatedAt",
    )
    count = StrictBoolean(description="`true`: count the documents on all pages")

    @ma.post_load(pass_original=True)
    def _all_that_are_named(self, data: Fields, original: Fields, **options: Any) -> Fields:
        """Returns as many documents as keys or slugs are named, unless the request has a `limit`."""
        named = "limit" not in original and data.keys() & {"key", "slug"}
        return {**data, "limit": MAX_LISTED} if named else data


class ListQuery(ShortRecords, DocumentQuery):
    """The filters over MCP, where the list has short records."""


class DiffQuery(Schema):
    """Which two versions to compare."""

    from_ = StrictInteger(1, description="the older version", required=True, data_key="from")
    to = StrictInteger(1, description="the newer version", required=True)


class DiffPartQuery(DiffQuery, PartQuery):
    """Which two versions to compare over MCP, and which part of that to read."""


_INTENT = "what a searcher of the keyword wants"


class BriefFields(Schema):
    """The writable fields of a brief."""

    audience = StrictString(500, description="who the document is for", example="People who bake their first loaf")
    intent = EnumString(SearchIntent, description=_INTENT, example="informational")
    internalLinks = StringList(50, 500, description="ids of documents to link to")
    keyword = StrictString(200, description="keyword to rank for", example="sourdough starter")
    notes = StrictString(
        5_000, description="anything else the writer should know", example="Say plainly that a week is enough."
    )
    outline = StrictString(
        5_000, description="the sections, one per line", example="What a starter is\nDay by day\nWhen it fails"
    )
    referenceUrls = StringList(
        50, 500, http_url, description="http or https URLs of sources", example=["https://example.org/wild-yeast"]
    )
    wordCount = StrictString(50, description="target length as free text, like `1200-1500`", example="1200-1500")


class DraftBriefFields(BriefFields):
    """The brief of a document draft."""

    intent = EnumString(SearchIntent, in_draft=True, description=_INTENT, example="informational")
