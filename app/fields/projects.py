"""What a project's settings may hold (decisions, section 5)."""

import re

import marshmallow as ma

from app.fields.briefs import LEASE_SECONDS
from app.fields.kinds import Fields, flag, http_url, not_blank, text, whole


def hex_id(value: str) -> None:
    """Checks for an id: 24 hexadecimal digits."""
    if not re.fullmatch(r"[0-9a-fA-F]{24}", value):
        raise ma.ValidationError("Must be an id: 24 hexadecimal digits.")


def site_url(value: str) -> None:
    """Checks for an http or https URL, which may say where the slug goes."""
    address = value.replace("{slug}", "slug")
    if "{" in address or "}" in address:
        raise ma.ValidationError("Only `{slug}` may stand in braces.")
    http_url(address)


class ProjectFields(Fields):
    """What makes a project; the command line alone makes one."""

    name = text(100, not_blank, doc="the project's name", null=False, required=True)
    teamId = text(24, hex_id, doc="the team that it belongs to", null=False)


class ProjectChanges(Fields):
    """What PATCH of the project may carry; null clears the address and the lease."""

    name = text(100, not_blank, doc="the project's name", null=False)
    reviewRequired = flag(doc="publish only what was approved?")
    siteUrl = text(2_000, site_url, doc="the website's address; may hold `{slug}`, else `/slug` is added")
    claimLeaseSeconds = whole(
        *LEASE_SECONDS, doc="lease of claims that name none; null: they never expire", allow_none=True
    )
