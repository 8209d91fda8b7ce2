"""What a webhook may hold, and what its log takes (decisions, section 9)."""

from typing import Any

from marshmallow import validate

from app.fields.kinds import Fields, Words, flag, http_url, text, texts
from app.fields.queries import Page
from app.vocabulary import EVENT_TYPES, DeliveryStatus

MAX_URL = 2_000


def _url(**options: Any) -> Any:
    doc = "where to send: an https URL of a public host, without a user name"
    return text(MAX_URL, http_url, doc=doc, null=False, format="uri", **options)


class WebhookFields(Fields):
    """What makes a webhook."""

    url = _url(required=True)
    events = texts(
        len(EVENT_TYPES),
        100,
        validate.OneOf(EVENT_TYPES, error="Must be the type of an event."),
        doc="the types of event to send; absent or empty: all of them, also those that come to be",
    )
    description = text(doc="what the webhook is for")


class WebhookChanges(WebhookFields):
    """What PATCH of a webhook may carry."""

    url = _url()
    enabled = flag(doc="true sends again what happens from now on, also after the service disabled the webhook")


class DeliveryQuery(Page):
    """Which deliveries to list."""

    status = Words(
        DeliveryStatus, metadata={"description": "those with one of these, comma-separated"}, load_default=list
    )
