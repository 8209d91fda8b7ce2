"""Figures of the project: what is waiting, what happened each day, how long steps take, what agents did."""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, request

from app.console import plots
from app.console.calls import call
from app.console.frame import console, page
from app.operations import insights
from app.rules.insights import COUNTED

SPANS = {7: "Week", 30: "Month", 90: "Quarter"}
HAPPENED = tuple(COUNTED.values())
STEPS = {
    "readyToClaimed": "Offered to claimed",
    "claimedToSubmitted": "Claimed to submitted",
    "submittedToApproved": "Submitted to approved",
    "approvedToPublished": "Approved to published",
}
OF_AGENTS = ("claimed", "submitted", "changesRequested", "approved", "released", "expired")


@console.get("/insight")
def show_insight() -> Response:
    """Shows a project's figures for the days in the address."""
    days = request.args.get("days", 30, type=int)
    figures = call(insights.get_insights, fields={"days": days}).body
    return page(
        "insight.html",
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


console.app_template_filter("share_of")(plots.share)


def _standing(status: str, days: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Returns what a plot of the documents in one status at the end of each day shows."""
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
