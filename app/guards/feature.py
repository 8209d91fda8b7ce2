"""Budgets of tokens, settings of projects, and the storage that guards add."""

from app.core.actors import wire_note
from app.core.context import Context
from app.core.errors import Problem
from app.core.features import AddedFields, Feature, Record, by_class_name
from app.core.store.indexes import Storage, index, types
from app.core.times import DAY_SECONDS
from app.core.vocabulary import TokenKind
from app.guards.budgets import budget_of
from app.guards.responses import GuardedProject, GuardedToken
from app.guards.schemas import ChangedBudget, GuardSettings, NewBudget
from app.guards.vocabulary import BudgetLimit, SkipReason
from app.projects.responses import Project
from app.projects.schemas import ProjectChanges
from app.projects.token_responses import Token
from app.projects.token_schemas import TokenChanges, TokenFields

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


FEATURE = Feature(
    "guards",
    responses={Project: GuardedProject, Token: GuardedToken},
    schemas={ProjectChanges: GuardSettings, TokenFields: NewBudget, TokenChanges: ChangedBudget},
    fields={
        Project: AddedFields(shown_project),
        Token: AddedFields(to_stored=token_to_stored, problems=token_problems),
    },
    storage=Storage(
        indexes=(
            index("budgets", "projectId tokenId limit begins", "what a token has used of its budget", unique=True),
            index("budgets", "begins", "days and hours that are over", expireAfterSeconds=2 * DAY_SECONDS),
        ),
        shard_keys={"budgets": "projectId"},
        events=types("project", "frozen unfrozen"),
    ),
    closed_lists=by_class_name(BudgetLimit, SkipReason),
    options_of_tokens="app.guards.commands.budgets",
    commands_of_projects="app.guards.commands.freezing",
)
