"""The figures of a project as callers see them (decisions, section 14)."""

from typing import Annotated

from typing_extensions import TypedDict

from app.core.documented import EXAMPLE_TIME, Date, Id, Timestamp, doc


class DayFigures(TypedDict):
    """Figures of a day."""

    date: Annotated[Date, doc("the day")]
    created: Annotated[int, doc("documents created")]
    claimed: Annotated[int, doc("briefs claimed")]
    submitted: Annotated[int, doc("documents submitted")]
    approved: Annotated[int, doc("documents approved")]
    published: Annotated[int, doc("documents published, publishing again too")]


class DurationFigures(TypedDict):
    """How long a step took."""

    count: Annotated[int, doc("how often it was finished")]
    p50: Annotated[
        float | None, doc("seconds that half of them took at most, right to 10 %; null without any", 3_600.5)
    ]
    p90: Annotated[float | None, doc("seconds that nine of ten took at most, right to 10 %; null without any", 3_600.5)]


class Durations(TypedDict):
    """How long each step took, from its latest start to the next end."""

    readyToClaimed: Annotated[DurationFigures, doc("from an offer of the brief to its claim")]
    claimedToSubmitted: Annotated[DurationFigures, doc("from the claim to the submission")]
    submittedToApproved: Annotated[DurationFigures, doc("from the submission to the approval")]
    approvedToPublished: Annotated[DurationFigures, doc("from the approval to the publication")]


class RoundFigures(TypedDict):
    """How many publications followed so many requests for changes."""

    rounds: Annotated[int, doc("requests for changes since the publication before", 1)]
    published: Annotated[int, doc("publications after so many", 4)]


class LevelFigures(TypedDict):
    """Figures of the review threads of a level."""

    opened: Annotated[int, doc("threads opened")]
    resolved: Annotated[int, doc("threads resolved otherwise than by their suggestion")]
    accepted: Annotated[int, doc("suggestions accepted")]
    rejected: Annotated[int, doc("suggestions rejected")]


class ThreadFigures(TypedDict):
    """Figures of review threads, by level."""

    must: LevelFigures
    should: LevelFigures
    note: LevelFigures


class AgentFigures(TypedDict):
    """Figures of the briefs that a token claimed, and of the texts that it wrote."""

    id: Annotated[Id, doc("the token's id")]
    name: Annotated[str, doc("the token's name at its last claim", "Night writer")]
    agent: Annotated[str, doc("the agent that used it; empty for none", "writer-1")]
    claimed: Annotated[int, doc("briefs claimed")]
    submitted: Annotated[int, doc("documents submitted")]
    expired: Annotated[int, doc("claims whose lease expired")]
    released: Annotated[int, doc("claims released or withdrawn, by itself or others")]
    changesRequested: Annotated[int, doc("requests for changes")]
    approved: Annotated[int, doc("documents approved")]
    words: Annotated[int, doc("words that it wrote and that are live now")]
    inputTokens: Annotated[int, doc("tokens read, as it declared them")]
    outputTokens: Annotated[int, doc("tokens written, as it declared them")]


class StatusCounts(TypedDict):
    """Documents outside the trash by status."""

    idea: int
    planned: int
    drafting: int
    review: int
    approved: int
    scheduled: int
    published: int


class BriefCounts(TypedDict):
    """Documents outside the trash by the state of their brief; `none` for those without one."""

    none: int
    ready: int
    claimed: int
    drafted: int


class DayStatuses(TypedDict):
    """How many documents had each status at the end of a day."""

    date: Annotated[Date, doc("the day")]
    statuses: Annotated[StatusCounts, doc("documents by status")]


_From = TypedDict("_From", {"from": Annotated[Date, doc("the first day")]})


class Insights(_From):
    """How the project works."""

    to: Annotated[Date, doc("today")]
    statuses: Annotated[StatusCounts, doc("documents by status, now")]
    statusesByDay: Annotated[
        list[DayStatuses], doc("documents by status at the end of each day, oldest first; now for today")
    ]
    briefs: Annotated[BriefCounts, doc("documents by the state of their brief, now")]
    overdue: Annotated[int, doc("documents due before today and not published")]
    oldestReady: Annotated[
        Timestamp | None, doc("when the ready brief that has waited longest was last offered", EXAMPLE_TIME)
    ]
    days: Annotated[list[DayFigures], doc("every day, oldest first")]
    durations: Annotated[Durations, doc("steps that ended on these days")]
    rounds: Annotated[list[RoundFigures], doc("publications on these days by rounds of changes, fewest rounds first")]
    threads: Annotated[ThreadFigures, doc("review threads opened and resolved on these days")]
    agents: Annotated[
        list[AgentFigures], doc("tokens that claimed or wrote as agents, those with the most claims first")
    ]
