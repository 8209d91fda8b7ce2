"""The settings of projects and tokens: how they are shown and stored, and what is wrong (decisions, section 13)."""

from app.core.actors import wire_note
from app.core.context import Context
from app.core.errors import Problem
from app.core.features import Record
from app.core.vocabulary import TokenKind
from app.guards.budgets import budget_of

NO_BUDGET = Problem(field="budget", message="Only a management token can have a budget: a delivery token reads.")


def shown_project(project: Record) -> Record:
    """Returns why, since when and by whom a project is frozen."""
    return {"frozen": wire_note(project.get("frozen"))}


def token_to_stored(token: Record, fields: Record) -> Record:
    """Returns the fields for a token with its budget whole, and null where it limits nothing."""
    return {**fields, "budget": budget_of(fields["budget"])} if "budget" in fields else fields


def token_problems(ctx: Context, token: Record, fields: Record) -> list[Problem]:
    """Returns what is wrong with the budget of a token of a kind."""
    may_have_one = token["kind"] == TokenKind.MANAGEMENT
    return [NO_BUDGET] if budget_of(fields.get("budget")) and not may_have_one else []
