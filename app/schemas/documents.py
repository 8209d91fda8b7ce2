"""What may be written to a document after it exists, and what reading documents takes (decisions, section 5)."""

from typing import Any

from app.schemas.checks import calendar_date, full_match, http_url, not_blank, one_of, timestamp
from app.schemas.generation import WithGeneration
from app.schemas.intents import MAX_MARKDOWN, FirstStatus
from app.schemas.queries import Page
from app.schemas.slugs import document_slug
from app.schemas.threads import MOST_OPENED, ThreadFields
from app.schemas.types import (
    DateString,
    DelimitedStrings,
    EnumList,
    EnumString,
    IdList,
    List,
    Nested,
    Schema,
    StrictBoolean,
    StrictInteger,
    StrictString,
    TimeString,
    not_empty,
)
from app.vocabulary import BriefState, DocumentStatus

SORTS = tuple(f"{order}{key}" for key in ("updatedAt", "createdAt", "dueDate", "title") for order in ("-", ""))

MAX_KEY = 200
"""The most characters of a document's key, the caller's own id of it (decisions, section 14)."""


def document_key(**options: Any) -> StrictString:
    """Declares a document's key, 1 to 200 characters, whose form the second stage checks."""
    form = full_match(r"[^,\x00-\x1f\x7f-\x9f]*", "Must not contain commas, line breaks or other control characters.")
    return StrictString(MAX_KEY, form, validate=[not_empty], **options)


def _day(description: str, **options: Any) -> StrictString:
    return StrictString(
        validate=[calendar_date],
        description=f"{description}, `YYYY-MM-DD`",
        allow_none=False,
        metadata={"format": "date"},
        **options,
    )


def _instant(description: str) -> StrictString:
    return StrictString(
        validate=[timestamp], description=description, allow_none=False, metadata={"format": "date-time"}
    )


class WithBaseVersion(Schema):
    """A write that may say which version it was made from."""

    baseVersion = StrictInteger(
        1, description="the `version` last read: refused when the document has another by now", example=1
    )


class WithClaim(Schema):
    """A write that may say which claim it was made under."""

    claimedAt = _instant("your claim's `claimedAt`, where agents share a token")


class EditedFields(Schema):
    """The fields that no draft has and that an import takes."""

    subtitle = StrictString(300, description="the line below the title", example="A week of flour and water")
    metaDescription = StrictString(500, description="description for search engines")
    excerpt = StrictString(500, description="summary for lists; by default the first paragraph")
    coverImageUrl = StrictString(2_000, http_url, description="the cover image, http or https")


class PublishedChanges(EditedFields):
    """The optional texts that are published with a document."""

    metaTitle = StrictString(300, description="title for search engines")


class DocumentChanges(WithBaseVersion, PublishedChanges):
    """What PATCH of a document may carry; null clears, but not title, slug and status."""

    title = StrictString(300, not_blank, description="the document's title", allow_none=False)
    slug = StrictString(200, document_slug, description="URL slug", allow_none=False)
    categoryId = StrictString(description="a category's id")
    clusterId = StrictString(description="a cluster's id")
    assigneeId = StrictString(description="a member's id")
    authorId = StrictString(description="a member's id")
    dueDate = DateString(description="when the document is due", example="2027-02-21")
    status = EnumString(FirstStatus, description="later statuses come from their own operations", allow_none=False)


BASE_REQUIRED = "Is required: the `version` that you read last (or send it as `If-Match`)."


class GuardedWrite(WithBaseVersion, WithClaim):
    """A write that is refused while another caller's claim of the brief guards the document.

    It has to say which version it was made from.
    """


class AcceptFields(WithClaim, WithGeneration):
    """What accepting a suggestion may carry."""


class ContentFields(GuardedWrite, WithGeneration):
    """What a content write carries; `baseVersion` may be sent as `If-Match` instead."""

    markdown = StrictString(
        MAX_MARKDOWN, description="the whole content as markdown", example="Flour, water and patience.", required=True
    )


class ReviewFields(Schema):
    """What a person attests of the text that they approve."""

    facts = StrictBoolean(description="whether you checked its facts", example=True, load_default=False)
    sources = StrictBoolean(description="whether you checked its sources", example=True, load_default=False)
    examined = StrictString(
        2_000,
        validate=[not_empty],
        description="what you examined, and how",
        example="Every step, against our own bakes.",
        allow_none=False,
    )
    responsible = StrictString(200, description="who answers for it; may hold an address", example="Ada Miller")


class ApproveFields(WithBaseVersion):
    """The body of an approval."""

    review = Nested(ReviewFields, description="the record of a person's review")


class SubmitFields(WithClaim):
    """What submitting may carry."""


class ChangesRequest(Schema):
    """The body of a request for changes."""

    note = StrictString(5_000, description="what has to change", example="Say which flour.", allow_none=False)
    threads = List(
        Nested(ThreadFields, allow_none=False),
        MOST_OPENED,
        description="threads to open, all or none",
        example=[{"text": "Say which.", "quote": {"exact": "Flour"}, "suggestion": "Wheat flour"}],
        allow_none=False,
    )
    offer = StrictBoolean(description="make the brief `ready` too, for a writer to take", example=True)


class ScheduleFields(WithBaseVersion):
    """What scheduling carries."""

    publishAt = TimeString(
        description="when to publish: a timestamp with its offset, in the future",
        example="2027-02-21T07:00:00+01:00",
        required=True,
    )


class DocumentQuery(Page):
    """The filters, sorts and pages of the list of documents."""

    status = EnumList(DocumentStatus, description="in one of these statuses")
    briefState = EnumList(BriefState, description="whose brief is in one of these states")
    categoryId = IdList(description="ids of categories; `none`: without one")
    clusterId = IdList(description="ids of clusters; `none`: without one")
    assigneeId = IdList(description="ids of members; `none`: unassigned")
    slug = DelimitedStrings(StrictString(200, allow_none=False), description="with one of these slugs")
    key = DelimitedStrings(
        StrictString(MAX_KEY, validate=[not_empty], allow_none=False), description="with one of these keys"
    )
    isPublished = StrictBoolean(description="only delivered ones, or only others")
    dueBefore = _day("due on this day or before")
    dueAfter = _day("due on this day or after")
    updatedSince = _instant("changed at this time or after, with its offset")
    q = StrictString(
        description="words of title, keyword and slug, all of them, the last one perhaps just its beginning",
        allow_none=False,
    )
    deleted = StrictBoolean(description="`true`: the trash alone")
    sort = StrictString(
        validate=[one_of(SORTS)],
        description="what to sort by, with `-` in descending order; documents without a due date come last both ways",
        allow_none=False,
        load_default="-updatedAt",
    )
    count = StrictBoolean(description="`true`: count the documents on all pages")


class VersionQuery(Schema):
    """Which version of a document (decisions, section 18)."""

    version = StrictInteger(1, description="the version to read", allow_none=False)


class DisclosureQuery(Page):
    """Which publications to list (decisions, section 18)."""

    from_ = _day("went live on this day or after", data_key="from")
    to = _day("went live on this day or before")


class DiffQuery(Schema):
    """Which two versions to compare."""

    from_ = StrictInteger(1, description="the older version", required=True, data_key="from")
    to = StrictInteger(1, description="the newer version", required=True)


class ChecksQuery(Schema):
    """Which outcomes of checks to list; over REST always all (decisions, section 8)."""

    all = StrictBoolean(description="list what passed and was skipped too")


class ContentPartQuery(Schema):
    """Which part of which version of a document's content (decisions, section 8)."""

    version = StrictInteger(1, description="the version to read; by default the present one")
    offset = StrictInteger(0, MAX_MARKDOWN, description="characters to skip", load_default=0)
    limit = StrictInteger(1, 100_000, description="most characters to return", load_default=20_000)


MAX_EDITS = 50

section_hash = full_match("[0-9a-f]{16}", "Must be 16 hexadecimal digits in lower case, as the outline gives them.")


class SectionEdit(Schema):
    """One edit of a section."""

    hash = StrictString(
        16, validate=[section_hash], description="from the outline", example="e3b0c44298fc1c14", required=True
    )
    markdown = StrictString(
        MAX_MARKDOWN,
        description="its new markdown, with the heading; empty removes it",
        example="# Dough\n\nFlour, water and patience.\n",
        required=True,
    )
    number = StrictInteger(0, description="its number, where several have this hash")
    insertAfter = StrictBoolean(description="insert after it instead")


class ContentEdits(WithClaim, WithGeneration):
    """What an edit of content carries; all edits name sections of the content as it is before."""

    edits = List(Nested(SectionEdit, allow_none=False), MAX_EDITS, min_items=1, description="the edits", required=True)
