"""The budget of a new token on the command line."""

from typing import Any

import click

from app.guards.budgets import budget_of
from app.guards.schemas import MOST
from app.guards.vocabulary import BudgetLimit

NUMBER = click.IntRange(1, MOST)
OPTIONS = (
    click.Option(["--writes-per-hour"], type=NUMBER, help="How many calls may change something, per hour."),
    click.Option(["--publishes-per-day"], type=NUMBER, help="How many documents it may publish, per day."),
)


def fields_of(options: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a token that the options stand for."""
    writes, publishes = options["writes_per_hour"], options["publishes_per_day"]
    return {"budget": budget_of({BudgetLimit.WRITES: writes, BudgetLimit.PUBLISHES: publishes})}
