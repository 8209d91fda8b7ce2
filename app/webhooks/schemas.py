"""Schemas of webhooks, and of the query of their log (decisions, section 9)."""

import re
from enum import StrEnum

import marshmallow as ma

from app.core.schemas.fields import MAX_LISTED, WORDS, EnumList, List, Schema, StrictBoolean, StrictString, StringTable
from app.core.schemas.queries import Page
from app.core.schemas.validation import http_url
from app.webhooks.rules import DELIVERY_CHANGED


class DeliveryStatus(StrEnum):
    """How far a webhook's delivery got (decisions, section 9)."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


MAX_URL = 2_000
_URL = "an https URL of a public host"


HIDDEN = "…"
"""Shown in place of the value of a header."""
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OWN = re.compile(r"host|content-.*|webhook-.*|connection|transfer-encoding|te|trailer|upgrade|expect|keep-alive")
"""Names that the service sends itself, and those that would change how a message is read."""


def header_name(name: str) -> None:
    """Checks for the name of a header that a webhook may have."""
    if not _NAME.fullmatch(name):
        raise ma.ValidationError("The name of a header has letters, digits and `-`, like `Authorization`.")
    if _OWN.fullmatch(name.lower()):
        raise ma.ValidationError("The service itself sends this header, or does without it: leave it out.")


def header_value(value: str) -> None:
    """Checks for the value of a header, or the sign for one that is stored."""
    if value != HIDDEN and not re.fullmatch(r"[!-~]([ -~]*[!-~])?", value):
        raise ma.ValidationError("The value of a header has visible characters of ASCII, and spaces between them.")


class WebhookFields(Schema):
    """Body of `POST /webhooks`."""

    url = StrictString(
        MAX_URL,
        http_url,
        description=_URL,
        example="https://hooks.example.org/content",
        required=True,
        metadata={"format": "uri"},
    )
    events = List(
        StrictString(100, allow_none=False, metadata={WORDS: "message_types"}),
        MAX_LISTED,
        description=f"the types of event to send; by default all but `{DELIVERY_CHANGED}`",
        example=["document.published"],
    )
    description = StrictString(description="what the webhook is for", example="The website")
    headers = StringTable(
        StrictString(100, header_name, allow_none=False),
        StrictString(2_000, header_value, allow_none=False),
        10,
        description=f"headers to send along, at most 10, replaced whole; `{HIDDEN}` leaves a value as it is",
        example={"Authorization": "Bearer c2VjcmV0"},
    )


class WebhookChanges(WebhookFields):
    """Body of `PATCH /webhooks/:id`."""

    url = StrictString(MAX_URL, http_url, description=_URL, allow_none=False, metadata={"format": "uri"})
    enabled = StrictBoolean(description="whether events are sent")


class DeliveryQuery(Page):
    """Which deliveries to list."""

    status = EnumList(DeliveryStatus, description="only those with one of these statuses", load_default=list)
