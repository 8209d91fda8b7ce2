"""What may be written to a brief, and sent with its moves (contract: Brief)."""

from app.fields.kinds import Fields, Words, http_url, text, texts, whole, word
from app.fields.queries import Page
from app.vocabulary import BriefState, SearchIntent

LEASE_SECONDS = (60, 86_400)


class BriefFields(Fields):
    """The writable fields of a brief."""

    audience = text(500, doc="who the document is for")
    intent = word(SearchIntent, doc=f"what a searcher of the keyword wants: {', '.join(SearchIntent)}")
    internalLinks = texts(50, 500, doc="ids of documents in this project that this one should link to")
    keyword = text(200, doc="keyword to rank for")
    notes = text(5_000, doc="anything else the writer should know")
    outline = text(5_000, doc="the sections, one per line")
    referenceUrls = texts(50, 500, http_url, doc="http or https URLs of sources")
    wordCount = text(50, doc="target length as free text, like `1200-1500`")


class ClaimFields(Fields):
    """What a claim may carry (decisions, section 6)."""

    leaseSeconds = whole(
        *LEASE_SECONDS,
        doc="give the brief back by itself after so many seconds, unless renewed; by default the project's "
        "`claimLeaseSeconds`, and where it has none the claim never expires",
    )


class ClaimNextFields(ClaimFields):
    """What claiming the next brief may carry."""

    categoryId = text(doc="only briefs of documents in this category", null=False)
    clusterId = text(doc="only briefs of documents in this cluster", null=False)


class RenewFields(Fields):
    """What renewing a lease may carry."""

    leaseSeconds = whole(*LEASE_SECONDS, doc="seconds from now; the length of the present lease by default")


class BriefQuery(Page):
    """What `GET /briefs` takes."""

    state = Words(
        BriefState,
        load_default=lambda: [BriefState.READY],
        metadata={"description": "comma-separated list of brief states", "default": "ready"},
    )
