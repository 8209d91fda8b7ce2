"""Schemas of a brief, and of the requests that claim one (contract: Brief)."""

from app.core.schemas.fields import EnumList, Schema, StrictInteger, StrictString
from app.core.schemas.queries import Page
from app.core.vocabulary import BriefState
from app.projects.schemas import LEASE_SECONDS


class ClaimFields(Schema):
    """Body of `POST /documents/:id/brief/claim` (decisions, sections 6 and 12)."""

    leaseSeconds = StrictInteger(
        *LEASE_SECONDS,
        description="until the claim ends; by default the project's, or never",
        example=3600,
    )


class ClaimNextFields(ClaimFields):
    """Body of `POST /briefs/claim`."""

    categoryId = StrictString(description="of this category", allow_none=False)
    clusterId = StrictString(description="of this cluster", allow_none=False)


class RenewFields(Schema):
    """Body of `POST /documents/:id/brief/renew`."""

    leaseSeconds = StrictInteger(*LEASE_SECONDS, description="from now; by default as before", example=3600)


class BriefQuery(Page):
    """The filters and pages of the list of briefs."""

    state = EnumList(
        BriefState,
        load_default=lambda: [BriefState.READY],
        description="in these states",
        metadata={"default": ["ready"]},
    )
