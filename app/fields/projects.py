"""What a project's settings may hold (decisions, section 5)."""

from app.fields.briefs import LEASE_SECONDS
from app.fields.kinds import Fields, flag, http_url, not_blank, text, whole


class ProjectChanges(Fields):
    """What PATCH of the project may carry; null clears the address and the lease."""

    name = text(100, not_blank, doc="the project's name", null=False)
    reviewRequired = flag(doc="publish only what was approved?")
    siteUrl = text(2_000, http_url, doc="the website's address; may hold `{slug}`, else `/slug` is added")
    claimLeaseSeconds = whole(
        *LEASE_SECONDS, doc="lease of claims that name none; null: they never expire", allow_none=True
    )
