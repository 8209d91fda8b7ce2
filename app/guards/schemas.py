"""Budgets, freezes and reverts, and the setting for four eyes, as callers send them (decisions, section 13)."""

from collections.abc import Mapping

import marshmallow as ma

from app.core.schemas.fields import (
    Nested,
    OnConfirm,
    Schema,
    StrictBoolean,
    StrictInteger,
    StrictString,
    TimeString,
)

MOST = 1_000_000


class BudgetFields(Schema):
    """How much a token may change."""

    writesPerHour = StrictInteger(
        1, MOST, description="calls that change something, in a clock hour", example=100, allow_none=True
    )
    publishesPerDay = StrictInteger(
        1, MOST, description="documents published or scheduled, in a UTC day", example=5, allow_none=True
    )


def names_a_limit(budget: Mapping[str, object]) -> None:
    """Checks that a budget names a limit: an empty one, or one with misspelt names alone, would lift all of them."""
    if not budget:
        names = " or ".join(f"`{name}`" for name in BudgetFields().fields)
        raise ma.ValidationError(f"Must name {names}; null lifts both limits.")


BUDGET = "a management token's limits; null: none"


class NewBudget(Schema):
    """The budget of a new token."""

    budget = Nested(BudgetFields, description=BUDGET, validate=OnConfirm(names_a_limit))


class ChangedBudget(Schema):
    """The budget of a token."""

    budget = Nested(BudgetFields, description=f"{BUDGET}; replaced whole", validate=OnConfirm(names_a_limit))


class GuardSettings(Schema):
    """The setting of a project."""

    fourEyes = StrictBoolean(
        description="who made or submitted a version can't publish it",
        allow_none=True,
    )


class FreezeFields(Schema):
    """Body of `POST /project/freeze`."""

    note = StrictString(
        500, description="why, for those who are refused", example="Wrong prices in last night's drafts."
    )


class RevertFields(Schema):
    """Body of `POST /tokens/:id/revert`."""

    since = TimeString(
        description="from when on, at most 30 days back",
        example="2027-01-31T09:00:00Z",
        required=True,
    )
