"""How the project works: documents now, what happened by day, how long steps take, what agents did.

(decisions, section 14)
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any, cast

from app.core.context import Context
from app.core.operation import Effect, Result, operation
from app.core.schemas.fields import Schema, StrictInteger
from app.core.schemas.loading import Fields
from app.core.times import wire_time
from app.core.vocabulary import Scope
from app.documents.store import Documents
from app.insights.responses import (
    AgentFigures,
    BriefCounts,
    DayFigures,
    DurationFigures,
    Durations,
    Insights,
    LevelFigures,
    RoundFigures,
    StatusCounts,
    ThreadFigures,
)
from app.insights.rules import (
    COUNTED,
    DURATIONS,
    LEVELS,
    OF_AGENTS,
    SETTLED,
    STATES,
    STATUSES,
    StoredFigures,
    days_until,
    quantile,
    statuses_by_day,
)
from app.insights.store import InsightFigures
from app.provenance.reviews import TOKENS, AgentWords
from app.provenance.store import Disclosures


class InsightsQuery(Schema):
    """How many days of figures to report (decisions, section 14)."""

    days = StrictInteger(1, 90, description="days up to today, in UTC", load_default=30)


@operation(Scope.READ, Effect.READS, "GET /insights", tag="project", query=InsightsQuery, toolsets=("planning",))
def get_insights(ctx: Context, fields: Fields) -> Result[Insights]:
    """Read how the project works: documents now, what happened each day, how long steps take, what agents did."""
    insights, days = ctx.store[InsightFigures], days_until(ctx.now.date(), fields["days"])
    rows = insights.of_days(ctx.project_id, days[0], days[-1])
    statuses = ctx.store[Documents].count_by_status(ctx.project_id)
    of_project = {row["day"].date(): row for row in rows if row["tokenId"] is None}
    now = {status: statuses.get(status, 0) for status in STATUSES}
    changes = {day: row.get("statuses", {}) for day, row in of_project.items()}
    by_day = statuses_by_day(now, changes, days)
    oldest = insights.oldest_waiting(ctx.project_id)
    return Result(
        {
            "from": days[0].isoformat(),
            "to": days[-1].isoformat(),
            "statuses": cast(StatusCounts, now),
            "statusesByDay": [{"date": day.isoformat(), "statuses": cast(StatusCounts, by_day[day])} for day in days],
            "briefs": cast(BriefCounts, {state: _number(ctx, briefState=[state]) for state in STATES}),
            "overdue": _number(ctx, dueBefore=(days[-1] - timedelta(days=1)).isoformat(), isPublished=False),
            "oldestReady": wire_time(oldest) if oldest else None,
            "days": [_day(day, of_project.get(day)) for day in days],
            "durations": cast(Durations, {name: _duration(name, of_project.values()) for name in DURATIONS}),
            "rounds": _rounds(of_project.values()),
            "threads": cast(ThreadFigures, {level: _threads(level, of_project.values()) for level in LEVELS}),
            "agents": _agents(rows, ctx.store[Disclosures].words_by_agent(ctx.project_id)),
        }
    )


def _number(ctx: Context, **filters: Any) -> int:
    """Returns how many documents outside the trash meet filters now."""
    return ctx.store[Documents].count(ctx.project_id, filters)


def _day(day: date, row: StoredFigures | None) -> DayFigures:
    counted = {name: 0 if row is None else row.get(name, 0) for name in COUNTED.values()}
    return cast(DayFigures, {"date": day.isoformat(), **counted})


def _duration(name: str, rows: Iterable[StoredFigures]) -> DurationFigures:
    histogram: Counter[int] = Counter()
    for row in rows:
        for number, durations in row.get("durations", {}).get(name, {}).items():
            histogram[int(number)] += durations
    return {"count": histogram.total(), "p50": quantile(histogram, 0.5), "p90": quantile(histogram, 0.9)}


def _rounds(rows: Iterable[StoredFigures]) -> list[RoundFigures]:
    """Returns the number of publications by the number of requests for changes before them, the fewest first."""
    counts: Counter[int] = Counter()
    for row in rows:
        counts.update({int(rounds): number for rounds, number in row.get("rounds", {}).items()})
    return [{"rounds": rounds, "published": counts[rounds]} for rounds in sorted(counts)]


def _threads(level: str, rows: Iterable[StoredFigures]) -> LevelFigures:
    """Returns how many threads of a level were opened, and how many ended in each way."""
    counts: Counter[str] = Counter()
    for row in rows:
        counts.update(row.get("threads", {}).get(level, {}))
    return cast(LevelFigures, {name: counts[name] for name in ("opened", *SETTLED)})


def _agents(rows: Iterable[StoredFigures], live: Iterable[AgentWords]) -> list[AgentFigures]:
    """Returns the figures of each token that claimed or wrote as an agent, the one with the most claims first.

    `live` are the words of each agent in all that is delivered.
    """
    agents: dict[str, AgentFigures] = {}
    names = (*dict.fromkeys(OF_AGENTS.values()), *TOKENS)
    for row in sorted(rows, key=lambda row: row["day"]):
        if (token_id := row["tokenId"]) is not None:
            figures: Mapping[str, Any] = row
            before: Mapping[str, Any] = agents.get(token_id) or {}
            counted = {name: before.get(name, 0) + figures.get(name, 0) for name in names}
            agents[token_id] = cast(
                AgentFigures, {"id": token_id, "name": row["name"], "agent": row["agent"], "words": 0, **counted}
            )
    for one in live:
        if token_id := one["by"]["id"]:
            none = {"id": token_id, "name": one["by"]["name"], "agent": one["by"]["agent"], **dict.fromkeys(names, 0)}
            agents[token_id] = cast(AgentFigures, {**none, **agents.get(token_id, {}), "words": one["words"]})
    return sorted(agents.values(), key=lambda agent: (-agent["claimed"], agent["id"]))
