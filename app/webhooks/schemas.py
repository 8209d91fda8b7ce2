"""Schemas of webhooks, and of the query of their log (decisions, section 9)."""

from enum import StrEnum

from app.core.schemas.fields import MAX_LISTED, WORDS, EnumList, List, Schema, StrictBoolean, StrictString
from app.core.schemas.queries import Page
from app.core.schemas.validation import http_url


class DeliveryStatus(StrEnum):
    """How far a webhook's delivery got (decisions, section 9)."""

    PENDING = "pending"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


MAX_URL = 2_000
_URL = "an https URL of a public host"


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
        description="the types of event to send; by default all",
        example=["document.published"],
    )
    description = StrictString(description="what the webhook is for", example="The website")


class WebhookChanges(WebhookFields):
    """Body of `PATCH /webhooks/:id`."""

    url = StrictString(MAX_URL, http_url, description=_URL, allow_none=False, metadata={"format": "uri"})
    enabled = StrictBoolean(description="whether events are sent")


class DeliveryQuery(Page):
    """Which deliveries to list."""

    status = EnumList(DeliveryStatus, description="only those with one of these statuses", load_default=list)
