"""Figures of the project: what is waiting, what happened each day, how long steps take, what agents did."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from flask import Blueprint, Response, request

from app.console import plots
from app.console.additions import Pages
from app.console.calls import call, require
from app.console.frame import is_from_script, page
from app.console.lookups import name_in
from app.console.sessions import context
from app.console.times import local
from app.console.words import overdue_days, today
from app.core.schemas.loading import load
from app.core.vocabulary import Scope
from app.documents import operations as documents
from app.documents.responses import DocumentSummary
from app.documents.schemas import DocumentQuery
from app.insights import operations as insights
from app.insights.rules import COUNTED

pages = Blueprint("insights", __name__, template_folder="templates")

SPANS = {7: "Week", 30: "Month", 90: "Quarter"}
HAPPENED = tuple(COUNTED.values())
AHEAD = 14
"""The number of days for which planned publications are shown."""
MOST = 300
"""Maximum number of documents that are read for the planned publications and for who is on time."""
STEPS = {
    "readyToClaimed": "Offered to claimed",
    "claimedToSubmitted": "Claimed to submitted",
    "submittedToApproved": "Submitted to approved",
    "approvedToPublished": "Approved to published",
}
OF_AGENTS = ("claimed", "submitted", "changesRequested", "approved", "released", "expired")


@pages.get("/insight")
def show_insight() -> Response:
    """Shows a project's figures for the days in the address."""
    days = request.args.get("days", 30, type=int)
    figures = call(insights.get_insights, fields={"days": days}).body
    return page(
        "insights/insight.html",
        figures=figures,
        shown=days,
        spans=SPANS,
        standing=[_standing(status, figures["statusesByDay"]) for status in figures["statuses"]],
        happened=[_happened(name, figures["days"]) for name in HAPPENED],
        steps=_steps(figures["durations"]),
        names=HAPPENED,
        of_agents=OF_AGENTS,
        plots=plots,
    )


@pages.get("/insight/dates")
def show_dates() -> Response:
    """Shows the planned publications, and who is on time; to a script as a part of the page of figures."""
    require(documents.list_documents)
    days = max(1, min(request.args.get("days", 30, type=int), max(SPANS)))
    ctx, present = context(), today()
    first, last = present - timedelta(days=days), present + timedelta(days=AHEAD)
    dated = documents.documents_by_day(ctx, load(DocumentQuery, {}), first, last, limit=MOST)
    goes_out = sorted(dated["scheduled"], key=lambda one: one["publishAt"] or "")
    template = "insights/dates_list.html" if is_from_script() else "insights/dates.html"
    return page(template, goes_out=goes_out, ahead=AHEAD, people=_people(dated))


def _people(dated: Mapping[str, Sequence[DocumentSummary]]) -> list[tuple[str, Counter[str]]]:
    """Returns by assignee how many documents were published on time, were published late, are overdue, are due soon."""
    counted: dict[str, Counter[str]] = defaultdict(Counter)
    for one in dated["due"]:
        counted[one["assigneeId"] or ""]["overdue" if overdue_days(one) else "due"] += 1
    for one in dated["published"]:
        if one["dueDate"] and one["publishedAt"]:
            is_late = local(one["publishedAt"]).date() > date.fromisoformat(one["dueDate"])
            counted[one["assigneeId"] or ""]["late" if is_late else "in_time"] += 1
    return sorted(counted.items(), key=lambda pair: (not pair[0], name_in(pair[0], "members").casefold()))


def _standing(status: str, days: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the plot of how many documents have a status at the end of each day."""
    values = [day["statuses"][status] for day in days]
    return {"status": status, "now": values[-1], "least": min(values), "most": max(values), "area": plots.area(values)}


def _happened(name: str, days: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns the data of a plot of one figure by day."""
    values = [day[name] for day in days]
    most = max(days, key=lambda day: day[name])
    return {
        "name": name,
        "sum": sum(values),
        "most": most if most[name] else None,
        "bars": [(bar, day) for bar, day in zip(plots.bars(values), days, strict=True) if bar],
    }


def _steps(durations: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns how long each step took, with bars relative to the longest."""
    most = max((one["p90"] or 0 for one in durations.values()), default=0)
    return [
        {
            "label": label,
            **durations[name],
            "half": plots.share(durations[name]["p50"], most),
            "most": plots.share(durations[name]["p90"], most),
        }
        for name, label in STEPS.items()
    ]


PAGES = Pages(
    "insights",
    blueprints=(pages,),
    navigation=(("insights.show_insight", "Insight", "chart", "i", Scope.READ),),
)
