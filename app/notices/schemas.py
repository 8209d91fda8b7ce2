"""The query of the inbox, and the notification settings of members (decisions, section 19)."""

from app.core.schemas.fields import EnumString, Nested, Schema, StrictBoolean, StrictInteger, StrictString
from app.core.schemas.validation import http_url
from app.notices.vocabulary import Digest

MASK = "…"
"""Prefix of a masked Slack address, before its last four characters."""


def slack_url(value: str) -> None:
    """Checks for a URL; a masked one means the address that is set."""
    if not value.startswith(MASK):
        http_url(value)


class Slack(StrictString):
    """The address of an incoming webhook of Slack."""

    def __init__(self) -> None:
        super().__init__(
            2_000,
            slack_url,
            description="a Slack webhook's https URL",
            example="https://hooks.slack.com/services/T0/B0/x",
        )


class InboxQuery(Schema):
    """Whose inbox to list."""

    memberId = StrictString(description="theirs and everybody's; by default all", allow_none=False)


class InboxPage(InboxQuery):
    """Whose inbox to list over MCP, and how much of it."""

    limit = StrictInteger(1, 200, description="most items to return", load_default=50)


class CalendarFields(Schema):
    """Whose calendar to subscribe to."""

    everybody = StrictBoolean(description="all documents instead of your own", allow_none=False)


class NotifyFields(Schema):
    """How a member is told of what waits for them; what is not sent stays."""

    email = StrictBoolean(description="by e-mail")
    slack = Slack()
    digest = EnumString(Digest, description="when", allow_none=False)
    hour = StrictInteger(0, 23, description="of the daily one, UTC", example=7)


class NotifiedMember(Schema):
    """The setting of a member."""

    notify = Nested(NotifyFields, description="how they are told; merged", allow_none=False)


class NoticeSettings(Schema):
    """The setting of a project."""

    slack = Slack()
