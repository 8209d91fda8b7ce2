"""The figures of a project as callers see them (decisions, section 14)."""

from typing import TypedDict

from marshmallow import fields

from app.fields.types import EXAMPLE
from app.records.types import EXAMPLE_TIME, Record, date, integer, nested, nested_list, record_id, string, timestamp
from app.rules.insights import STATES, STATUSES


def _seconds(doc: str) -> fields.Float:
    return fields.Float(required=True, allow_none=True, metadata={"description": doc, EXAMPLE: 3_600.5})


class DayFigures(Record):
    """What happened on a day."""

    date = date("the day", null=False)
    created = integer("documents created")
    claimed = integer("briefs claimed")
    submitted = integer("documents submitted")
    approved = integer("documents approved")
    published = integer("documents published, publishing again too")


class DurationFigures(Record):
    """How long a step took."""

    count = integer("how often it was finished")
    p50 = _seconds("seconds that half of them took at most, right to 10 %; null without any")
    p90 = _seconds("seconds that nine of ten took at most, right to 10 %; null without any")


class DurationsRecord(Record):
    """How long each step took, from its latest start to the next end."""

    readyToClaimed = nested(DurationFigures, "from an offer of the brief to its claim")
    claimedToSubmitted = nested(DurationFigures, "from the claim to the submission")
    submittedToApproved = nested(DurationFigures, "from the submission to the approval")
    approvedToPublished = nested(DurationFigures, "from the approval to the publication")


class AgentFigures(Record):
    """What became of the briefs that a token claimed."""

    id = record_id("the token's id")
    name = string("the token's name at its last claim", example="Night writer")
    agent = string("the agent that used it; empty for none", example="writer-1")
    claimed = integer("briefs claimed")
    submitted = integer("documents submitted")
    expired = integer("claims whose lease expired")
    released = integer("claims released or withdrawn, by itself or others")
    changesRequested = integer("requests for changes")
    approved = integer("documents approved")


StatusCounts = Record.from_dict({name: integer(f"documents in `{name}`") for name in STATUSES}, name="StatusCounts")
BriefCounts = Record.from_dict({name: integer(f"briefs in `{name}`") for name in STATES}, name="BriefCounts")


class DayStatuses(Record):
    """How many documents had each status at the end of a day."""

    date = date("the day", null=False)
    statuses = nested(StatusCounts, "documents outside the trash by status")


class InsightsRecord(Record):
    """How the project works."""

    from_ = date("the first day", null=False, data_key="from")
    to = date("today", null=False)
    statuses = nested(StatusCounts, "documents outside the trash by status, now")
    statusesByDay = nested_list(DayStatuses, "documents by status at the end of each day, oldest first; now for today")
    briefs = nested(BriefCounts, "documents outside the trash by the state of their brief, now; none without a brief")
    overdue = integer("documents due before today and not published")
    oldestReady = timestamp(
        "when the ready brief that has waited longest was last offered", null=True, example=EXAMPLE_TIME
    )
    days = nested_list(DayFigures, "every day, oldest first")
    durations = nested(DurationsRecord, "steps that ended on these days")
    agents = nested_list(AgentFigures, "tokens that claimed, those with the most claims first")


class ShownDay(TypedDict):
    """What happened on a day, as callers see it."""

    date: str
    created: int
    claimed: int
    submitted: int
    approved: int
    published: int


class ShownDuration(TypedDict):
    """How long a step took, as callers see it; in seconds."""

    count: int
    p50: float | None
    p90: float | None


class ShownAgent(TypedDict):
    """What became of the briefs that a token claimed, as callers see it."""

    id: str
    name: str
    agent: str
    claimed: int
    submitted: int
    expired: int
    released: int
    changesRequested: int
    approved: int


class ShownStatuses(TypedDict):
    """How many documents had each status at the end of a day, as callers see it."""

    date: str
    statuses: dict[str, int]


ShownInsights = TypedDict(
    "ShownInsights",
    {
        "from": str,
        "to": str,
        "statuses": dict[str, int],
        "statusesByDay": list[ShownStatuses],
        "briefs": dict[str, int],
        "overdue": int,
        "oldestReady": str | None,
        "days": list[ShownDay],
        "durations": dict[str, ShownDuration],
        "agents": list[ShownAgent],
    },
)
"""How the project works, as callers see it."""
