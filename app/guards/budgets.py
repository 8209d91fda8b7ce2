"""Budgets of tokens: how much one may change in an hour, and publish in a day (decisions, section 13)."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from math import ceil
from typing import Annotated, Any

from typing_extensions import TypedDict

from app.core.documented import doc
from app.core.times import wire_time
from app.guards.errors import BudgetExceeded
from app.guards.vocabulary import BudgetLimit


class Budget(TypedDict):
    """How much a token may change."""

    writesPerHour: Annotated[int | None, doc("calls that change something, in a clock hour; null: no limit", 100)]
    publishesPerDay: Annotated[int | None, doc("documents published or scheduled, in a UTC day; null: no limit", 5)]


LASTS = {BudgetLimit.WRITES: timedelta(hours=1), BudgetLimit.PUBLISHES: timedelta(days=1)}


def budget_of(sent: Mapping[str, Any] | None) -> Budget | None:
    """Returns a budget that was sent, whole; None where it limits nothing."""
    budget = Budget(
        writesPerHour=(sent or {}).get(BudgetLimit.WRITES), publishesPerDay=(sent or {}).get(BudgetLimit.PUBLISHES)
    )
    return budget if any(budget.values()) else None


def limits_of(budget: Budget, *, publishes: bool) -> dict[BudgetLimit, int]:
    """Returns the limits that a call counts towards, the one that resets last first."""
    limits = {
        BudgetLimit.PUBLISHES: budget["publishesPerDay"] if publishes else None,
        BudgetLimit.WRITES: budget["writesPerHour"],
    }
    return {limit: most for limit, most in limits.items() if most is not None}


def begins(limit: BudgetLimit, now: datetime) -> datetime:
    """Returns when the present hour or day of a limit began, in UTC."""
    hour = now.replace(minute=0, second=0, microsecond=0)
    return hour if limit == BudgetLimit.WRITES else hour.replace(hour=0)


def if_exceeded(
    budget: Budget, counts: Mapping[BudgetLimit, int], now: datetime, *, publishes: bool
) -> BudgetExceeded | None:
    """Returns the refusal of a call that brings the counts to these numbers; None where they are within the budget."""
    for limit, most in limits_of(budget, publishes=publishes).items():
        if counts[limit] > most:
            resets = begins(limit, now) + LASTS[limit]
            return BudgetExceeded(
                f"The token's budget is used up: `{limit}` is {most}. Wait until {wire_time(resets)}, or have somebody "
                "with the scope `admin` raise it.",
                headers={"Retry-After": str(max(1, ceil((resets - now).total_seconds())))},
                budget=str(limit),
                resetsAt=wire_time(resets),
            )
    return None
