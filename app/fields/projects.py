"""What a project's settings may hold (decisions, section 5)."""

import marshmallow as ma

from app.fields.briefs import LEASE_SECONDS
from app.fields.checks import hex_id, http_url, not_blank
from app.fields.types import Schema, StrictBoolean, StrictInteger, StrictString


def site_url(value: str) -> None:
    """Checks for an http or https URL, which may say where the slug goes."""
    address = value.replace("{slug}", "slug")
    if "{" in address or "}" in address:
        raise ma.ValidationError("Only `{slug}` may stand in braces.")
    http_url(address)


class ProjectFields(Schema):
    """What creates a project; only the command line does."""

    name = StrictString(100, not_blank, description="the project's name", allow_none=False, required=True)
    teamId = StrictString(24, hex_id, description="the team that it belongs to", allow_none=False)


class ProjectChanges(Schema):
    """What PATCH of the project may carry; null clears the address and the lease."""

    name = StrictString(100, not_blank, description="the project's name", allow_none=False)
    reviewRequired = StrictBoolean(description="whether only approved documents can be published")
    siteUrl = StrictString(
        2_000, site_url, description="the website's address; may hold `{slug}`, else `/slug` is added"
    )
    claimLeaseSeconds = StrictInteger(
        *LEASE_SECONDS,
        description="lease of claims that name none; null: they never expire",
        example=3600,
        allow_none=True,
    )
