"""What may be written to a brief, and sent with its moves (contract: Brief)."""

from app.schemas.checks import http_url
from app.schemas.queries import Page
from app.schemas.types import EnumList, EnumString, Schema, StrictBoolean, StrictInteger, StrictString, StringList
from app.vocabulary import BriefState, SearchIntent

LEASE_SECONDS = (60, 86_400)
_INTENT = "what a searcher of the keyword wants"


class BriefFields(Schema):
    """The writable fields of a brief."""

    audience = StrictString(500, description="who the document is for", example="People who bake their first loaf")
    intent = EnumString(SearchIntent, description=_INTENT, example="informational")
    internalLinks = StringList(50, 500, description="ids of documents in this project that this one should link to")
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


class ClaimFields(Schema):
    """What a claim may carry (decisions, sections 6 and 12)."""

    packet = StrictBoolean(description="answer with the work packet too, as `packet`", example=True)

    leaseSeconds = StrictInteger(
        *LEASE_SECONDS,
        description="seconds until the claim ends unless it is renewed; by default the project's `claimLeaseSeconds`, "
        "or never",
        example=3600,
    )


class ClaimNextFields(ClaimFields):
    """What claiming the next brief may carry."""

    categoryId = StrictString(description="only briefs of documents in this category", allow_none=False)
    clusterId = StrictString(description="only briefs of documents in this cluster", allow_none=False)


class RenewFields(Schema):
    """What renewing a lease may carry."""

    leaseSeconds = StrictInteger(
        *LEASE_SECONDS, description="seconds from now; the length of the present lease by default", example=3600
    )


class BriefQuery(Page):
    """The filters and pages of the list of briefs."""

    state = EnumList(
        BriefState,
        load_default=lambda: [BriefState.READY],
        description="whose brief is in one of these states",
        metadata={"default": ["ready"]},
    )
